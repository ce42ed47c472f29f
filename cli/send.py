"""`sottovoce send`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import click

from cli.numbers import Whole
from cli.output import say
from cli.place import Place, Unreadable, find_seat, game_argument, json_option, load_game, print_json
from domain.errors import SottovoceError
from domain.game import LONGEST_REPLY
from domain.reading import readable
from server import replies


@click.command()
@game_argument
@click.option("--as", "seat", metavar="SEAT", required=True, help="The seat that sends.")
@click.option("--turn", metavar="ID", type=Whole(1), help="The turn that is answered.")
@click.argument("file", metavar="[FILE|-]", default="-")
@json_option
@click.pass_obj
def send(place: Place, game: str, seat: str, turn: int | None, file: str, as_json: bool) -> None:
    """Send a reply to a turn, or without --turn an unprompted message, from a seat.

    The text is read from FILE, or from standard input. Repeating an accepted reply gives the first result again.

    \b
    Example:  echo "I vote for Bram." | sottovoce send latest --as Ada --turn 7
    """
    text = _text(file)
    with place.games() as games:
        live = load_game(games.log, game)
        name = find_seat(live, seat)
        result = {"game": live.id, "seat": name, "turn": turn} | asyncio.run(
            replies.send(games, live, name, turn, text)
        )
    if as_json:
        print_json(result)
    elif result["accepted"]:
        say("Accepted." if not result.get("repeated") else "Accepted (it had been sent before).")
    if not result["accepted"]:
        raise SottovoceError(f"Refused: {result['message']}")


def _text(file: str) -> str:
    try:
        raw = sys.stdin.buffer.read(LONGEST_REPLY * 8) if file == "-" else Path(file).read_bytes()[: LONGEST_REPLY * 8]
    except (OSError, ValueError) as error:
        raise Unreadable(file, error) from None
    return readable(raw.decode("utf-8", "replace")).removesuffix("\n").removesuffix("\r")
