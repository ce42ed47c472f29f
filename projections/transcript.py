"""A game as a document: as a seat knew it, as the public did, or in full for an auditor.

A transcript is made only from the perspective's own entries: if you change what a seat must not see, its transcript
stays the same to the byte. The full transcript sets hidden events apart and says who saw each. It omits opened turns
and plain choices, which `replay` shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sottovoce.domain.audience import Audience
from sottovoce.domain.events import GameOpened, Recorded
from sottovoce.domain.piece import Grid, Heading, Piece
from sottovoce.domain.ruleset import Ruleset
from sottovoce.projections.document import Chapter, Document, Item
from sottovoce.projections.extras import EXTRAS
from sottovoce.projections.perspective import FULL, Line, Perspective, lines, seats_of
from sottovoce.projections.pieces import Teller
from sottovoce.projections.prose import prose

__all__ = ["Document", "document", "markdown"]


def markdown(ruleset: Ruleset[Any], recorded: Sequence[Recorded], perspective: Perspective = FULL) -> str:
    """Return the transcript as Markdown. What seats wrote is escaped: it makes no heading, link, table or HTML."""
    return prose(document(ruleset, recorded, perspective))


def document(ruleset: Ruleset[Any], recorded: Sequence[Recorded], perspective: Perspective = FULL) -> Document:
    """Return the transcript before it has a format. Raises UnknownSeat, or ValueError for a log without an opening."""
    told, state = lines(ruleset, recorded, perspective)
    if not told or not any(isinstance(line.event, GameOpened) for line in told):
        raise ValueError("a log without an opening has no transcript")
    shape = EXTRAS.of(ruleset.name).shape
    if perspective.full:
        whose = "The full record, for auditors"
    else:
        article = "the " if perspective.seat in shape.offices else ""
        whose = "What everybody saw" if perspective.seat is None else f"As {article}{perspective.seat} knew it"
    teller = Teller(ruleset, perspective.seat, auditor=perspective.full)
    book = _Book(shape.prologue, seats_of(recorded))
    for line in told:
        book.take(line, teller.tell(line.event))
    return Document(
        title=teller.title,
        whose=whose,
        facts=_facts(recorded, told, perspective, over=bool(state.over)),
        cast=_played(shape.cast(state), state) if perspective.full else shape.cast(state),
        chapters=tuple(book.chapters()),
        full=perspective.full,
    )


def _played(cast: Grid, state: Any) -> Grid:
    """Return the cast with each seat's agent, including seats without a part."""
    rows = [(*row, state.agents.get(row[0], "—")) for row in cast.rows]
    listed = {row[0] for row in cast.rows}
    for seat in state.seats:
        if seat not in listed:
            rows.append((seat, *["—"] * (len(cast.header) - 1), state.agents.get(seat, "—")))
    return Grid((*cast.header, "Played by"), tuple(rows))


def _facts(recorded: Sequence[Recorded], told: Sequence[Line], perspective: Perspective, over: bool) -> tuple[str, ...]:
    facts = [f"Started {_when(told[0].at)}"]
    if over:
        facts.append(f"ended {_when(told[-1].at)}")
    else:
        facts.append("still being played")
    if perspective.full:
        facts += [f"game {recorded[0].game}", f"{len(told)} events"]
    return tuple(facts)


def _when(at: datetime) -> str:
    moment = at.astimezone(UTC)
    return f"{moment.day} {moment:%B %Y, %H:%M} UTC"


@dataclass
class _Book:
    """Sorts pieces into chapters in order."""

    prologue: str
    seats: tuple[str, ...]
    _begun: list[tuple[Heading, list[Item]]] = field(default_factory=list)

    def take(self, line: Line, piece: Piece | None) -> None:
        if piece is None:
            return
        if piece.chapter is not None and piece.chapter.level > 1:
            self._begun.append((piece.chapter, []))
        if piece.kind != "heading" and piece.weight and (piece.kind != "reply" or piece.words):
            if not self._begun:
                self._begun.append((Heading(self.prologue), []))
            self._begun[-1][1].append(Item(line.number, piece, self._seen_by(line.audience)))

    def chapters(self) -> list[Chapter]:
        return [Chapter(heading, tuple(items)) for heading, items in self._begun]

    def _seen_by(self, audience: Audience | None) -> tuple[str, ...] | None:
        if audience is None or audience.seats is None:
            return None
        return (*(seat for seat in self.seats if seat in audience.seats), *sorted(audience.seats - set(self.seats)))
