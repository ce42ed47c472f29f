"""A worker: it shares the games of one log with any number of others, on this machine and elsewhere.

A game needs a worker if an open turn has an agent that a worker can call and no live worker's lease, or if a time limit
or a wake-up is due. The worker that answers a turn leases the turns that follow. So a game stays with a worker that is
quick, and moves to another when it is not.

In a server a worker hears of every game that grows there, and looks at the log only for what others do.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from typing import Protocol

from sottovoce.agents.agent import Agent, KeepingAgent
from sottovoce.agents.house import HouseAgent
from sottovoce.agents.kinds import agent_for, is_named, kind_of
from sottovoce.agents.programs.settings import CommandNotAllowed, check_allowed
from sottovoce.domain.errors import SottovoceError
from sottovoce.eventlog.errors import DamagedLog, LogError, UnknownName, WriteRefused
from sottovoce.server.alarms import Alarms
from sottovoce.server.games import Games
from sottovoce.server.live import LiveGame
from sottovoce.server.runner import Runner
from sottovoce.server.work_queue import Followed, Snapshot, WorkQueue

AT_ONCE = 64
"""Games under way at once in one worker."""

STEP = 4
"""Games taken at one look, so that workers that start together share what there is."""

POLL = 0.05
"""Seconds between looks at whether anything was appended."""

SLOW_POLL = 1.0
"""Seconds between looks at everything, since neither a death nor a lapsed lease nor a wake-up is an append."""

SHARE = 50
"""A look at everything may take one part in so many of a worker's time: with many games, looks are rarer."""

SELDOM = 10.0
"""Seconds between looks at most."""

PAUSE = 60.0
"""Seconds for which a game that this worker cannot play is left alone."""

Report = Callable[[str], None]


def called_here(spec: str) -> Agent | None:
    """The agent of that name if any worker can call it, else None.

    Raises as `agent_for` does, and CommandNotAllowed for a program that nobody has named here.
    """
    if kind_of(spec).elsewhere:
        return None
    check_allowed([spec], named=is_named)
    return agent_for(spec, HouseAgent)


class Lender(Protocol):
    """Whose games a worker plays where they are not its own: a hall's."""

    def known(self, game: str) -> LiveGame | None:
        """The game, if it is in memory."""

    def lent(self, game: str) -> AbstractAsyncContextManager[LiveGame]:
        """The game, for as long as it is played. Raises as `load` does."""


