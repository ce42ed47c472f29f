"""`sottovoce inbox`."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from typing import Any

import click

from agents.prompt import build_prompt
from agents.visible import one_line, visible
from cli.numbers import Amount, Whole
from cli.place import Place, find_seat, game_argument, json_option, load_game, print_json
from eventlog.log import Receipt
from projections.view import View
from server.games import Games
from server.ids import fresh_id
from server.live import LiveGame

POLL = 0.02


@click.command(short_help="What a seat is asked and what is new to it, for outside programs.")
@game_argument
@click.option("--as", "seat", metavar="SEAT", required=True, help="The seat that listens.")
@click.option("--since", metavar="SEQ", type=Whole(0), help="Only what came after this seq.")
@click.option("--wait", "seconds", metavar="SECONDS", type=Amount(), default=0.0, help="Wait that long.")
@json_option
@click.pass_obj
def inbox(place: Place, game: str, seat: str, since: int | None, seconds: float, as_json: bool) -> None:
    """Show a seat's open turns and what is new to it: how an outside program listens.

    With --wait it returns as soon as a turn is open or, with --since, something new was seen; after that time with
    nothing to tell. Reading acknowledges nothing.

    \b
    Example:  sottovoce inbox latest --as Ada --since 12 --wait 60 --json
    """
    with place.games() as games:
        live = load_game(games, game)
        name = find_seat(live, seat)
        view = wait_for_news(games, live, name, since, time.monotonic() + seconds)
        answer = _answer(games, live, view, since or 0)
        _record(games, live, view, since or 0, answer)
    if as_json:
        print_json(answer)
        return
    if answer["entries"]:
        click.echo(" seq  what")
    told = [(entry, live.ruleset.tell(entry.event, name)) for entry in view.since(since or 0)]
    for entry, line in told:
        if line is not None:
            click.echo(f"{entry.seq:>4}  {one_line(line.lead)}")
            for words in visible(line.words or "").splitlines():
                click.echo(f"      > {words}")
    for turn in answer["turns"]:
        click.echo(f"\nTurn {turn['turn']} is open ({turn['kind']}; attempts left: {turn['attempts_left']}).")
        click.echo(one_line(live.ruleset.request(view.state, view.state.turns[name, turn["turn"]]).ask))
        if turn["choices"]:
            click.echo(f"Choices: {one_line(', '.join(turn['choices']))}")
        click.echo(f"Answer with: {place.command('send', live.id, '--as', name, '--turn', str(turn['turn']))}")
    if not answer["turns"] and not answer["entries"]:
        click.echo("Nothing new.")


def wait_for_news(games: Games, live: LiveGame, seat: str, since: int | None, until: float) -> View[Any]:
    """The seat's view once it has an open turn or more than `since`, or as it is at the monotonic time `until`."""
    version = games.log.version()
    while True:
        view = live.view(seat)
        if view.turns or (since is not None and view.seq > since) or live.state.over:
            return view
        left = until - time.monotonic()
        if left <= 0:
            return view
        time.sleep(min(POLL, left))
        if (latest := games.log.version()) != version:
            version = latest
            games.catch_up(live)


def _answer(games: Games, live: LiveGame, view: View[Any], since: int) -> dict[str, Any]:
    deadlines = {due.turn: due.expires for due in games.log.due(live.id) if due.seat == view.seat}
    turns = [
        {
            "turn": turn.number,
            "kind": turn.kind,
            "choices": list(turn.choices),
            "attempts_left": turn.attempts_left,
            "deadline": _iso(deadlines.get(turn.number)),
            "prompt": build_prompt(view, turn).text,
        }
        for turn in view.turns
    ]
    entries = [entry.to_json() for entry in view.since(since)]
    return {"seat": view.seat, "seq": view.seq, "turns": turns, "entries": entries}


def _iso(at: datetime | None) -> str | None:
    return at.astimezone(UTC).isoformat(timespec="seconds") if at else None


def _record(games: Games, live: LiveGame, view: View[Any], since: int, answer: dict[str, Any]) -> None:
    """Receipts for what is about to be handed over; none where nothing is."""
    at = games.clock()
    agent = live.state.agents.get(view.seat, "")
    common = {"by": "inbox", "agent": agent}
    receipts = [
        Receipt(
            "core.handed-over.v1",
            at,
            view.seat,
            {**common, "call": fresh_id(), "turn": turn.number, "from": 1, "to": view.seq},
            build_prompt(view, turn).blocks,
        )
        for turn in view.turns
    ]
    if answer["entries"]:
        data = {**common, "call": fresh_id(), "turn": None, "from": since + 1, "to": view.seq}
        receipts.append(Receipt("core.handed-over.v1", at, view.seat, data))
    asyncio.run(games.record(live, receipts))
