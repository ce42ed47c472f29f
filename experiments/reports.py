"""The report of an experiment: what the design was, who won, how sure that is, and how seats behaved.

It holds no dates and no ids, so that the same games give the same bytes. `sections.py` puts it into words.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sottovoce.eventlog import EventLog
from sottovoce.experiments import counting
from sottovoce.experiments.batches import Kept
from sottovoce.experiments.contests import RankDeficient, check_rank, model_of
from sottovoce.experiments.counting import Account, AgentWon, Difference, Measured, Won
from sottovoce.experiments.designs import Experiment, Planned
from sottovoce.experiments.file import digest
from sottovoce.experiments.outcomes import LEAKS, GameRecord, records
from sottovoce.experiments.running import Progress, progress
from sottovoce.experiments.statistics import Estimate
from sottovoce.projections.measures import Measure

LEAKS_MEASURE = Measure(
    LEAKS,
    "Hidden matters that the seat told others who did not have them, per game: what `audit leaks` notes as "
    "disclosed by a player.",
    "the facts of all events, and everything said",
    "mean",
)


@dataclass(frozen=True, slots=True)
class Report:
    """What an experiment came to. `sizes` are the numbers of games that its file asked for, one after the other."""

    experiment: Experiment
    progress: Progress
    wins: Sequence[Won]
    by_side: Sequence[AgentWon]
    by_role: Sequence[AgentWon]
    differences: Sequence[Difference]
    strengths: dict[str, Any] | None
    without_strengths: str
    measures: Sequence[Measured]
    listed: Sequence[Measure]
    accounts: Sequence[Account]
    sizes: tuple[int, ...] = ()

    @property
    def title(self) -> str:
        return self.experiment.file.name

    def to_json(self) -> dict[str, Any]:
        """Return the numbers as one object."""
        file = self.experiment.file
        return {
            "experiment": file.name,
            "plan": None if self.experiment.plain else file.plan,
            "digest": None if self.experiment.plain else digest(file.plan),
            "games": {
                "planned": self.progress.planned,
                "counted": self.progress.over,
                "void": self.progress.void,
                "held": self.progress.held,
                "open": self.progress.open,
                "with_fallbacks": self.progress.stood_in,
                "stopped": self.progress.stopped,
                "asked_for": list(self.sizes),
            },
            "wins": [{"arrangement": one.arrangement, "side": one.side, **_numbers(one.estimate)} for one in self.wins],
            "by_side": [_of_agent(one) for one in self.by_side],
            "by_role": [_of_agent(one) for one in self.by_role],
            "differences": [
                {
                    "one": one.one,
                    "other": one.other,
                    "where": one.where,
                    **_numbers(one.estimate),
                    "p": one.p,
                    "method": one.method,
                }
                for one in self.differences
            ],
            "strengths": self.strengths,
            "without_strengths": self.without_strengths or None,
            "measures": [
                {"measure": one.measure, "agent": one.agent, "where": one.where, **_numbers(one.estimate)}
                for one in self.measures
            ],
            "definitions": [
                {"measure": one.name, "means": one.means, "source": one.source, "kind": one.kind} for one in self.listed
            ],
            "agents": [{**one._asdict(), "reasons": dict(one.reasons)} for one in self.accounts],
        }


def _numbers(estimate: Estimate) -> dict[str, Any]:
    value, low, high, cases, clusters = estimate
    return {"value": value, "low": low, "high": high, "cases": cases, "deals": clusters}


def _of_agent(one: AgentWon) -> dict[str, Any]:
    return {"agent": one.agent, "where": one.where, "seats": one.seats, "alone": one.alone, **_numbers(one.estimate)}


def summary(kept: Kept, done: Progress) -> Report:
    """Return the report without what takes reading every game again: the design, the games and the wins."""
    return of_records(kept.experiment, done, (), {}, kept.sizes)


def report(log: EventLog, kept: Kept) -> Report:
    """Return the report of the games that are there, up to where the experiment stops."""
    experiment = kept.experiment
    done = progress(log, experiment, kept.games)
    found = list(records(log, experiment, done.seen))
    return of_records(experiment, done, found, {planned.number: planned for planned, _ in done.seen}, kept.sizes)


def of_records(
    experiment: Experiment,
    done: Progress,
    found: Sequence[GameRecord],
    planned: dict[int, Planned],
    sizes: tuple[int, ...] = (),
) -> Report:
    """Return the report of these records."""
    over = counting.finished(found)
    known = experiment.measures
    listed = [*(known.listed if known is not None else ()), LEAKS_MEASURE]
    strengths, why = _strengths(experiment, planned, over)
    return Report(
        experiment=experiment,
        progress=done,
        wins=counting.wins(experiment, done),
        by_side=counting.agents_won(experiment, over, "side") if known is not None else [],
        by_role=counting.agents_won(experiment, over, "role"),
        differences=[] if experiment.plain else counting.differences(experiment, over),
        strengths=strengths,
        without_strengths=why,
        measures=counting.measured(experiment, over, {one.name: one.kind for one in listed}),
        listed=listed,
        accounts=counting.accounts(experiment, found),
        sizes=sizes,
    )


def _strengths(
    experiment: Experiment, planned: dict[int, Planned], over: Sequence[GameRecord]
) -> tuple[dict[str, Any] | None, str]:
    model = model_of(experiment)
    if model is None:
        return None, "Not fitted: the design compares no agents on two sides."
    try:
        check_rank(model, planned.values())
    except RankDeficient as error:
        return None, f"Not fitted. {error}"
    fitted = counting.strengths(model, planned, over)
    if fitted is None:
        return None, f"Not fitted: fewer than {counting.FEWEST} games were won by one of the two sides."
    found, contests = fitted
    rows = [
        {"name": name, "value": one.value, "low": one.low, "high": one.high, "error": one.error}
        for name, one in zip(model.names, found.coefficients, strict=True)
    ]
    return {"sides": list(model.sides), "reference": model.reference, "games": contests, "rows": rows}, ""


def as_json(found: Report) -> str:
    """Return the numbers of a report as JSON, ending with a line end."""
    return json.dumps(found.to_json(), indent=1, ensure_ascii=False) + "\n"