class Worker:
    """Plays what needs playing until it is told to stop. `report` gets a line for what an operator should know.

    `agent` gives the agent of a name, or None if it is not called here. With a `lender` the games are lent, and
    `touch` says that one has grown.
    """

    def __init__(
        self,
        games: Games,
        report: Report,
        at_once: int = AT_ONCE,
        *,
        agent: Callable[[str], Agent | None] = called_here,
        lender: Lender | None = None,
    ) -> None:
        self.games = games
        self._report = report
        self._at_once = at_once
        self._agent = agent
        self._lender = lender
        self._playing: dict[str, asyncio.Task[None]] = {}
        self._work_queue = WorkQueue(games, self._seats_here)
        self._pauses: dict[str, float] = {}
        self._told: dict[str, str] = {}
        self._agents: dict[str, Agent | None] = {}
        self._poked = asyncio.Event()
        self._alarms = Alarms(games.clock, self._start)
        self._runs = self._full = False
        self.played = 0

    async def run(self, stop: asyncio.Event) -> None:
        """Work until `stop` is set; then calls under way are ended and their leases handed back.

        A log that cannot be used is told once and tried again, for as long as that takes.
        """
        stopping = asyncio.create_task(stop.wait())
        stopping.add_done_callback(lambda _: self._poked.set())
        self._runs = True
        beating = self.games.heartbeat.beating() if self._lender is not None else nullcontext()
        try:
            async with beating:
                await self._work(stop)
        finally:
            self._runs = False
            stopping.cancel()
            self._alarms.stop()
            for task in self._playing.values():
                task.cancel()
            await asyncio.gather(*self._playing.values(), return_exceptions=True)
            for agent in self._agents.values():
                if isinstance(agent, KeepingAgent):
                    await agent.release()

    async def _work(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            began = again = time.monotonic()
            version: int | None = None
            needed: list[str] = []
            try:
                version, needed = await self._looked()
            except LogError as error:
                self._tell("", str(error))
            else:
                self._reached()
                again += min(SHARE * (time.monotonic() - began), SELDOM)
            while True:
                taken = needed[: max(0, min(STEP, self._at_once - len(self._playing)))]
                needed = needed[len(taken) :]
                for game in taken:
                    self._start(game)
                await self._rest(stop, version, POLL if taken and needed else SLOW_POLL)
                if stop.is_set() or time.monotonic() >= again:
                    break

    def touch(self, live: LiveGame, *, anew: bool = False) -> None:
        """Play a game that was appended to here, if a worker has anything to do in it.

        `anew` forgets what was wrong with it before.
        """
        if anew:
            self._pauses.pop(live.id, None)
        if live.id not in self._playing and self._has_work(live):
            if len(self._playing) < self._at_once:
                self._start(live.id)
            else:
                self._full = True

    def poke(self) -> None:
        """Look soon at what others appended."""
        self._poked.set()

    @property
    def followed(self) -> Followed | None:
        """Up to which event this worker has looked, and when."""
        return self._work_queue.followed

    @property
    def under_way(self) -> int:
        """How many games are being played."""
        return len(self._playing)

    def seats(self, live: LiveGame) -> set[str]:
        """The seats of a game whose agents are called here; none of a game that is left alone."""
        if self._is_paused(live.id):
            return set()
        try:
            return {seat for seat, agent in self._filled(live.state.agents).items() if agent is not None}
        except SottovoceError:
            return set()

    def ready_for(self, live: LiveGame) -> set[str]:
        """The seats of a game whose turns, if any are opened now, would be answered at once."""
        is_full = len(self._playing) >= self._at_once and live.id not in self._playing
        return self.seats(live) if self._runs and not is_full else set()

    def _is_paused(self, game: str) -> bool:
        return self._pauses.get(game, 0.0) > time.monotonic()

    def _start(self, game: str) -> None:
        if self._runs and game not in self._playing and not self._is_paused(game):
            self._playing[game] = asyncio.create_task(self._play(game))

    def _has_work(self, live: LiveGame) -> bool:
        """Whether anything in a game is a worker's to do, or will be at some time."""
        state = live.state
        if state.over or state.hold is not None:
            return bool(live.leased)
        if live.ruleset.wakes_at(state) is not None or any(turn.seconds is not None for turn in state.turns.values()):
            return True
        seats = self.seats(live)
        return any(turn.seat in seats for turn in state.turns.values())

    async def _rest(self, stop: asyncio.Event, version: int | None, seconds: float) -> None:
        """Until something was appended or it is time to look again anyway; never less than a moment."""
        if self._lender is not None:
            await asyncio.sleep(POLL)
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds - POLL):
                    await self._poked.wait()
            self._poked.clear()
            return
        until = asyncio.get_running_loop().time() + seconds
        while not stop.is_set() and asyncio.get_running_loop().time() < until:
            await asyncio.sleep(POLL)
            if version is not None and self.games.log.version() != version:
                return

    async def _looked(self) -> tuple[int, list[str]]:
        """What `_look` finds, in a thread: it waits for what others are appending at this moment."""
        if self._lender is None and self.games.log.blocking:
            return await asyncio.to_thread(self._look)
        return await self.games.call(self._look)

    def _look(self) -> tuple[int, list[str]]:
        """The log's version, and the games that need a worker now."""
        version = self.games.log.version()
        needed = dict.fromkeys(self._work_queue.look())
        return version, [game for game in needed if game not in self._playing and not self._is_paused(game)]

    def _seats_here(self, game: str) -> set[str] | None:
        live = None if self._lender is None else self._lender.known(game)
        return None if live is None else self.seats(live)

    async def _play(self, game: str) -> None:
        """Play a game as far as this worker can, and remember how it was left."""
        try:
            lent = self._loaded(game) if self._lender is None else self._lender.lent(game)
            async with lent as live:
                left = await self._played(live)
            self._alarms.set(game, left.wakes_at)
            self._work_queue.leave(game, left, over=live.state.over)
            self._told.pop(game, None)
            self._pauses.pop(game, None)
        except (DamagedLog, UnknownName, WriteRefused) as error:
            self._leave_alone(game, str(error))
        except LogError as error:
            self._pauses[game] = time.monotonic() + SLOW_POLL
            self._tell("", str(error))
        except SottovoceError as error:
            self._leave_alone(game, str(error))
        except Exception as error:
            self._leave_alone(game, f"{type(error).__name__}: {error}")
        finally:
            self._playing.pop(game, None)
            if self._full:
                self._full = False
                self._poked.set()

    @asynccontextmanager
    async def _loaded(self, game: str) -> AsyncIterator[LiveGame]:
        yield await self.games.call(self.games.load, game)

    async def _played(self, live: LiveGame) -> Snapshot:
        """Play until there is nothing to do for this worker."""
        wakes_at = None
        was_open = not live.state.over
        while not live.state.over:
            fill = None if self._lender is None else self._filled
            runner = Runner(
                *(self.games, live, self._filled(live.state.agents)),
                share=True,
                fill=fill,
                tell=lambda line: self._report(f"game {live.id}: {line}"),
            )
            await runner.run()
            if runner.spent is not None:
                self._report(
                    f"game {live.id} is on hold: {runner.spent} To raise it: sottovoce resume {live.id} --help"
                )
            # Nothing is awaited from here until the game is left, so that no append of others is passed over.
            wakes_at = runner.wakes_at
            if live.state.hold is not None or live.length == runner.length:
                break
        self.played += was_open and live.state.over
        return Snapshot.of(live, self.seats(live), self.games.by_the_clock(live, wakes_at))

    def _leave_alone(self, game: str, why: str) -> None:
        self._pauses[game] = time.monotonic() + PAUSE
        self._tell(game, f"this worker skips game {game}: {why}")

    def _tell(self, about: str, line: str) -> None:
        """Report a line about a game, or about the log; the same one once."""
        if self._told.get(about) != line:
            self._told[about] = line
            self._report(line)

    def _reached(self) -> None:
        if self._told.pop("", None) is not None:
            self._report("the database can be used again")

    def _filled(self, agents: Mapping[str, str]) -> dict[str, Agent | None]:
        """The agents that a worker can call; one for all seats of the same name, so that limits are shared."""
        for spec in set(agents.values()):
            if spec not in self._agents:
                self._agents[spec] = self._called(spec)
        return {seat: self._agents[spec] for seat, spec in agents.items()}

    def _called(self, spec: str) -> Agent | None:
        """The agent that a log names; none for a program that nobody has allowed here, which is told."""
        try:
            return self._agent(spec)
        except CommandNotAllowed as error:
            self._tell(spec, str(error))
            return None
