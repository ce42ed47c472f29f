"""`sottovoce play`: a command for each ruleset."""

from __future__ import annotations

import click

from cli.rulesets import RulesetCommands

PLACES = {
    "mafia": ("cli.mafia:mafia", "A game of hidden roles, sealed votes, and a narrator who knows."),
    "tabletop": ("cli.tabletop:tabletop", "A session of a campaign: a GM, a narrator, a party."),
    "delegation": ("cli.delegation:delegation", "Tasks planned, done and reviewed by others; you decide."),
}


@click.group(cls=RulesetCommands, places=PLACES, kind="play")
def play() -> None:
    """Play a game at this terminal, to its end.

    \b
    Example:  sottovoce play mafia --players 7 --seat Tom=human
    """
