"""A game as pieces, for a seat, the public or an auditor. Every interface renders these.

In JSON a step is an entry of the view with its `piece`, or null if it is not shown, and its `marks`. Pages and programs
can rely on the keys of both (`docs/cli.md`): keys can be added, none will be removed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from pydantic import with_config
from typing_extensions import TypedDict

from sottovoce.domain.audience import Audience
from sottovoce.domain.events import Event, Recorded
from sottovoce.domain.piece import CLOSED, Chair, Piece, PieceJson
from sottovoce.domain.ruleset import Ruleset
from sottovoce.projections.extras import EXTRAS
from sottovoce.projections.marks import Mark, Marker, MarkJson, to_json
from sottovoce.projections.perspective import Perspective, lines
from sottovoce.projections.view import Entry, Told


@dataclass(frozen=True, slots=True)
class Step:
    """One event in pieces. `piece` is None if it is not shown. The rest is as in a `Line`."""

    number: int
    at: datetime
    event: Event
    piece: Piece | None
    audience: Audience | None = None


@with_config(CLOSED)
class Shown(TypedDict):
    """An event as it is shown: its piece, or null, and what it changes in the viewer's picture of the game."""

    piece: PieceJson | None
    marks: list[MarkJson]


@with_config(CLOSED)
class EntryJson(Told):
    """An event in a view.

    `at` is cut to the minute; `piece` is the event as shown, or null; `marks` are what it changes in the viewer's
    picture of the game.
    """

    piece: PieceJson | None
    marks: list[MarkJson]


class Teller:
    """Turns the events of one viewer into pieces, in order, and keeps the state folded from them.

    `title` is the game's title, as far as it is known by then.
    """

    def __init__(self, ruleset: Ruleset[Any], seat: str | None = None, *, auditor: bool = False) -> None:
        self.ruleset = ruleset
        self.seat = seat
        self.auditor = auditor
        self.state: Any = ruleset.initial
        self.title = f"A game of {ruleset.name.capitalize()}"

    def tell(self, event: Event) -> Piece | None:
        """Return the event as a piece. Later pieces can build on it."""
        piece = self.ruleset.tell(event, Chair(self.seat, self.auditor, self.state))
        self.state = self.ruleset.evolve(self.state, event)
        if piece is not None and piece.chapter is not None and piece.chapter.level == 1:
            self.title = piece.chapter.text
        return piece

    def mark(self, event: Event, audience: Audience | None = None) -> tuple[Piece | None, list[Mark]]:
        """Return the event as a piece, and its marks. Only an auditor passes the audience.

        Marks build on each other, so mark all earlier events first.
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

    def to_json(self, entry: Entry) -> EntryJson:
        """An entry of the viewer's record as JSON, with its piece and its marks."""
        return {**entry.to_json(), **self.shown(entry.event)}

    def shown(self, event: Event, audience: Audience | None = None) -> Shown:
        """The piece and the marks of an entry as JSON."""
        piece, marks = self.mark(event, audience)
        return {"piece": None if piece is None else piece.to_json(), "marks": to_json(marks)}


def steps(
    ruleset: Ruleset[Any],
    recorded: Sequence[Recorded],
    perspective: Perspective,
    first: int = 1,
    last: int | None = None,
) -> Iterator[Step]:
    """Return the steps numbered `first` to `last`, inclusive: seqs, or positions for an auditor."""
    teller = Teller(ruleset, perspective.seat, auditor=perspective.full)
    for line in lines(ruleset, recorded, perspective)[0][:last]:
        piece = teller.tell(line.event)
        if line.number >= first:
            yield Step(line.number, line.at, line.event, piece, line.audience)
