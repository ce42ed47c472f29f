"""Groups with a command for each ruleset, those of installed packages among them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from cli.commands import Commands
from cli.place import UnknownName
from domain.catalogue import BROKEN
from domain.rulesets import RULESETS


class RulesetCommands(Commands):
    """A command for each ruleset: its own, or else a plain one that takes names, agents and rules."""

    def __init__(self, *args: Any, places: Mapping[str, tuple[str, str]], kind: str, **kwargs: Any) -> None:
        super().__init__(*args, places=places, **kwargs)
        self._kind = kind

    def list_commands(self, ctx: click.Context) -> list[str]:
        own = super().list_commands(ctx)
        return [*own, *(name for name in RULESETS if name not in self._places)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        known = cmd_name in RULESETS
        if cmd_name in BROKEN:
            raise UnknownName(f"The ruleset {cmd_name!r} cannot be used: {BROKEN[cmd_name]}.")
        if not known or cmd_name in self._places:
            return None
        from cli.other import play_command, run_command

        return play_command(cmd_name) if self._kind == "play" else run_command(cmd_name)
