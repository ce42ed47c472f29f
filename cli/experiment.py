"""`sottovoce experiment`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import click

from sottovoce.cli.columns import print_table
from sottovoce.cli.many_games import jobs_option, play_kept, quiet_option, reach_agents
from sottovoce.cli.output import Output, say
from sottovoce.cli.place import Place, json_option, print_json
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.safe_text import one_line
from sottovoce.eventlog import EventLog
from sottovoce.experiments.batches import Kept, keep_games, kept, of_run
from sottovoce.experiments.designs import Experiment
from sottovoce.experiments.file import ExperimentUnusable, is_file, read_experiment, schema
from sottovoce.experiments.running import Progress, progress

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
@jobs_option
@quiet_option
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
    from sottovoce.experiments.reports import summary

    chosen = Experiment(read_experiment(file))
    require_playable(chosen, jobs)
    reach_agents([game.plan for game in chosen.deal(0)], jobs, quiet)
    with place.games(create=True) as games:
        kept = keep_games(games.log, chosen)
        done = play_kept(place, games, kept, jobs, quiet, place.command("experiment", "run", file))
        found = report_of(games.log, kept) if as_json else summary(kept, done)
    if as_json:
        print_json(found.to_json())
    else:
        from sottovoce.experiments.sections import beginning

        for section in beginning(found):
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
    with _kept(place, file) as (log, kept):
        told = _told(kept.experiment, progress(log, kept.experiment, kept.games))
    if as_json:
        print_json(told)
        return
    for name, value in told.items():
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

    if form == "terminal" and output is not None:
        raise click.UsageError("-o needs --format markdown, html or json")
    with ExitStack() as stack:
        target = Output(output, stack) if form != "terminal" else None
        with _kept(place, file) as (log, kept):
            found = report_of(log, kept)
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
def _kept(place: Place, named: str) -> Iterator[tuple[EventLog, Kept]]:
    """The log and the games of an experiment by its file, or of a batch of `run` by its name.

    Raises ExperimentUnusable where the experiment was not run yet.
    """
    chosen = Experiment(read_experiment(named)) if is_file(named) else None
    with place.log() as log:
        found = of_run(log, named) if chosen is None else kept(log, chosen)
        if found is None:
            assert chosen is not None
            started = place.command("experiment", "run", named)
            raise ExperimentUnusable(f"Experiment {chosen.file.name!r} has no games yet. Start it with: {started}")
        yield log, found


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
