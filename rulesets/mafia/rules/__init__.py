"""Mafia: hidden roles, sealed ballots, an omniscient narrator."""

from __future__ import annotations

from sottovoce.rulesets.mafia.rules.ruleset import MAFIA as MAFIA
from sottovoce.rulesets.mafia.rules.ruleset import Mafia as Mafia
