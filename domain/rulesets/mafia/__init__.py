"""Mafia: hidden roles, sealed ballots, an omniscient narrator."""

from __future__ import annotations

from sottovoce.domain.rulesets.mafia.ruleset import MAFIA as MAFIA
from sottovoce.domain.rulesets.mafia.ruleset import Mafia as Mafia
