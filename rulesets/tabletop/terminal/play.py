"""`sottovoce play tabletop` and `sottovoce run tabletop`."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

import click

from sottovoce import Opening
from sottovoce.agents.kinds import check_agent
from sottovoce.cli.place import UnknownName, load_game
from sottovoce.domain.safe_text import one_line
from sottovoce.rulesets.tabletop.newcomers import GUESTS
from sottovoce.rulesets.tabletop.opening import Evening, first_character, options_of, read_evening, seated
from sottovoce.rulesets.tabletop.rules.documents import recap_file
from sottovoce.rulesets.tabletop.rules.folders.sheets import shipped
from sottovoce.rulesets.tabletop.rules.messages import EDITIONS
from sottovoce.rulesets.tabletop.rules.names import HUMAN
from sottovoce.rulesets.tabletop.terminal.characters import choose_character, sheet_given
from sottovoce.server.live import LiveGame
from sottovoce.terminal import (
    Place,
    PlayOptions,
    Run,
    Seating,
    agents_option,
    ask,
    at_terminal,
    play_opening,
    play_options,
    run_opening,
    run_options,
    say,
    seating_options,
    seed_option,
)

edition_option = click.option(
    "--edition",
    metavar="E",
    type=click.Choice(list(EDITIONS)),
    help=f"Message format: {', '.join(EDITIONS)}.",
)


@click.command("tabletop")
@click.argument("campaign", metavar="CAMPAIGN", type=click.Path(path_type=Path))
@edition_option
@click.option("--as", "character", metavar="CHARACTER", help="Character you play.")
@click.option("--full-auto", is_flag=True, help="Play every character with agents.")
@click.option("--continue", "earlier", metavar="GAME", help="Continue the campaign after GAME.")
@click.option(
    "--with",
    "sheets",
    metavar="SHEET",
    multiple=True,
    help="Add a character: a sheet's file, or one that ships. Repeatable.",
)
@agents_option
@seating_options
@seed_option
@play_options
@click.pass_obj
def play_tabletop(
    place: Place,
    campaign: Path,
    edition: str | None,
    character: str | None,
    full_auto: bool,
    earlier: str | None,
    sheets: tuple[str, ...],
    seating: Seating,
    play: PlayOptions,
) -> None:
    """Play a session of a campaign: a GM, a narrator, and a party that includes you.

    In a terminal you are offered a character. Use `--as` to choose one, or `--full-auto` to play none. A folder without
    characters plays with some that come with Sottovoce, or with one that you make. The folder is never changed.

    \b
    Examples: sottovoce play tabletop examples/campaigns/ten-past-four
              sottovoce play tabletop examples/campaigns/ten-past-four --as pim-tallow
              sottovoce play tabletop examples/campaigns/ten-past-four --continue latest
    """
    if character is not None and full_auto:
        raise click.UsageError("Use either --as or --full-auto, not both")
    for agent in {seating.agents, *seating.filled.values()}:
        check_agent(agent)
    with place.games(create=True) as games:
        before = load_game(games.log, earlier) if earlier is not None else None
    with _patience(quiet=play.quiet or play.as_json):
        evening = read_evening(campaign, before)
    _say_notes(evening, whole=not play.quiet and not play.as_json)
    asking = at_terminal() and not play.as_json and character is None and not full_auto
    if sheets:
        evening = evening.with_sheets(dict(map(sheet_given, sheets)))
        character = character or (evening.guests[0] if not full_auto and not evening.party else None)
    elif evening.guests and asking:
        name, text = choose_character()
        evening, character = evening.with_sheets({name: text, **_company(evening, name)}), name
    roster = evening.roster
    if character is None and asking:
        character = _offer(roster, before)
    full_auto = full_auto or character is None
    if character is not None and character not in roster:
        raise UnknownName(f"There is no character {character!r}. Choose one of: {', '.join(roster)}.")
    own = character or first_character(roster, before)
    if character is not None and not (play.quiet or play.as_json):
        _say_recap(evening, own)
    seating = seating if full_auto else seating.unless_filled(HUMAN, "human")
    options = options_of(evening, own, edition, before, {})
    opening = Opening(seated(roster, own, human=not full_auto), options, evening.files)
    play_opening(place, "tabletop", opening, seating, play)


_LONG = 2.0
"""Seconds after which somebody wants to know what is being done."""


@contextmanager
def _patience(*, quiet: bool) -> Iterator[None]:
    """Say what is going on where a folder takes long to read."""
    telling = Timer(_LONG, say, ["Reading the folder …"], {"err": True})
    telling.daemon = True
    if not quiet:
        telling.start()
    try:
        yield
    finally:
        telling.cancel()


def _say_notes(evening: Evening, *, whole: bool) -> None:
    """What was found, and on stderr what there is to say about it; if not all of it, then the warnings all the same."""
    if whole:
        say(_within(f"Found: {one_line(evening.found)}."))
        if evening.guests:
            say(_within(f"No characters in the folder, so these come along: {', '.join(evening.guests)}."))
    for note in (*(evening.notes if whole else ()), *evening.warnings):
        say(_within(f"note: {one_line(note)}"), err=True)


def _within(text: str) -> str:
    """The text in lines that fit the terminal; whole where there is none."""
    return textwrap.fill(text, shutil.get_terminal_size().columns) if sys.stdout.isatty() else text


def _say_recap(evening: Evening, own: str) -> None:
    """What the person's character remembers of the evening before."""
    told = evening.files.get(recap_file(own), b"").decode("utf-8", "replace")
    if told:
        say(f"Last time, as {own} saw it:")
        for line in told.splitlines():
            if line.startswith("- "):
                say(f"  {one_line(line[2:])}")
        say()


def _company(evening: Evening, name: str) -> dict[str, str]:
    """Two who come along, so that nobody plays alone."""
    return {guest: shipped()[guest] for guest in [each for each in evening.guests if each != name][: GUESTS - 1]}


def _offer(roster: Sequence[str], before: LiveGame | None) -> str | None:
    """The character that the person at the terminal takes; None to watch."""
    own = first_character(roster, before)
    say(f"Characters: {', '.join(roster)}.")
    while True:
        name = ask("Who are you? (a name, or `watch` to let bots play)", (*roster, "watch"), own)
        if name.lower() == "watch":
            return None
        hits = [each for each in roster if each == name] or [each for each in roster if each.startswith(name.lower())]
        if len(hits) == 1:
            say()
            return hits[0]
        say(f"There is no character {one_line(name)!r}. Choose one of: {', '.join(roster)}.")


@click.command("tabletop")
@click.argument("campaign", metavar="CAMPAIGN", type=click.Path(path_type=Path))
@edition_option
@agents_option
@seating_options
@run_options
@click.pass_obj
def run_tabletop(place: Place, campaign: Path, edition: str | None, seating: Seating, run: Run) -> None:
    """Run many sessions of a campaign without people.

    \b
    Example:  sottovoce run tabletop examples/campaigns/ten-past-four --games 9
    """
    evening = read_evening(campaign, None)
    _say_notes(evening, whole=False)
    roster = evening.roster
    options = options_of(evening, roster[0], edition, None, {})
    run_opening(place, "tabletop", Opening(roster, options, evening.files), seating, run)
