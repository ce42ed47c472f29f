"""mafia8: eight players and the narrator, all `random`, at most three speeches per player and day, no pauses.

A decision is one accepted reply, with everything a real game has: receipts, leases, hashes, audiences, and the acting
seat's view, current at each decision.
"""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Barrier
from typing import Any, NamedTuple

from sottovoce.agents.random_agent import RandomAgent
from sottovoce.domain.commands import Command
from sottovoce.domain.draws import Seed
from sottovoce.domain.events import Recorded, ReplyAccepted
from sottovoce.domain.game import decided
from sottovoce.domain.rulesets import RULESETS
from sottovoce.eventlog import open_log
from sottovoce.server.collector import calm_collector
from sottovoce.server.decision_batch import DecisionBatch
from sottovoce.server.games import Games
from sottovoce.server.live import LiveGame
from sottovoce.server.runner import Runner

SEATS = ("Ada", "Bram", "Cleo", "Dirk", "Edda", "Finn", "Greta", "Hugo", "narrator")
RULES: dict[str, Any] = {"role_counts": {"Mafia": 2, "Doctor": 1, "Detective": 1, "Villager": 4}}
SEED = 2026
MANY = 64
PATIENCE = 60.0
"""Seconds within which parallel processes must have started."""


class Cost(NamedTuple):
    """Microseconds of wall clock and of this process's processor time."""

    wall: float
    cpu: float

    def best(self, other: Cost) -> Cost:
        """Take the minimum of each, because other load on the machine can only add to it."""
        return Cost(min(self.wall, other.wall), min(self.cpu, other.cpu))


NEVER = Cost(float("inf"), float("inf"))


class Stopwatch:
    """Measures both clocks from its creation."""

    def __init__(self) -> None:
        gc.collect()
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def over(self, count: int) -> Cost:
        """Return the cost per item so far, for this many items."""
        wall, cpu = time.perf_counter() - self._wall, time.process_time() - self._cpu
        return Cost(wall / count * 1e6, cpu / count * 1e6)


class Listening(Games):
    """Games that record the commands they get."""

    def __init__(self, log: Any) -> None:
        super().__init__(log)
        self.commands: list[Command] = []

    async def submit(self, live: LiveGame, command: Command, **more: Any) -> Any:
        self.commands.append(command)
        return await super().submit(live, command, **more)

    def foresee(self, stretch: DecisionBatch, command: Command, **more: Any) -> None:
        self.commands.append(command)
        super().foresee(stretch, command, **more)


async def play(
    games: Games,
    total: int,
    first: int = 0,
    at_once: int = MANY,
    seats: Sequence[str] = SEATS,
    rules: Mapping[str, Any] = RULES,
    watched: bool = False,
) -> tuple[int, int]:
    """Play `total` games, `at_once` at a time, and return decisions and events. Watched games have no stretches."""
    filler = RandomAgent()
    numbers = iter(range(first, first + total))
    played = [0, 0]

    async def one_after_another() -> None:
        for number in numbers:
            seed = Seed.of(SEED).numbered(number)
            live = await games.open("mafia", seats, dict.fromkeys(seats, "random"), seed, rules)
            await Runner(games, live, dict.fromkeys(seats, filler), observe=_look if watched else None).run()
            played[0] += sum(type(item.event) is ReplyAccepted for item in live.recorded)
            played[1] += live.length

    await asyncio.gather(*(one_after_another() for _ in range(min(at_once, total))))
    return played[0], played[1]


async def _look(live: LiveGame, fresh: Sequence[Recorded]) -> None:
    """Watch a game."""


class Played(NamedTuple):
    """The best cost of a decision, and the totals played."""

    cost: Cost
    decisions: int
    events: int

    @property
    def events_a_second(self) -> float:
        return 1e6 / self.cost.wall * self.events / self.decisions


@contextmanager
def opened(url: str) -> Iterator[Games]:
    """Yield the games of a log, and close the log at the end."""
    log = open_log(url)
    games = Games(log)
    try:
        yield games
    finally:
        games.close()
        log.close()


def timed_play(url: str, total: int, at_once: int, rounds: int, watched: bool = False) -> Played:
    """Play this many games in each round."""
    cost, decisions, events = NEVER, 0, 0
    with opened(url) as games:
        for number in range(rounds):
            watch = Stopwatch()
            decided_now, appended = asyncio.run(play(games, total, number * total, at_once, watched=watched))
            cost = cost.best(watch.over(decided_now))
            decisions += decided_now
            events += appended
    return Played(cost, decisions, events)


def rules_alone(rounds: int) -> Cost:
    """Decide and fold the same commands once more: no log, views, agents or clock."""
    ruleset, cost = RULESETS["mafia"], NEVER
    for number in range(rounds):
        games = Listening(open_log("memory:"))
        decisions, _ = asyncio.run(play(games, 1, number))
        games.close()
        watch = Stopwatch()
        state = ruleset.initial
        for command in games.commands:
            _, state = decided(ruleset, state, command)
        cost = cost.best(watch.over(decisions))
        assert state.over, "the commands no longer play the game"
    return cost


def beside_each_other(url: str, processes: int, total: int, rounds: int, watched: bool = False) -> float:
    """Return wall-clock microseconds per decision for `processes` on one log, each with `total` games per round.

    Watched games have no stretches.
    """
    open_log(url).close()
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(processes + 1)
    pipes, workers = [], []
    for number in range(processes):
        receiver, sender = context.Pipe(duplex=False)
        given = (url, total, number * total * rounds, rounds, watched, barrier, sender)
        workers.append(context.Process(target=_share, args=given, daemon=True))
        workers[-1].start()
        pipes.append(receiver)
    best = float("inf")
    for _ in range(rounds):
        barrier.wait(PATIENCE)
        started = time.perf_counter()
        decisions = sum(pipe.recv() for pipe in pipes)
        best = min(best, (time.perf_counter() - started) / decisions * 1e6)
    for worker in workers:
        worker.join()
    return best


def _share(url: str, total: int, first: int, rounds: int, watched: bool, barrier: Barrier, sender: Connection) -> None:
    """Run one process: in each round, wait for all, play, and send the number of decisions."""
    calm_collector()
    with opened(url) as games:
        for number in range(rounds):
            barrier.wait(PATIENCE)
            sender.send(asyncio.run(play(games, total, first + number * total, watched=watched))[0])
