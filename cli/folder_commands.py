"""`play` and `run` for games that are opened with a folder: made from a ruleset's setup, or by its own commands."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any, NoReturn

import click

from sottovoce.cli.batch_run import Run, play_plans, run_options
from sottovoce.cli.extras import EXTRAS as CLI
from sottovoce.cli.place import Place
from sottovoce.cli.seats import Seating, agents_option, seating_options
from sottovoce.cli.session import PlayOptions, play_options, play_plan, seed_option
from sottovoce.domain.draws import Seed
from sottovoce.domain.rulesets import RULESETS
from sottovoce.server.extras import EXTRAS, Opening, Setup, choice_fields, place_kind
from sottovoce.server.plan import Plan


def setup_options(setup: type[Setup], *but: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add the folder as an argument and the fields as options, except those in `but`, passed as one `setup`."""
    kind = place_kind(setup)
    fields = [field for field in choice_fields(setup) if field.name not in but]
    names = (kind.name, *(field.name for field in fields))

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def collected(*args: Any, **given: Any) -> None:
            values: Mapping[str, Any] = {name: given.pop(name) for name in names}
            chosen = {name: value for name, value in values.items() if value is not None}
            command(*args, setup=setup.checked(chosen), **given)

        made: Callable[..., None] = collected
        for field in reversed(fields):
            flag = f"--{field.name.replace('_', '-')}"
            made = click.option(flag, field.name, metavar=field.metavar, help=field.about)(made)
        return click.argument(kind.name, metavar=kind.name.upper(), type=click.Path(path_type=Path))(made)

    return decorate


def play_setup_command(ruleset: str, setup: type[Setup]) -> click.Command:
    """Make `play RULESET FOLDER` for a ruleset with a setup that has no own command."""
    about, kind = CLI.of(ruleset).about or f"Play a game of {ruleset.capitalize()}.", place_kind(setup)
    text = f"""{about}

    {kind.about} To choose a seat, use `--seat NAME=human`. Any seat can have any agent.

    \b
    Example:  sottovoce play {ruleset} {CLI.of(ruleset).example or kind.name.upper()}
    """

    @click.command(ruleset, help=text)
    @setup_options(setup)
    @agents_option
    @seating_options
    @seed_option
    @play_options
    @click.pass_obj
    def command(place: Place, setup: Setup, seating: Seating, play: PlayOptions) -> None:
        with _loaded(ruleset, setup) as opening:
            play_opening(place, ruleset, opening, seating, play)

    return command


def run_setup_command(ruleset: str, setup: type[Setup]) -> click.Command:
    """Make `run RULESET FOLDER` for a ruleset with a setup that has no own command."""
    about, kind = CLI.of(ruleset).many or f"Run many games of {ruleset.capitalize()}.", place_kind(setup)
    text = f"""{about}

    {kind.about} No people take part.

    \b
    Example:  sottovoce run {ruleset} {kind.name.upper()} --games 20 --seed 1
    """

    @click.command(ruleset, help=text)
    @setup_options(setup)
    @agents_option
    @seating_options
    @run_options
    @click.pass_obj
    def command(place: Place, setup: Setup, seating: Seating, run: Run) -> None:
        with _loaded(ruleset, setup) as opening:
            run_opening(place, ruleset, opening, seating, run)

    return command


def _loaded(ruleset: str, setup: Setup) -> AbstractContextManager[Opening]:
    load = EXTRAS.of(ruleset).load
    assert load is not None, "a ruleset with a setup has a function that loads it"
    return load(setup, {})


def play_opening(place: Place, ruleset: str, opening: Opening, seating: Seating, play: PlayOptions) -> NoReturn:
    """Open a game, play it at this terminal and leave with the exit code.

    What is wrong with seats, agents or options is said in one line before a game is opened. Rules that the person gave
    stand above the opening's options.
    """
    play_plan(place, _plan(ruleset, opening, seating, play.seed), play, opening.folder)


def run_opening(place: Place, ruleset: str, opening: Opening, seating: Seating, run: Run) -> None:
    """Play many games without people, and print what they came to. None works in the opening's folder."""
    plan = _plan(ruleset, opening, seating, run.seed)
    play_plans(place, [replace(plan, seed=seed) for seed in run.seeds()], run)


def _plan(ruleset: str, opening: Opening, seating: Seating, seed: Seed) -> Plan:
    seats = RULESETS[ruleset].seats_for(opening.players)
    return Plan(ruleset, seats, seating.table(seats), seed, {**opening.options, **seating.rules}, opening.files)
