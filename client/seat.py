"""A seat at a far table: what it sees, as it comes, and what it answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from typing import Any

from sottovoce.agents.prompt import build_prompt
from sottovoce.client.api import PATIENT, Api, Opened, Verdict, connected
from sottovoce.client.link import Link, find_link
from sottovoce.client.stream import stream
from sottovoce.client.table import FarTable
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.reading import readable
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import Entry, View

LAST_WORDS = 5.0
"""Seconds that the rest of what came with the end of a game may take."""


class NoSeat(SottovoceError):
    """This is not a seat link."""

    exit_code = 2


class FarSeat:
    """One seat of a far game. `history` is what it had seen when it was taken; `news` tells what comes after that.

    `first` says that nobody had taken it before.
    """

    def __init__(self, api: Api, opened: Opened) -> None:
        if opened.kind != "seat" or opened.seat is None:
            raise NoSeat(f"This is a {opened.kind} link. Ask the keeper for a seat link.")
        self.api = api
        self.name: str = opened.seat
        self.first = opened.claimed is None
        self.table = FarTable(self.name)
        self.history: list[Entry] = []
        self._last = 0
        self._arrived: list[dict[str, Any]] = []
        self._more = asyncio.Event()
        self._reading: asyncio.Task[None] | None = None

    @property
    def game(self) -> str:
        """The game's id."""
        return self.api.game

    @property
    def state(self) -> Any:
        """What the seat knows of the game."""
        return self.table.state

    def view(self) -> View[Any]:
        """What the seat has seen, as far as `news` has told it."""
        return self.table.view()

    async def begin(self) -> None:
        """Fetch what the seat has seen so far."""
        self.history = self.table.take(await self.api.entries())
        self._last = self.table.seq

    async def news(self) -> list[Entry]:
        """What has come since it was asked for last, once there is something; nothing when the game is over.

        Raises LinkEnded where the link was ended, and Unreachable where the server stays away for too long.
        """
        while True:
            arrived, self._arrived = self._arrived, []
            if fresh := self.table.take(arrived):
                return fresh
            if self.state.over and (self._reading is None or (self._reading.done() and not self._arrived)):
                return []
            if self._reading is not None and self._reading.done() and not self._arrived:
                reading, self._reading = self._reading, None
                reading.result()
                await self.api.link()  # a stream that ends before the game does has lost its link
            if self._reading is None:
                self._reading = asyncio.create_task(self._read())
            self._more.clear()
            if not self._arrived and not self._reading.done():
                try:
                    async with asyncio.timeout(LAST_WORDS if self.state.over else None):
                        await self._more.wait()
                except TimeoutError:
                    return []

    async def turns(self) -> AsyncIterator[Turn]:
        """Each attempt at each of the seat's turns, oldest first, as it comes to be open; ends with the game."""
        asked: set[tuple[int, int]] = set()
        while not self.state.over:
            for turn in self.view().turns:
                if (turn.number, turn.attempt) not in asked:
                    asked.add((turn.number, turn.attempt))
                    yield turn
                    break
            else:
                await self.news()

    def prompt(self, turn: Turn) -> str:
        """All that a program needs to answer the turn: the rules, the view, the request."""
        return build_prompt(self.view(), turn).text

    async def reply(self, turn: int, text: str) -> Verdict:
        """Answer a turn, once however often the network fails."""
        return await self.api.reply(turn, readable(text))

    async def say(self, text: str) -> Verdict:
        """Send an unprompted message."""
        return await self.api.say(readable(text))

    async def leave(self) -> None:
        """Let no more news come. The seat stays taken by its link."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)

    async def _read(self) -> None:
        try:
            async with aclosing(stream(self.api, self._last)) as entries:
                async for entry in entries:
                    self._last = entry["seq"]
                    self._arrived.append(entry)
                    self._more.set()
        finally:
            self._more.set()


@asynccontextmanager
async def seated(
    link: Link | str | None = None,
    *,
    patience: float = PATIENT,
    heard: Callable[[bool], None] = lambda back: None,
) -> AsyncIterator[FarSeat]:
    """The seat that a link opens, taken for the length of the block and with what it has seen so far.

    `link` may be a text, or the path of a file; without one, `SOTTOVOCE_LINK` holds it. `patience` is for how many
    seconds a server that goes away later is waited for, and `heard` is told of that. Raises LinkUnusable, NoSeat,
    LinkEnded, Unreachable.
    """
    given = link if isinstance(link, Link) else find_link(link)
    async with connected(given, patience=patience, heard=heard) as api:
        seat = FarSeat(api, await api.link())
        await api.claim()
        await seat.begin()
        try:
            yield seat
        finally:
            await seat.leave()
