"""`sottovoce fork`."""

from __future__ import annotations

import asyncio

import click

from sottovoce.agents.kinds import check_agent
from sottovoce.cli.numbers import Whole
from sottovoce.cli.output import say
from sottovoce.cli.place import Place, check_seq, game_argument, json_option, load_game, print_json
from sottovoce.cli.seats import seat_option
from sottovoce.cli.seeds import SEED
from sottovoce.domain.draws import Seed
from sottovoce.server.lineup import filled_seats


@click.command()
@game_argument
@click.option("--at", "position", metavar="POSITION", type=Whole(), required=True, help="Where to leave the old game.")
@click.option("--seed", metavar="SEED", type=SEED, help="Another seed for what is drawn from there on.")
@seat_option
@json_option
@click.pass_obj
def fork(place: Place, game: str, position: int, seed: Seed | None, filled: dict[str, str], as_json: bool) -> None:
    """Make a new game that goes on from a past position of another.

    It goes on from the end of the last whole append at or before POSITION, each seat knowing exactly what it knew, and
    is played on with `resume`. If the old game is still running, everyone in it is told that it was copied. A game
    opened with `--rule keeper=blind` can be forked once it is over.

    \b
    Example:  sottovoce fork latest --at 120 --seed 7 --seat Ada=human
    """
    for agent in filled.values():
        check_agent(agent)
    with place.games() as games:
        parent = load_game(games.log, game)
        check_seq(position, parent.length)
        agents = {seat: agent for seat, agent in filled_seats(parent.state.seats, "", filled).items() if agent}
        live = asyncio.run(games.fork(parent, position, seed=seed, agents=agents))
    if as_json:
        print_json({"game": live.id, "parent": parent.id})
    else:
        told = "" if parent.state.over else " Everyone in the old game was told."
        say(f"Game {live.id} goes on from game {parent.id}.{told} Play it with: {place.command('resume', live.id)}")
