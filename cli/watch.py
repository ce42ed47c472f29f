"""`sottovoce watch`."""

from __future__ import annotations

import time

import click
from rich.console import Console

from cli.chair import perspective
from cli.pace import pause_after
from cli.place import Place, as_option, auditor_option, game_argument, json_option, load_game, print_json
from cli.replay import chosen
from cli.screen import Screen
from domain.events import Recorded
from projections.exports import export_event
from projections.pieces import Teller

POLL = 0.05


@click.command()
@game_argument
@as_option
@auditor_option
@json_option
@click.pass_obj
def watch(place: Place, game: str, seat: str | None, auditor: bool, as_json: bool) -> None:
    """Follow a game while it is played elsewhere, until it ends.

    Without --as it shows what everyone sees, and after the end nothing more is disclosed.

    \b
    Example:  sottovoce watch latest --as Ada
    """
    with place.games() as games:
        live = load_game(games.log, game)
        chair = perspective(live, seat, auditor)
        screen, teller = Screen(Console(highlight=False), live.ruleset, chair.seat), Teller(live.ruleset, chair.seat)
        shown, version = 0, games.log.version()
        while True:
            items = list(chosen(live, chair))
            for item in items[shown:]:
                if as_json:
                    print_json(export_event(item) if isinstance(item, Recorded) else teller.to_json(item))
                else:
                    screen.show(item)
            fresh, shown = len(items) - shown, len(items)
            if live.state.over:
                return
            time.sleep(pause_after(60) if fresh == 1 else POLL)
            while (latest := games.log.version()) == version:
                time.sleep(POLL)
            version = latest
            games.catch_up(live)
