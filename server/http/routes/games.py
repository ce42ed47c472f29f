"""Games: what may be played, which there are, opening one, and where one stands."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from domain.ruleset import Players, Ruleset
from domain.rulesets import RULESETS
from projections.summary import Summary, show
from server.extras import EXTRAS
from server.http.answers import PAGE, GameId, Limit, Word, json_answer
from server.http.chairs import Asked, Guarded
from server.http.models.fields import Status
from server.http.models.games import GameLines, GameShown, Opened, Rulesets, Wanted
from server.http.openapi import answers
from server.http.opening import open_game
from server.http.problems import Problem
from server.http.routes.links import first_links
from server.links import Kind
from server.summaries import NoSuchGame, newest

router = APIRouter(prefix="/v1", tags=["games"], route_class=Guarded)


@router.get("/rulesets", **answers(Kind.HOST, Kind.KEEPER, model=Rulesets))
async def rulesets(asked: Asked) -> Response:
    """What may be played here, and with what."""
    settings = asked.office.settings
    return json_answer(
        {
            "rulesets": [_line(ruleset) for ruleset in RULESETS.usable()],
            "agents": list(settings.agents),
            "campaigns": list(settings.campaigns),
            "folders": list(settings.folders),
        }
    )


def _line(ruleset: Ruleset[Any]) -> dict[str, Any]:
    players = next(kind for kind in ruleset.seats if isinstance(kind, Players))
    return {
        "name": ruleset.name,
        "seats": [seat for seat in ruleset.seats if isinstance(seat, str)],
        "players": {"least": players.least, "most": players.most, "usual": players.usual},
        "options": ruleset.options.model_json_schema(),
        "needs": EXTRAS.of(ruleset.name).needs,
    }


@router.get("/games", **answers(model=GameLines, problems=("unknown",)))
async def games(
    asked: Asked,
    status: Annotated[Status | Word, Query(description="Only those that stand so.")] = None,
    ruleset: Annotated[Word, Query(description="Only those of that ruleset.")] = None,
    limit: Limit = PAGE,
    after: Annotated[Word, Query(description="Only games that are older than this one.")] = None,
) -> Response:
    """The games, newest first: a host's are all of the server, everybody else's is their own. As everybody may know
    them: times are to the minute, and a hold that only some may know of is none."""
    if asked.chair.kind is Kind.HOST:
        try:
            found = await asked.hall.call(
                newest, asked.hall.games.log, status=status, ruleset=ruleset, before=after, limit=limit + 1
            )
        except NoSuchGame:
            raise Problem("unknown", "There is no such game to go on after; begin without `after`.") from None
    else:
        async with asked.hall.sitting(asked.game) as table:
            recorded, rules = table.live.recorded[:], table.live.ruleset
        own = (await asked.hall.call(show, rules, recorded, asked.chair.perspective)).summary
        wanted = status in (None, own.status) and ruleset in (None, own.ruleset) and after is None
        found = [own] if wanted else []
    shown = found[:limit]
    return json_answer(
        {
            "games": [_public(one).to_json() for one in shown],
            "next": shown[-1].game if len(found) > limit else None,
        }
    )


def _public(one: Summary) -> Summary:
    return replace(one, started=_minute(one.started), ended=one.ended and _minute(one.ended), fallbacks=None)


def _minute(at: datetime) -> datetime:
    return at.replace(second=0, microsecond=0)


@router.post(
    "/games", **answers(Kind.HOST, model=Opened, status=201, means="The game is open.", problems=("too-large",))
)
async def open_one(asked: Asked, wanted: Wanted) -> Response:
    """Open a game. Its links are shown here and never again."""
    live = await open_game(asked.hall, asked.office.settings, wanted)
    asked.hall.host(live)
    return json_answer({"game": live.id, "links": await first_links(asked, live)}, 201, {"cache-control": "no-store"})


@router.get(
    "/games/{game}",
    **answers(Kind.KEEPER, Kind.SEAT, Kind.SPECTATOR, Kind.AUDITOR, model=GameShown, problems=("unknown",)),
)
async def show_one(asked: Asked, game: GameId) -> Response:
    """Where the game stands, as this chair may see it."""
    async with asked.hall.sitting(game) as table:
        live, recorded = table.live, table.live.recorded[:]
        shown = await asked.hall.call(show, live.ruleset, recorded, asked.chair.perspective)
    return json_answer(shown.to_json())
