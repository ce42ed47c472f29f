"""`sottovoce files`."""

from __future__ import annotations

import click

from cli.numbers import Whole
from cli.place import Place, find_seat, game_argument, load_game
from domain.errors import SottovoceError


@click.command()
@game_argument
@click.option("--as", "seat", metavar="SEAT", required=True, help="The seat that reads.")
@click.option("--into", "folder", metavar="DIR", required=True, type=click.Path(), help="The folder to write.")
@click.option("--at", "seq", metavar="SEQ", type=Whole(), help="As it was after this seq.")
@click.pass_obj
def files(place: Place, game: str, seat: str, folder: str, seq: int | None) -> None:
    """Write a game's documents as a seat may read them. Only rulesets that keep documents have any.

    \b
    Example:  sottovoce files latest --as Ada --into ./ada
    """
    with place.games() as games:
        live = load_game(games, game)
        find_seat(live, seat)
    raise SottovoceError(f"A game of {live.ruleset.name} keeps no documents; there is nothing to write.")
