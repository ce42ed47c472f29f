"""A game's links: the keeper issues and ends them."""

from __future__ import annotations

from typing import Annotated, cast

from fastapi import APIRouter, Path
from starlette.responses import Response

from sottovoce.server.http.callers import Caller, CurrentCaller, Guarded
from sottovoce.server.http.create_game import outside_seats
from sottovoce.server.http.models.games import Opened
from sottovoce.server.http.models.links import GameLinkKind, LinkIssued, LinkRow, LinkRows, Links, LinkWanted
from sottovoce.server.http.openapi import answers
from sottovoce.server.http.problems import UNKNOWN, Problem
from sottovoce.server.http.responses import MOST, GameId, json_answer, minute
from sottovoce.server.links import Link, LinkKind
from sottovoce.server.live import LiveGame
from sottovoce.server.seating import cautions

NOT_YOURS = (
    "A host link only gets a link for the seat that the host took when creating the game. Ask the game's keeper."
)

router = APIRouter(prefix="/v1/games/{game}/links", tags=["links"], route_class=Guarded)


@router.get("", **answers(LinkKind.KEEPER, LinkKind.AUDITOR, model=LinkRows, problems=("unknown",)))
async def links(asked: CurrentCaller, game: GameId) -> Response:
    """List all links of the game, including revoked ones, without their tokens."""
    found = await asked.live_games.call(asked.services.links.of, game)
    return json_answer(LinkRows(links=[_row(link) for link in found]))


def _row(link: Link) -> LinkRow:
    return LinkRow(
        number=link.number,
        kind=cast("GameLinkKind", link.kind.value),
        seat=link.seat,
        issued=minute(link.issued),
        claimed=minute(link.claimed),
        ended=minute(link.ended),
    )


@router.post(
    "",
    **answers(
        LinkKind.KEEPER,
        LinkKind.HOST,
        model=LinkIssued,
        status=201,
        means="The new link.",
        problems=("unknown", "refused", "too-large"),
    ),
)
async def issue(asked: CurrentCaller, game: GameId, wanted: LinkWanted) -> Response:
    """Create a link.

    It is shown only once. It revokes the old link of the same kind and seat and closes its streams; a new keeper link
    revokes the one you are using. During the game, all players see a new auditor link or seat link, in the same write.
    A game created with `keeper=blind` can have an auditor link only after it ends. A host link gets a new link for the
    seat that the host took when creating the game, and no other. Nobody is told, because the host has that seat.
    """
    services = asked.services
    async with asked.live_games.using(game) as table:
        if asked.grant.kind is LinkKind.HOST:
            own = _own_seat(table.live, wanted)
            token = await services.links.issue_to_holder(table.live, LinkKind.SEAT, own)
        else:
            token = await services.links.issue(table.live, LinkKind(wanted.kind), wanted.seat)
    link = await asked.live_games.call(services.links.find, token)
    if link is None:
        raise Problem("refused", "A newer link of the same kind and seat replaced this one in the meantime.")
    told = LinkIssued(number=link.number, link=link_text(asked, game, token))
    return json_answer(told, 201, {"cache-control": "no-store"})


def _own_seat(live: LiveGame, wanted: LinkWanted) -> str:
    """The seat that the host took. Problem for another link, or if the game is not the host's."""
    own: str | None = live.state.own
    if own is None:
        raise Problem("unknown", UNKNOWN)
    if wanted.kind != "seat" or wanted.seat not in (None, own):
        raise Problem("refused", NOT_YOURS)
    return own


@router.delete(
    "/{number}",
    **answers(
        LinkKind.KEEPER,
        status=204,
        means="The link is revoked and its streams are closed.",
        problems=("unknown", "refused"),
    ),
)
async def end(
    asked: CurrentCaller, game: GameId, number: Annotated[int, Path(ge=1, le=MOST, description="The link's number.")]
) -> Response:
    """Revoke a link. Repeating this changes nothing."""
    if number == asked.grant.link.number:
        raise Problem("refused", "This is the link you are using. To replace it, create a new keeper link.")
    async with asked.live_games.using(game) as table:
        if not await asked.services.links.end(table.live, number):
            known = await asked.live_games.call(asked.services.links.of, game)
            if number not in [link.number for link in known]:
                raise Problem("unknown", f"The game has no link {number}. See the list of its links.")
    return Response(status_code=204)


async def opened(asked: Caller, live: LiveGame) -> Response:
    """The answer with a new game, which this process then has in memory."""
    asked.live_games.host(live)
    told = Opened(game=live.id, links=await _first_links(asked, live), cautions=cautions(live))
    return json_answer(told, 201, {"cache-control": "no-store"})


async def _first_links(asked: Caller, live: LiveGame) -> Links:
    """The links that a new game begins with."""
    seats = outside_seats(live)
    wanted = [(LinkKind.KEEPER, None), (LinkKind.SPECTATOR, None), *((LinkKind.SEAT, seat) for seat in seats)]
    tokens = await asked.services.links.issue_first(live, wanted)
    keeper, spectator, *others = (link_text(asked, live.id, token) for token in tokens)
    return Links(keeper=keeper, spectator=spectator, seats=dict(zip(seats, others, strict=True)))


def link_text(asked: Caller, game: str, token: str) -> str:
    """A link as a person gets it: the token stands behind the `#`, which no browser sends anywhere."""
    return f"{asked.services.settings.url}/games/{game}#{token}"
