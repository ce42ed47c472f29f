"""`sottovoce play mafia` and `sottovoce run mafia`."""

from __future__ import annotations

import asyncio
import secrets
import sys
from typing import Any

import click

from agents.filling import check_agent
from cli.many import play_plans, run_options, seed_option
from cli.numbers import SEED, Whole
from cli.place import Place, json_option
from cli.playing import play_through
from cli.seating import MOST_PLAYERS, filled_seats, lineup, portable, rule_option, seat_option
from domain.draws import derived_seed
from domain.rulesets import RULESETS
from server.many import Plan


@click.command()
@click.option("--players", metavar="N", type=Whole(4, MOST_PLAYERS), help="How many players; 8 if not given.")
@click.option("--names", metavar="A,B,…", help="The players' names, in seating order.")
@click.option("--agents", metavar="AGENT", default="house", show_default=True, help="What fills the other seats.")
@seat_option
@rule_option
@click.option("--seed", metavar="N", type=SEED, help="The seed of everything that is drawn; a fresh one if not given.")
@click.option("--quiet", is_flag=True, help="Show the result alone.")
@json_option
@click.pass_obj
def mafia(
    place: Place,
    players: int | None,
    names: str | None,
    agents: str,
    filled: dict[str, str],
    rules: dict[str, Any],
    seed: int | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Play a game of Mafia: hidden roles, sealed votes, and a narrator who knows.

    At a terminal you are offered a seat; `--seat NAME=human` takes one, and any seat, the narrator's too, may be filled
    in any way.

    \b
    Examples: sottovoce play mafia
              sottovoce play mafia --names Ada,Bram,Cleo,Dirk,Edda --seat Ada=human --rule max_days=6
    """
    asked = names is not None or filled or quiet or as_json or agents != "house"
    if not asked and sys.stdin.isatty() and sys.stdout.isatty():
        filled = _offer_seat()
    seed = secrets.randbelow(2**32) if seed is None else seed
    seats = RULESETS["mafia"].seats_for(lineup(players, names, filled, seed))
    table = filled_seats(seats, portable(agents), filled)
    for agent in set(table.values()):
        check_agent(agent)
    with place.games(create=True) as games:
        live = asyncio.run(games.open("mafia", seats, table, seed, rules))
        sys.exit(play_through(place, games, live, quiet=quiet, as_json=as_json))


def _offer_seat() -> dict[str, str]:
    click.echo("A game of Mafia for eight. Take a seat and play, or watch the house play.")
    name = click.prompt("Your name (Enter to watch)", default="", show_default=False).strip()
    click.echo()
    return {name: "human"} if name else {}


@click.command("mafia")
@click.option("--players", metavar="N", type=Whole(4, MOST_PLAYERS), help="How many players; 8 if not given.")
@click.option("--names", metavar="A,B,…", help="The players' names, in seating order.")
@click.option("--agents", metavar="AGENT", default="house", show_default=True, help="What fills the other seats.")
@seat_option
@rule_option
@seed_option
@run_options
@json_option
@click.pass_obj
def run_mafia(
    place: Place,
    players: int | None,
    names: str | None,
    agents: str,
    filled: dict[str, str],
    rules: dict[str, Any],
    seed: int | None,
    count: int,
    jobs: int,
    csv_file: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Play many games of Mafia, many at once. All seats are played without people.

    \b
    Example:  sottovoce run mafia --games 200 --jobs 2 --agents random --seed 1
    """
    seed = secrets.randbelow(2**32) if seed is None else seed
    plans = []
    for number in range(count):
        own = derived_seed(seed, "game", number)
        seats = RULESETS["mafia"].seats_for(lineup(players, names, filled, own))
        plans.append(Plan("mafia", seats, filled_seats(seats, portable(agents), filled), own, rules))
    play_plans(place, plans, seed, jobs=jobs, csv_file=csv_file, quiet=quiet, as_json=as_json)
