"""What a server writes to stderr: one JSON object a line, from a thread, so that a stuck terminal stops nothing.

Messages and warnings of libraries and errors in the background become such lines too. Tracebacks are not printed: they
take long, and their text can contain anything. `SOTTOVOCE_DEBUG=1` prints them as well.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, TextIO

from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.safe_text import visible_json

PAUSE = 0.05
"""Seconds between two writes at least: to wake the thread for every line takes longer than the line."""

WAITING = 10_000
"""Lines that may wait to be written; more are dropped and counted."""


def _stderr(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


class AccessLog:
    """Writes lines in their order. Nothing that is given to it may hold a token, a text of a game or a query."""

    def __init__(self, write: Callable[[str], None] = _stderr) -> None:
        self._write = write
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self._dropped = 0
        self._leaving = threading.Event()
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
        self._thread.start()

    def __call__(self, **fields: Any) -> None:
        """Write a line with these fields, after the time."""
        if self._lines.qsize() >= WAITING:
            self._dropped += 1
            return
        if self._dropped:
            fields["dropped_before"], self._dropped = self._dropped, 0
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._lines.put(visible_json(json.dumps({"at": at, **fields}, separators=(",", ":"))) + "\n")

    def close(self) -> None:
        """Write what waits, within a second."""
        self._leaving.set()
        self._lines.put(None)
        self._thread.join(1.0)

    def _run(self) -> None:
        while (line := self._lines.get()) is not None:
            lines = [line]
            with suppress(Empty):
                while len(lines) < 1000 and (line := self._lines.get_nowait()) is not None:
                    lines.append(line)
            with suppress(OSError, ValueError):
                self._write("".join(lines))
            if line is None:
                return
            self._leaving.wait(PAUSE)


@contextmanager
def overheard(access_log: AccessLog) -> Iterator[None]:
    """A block in which all that this process would print of itself goes to the journal."""
    root, handler = logging.getLogger(), _Overheard(access_log)
    before = threading.excepthook, sys.unraisablehook, warnings.showwarning

    def warned(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        access_log(error=category.__name__, where=f"{Path(filename).name}:{lineno}")

    root.addHandler(handler)
    threading.excepthook = lambda failed: failure(access_log, failed.exc_value, failed.exc_traceback)
    sys.unraisablehook = lambda failed: failure(access_log, failed.exc_value, failed.exc_traceback)
    warnings.showwarning = warned
    try:
        yield
    finally:
        threading.excepthook, sys.unraisablehook, warnings.showwarning = before
        root.removeHandler(handler)


def failure(access_log: AccessLog, error: BaseException | None, trace: TracebackType | None = None) -> None:
    """Say what failed and where, without what was worked on."""
    trace = trace if trace is not None or error is None else error.__traceback__
    steps = traceback.extract_tb(trace)
    where = f"{Path(steps[-1].filename).name}:{steps[-1].lineno}" if steps else "-"
    access_log(error=type(error).__name__, where=where)
    if error is not None and os.environ.get("SOTTOVOCE_DEBUG"):
        traceback.print_exception(error)


def told(error: BaseException) -> str:
    """An error in a line: in its own words where it is ours, else by its name, since its words may hold anything."""
    return str(error) if isinstance(error, SottovoceError) else type(error).__name__


class _Overheard(logging.Handler):
    """Puts what is logged into the journal: in its own words where we or uvicorn wrote it, else where it was logged."""

    def __init__(self, access_log: AccessLog) -> None:
        super().__init__(logging.WARNING)
        self._access_log = access_log

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        if record.name.startswith("sottovoce") and error is None:
            self._access_log(note=record.getMessage())
        elif record.levelno < logging.ERROR:
            pass  # what libraries make of what clients send
        elif record.name.startswith("uvicorn"):
            self._access_log(error=_of_uvicorn(record, error))
        elif error is not None:
            failure(self._access_log, error)
        else:
            self._access_log(error=record.name, where=f"{record.filename}:{record.lineno}")


def _of_uvicorn(record: logging.LogRecord, error: BaseException | None) -> str:
    lines = record.getMessage().strip().splitlines()
    # Of a traceback, the last line's name: its words, and the lines of the program, may hold anything.
    said = lines[0] if len(lines) == 1 else lines[-1].partition(":")[0]
    return said if error is None else f"{said}: {told(error)}"
