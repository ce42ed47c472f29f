"""`sottovoce experiment`."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import click

from sottovoce.cli.columns import print_table
from sottovoce.cli.numbers import WholeNumber
from sottovoce.cli.output import Output, say
from sottovoce.cli.place import Place, json_option, print_json
from sottovoce.cli.progress import Steps
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.safe_text import one_line
from sottovoce.eventlog import EventLog
from sottovoce.experiments.designs import Experiment
from sottovoce.experiments.file import ExperimentUnusable, read_experiment, schema
from sottovoce.experiments.running import Game, Progress, keep_games, kept, progress
from sottovoce.experiments.running import run as run_games
from sottovoce.projections.tally import Tally
from sottovoce.server.plan import Plan

file_argument = click.argument("file", metavar="FILE")


@click.group()
def experiment() -> None:
    """Compare agents by a plan in one file, and report the results.

    \b
    Example:  sottovoce experiment run examples/experiments/league.yaml
    """


@experiment.command()
@click.option("--offline", is_flag=True, help="Don't try the agents.")
@file_argument
@json_option
@click.pass_obj
def check(place: Place, file: str, offline: bool, as_json: bool) -> None:
    """Check a file: its design, its agents with one turn each, and how many games it needs.

    \b
    Example:  sottovoce experiment check examples/experiments/league.yaml
    """
    from sottovoce.cli.experiment_check import checked, print_checked

    found = checked(Experiment(read_experiment(file)), offline=offline)
    if as_json:
        print_json(found)
    else:
        print_checked(found)
    failed = [one["agent"] for one in found["agents"] if one["ok"] is False]
    if failed:
        raise SottovoceError(f"No answer from: {', '.join(failed)}. Fix this or choose other agents.")


@experiment.command("run")
@click.option(
    "--jobs",
    metavar="J",
    type=WholeNumber(0, 64),
    default=1,
    show_default=True,
    help="Number of processes; 0 leaves the games to workers.",
)
@click.option("--quiet", is_flag=True, help="Don't show progress.")
@file_argument
@json_option
@click.pass_obj
def run_(place: Place, file: str, jobs: int, quiet: bool, as_json: bool) -> None:
    """Play an experiment, or what is left of it, and summarize the results.

    To continue after an interruption, run the same command again. No game is lost or played twice.

    \b
    Example:  sottovoce experiment run league.yaml --jobs 2
    """
    from sottovoce.cli.experiment_check import require_playable
    from sottovoce.experiments.reports import report as report_of

    chosen = Experiment(read_experiment(file))
    require_playable(chosen, jobs, quiet)
    with place.log(create=True) as log:
        games = keep_games(log, chosen)
        before = progress(log, chosen, games)
        try:
            with _steps(chosen, before, quiet) as told:
                done = run_games(log, chosen, games, _player(place, chosen, jobs, told), lambda now: None)
        except (KeyboardInterrupt, asyncio.CancelledError):
            say(f"sottovoce: interrupted; to continue: {place.command('experiment', 'run', file)}", err=True)
            sys.exit(130)
        found = report_of(log, chosen, games)
    if as_json:
        print_json(found.to_json())
    else:
        from sottovoce.experiments.sections import sections

        for section in sections(found)[:2]:
            _print_section(section)
        say(f"The whole report:  {place.command('experiment', 'report', file)}")
    if done.void or done.held or done.open:
        sys.exit(1)


@experiment.command()
@file_argument
@json_option
@click.pass_obj
def status(place: Place, file: str, as_json: bool) -> None:
    """Show how far an experiment is: games, cost, and whether a limit is reached.

    \b
    Example:  sottovoce experiment status league.yaml
    """
    chosen = Experiment(read_experiment(file))
    with _games(place, chosen, file) as (log, games):
        done = progress(log, chosen, games)
    if as_json:
        print_json(_told(chosen, done))
        return
    for name, value in _told(chosen, done).items():
        say(f"{name:<12} {'–' if value is None else value}")


@experiment.command()
@click.option(
    "--format",
    "form",
    type=click.Choice(("terminal", "markdown", "html", "json")),
    default="terminal",
    show_default=True,
    help="How to write the report.",
)
@click.option("-o", "--output", metavar="FILE", help="Write to FILE instead of standard output.")
@file_argument
@click.pass_obj
def report(place: Place, file: str, form: str, output: str | None) -> None:
    """Report an experiment: who won, how certain that is, how seats behaved, and what agents used.

    \b
    Example:  sottovoce experiment report league.yaml --format html -o league.html
    """
    from sottovoce.experiments.documents import markdown, page
    from sottovoce.experiments.reports import as_json
    from sottovoce.experiments.reports import report as report_of
    from sottovoce.experiments.sections import sections

    chosen = Experiment(read_experiment(file))
    if form == "terminal" and output is not None:
        raise click.UsageError("-o needs --format markdown, html or json")
    with ExitStack() as stack:
        target = Output(output, stack) if form != "terminal" else None
        with _games(place, chosen, file) as (log, games):
            found = report_of(log, chosen, games)
        if target is not None:
            write = {"markdown": markdown, "html": page, "json": as_json}[form]
            target.write([write(found)])
            return
    for section in sections(found):
        _print_section(section)


@experiment.command("schema")
def schema_() -> None:
    """Print the JSON schema of the file, for editors.

    \b
    Example:  sottovoce experiment schema
    """
    import json

    say(json.dumps(schema(), indent=1))


@contextmanager
def _games(place: Place, chosen: Experiment, file: str) -> Iterator[tuple[EventLog, list[Game]]]:
    """The log and the experiment's games; ExperimentUnusable where it was not run yet."""
    with place.log() as log:
        games = kept(log, chosen)
        if games is None:
            started = place.command("experiment", "run", file)
            raise ExperimentUnusable(f"Experiment {chosen.file.name!r} has no games yet. Start it with: {started}")
        yield log, games


