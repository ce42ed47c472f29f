"""How each ruleset's games are told: the one explicit list, and what serves a ruleset that is not on it."""

from __future__ import annotations

from typing import Any

from domain.catalogue import Catalogue
from domain.events import Event, GameOpened, SeatsFilled, TurnOpened
from domain.ruleset import Ruleset
from projections.transcripts.shape import Grid, Piece, Shape


def _mafia() -> Shape:
    from projections.transcripts.mafia import MAFIA_SHAPE

    return MAFIA_SHAPE


def _tabletop() -> Shape:
    from projections.transcripts.tabletop import TABLETOP_SHAPE

    return TABLETOP_SHAPE


def _delegation() -> Shape:
    from projections.transcripts.delegation import DELEGATION_SHAPE

    return DELEGATION_SHAPE


SHAPES: Catalogue[Shape] = Catalogue({"mafia": _mafia, "tabletop": _tabletop, "delegation": _delegation})
"""The shape of each ruleset's transcripts, by the ruleset's name."""


def shape_of(ruleset: Ruleset[Any]) -> Shape:
    """The ruleset's own shape, or one made from its `tell` alone."""
    return SHAPES.get(ruleset.name) or _plain_shape(ruleset)


def _plain_shape(ruleset: Ruleset[Any]) -> Shape:
    def piece(event: Event, seat: str | None, full: bool) -> Piece | None:
        told = ruleset.tell(event, seat)
        if told is None or isinstance(event, GameOpened | TurnOpened | SeatsFilled):
            return None
        if told.words is None:
            return Piece("line", told.lead)
        return Piece("line", told.lead, (("", told.words),))

    def cast(state: Any, full: bool) -> Grid:
        if full:
            return Grid(("Seat", "Played by"), tuple((seat, state.agents.get(seat, "—")) for seat in state.seats))
        return Grid(("Seat",), tuple((seat,) for seat in state.seats))

    return Shape(
        title=f"A game of {ruleset.name.capitalize()}",
        prologue="The game",
        silence="Nothing was heard.",
        offices=frozenset(),
        heading=lambda event: None,
        piece=piece,
        cast=cast,
    )
