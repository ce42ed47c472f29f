"""A seat's turns: what it is asked, its replies, and what it says unasked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from math import ceil
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from sottovoce.agents.agent import Mind
from sottovoce.domain.answers import Misfilled
from sottovoce.domain.commands import Reply
from sottovoce.domain.reading import readable
from sottovoce.domain.safe_text import one_line
from sottovoce.eventlog.log import Receipt
from sottovoce.projections.view import View
from sottovoce.server import inbox, replies
from sottovoce.server.http.callers import Caller, CurrentCaller, Guarded
from sottovoce.server.http.models.turns import Accepted, Sent, SentReply
from sottovoce.server.http.openapi import answers
from sottovoce.server.http.problems import UNAUTHORIZED, Problem
from sottovoce.server.http.receipts import BY
from sottovoce.server.http.responses import GameId, Key, Number, TurnNumber, json_answer
from sottovoce.server.ids import fresh_id
from sottovoce.server.links import LinkKind
from sottovoce.server.live_games import GameFeed
from sottovoce.server.receipts import considered

LONGEST_WAIT = 45.0
"""Seconds that a request may wait for a turn: some clients and proxies give up after a minute."""

TAKING = ("unknown", "refused", "closed", "too-large", "too-many")

router = APIRouter(prefix="/v1/games/{game}", tags=["turns"], route_class=Guarded)


@router.get("/turns", **answers(LinkKind.SEAT, model=inbox.Inbox, problems=("unknown",)))
async def turns(
    asked: CurrentCaller,
    game: GameId,
    since: Annotated[Number, Query(description="Only the entries after this seq.")] = None,
    wait: Annotated[float, Query(ge=0, le=LONGEST_WAIT, description="Seconds to wait for a turn.")] = 0.0,
) -> Response:
    """List the seat's open turns, each with its prompt, and its new entries. With `wait`, answers as soon as a turn is
    open or, with `since`, as soon as there is a new entry, or when the time is up. Reading does not mark anything as
    read. A turn that was closed on another server before this request is not listed.
    """
    live_games = asked.live_games
    async with live_games.using(game) as table:
        live = table.live
        await live_games.catch_up(table)
        seen = await news(asked, table, since, wait)
        dues = await live_games.call(live_games.games.log.due, game) if seen.turns else ()

        def told() -> tuple[Response, list[Receipt]]:
            answer = json_answer(
                inbox.answer(live_games.games, live, seen, since or 0, None, dues),
                headers={"cache-control": "no-store"},
            )
            return answer, inbox.delivery_receipts(live, seen, since or 0, seen.turns, live_games.games.clock(), BY)

        answer, receipts = await live_games.think(told) if seen.turns or seen.seq > (since or 0) else told()
        await asked.services.handovers.record(live, asked.grant.link, receipts)
    return answer


async def news(asked: Caller, table: GameFeed, since: int | None, seconds: float) -> View[Any]:
    """The seat's view once there is something to tell, or as it is after that time; Problem once the link has ended."""
    live_games, live, seat = asked.live_games, table.live, asked.seat
    ended = live_games.ended(asked.grant.link.digest)
    gone = asyncio.create_task(ended.wait())
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    try:
        while True:
            length = live.length
            seen = live.view(seat)
            told = seen.turns or (since is not None and seen.seq > since) or seen.state.over
            if told or live_games.closing.is_set() or loop.time() >= until:
                return seen
            growing = asyncio.create_task(table.news(length))
            try:
                await asyncio.wait({growing, gone}, timeout=until - loop.time(), return_when=asyncio.FIRST_COMPLETED)
            finally:
                growing.cancel()
            if ended.is_set():
                raise Problem("unauthorized", UNAUTHORIZED, {"www-authenticate": "Bearer"})
    finally:
        gone.cancel()


@router.post("/turns/{turn}", **answers(LinkKind.SEAT, model=Accepted, problems=TAKING))
async def reply(asked: CurrentCaller, game: GameId, turn: TurnNumber, sent: SentReply, key: Key = "") -> Response:
    """Answer a turn. The same text again is accepted as `repeated`."""
    given = sent.text if sent.fields is None else sent.fields
    assert given is not None, "a body with neither was refused"
    return json_answer(await take(asked, turn, given, key, Beside(sent.thoughts, sent.beliefs, sent.notes)))


