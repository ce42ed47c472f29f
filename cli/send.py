"""`sottovoce send`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import click

from sottovoce.cli.numbers import WholeNumber
from sottovoce.cli.output import say
from sottovoce.cli.place import Place, Unreadable, find_seat, game_argument, json_option, load_game, print_json
from sottovoce.cli.view_options import LookingCommand
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.game import LONGEST_REPLY
from sottovoce.domain.reading import readable
from sottovoce.server import replies


@click.command(cls=LookingCommand)
@game_argument
@click.option("--as", "seat", metavar="SEAT", required=True, help="Seat that sends the text.")
@click.option("--turn", metavar="ID", type=WholeNumber(1), help="Turn to answer. Without it, sends a message.")
@click.argument("file", metavar="[FILE|-]", default="-")
@json_option
@click.pass_obj
def send(place: Place, game: str, seat: str, turn: int | None, file: str, as_json: bool) -> None:
    """Answer a turn or send a message. Without --turn, sends a message.

    Reads the text from FILE or from standard input. Sending an accepted answer again is safe: it returns the first
    result.

    \b
    Example:  echo "I vote for Bram." | sottovoce send latest --as Ada --turn 7
    """
    text = _text(file)
    result = _near(place, game, seat, turn, text) if place.link is None else _far(place, game, seat, turn, text)
    if as_json:
        print_json(result)
    elif result["accepted"]:
        say("Accepted." if not result.get("repeated") else "Accepted (it was already sent before).")
    if not result["accepted"]:
        raise SottovoceError(f"Refused: {result['message']}")


def _near(place: Place, game: str, seat: str, turn: int | None, text: str) -> dict[str, Any]:
    with place.games() as games:
        live = load_game(games.log, game)
        name = find_seat(live, seat)
        fared = asyncio.run(replies.send(games, live, name, turn, text))
    return {"game": live.id, "seat": name, "turn": turn, **fared}


def _far(place: Place, game: str, seat: str, turn: int | None, text: str) -> dict[str, Any]:
    from sottovoce.cli.remote import connect, own_seat

    assert place.link is not None, "it is far"
    with connect(place.link, game) as used:
        name = own_seat(used.opened, seat)
        verdict = used.call(used.api.say(text) if turn is None else used.api.reply(turn, text))
        fared: dict[str, Any] = {"accepted": verdict.accepted}
        if verdict.repeated:
            fared["repeated"] = True
        if not verdict.accepted:
            fared["message"] = verdict.message
    return {"game": used.api.game, "seat": name, "turn": turn, **fared}


def _text(file: str) -> str:
    try:
        raw = sys.stdin.buffer.read(LONGEST_REPLY * 8) if file == "-" else Path(file).read_bytes()[: LONGEST_REPLY * 8]
    except (OSError, ValueError) as error:
        raise Unreadable(file, error) from None
    return readable(raw.decode("utf-8", "replace")).removesuffix("\n").removesuffix("\r")
