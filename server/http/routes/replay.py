"""A chair's record of a game in one answer."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic.json_schema import SkipJsonSchema
from starlette.requests import Request
from starlette.responses import Response

from sottovoce.projections.perspective import PUBLIC, Perspective, UnknownSeat, checked_seat, of_seat
from sottovoce.server.hall import Table
from sottovoce.server.http.answers import GameId
from sottovoce.server.http.chairs import Asked, Asking, Guarded
from sottovoce.server.http.models.replay import Replay
from sottovoce.server.http.openapi import answers
from sottovoce.server.http.packing import packed
from sottovoce.server.http.problems import Problem
from sottovoce.server.http.routes.views import PRIVATE, SEEING, hand_over

router = APIRouter(prefix="/v1/games/{game}", tags=["view"], route_class=Guarded)

Seat = Annotated[str, Query(min_length=1, max_length=100)] | SkipJsonSchema[None]


@router.get("/replay", **answers(*SEEING, model=Replay, problems=("unknown",)))
async def replay(
    request: Request,
    asked: Asked,
    game: GameId,
    seat: Annotated[Seat, Query(alias="as", description="The seat whose replay to return. For auditors.")] = None,
    everybody: Annotated[bool, Query(description="The replay of what is public. For auditors.")] = False,
) -> Response:
    """Get the viewer's whole replay.

    An auditor gets everything, or the view of a seat or the public, with positions.
    """
    async with asked.hall.sitting(game) as table:
        whose = _whose(asked, table, seat, everybody)
        await table.prepare(whose.seat, auditor=whose.full)
        track = table.track(whose.seat, auditor=whose.full, audited=asked.chair.perspective.full)
        await hand_over(asked, table, 1, track.head.seq)
    body = await asked.hall.call(track.to_bytes)
    return await packed(request, asked.hall.call, body, "application/json", PRIVATE)


def _whose(asked: Asking, table: Table, seat: str | None, everybody: bool) -> Perspective:
    """Whose record is asked for. Problem where it is not for this link, or there is no such seat."""
    own = asked.chair.perspective
    if not own.full and (seat is not None or everybody):
        raise Problem("forbidden", "This link has only one view. Leave out `as` and `everybody`.")
    if seat is not None and everybody:
        raise Problem("invalid", "as, everybody: Use only one of them.")
    if seat is not None:
        try:
            return of_seat(checked_seat(table.live.recorded, seat))
        except UnknownSeat as error:
            raise Problem("unknown", str(error)) from None
    return PUBLIC if everybody else own
