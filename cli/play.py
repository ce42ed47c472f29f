"""`sottovoce play`: a command for each ruleset."""

from __future__ import annotations

import click

from cli.commands import Commands

PLACES = {"mafia": "cli.mafia:mafia", "delegation": "cli.delegation:delegation"}


@click.group(cls=Commands, places=PLACES)
def play() -> None:
    """Play a game at this terminal, to its end.

    \b
    Example:  sottovoce play mafia --players 7 --seat Tom=human
    """
