"""`sottovoce play delegation` and `sottovoce run delegation`."""

from __future__ import annotations

import asyncio
import secrets
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from agents.filling import check_agent
from cli.briefs import read_briefs, sessions_of
from cli.many import play_plans, run_options, seed_option
from cli.place import Place, json_option
from cli.playing import play_through
from cli.seating import filled_seats, rule_option, seat_option
from domain.draws import derived_seed
from domain.rulesets import RULESETS
from domain.rulesets.delegation.messages import USER
from server.many import Plan

folder_argument = click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path))
task_option = click.option(
    "--task", "slug", metavar="SLUG", help="Work on FOLDER/tasks/SLUG.md alone, not on all that are there."
)


@click.command()
@folder_argument
@task_option
@seat_option
@rule_option
@click.option("--quiet", is_flag=True, help="Show the result alone.")
@json_option
@click.pass_obj
def delegation(
    place: Place,
    folder: Path,
    slug: str | None,
    filled: dict[str, str],
    rules: dict[str, Any],
    quiet: bool,
    as_json: bool,
) -> None:
    """Have tasks planned, done and reviewed: a planner, an executor and a reviewer work, and you decide.

    Each task is a brief in FOLDER/tasks; the files that sessions write lie below FOLDER/.agent-artifacts. At a terminal
    the user is you, otherwise the house; every other seat is the house's unless it is given to somebody else.

    \b
    Examples: sottovoce play delegation examples/delegation/village-paper
              sottovoce play delegation . --task fix-typos --seat executor=outside --rule max_rounds=3
    """
    folder = folder.expanduser().absolute()
    briefs = read_briefs(folder, slug, datetime.now(UTC))
    seats = RULESETS["delegation"].seats_for(sessions_of(briefs))
    here = not (quiet or as_json) and sys.stdin.isatty() and sys.stdout.isatty()
    table = filled_seats(seats, "house", {USER: "human" if here else "house", **filled})
    for agent in set(table.values()):
        check_agent(agent)
    with place.games(create=True) as games:
        seed = secrets.randbelow(2**32)
        opening = games.open("delegation", seats, table, seed, rules, files=briefs, folder=str(folder))
        live = asyncio.run(opening)
        sys.exit(play_through(place, games, live, quiet=quiet, as_json=as_json))


@click.command("delegation")
@folder_argument
@task_option
@seat_option
@rule_option
@seed_option
@run_options
@json_option
@click.pass_obj
def run_delegation(
    place: Place,
    folder: Path,
    slug: str | None,
    filled: dict[str, str],
    rules: dict[str, Any],
    seed: int | None,
    count: int,
    jobs: int,
    csv_file: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Have the tasks of a folder worked on many times over, without people.

    What the sessions write is in the log alone: nothing is written into the folder.

    \b
    Example:  sottovoce run delegation examples/delegation/village-paper --games 5
    """
    briefs = read_briefs(folder.expanduser().absolute(), slug, datetime.now(UTC))
    seats = RULESETS["delegation"].seats_for(sessions_of(briefs))
    table = filled_seats(seats, "house", filled)
    seed = secrets.randbelow(2**32) if seed is None else seed
    plans = [
        Plan("delegation", seats, table, derived_seed(seed, "game", number), rules, briefs) for number in range(count)
    ]
    play_plans(place, plans, seed, jobs=jobs, csv_file=csv_file, quiet=quiet, as_json=as_json)