def _print_section(section: Any) -> None:
    say(section.title.upper())
    for line in section.lines:
        say(one_line(line))
    if section.rows:
        print_table(section.header, section.rows)
    say()


def _told(chosen: Experiment, done: Progress) -> dict[str, Any]:
    return {
        "experiment": chosen.file.name,
        "planned": done.planned,
        "over": done.over,
        "void": done.void,
        "held": done.held,
        "open": done.open,
        "tokens": done.tokens,
        "cost": done.cost,
        "stopped": done.stopped,
    }


class _Watch:
    """What is left and what it will take, for the line of progress."""

    def __init__(self, before: Progress) -> None:
        self.started = time.monotonic()
        self.before = before.over + before.void
        self.done, self.total = self.before, before.planned
        self.cost, self.tokens = before.cost, before.tokens

    def take(self, tally: Tally) -> None:
        self.done += 1
        self.cost = None if self.cost is None or tally.cost is None else self.cost + tally.cost
        self.tokens = None if self.tokens is None or tally.tokens is None else self.tokens + tally.tokens

    def told(self) -> str:
        parts = []
        if self.cost:
            parts.append(f"cost {self.cost:.4f}")
        if self.tokens:
            parts.append(f"{self.tokens} tokens")
        played = self.done - self.before
        if played:
            left = (time.monotonic() - self.started) / played * (self.total - self.done)
            parts.append(f"about {_duration(left)} left at most")
        return ", ".join(parts)


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


@contextmanager
def _steps(chosen: Experiment, before: Progress, quiet: bool) -> Iterator[Callable[[Tally], None]]:
    watch = _Watch(before)
    with Steps(before.planned, quiet, told=watch.told) as report:
        report(watch.done)

        def take(tally: Tally) -> None:
            watch.take(tally)
            report(watch.done)

        yield take


def _player(
    place: Place, chosen: Experiment, jobs: int, told: Callable[[Tally], None]
) -> Callable[[Sequence[Plan]], None]:
    """Plays plans in this process, in several, or leaves them to workers."""
    from sottovoce.server.pool import leave_to_workers, play_in_processes, play_many

    on_failure = chosen.file.on_failure

    def play(plans: Sequence[Plan]) -> None:
        if jobs > 1:
            play_in_processes(place.url, plans, min(jobs, len(plans)), told, on_failure)
            return
        with place.games() as games:
            work = leave_to_workers if jobs == 0 else play_many
            asyncio.run(work(games, plans, told, on_failure))

    return play
