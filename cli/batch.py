"""`run --continue` and `run --summary`: batches by their names."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

import click

from sottovoce.agents.kinds import is_named
from sottovoce.agents.programs.settings import check_allowed
from sottovoce.cli.batch_run import Run, play_batch, rows
from sottovoce.cli.many_games import agents_of, check_plans, reach_agents
from sottovoce.cli.place import Place
from sottovoce.cli.results import print_result
from sottovoce.experiments.batches import DIGEST
from sottovoce.experiments.file import ExperimentUnusable
from sottovoce.projections.tally import Tally
from sottovoce.server.batches import find
from sottovoce.server.live import load
from sottovoce.server.runner import OnFailure


def continue_batch(place: Place, name: str, jobs: int, csv_file: str | None, quiet: bool, as_json: bool) -> None:
    """Play what a batch that was ended early has left, and print what all of it came to."""
    with place.games() as games:
        batch = find(games.log, name)
        if DIGEST in batch.about:
            again = place.command("experiment", "run", "FILE")
            raise ExperimentUnusable(f"{name!r} is an experiment. Continue it with its file: {again}")
        run = Run(batch.seed, len(batch.plans), jobs, csv_file, quiet, as_json, cast(OnFailure, batch.on_failure), name)
        if jobs:
            check_allowed(agents_of(batch.plans), named=is_named)
        check_plans(batch.plans[:1], run.on_failure, jobs)
        reach_agents(batch.plans[:1], jobs, quiet)
        with rows(csv_file, batch.plans[0].ruleset) as write:
            play_batch(place, games, batch, run, write)


def sum_up(place: Place, name: str, csv_file: str | None, as_json: bool) -> None:
    """Print the results of a batch so far. Its seconds are those from the first event to the last."""
    with place.log() as log:
        batch = find(log, name)
        total, moments = Tally(), []
        with rows(csv_file, batch.plans[0].ruleset) as write:
            for plan in batch.plans:
                if plan.game is None or log.head(plan.game) is None:
                    continue
                live = load(log, plan.game)
                tally = Tally.of(live.ruleset, live.recorded, log.receipts(plan.game))
                total += tally
                write(tally)
                moments += [live.recorded[0].at, live.recorded[-1].at]
    span = (max(moments) - min(moments)).total_seconds() if moments else 0.0
    print_result(batch, replace(total, seconds=round(span, 3)), as_json=as_json)


def run_by_name(
    place: Place,
    continued: str | None,
    summed: str | None,
    jobs: int,
    csv_file: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """What `run` does without a ruleset."""
    if continued is not None and summed is not None:
        raise click.UsageError("Use either --continue or --summary, not both")
    if continued is not None:
        continue_batch(place, continued, jobs, csv_file, quiet, as_json)
    elif summed is not None:
        sum_up(place, summed, csv_file, as_json)
