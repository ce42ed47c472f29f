"""Groups whose commands are loaded as they are needed, so that every command starts quickly, and so does the help."""

from __future__ import annotations

from collections.abc import Mapping
from pkgutil import resolve_name
from typing import Any

import click


class LazyGroup(click.Group):
    """`places` says where each command lives, `module:name`, and what it does in a line, in the order of the help."""

    def __init__(self, *args: Any, places: Mapping[str, tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._places = places

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self._places:
            return None
        command: click.Command = resolve_name(self._places[cmd_name][0])
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands in the help; only those without a line here are loaded for theirs."""
        rows = []
        for name in self.list_commands(ctx):
            _, line = self._places.get(name, ("", ""))
            command = None if line else self.get_command(ctx, name)
            rows.append((name, line if command is None else command.get_short_help_str()))
        with formatter.section("Commands"):
            formatter.write_dl(rows)
