"""Groups with a command for each ruleset, those of installed packages among them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from sottovoce.cli.extras import EXTRAS, CliExtras
from sottovoce.domain.errors import SetupRefused, SottovoceError
from sottovoce.domain.rulesets import RULESETS

Own = Callable[[CliExtras], Callable[[], click.Command] | None]


class RulesetGroup(click.Group):
    """A command for each ruleset: its `own`, or else the `plain` one that takes players, agents and rules.

    `line` is what the help says of a ruleset, or None. Only the command that is asked for is loaded.
    """

    def __init__(
        self,
        *args: Any,
        own: Own,
        plain: Callable[[str], click.Command],
        line: Callable[[CliExtras], str | None],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._own, self._plain, self._line = own, plain, line

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(RULESETS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in RULESETS or RULESETS[cmd_name] is None:
            return None
        if not RULESETS.listed(cmd_name):
            raise SetupRefused(f"Games of {cmd_name} are only imported, with: sottovoce import --format FORMAT FILE")
        own = self._own(EXTRAS.of(cmd_name))
        return self._plain(cmd_name) if own is None else own()

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, self._told(name)) for name in RULESETS])

    def _told(self, name: str) -> str:
        try:
            return self._line(EXTRAS.of(name)) or f"{name.capitalize()}."
        except SottovoceError as broken:
            return str(broken)
