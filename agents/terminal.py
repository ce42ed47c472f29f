"""This process's terminal, shared by the seats that people play here."""

from __future__ import annotations

import asyncio
import sys
import textwrap
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sottovoce.agents.keyboard import Keyboard, Left, PipeKeyboard
from sottovoce.agents.keys import Keys
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.piece import Chair
from sottovoce.domain.safe_text import visible
from sottovoce.projections.view import View

Redraw = Callable[[View[Any], int | None], None]
"""Draws the last entries that a seat has seen: that many, or all.

The view can be older than the seat's newest; draw `view.seat`'s newest view instead if you like.
"""

RECENT = 20
WIDEST = 88


class PlayerLeft(SottovoceError):
    """The player has left; the game can be resumed."""

    def __init__(self, seat: str, interrupted: bool = False) -> None:
        super().__init__(f"{seat} has left the game. It can be resumed.")
        self.seat = seat
        self.interrupted = interrupted
        self.exit_code = 130 if interrupted else 0


def keyboard_here(history: Path | None = None, keys: Keys | None = None) -> Keyboard:
    """The one that fits this process's stdin and stdout; `history` is a folder for what is typed at a terminal.

    `keys` hear what is typed there while nothing is asked.
    """
    if sys.stdin.isatty() and sys.stdout.isatty():
        from sottovoce.agents.line_editor import LineEditor

        return LineEditor(history=history, keys=keys)
    return PipeKeyboard(sys.stdin, sys.stdout)


class Terminal:
    """This process's terminal, shared by the seats that people play here.

    One seat has the keyboard at a time. With two or more people, the screen is cleared behind a page when the keyboard
    goes to the next person; then `redraw` shows that person's view. Without `redraw` a view is shown in plain words,
    with refusals. What was typed is saved in files only if a folder is given for it. `keys` gets what is typed while no
    question is open, and `asked` is called at every turn.
    """

    def __init__(
        self,
        redraw: Redraw | None = None,
        *,
        history: Path | None = None,
        keyboard: Keyboard | None = None,
        keys: Keys | None = None,
        asked: Callable[[], None] = lambda: None,
    ) -> None:
        self._keyboard = keyboard
        self.holder: str | None = None
        self.begun: dict[str, str] = {}
        """What stood in a seat's line, not sent, when something else was asked."""
        self.seats: list[str] = []
        self.drawn_elsewhere = redraw is not None
        self._redraw = redraw
        self._history = history
        self._keys = keys
        self.asked = asked
        self._lock = asyncio.Lock()

    @property
    def shared(self) -> bool:
        """Whether more than one person plays here."""
        return len(self.seats) > 1

    @property
    def keyboard(self) -> Keyboard:
        """Where words come in; found out when first needed."""
        if self._keyboard is None:
            self._keyboard = keyboard_here(self._history, self._keys)
        return self._keyboard

    def join(self, seat: str) -> None:
        """Seat a person here."""
        if seat not in self.seats:
            self.seats.append(seat)

    def print(self, seat: str, draw: Callable[[], object]) -> bool:
        """Let `draw` print something that only that seat can see, above the prompt if there is one. Returns whether it
        did.

        With several people it does so only while the seat has the keyboard; the rest is drawn when the seat gets it.
        """
        if self.shared and self.holder != seat:
            return False
        draw()
        return True

    def redraw(self, view: View[Any], count: int | None) -> None:
        """Show the last `count` entries of a view, or all."""
        if self._redraw is not None:
            self._redraw(view, count)
            return
        for entry in view.entries if count is None else view.recent(count):
            piece = view.ruleset.tell(entry.event, Chair(view.seat))
            if piece is not None:
                self.say(piece.text)
                if piece.said is not None:
                    self.say(piece.said, indent=4)

    def say(self, text: str, style: str = "", indent: int = 0) -> None:
        """A few lines of the agent's own, wrapped."""
        self.keyboard.write([(style, row + "\n") for row in rows(text, self.width, indent)])

    @property
    def width(self) -> int:
        return max(20, min(self.keyboard.width, WIDEST))

    @asynccontextmanager
    async def held_by(self, seat: str, view: View[Any]) -> AsyncIterator[None]:
        """Wait until the keyboard is free and give it to the seat. Raises PlayerLeft."""
        async with self._lock:
            try:
                if self.shared and self.holder != seat:
                    self.holder = None
                    await self.keyboard.hand_over(seat)
                    self.holder = seat
                    self.redraw(view, RECENT)
                self.holder = seat
                yield
            except Left as left:
                raise PlayerLeft(seat, left.interrupted) from None


def rows(text: str, width: int, indent: int = 0) -> list[str]:
    """Harmless text in rows of at most `width` columns."""
    margin = " " * indent
    wrapped: list[str] = []
    for line in visible(text).split("\n"):
        hanging = margin + " " * (len(line) - len(line.lstrip()))
        cut = textwrap.wrap(line.strip(), max(8, width), initial_indent=hanging, subsequent_indent=hanging)
        wrapped += cut or [""]
    return wrapped
