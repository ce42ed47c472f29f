"""A worker: it shares the games of one log with any number of others, on this machine and elsewhere.

A game needs a worker when one of its open turns is leased by nobody living and its seat is filled by an agent that a
worker can call, or when a limit or a wake-up has come. Whoever answers a turn leases the turns which that opens, so a
game stays with one worker while that one is quick, and goes to another as soon as it is not.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime

from agents.agent import Agent
from agents.filling import agent_for
from agents.house import HouseAgent
from domain.errors import SottovoceError
from eventlog.errors import LogError
from eventlog.log import Due
from server.games import Games
from server.runner import Runner
from server.workers import surely_dead

AT_ONCE = 64
"""Games under way at once in one worker."""

STEP = 4
"""Games taken at one look, so that workers that start together share what there is."""

POLL = 0.05
"""Seconds between looks at whether anything was appended."""

SLOW_POLL = 1.0
"""Seconds between looks at all open turns, since neither a death nor a lapsed lease is an append."""

ELSEWHERE = ("human", "outside")
"""Agents that answer by another way than a worker's call."""

Report = Callable[[str], None]

Turn = tuple[str, int, int, int]
"""A turn as it was left: seat, number, attempt and epoch."""


class Worker:
    """Plays what needs playing until it is told to stop. `report` gets a line for what an operator should know."""

    def __init__(self, games: Games, report: Report, at_once: int = AT_ONCE) -> None:
        self.games = games
        self._report = report
        self._at_once = at_once
        self._playing: dict[str, asyncio.Task[None]] = {}
        self._left: dict[str, set[Turn]] = {}
        self._quiet: dict[str, int] = {}
        self._wakes: dict[str, datetime] = {}
        self._over: set[str] = set()
        self._agents: dict[str, Agent | None] = {}
        self.played = 0

    async def run(self, stop: asyncio.Event) -> None:
        """Work until `stop` is set; then calls under way are ended and their leases handed back."""
        try:
            while not stop.is_set():
                version = self.games.log.version()
                for game in self._needed()[: min(STEP, self._at_once - len(self._playing))]:
                    self._playing[game] = asyncio.create_task(self._play(game))
                await self._rest(stop, version)
        finally:
            for task in self._playing.values():
                task.cancel()
            await asyncio.gather(*self._playing.values(), return_exceptions=True)

    async def _rest(self, stop: asyncio.Event, version: int) -> None:
        """Until something was appended or it is time to look again anyway; never less than a moment."""
        until = asyncio.get_running_loop().time() + SLOW_POLL
        while not stop.is_set() and asyncio.get_running_loop().time() < until:
            await asyncio.sleep(POLL)
            if self.games.log.version() != version:
                return

    def _needed(self) -> list[str]:
        """The games that need a worker now, those with the oldest open turns first."""
        at = self.games.clock()
        due: dict[str, list[Due]] = {}
        for item in self.games.log.due():
            due.setdefault(item.game, []).append(item)
        needed = [game for game, items in due.items() if any(self._calls_for_work(item, at) for item in items)]
        needed += [game for game in self.games.log.games() if game not in due and self._wakes_now(game, at)]
        return [game for game in needed if game not in self._playing]

    def _calls_for_work(self, due: Due, at: datetime) -> bool:
        if due.expires is not None and due.expires <= at:
            return True
        return _free(due, at, self.games.worker) and _turn(due) not in self._left.get(due.game, ())

    def _wakes_now(self, game: str, at: datetime) -> bool:
        """Whether a game without open turns may go on: its time has come, or it has not been looked at as it is now."""
        if game in self._over:
            return False
        wakes_at = self._wakes.get(game)
        if wakes_at is not None:
            return wakes_at <= at
        head = self.games.log.head(game)
        return head is not None and self._quiet.get(game) != head.length

    async def _play(self, game: str) -> None:
        """Play a game as far as this worker can, and remember what it left to others."""
        try:
            live = self.games.load(game)
            if not live.state.over:
                runner = Runner(self.games, live, self._filled(live.state.agents), share=True)
                await runner.run()
                self._wakes.pop(game, None)
                if live.state.hold is None and (wakes_at := runner.wakes_at) is not None:
                    self._wakes[game] = wakes_at
                self.played += live.state.over
            self._left[game] = {_turn(due) for due in self.games.log.due(game)}
            self._quiet[game] = live.length
            if live.state.over:
                self._over.add(game)
                self.games.forget(live)
        except LogError as error:
            self._report(f"game {game}: {error}")
            await asyncio.sleep(SLOW_POLL)
        except SottovoceError as error:
            self._report(f"game {game} is left alone: {error}")
            self._over.add(game)
        finally:
            self._playing.pop(game, None)

    def _filled(self, agents: Mapping[str, str]) -> dict[str, Agent | None]:
        """The agents that a worker can call; one for all seats of the same name, so that limits are shared."""
        for spec in set(agents.values()):
            if spec not in self._agents:
                self._agents[spec] = None if spec in ELSEWHERE else agent_for(spec, HouseAgent)
        return {seat: self._agents[spec] for seat, spec in agents.items()}


def _turn(due: Due) -> Turn:
    return due.seat, due.turn, due.attempt, due.epoch


def _free(due: Due, at: datetime, worker: str) -> bool:
    """Whether nobody living holds the turn."""
    if due.worker is None or due.worker == worker:
        return True
    return (due.leased_until is not None and due.leased_until <= at) or surely_dead(due.worker)
