"""Games: what may be played, which there are, opening one, and where one stands."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, replace
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from sottovoce.domain.events import GameOpened, GameRequested
from sottovoce.domain.ruleset import Players, Ruleset
from sottovoce.domain.rulesets import RULESETS
from sottovoce.projections.extras import EXTRAS as SHOWN
from sottovoce.projections.models import substitutes
from sottovoce.projections.summary import GameLine, GameShown, Status, Summary, awaited_in_public, show
from sottovoce.server.extras import EXTRAS, Setup, longest, place_kind, place_kinds, setup_schema
from sottovoce.server.http.callers import Caller, CurrentCaller, Guarded
from sottovoce.server.http.create_game import UNKNOWN_RULESET, open_game, preview
from sottovoce.server.http.models.games import (
    CautionLine,
    GameLines,
    GameListed,
    Offered,
    Opened,
    Overseen,
    RulesetLine,
    Rulesets,
    Wanted,
)
from sottovoce.server.http.openapi import answers
from sottovoce.server.http.problems import Problem
from sottovoce.server.http.responses import PAGE, GameId, Limit, Word, json_answer
from sottovoce.server.http.routes.links import opened
from sottovoce.server.links import LinkKind
from sottovoce.server.live import LiveGame
from sottovoce.server.oversight import at_work, budget, oversight
from sottovoce.server.seating import cautions
from sottovoce.server.summaries import NoSuchGame, newest

router = APIRouter(prefix="/v1", tags=["games"], route_class=Guarded)


@router.get("/rulesets", **answers(LinkKind.HOST, LinkKind.KEEPER, model=Rulesets))
async def rulesets(asked: CurrentCaller) -> Response:
    """List what this server offers."""
    settings = asked.services.settings
    kinds = place_kinds()
    return json_answer(
        Rulesets(
            rulesets=[_line(ruleset) for ruleset in RULESETS.usable()],
            agents=list(settings.agents),
            places={name: list(settings.places.get(name, ())) for name in kinds},
        )
    )


def _line(ruleset: Ruleset[Any]) -> RulesetLine:
    players = next(kind for kind in ruleset.seats if isinstance(kind, Players))
    setup, shown = EXTRAS.of(ruleset.name).setup, SHOWN.of(ruleset.name)
    return RulesetLine(
        name=ruleset.name,
        layout=shown.layout,
        **asdict(shown.card),
        seats=[seat for seat in ruleset.seats if isinstance(seat, str)],
        players={"least": players.least, "most": players.most, "usual": players.usual},
        options=ruleset.options.model_json_schema(),
        setup=None if setup is None else setup_schema(setup),
        needs=None if setup is None else place_kind(setup).name,
        cautions=[CautionLine(**asdict(caution)) for caution in ruleset.cautions],
    )


class SetupRoute(Guarded):
    """An endpoint whose query parameters are the fields of a ruleset's setup."""

    def parameters(self, request: Request) -> Collection[str]:
        """The setup's fields, apart from the folder, which is in the path."""
        setup = _setup(request.path_params["ruleset"])
        return () if setup is None else {*setup.model_fields} - {place_kind(setup).name}


def _setup(ruleset: str) -> type[Setup] | None:
    """The setup of that ruleset, if it has one."""
    return EXTRAS.of(ruleset).setup if ruleset in RULESETS else None


async def place(
    asked: CurrentCaller,
    ruleset: Annotated[str, Path(min_length=1, max_length=100, description="The ruleset's name.")],
    place: Annotated[str, Path(min_length=1, max_length=100, description="The folder, as the settings name it.")],
    request: Request,
) -> Response:
    """List the choices for a game in one of the server's folders."""
    setup = _setup(ruleset)
    if setup is None:
        raise Problem("unknown", UNKNOWN_RULESET)
    chosen = {name: value for name, value in request.query_params.items() if value}
    for name, value in chosen.items():
        if len(value) > (most := longest(setup, name)):
            raise Problem("invalid", f"{name}: use at most {most} characters.")
    given = {**chosen, place_kind(setup).name: place}
    seats, found = await preview(asked.live_games, asked.services.settings, ruleset, given)
    values = {name: list(listed) for name, listed in found.values.items()}
    return json_answer(Offered(seats=list(seats), people=list(found.people), choices=values))


router.add_api_route(
    "/rulesets/{ruleset}/places/{place:path}",
    place,
    methods=["GET"],
    route_class_override=SetupRoute,
    **answers(
        LinkKind.HOST,
        model=Offered,
        problems=("unknown",),
        query={"setup": "The other fields of the setup, by their names."},
    ),
)


