"""A game told event by event, as a seat, the public or an auditor has it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from domain.audience import Audience
from domain.events import Recorded
from domain.ruleset import Ruleset
from projections.perspective import Perspective, lines


@dataclass(frozen=True, slots=True)
class Step:
    """One event of a replay. `pause` is the time since the step before, in seconds; `lead` is None where there is
    nothing to tell; `audience` is known to an auditor alone."""

    number: int
    at: datetime
    pause: float
    name: str
    actor: str | None
    lead: str | None
    words: str | None
    audience: Audience | None


def steps(
    ruleset: Ruleset[Any],
    recorded: Sequence[Recorded],
    perspective: Perspective,
    first: int | None = None,
    last: int | None = None,
) -> Iterator[Step]:
    """The steps numbered `first` to `last`, both included: seqs, for an auditor positions."""
    before: datetime | None = None
    for line in lines(ruleset, recorded, perspective)[0]:
        if last is not None and line.number > last:
            return
        if first is None or line.number >= first:
            told = ruleset.tell(line.event, perspective.seat)
            yield Step(
                number=line.number,
                at=line.at,
                pause=max(0.0, (line.at - before).total_seconds()) if before is not None else 0.0,
                name=line.event.stored_name,
                actor=line.event.actor,
                lead=told.lead if told else None,
                words=told.words if told else None,
                audience=line.audience,
            )
            before = line.at
