"""Who knows which hidden information, and since when: the *Who knows what* of the replay as a list."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import with_config
from typing_extensions import TypedDict

from sottovoce.domain.events import Recorded
from sottovoce.domain.piece import CLOSED
from sottovoce.domain.ruleset import Fact, Ruleset
from sottovoce.projections.marks import FactLearnt
from sottovoce.projections.pieces import Teller


@with_config(CLOSED)
class KnownFactJson(TypedDict):
    """One piece of hidden information; `seats` are the positions of the events from which each seat has it."""

    fact: list[str]
    says: str
    position: int
    seats: dict[str, int]


@dataclass(slots=True)
class KnownFact:
    """One piece of hidden information, in words, first told at `position`; each seat with the event it has it from."""

    fact: Fact
    says: str
    position: int
    seats: dict[str, int] = field(default_factory=dict)

    def to_json(self) -> KnownFactJson:
        return {"fact": list(self.fact), "says": self.says, "position": self.position, "seats": self.seats}


def who_knows(ruleset: Ruleset[Any], recorded: Sequence[Recorded]) -> list[KnownFact]:
    """Return every piece of hidden information in the order in which it was told, with the seats that have it.

    Claims do not count: what somebody said may be wrong.
    """
    teller = Teller(ruleset, auditor=True)
    found: dict[Fact, KnownFact] = {}
    for item in recorded:
        _, marks = teller.mark(item.event, item.audience)
        for mark in marks:
            if isinstance(mark, FactLearnt):
                known = found.setdefault(mark.fact, KnownFact(mark.fact, mark.says, item.position))
                for seat in teller.state.seats if mark.to is None else mark.to:
                    known.seats.setdefault(seat, item.position)
    return list(found.values())
