"""`sottovoce play tabletop` and `sottovoce run tabletop`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import click

from agents.kinds import check_agent
from cli.many import Run, play_plans, run_options
from cli.output import say
from cli.place import Place, UnknownName, load_game
from cli.question import ask
from cli.seats import Seating, agents_option, seating_options
from cli.session import Play, play_options, play_plan, seed_option
from cli.sitting import at_terminal
from domain.rulesets import RULESETS
from domain.rulesets.tabletop.course import CARRIED
from domain.rulesets.tabletop.documents import differences, folded, import_folder, rebuilt, roster_of
from domain.rulesets.tabletop.events import PieceWritten
from domain.rulesets.tabletop.lint import Finding, leaking_terms
from domain.rulesets.tabletop.messages import EDITIONS
from domain.rulesets.tabletop.names import HUMAN, STANDING
from domain.visible import one_line
from server.campaign import read_campaign
from server.live import LiveGame
from server.plan import Plan

PREFERENCES = ("narrative_style", "dialogue_format")
"""What the file of preferences says that is an option of the session too."""
SCENE = re.compile(r"scenes/([0-9]{3,6})-")
TERMS_TOLD = 8
WORDS_TOLD = 80
"""Characters of a finding that a note shows."""


edition_option = click.option(
    "--edition",
    metavar="E",
    type=click.Choice(list(EDITIONS)),
    help=f"The edition of the messages: {', '.join(EDITIONS)}.",
)


@dataclass(frozen=True, slots=True)
class Evening:
    """What a session begins with: its campaign's name and files, and what is worth saying about them beforehand."""

    name: str
    files: Mapping[str, bytes]
    notes: Sequence[str]


@click.command("tabletop")
@click.argument("campaign", metavar="CAMPAIGN", type=click.Path(path_type=Path))
@edition_option
@click.option("--as", "character", metavar="CHARACTER", help="The character you play.")
@click.option("--full-auto", is_flag=True, help="No human takes part.")
@click.option("--continue", "earlier", metavar="GAME", help="The next evening of that game.")
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
    play: Play,
) -> None:
    """Play a session of a campaign folder: a GM, a narrator, a party, and you as one of them.

    At a terminal you are offered a character; `--as` takes one, `--full-auto` none. The folder is never written to.

    \b
    Examples: sottovoce play tabletop examples/campaigns/ten-past-four
              sottovoce play tabletop examples/campaigns/ten-past-four --as pim-tallow
              sottovoce play tabletop examples/campaigns/ten-past-four --continue latest
    """
    if character is not None and full_auto:
        raise click.UsageError("--as takes a character and --full-auto leaves all to the house; give one of them")
    for agent in {seating.agents, *seating.filled.values()}:
        check_agent(agent)
    with place.games(create=True) as games:
        before = load_game(games.log, earlier) if earlier is not None else None
    evening = _evening(campaign, before)
    roster = roster_of(evening.files)
    if not play.quiet and not play.as_json:
        for note in evening.notes:
            say(f"note: {one_line(note)}", err=True)
    if character is None and not full_auto:
        character = _offer(roster, before) if at_terminal() and not play.as_json else None
    full_auto = full_auto or character is None
    if character is not None and character not in roster:
        raise UnknownName(f"There is no character {character!r}; there are: {', '.join(roster)}.")
    own = character or _first(roster, before)
    names = (own, *(name for name in roster if name != own), *(() if full_auto else (HUMAN,)))
    seats = RULESETS["tabletop"].seats_for(names)
    table = (seating if full_auto else seating.unless_filled(HUMAN, "human")).table(seats)
    options = _options(evening, own, edition, before, seating.rules)
    play_plan(place, Plan("tabletop", seats, table, play.seed, options, evening.files), play)


def _evening(folder: Path, before: LiveGame | None) -> Evening:
    """The campaign as it lies on disk; of a game that goes on, its own documents with what changed on disk since."""
    campaign = read_campaign(folder)
    files, notes = dict(campaign.files), list(campaign.notes)
    if before is not None:
        if before.state.campaign != campaign.name:
            raise UnknownName(f"Game {before.id} was played in {before.state.campaign!r}, not in {campaign.name!r}.")
        files, changed = _carried_on(before, files)
        notes += changed
    roster = roster_of(files)
    notes += _lint_notes(leaking_terms(import_folder(files, roster), roster))
    return Evening(campaign.name, files, notes)


