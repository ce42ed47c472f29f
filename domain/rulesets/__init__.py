"""The one list of rulesets: those that ship, and those that installed packages bring along."""

from __future__ import annotations

from typing import Any

from domain.plugins import RULESETS_GROUP, brought
from domain.ruleset import Ruleset
from domain.rulesets.delegation import DELEGATION
from domain.rulesets.mafia import MAFIA
from domain.rulesets.tabletop import TABLETOP

SHIPPED: tuple[Ruleset[Any], ...] = (MAFIA, TABLETOP, DELEGATION)
RULESETS: dict[str, Ruleset[Any]] = {ruleset.name: ruleset for ruleset in SHIPPED}
RULESETS |= brought(RULESETS_GROUP, RULESETS)
