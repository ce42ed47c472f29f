"""A viewer's record of a game in one answer."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic.json_schema import SkipJsonSchema
from starlette.requests import Request
from starlette.responses import Response

from sottovoce.server.http.callers import CurrentCaller, Guarded
from sottovoce.server.http.compression import packed
from sottovoce.server.http.models.replay import Replay
from sottovoce.server.http.open_chairs import Wanted, record_for, record_look
from sottovoce.server.http.openapi import answers
from sottovoce.server.http.responses import GameId
from sottovoce.server.http.routes.views import PRIVATE, SEEING, record_delivery

router = APIRouter(prefix="/v1/games/{game}", tags=["view"], route_class=Guarded)

Seat = Annotated[str, Query(min_length=1, max_length=100)] | SkipJsonSchema[None]


@router.get("/replay", **answers(*SEEING, model=Replay, problems=("unknown",)))
async def replay(
    request: Request,
    asked: CurrentCaller,
    game: GameId,
    seat: Annotated[
        Seat,
        Query(alias="as", description="The seat whose replay to return. For auditors; for seats once chairs are open."),
    ] = None,
    everybody: Annotated[bool, Query(description="The replay of what is public. For the same.")] = False,
    whole: Annotated[bool, Query(alias="open", description="All that the open chairs saw. For seats.")] = False,
) -> Response:
    """Get the viewer's whole replay.

    An auditor gets everything, or the view of a seat or the public, with positions. Once a game is over and its opening
    let everyone who sat look from other chairs, a seat link gets the same of those chairs, with positions that count
    what they saw.
    """
    wanted = Wanted(seat, everybody=everybody, whole=whole)
    async with asked.live_games.using(game) as table:
        shown, whose, chairs = await record_for(asked, table, wanted)
        await shown.prepare(whose.seat, auditor=whose.full)
        audited = shown is not table or asked.grant.perspective.full
        own = chairs or (table.open_chairs if asked.grant.seat is not None else ())
        track = shown.track(whose.seat, auditor=whose.full, audited=audited, chairs=own)
        if shown is table:
            await record_delivery(asked, table, 1, track.head.seq)
        else:
            await record_look(asked, table, wanted)
    body = await asked.live_games.call(track.to_bytes)
    return await packed(request, asked.live_games.call, body, "application/json", PRIVATE)
