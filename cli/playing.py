"""Playing one game at this terminal: what `play` and `resume` share."""

from __future__ import annotations

import asyncio
import os
import secrets
import sys
from collections.abc import Sequence
from typing import Any

import click
from rich.console import Console

from agents.agent import Agent
from agents.filling import agent_for
from agents.human import HumanAgent, PlayerLeft, Terminal
from cli.closing import close, left_open
from cli.place import Place
from cli.screen import Screen
from domain.events import Recorded
from eventlog.log import Receipt
from projections.view import View
from server.games import Games
from server.live import LiveGame
from server.runner import Runner


def pause_after(characters: int) -> float:
    """Seconds to rest after an event of that many characters, so that a game can be read as it happens (ADR 0006)."""
    if not sys.stdout.isatty():
        return 0.0
    try:
        scale = float(os.environ.get("SOTTOVOCE_PACE", "1"))
    except ValueError:
        scale = 1.0
    return max(0.0, min(0.25 + characters * 0.012, 3.0) * scale)


class Sitting:
    """One game at one terminal: what is shown of it, and to whom.

    With one person here the screen is that seat's alone. With several, or none, it shows what everyone sees, and each
    person's own matters on their own page.
    """

    def __init__(self, place: Place, games: Games, live: LiveGame, *, quiet: bool) -> None:
        self.place = place
        self.games = games
        self.live = live
        self.quiet = quiet
        self.console = Console(highlight=False)
        self.humans = [seat for seat, agent in live.state.agents.items() if agent == "human"]
        self.seat = self.humans[0] if len(self.humans) == 1 else None
        self.screen = Screen(self.console, live.ruleset, self.seat)
        self.terminal = Terminal(redraw=self._redraw)
        self._seq = 0

    def agents(self) -> dict[str, Agent | None]:
        """The agent of every seat."""

        def human(seat: str) -> Agent:
            return HumanAgent(seat, self.terminal)

        return {seat: agent_for(spec, lambda seat=seat: human(seat)) for seat, spec in self.live.state.agents.items()}  # type: ignore[misc]

    async def play(self) -> None:
        """Play the game to its end, a hold, or until somebody leaves."""
        outside = [seat for seat, agent in self.live.state.agents.items() if agent == "outside"]
        if outside and not self.quiet:
            listen = self.place.command("inbox", self.live.id, "--as", outside[0])
            click.echo(f"Seats filled from outside: {', '.join(outside)}. In another terminal: {listen}", err=True)
        follow = bool(outside or self.humans)
        await Runner(self.games, self.live, self.agents(), observe=self._observe, follow=follow).run()

    def skip_past(self) -> None:
        """Take what was played before as shown."""
        for item in self.live.recorded:
            if item.audience.seats is None or (self.seat and item.audience.includes(self.seat)):
                self.screen.skip(item)

    async def _observe(self, live: LiveGame, fresh: Sequence[Recorded]) -> None:
        if self.seat is not None:
            await self._record(self.seat)
        if self.quiet:
            return
        for item in fresh:
            if item.audience.seats is None or (self.seat and item.audience.includes(self.seat)):
                self.screen.show(item)
                told = live.ruleset.tell(item.event, self.seat)
                pause = pause_after(len(told.lead) + len(told.words or "")) if told else 0
                if pause:
                    await asyncio.sleep(pause)

    async def _record(self, seat: str) -> None:
        """A receipt for what this person's screen is about to show."""
        seq = self.live.projection(seat).seq
        if seq > self._seq:
            call = secrets.token_hex(6)
            data = {"call": call, "turn": None, "from": self._seq + 1, "to": seq, "by": "screen", "agent": "human"}
            self._seq = seq
            await self.games.record(self.live, [Receipt("core.handed-over.v1", self.games.clock(), seat, data)])

    def _redraw(self, view: View[Any], count: int | None) -> None:
        """Show the last entries of a seat's view: on its own page, or when it asks for them."""
        screen = Screen(self.console, self.live.ruleset, view.seat)
        first = 0 if count is None else max(0, view.seq - count)
        for entry in view.entries:
            (screen.show if entry.seq > first else screen.skip)(entry)


def play_through(
    place: Place, games: Games, live: LiveGame, *, quiet: bool, as_json: bool, resumed: bool = False
) -> int:
    """Play a game at this terminal and close it; the exit code."""
    sitting = Sitting(place, games, live, quiet=quiet or as_json)
    if resumed:
        sitting.skip_past()
    try:
        asyncio.run(sitting.play())
    except PlayerLeft as left:
        left_open(place, live)
        return 130 if left.interrupted else 0
    except (KeyboardInterrupt, asyncio.CancelledError):
        left_open(place, live)
        return 130
    return close(place, live, as_json=as_json, seat=sitting.seat)
