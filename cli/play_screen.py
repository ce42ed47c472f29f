"""People at this terminal at one table, near or far: what is shown, how fast, and what they may type unasked."""

from __future__ import annotations

import asyncio
import sys
import textwrap
from collections.abc import Coroutine, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any, Literal, Protocol

from rich.console import Console
from rich.text import Text

from sottovoce.agents.human import NO_PAGES, HumanAgent, Pages, Terminal, Unasked, help_lines, overhear, show_page
from sottovoce.agents.keys import keys_here
from sottovoce.cli.extras import EXTRAS
from sottovoce.cli.pace import JUMP, Pace, pause_after
from sottovoce.cli.screen import Screen, draw_view
from sottovoce.cli.table_commands import Aside, Look
from sottovoce.domain.events import Recorded
from sottovoce.domain.piece import Chair
from sottovoce.domain.ruleset import Ruleset
from sottovoce.projections.marks import Out
from sottovoce.projections.pieces import Teller
from sottovoce.projections.view import Entry, View

LISTEN_AFTER = 1.5
"""Seconds without a question before a person who may speak up unasked is given the keyboard."""

LAST_TOLD = 5
"""Events that a game which is gone on with shows again."""

LOOK = 0.05
"""Seconds between looks whether that person is asked something by now."""


def at_terminal() -> bool:
    """Whether somebody sits here who can be asked something."""
    return sys.stdin.isatty() and sys.stdout.isatty()


class PlayedGame(Protocol):
    """The game that is sat at."""

    @property
    def ruleset(self) -> Ruleset[Any]:
        """Its rules."""

    def view(self, chair: str | None) -> View[Any]:
        """What that seat has seen so far; for None what everyone has."""

    def look(self, seat: str) -> View[Any] | None:
        """What any seat has seen so far, if that can be had here."""

    async def say(self, seat: str, text: str) -> str | None:
        """Send an unprompted message; what went wrong with the sending, if anything."""


