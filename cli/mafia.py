"""`sottovoce play mafia` and `sottovoce run mafia`."""

from __future__ import annotations

from dataclasses import replace

import click

from cli.asking import ask
from cli.many import Run, play_plans, run_options
from cli.numbers import Whole
from cli.output import say
from cli.place import Place
from cli.playing import Play, at_terminal, play_options, play_plan, seed_option
from cli.seating import MOST_PLAYERS, PLAYERS, Seating, agents_option, lineup, names_option, seating_options
from domain.draws import Seed
from domain.errors import SottovoceError
from domain.rulesets import RULESETS
from server.plan import Plan

COUNTS = dict(enumerate(("four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"), 4))

players_option = click.option(
    "--players", metavar="N", type=Whole(4, MOST_PLAYERS), help="How many players; 8 if not given."
)


@click.command()
@players_option
@names_option
@agents_option
@seating_options
@seed_option
@play_options
@click.pass_obj
def mafia(place: Place, players: int | None, names: str | None, seating: Seating, play: Play) -> None:
    """Play a game of Mafia: hidden roles, sealed votes, and a narrator who knows.

    At a terminal you are offered a seat; `--seat NAME=human` takes one, and any seat, the narrator's too, may be filled
    in any way.

    \b
    Examples: sottovoce play mafia
              sottovoce play mafia --names Ada,Bram,Cleo,Dirk,Edda --seat Ada=human --rule max_days=6
    """
    asked = names is not None or seating.filled or play.quiet or play.as_json or seating.agents != "house"
    if not asked and at_terminal():
        seating = _offered(players or PLAYERS, seating, play.seed)
    play_plan(place, _plan(players, names, seating, play.seed), play)


def _plan(players: int | None, names: str | None, seating: Seating, seed: Seed) -> Plan:
    seats = RULESETS["mafia"].seats_for(lineup(players, names, seating.filled, seed))
    return Plan("mafia", seats, seating.table(seats), seed, seating.rules)


def _offered(players: int, seating: Seating, seed: Seed) -> Seating:
    """The seating with the person at the terminal in a seat, if they want one: under a name that the rules take."""
    say(f"A game of Mafia for {COUNTS.get(players, players)}. Take a seat and play, or watch the house play.")
    while True:
        name = ask("Your name (Enter to watch)")
        say()
        if not name:
            return seating
        try:
            name, *_ = RULESETS["mafia"].seats_for([name])
            taken = replace(seating, filled={name: "human"})
            _plan(players, None, taken, seed)
        except SottovoceError as error:
            say(str(error))
        else:
            return taken


@click.command("mafia")
@players_option
@names_option
@agents_option
@seating_options
@run_options
@click.pass_obj
def run_mafia(place: Place, players: int | None, names: str | None, seating: Seating, run: Run) -> None:
    """Play many games of Mafia, many at once. All seats are played without people.

    \b
    Example:  sottovoce run mafia --games 200 --jobs 2 --agents random --seed 1
    """
    play_plans(place, [_plan(players, names, seating, seed) for seed in run.seeds()], run)
