"""What a server says on stderr: one JSON object a line, written by a thread so that a stuck terminal stops nobody."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from queue import Empty, SimpleQueue
from typing import Any

from domain.visible import visible_json

PAUSE = 0.05
"""Seconds between two writes at least: to wake the thread for every line takes longer than the line."""

WAITING = 10_000
"""Lines that may wait to be written; more are dropped and counted."""


def _stderr(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


class Journal:
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
