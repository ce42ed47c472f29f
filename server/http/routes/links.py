"""A game's links: the keeper issues and ends them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Path
from starlette.responses import Response

from sottovoce.server.http.answers import MOST, GameId, json_answer, minute
from sottovoce.server.http.chairs import Asked, Asking, Guarded
from sottovoce.server.http.models.links import LinkIssued, LinkRows, LinkWanted
from sottovoce.server.http.openapi import answers
from sottovoce.server.http.opening import outside_seats
from sottovoce.server.http.problems import Problem
from sottovoce.server.lineup import cautions
from sottovoce.server.links import Kind, Link
from sottovoce.server.live import LiveGame

router = APIRouter(prefix="/v1/games/{game}/links", tags=["links"], route_class=Guarded)


@router.get("", **answers(Kind.KEEPER, Kind.AUDITOR, model=LinkRows, problems=("unknown",)))
async def links(asked: Asked, game: GameId) -> Response:
    """List all links of the game, including revoked ones, without their tokens."""
    found = await asked.hall.call(asked.office.links.of, game)
    return json_answer({"links": [_row(link) for link in found]})


def _row(link: Link) -> dict[str, Any]:
    return {
        "number": link.number,
        "kind": link.kind.value,
        "seat": link.seat,
        "issued": minute(link.issued),
        "claimed": minute(link.claimed),
        "ended": minute(link.ended),
    }


@router.post(
    "",
    **answers(
        Kind.KEEPER,
        model=LinkIssued,
        status=201,
        means="The new link.",
        problems=("unknown", "refused", "too-large"),
    ),
)
async def issue(asked: Asked, game: GameId, wanted: LinkWanted) -> Response:
    """Create a link.

    It is shown only once. It revokes the old link of the same kind and seat and closes its streams; a new keeper link
    revokes the one you are using. During the game, all players see a new auditor link or seat link, in the same write.
    A game created with `keeper=blind` can have an auditor link only after it ends.
    """
    office = asked.office
    async with asked.hall.sitting(game) as table:
        token = await office.links.issue(table.live, Kind(wanted.kind), wanted.seat)
    link = await asked.hall.call(office.links.find, token)
    if link is None:
        raise Problem("refused", "A newer link of the same kind and seat replaced this one in the meantime.")
    told = {"number": link.number, "link": link_text(asked, game, token)}
    return json_answer(told, 201, {"cache-control": "no-store"})


@router.delete(
    "/{number}",
    **answers(
        Kind.KEEPER,
        status=204,
        means="The link is revoked and its streams are closed.",
        problems=("unknown", "refused"),
    ),
)
async def end(
    asked: Asked, game: GameId, number: Annotated[int, Path(ge=1, le=MOST, description="The link's number.")]
) -> Response:
    """Revoke a link. Repeating this changes nothing."""
    if number == asked.chair.link.number:
        raise Problem("refused", "This is the link you are using. To replace it, create a new keeper link.")
    async with asked.hall.sitting(game) as table:
        if not await asked.office.links.end(table.live, number):
            known = await asked.hall.call(asked.office.links.of, game)
            if number not in [link.number for link in known]:
                raise Problem("unknown", f"The game has no link {number}. See the list of its links.")
    return Response(status_code=204)


async def opened(asked: Asking, live: LiveGame) -> Response:
    """The answer with a new game, which this process then has in memory."""
    asked.hall.host(live)
    told = {"game": live.id, "links": await _first_links(asked, live), "cautions": cautions(live)}
    return json_answer(told, 201, {"cache-control": "no-store"})


async def _first_links(asked: Asking, live: LiveGame) -> dict[str, Any]:
    """The links that a new game begins with."""
    seats = outside_seats(live)
    wanted = [(Kind.KEEPER, None), (Kind.SPECTATOR, None), *((Kind.SEAT, seat) for seat in seats)]
    tokens = await asked.office.links.issue_first(live, wanted)
    keeper, spectator, *others = (link_text(asked, live.id, token) for token in tokens)
    held: Mapping[str, str] = dict(zip(seats, others, strict=True))
    return {"keeper": keeper, "spectator": spectator, "seats": held}


def link_text(asked: Asking, game: str, token: str) -> str:
    """A link as a person gets it: the token stands behind the `#`, which no browser sends anywhere."""
    return f"{asked.office.settings.url}/games/{game}#{token}"
