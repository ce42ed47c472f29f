"""`play` and `run` for rulesets that have no commands of their own, such as those of installed packages."""

from __future__ import annotations

import asyncio
import secrets
import sys
from collections.abc import Mapping
from typing import Any

import click

from agents.filling import check_agent
from cli.commands import Commands
from cli.many import play_plans, run_options, seed_option
from cli.numbers import SEED
from cli.place import Place, UnknownName, json_option
from cli.playing import play_through
from cli.seating import filled_seats, player_names, portable, rule_option, seat_option
from domain.draws import derived_seed
from domain.plugins import BROKEN
from domain.rulesets import RULESETS
from server.many import Plan

PLAYERS = 3


class RulesetCommands(Commands):
    """A command for each ruleset: its own, or else a plain one that takes names, agents and rules."""

    def __init__(self, *args: Any, places: Mapping[str, str], kind: str, **kwargs: Any) -> None:
        super().__init__(*args, places=places, **kwargs)
        self._kind = kind

    def list_commands(self, ctx: click.Context) -> list[str]:
        own = super().list_commands(ctx)
        return [*own, *(name for name in RULESETS if name not in _with_commands())]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        own = super().get_command(ctx, cmd_name)
        if own is not None:
            return own
        if cmd_name in BROKEN:
            raise UnknownName(f"The ruleset {cmd_name!r} cannot be used: {BROKEN[cmd_name]}.")
        if cmd_name not in RULESETS or cmd_name in _with_commands():
            return None
        return _play(cmd_name) if self._kind == "play" else _run(cmd_name)


def _with_commands() -> frozenset[str]:
    from cli.play import PLACES

    return frozenset(PLACES)


def _seats(ruleset: str, names: str | None, filled: dict[str, str], seed: int) -> tuple[str, ...]:
    players = player_names(PLAYERS, seed) if names is None else [name.strip() for name in names.split(",")]
    seats = RULESETS[ruleset].seats_for(players)
    if names is None:
        wanted = [name for name in filled if name not in seats]
        seats = RULESETS[ruleset].seats_for([*wanted, *players[len(wanted) :]])
    return seats


def _play(ruleset: str) -> click.Command:
    @click.command(
        ruleset, help=f"Play a game of {ruleset}.\n\n\b\nExample:  sottovoce play {ruleset} --names Ada,Bram"
    )
    @click.option("--names", metavar="A,B,…", help="The players' names, in seating order.")
    @click.option("--agents", metavar="AGENT", default="house", show_default=True, help="What fills the other seats.")
    @seat_option
    @rule_option
    @click.option("--seed", metavar="N", type=SEED, help="The seed of everything that is drawn.")
    @click.option("--quiet", is_flag=True, help="Show the result alone.")
    @json_option
    @click.pass_obj
    def command(
        place: Place,
        names: str | None,
        agents: str,
        filled: dict[str, str],
        rules: dict[str, Any],
        seed: int | None,
        quiet: bool,
        as_json: bool,
    ) -> None:
        seed = secrets.randbelow(2**32) if seed is None else seed
        seats = _seats(ruleset, names, filled, seed)
        table = filled_seats(seats, portable(agents), filled)
        for agent in set(table.values()):
            check_agent(agent)
        with place.games(create=True) as games:
            live = asyncio.run(games.open(ruleset, seats, table, seed, rules))
            sys.exit(play_through(place, games, live, quiet=quiet, as_json=as_json))

    return command


def _run(ruleset: str) -> click.Command:
    text = f"Play many games of {ruleset}.\n\n\b\nExample:  sottovoce run {ruleset} --games 20"

    @click.command(ruleset, help=text)
    @click.option("--names", metavar="A,B,…", help="The players' names, in seating order.")
    @click.option("--agents", metavar="AGENT", default="house", show_default=True, help="What fills the other seats.")
    @seat_option
    @rule_option
    @seed_option
    @run_options
    @json_option
    @click.pass_obj
    def command(
        place: Place,
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
        seed = secrets.randbelow(2**32) if seed is None else seed
        plans = []
        for number in range(count):
            own = derived_seed(seed, "game", number)
            seats = _seats(ruleset, names, filled, own)
            plans.append(Plan(ruleset, seats, filled_seats(seats, portable(agents), filled), own, rules))
        play_plans(place, plans, seed, jobs=jobs, csv_file=csv_file, quiet=quiet, as_json=as_json)

    return command
