"""What a transcript needs of a ruleset beside the pieces that its events become."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from domain.piece import Grid


def _seats(state: Any, full: bool) -> Grid:
    if full:
        return Grid(("Seat", "Played by"), tuple((seat, state.agents.get(seat, "—")) for seat in state.seats))
    return Grid(("Seat",), tuple((seat,) for seat in state.seats))


@dataclass(frozen=True, slots=True)
class Shape:
    """How one ruleset's games are laid out.

    `cast(state, full)` is the table of who took part. `offices` are the seats named by what they do: they get an
    article. `prologue` heads what comes before the first chapter.
    """

    prologue: str = "The game"
    offices: frozenset[str] = field(default_factory=frozenset)
    cast: Callable[[Any, bool], Grid] = _seats


PLAIN = Shape()
"""For a ruleset that says nothing of it."""
