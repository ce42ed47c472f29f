"""A transcript before it has a format, and how a ruleset has it laid out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sottovoce.domain.piece import Grid, Heading, Piece
from sottovoce.domain.visible import visible

SILENCE = "Nothing was heard."
"""What stands in a chapter of which nothing is told."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How one ruleset's games are laid out.

    `prologue` heads what comes before the first chapter. `offices` are the seats named by what they do: they get an
    article. `cast(state)` is the table of who took part, a seat in the first cell of each row, as far as the state
    knows.
    """

    prologue: str = "The game"
    offices: frozenset[str] = field(default_factory=frozenset)
    cast: Callable[[Any], Grid] = lambda state: Grid(("Seat",), tuple((seat,) for seat in state.seats))


@dataclass(frozen=True, slots=True)
class Item:
    """One event told. `seen_by` is None for what everyone saw, and for what is not the reader's to know."""

    number: int
    piece: Piece
    seen_by: tuple[str, ...] | None = None

    @property
    def aside(self) -> bool:
        """Whether it is set apart: hidden from some, or had in confidence."""
        return self.seen_by is not None or self.piece.private is not None


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter or section."""

    heading: Heading
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A whole transcript. `facts` are short remarks on the game."""

    title: str
    whose: str
    facts: tuple[str, ...]
    cast: Grid
    chapters: tuple[Chapter, ...]
    full: bool


def confidence(item: Item, full: bool) -> str:
    """How an aside is marked: for an auditor with who saw it."""
    if not full:
        return "in confidence"
    if not item.seen_by:
        return "seen by nobody"
    return f"seen by {listed(item.seen_by)}"


def listed(names: Sequence[str]) -> str:
    """`a, b and c`."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def paragraphs(words: str) -> list[list[str]]:
    """Somebody's words as paragraphs of lines, harmless: every kind of line end counts."""
    found: list[list[str]] = [[]]
    for line in visible(words).split("\n"):
        if line.strip():
            found[-1].append(line.strip())
        elif found[-1]:
            found.append([])
    return [lines for lines in found if lines]
