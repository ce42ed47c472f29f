"""What commands print: lines for a person, and documents and logs, which are UTF-8 whatever the terminal speaks."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from pathlib import Path

import click

from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.safe_text import visible

_DATABASE = b"SQLite format 3\0"
"""What every SQLite file begins with."""


def say(text: str = "", *, err: bool = False, end: str = "\n", dim: bool = False) -> None:
    """Print a text of any origin, harmless (`domain.visible`), on stdout or stderr; `dim` where a terminal can."""
    shown = visible(text)
    click.echo((click.style(shown, dim=True) if dim else shown) + end, nl=False, err=err)  # noqa: TID251 - here and nowhere else


def require_writable(target: str) -> None:
    """Raise UsageError if writing there would destroy a database or one of the files next to it."""
    for path in (Path(target), Path(re.sub(r"-(wal|shm|journal)$|\.(lock|heads)$", "", target))):
        try:
            if not path.is_file():  # a pipe would wait for its other end
                continue
            with path.open("rb") as file:
                begins = file.read(len(_DATABASE))
        except (OSError, ValueError):
            continue
        if begins == _DATABASE:
            raise click.UsageError(f"{target} is a database, or belongs to one. Give another file")


class Output:
    """Where a text goes: a file, or standard output for None or `-`. A file is opened at once, so that one that cannot
    be written is found before anything else is done."""

    def __init__(self, target: str | None, stack: ExitStack) -> None:
        self.target = None if target in (None, "-") else target
        self._file = sys.stdout.buffer
        if self.target is not None:
            require_writable(self.target)
            try:
                self._file = stack.enter_context(Path(self.target).open("wb"))  # noqa: SIM115 - the stack closes it
            except (OSError, ValueError) as error:
                raise self._failed(error) from None

    def write(self, texts: Iterable[str]) -> None:
        """Write the texts one after the other."""
        try:
            self._file.writelines(text.encode("utf-8", "replace") for text in texts)
            self._file.flush()
        except OSError as error:
            if self.target is None:
                raise
            with suppress(OSError):  # else leaving the stack would fail once more, by what is left to be written
                self._file.close()
            raise self._failed(error) from None

    def _failed(self, error: Exception) -> SottovoceError:
        why = getattr(error, "strerror", None) or str(error)
        return SottovoceError(f"Cannot write {self.target}: {why}. Give another file.")
