"""`sottovoce inbox`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import click

from sottovoce.cli.numbers import Amount, WholeNumber
from sottovoce.cli.output import say
from sottovoce.cli.place import Place, find_seat, game_argument, json_option, load_game, print_json
from sottovoce.cli.view_options import LookingCommand
from sottovoce.domain.piece import Chair
from sottovoce.domain.safe_text import one_line, visible
from sottovoce.domain.turns import Turn
from sottovoce.eventlog.leases import CLAIM, LONGEST_CLAIM
from sottovoce.projections.view import View
from sottovoce.server import inbox as inboxes
from sottovoce.server.games import Games
from sottovoce.server.ids import fresh_id
from sottovoce.server.live import LiveGame
from sottovoce.server.repeats import worth_writing

POLL = 0.02
LONGEST_WAIT = 45.0
"""Seconds for which a server is asked to wait at once."""
CLAIM_POLL = 0.2
"""Seconds between looks for a turn to claim: that a claim has lapsed shows in nothing but the time."""


@click.command(cls=LookingCommand)
@game_argument
@click.option("--as", "seat", metavar="SEAT", required=True, help="Seat to listen for.")
@click.option("--since", metavar="SEQ", type=WholeNumber(0), help="Only events after SEQ.")
@click.option(
    "--wait",
    "seconds",
    metavar="SECONDS",
    type=Amount(),
    default=0.0,
    help="Wait up to SECONDS for a turn or an event.",
)
@click.option(
    "--claim",
    "lease",
    metavar="SECONDS",
    type=Amount(above_zero=True, most=LONGEST_CLAIM.total_seconds()),
    help="Claim one open turn for this program.",
)
@json_option
@click.pass_obj
def inbox(
    place: Place, game: str, seat: str, since: int | None, seconds: float, lease: float | None, as_json: bool
) -> None:
    """Show a seat's open turns and new events, for programs that play a seat.

    With --wait, returns as soon as a turn is open or, with --since, as soon as there is a new event, or when the time
    is up. Reading does not mark anything as read. With --claim, reserves the oldest unclaimed turn for that many
    seconds and shows only it.

    \b
    Example:  sottovoce inbox latest --as Ada --since 12 --wait 60 --json
    """
    asked = (seat, since, time.monotonic() + seconds)
    game, view, answer = _near(place, game, *asked, lease) if place.link is None else _far(place, game, *asked, lease)
    if as_json:
        print_json(answer)
        return
    ruleset, name = view.ruleset, view.seat
    if answer["entries"]:
        say(" seq  what")
    told = [(entry, ruleset.tell(entry.event, Chair(name))) for entry in view.since(since or 0)]
    for entry, line in told:
        if line is not None:
            say(f"{entry.seq:>4}  {one_line(line.text)}")
            for words in visible(line.said or "").splitlines():
                say(f"      > {words}")
    for turn in answer["turns"]:
        say(f"\nTurn {turn['turn']} is open ({turn['kind']}; attempts left: {turn['attempts_left']}).")
        for title, name_of in ruleset.about(view.state, view.state.turns[name, turn["turn"]]).items():
            if name_of is not None:
                say(f"{title.capitalize()}: {one_line(name_of)}")
        say(one_line(ruleset.request(view.state, view.state.turns[name, turn["turn"]]).whole))
        if turn["choices"]:
            say(f"Choices: {one_line(', '.join(turn['choices']))}")
        if turn["claimed_until"]:
            say(f"Claimed by you until {turn['claimed_until']}.")
        say(f"Answer with: {place.command('send', game, '--as', name, '--turn', str(turn['turn']))}")
    if answer["over"]:
        say("The game is over.")
    elif not answer["turns"] and not answer["entries"]:
        say("Nothing new.")


Heard = tuple[str, View[Any], Mapping[str, Any]]
"""The game's id, the seat's view, and what the inbox answers."""


def _near(place: Place, game: str, seat: str, since: int | None, until: float, lease: float | None) -> Heard:
    with place.games() as games:
        live = load_game(games.log, game)
        name = find_seat(live, seat)
        if lease is None:
            view = wait_for_news(games, live, name, since, until)
            turns = list(view.turns)
        else:
            view, turns = wait_for_claim(games, live, name, since, until, lease)
        answer = inboxes.answer(games, live, view, since or 0, turns)
        receipts = inboxes.delivery_receipts(live, view, since or 0, turns, games.now(live))
        if lease is None:  # what is claimed may go to another program each time
            receipts = worth_writing(receipts, games.log.receipts(live.id, name))
        asyncio.run(games.record(live.id, receipts))
    return live.id, view, answer


def _far(place: Place, game: str, seat: str, since: int | None, until: float, lease: float | None) -> Heard:
    from sottovoce.cli.remote import WatchedGame, connect

    assert place.link is not None, "it is far"
    if lease is not None:
        raise click.UsageError("--claim works only with --db, not with --server")
    with connect(place.link, game) as used:
        source = WatchedGame(used)
        name = source.seat(seat)
        while True:
            left = max(0.0, until - time.monotonic())
            answer = used.call(used.api.turns(since, min(left, LONGEST_WAIT)))
            news = answer["turns"] or answer["over"] or (since is not None and answer["seq"] > since)
            if news or time.monotonic() >= until:
                source.catch_up(answer["seq"])
                return source.id, source.view(name, answer["seq"]), answer


def wait_for_news(games: Games, live: LiveGame, seat: str, since: int | None, until: float) -> View[Any]:
    """The seat's view once it has an open turn or more than `since`, or as it is at the monotonic time `until`."""
    version = games.log.version()
    games.catch_up(live)  # with what was appended after it was read, and is in this version already
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


def wait_for_claim(
    games: Games, live: LiveGame, seat: str, since: int | None, until: float, seconds: float
) -> tuple[View[Any], list[Turn]]:
    """The seat's view, and the oldest of its open turns that nobody else holds, leased for `seconds`.

    Without one, the view once there is more than `since` or the game is over, or as it is at the monotonic time
    `until`.
    """
    worker = f"{CLAIM}{fresh_id()}"
    while True:
        view, at = live.view(seat), games.clock()
        free = [due.turn for due in games.log.due(live.id) if due.seat == seat and due.is_free(at)]
        for turn in sorted(view.turns, key=lambda turn: turn.number):
            wanted = [(seat, turn.number)] if turn.number in free else []
            if wanted and games.log.lease(live.id, wanted, worker, at, at + timedelta(seconds=seconds)):
                return view, [turn]
        if (since is not None and view.seq > since) or live.state.over or time.monotonic() >= until:
            return view, []
        time.sleep(max(0.0, min(CLAIM_POLL, until - time.monotonic())))
        games.catch_up(live)
