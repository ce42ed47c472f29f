"""`sottovoce play tabletop` and `sottovoce run tabletop`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from sottovoce import Laid
from sottovoce.agents.kinds import check_agent
from sottovoce.cli.place import UnknownName, load_game
from sottovoce.domain.visible import one_line
from sottovoce.rulesets.tabletop.opening import Evening, first_character, options_of, read_evening, seated
from sottovoce.rulesets.tabletop.rules.documents import roster_of
from sottovoce.rulesets.tabletop.rules.messages import EDITIONS
from sottovoce.rulesets.tabletop.rules.names import HUMAN
from sottovoce.server.live import LiveGame
from sottovoce.terminal import (
    Place,
    PlayOptions,
    Run,
    Seating,
    agents_option,
    ask,
    at_terminal,
    play_laid,
    play_options,
    run_laid,
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
    seating: Seating,
    play: PlayOptions,
) -> None:
    """Play a session of a campaign: a GM, a narrator, and a party that includes you.

    In a terminal you are offered a character. Use `--as` to choose one, or `--full-auto` to play none. The folder is
    never changed.

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
    evening = read_evening(campaign, before)
    roster = roster_of(evening.files)
    _say_notes(evening, whole=not play.quiet and not play.as_json)
    if character is None and not full_auto:
        character = _offer(roster, before) if at_terminal() and not play.as_json else None
    full_auto = full_auto or character is None
    if character is not None and character not in roster:
        raise UnknownName(f"There is no character {character!r}. Choose one of: {', '.join(roster)}.")
    own = character or first_character(roster, before)
    seating = seating if full_auto else seating.unless_filled(HUMAN, "human")
    options = options_of(evening, own, edition, before, {})
    laid = Laid(seated(roster, own, human=not full_auto), options, evening.files)
    play_laid(place, "tabletop", laid, seating, play)


def _say_notes(evening: Evening, *, whole: bool) -> None:
    """On stderr, what there is to say about the campaign; if not all of it, then the warnings all the same."""
    for note in (*(evening.notes if whole else ()), *evening.warnings):
        say(f"note: {one_line(note)}", err=True)


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
    roster = roster_of(evening.files)
    options = options_of(evening, roster[0], edition, None, {})
    run_laid(place, "tabletop", Laid(roster, options, evening.files), seating, run)
