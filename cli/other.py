"""`play` and `run` for rulesets that have no commands of their own, such as those of installed packages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from cli.commands import Commands
from cli.many import Run, play_plans, run_options
from cli.numbers import SEED
from cli.place import Place, UnknownName
from cli.playing import Play, play_options, play_plan
from cli.seating import Seating, agents_option, names_option, player_names, seating_options
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


def _plan(ruleset: str, names: str | None, seating: Seating, seed: int) -> Plan:
    players = player_names(PLAYERS, seed) if names is None else [name.strip() for name in names.split(",")]
    seats = RULESETS[ruleset].seats_for(players)
    if names is None:
        wanted = [name for name in seating.filled if name not in seats]
        seats = RULESETS[ruleset].seats_for([*wanted, *players[len(wanted) :]])
    return Plan(ruleset, seats, seating.table(seats), seed, seating.rules)


def _play(ruleset: str) -> click.Command:
    text = f"Play a game of {ruleset}.\n\n\b\nExample:  sottovoce play {ruleset} --names Ada,Bram"

    @click.command(ruleset, help=text)
    @names_option
    @agents_option
    @seating_options
    @click.option("--seed", metavar="N", type=SEED, help="The seed of everything that is drawn.")
    @play_options
    @click.pass_obj
    def command(place: Place, names: str | None, seating: Seating, play: Play) -> None:
        play_plan(place, _plan(ruleset, names, seating, play.seed), play)

    return command


def _run(ruleset: str) -> click.Command:
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