@router.post("/messages", **answers(LinkKind.SEAT, model=Accepted, problems=TAKING))
async def say(asked: CurrentCaller, game: GameId, sent: Sent, key: Key = "") -> Response:
    """Send a message without a turn, where the rules allow it."""
    return json_answer(await take(asked, None, sent.text, key))


@dataclass(frozen=True, slots=True)
class Beside:
    """What a seat from outside sends with its reply: thoughts and beliefs for auditors, notes for itself."""

    thoughts: str = ""
    beliefs: Sequence[Any] = ()
    notes: str = ""

    def mind(self, seen: View[Any]) -> Mind | None:
        """The thoughts and beliefs; None where there are neither."""
        suspicion = seen.ruleset.suspicion(seen.state, seen.seat, list(self.beliefs)) if self.beliefs else {}
        return Mind(self.thoughts, suspicion) if self.thoughts.strip() or suspicion else None


NOTHING_BESIDE = Beside()


async def take(
    asked: Caller, turn: int | None, given: str | dict[str, Any], key: str = "", beside: Beside = NOTHING_BESIDE
) -> Accepted:
    """Take a text, or the fields of a turn's form, and return the result.

    Each key is decided once, whichever server gets it again and however often. A known key is answered above the rate
    limit too, because it changes nothing. Raises Problem if the text is not accepted.
    """
    live_games, seat = asked.live_games, asked.seat
    append = append_of(asked.game, seat, turn, key) if key else fresh_id()
    seconds = asked.services.replies.wait(asked.grant.link.digest)
    if seconds and not key:
        raise _too_many(asked, seconds)
    async with live_games.using(asked.game) as table:
        live = table.live
        if seconds or not isinstance(given, str):
            await live_games.catch_up(table)  # another server may have opened the turn, or have taken this very answer
        if seconds and not live.appended(append):
            raise _too_many(asked, seconds)
        known = live.appended(append)
        if known:
            text = ""  # what was sent first with this key is what counts
        elif isinstance(given, str):
            text = readable(given)
        else:
            text = readable(await live_games.think(_filled_in, live.view(seat), turn, given))
        command = replies.command_of(live_games.games.clock(), seat, turn, text)
        accepted = None if known or turn is None else partial(replies.accepting, live, seat, turn, text)
        mind = None if known or turn is None else beside.mind(live.view(seat))
        ended = None
        if isinstance(command, Reply):
            command = command.but(notes=beside.notes)
        if mind is not None and turn is not None:
            ended = partial(considered, live, seat, turn, mind, command.at)
        events = await live_games.submit(table, command, append=append, unless=accepted, ended=ended)
        told = replies.outcome(live, seat, events, append)
        if told["accepted"]:
            repeated = told.get("repeated", False)
            return Accepted(accepted=True, repeated=repeated, seq=replies.seq_after(live, seat, events))
        closed = not events or (turn is not None and replies.was_closed(live, seat, turn, events[0].position))
        raise Problem("closed" if closed else "refused", told["message"])


def _too_many(asked: Caller, seconds: float) -> Problem:
    most, pause = asked.services.settings.bounds.replies_per_minute, ceil(seconds)
    why = f"More than {most} replies and messages per minute. Wait {pause} s."
    return Problem("too-many", why, {"retry-after": str(pause)})


def _filled_in(seen: View[Any], turn: int | None, fields: dict[str, Any]) -> str:
    """The reply that the fields of an open turn's form make."""
    found = next((one for one in seen.turns if one.number == turn), None)
    if found is None:
        raise Problem("closed", f"Turn {turn} is not open: it was answered, or its time ran out.")
    form = seen.ruleset.form(seen.state, found)
    if form is None:
        raise Problem("invalid", f"Turn {turn} has no form. Answer it with a text.")
    try:
        return form.filled(fields)
    except Misfilled as error:
        raise Problem("invalid", one_line(f"Invalid answer: {error}.")) from None


def append_of(game: str, seat: str, turn: int | None, key: str) -> str:
    """The append id of what a key names. The log knows an append by its id, so that nothing is appended twice for it,
    whichever process is asked, and whatever it has forgotten."""
    named = "\n".join((game, seat, "" if turn is None else str(turn), key))
    return sha256(named.encode()).hexdigest()[:16]
