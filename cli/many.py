"""Many games played and counted: what every `run` command shares."""

from __future__ import annotations

import asyncio
import csv
import secrets
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields, replace
from functools import wraps
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from agents.filling import check_agent
from cli.numbers import SEED, Whole
from cli.place import Place, json_option, print_json
from cli.screen import print_table
from domain.commands import Open
from domain.draws import derived_seed
from domain.ruleset import decide
from domain.rulesets import RULESETS
from projections.standing import STANDINGS
from projections.tally import Seated, Tally
from server.games import now
from server.many import Plan, leave_to_workers, play_in_processes, play_many


@dataclass(frozen=True, slots=True)
class Run:
    """What `run` is asked for. `jobs` is how many processes play, 0 for none; `csv_file` gets a row for each player."""

    seed: int
    count: int
    jobs: int
    csv_file: str | None
    quiet: bool
    as_json: bool

    def seeds(self) -> list[int]:
        """Each game's own seed."""
        return [derived_seed(self.seed, "game", number) for number in range(self.count)]


def run_options(command: Callable[..., None]) -> Callable[..., None]:
    """`--seed`, `--games`, `--jobs`, `--csv`, `--quiet` and `--json`, handed over as one `run` with a seed in it."""

    @wraps(command)
    def collected(
        *args: Any,
        seed: int | None,
        count: int,
        jobs: int,
        csv_file: str | None,
        quiet: bool,
        as_json: bool,
        **others: Any,
    ) -> None:
        seed = secrets.randbelow(2**32) if seed is None else seed
        command(*args, run=Run(seed, count, jobs, csv_file, quiet, as_json), **others)

    options = (
        click.option(
            "--seed",
            metavar="N",
            type=SEED,
            help="The seed from which each game's own is derived; a fresh one if not given.",
        ),
        click.option("--games", "count", metavar="N", type=Whole(1, 1_000_000), required=True, help="How many games."),
        click.option(
            "--jobs",
            metavar="J",
            type=Whole(0, 64),
            default=1,
            show_default=True,
            help="Processes; 0 leaves it to workers.",
        ),
        click.option("--csv", "csv_file", metavar="FILE", help="Write a row for each player of each game here."),
        click.option("--quiet", is_flag=True, help="Show no progress."),
        json_option,
    )
    for option in reversed(options):
        collected = option(collected)
    return collected


def play_plans(place: Place, plans: Sequence[Plan], run: Run) -> None:
    """Play the games, with progress on stderr, and print what they came to."""
    _check(plans[0])
    with _rows(run.csv_file) as write:
        tally = _play(place, plans, run, write)
    if run.as_json:
        print_json(tally.to_json())
    else:
        standing = STANDINGS.get(plans[0].ruleset)
        _table(tally, run.seed, standing.counted if standing else None)


def _check(plan: Plan) -> None:
    """What would be refused in every game is refused before the first."""
    for agent in set(plan.agents.values()):
        check_agent(agent)
        if agent in ("human", "outside") or agent.startswith("files:"):
            raise click.UsageError(f"run plays without people and other programs; {agent} seats are for play")
    ruleset = RULESETS[plan.ruleset]
    decide(ruleset, ruleset.initial, Open(now(), plan.seats, plan.agents, plan.seed, plan.options, plan.files))


@contextmanager
def _rows(file: str | None) -> Iterator[Callable[[Tally], None]]:
    """Writes the players of each game to the CSV file as they come; does nothing without one."""
    if file is None:
        yield lambda tally: None
        return
    try:
        target = Path(file).open("w", encoding="utf-8", newline="")  # noqa: SIM115 - closed below
    except OSError as error:
        raise click.UsageError(f"cannot write {file}: {error.strerror}") from None
    with target:
        writer = csv.DictWriter(target, [column.name for column in fields(Seated)])
        writer.writeheader()
        yield lambda tally: writer.writerows(asdict(player) for player in tally.players)


def _play(place: Place, plans: Sequence[Plan], run: Run, write: Callable[[Tally], None]) -> Tally:
    started = time.monotonic()
    total = Tally()

    def finished(tally: Tally) -> None:
        nonlocal total
        total += tally
        write(tally)
        report(total.games)

    with _progress(len(plans), run.quiet) as report, place.games(create=True) as games:
        try:
            if run.jobs == 0:
                if not run.quiet:
                    told = f"{len(plans)} game{'s' if len(plans) > 1 else ''} for workers; each is started with: "
                    click.echo(told + place.command("worker"), err=True)
                asyncio.run(leave_to_workers(games, plans, finished))
            elif run.jobs == 1:
                asyncio.run(play_many(games, plans, finished))
            else:
                play_in_processes(place.url, plans, min(run.jobs, len(plans)), finished)
        except (KeyboardInterrupt, asyncio.CancelledError):
            click.echo(
                f"sottovoce: interrupted after {total.games} of {len(plans)} games; "
                f"those left open can be resumed ({place.command('games')}).",
                err=True,
            )
            sys.exit(130)
    return replace(total, seconds=round(time.monotonic() - started, 3))


class _progress:  # noqa: N801 - reads as a function where it is used
    """Progress on stderr: a bar at a terminal, a line at every tenth elsewhere, nothing if quiet."""

    def __init__(self, total: int, quiet: bool) -> None:
        self._total, self._quiet = total, quiet
        self._bar: Progress | None = None
        self._told = 0

    def __enter__(self) -> Callable[[int], None]:
        if self._quiet:
            return lambda done: None
        console = Console(stderr=True)
        if console.is_terminal:
            columns = (TextColumn("games"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            self._bar = Progress(*columns, console=console)
            self._bar.start()
            task = self._bar.add_task("", total=self._total)
            bar = self._bar
            return lambda done: bar.update(task, completed=done)
        return self._line

    def _line(self, done: int) -> None:
        tenth = done * 10 // self._total
        if tenth > self._told:
            self._told = tenth
            click.echo(f"{done} of {self._total} games", err=True)

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()


def _table(tally: Tally, seed: int, rounds: str | None) -> None:
    console = Console(highlight=False)
    rows = [
        [share.side, str(share.wins), f"{share.share:.1%}", f"{share.low:.1%} – {share.high:.1%}"]
        for share in tally.shares
    ]
    print_table(console, ["winner", "games", "share", "95 % interval"], rows)
    click.echo()
    if len({agent for agent, _, _ in tally.agents}) > 1:
        compared = [
            [agent, share.side, str(seats), f"{share.share:.1%}", f"{share.low:.1%} – {share.high:.1%}"]
            for agent, share, seats in tally.agents
        ]
        print_table(console, ["agent", "as", "seats", "won", "95 % interval"], compared)
        click.echo()
    facts = [
        ("games", str(tally.games)),
        *([(f"{rounds} a game", _spread(tally.mean_rounds, tally.median_rounds))] if rounds else []),
        ("decisions", f"{tally.decisions} ({_spread(tally.mean_decisions, tally.median_decisions)} a game)"),
        ("events", str(tally.events)),
        ("fallbacks", str(tally.fallbacks)),
        ("refusals", str(tally.refusals)),
        ("tokens", "unknown" if tally.tokens is None else str(tally.tokens)),
        ("cost", "unknown" if tally.cost is None else f"{tally.cost:.4f}"),
        ("seconds", f"{tally.seconds:.1f}"),
        ("seed", str(seed)),
    ]
    for name, value in facts:
        click.echo(f"{name:<13}{value}")


def _spread(mean: float | None, median: float | None) -> str:
    return "–" if mean is None or median is None else f"mean {mean:.1f}, median {median:g}"
