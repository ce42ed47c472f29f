"""`sottovoce resume`."""

from __future__ import annotations

import asyncio
import sys

import click

from sottovoce.agents.kinds import check_agent, check_detail, is_named
from sottovoce.agents.programs.settings import check_allowed
from sottovoce.cli.agent_check import try_agents
from sottovoce.cli.game_over import close, result
from sottovoce.cli.limits import limit_options, raise_limits
from sottovoce.cli.output import say
from sottovoce.cli.place import Place, game_argument, json_option, load_game
from sottovoce.cli.seats import seat_option
from sottovoce.cli.session import play_through
from sottovoce.domain.commands import Fill
from sottovoce.server.games import Games
from sottovoce.server.limits import Limits
from sottovoce.server.liveness import surely_dead
from sottovoce.server.seating import filled_seats


@click.command()
@game_argument
@seat_option
@limit_options
@click.option("--quiet", is_flag=True, help="Print only the result.")
@json_option
@click.pass_obj
def resume(place: Place, game: str, filled: dict[str, str], quiet: bool, as_json: bool, limits: Limits) -> None:
    """Resume a game that was interrupted or put on hold. Seats keep their agents unless you choose others with --seat.
    Limits that you give replace those that the game has.

    \b
    Example:  sottovoce resume latest --seat Ada=house
    """
    for agent in filled.values():
        check_agent(agent)
    with place.games() as games:
        live = load_game(games.log, game)
        if live.state.over:
            if as_json:
                sys.exit(close(place, live, as_json=True))
            say(f"Game {live.id} is over. {result(live.state, live.recorded)}")
            return
        games.require_writable()
        for agent in filled.values():
            check_detail(agent, live.ruleset.name)
        agents = {seat: agent for seat, agent in filled_seats(live.state.seats, "", filled).items() if agent}
        check_allowed((agent for seat, agent in live.state.agents.items() if seat not in agents), named=is_named)
        try_agents({**live.state.agents, **agents}.values(), quiet=quiet or as_json, otherwise="The game is as it was.")
        raise_limits(games, live, limits)
        if agents or live.state.hold:
            asyncio.run(games.submit(live, Fill(games.clock(), agents)))
        if not (quiet or as_json):
            humans = [seat for seat, agent in live.state.agents.items() if agent == "human"]
            done = ("view", live.id, "--as", humans[0]) if humans else ("replay", live.id)
            say(f"Continuing game {live.id}. To see what happened so far: {place.command(*done)}\n", err=True)
            if _played_elsewhere(games, live.id):
                say("Another process is playing this game. Following it here, and taking over if it stops.\n", err=True)
        sys.exit(play_through(place, games, live, quiet=quiet, as_json=as_json, resumed=True))


def _played_elsewhere(games: Games, game: str) -> bool:
    """Whether a living worker other than this one holds an open turn."""
    at = games.clock()
    return any(due.worker and not due.is_free(at) and not surely_dead(due.worker) for due in games.log.due(game))
