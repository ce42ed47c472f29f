"""A game told piece by piece, as a seat, the public or an auditor has it: what every surface renders.

As JSON a step is an entry of the view with its `piece`, null for what needs no telling, and its `marks`. Pages and
programs can rely on the keys of both (`docs/cli.md`): new ones may come, none goes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from sottovoce.domain.audience import Audience
from sottovoce.domain.events import Event, Recorded
from sottovoce.domain.piece import Chair, Piece
from sottovoce.domain.ruleset import Ruleset
from sottovoce.projections.extras import EXTRAS
from sottovoce.projections.marks import Mark, Marker, to_json
from sottovoce.projections.perspective import Perspective, lines
from sottovoce.projections.view import Entry


@dataclass(frozen=True, slots=True)
class Step:
    """One event told. `piece` is None where there is nothing to tell; all else is as in a `Line`."""

    number: int
    at: datetime
    event: Event
    piece: Piece | None
    audience: Audience | None = None


class Teller:
    """Tells one chair the events that it sees, in order, and keeps what the chair has folded from them.

    `title` is what the game is called, as far as that has been told.
    """

    def __init__(self, ruleset: Ruleset[Any], seat: str | None = None, *, auditor: bool = False) -> None:
        self.ruleset = ruleset
        self.seat = seat
        self.auditor = auditor
        self.state: Any = ruleset.initial
        self.title = f"A game of {ruleset.name.capitalize()}"

    def tell(self, event: Event) -> Piece | None:
        """The event as a piece; what is told later may build on it."""
        piece = self.ruleset.tell(event, Chair(self.seat, self.auditor, self.state))
        self.state = self.ruleset.evolve(self.state, event)
        if piece is not None and piece.chapter is not None and piece.chapter.level == 1:
            self.title = piece.chapter.text
        return piece

    def mark(self, event: Event, audience: Audience | None = None) -> tuple[Piece | None, list[Mark]]:
        """The event as a piece, and its marks; only an auditor gives the audience.

        Marks build on each other: whoever wants them of one event takes them of all events before it.
        """
        before = self.state
        piece = self.tell(event)
        return piece, self._marker.mark(event, piece, before, self.state, audience)

    @cached_property
    def _marker(self) -> Marker:
        extras = EXTRAS.of(self.ruleset.name)
        awaited = extras.standing.awaited if extras.standing else None
        return extras.marks(
            self.ruleset, self.seat, auditor=self.auditor, awaited=awaited, offices=extras.shape.offices
        )

    def to_json(self, entry: Entry) -> dict[str, Any]:
        """An entry of the chair's view as JSON, with the piece that it is told as, and its marks."""
        return {**entry.to_json(), **self.told(entry.event)}

    def told(self, event: Event, audience: Audience | None = None) -> dict[str, Any]:
        """What stands beside an entry as JSON: its piece and its marks."""
        piece, marks = self.mark(event, audience)
        return {"piece": piece and piece.to_json(), "marks": to_json(marks)}


def steps(
    ruleset: Ruleset[Any],
    recorded: Sequence[Recorded],
    perspective: Perspective,
    first: int = 1,
    last: int | None = None,
) -> Iterator[Step]:
    """The steps numbered `first` to `last`, both included: seqs, for an auditor positions."""
    teller = Teller(ruleset, perspective.seat, auditor=perspective.full)
    for line in lines(ruleset, recorded, perspective)[0][:last]:
        piece = teller.tell(line.event)
        if line.number >= first:
            yield Step(line.number, line.at, line.event, piece, line.audience)
