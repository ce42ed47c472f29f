"""Delegation: planner, executor, reviewer and user, who work on tasks by control messages and files."""

from __future__ import annotations

from sottovoce.rulesets.delegation.rules.ruleset import DELEGATION

__all__ = ["DELEGATION"]
