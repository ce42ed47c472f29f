"""`sottovoce new`: what the installed rulesets write to begin with, such as a folder for a game."""

from __future__ import annotations

from collections.abc import Mapping

import click

from sottovoce.cli.extras import EXTRAS, Starter
from sottovoce.domain.errors import SottovoceError


class StarterGroup(click.Group):
    """A command for each thing that a ruleset can write. Only the one that is asked for is loaded."""

    def _starters(self) -> Mapping[str, Starter]:
        found: dict[str, Starter] = {}
        for name in EXTRAS:
            try:
                starters = EXTRAS.of(name).new
            except SottovoceError:
                continue
            for word, starter in starters.items():
                found.setdefault(word, starter)
        return found

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self._starters())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        starter = self._starters().get(cmd_name)
        return None if starter is None else starter.command()

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, starter.about) for name, starter in self._starters().items()])


@click.group(cls=StarterGroup)
def new() -> None:
    """Write files to begin a game with.

    \b
    Example:  sottovoce new campaign "The Dark Lamp"
    """
