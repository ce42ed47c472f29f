"""What a link opens, and taking it up."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from sottovoce.server.http.callers import Caller, CurrentCaller, Guarded
from sottovoce.server.http.models.links import LinkOpens
from sottovoce.server.http.openapi import answers
from sottovoce.server.http.responses import json_answer, minute
from sottovoce.server.http.routes.again import played_again
from sottovoce.server.links import Link, LinkKind

router = APIRouter(prefix="/v1/link", tags=["link"], route_class=Guarded)


@router.get("", **answers(model=LinkOpens))
async def show(asked: CurrentCaller) -> Response:
    """Show what the link opens."""
    return json_answer(await _opens(asked, asked.grant.link))


@router.post("/claim", **answers(LinkKind.SEAT, model=LinkOpens))
async def claim(asked: CurrentCaller) -> Response:
    """Report that the seat link is in use. Only the first time counts."""
    return json_answer(await _opens(asked, await asked.services.links.claim(asked.grant.link)))


async def _opens(asked: Caller, link: Link) -> LinkOpens:
    ruleset = again = None
    if link.game:
        async with asked.live_games.using(link.game) as table:
            ruleset = table.live.ruleset.name
            again = await played_again(asked, table.live)
    return LinkOpens(
        kind=link.kind.value,
        game=link.game or None,
        seat=link.seat,
        ruleset=ruleset,
        claimed=minute(link.claimed) if link.kind is LinkKind.SEAT else None,
        again=again if link.kind in (LinkKind.SEAT, LinkKind.KEEPER) else None,
    )
