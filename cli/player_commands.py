"""`play` and `run` for rulesets whose games take players, agents and rules, and nothing more."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar

import click

from sottovoce.cli.batch_run import Run, play_plans, run_options
from sottovoce.cli.extras import EXTRAS
from sottovoce.cli.numbers import WholeNumber
from sottovoce.cli.output import say
from sottovoce.cli.place import Place
from sottovoce.cli.play_screen import at_terminal
from sottovoce.cli.question import ask
from sottovoce.cli.seats import Seating, agents_option, lineup, names_option, seating_options
from sottovoce.cli.session import PlayOptions, play_options, play_plan, seed_option
from sottovoce.domain.draws import Seed
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.ruleset import Players
from sottovoce.domain.rulesets import RULESETS
from sottovoce.domain.seats import checked_names
from sottovoce.server.plan import Plan
from sottovoce.server.seating import MOST_PLAYERS, player_names

F = TypeVar("F", bound=Callable[..., Any])

COUNTS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def play_command(ruleset: str) -> click.Command:
    """`play RULESET`."""
    extras, title = EXTRAS.of(ruleset), ruleset.capitalize()
    about = f": {extras.about[:1].lower()}{extras.about[1:]}" if extras.about else "."
    examples = [f"sottovoce play {ruleset}", f"sottovoce play {ruleset} {extras.example or '--names Ada,Bram'}"]
    text = f"""Play a game of {title}{about}

    In a terminal you are offered a seat. To choose one, use `--seat NAME=human`. Any seat can have any agent.

    \b
    Examples: {examples[0]}
              {examples[1]}
    """

    @click.command(ruleset, help=text)
    @_players_option(ruleset)
    @names_option
    @agents_option
    @seating_options
    @seed_option
    @play_options
    @click.pass_obj
    def command(place: Place, players: int | None, names: str | None, seating: Seating, play: PlayOptions) -> None:
        asked = names is not None or seating.filled or play.quiet or play.as_json or seating.agents != "house"
        if not asked and at_terminal():
            seating = _offered(ruleset, players, seating, play.seed)
        play_plan(place, _plan(ruleset, players, names, seating, play.seed), play)

    return command


def run_command(ruleset: str) -> click.Command:
    """`run RULESET`."""
    text = f"""Run many games of {ruleset.capitalize()} without people.

    \b
    Example:  sottovoce run {ruleset} --games 200 --jobs 2 --agents random --seed 1
    """

    @click.command(ruleset, help=text)
    @_players_option(ruleset)
    @names_option
    @agents_option
    @seating_options
    @run_options
    @click.pass_obj
    def command(place: Place, players: int | None, names: str | None, seating: Seating, run: Run) -> None:
        play_plans(place, [_plan(ruleset, players, names, seating, seed) for seed in run.seeds()], run)

    return command


def _players_option(ruleset: str) -> Callable[[F], F]:
    known = RULESETS[ruleset]
    limits = next((kind for kind in known.seats if isinstance(kind, Players)), Players(0, 0))
    most = MOST_PLAYERS if limits.most is None else min(limits.most, MOST_PLAYERS)
    text = f"Number of players, {limits.least} to {most}.  [default: {known.players}]"
    return click.option("--players", metavar="N", type=WholeNumber(limits.least, most), help=text)


def _plan(name: str, players: int | None, names: str | None, seating: Seating, seed: Seed) -> Plan:
    ruleset = RULESETS[name]
    seats = ruleset.seats_for(lineup(ruleset, players, names, seating.filled, seed))
    return Plan(name, seats, seating.table(seats), seed, seating.rules)


def _offered(ruleset: str, players: int | None, seating: Seating, seed: Seed) -> Seating:
    """The seating with the person at the terminal in a seat, if they want one: under a name that the rules take."""
    count = players or RULESETS[ruleset].players
    number = COUNTS[count - 1] if count <= len(COUNTS) else count
    offer = f"A game of {ruleset.capitalize()} for {number}. Take a seat and play, or watch the bots play."
    say(textwrap.fill(offer, shutil.get_terminal_size().columns))
    while True:
        name = ask("Your name (Enter to watch)")
        say()
        if not name:
            return seating
        try:
            (name,) = checked_names([name])
            RULESETS[ruleset].seats_for(player_names(count, seed, [name]))
            taken = replace(seating, filled={name: "human"})
            _plan(ruleset, players, None, taken, seed)
        except SottovoceError as error:
            say(str(error))
        else:
            return taken
