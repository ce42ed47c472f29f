"""`sottovoce run`: a command for each ruleset."""

from __future__ import annotations

import click

from cli.other import RulesetCommands

PLACES = {
    "mafia": "cli.mafia:run_mafia",
    "tabletop": "cli.tabletop:run_tabletop",
    "delegation": "cli.delegation:run_delegation",
}


@click.group(cls=RulesetCommands, places=PLACES, kind="run")
def run() -> None:
    """Play many games and count them.

    \b
    Example:  sottovoce run mafia --games 100 --agents random
    """