def _lint_notes(findings: Sequence[Finding]) -> list[str]:
    """What the lint found, in one line for what may leak and one for the marks that close nothing where they stand."""
    marks = [each for each in findings if each.kind == "mark"]
    leaks = [each for each in findings if each.kind not in ("mark", "kept back")]
    notes = []
    if leaks:
        told, more = _named(leaks[:TERMS_TOLD]), len(leaks) - TERMS_TOLD
        rest = f"; and {more} more" if more > 0 else ""
        notes.append(f"text open to a player may tell what GM-only text keeps: {told}{rest} (audit leaks lists all).")
    if marks:
        notes.append(
            f"open to players, though it reads as if it were not meant for them: {_named(marks)}. Under a heading or "
            "bold lead GM Notes it is the GM's alone."
        )
    return notes


def _named(findings: Sequence[Finding]) -> str:
    return "; ".join(f"{each.what[:WORDS_TOLD]!r} in {each.open_at[0][0]}" for each in findings)


def _carried_on(before: LiveGame, disk: Mapping[str, bytes]) -> tuple[dict[str, bytes], list[str]]:
    """The earlier game's documents, with what was changed on disk since its import; notes on what was taken in."""
    opening = [
        item.event.piece for item in before.recorded if isinstance(item.event, PieceWritten) and item.event.seat is None
    ]
    imported, played = rebuilt(folded(opening)), rebuilt(before.state.documents)
    files = {path: content for path, content in played.items() if not path.startswith("tmp/")}
    changes = differences(imported, disk)
    notes = []
    for path in (*changes.added, *changes.changed):
        if path in changes.changed and played.get(path) != imported.get(path):
            notes.append(f"{path} changed in the game and on disk; the game's text is kept.")
        else:
            files[path] = disk[path]
            notes.append(f"{path} is taken in as it lies on disk now.")
    for path in changes.gone:
        if path in files and played.get(path) == imported.get(path):
            del files[path]
            notes.append(f"{path} is gone from the folder and from the game.")
    held = [
        {"character": character, "resource": name, **asdict(now)}
        for (character, name), now in before.state.resources.items()
    ]
    files[CARRIED] = json.dumps({"resources": held, "scene": _next_scene(before, files)}).encode()
    return files, notes


def _next_scene(before: LiveGame, files: Mapping[str, bytes]) -> str:
    """The number of the scene after the last one that was played, or that a file was written about."""
    written = [match[1] for path in files if (match := SCENE.match(path))]
    last = max((before.state.scene[0], *written), key=int)
    return f"{int(last) + 1:0{len(last)}}"


def _options(
    evening: Evening, own: str, edition: str | None, before: LiveGame | None, rules: Mapping[str, Any]
) -> dict[str, Any]:
    options: dict[str, Any] = {"campaign": evening.name, "player_character": own}
    preferences = evening.files.get("preferences.md", b"").decode("utf-8", "replace")
    for name in PREFERENCES:
        stated = re.search(rf"^\W*{name}\W+([a-z]+)", preferences, re.MULTILINE | re.IGNORECASE)
        if stated:
            options[name] = stated[1].lower()
    if edition is not None:
        options["edition"] = edition
    elif before is not None:
        options["edition"] = before.state.edition_name
    return {**options, **rules}


def _first(roster: Sequence[str], before: LiveGame | None) -> str:
    own = None if before is None else before.state.character
    return str(own) if own in roster else roster[0]


def _offer(roster: Sequence[str], before: LiveGame | None) -> str | None:
    """The character that the person at the terminal takes; None to watch."""
    own = _first(roster, before)
    say(f"Characters: {', '.join(roster)}.")
    while True:
        name = ask("Who are you? (a name; `watch` to let the house play)", (*roster, "watch"), own)
        if name.lower() == "watch":
            return None
        hits = [each for each in roster if each == name] or [each for each in roster if each.startswith(name.lower())]
        if len(hits) == 1:
            say()
            return hits[0]
        say(f"There is no character {one_line(name)!r}; there are: {', '.join(roster)}.")


@click.command("tabletop")
@click.argument("campaign", metavar="CAMPAIGN", type=click.Path(path_type=Path))
@edition_option
@agents_option
@seating_options
@run_options
@click.pass_obj
def run_tabletop(place: Place, campaign: Path, edition: str | None, seating: Seating, run: Run) -> None:
    """Play many sessions of a campaign folder, many at once, without people.

    \b
    Example:  sottovoce run tabletop examples/campaigns/ten-past-four --games 9
    """
    evening = _evening(campaign, None)
    seats = RULESETS["tabletop"].seats_for(roster_of(evening.files))
    options = _options(evening, seats[len(STANDING)], edition, None, seating.rules)
    plan = Plan("tabletop", seats, seating.table(seats), run.seed, options, evening.files)
    play_plans(place, [replace(plan, seed=seed) for seed in run.seeds()], run)
