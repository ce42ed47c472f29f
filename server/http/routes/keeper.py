"""What the keeper of a game does with it. A keeper sees of the game what everybody sees, and no more."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from sottovoce.agents.kinds import check_detail
from sottovoce.domain.commands import Command, Fill, Hold
from sottovoce.domain.events import Recorded
from sottovoce.domain.safe_text import one_line
from sottovoce.projections.summary import status_of
from sottovoce.server.games import end_of_append
from sottovoce.server.http.callers import Caller, CurrentCaller, Guarded
from sottovoce.server.http.create_game import check_agents
from sottovoce.server.http.models.games import AgentOf, Agents, Fork, Kept, Opened
from sottovoce.server.http.openapi import answers
from sottovoce.server.http.problems import Problem
from sottovoce.server.http.responses import GameId, SeatName, json_answer
from sottovoce.server.http.routes.links import opened
from sottovoce.server.links import LinkKind
from sottovoce.server.live import LiveGame
from sottovoce.server.live_games import GameFeed
from sottovoce.server.replies import GAME_OVER
from sottovoce.server.seating import filled_seats

router = APIRouter(prefix="/v1/games/{game}", tags=["keeper"], route_class=Guarded)


@router.post(
    "/hold", **answers(LinkKind.KEEPER, model=Kept, means="The game is on hold.", problems=("unknown", "closed"))
)
async def hold(asked: CurrentCaller, game: GameId) -> Response:
    """Put the game on hold.

    All players see this. Open turns can still be answered, but nothing happens until the game is resumed.
    """
    async with asked.live_games.using(game) as table:
        return await _keep(asked, table, Hold(asked.live_games.games.clock()))


@router.post(
    "/resume",
    **answers(LinkKind.KEEPER, model=Kept, means="The game is resumed.", problems=("unknown", "closed", "too-large")),
)
async def resume(asked: CurrentCaller, game: GameId, filled: Agents) -> Response:
    """Resume a game that is on hold, with new agents for some seats if you like."""
    return await _fill(asked, filled.agents)


@router.put(
    "/seats/{seat}",
    **answers(
        LinkKind.KEEPER, model=Kept, means="The seat has a new agent.", problems=("unknown", "closed", "too-large")
    ),
)
async def fill(asked: CurrentCaller, game: GameId, seat: SeatName, filler: AgentOf) -> Response:
    """Give a seat another agent. A game on hold is resumed."""
    return await _fill(asked, {seat: filler.agent})


async def _fill(asked: Caller, agents: dict[str, str]) -> Response:
    check_agents(asked.services.settings, agents.values())
    async with asked.live_games.using(asked.game) as table:
        for agent in agents.values():
            check_detail(agent, table.live.ruleset.name)
        found = filled_seats(table.live.state.seats, "", agents)
        given = {seat: agent for seat, agent in found.items() if agent}
        return await _keep(asked, table, Fill(asked.live_games.games.clock(), given))


async def _keep(asked: Caller, table: GameFeed, command: Command) -> Response:
    if table.live.state.over:
        raise Problem("closed", GAME_OVER)
    await asked.live_games.submit(table, command)
    return json_answer(Kept(game=table.live.id, status=status_of(table.live.public().state)))


@router.post(
    "/fork",
    **answers(
        LinkKind.KEEPER,
        model=Opened,
        status=201,
        means="The new game.",
        problems=("unknown", "refused", "too-large"),
    ),
)
async def fork(asked: CurrentCaller, game: GameId, where: Fork) -> Response:
    """Fork the game after the decision of a past entry of the public view, or now. Each seat knows what it knew then.
    The links are shown only once. During the game, all players see that the keeper forked it, before the fork is made.
    A game created with `keeper=blind` can be forked only after it ends.
    """
    async with asked.live_games.using(game) as table:
        parent = table.live
        end = parent.length if where.at is None else _decided_by(parent, where.at)
        if parent.state.over and end == parent.length:
            raise Problem("refused", "The game is over at that entry. Fork at an earlier one.")
        live = await asked.live_games.games.fork(parent, end, by="keeper")
    return await opened(asked, live)


def _decided_by(live: LiveGame, seq: int) -> int:
    """The position of the last event of the append that holds that entry of the public view."""
    public: list[Recorded] = [item for item in live.recorded if item.audience.seats is None]
    if seq > len(public):
        told = one_line(f"at: {seq} does not exist. Give a number from 1 to {len(public)}.")
        raise Problem("invalid", told)
    position, append = public[seq - 1].position, public[seq - 1].append
    while position < live.length and live.recorded[position].append == append:
        position += 1
    assert end_of_append(live.recorded, position) == position
    return position
