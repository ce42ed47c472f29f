"""Many games played and counted: what every `run` command shares."""

from __future__ import annotations

import asyncio
import csv
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Any

import click

from sottovoce.agents.kinds import check_agent, kind_of
from sottovoce.cli.agent_check import try_agents, unboxed
from sottovoce.cli.limits import limit_options
from sottovoce.cli.numbers import WholeNumber
from sottovoce.cli.output import require_writable, say
from sottovoce.cli.place import Place, json_option
from sottovoce.cli.progress import Steps
from sottovoce.cli.results import print_result
from sottovoce.cli.seeds import GUESSABLE, SEED, fresh_seed
from sottovoce.domain.commands import Open
from sottovoce.domain.draws import Seed
from sottovoce.domain.game import decide
from sottovoce.domain.rulesets import RULESETS
from sottovoce.projections.extras import EXTRAS
from sottovoce.projections.tally import Seated, Tally
from sottovoce.server.batches import Batch, keep
from sottovoce.server.games import new_game_id, now
from sottovoce.server.limits import NO_LIMITS, Limits
from sottovoce.server.plan import Plan
from sottovoce.server.pool import leave_to_workers, play_in_processes, play_many
from sottovoce.server.runner import OnFailure

LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class Run:
    """What `run` is asked for. `jobs` is how many processes play, 0 for none; `csv_file` gets a row for each player."""

    seed: Seed
    count: int
    jobs: int
    csv_file: str | None
    quiet: bool
    as_json: bool
    on_failure: OnFailure = "void"
    name: str | None = None
    limits: Limits = NO_LIMITS

    def seeds(self) -> list[Seed]:
        """Each game's own seed."""
        return [self.seed.numbered(number) for number in range(self.count)]


jobs_option = click.option(
    "--jobs",
    metavar="J",
    type=WholeNumber(0, 64),
    default=1,
    show_default=True,
    help="Number of processes; 0 leaves the games to workers.",
)
csv_option = click.option(
    "--csv", "csv_file", metavar="FILE", help="Write a CSV row for each seat of each game to FILE."
)
quiet_option = click.option("--quiet", is_flag=True, help="Don't show progress.")


def _name(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is not None and not (value.isprintable() and value == value.strip() and 1 <= len(value) <= LONGEST_NAME):
        raise click.BadParameter(f"a name is 1 to {LONGEST_NAME} printable characters.", ctx, param)
    return value


def run_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of every `run`, passed as one `run` with a seed in it."""

    @wraps(command)
    def collected(
        *args: Any,
        seed: Seed | None,
        count: int,
        jobs: int,
        csv_file: str | None,
        quiet: bool,
        as_json: bool,
        on_failure: OnFailure,
        name: str | None,
        limits: Limits,
        **others: Any,
    ) -> None:
        run = Run(seed or fresh_seed(), count, jobs, csv_file, quiet, as_json, on_failure, name, limits)
        command(*args, run=run, **others)

    options = (
        click.option(
            "--seed",
            metavar="SEED",
            type=SEED,
            help=f"Number or text for reproducible games. {GUESSABLE}",
        ),
        click.option(
            "--games", "count", metavar="N", type=WholeNumber(1, 1_000_000), required=True, help="Number of games."
        ),
        click.option("--name", metavar="NAME", callback=_name, help="Batch name.  [default: generated]"),
        jobs_option,
        click.option(
            "--on-failure",
            type=click.Choice(("void", "hold", "fallback")),
            default="void",
            show_default=True,
            help="When an agent is unreachable: void the game, put it on hold, or play a fallback move.",
        ),
        limit_options,
        csv_option,
        quiet_option,
        json_option,
    )
    for option in reversed(options):
        collected = option(collected)
    return collected


def play_plans(place: Place, plans: Sequence[Plan], run: Run) -> None:
    """Keep the games as a batch, play them, with progress on stderr, and print what they came to."""
    check(plans[0], run)
    name = run.name or f"run-{new_game_id()[:6]}"
    planned = [replace(plan, game=new_game_id(), limits=run.limits) for plan in plans]
    batch = Batch(name, run.seed, run.on_failure, planned)
    with rows(run.csv_file, plans[0].ruleset) as write:
        with place.log(create=True) as log:
            keep(log, batch)
        play_batch(place, batch, run, write)


def play_batch(place: Place, batch: Batch, run: Run, write: Callable[[Tally], None]) -> None:
    """Play what is left of the batch, and print what all of it came to."""
    if not run.quiet:
        say(f"This is batch {batch.name}.", err=True)
    tally = _play(place, batch, run, write)
    print_result(batch, tally, as_json=run.as_json)
    if tally.voided or tally.held:
        sys.exit(1)


def check(plan: Plan, run: Run) -> None:
    """What would be refused in every game is refused before the first."""
    if run.jobs == 0 and run.on_failure == "fallback":
        raise click.UsageError(
            "workers can't play fallback moves for an unreachable agent. Use --on-failure hold or void"
        )
    for agent in set(plan.agents.values()):
        check_agent(agent, plan.ruleset)
        if kind_of(agent).elsewhere:
            raise click.UsageError(f"`run` needs agents that answer by themselves. Use {agent} with `play`")
    ruleset = RULESETS[plan.ruleset]
    decide(ruleset, ruleset.initial, Open(now(), plan.seats, plan.agents, plan.seed, plan.options, plan.files))
    for line in () if run.quiet else unboxed(plan.agents.values()):
        say(line, err=True)
    try_agents(plan.agents.values(), quiet=run.quiet)


@contextmanager
def rows(file: str | None, ruleset: str) -> Iterator[Callable[[Tally], None]]:
    """Writes the seats of each game to the CSV file as they come; does nothing without one."""
    if file is None:
        yield lambda tally: None
        return
    require_writable(file)
    try:
        target = Path(file).open("w", encoding="utf-8", newline="")  # noqa: SIM115 - closed below
    except OSError as error:
        raise click.UsageError(f"cannot write {file}: {error.strerror}") from None
    with target:
        columns = EXTRAS.of(ruleset).columns
        writer = csv.writer(target)
        writer.writerow(Seated.header(columns.names if columns is not None else ()))
        yield lambda tally: writer.writerows(player.row for player in tally.players)


def _play(place: Place, batch: Batch, run: Run, write: Callable[[Tally], None]) -> Tally:
    started = time.monotonic()
    total, plans = Tally(), batch.plans

    def finished(tally: Tally) -> None:
        nonlocal total
        total += tally
        write(tally)
        report(total.games)

    with place.games() as games, Steps(len(plans), run.quiet, lambda: games.appended) as report:
        try:
            if run.jobs == 0:
                if not run.quiet:
                    told = f"{len(plans)} game{'s' if len(plans) > 1 else ''} left to workers. To start a worker:  "
                    say(told + place.command("worker"), err=True)
                asyncio.run(leave_to_workers(games, plans, finished, run.on_failure))
            elif run.jobs == 1:
                asyncio.run(play_many(games, plans, finished, run.on_failure))
            else:
                play_in_processes(place.url, plans, min(run.jobs, len(plans)), finished, run.on_failure)
        except (KeyboardInterrupt, asyncio.CancelledError):
            say(
                f"sottovoce: interrupted after {total.games} of {len(plans)} games; "
                f"to continue: {place.command('run', '--continue', batch.name)}",
                err=True,
            )
            sys.exit(130)
    return replace(total, seconds=round(time.monotonic() - started, 3))
