"""Delegated work at the terminal: its tasks are the briefs of a folder, and the user sits at a desk."""

from __future__ import annotations

from functools import partial
from pkgutil import resolve_name

from sottovoce import CliExtras

EXTRAS = CliExtras(
    about="Agents plan, do and review tasks; you decide.",
    many="Run the tasks of a folder many times.",
    play=partial(resolve_name, "sottovoce.rulesets.delegation.terminal.play:play_delegation"),
    run=partial(resolve_name, "sottovoce.rulesets.delegation.terminal.play:run_delegation"),
    aside=partial(resolve_name, "sottovoce.rulesets.delegation.terminal.desk:ASIDE"),
    watched="user",
    diff=partial(resolve_name, "sottovoce.rulesets.delegation.terminal.diff:task_diffs"),
)
