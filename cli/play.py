"""`sottovoce play`: a command for each ruleset."""

from __future__ import annotations

import click

from cli.other import RulesetCommands

PLACES = {"mafia": "cli.mafia:mafia", "tabletop": "cli.tabletop:tabletop", "delegation": "cli.delegation:delegation"}


@click.group(cls=RulesetCommands, places=PLACES, kind="play")
def play() -> None:
    """Play a game at this terminal, to its end.

    \b
    Example:  sottovoce play mafia --players 7 --seat Tom=human
    """
