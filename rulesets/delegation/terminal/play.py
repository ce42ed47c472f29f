"""`sottovoce play delegation` and `sottovoce run delegation`."""

from __future__ import annotations

import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import click

from sottovoce import Opening, UnknownName, Unreadable
from sottovoce.rulesets.delegation.opening import brief_of, claimed, read_briefs, sessions_of
from sottovoce.rulesets.delegation.rules import DELEGATION
from sottovoce.rulesets.delegation.rules.names import USER
from sottovoce.rulesets.delegation.terminal.named_checks import NamedChecks, named_checks
from sottovoce.rulesets.delegation.workspaces.checks import allow
from sottovoce.rulesets.delegation.workspaces.opening import commands_in, notes_on, repository_options
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
    say,
    seating_options,
)

folder_argument = click.argument("folder", metavar="FOLDER", type=click.Path(path_type=Path))
check_option = click.option(
    "--check",
    "checks",
    metavar="[NAME[LIMIT]=]COMMAND",
    multiple=True,
    callback=named_checks,
    help="Run this command on the code of each round. LIMIT is its time, such as 90s or 20m. Repeatable.",
)
task_option = click.option("--task", "slug", metavar="SLUG", help="Run only the task FOLDER/tasks/SLUG.md.")


@click.command("delegation")
@folder_argument
@task_option
@click.option("--brief", metavar="FILE", help="Run the task in this file, - for standard input, such as an issue.")
@check_option
@seating_options
@play_options
@click.pass_obj
def play_delegation(
    place: Place,
    folder: Path,
    slug: str | None,
    brief: str | None,
    checks: NamedChecks,
    seating: Seating,
    play: PlayOptions,
) -> None:
    """Run tasks with a planner, an executor and a reviewer; you make the final decision.

    Each task is a brief in FOLDER/tasks; agents write their files below FOLDER/.agent-artifacts. In a terminal you are
    the user; otherwise a bot is. Bots play every other seat unless you choose other agents. In a git repository each
    task has its own branch and worktree, in which its executor and its reviewer run.

    \b
    Examples: sottovoce play delegation examples/delegation/village-paper
              sottovoce play delegation . --task fix-typos --seat executor=outside --rule max_rounds=3
    """
    folder = folder.expanduser().absolute()
    here = at_terminal() and not (play.quiet or play.as_json)
    seating = seating.unless_filled(USER, "human" if here else "house")
    if brief is not None and slug is not None:
        raise click.UsageError("Use either --brief or --task, not both")
    now = datetime.now(UTC)
    briefs = read_briefs(folder, slug, now) if brief is None else brief_of(*_brief(folder, brief), now)
    sessions = tuple(sessions_of(briefs))
    seating.table(DELEGATION.seats_for(sessions))  # a seat that is not there is told before anything is claimed
    seating = replace(seating, rules=repository_options(folder, checks.with_rules(seating.rules)))
    allow(str(folder), commands_in(seating.rules))
    for note in () if play.quiet or play.as_json else notes_on(folder, seating.rules):
        say(note, err=True)
    with claimed(folder, briefs) as files:
        play_opening(place, "delegation", Opening(sessions, {}, files, str(folder)), seating, play)


def _brief(folder: Path, brief: str) -> tuple[bytes, str]:
    """The text of a brief from elsewhere, and what errors call it."""
    if not folder.is_dir():
        raise UnknownName(f"There is no folder {str(folder)!r}. Give the folder to work in.")
    if brief == "-":
        return sys.stdin.buffer.read(), "standard input"
    try:
        return Path(brief).expanduser().read_bytes(), brief
    except OSError as error:
        raise Unreadable(brief, error) from None


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
    if seating.rules.get("workspace", "none") != "none":
        raise UnknownName("run works in no folder. Use `sottovoce play delegation` for workspaces.")
    briefs = read_briefs(folder.expanduser().absolute(), slug, datetime.now(UTC))
    run_opening(place, "delegation", Opening(tuple(sessions_of(briefs)), {}, briefs), seating, run)
