"""`sottovoce watch`."""

from __future__ import annotations

import time

import click
from rich.console import Console

from sottovoce.cli.pace import pause_after
from sottovoce.cli.place import Place, as_option, auditor_option, game_argument, json_option, print_json
from sottovoce.cli.screen import Screen
from sottovoce.cli.view_options import LookingCommand, source
from sottovoce.domain.events import Recorded
from sottovoce.projections.exports import export_event
from sottovoce.projections.pieces import Teller


@click.command(cls=LookingCommand)
@game_argument
@as_option
@auditor_option
@json_option
@click.pass_obj
def watch(place: Place, game: str, seat: str | None, auditor: bool, as_json: bool) -> None:
    """Watch a game live, until it ends.

    Without --as, shows only what is public, even after the game ends.

    \b
    Example:  sottovoce watch latest --as Ada
    """
    with source(place, game) as found:
        chair = found.perspective(seat, auditor)
        screen, teller = Screen(Console(highlight=False), found.ruleset, chair.seat), Teller(found.ruleset, chair.seat)
        shown = 0
        while True:
            items = found.items(chair, shown)
            for item in items:
                if as_json:
                    print_json(export_event(item) if isinstance(item, Recorded) else teller.to_json(item))
                else:
                    screen.show(item)
            shown += len(items)
            if found.over:
                return
            time.sleep(pause_after(60) if len(items) == 1 else 0)
            found.wait()