class PlayScreen:
    """One game at one terminal: what is shown of it, and to whom.

    With one person here, of `humans`, the screen shows that seat's view. With none it shows what is public, or the view
    of the seat `watched`. With several, each has their own page, shown while they use the keyboard.
    """

    def __init__(
        self, table: PlayedGame, humans: Sequence[str], *, watched: str | None = None, quiet: bool = False
    ) -> None:
        self.table = table
        self.humans = humans
        self.quiet = quiet
        extras = EXTRAS.of(table.ruleset.name)
        aside = None if extras.aside is None else extras.aside()
        self.aside = aside if aside is not None and aside.seat in humans else None
        self.console = Console(highlight=False)
        self.seat = humans[0] if len(humans) == 1 else None
        chairs: Sequence[str | None] = humans or (watched,)
        self.screens = {chair: Screen(self.console, table.ruleset, chair) for chair in chairs}
        self.pace = Pace()
        self.keys = keys_here()
        self.terminal = Terminal(redraw=self._redraw, keys=self.keys, asked=self.pace.asked)
        self._own = None if self.seat is None or self.keys is None else Teller(table.ruleset, self.seat)
        """Tells the seat's entries once more, for what they do to it."""
        self._out: Literal["no", "yes", "told"] = "no"
        self._told = dict.fromkeys(chairs, 0)
        """How many entries each viewer has been shown or has skipped."""
        self._drawn = dict.fromkeys(chairs, 0)
        """How much of it stands on its present screen from the beginning: that is not told again."""
        self._look: Look = table.look

    def human(self, seat: str) -> HumanAgent:
        """The agent that asks the person in that seat."""
        return HumanAgent(seat, self.terminal, self._pages(seat), self._unasked(seat))

    async def play(self, playing: Coroutine[Any, Any, None]) -> None:
        """Let the game continue, and meanwhile take keys and what a person says without a turn. Raises PlayerLeft."""
        with nullcontext() if self.keys is None else self.keys.heard(self.pace.pressed):
            self._tell_keys()
            if self.aside is None or not at_terminal():
                await playing
                return
            tasks = (asyncio.create_task(self._listen(self.aside)), asyncio.create_task(playing))
            try:
                done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    task.result()
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    def go_on(self, before: Sequence[Recorded | Entry]) -> None:
        """Count what was played before as shown, and print its last few lines on one person's screen."""
        for seat, screen in self.screens.items():
            for item in before:
                if _sees(item, seat):
                    self._told[seat] += 1
                    screen.skip(item)
        self._notice(before)
        if len(self.screens) == 1 and not self.quiet:
            (chair,) = self.screens
            self._draw(self.table.view(chair), chair, told=LAST_TOLD)

    async def observe(self, fresh: Sequence[Recorded | Entry]) -> None:
        """Show what has happened, at a pace that can be followed."""
        if self.quiet:
            return
        self.pace.turn_page()
        for item in fresh:
            shown = [self._show(item, seat) for seat in self.screens if _sees(item, seat)]
            if any(shown):
                await self.pace.rest(self._pause(item))
        self._notice(fresh)
        if self._out == "yes" and pause_after(0):
            self._out = "told"
            self.hint("(You are out of the game. Press any key to speed up, Enter to skip to the end.)")

    def hint(self, text: str) -> None:
        """Print a dim remark that is not part of the game."""
        if not self.quiet:
            wrapped = textwrap.wrap(text, max(20, self.console.width - 1))
            self.console.print(Text("\n".join(wrapped), "dim"))

    def _pages(self, seat: str) -> Pages:
        return self.aside.pages(self._look) if self.aside is not None and self.aside.seat == seat else NO_PAGES

    def _unasked(self, seat: str) -> Unasked | None:
        aside = self.aside
        if aside is None or aside.seat != seat:
            return None

        async def take(text: str) -> Sequence[str] | None:
            page = aside.shows(self._look, text)
            if page is not None:
                return page
            order = aside.order(self._look, text)
            return None if order is None else await self._say(seat, order)

        return Unasked(partial(aside.words, self._look), aside.help, take)

    async def _say(self, seat: str, text: str) -> Sequence[str]:
        """Send what somebody says unasked; the lines to show where it did not get through."""
        wrong = await self.table.say(seat, text)
        return () if wrong is None else (wrong,)

    async def _listen(self, aside: Aside) -> None:
        """Take in what the person types while none of their turns is open. Ends with PlayerLeft."""
        pages = aside.pages(self._look)
        ask = [f"You can type {', '.join((*aside.commands, *pages))}. Type :help for more."]
        told: Sequence[str] = ()
        unasked = self._unasked(aside.seat)
        assert unasked is not None
        while True:
            await asyncio.sleep(LISTEN_AFTER)
            if self._asked(aside.seat):
                continue
            hint = aside.awaiting(self._look) or ask
            words = (*aside.commands, *pages, *unasked.words())
            fresh = [line for line in hint if line not in told]
            reading = asyncio.create_task(
                overhear(aside.seat, self.terminal, self.table.view(aside.seat), "\n".join(fresh), words)
            )
            told = hint
            try:
                while not reading.done() and not self._asked(aside.seat):
                    await asyncio.wait({reading}, timeout=LOOK)
            finally:
                reading.cancel()
                await asyncio.gather(reading, return_exceptions=True)
            if reading.cancelled():
                continue
            text = reading.result().strip()
            if not text:
                self.pace.pressed(JUMP)
            elif text.lower() in pages:
                show_page(self.terminal, pages[text.lower()]())
            elif text.lower() in (":help", ":?"):
                show_page(self.terminal, help_lines(unasked))
            elif (lines := await unasked.take(text)) is not None:
                show_page(self.terminal, lines)
            else:
                show_page(self.terminal, await self._say(aside.seat, text))

    def _asked(self, seat: str) -> bool:
        view = self.table.view(seat)
        return view.state.over or view.state.hold is not None or bool(view.turns)

    def _tell_keys(self) -> None:
        """Say which keys hurry what is told."""
        if self.keys is not None and pause_after(0):
            where = "to your next turn" if self.humans else "to the end"
            self.hint(f"(Press any key to speed up, Enter to skip {where}, Ctrl-C to leave.)")

    def _notice(self, items: Sequence[Recorded | Entry]) -> None:
        """Take note if the person here goes out of the game: then nothing is left to wait for."""
        for item in items:
            if self._own is None or not _sees(item, self.seat):
                continue
            _, marks = self._own.mark(item.event)
            if self._out == "no" and any(isinstance(mark, Out) and mark.seat == self.seat for mark in marks):
                self._out = "yes"

    def _show(self, item: Recorded | Entry, seat: str | None) -> bool:
        self._told[seat] += 1
        if self._told[seat] <= self._drawn[seat]:
            return False
        screen = self.screens[seat]
        if seat is None:
            screen.show(item)
            return True
        if self.terminal.print(seat, partial(screen.show, item)):
            return True
        screen.skip(item)
        return False

    def _pause(self, item: Recorded | Entry) -> float:
        told = self.table.ruleset.tell(item.event, Chair(self.seat))
        return pause_after(len(told.text) + len(told.said or "")) if told else 0.0

    def _redraw(self, view: View[Any], count: int | None) -> None:
        """Show the last entries of a seat's newest view: on its own page, or when it asks for them."""
        self._draw(self.table.view(view.seat), view.seat, count)

    def _draw(self, view: View[Any], chair: str | None, count: int | None = None, *, told: int | None = None) -> None:
        self.screens[chair] = draw_view(self.console, view, count, told=told)
        self._drawn[chair] = view.seq


def _sees(item: Recorded | Entry, seat: str | None) -> bool:
    if isinstance(item, Entry):
        return True
    return item.audience.seats is None if seat is None else item.audience.includes(seat)
