"""What the keeper of a game does with it. A keeper sees of the game what everybody sees, and no more."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from sottovoce.domain.commands import Command, Fill, Hold
from sottovoce.domain.events import Recorded
from sottovoce.domain.visible import one_line
from sottovoce.projections.summary import status_of
from sottovoce.server.games import whole_append
from sottovoce.server.hall import Table
from sottovoce.server.http.answers import GameId, SeatName, json_answer
from sottovoce.server.http.chairs import Asked, Asking, Guarded
from sottovoce.server.http.models.games import AgentOf, Agents, Fork, Kept, Opened
from sottovoce.server.http.openapi import answers
from sottovoce.server.http.opening import check_agents
from sottovoce.server.http.problems import Problem
from sottovoce.server.http.routes.links import opened
from sottovoce.server.lineup import filled_seats
from sottovoce.server.links import Kind
from sottovoce.server.live import LiveGame
from sottovoce.server.replies import GAME_OVER

router = APIRouter(prefix="/v1/games/{game}", tags=["keeper"], route_class=Guarded)


@router.post("/hold", **answers(Kind.KEEPER, model=Kept, means="The game is held.", problems=("unknown", "closed")))
async def hold(asked: Asked, game: GameId) -> Response:
    """Stop the game, which everybody is told. Turns that are open may still be answered; nothing follows from it."""
    async with asked.hall.sitting(game) as table:
        return await _keep(asked, table, Hold(asked.hall.games.clock()))


@router.post(
    "/resume",
    **answers(Kind.KEEPER, model=Kept, means="The game goes on.", problems=("unknown", "closed", "too-large")),
)
async def resume(asked: Asked, game: GameId, filled: Agents) -> Response:
    """Go on with a game that is held, with other agents in some seats if need be."""
    return await _fill(asked, filled.agents)


@router.put(
    "/seats/{seat}",
    **answers(Kind.KEEPER, model=Kept, means="The seat is filled.", problems=("unknown", "closed", "too-large")),
)
async def fill(asked: Asked, game: GameId, seat: SeatName, filler: AgentOf) -> Response:
    """Give a seat another agent, with which the game goes on if it was held."""
    return await _fill(asked, {seat: filler.agent})


async def _fill(asked: Asking, agents: dict[str, str]) -> Response:
    check_agents(asked.office.settings, agents.values())
    async with asked.hall.sitting(asked.game) as table:
        found = filled_seats(table.live.state.seats, "", agents)
        given = {seat: agent for seat, agent in found.items() if agent}
        return await _keep(asked, table, Fill(asked.hall.games.clock(), given))


async def _keep(asked: Asking, table: Table, command: Command) -> Response:
    if table.live.state.over:
        raise Problem("closed", GAME_OVER)
    await asked.hall.submit(table, command)
    return json_answer({"game": table.live.id, "status": status_of(table.live.public().state)})


@router.post(
    "/fork",
    **answers(
        Kind.KEEPER,
        model=Opened,
        status=201,
        means="The new game.",
        problems=("unknown", "refused", "too-large"),
    ),
)
async def fork(asked: Asked, game: GameId, where: Fork) -> Response:
    """Make a new game that goes on from the end of what was decided by a past entry of the public view, or from now.

    Each seat knows in it what it knew then. Its links are shown here and never again. If the game is still running,
    everyone in it is told that the keeper copied it, before the copy is made. A game opened with `keeper=blind` can be
    forked once it is over.
    """
    async with asked.hall.sitting(game) as table:
        parent = table.live
        end = parent.length if where.at is None else _decided_by(parent, where.at)
        if parent.state.over and end == parent.length:
            raise Problem("refused", "The game is over there; fork at an earlier entry.")
        live = await asked.hall.games.fork(parent, end, by="keeper")
    return await opened(asked, live)


def _decided_by(live: LiveGame, seq: int) -> int:
    """The position of the last event of the append that holds that entry of the public view."""
    public: list[Recorded] = [item for item in live.recorded if item.audience.seats is None]
    if seq > len(public):
        told = one_line(f"at: {seq} is not there; give a number from 1 to {len(public)}.")
        raise Problem("invalid", told)
    position, append = public[seq - 1].position, public[seq - 1].append
    while position < live.length and live.recorded[position].append == append:
        position += 1
    assert whole_append(live.recorded, position) == position
    return position
