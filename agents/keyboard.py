"""How a person's words come in: what is common to all ways, and lines read from a pipe.

The line editor for terminals is in `line_editor.py`, so that games without people do not load it.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol, TextIO

from sottovoce.domain.safe_text import visible

Fragments = list[tuple[str, str]]
"""Styled text: pairs of a style class and text of any origin, which a keyboard shows harmless."""


def leaves(text: str) -> bool:
    """Whether a typed text is the command to leave, which is understood wherever something is asked."""
    return text.strip().lower() in (":quit", ":q")


def harmless(fragments: Fragments) -> Fragments:
    """The fragments as they may be written to a terminal."""
    return [(style, visible(text)) for style, text in fragments]


@dataclass(frozen=True, slots=True)
class Question:
    """A line to read: the message before it, its initial text, and what Tab completes.

    `status` is the line at the foot of a terminal, computed again as time passes. With `eager`, Tab on an empty line
    offers all words. Only the same seat can recall what it typed before. If the question is `fresh`, nothing typed
    before it was shown answers it. Only Enter is an answer if it can be `empty`.
    """

    seat: str
    message: Fragments
    draft: str = ""
    words: tuple[str, ...] = ()
    eager: bool = False
    fresh: bool = True
    empty: bool = False
    status: Callable[[], Fragments] | None = None


class Left(Exception):
    """The person is gone: end of input, or an interrupt."""

    def __init__(self, interrupted: bool) -> None:
        super().__init__()
        self.interrupted = interrupted


class Keyboard(Protocol):
    """Reads lines and writes what belongs to them."""

    typed: str
    """What stood in the line when reading was cancelled."""
    patient: bool
    """Whether a person types here, who may try again; what a program writes is sent as it is."""

    @property
    def width(self) -> int:
        """Columns."""

    @property
    def fancy(self) -> bool:
        """Whether signs beyond ASCII can be shown."""

    def write(self, fragments: Fragments) -> None:
        """Text, between questions."""

    async def read(self, question: Question) -> str:
        """One reply, typed after the question was shown. Raises Left."""

    async def hand_over(self, name: str) -> None:
        """Hide what the last person saw until the next one is there. Raises Left."""


class PipeKeyboard:
    """Lines of a stream, one a reply; what is asked goes to another. The lines are echoed, as a terminal would."""

    def __init__(self, source: TextIO, target: TextIO) -> None:
        self._source = source
        self._target = target
        self._bytes = b""
        self._pending: asyncio.Future[str | None] | None = None
        self.typed = ""
        self.patient = False

    @property
    def width(self) -> int:
        return 80

    @property
    def fancy(self) -> bool:
        return (self._target.encoding or "utf-8").lower().replace("-", "").startswith("utf")

    def write(self, fragments: Fragments) -> None:
        text = "".join(part for _, part in harmless(fragments))
        encoding = self._target.encoding or "utf-8"
        self._target.write(text.encode(encoding, "backslashreplace").decode(encoding))
        self._target.flush()

    async def read(self, question: Question) -> str:
        self.write(question.message)
        line = await self._line()
        if line is None:
            self.write([("", "\n")])
            raise Left(interrupted=False)
        self.write([("", line + "\n")])
        return line

    async def hand_over(self, name: str) -> None:
        self.write([("", f"\n--- {name} ---\n")])

    async def _line(self) -> str | None:
        """The next line, or None at the end. One whose reader was cancelled is kept for the next."""
        if self._pending is None:
            loop = asyncio.get_running_loop()
            self._pending = loop.create_future()
            try:
                source = self._source.fileno()
            except (OSError, ValueError):
                self._pending.set_result(self._source.readline() or None)
            else:
                threading.Thread(target=self._fetch, args=(source, loop, self._pending), daemon=True).start()
        line = await asyncio.shield(self._pending)
        self._pending = None
        return None if line is None else line.rstrip("\r\n")

    def _fetch(self, source: int, loop: asyncio.AbstractEventLoop, pending: asyncio.Future[str | None]) -> None:
        line = self._next(source)
        with suppress(RuntimeError):  # the loop may have closed meanwhile
            loop.call_soon_threadsafe(pending.set_result, line)

    def _next(self, source: int) -> str | None:
        """Past the stream's own buffer: a thread blocked inside that could not be left behind at exit."""
        while b"\n" not in self._bytes:
            try:
                chunk = os.read(source, 65536)
            except OSError:
                chunk = b""
            if not chunk:
                rest, self._bytes = self._bytes, b""
                return rest.decode("utf-8", "replace") if rest else None
            self._bytes += chunk
        line, self._bytes = self._bytes.split(b"\n", 1)
        return line.decode("utf-8", "replace")
