"""`run`: many games under one name, played and counted. What every `run` command shares."""

from __future__ import annotations

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

from sottovoce.cli.limits import limit_options
from sottovoce.cli.many_games import check_plans, jobs_option, play_kept, quiet_option, reach_agents
from sottovoce.cli.numbers import WholeNumber
from sottovoce.cli.output import require_writable, say
from sottovoce.cli.place import Place, json_option
from sottovoce.cli.results import print_result
from sottovoce.cli.seeds import GUESSABLE, SEED, fresh_seed
from sottovoce.domain.draws import Seed
from sottovoce.experiments.batches import plain
from sottovoce.projections.extras import EXTRAS
from sottovoce.projections.tally import Seated, Tally
from sottovoce.server.batches import Batch, keep
from sottovoce.server.games import Games, new_game_id
from sottovoce.server.limits import NO_LIMITS, Limits
from sottovoce.server.plan import Plan
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


csv_option = click.option(
    "--csv", "csv_file", metavar="FILE", help="Write a CSV row for each seat of each game to FILE."
)


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
    check_plans(plans[:1], run.on_failure, run.jobs)
    reach_agents(plans[:1], run.jobs, run.quiet)
    name = run.name or f"run-{new_game_id()[:6]}"
    planned = [replace(plan, game=new_game_id(), limits=run.limits) for plan in plans]
    batch = Batch(name, run.seed, run.on_failure, planned)
    with rows(run.csv_file, plans[0].ruleset) as write, place.games(create=True) as games:
        keep(games.log, batch)
        play_batch(place, games, batch, run, write)


def play_batch(place: Place, games: Games, batch: Batch, run: Run, write: Callable[[Tally], None]) -> None:
    """Play what is left of the batch, and print what all of it came to."""
    if not run.quiet:
        say(f"This is batch {batch.name}.", err=True)
    started = time.monotonic()
    total = Tally()

    def take(tally: Tally) -> None:
        nonlocal total
        total += tally
        write(tally)

    again = place.command("run", "--continue", batch.name)
    play_kept(place, games, plain(batch), run.jobs, run.quiet, again, take)
    print_result(batch, replace(total, seconds=round(time.monotonic() - started, 3)), as_json=run.as_json)
    if total.voided or total.held:
        sys.exit(1)


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
