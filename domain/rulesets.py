"""The one list of rulesets: those that ship, and those that installed packages bring along."""

from __future__ import annotations

from typing import Any

from sottovoce.domain.plugins import Plugins
from sottovoce.domain.ruleset import Ruleset

RULESETS: Plugins[Ruleset[Any]] = Plugins(
    "sottovoce.rulesets", Ruleset, lambda ruleset: ruleset.name, unlisted="sottovoce.imported"
)
"""Every ruleset by its name. Those whose games are only imported can be looked up and are not listed."""
