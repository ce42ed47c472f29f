"""How each ruleset's transcripts are laid out: the one explicit list, and what serves a ruleset that is not on it."""

from __future__ import annotations

from typing import Any

from domain.catalogue import Catalogue
from domain.ruleset import Ruleset
from projections.transcripts.shape import Shape


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
    """The ruleset's own shape, or the plain one."""
    return SHAPES.get(ruleset.name) or Shape()