@router.get("/games", **answers(model=GameLines, problems=("unknown",)))
async def games(
    asked: CurrentCaller,
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
    if asked.grant.kind is LinkKind.HOST:
        try:
            found = await asked.live_games.call(
                newest,
                asked.live_games.games.log,
                status=status,
                ruleset=ruleset,
                search=search,
                before=after,
                limit=limit + 1,
            )
        except NoSuchGame:
            raise Problem("unknown", "The game in `after` does not exist. Start without `after`.") from None
    else:
        async with asked.live_games.using(asked.game) as table:
            recorded, rules = table.live.recorded[:], table.live.ruleset
        shown_own = await asked.live_games.call(show, rules, recorded, asked.grant.perspective)
        own = shown_own.summary
        named = search is None or search == own.game or search in shown_own.seats
        wanted = status in (None, own.status) and ruleset in (None, own.ruleset) and named and after is None
        found = [own] if wanted else []
    shown = found[:limit]
    lines: list[Any] = [await _standing(asked, one) if standing else _public(one) for one in shown]
    return json_answer(GameLines(games=lines, next=shown[-1].game if len(found) > limit else None))


async def _standing(asked: Caller, one: Summary) -> GameListed:
    """Add what is public: seats, phase and whose turn it is; for a game that has ended only its seats.

    The host is also told which seat is the host's, and whether it has a turn.
    """
    line, host = _public(one), asked.grant.kind is LinkKind.HOST
    if one.ended is not None:
        begun = await asked.live_games.call(asked.live_games.games.log.read, one.game, 0, 2)
        first, request = begun[0].event, begun[-1].event
        seats = list(first.seats) if isinstance(first, GameOpened) else []
        mine = request.seat if isinstance(request, GameRequested) else None
        own: GameListed = {"own": mine, "awaited": False} if host else {}  # type: ignore[typeddict-item]
        return {**line, "seats": seats, "phase": "", "waiting_for": [], **own}
    async with asked.live_games.using(one.game) as table:
        rules, state = table.live.ruleset, table.live.public().state
        seat, awaited = table.live.state.own, _is_awaited(table.live)
        return {
            **line,
            **({"own": seat, "awaited": awaited} if host else {}),  # type: ignore[typeddict-item]
            "seats": list(state.seats),
            "phase": rules.phase(state),
            "waiting_for": list(awaited_in_public(rules, state)),
        }


def _is_awaited(live: LiveGame) -> bool:
    """Whether the host's own seat has an open turn."""
    return any(turn.seat == live.state.own for turn in live.state.turns.values())


def _public(one: Summary) -> GameLine:
    shown = replace(one, started=_minute(one.started), ended=one.ended and _minute(one.ended), fallbacks=None)
    return shown.to_json()


def _minute(at: datetime) -> datetime:
    return at.replace(second=0, microsecond=0)


@router.post(
    "/games", **answers(LinkKind.HOST, model=Opened, status=201, means="The game is created.", problems=("too-large",))
)
async def open_one(asked: CurrentCaller, wanted: Wanted) -> Response:
    """Create a game. Its links are shown only once."""
    live = await open_game(asked.live_games, asked.services.settings, wanted)
    for caution in cautions(live):
        asked.live_games.report(caution)
    return await opened(asked, live)


@router.get(
    "/games/{game}",
    **answers(
        LinkKind.KEEPER, LinkKind.SEAT, LinkKind.SPECTATOR, LinkKind.AUDITOR, model=GameShown, problems=("unknown",)
    ),
)
async def show_one(asked: CurrentCaller, game: GameId) -> Response:
    """Show the game's status, as this viewer can see it."""
    async with asked.live_games.using(game) as table:
        live, recorded = table.live, table.live.recorded[:]
        shown = await asked.live_games.call(show, live.ruleset, recorded, asked.grant.perspective)
    if asked.grant.perspective.full and live.state.over:
        receipts = await asked.live_games.call(asked.live_games.games.log.receipts, game)
        shown = replace(shown, substitutes=substitutes(receipts))
    return json_answer(shown.to_json())


@router.get(
    "/games/{game}/agents",
    **answers(LinkKind.KEEPER, LinkKind.SEAT, LinkKind.AUDITOR, model=Overseen, problems=("unknown",)),
)
async def agents(asked: CurrentCaller, game: GameId) -> Response:
    """Show what models and programs do now, for how long, and what is used of the game's budget.

    An auditor can ask this of any game. In delegated work the user's seat and the keeper can ask it too. Keepers of
    other games get the limits, and after the end what was used: whom the server asks can be a secret. Other seats get
    null for both.
    """
    async with asked.live_games.using(game) as table:
        live, log = table.live, asked.live_games.games.log
        told = oversight(live, asked.grant.perspective, keeps=asked.grant.kind is LinkKind.KEEPER)
        if told is None:
            return json_answer({"agents": None, "budget": None})
        receipts = await asked.live_games.call(lambda: list(log.receipts(game)))
        due = await asked.live_games.call(log.due, game) if told.agents else ()
        working = at_work(live, receipts, due, asked.live_games.games.clock()) if told.agents else None
    return json_answer({"agents": working, "budget": budget(receipts, told)})
