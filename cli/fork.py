"""`sottovoce fork`."""

from __future__ import annotations

import asyncio

import click

from sottovoce.agents.kinds import check_agent
from sottovoce.cli.numbers import WholeNumber
from sottovoce.cli.output import say
from sottovoce.cli.place import Place, check_seq, game_argument, json_option, load_game, print_json
from sottovoce.cli.seats import seat_option
from sottovoce.cli.seeds import SEED
from sottovoce.domain.draws import Seed
from sottovoce.server.seating import filled_seats


@click.command()
@game_argument
@click.option("--at", "position", metavar="POSITION", type=WholeNumber(), required=True, help="Event to fork from.")
@click.option("--seed", metavar="SEED", type=SEED, help="New seed for random draws after the fork.")
@seat_option
@json_option
@click.pass_obj
def fork(place: Place, game: str, position: int, seed: Seed | None, filled: dict[str, str], as_json: bool) -> None:
    """Start a new game from a point in an old one.

    The new game starts after the last complete write at or before POSITION. Each seat knows what it knew then. Continue
    with `resume`. If the old game is still in progress, all players see that it was forked. A game created with `--rule
    keeper=blind` can be forked only after it ends.

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
        told = "" if parent.state.over else " All players of the old game see this."
        say(f"Game {live.id} is a fork of game {parent.id}.{told} To continue: {place.command('resume', live.id)}")
