"""Documents and logs written to a file or to standard output: always UTF-8, whatever the terminal speaks."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

from domain.errors import SottovoceError


class Output:
    """Where a text goes: a file, or standard output for None or `-`. A file is opened at once, so that one that cannot
    be written is found before anything else is done."""

    def __init__(self, target: str | None, stack: ExitStack) -> None:
        self.target = None if target in (None, "-") else target
        self._file = sys.stdout.buffer
        if self.target is not None:
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
            raise self._failed(error) from None

    def _failed(self, error: Exception) -> SottovoceError:
        why = getattr(error, "strerror", None) or str(error)
        return SottovoceError(f"Cannot write {self.target}: {why}; give another file.")
