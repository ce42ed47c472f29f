"""Play the games of a run or an experiment: checked before the first, with progress, until they end or somebody
interrupts them.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Iterable, Sequence

import click

from sottovoce.agents.kinds import check_agent, kind_of
from sottovoce.cli.agent_check import try_agents, unboxed
from sottovoce.cli.numbers import WholeNumber
from sottovoce.cli.output import say
from sottovoce.cli.place import Place
from sottovoce.cli.progress import Steps
from sottovoce.domain.commands import Open
from sottovoce.domain.game import decide
from sottovoce.domain.rulesets import RULESETS
from sottovoce.experiments.batches import Kept
from sottovoce.experiments.running import Play, Progress, Take
from sottovoce.experiments.running import run as run_games
from sottovoce.projections.tally import Tally
from sottovoce.server.games import Games, now
from sottovoce.server.plan import Plan
from sottovoce.server.pool import leave_to_workers, play_in_processes, play_many
from sottovoce.server.runner import OnFailure

jobs_option = click.option(
    "--jobs",
    metavar="J",
    type=WholeNumber(0, 64),
    default=1,
    show_default=True,
    help="Number of processes; 0 leaves the games to workers.",
)
quiet_option = click.option("--quiet", is_flag=True, help="Don't show progress.")


def check_plans(plans: Sequence[Plan], on_failure: str, jobs: int) -> None:
    """Raise what would stop every game: agents that can't play, or wrong options."""
    if jobs == 0 and on_failure == "fallback":
        raise click.UsageError(
            "workers can't play fallback moves for an unreachable agent. Choose hold or void for that case"
        )
    for agent in agents_of(plans):
        check_agent(agent, plans[0].ruleset)
        if kind_of(agent).elsewhere:
            raise click.UsageError(f"many games need agents that answer by themselves. Use {agent} with `play`")
    for plan in plans:
        ruleset = RULESETS[plan.ruleset]
        decide(ruleset, ruleset.initial, Open(now(), plan.seats, plan.agents, plan.seed, plan.options, plan.files))


def reach_agents(plans: Sequence[Plan], jobs: int, quiet: bool) -> None:
    """Try the agents of the plans once, and say which run without a sandbox, if they are to play here."""
    agents = agents_of(plans)
    for line in () if quiet else unboxed(agents):
        say(line, err=True)
    if jobs:
        try_agents(agents, quiet=quiet)


def agents_of(plans: Iterable[Plan]) -> list[str]:
    """Every agent of the plans, by its name in the log."""
    return sorted({agent for plan in plans for agent in plan.agents.values()})


def play_kept(
    place: Place,
    games: Games,
    kept: Kept,
    jobs: int,
    quiet: bool,
    again: str,
    take: Take = lambda tally: None,
) -> Progress:
    """Play what is left of the games, and return how far they are then. `again` is the command that continues them;
    `take` gets what each game came to, also those that were finished before.

    Leaves with exit code 130 if somebody interrupts it.
    """
    watch = _Watch(len(kept.games), games)
    try:
        with Steps(len(kept.games), quiet, told=watch.told) as report:

            def taken(tally: Tally) -> None:
                take(tally)
                watch.take(tally)
                report(watch.done)

            play = _player(place, games, kept.experiment.file.on_failure, jobs, quiet, watch)
            return run_games(games.log, kept.experiment, kept.games, play, taken)
    except (KeyboardInterrupt, asyncio.CancelledError):
        say(f"sottovoce: interrupted after {watch.done} of {watch.total} games; to continue: {again}", err=True)
        sys.exit(130)


def _player(place: Place, games: Games, on_failure: OnFailure, jobs: int, quiet: bool, watch: _Watch) -> Play:
    """Plays plans in this process, in several, or leaves them to workers."""

    def play(plans: Sequence[Plan], ended: Callable[[Tally], None]) -> None:
        watch.start()
        if jobs > 1:
            play_in_processes(place.url, plans, min(jobs, len(plans)), ended, on_failure)
            return
        if jobs == 0 and not quiet:
            told = f"{len(plans)} game{'s' if len(plans) > 1 else ''} left to workers. To start a worker:  "
            say(told + place.command("worker"), err=True)
        work = leave_to_workers if jobs == 0 else play_many
        asyncio.run(work(games, plans, ended, on_failure))

    return play


class _Watch:
    """How many games are done, what they used and how long the rest will take, for the line of progress."""

    def __init__(self, total: int, games: Games) -> None:
        self.total, self.done, self._games = total, 0, games
        self._cost: float | None = 0.0
        self._tokens: int | None = 0
        self._started: float | None = None
        self._before = 0

    def start(self) -> None:
        """Games are played from now on; what was done before took no time."""
        if self._started is None:
            self._started, self._before = time.monotonic(), self.done

    def take(self, tally: Tally) -> None:
        """Count one game."""
        self.done += 1
        self._cost = None if self._cost is None or tally.cost is None else self._cost + tally.cost
        self._tokens = None if self._tokens is None or tally.tokens is None else self._tokens + tally.tokens

    def told(self) -> str:
        """Return what to say after the number of games."""
        parts = []
        if self._games.appended:
            parts.append(f"{self._games.appended} events")
        if self._tokens:
            parts.append(f"{self._tokens} tokens")
        if self._cost:
            parts.append(f"cost {self._cost:.4f}")
        played = self.done - self._before
        if played and self._started is not None:
            left = (time.monotonic() - self._started) / played * (self.total - self.done)
            parts.append(f"about {_duration(left)} left at most")
        return ", ".join(parts)


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
