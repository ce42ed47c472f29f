"""`play` and `run` for rulesets that have no commands of their own, such as those of installed packages."""

from __future__ import annotations

import click

from cli.many import Run, play_plans, run_options
from cli.place import Place
from cli.playing import Play, play_options, play_plan, seed_option
from cli.seating import Seating, agents_option, names_option, player_names, seating_options
from domain.draws import Seed
from domain.rulesets import RULESETS
from server.plan import Plan


def _plan(ruleset: str, names: str | None, seating: Seating, seed: Seed) -> Plan:
    players = (
        player_names(RULESETS[ruleset].players, seed) if names is None else [name.strip() for name in names.split(",")]
    )
    seats = RULESETS[ruleset].seats_for(players)
    if names is None:
        wanted = [name for name in seating.filled if name not in seats]
        seats = RULESETS[ruleset].seats_for([*wanted, *players[len(wanted) :]])
    return Plan(ruleset, seats, seating.table(seats), seed, seating.rules)


def play_command(ruleset: str) -> click.Command:
    """`play RULESET`."""
    text = f"Play a game of {ruleset}.\n\n\b\nExample:  sottovoce play {ruleset} --names Ada,Bram"

    @click.command(ruleset, help=text)
    @names_option
    @agents_option
    @seating_options
    @seed_option
    @play_options
    @click.pass_obj
    def command(place: Place, names: str | None, seating: Seating, play: Play) -> None:
        play_plan(place, _plan(ruleset, names, seating, play.seed), play)

    return command


def run_command(ruleset: str) -> click.Command:
    """`run RULESET`."""
    text = f"Play many games of {ruleset}.\n\n\b\nExample:  sottovoce run {ruleset} --games 20"

    @click.command(ruleset, help=text)
    @names_option
    @agents_option
    @seating_options
    @run_options
    @click.pass_obj
    def command(place: Place, names: str | None, seating: Seating, run: Run) -> None:
        play_plans(place, [_plan(ruleset, names, seating, seed) for seed in run.seeds()], run)

    return command
