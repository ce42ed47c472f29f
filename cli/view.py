"""`sottovoce view`."""

from __future__ import annotations

import click
from rich.console import Console

from sottovoce.cli.numbers import WholeNumber
from sottovoce.cli.place import Place, check_seq, game_argument, json_option, print_json
from sottovoce.cli.screen import Screen
from sottovoce.cli.view_options import LookingCommand, source
from sottovoce.projections.pieces import Teller


@click.command(cls=LookingCommand)
@game_argument
@click.option("--as", "seat", metavar="SEAT", required=True, help="Seat whose view to show.")
@click.option("--at", "seq", metavar="SEQ", type=WholeNumber(), help="Show the view right after event SEQ.")
@json_option
@click.pass_obj
def view(place: Place, game: str, seat: str, seq: int | None, as_json: bool) -> None:
    """Show everything a seat has seen.

    \b
    Example:  sottovoce view latest --as Ada --at 40
    """
    with source(place, game) as found:
        seen = found.view(found.seat(seat))
    check_seq(seq, seen.seq)
    entries = seen.entries[:seq]
    screen, teller = Screen(Console(highlight=False), seen.ruleset, seen.seat), Teller(seen.ruleset, seen.seat)
    for entry in entries:
        if as_json:
            print_json(teller.to_json(entry))
        else:
            screen.show(entry)
