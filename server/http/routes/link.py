"""What a link opens, and taking it up."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from sottovoce.server.http.answers import json_answer, minute
from sottovoce.server.http.chairs import Asked, Asking, Guarded
from sottovoce.server.http.models.links import LinkOpens
from sottovoce.server.http.openapi import answers
from sottovoce.server.links import Kind, Link

router = APIRouter(prefix="/v1/link", tags=["link"], route_class=Guarded)


@router.get("", **answers(model=LinkOpens))
async def show(asked: Asked) -> Response:
    """Show what the link opens."""
    return json_answer(await _opens(asked, asked.chair.link))


@router.post("/claim", **answers(Kind.SEAT, model=LinkOpens))
async def claim(asked: Asked) -> Response:
    """Report that the seat link is in use. Only the first time counts."""
    return json_answer(await _opens(asked, await asked.office.links.claim(asked.chair.link)))


async def _opens(asked: Asking, link: Link) -> dict[str, Any]:
    ruleset = None
    if link.game:
        async with asked.hall.sitting(link.game) as table:
            ruleset = table.live.ruleset.name
    return {
        "kind": link.kind.value,
        "game": link.game or None,
        "seat": link.seat,
        "ruleset": ruleset,
        "claimed": minute(link.claimed) if link.kind is Kind.SEAT else None,
    }
