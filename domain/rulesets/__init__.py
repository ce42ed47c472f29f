"""The one explicit list of rulesets."""

from __future__ import annotations

from typing import Any

from domain.ruleset import Ruleset
from domain.rulesets.delegation import DELEGATION
from domain.rulesets.mafia import MAFIA

RULESETS: dict[str, Ruleset[Any]] = {ruleset.name: ruleset for ruleset in (MAFIA, DELEGATION)}
