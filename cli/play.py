"""`sottovoce play`: a command for each ruleset."""

from __future__ import annotations

import click

from sottovoce.cli.ruleset_group import RulesetGroup


def _plain(ruleset: str) -> click.Command:
    from sottovoce.server.extras import EXTRAS

    if (setup := EXTRAS.of(ruleset).setup) is not None:
        from sottovoce.cli.folder_commands import play_setup_command

        return play_setup_command(ruleset, setup)
    from sottovoce.cli.player_commands import play_command

    return play_command(ruleset)


@click.group(cls=RulesetGroup, own=lambda extras: extras.play, plain=_plain, line=lambda extras: extras.about)
def play() -> None:
    """Play a game in this terminal.

    \b
    Example:  sottovoce play mafia --players 7 --seat Tom=human
    """
