"""`sottovoce send`."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import click

from cli.numbers import Whole
from cli.output import say
from cli.place import Place, Unreadable, find_seat, game_argument, json_option, load_game, print_json
from domain.commands import Reply, Say
from domain.errors import SottovoceError
from domain.events import AttemptFailed, FallbackApplied, MessageRefused, Recorded, ReplyAccepted
from domain.game import LONGEST_REPLY
from domain.piece import AUDITOR
from domain.reading import readable
from server.games import Games
from server.live import LiveGame


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
        result = {"game": live.id, "seat": name, "turn": turn} | asyncio.run(_send(games, live, name, turn, text))
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


async def _send(games: Games, live: LiveGame, seat: str, turn: int | None, text: str) -> dict[str, Any]:
    if turn is not None and accepted_before(live, seat, turn, text):
        return {"accepted": True, "repeated": True}
    command = Say(games.clock(), seat, text) if turn is None else Reply(games.clock(), seat, turn, text)
    events = await games.submit(live, command)
    if turn is not None and accepted_before(live, seat, turn, text):
        return {"accepted": True}
    if not events and live.state.over:
        return {"accepted": False, "message": "The game is over; nothing more is taken."}
    return _verdict(events, seat)


def accepted_before(live: LiveGame, seat: str, turn: int, text: str) -> bool:
    """Whether the log holds this very text as the accepted answer of the turn."""
    for place, item in enumerate(live.recorded):
        event = item.event
        if isinstance(event, ReplyAccepted) and (event.seat, event.turn) == (seat, turn):
            same = [other.event for other in live.recorded[place:] if other.append == item.append]
            told = (live.ruleset.tell(other, AUDITOR) for other in same if other.actor == seat)
            return text == event.text or any(voice.text == text for piece in told if piece for voice in piece.words)
    return False


def _verdict(events: list[Recorded], seat: str) -> dict[str, Any]:
    """How the seat's message fared, from what it became. Other seats' events of the same append say nothing of it."""
    messages, left = [], True
    for item in events:
        event = item.event
        if isinstance(event, AttemptFailed | MessageRefused) and event.seat == seat:
            messages.append(event.message)
        if isinstance(event, FallbackApplied) and event.seat == seat:
            left = False
    if not messages:
        return {"accepted": True}
    if not left:
        messages.append("That was the last attempt; the rules' fallback was applied.")
    return {"accepted": False, "message": " ".join(messages)}
