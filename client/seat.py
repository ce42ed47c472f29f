"""A seat in a game on a server: what it sees, as it arrives, and its answers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from typing import Any

from sottovoce.agents.agent import Considered
from sottovoce.agents.prompt import build_prompt
from sottovoce.client.api import PATIENT, Api, Opened, Verdict, connected
from sottovoce.client.game import RemoteGame
from sottovoce.client.link import Link, find_link
from sottovoce.client.stream import stream
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.reading import readable
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import Entry, View

LAST_WORDS = 5.0
"""Seconds to wait for the last entries when a game ends."""


class NoSeat(SottovoceError):
    """This is not a seat link."""

    exit_code = 2


class RemoteSeat:
    """One seat of a remote game. `history` is what it had seen when you joined; `news` returns what comes after that.

    `first` says that no one had joined with this link before.
    """

    def __init__(self, api: Api, opened: Opened) -> None:
        if opened.kind != "seat" or opened.seat is None:
            raise NoSeat(f"This is a {opened.kind} link. Ask the keeper for a seat link.")
        self.api = api
        self.name: str = opened.seat
        self.first = opened.claimed is None
        self.table = RemoteGame(self.name)
        self.history: list[Entry] = []
        self._last = 0
        self._arrived: list[dict[str, Any]] = []
        self._more = asyncio.Event()
        self._reading: asyncio.Task[None] | None = None

    @property
    def game(self) -> str:
        """Return the game's ID."""
        return self.api.game

    @property
    def state(self) -> Any:
        """Return what the seat knows about the game."""
        return self.table.state

    def view(self) -> View[Any]:
        """Return what the seat has seen, up to the last `news`."""
        return self.table.view()

    async def begin(self) -> None:
        """Fetch what the seat has seen so far."""
        self.history = self.table.take(await self.api.entries())
        self._last = self.table.seq

    async def news(self) -> list[Entry]:
        """Wait for new entries since the last call and return them; return none when the game is over.

        Raises LinkEnded if the link was revoked, Unreachable if the server stays away for too long.
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
        """Yield each attempt at each of the seat's turns, oldest first, when it opens. Ends with the game."""
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
        """Return everything a program needs to answer the turn: the rules, the view, the request."""
        return build_prompt(self.view(), turn).text

    async def reply(self, turn: int, text: str) -> Verdict:
        """Answer a turn, exactly once even if the network fails."""
        said = readable(text)
        return await self.api.reply(
            turn, Considered(said, text.mind, text.notes) if isinstance(text, Considered) else said
        )

    async def say(self, text: str) -> Verdict:
        """Send an unprompted message."""
        return await self.api.say(readable(text))

    async def leave(self) -> None:
        """Stop receiving entries. The link keeps the seat."""
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
) -> AsyncIterator[RemoteSeat]:
    """Join the seat of a link for the length of the block, with what it has seen so far.

    `link` can be a text or the path of a file; the default is `SOTTOVOCE_LINK`. `patience` is how many seconds to wait
    for a server that goes away later; `heard` is told about that. Raises LinkUnusable, NoSeat, LinkEnded, Unreachable.
    """
    given = link if isinstance(link, Link) else find_link(link)
    async with connected(given, patience=patience, heard=heard) as api:
        seat = RemoteSeat(api, await api.link())
        await api.claim()
        await seat.begin()
        try:
            yield seat
        finally:
            await seat.leave()
