"""A worker: it shares the games of one log with any number of others, on this machine and elsewhere.

A game needs a worker when one of its open turns is leased by nobody living and its seat is filled by an agent that a
worker can call, or when a limit or a wake-up has come. Whoever answers a turn leases the turns which that opens, so a
game stays with one worker while that one is quick, and goes to another as soon as it is not.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from agents.agent import Agent
from agents.house import HouseAgent
from agents.kinds import agent_for
from domain.errors import SottovoceError
from eventlog.errors import DamagedLog, LogError, UnknownName, WriteRefused
from eventlog.log import Due
from server.games import Games
from server.liveness import surely_dead
from server.runner import Runner
from server.summaries import unfinished

AT_ONCE = 64
"""Games under way at once in one worker."""

STEP = 4
"""Games taken at one look, so that workers that start together share what there is."""

POLL = 0.05
"""Seconds between looks at whether anything was appended."""

SLOW_POLL = 1.0
"""Seconds between looks at everything, since neither a death nor a lapsed lease nor a wake-up is an append."""

PAUSE = 60.0
"""Seconds for which a game that this worker cannot play is left alone."""

ELSEWHERE = ("human", "outside", "files")
"""Agents, by the word before a colon, that answer by another way than a worker's call, or at one machine only."""

Report = Callable[[str], None]

Turn = tuple[str, int, int, int]
"""A turn as it was left: seat, number, attempt and epoch."""


@dataclass(frozen=True, slots=True)
class Left:
    """A game as this worker left it: its length, the turns that are not for it, and when the rules wake it up."""

    length: int
    turns: frozenset[Turn]
    wakes_at: datetime | None
    held: bool


class Worker:
    """Plays what needs playing until it is told to stop. `report` gets a line for what an operator should know."""

    def __init__(self, games: Games, report: Report, at_once: int = AT_ONCE) -> None:
        self.games = games
        self._report = report
        self._at_once = at_once
        self._playing: dict[str, asyncio.Task[None]] = {}
        self._left: dict[str, Left] = {}
        self._moved: dict[str, int] = {}
        self._followed: int | None = None
        self._pauses: dict[str, float] = {}
        self._told: dict[str, str] = {}
        self._agents: dict[str, Agent | None] = {}
        self.played = 0

    async def run(self, stop: asyncio.Event) -> None:
        """Work until `stop` is set; then calls under way are ended and their leases handed back.

        A log that cannot be used is told once and tried again, for as long as that takes.
        """
        try:
            while not stop.is_set():
                version, needed = None, []
                try:
                    version = self.games.log.version()
                    needed = self._needed()
                except LogError as error:
                    self._tell("", str(error))
                else:
                    self._reached()
                taken = needed[: min(STEP, self._at_once - len(self._playing))]
                for game in taken:
                    self._playing[game] = asyncio.create_task(self._play(game))
                await self._rest(stop, version, POLL if 0 < len(taken) < len(needed) else SLOW_POLL)
        finally:
            for task in self._playing.values():
                task.cancel()
            await asyncio.gather(*self._playing.values(), return_exceptions=True)

    async def _rest(self, stop: asyncio.Event, version: int | None, seconds: float) -> None:
        """Until something was appended or it is time to look again anyway; never less than a moment."""
        until = asyncio.get_running_loop().time() + seconds
        while not stop.is_set() and asyncio.get_running_loop().time() < until:
            await asyncio.sleep(POLL)
            if version is not None and self.games.log.version() != version:
                return

    def _needed(self) -> list[str]:
        """The games that need a worker now, those with the oldest open turns first."""
        at, now = self.games.clock(), time.monotonic()
        due: dict[str, list[Due]] = {}
        for item in self.games.log.due():
            due.setdefault(item.game, []).append(item)
        needed = [game for game, items in due.items() if self._calls_for_work(game, items, at)]
        needed += [game for game, left in self._left.items() if left.wakes_at is not None and left.wakes_at <= at]
        self._follow()
        surveyed = [game for game, length in self._moved.items() if self._changed(game, length, due.get(game, ()))]
        return [
            game
            for game in dict.fromkeys([*needed, *surveyed])
            if game not in self._playing and self._pauses.get(game, 0.0) <= now
        ]

    def _calls_for_work(self, game: str, items: Sequence[Due], at: datetime) -> bool:
        """Whether a limit has run out, or a turn that this worker may answer is leased by nobody living."""
        left = self._left.get(game)
        for due in items:
            known = left is not None and _turn(due) in left.turns
            if due.expires is not None and due.expires <= at and not (known and left is not None and left.held):
                return True
            if not known and _free(due, at, self.games.worker):
                return True
        return False

    def _follow(self) -> None:
        """Note which games were appended to since the last look; at the first, which are not over."""
        log = self.games.log
        if self._followed is None:
            try:
                found, self._followed = unfinished(log)
            except (DamagedLog, UnknownName):  # in one game of many: then each is looked at by itself
                self._followed = log.newest()
                found = log.games()[::-1]
            self._moved = dict.fromkeys(found, 0)
        news = log.news(self._followed)
        self._followed = news.newest
        for game, length in news.lengths.items():
            left = self._left.get(game)
            if left is None or length > left.length:
                self._moved[game] = length

    def _changed(self, game: str, length: int, items: Sequence[Due]) -> bool:
        """Whether a game without turns for workers is unknown, or another one than when it was left."""
        left = self._left.get(game)
        if left is None:
            return not items
        return length > left.length and all(_turn(due) in left.turns for due in items)

    async def _play(self, game: str) -> None:
        """Play a game as far as this worker can, and remember how it was left."""
        try:
            live = self.games.load(game)
            agents: Mapping[str, Agent | None] = {}
            wakes_at = None
            if not live.state.over:
                agents = self._filled(live.state.agents)
                runner = Runner(self.games, live, agents, share=True)
                await runner.run()
                self.played += live.state.over
                wakes_at = runner.wakes_at
            held = live.state.hold is not None
            self._left[game] = Left(
                length=live.length,
                turns=frozenset(_turn(due) for due in self.games.log.due(game) if held or agents.get(due.seat) is None),
                wakes_at=None if held or live.state.over else wakes_at,
                held=held,
            )
            self._moved.pop(game, None)
            if live.state.over:
                self._follow()
                for kept in (self._left, self._moved, self._pauses):
                    kept.pop(game, None)
            self._told.pop(game, None)
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

    def _leave_alone(self, game: str, why: str) -> None:
        self._pauses[game] = time.monotonic() + PAUSE
        self._tell(game, f"game {game} is left alone here: {why}")

    def _tell(self, about: str, line: str) -> None:
        """Report a line about a game, or about the log; the same one once."""
        if self._told.get(about) != line:
            self._told[about] = line
            self._report(line)

    def _reached(self) -> None:
        if self._told.pop("", None) is not None:
            self._report("the log can be used again")

    def _filled(self, agents: Mapping[str, str]) -> dict[str, Agent | None]:
        """The agents that a worker can call; one for all seats of the same name, so that limits are shared."""
        for spec in set(agents.values()):
            if spec not in self._agents:
                self._agents[spec] = None if spec.partition(":")[0] in ELSEWHERE else agent_for(spec, HouseAgent)
        return {seat: self._agents[spec] for seat, spec in agents.items()}


def _turn(due: Due) -> Turn:
    return due.seat, due.turn, due.attempt, due.epoch


def _free(due: Due, at: datetime, worker: str) -> bool:
    """Whether nobody living holds the turn."""
    if due.worker is None or due.worker == worker:
        return True
    return (due.leased_until is not None and due.leased_until <= at) or surely_dead(due.worker)
