"""`--check [NAME[LIMIT]=]COMMAND`: the checks of a game as somebody types them (D-066)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click

from sottovoce.rulesets.delegation.rules.state import LONGEST_CHECK

_NAMED = re.compile(r"([a-z0-9][a-z0-9-]*)(?:\[([^\]=]*)\])?=(.*)", re.DOTALL)
"""Names are in small letters, since `CI=1 make test` is a command."""
_UNNAMED = re.compile(r"[a-z0-9][a-z0-9-]*\[[^\]]*\]\s*:")
_LIMIT = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|h|)")
UNITS = {"": 1, "s": 1, "m": 60, "h": 3600}


@dataclass(frozen=True, slots=True)
class NamedChecks:
    """Commands by the name of their check, and in seconds the limits of those that were given one."""

    commands: Mapping[str, str]
    limits: Mapping[str, float]

    def with_rules(self, rules: Mapping[str, Any]) -> dict[str, Any]:
        """The rules options with these checks, as well as those that `--rule check=…` already has."""
        found = dict(rules)
        for option, given in (("check", self.commands), ("check_limits", self.limits)):
            if given:
                before = rules.get(option)
                found[option] = {**(before if isinstance(before, Mapping) else {}), **given}
        return found


def named_checks(ctx: click.Context, param: click.Parameter, values: Sequence[str]) -> NamedChecks:
    """The checks by name; one without a name is called by its first words. Raises BadParameter."""
    commands: dict[str, str] = {}
    limits: dict[str, float] = {}
    for value in values:
        named = _NAMED.fullmatch(value)
        command = (named[3] if named else value).strip()
        name = named[1] if named else re.sub(r"[^A-Za-z0-9]+", "-", command).strip("-")[:40].strip("-")
        if not command or not name:
            raise click.BadParameter(f"{value!r} has no command. Give NAME=COMMAND.", ctx, param)
        if name in commands:
            raise click.BadParameter(f"two checks are called {name!r}. Name each: NAME=COMMAND.", ctx, param)
        if not named and _UNNAMED.match(value):
            raise click.BadParameter(f"{value!r} has a time limit and no `=`. Give NAME[LIMIT]=COMMAND.", ctx, param)
        commands[name] = command
        if named and named[2] is not None:
            limits[name] = _seconds(name, named[2], ctx, param)
    return NamedChecks(commands, limits)


def _seconds(name: str, text: str, ctx: click.Context, param: click.Parameter) -> float:
    limit = _LIMIT.fullmatch(text.strip().lower())
    seconds = float(limit[1]) * UNITS[limit[2]] if limit else 0.0
    if not 0 < seconds <= LONGEST_CHECK:
        raise click.BadParameter(
            f"{text!r} is not a time limit for the check {name!r}. Give seconds, minutes or at most 24 hours, such as "
            f"{name}[90s]=COMMAND or {name}[20m]=COMMAND.",
            ctx,
            param,
        )
    return seconds
