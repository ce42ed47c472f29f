"""`sottovoce play delegation` and `sottovoce run delegation`."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from sottovoce import Opening
from sottovoce.rulesets.delegation.opening import claimed, read_briefs, sessions_of
from sottovoce.rulesets.delegation.rules import DELEGATION
from sottovoce.rulesets.delegation.rules.names import USER
from sottovoce.terminal import (
    Place,
    PlayOptions,
    Run,
    Seating,
    at_terminal,
    play_opening,
    play_options,
    run_opening,
    run_options,
    seating_options,
)

folder_argument = click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path))
task_option = click.option("--task", "slug", metavar="SLUG", help="Run only the task FOLDER/tasks/SLUG.md.")


@click.command("delegation")
@folder_argument
@task_option
@seating_options
@play_options
@click.pass_obj
def play_delegation(place: Place, folder: Path, slug: str | None, seating: Seating, play: PlayOptions) -> None:
    """Run tasks with a planner, an executor and a reviewer; you make the final decision.

    Each task is a brief in FOLDER/tasks; agents write their files below FOLDER/.agent-artifacts. In a terminal you are
    the user; otherwise a bot is. Bots play every other seat unless you choose other agents.

    \b
    Examples: sottovoce play delegation examples/delegation/village-paper
              sottovoce play delegation . --task fix-typos --seat executor=outside --rule max_rounds=3
    """
    folder = folder.expanduser().absolute()
    here = at_terminal() and not (play.quiet or play.as_json)
    seating = seating.unless_filled(USER, "human" if here else "house")
    briefs = read_briefs(folder, slug, datetime.now(UTC))
    sessions = tuple(sessions_of(briefs))
    seating.table(DELEGATION.seats_for(sessions))  # a seat that is not there is told before anything is claimed
    with claimed(folder, briefs) as files:
        play_opening(place, "delegation", Opening(sessions, {}, files, str(folder)), seating, play)


@click.command("delegation")
@folder_argument
@task_option
@seating_options
@run_options
@click.pass_obj
def run_delegation(place: Place, folder: Path, slug: str | None, seating: Seating, run: Run) -> None:
    """Run a folder's tasks many times without people.

    Files the agents write are stored only in the database. The folder is not changed.

    \b
    Example:  sottovoce run delegation examples/delegation/village-paper --games 5
    """
    briefs = read_briefs(folder.expanduser().absolute(), slug, datetime.now(UTC))
    run_opening(place, "delegation", Opening(tuple(sessions_of(briefs)), {}, briefs), seating, run)
