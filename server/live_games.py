"""The hall: the games that one process serves, each once in memory, shared by all who sit at it and by who plays it.

An append in this process wakes everybody at the table at once. What other processes append is noticed within moments
and read in a thread, as everything is that waits for the log: nothing here blocks the loop. A game at whose table
nobody sits or plays leaves memory.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import ParamSpec, TypeVar

from sottovoce.agents.agent import Agent
from sottovoce.agents.house import HouseAgent
from sottovoce.agents.random_agent import RandomAgent
from sottovoce.domain.commands import Command, Fill
from sottovoce.domain.events import Recorded
from sottovoce.eventlog.errors import LogError
from sottovoce.server.follower import Follower
from sottovoce.server.game_feed import GameFeed
from sottovoce.server.games import Ending, Games
from sottovoce.server.links import Links
from sottovoce.server.live import LiveGame
from sottovoce.server.pulse import Pulse
from sottovoce.server.revocations import Revocations
from sottovoce.server.work_queue import Followed
from sottovoce.server.worker import Worker

__all__ = ["GameFeed", "LiveGames", "offline"]

READERS = 4
"""Threads that read the log."""

AT_ONCE = 1024
"""Games in which agents are being called at once."""

IDLE = 30.0
"""Seconds for which a game stays in memory after the last one has left its table."""

KEPT = 256
"""Tables that are kept at most although nobody is there."""

TIDY = 1.0
"""Seconds between looks for tables that may go."""

AGAIN = 0.5
"""Seconds until a game is read again that could not be."""

FAREWELL = 5.0
"""Seconds for which a look at the log, such as one that does not answer, is waited for when the hall closes."""

_log = logging.getLogger("sottovoce")

P = ParamSpec("P")
T = TypeVar("T")


def offline(spec: str) -> Agent | None:
    """The agents that are played for nothing and need nothing: `house` and `random`."""
    match spec:
        case "house":
            return HouseAgent()
        case "random":
            return RandomAgent()
    return None


class LiveGames:
    """The games of one log for the clients of this process.

    With `plays` it calls the agents that `allowed` gives for a name, and keeps time limits and wake-ups. Any number of
    servers and workers share the games. `report` gets a line for what an operator should know. The server sets
    `closing` when it stops: `run` ends when all pending appends are done.
    """

    def __init__(
        self,
        games: Games,
        links: Links,
        *,
        plays: bool = True,
        allowed: Callable[[str], Agent | None] = offline,
        report: Callable[[str], None] = _log.warning,
    ) -> None:
        games.keep_aside(READERS)
        self.games = games
        self.links = links
        self.closing = asyncio.Event()
        self.report = report
        self.farewells: list[Callable[[], Awaitable[None]]] = []
        """What is to be done before the hall closes, while the log can still be written."""
        self._tables: dict[str, GameFeed] = {}
        self._loading: dict[str, asyncio.Task[None]] = {}
        self._awaited = Counter[str]()
        self._grown: dict[str, int] = {}
        self._following = False
        self._submitting: set[asyncio.Task[list[Recorded]]] = set()
        self._worker = Worker(games, report, AT_ONCE, agent=allowed, lender=self) if plays else None
        self._revocations = Revocations()
        self._follower: Follower | None = None
        self.pulse = Pulse(games, lambda: self.followed, lambda: self.plays)

    async def run(self) -> None:
        """Follow the log, play, and let idle games go, until `closing` is set.

        Then appends under way are let through, calls under way ended and leases handed back.
        """
        self._follower = follower = Follower(
            self.games.log, self.links.ended_since, self._begin, self._take_news, self.report
        )
        follower.start()
        working = None if self._worker is None else asyncio.create_task(self._worker.run(self.closing))
        try:
            while not self.closing.is_set() and (working is None or not working.done()):
                with suppress(TimeoutError):
                    async with asyncio.timeout(TIDY):
                        await self.closing.wait()
                self._tidy()
        finally:
            self.closing.set()
            leaving = asyncio.create_task(self._leave(working, follower))
            cut = False
            while not leaving.done():
                try:
                    await asyncio.shield(leaving)
                except asyncio.CancelledError:
                    cut = True  # whoever is in a hurry ends the loop: leases are handed back first, if there is time
            leaving.result()
            if cut:
                raise asyncio.CancelledError

    async def _leave(self, working: asyncio.Task[None] | None, follower: Follower) -> None:
        """Wake who waits, let appends through, end the calls and hand their leases back."""
        for table in self._tables.values():
            table.close()
        if self._submitting:
            await asyncio.wait(self._submitting)
        if working is not None and (await asyncio.wait([working], timeout=FAREWELL))[1]:
            working.cancel()
            await asyncio.wait([working], timeout=FAREWELL)
        for farewell in self.farewells:
            await farewell()
        await self.games.settle()
        await follower.stop(FAREWELL)
        if working is not None and working.done() and not working.cancelled():
            working.result()

    @asynccontextmanager
    async def using(self, game: str) -> AsyncIterator[GameFeed]:
        """The table of a game, kept in memory meanwhile. Raises UnknownGame, or DamagedLog."""
        table = await self._table(game)
        table.sitters += 1
        try:
            yield table
        finally:
            table.sitters -= 1
            table.left_at = time.monotonic()

    def host(self, live: LiveGame) -> GameFeed:
        """The table of a game that was just opened, forked or stored in this process: it need not be read again, unless
        a player of this hall's has come to it first."""
        table = self._tables.setdefault(live.id, GameFeed(live, self.closing, self.games.think))
        self._visit(table)
        return table

    async def submit(
        self,
        table: GameFeed,
        command: Command,
        *,
        append: str | None = None,
        unless: Callable[[], list[Recorded]] | None = None,
        ended: Ending | None = None,
    ) -> list[Recorded]:
        """Decide a command and append what it becomes, as `Games.submit` does.

        Turns that it opens for agents of this hall are called at once. A caller that is cut off meanwhile does not cut
        off the append.
        """
        task = asyncio.create_task(self._submit(table, command, append, unless, ended))
        self._submitting.add(task)
        task.add_done_callback(self._submitted)
        return await asyncio.shield(task)

    async def catch_up(self, table: GameFeed) -> None:
        """Take in now what other processes have appended, which would be noticed in a moment. Raises LogError."""
        head = await self.call(self.games.log.head, table.live.id)
        if head is None or head.length > table.live.length:
            async with table.live.lock:
                await self._take_in(table)

    async def call(self, function: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """Run a blocking read of the log in the hall's threads."""
        return await self.games.call(function, *given, **named)

    async def think(self, function: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """Work out in a thread what may take long."""
        return await self.games.think(function, *given, **named)

    def ended(self, digest: bytes) -> asyncio.Event:
        """Set when the link of that digest is ended, here or elsewhere."""
        return self._revocations.of(digest)

    @property
    def plays(self) -> int:
        """In how many games something is being done here at the moment."""
        return 0 if self._worker is None else self._worker.under_way

    @property
    def followed(self) -> Followed | None:
        """Up to which event the log is followed here, and when that was last looked at; None before `run`."""
        follower = self._follower
        return None if follower is None or follower.looked is None else Followed(follower.newest, follower.looked)

    def known(self, game: str) -> LiveGame | None:
        """The game, if it is in memory."""
        table = self._tables.get(game)
        return None if table is None else table.live

    @asynccontextmanager
    async def lent(self, game: str) -> AsyncIterator[LiveGame]:
        """A game for who plays it. One at whose table nobody has sat leaves memory with its player."""
        table = await self._table(game, visited=False)
        table.users += 1
        try:
            yield table.live
        finally:
            table.users -= 1
            if table.left_at is None and self._is_idle(table):
                self._drop(table)

    async def _table(self, game: str, *, visited: bool = True) -> GameFeed:
        """The table of a game, read first if need be, by one reader for all who want it."""
        while (table := self._tables.get(game)) is None:
            loading = self._loading.get(game)
            if loading is None:
                loading = self._loading[game] = asyncio.create_task(self._load(game))
                loading.add_done_callback(_looked_at)
            self._awaited[game] += 1
            try:
                await asyncio.shield(loading)
            finally:
                self._awaited[game] -= 1
                if not self._awaited[game]:
                    del self._awaited[game]
        if visited:
            self._visit(table)
        return table

    def _visit(self, table: GameFeed) -> None:
        """From now on a game stays in memory for a while, with its player or without."""
        if table.left_at is None:
            table.left_at = time.monotonic()
            if self._worker is not None:
                self._worker.touch(table.live)

    async def _load(self, game: str) -> None:
        self._grown[game], followed = 0, self._following
        try:
            live = await self.call(self.games.load, game)
            table = self._tables.setdefault(game, GameFeed(live, self.closing, self.games.think))
            table.doubtful |= not followed
            self._follow(table, self._grown[game])
        finally:
            del self._grown[game], self._loading[game]

    async def _submit(
        self,
        table: GameFeed,
        command: Command,
        append: str | None,
        unless: Callable[[], list[Recorded]] | None,
        ended: Ending | None,
    ) -> list[Recorded]:
        live, worker = table.live, None if self.closing.is_set() else self._worker
        table.users += 1
        try:
            seats = () if worker is None else worker.ready_for(live)
            events = await self.games.submit(
                live, command, preleased=seats, append=append, unless=unless, ended=ended, aside=True
            )
        finally:
            table.users -= 1
        if worker is not None and events:
            worker.touch(live, anew=isinstance(command, Fill))
        return events

    def _submitted(self, task: asyncio.Task[list[Recorded]]) -> None:
        self._submitting.discard(task)
        _looked_at(task)

    def _take_news(self, lengths: Mapping[str, int], ended: Sequence[bytes]) -> None:
        """Take in what the follower has noticed."""
        self._revocations.note(ended)
        elsewhere = False
        for game, length in lengths.items():
            if (table := self._tables.get(game)) is not None:
                self._follow(table, length)
            else:
                elsewhere = True
                if game in self._grown:
                    self._grown[game] = length
        if elsewhere and self._worker is not None:
            self._worker.poke()

    def _begin(self) -> None:
        """From now on the follower tells of everything; what came before it began may have been passed over."""
        self._following = True
        for table in self._tables.values():
            table.doubtful = True
            self._follow(table, 0)

    def _follow(self, table: GameFeed, length: int) -> None:
        """See to it that a game is known up to that length. What this process is just appending comes by itself."""
        table.behind = max(table.behind, length)
        if table.is_behind() and table.reading is None:
            table.reading = asyncio.create_task(self._read(table))

    async def _read(self, table: GameFeed) -> None:
        """Read what others appended, once an append of this process is through."""
        live, told = table.live, ""
        try:
            while table.is_behind() and not table.closed:
                fresh: list[Recorded] = []
                try:
                    async with live.lock:
                        if not table.is_behind():
                            break
                        fresh = await self._take_in(table)
                except LogError as error:
                    if str(error) != told:
                        told = str(error)
                        self.report(f"game {live.id} can't be read any further: {told}")
                if not fresh and table.is_behind():
                    await asyncio.sleep(AGAIN)
        finally:
            table.reading = None

    async def _take_in(self, table: GameFeed) -> list[Recorded]:
        """Read what is new of a game whose lock is held; the new events."""
        live = table.live
        fresh = live.take(await self.call(self.games.log.read, live.id, live.length))
        table.doubtful = False
        if fresh and self._worker is not None:
            self._worker.poke()
        return fresh

    def _tidy(self) -> None:
        """Let go the tables that nobody has needed for a while; more than so many, the longest unused first."""
        now = time.monotonic()
        idle = [(table.left_at or 0.0, table) for table in self._tables.values() if self._is_idle(table)]
        idle.sort(key=lambda one: one[0])
        for number, (left_at, table) in enumerate(idle):
            if len(idle) - number > KEPT or now - left_at > IDLE:
                self._drop(table)

    def _is_idle(self, table: GameFeed) -> bool:
        """Whether nobody needs a table, or is on the way to it."""
        live = table.live
        needed = table.sitters or table.users or table.reading is not None or live.lock.locked()
        return not needed and live.id not in self._awaited

    def _drop(self, table: GameFeed) -> None:
        del self._tables[table.live.id]
        table.close()


def _looked_at(task: asyncio.Task[T]) -> None:
    """Take a failure for known, since nobody may be left who waits for it."""
    if not task.cancelled():
        task.exception()
