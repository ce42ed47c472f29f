"""A game told piece by piece, as a seat, the public or an auditor has it: what every surface renders.

As JSON a step is an entry of the view with its `piece`, null for what needs no telling. Pages and programs can rely on
the keys of a piece (`docs/cli.md`): new ones may come, none goes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from domain.audience import Audience
from domain.events import Event, Recorded
from domain.piece import Chair, Piece
from domain.ruleset import Ruleset
from projections.perspective import Perspective, lines
from projections.view import Entry


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

    def to_json(self, entry: Entry) -> dict[str, Any]:
        """An entry of the chair's view as JSON, with the piece that it is told as."""
        piece = self.tell(entry.event)
        return {**entry.to_json(), "piece": piece and piece.to_json()}


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
