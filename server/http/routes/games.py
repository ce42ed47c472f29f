"""Games: what may be played, which there are, opening one, and where one stands."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import Field
from pydantic.json_schema import SkipJsonSchema
from starlette.responses import Response

from sottovoce.domain.events import GameOpened
from sottovoce.domain.ruleset import Players, Ruleset
from sottovoce.domain.rulesets import RULESETS
from sottovoce.projections.summary import Summary, awaited_in_public, show
from sottovoce.server.extras import EXTRAS
from sottovoce.server.http.answers import PAGE, GameId, Limit, Word, json_answer
from sottovoce.server.http.chairs import Asked, Asking, Guarded
from sottovoce.server.http.models.fields import Status
from sottovoce.server.http.models.games import GameLines, GameShown, Offered, Opened, Rulesets, Wanted
from sottovoce.server.http.openapi import answers
from sottovoce.server.http.opening import look_into, open_game
from sottovoce.server.http.problems import Problem
from sottovoce.server.http.routes.links import opened
from sottovoce.server.lineup import cautions
from sottovoce.server.links import Kind
from sottovoce.server.summaries import NoSuchGame, newest

Short = Annotated[str, Field(max_length=100)] | SkipJsonSchema[None]

router = APIRouter(prefix="/v1", tags=["games"], route_class=Guarded)


@router.get("/rulesets", **answers(Kind.HOST, Kind.KEEPER, model=Rulesets))
async def rulesets(asked: Asked) -> Response:
    """List what this server offers."""
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
        "cautions": [asdict(caution) for caution in ruleset.cautions],
    }


@router.get("/rulesets/{ruleset}/places/{place:path}", **answers(Kind.HOST, model=Offered, problems=("unknown",)))
async def place(
    asked: Asked,
    ruleset: Annotated[str, Path(min_length=1, max_length=100, description="The ruleset's name.")],
    place: Annotated[
        str, Path(min_length=1, max_length=100, description="The campaign or folder, as the settings name it.")
    ],
    task: Annotated[Short, Query(description="The only task to work on.")] = None,
    character: Annotated[Short, Query(description="The character a person plays.")] = None,
) -> Response:
    """List the choices for a game in one campaign or folder."""
    needs = EXTRAS.of(ruleset).needs if ruleset in RULESETS else None
    wanted = Wanted(
        ruleset=ruleset,
        campaign=place if needs == "campaign" else None,
        folder=place if needs == "folder" else None,
        task=task or None,
        character=character or None,
    )
    return json_answer(await look_into(asked.hall, asked.office.settings, wanted))


@router.get("/games", **answers(model=GameLines, problems=("unknown",)))
async def games(
    asked: Asked,
    status: Annotated[Status | Word, Query(description="Only games with this status.")] = None,
    ruleset: Annotated[Word, Query(description="Only games of this ruleset.")] = None,
    search: Annotated[Word, Query(description="Only the game with this id, or games with a seat of this name.")] = None,
    standing: Annotated[
        bool, Query(description="Also the seats, the phase and whose turn it is. Takes longer.")
    ] = False,
    limit: Limit = PAGE,
    after: Annotated[Word, Query(description="Only games that are older than this one.")] = None,
) -> Response:
    """List games, newest first: for a host all games of the server, for other links their own.

    Shows only public information: times are to the minute, and secret holds are left out.
    """
    if asked.chair.kind is Kind.HOST:
        try:
            found = await asked.hall.call(
                newest,
                asked.hall.games.log,
                status=status,
                ruleset=ruleset,
                search=search,
                before=after,
                limit=limit + 1,
            )
        except NoSuchGame:
            raise Problem("unknown", "The game in `after` does not exist. Start without `after`.") from None
    else:
        async with asked.hall.sitting(asked.game) as table:
            recorded, rules = table.live.recorded[:], table.live.ruleset
        shown_own = await asked.hall.call(show, rules, recorded, asked.chair.perspective)
        own = shown_own.summary
        named = search is None or search == own.game or search in shown_own.seats
        wanted = status in (None, own.status) and ruleset in (None, own.ruleset) and named and after is None
        found = [own] if wanted else []
    shown = found[:limit]
    return json_answer(
        {
            "games": [_public(one).to_json() | (await _standing(asked, one) if standing else {}) for one in shown],
            "next": shown[-1].game if len(found) > limit else None,
        }
    )


async def _standing(asked: Asking, one: Summary) -> dict[str, Any]:
    """Seats, phase and who is awaited, as everybody may know them; of a game that has ended its seats alone."""
    if one.ended is not None:
        first = (await asked.hall.call(asked.hall.games.log.read, one.game, 0, 1))[0].event
        return {"seats": list(first.seats) if isinstance(first, GameOpened) else [], "phase": "", "waiting_for": []}
    async with asked.hall.sitting(one.game) as table:
        rules, state = table.live.ruleset, table.live.public().state
        return {
            "seats": list(state.seats),
            "phase": rules.phase(state),
            "waiting_for": list(awaited_in_public(rules, state)),
        }


def _public(one: Summary) -> Summary:
    return replace(one, started=_minute(one.started), ended=one.ended and _minute(one.ended), fallbacks=None)


def _minute(at: datetime) -> datetime:
    return at.replace(second=0, microsecond=0)


@router.post(
    "/games", **answers(Kind.HOST, model=Opened, status=201, means="The game is created.", problems=("too-large",))
)
async def open_one(asked: Asked, wanted: Wanted) -> Response:
    """Create a game. Its links are shown only once."""
    live = await open_game(asked.hall, asked.office.settings, wanted)
    for caution in cautions(live):
        asked.hall.report(caution)
    return await opened(asked, live)


@router.get(
    "/games/{game}",
    **answers(Kind.KEEPER, Kind.SEAT, Kind.SPECTATOR, Kind.AUDITOR, model=GameShown, problems=("unknown",)),
)
async def show_one(asked: Asked, game: GameId) -> Response:
    """Show the game's status, as this viewer can see it."""
    async with asked.hall.sitting(game) as table:
        live, recorded = table.live, table.live.recorded[:]
        shown = await asked.hall.call(show, live.ruleset, recorded, asked.chair.perspective)
    return json_answer(shown.to_json())
