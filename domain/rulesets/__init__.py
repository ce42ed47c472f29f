"""The one list of rulesets: those that ship, and those that installed packages bring along."""

from __future__ import annotations

from typing import Any

from domain.catalogue import RULESETS_GROUP, Catalogue
from domain.ruleset import Ruleset


def _mafia() -> Ruleset[Any]:
    from domain.rulesets.mafia import MAFIA

    return MAFIA


def _tabletop() -> Ruleset[Any]:
    from domain.rulesets.tabletop import TABLETOP

    return TABLETOP


def _delegation() -> Ruleset[Any]:
    from domain.rulesets.delegation import DELEGATION

    return DELEGATION


RULESETS: Catalogue[Ruleset[Any]] = Catalogue(
    {"mafia": _mafia, "tabletop": _tabletop, "delegation": _delegation}, RULESETS_GROUP
)
