"""A transcript before it has a format, and a ruleset's layout for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sottovoce.domain.piece import Grid, Heading, Piece
from sottovoce.domain.safe_text import visible

SILENCE = "Nothing was heard."
"""The text of an empty chapter."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The layout of one ruleset's transcripts.

    `prologue` is the heading before the first chapter. `offices` are the seats named by what they do; they get an
    article. `cast(state)` is the table of participants, as far as the state knows, with a seat in the first cell of
    each row.
    """

    prologue: str = "The game"
    offices: frozenset[str] = field(default_factory=frozenset)
    cast: Callable[[Any], Grid] = lambda state: Grid(("Seat",), tuple((seat,) for seat in state.seats))


@dataclass(frozen=True, slots=True)
class Item:
    """One event in text form. `seen_by` is None if everyone saw it, or if the reader must not know who did."""

    number: int
    piece: Piece
    seen_by: tuple[str, ...] | None = None

    @property
    def aside(self) -> bool:
        """Return whether it is set apart: hidden from some, or private."""
        return self.seen_by is not None or self.piece.private is not None


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter or section."""

    heading: Heading
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A whole transcript. `facts` are short remarks about the game."""

    title: str
    whose: str
    facts: tuple[str, ...]
    cast: Grid
    chapters: tuple[Chapter, ...]
    full: bool


def confidence(item: Item, full: bool) -> str:
    """Return the label of an aside. For an auditor it says who saw it."""
    if not full:
        return "in confidence"
    if not item.seen_by:
        return "seen by nobody"
    return f"seen by {listed(item.seen_by)}"


def listed(names: Sequence[str]) -> str:
    """Join as `a, b and c`."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def paragraphs(words: str) -> list[list[str]]:
    """Split a seat's text into harmless paragraphs of lines, at every kind of line end."""
    found: list[list[str]] = [[]]
    for line in visible(words).split("\n"):
        if line.strip():
            found[-1].append(line.strip())
        elif found[-1]:
            found.append([])
    return [lines for lines in found if lines]
