"""A tabletop session: the evening that it begins with, out of a campaign's folder."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from sottovoce import Choices, Opening, Sample, ServerExtras, Setup, SetupRefused, UnknownName, choice, place
from sottovoce.domain.paths import file_name
from sottovoce.rulesets.tabletop.house.beats import evenings
from sottovoce.rulesets.tabletop.house.beginnings import (
    acquaintances,
    likely_place,
    named_place,
    places_nearby,
    spot_of,
    told_place,
)
from sottovoce.rulesets.tabletop.newcomers import GUESTS, Newcomers, sheets_for
from sottovoce.rulesets.tabletop.rules.course import CARRIED
from sottovoce.rulesets.tabletop.rules.documents import (
    PARTY_KNOWLEDGE,
    STORY_STATE,
    Piece,
    differences,
    folded,
    import_folder,
    rebuilt,
    recap_file,
    roster_of,
    sheet,
    sheets_in,
)
from sottovoce.rulesets.tabletop.rules.events import PieceWritten
from sottovoce.rulesets.tabletop.rules.folders.arrangement import LIST, arrange
from sottovoce.rulesets.tabletop.rules.folders.letters import in_latin
from sottovoce.rulesets.tabletop.rules.folders.plan import PLAN, read_plan
from sottovoce.rulesets.tabletop.rules.folders.sheets import shipped
from sottovoce.rulesets.tabletop.rules.lint import LintFinding, leaking_terms
from sottovoce.rulesets.tabletop.rules.lore.facts import papers_of, world_of
from sottovoce.rulesets.tabletop.rules.lore.known import Known
from sottovoce.rulesets.tabletop.rules.lore.language import listed
from sottovoce.rulesets.tabletop.rules.lore.memory import Memory
from sottovoce.rulesets.tabletop.rules.messages import EDITIONS
from sottovoce.rulesets.tabletop.rules.names import HUMAN
from sottovoce.rulesets.tabletop.shown.chapter import recap
from sottovoce.server.campaign import Campaign, TooManyFiles, read_campaign, read_one
from sottovoce.server.live import LiveGame

PREFERENCES = ("narrative_style", "dialogue_format")
"""What the file of preferences says that is an option of the session too."""
BROUGHT = "brought-along.md"
"""A paper of the GM's: which of the session's files are not from the campaign's folder."""
BEGUN = b"\n\n## Current Situation\n\n**Location**: "
"""How the party's papers go on where a place has to be written into them."""
SCENE = re.compile(r"scenes/([0-9]{3,6})-")
TERMS_TOLD = 8
WORDS_TOLD = 80
"""Characters of a finding that a note shows."""


@dataclass(frozen=True, slots=True)
class Evening:
    """What a session begins with: its campaign's name and files, and what is worth saying about them beforehand.

    `found` says in a line what the folder has. `party` are the characters of the folder, or of the game that it goes on
    from; `guests` those that were added for want of any. `warnings` are what nobody should begin without having read:
    marks that close nothing where they stand.
    """

    name: str
    files: Mapping[str, bytes]
    notes: Sequence[str]
    warnings: Sequence[str] = ()
    found: str = ""
    party: tuple[str, ...] = ()
    guests: tuple[str, ...] = ()

    @property
    def roster(self) -> tuple[str, ...]:
        """The characters with a sheet, sorted."""
        return roster_of(self.files)

    def with_sheets(self, sheets: Mapping[str, str]) -> Evening:
        """The evening with these sheets in place of the guests'. SetupRefused for a name that is taken."""
        kept = {path: text for path, text in self.files.items() if path not in map(sheet, self.guests)}
        for name in sheets:
            if sheet(name) in kept:
                raise SetupRefused(f"There is a character {name!r} already. Choose another name.")
        return replace(self, files=_brought({**kept}, sheets), guests=tuple(sheets))


def read_evening(folder: Path, before: LiveGame | None) -> Evening:
    """Return the campaign as it is on disk; for a continued game, its own documents with what changed on disk since.

    A folder in another form is arranged in the rules' layout. Where there is no character, those that come with the
    product are added. Where the party's papers say nothing of where it is, a place is written into them.
    """
    campaign = campaign_in(folder)
    arranged = arrange(campaign.files)
    name = campaign_name(campaign.name)
    files = dict(arranged.files)
    expected = files if LIST not in files else (PARTY_KNOWLEDGE, STORY_STATE)  # no other folder has to have them
    found_later = {f"{path!r} is missing, so it starts empty." for path in expected}
    notes = [note for note in (*campaign.notes, *arranged.notes) if note not in found_later]
    party = sheets_of(files)
    if before is not None:
        if before.ruleset.name != "tabletop":
            raise UnknownName(f"Game {before.id} is a game of {before.ruleset.name}, not a session you can continue.")
        if before.state.campaign != name:
            raise UnknownName(f"Game {before.id} was played in {before.state.campaign!r}, not in {name!r}.")
        files, changed = _carried_on(before, files)
        notes += changed
        party = sheets_of(files)
    guests: tuple[str, ...] = ()
    if not party:
        guests = tuple(shipped())[:GUESTS]
        files = _brought(files, {guest: shipped()[guest] for guest in guests})
    roster = roster_of(files)
    pieces = import_folder(files, roster)
    if before is None:
        start = _start(arranged.plan.start, pieces, roster)
        if start is not None:
            notes += start.notes
            files = {**files, PARTY_KNOWLEDGE: start.papers(files)}
            papers = import_folder({PARTY_KNOWLEDGE: files[PARTY_KNOWLEDGE]}, roster)
            pieces = (*(piece for piece in pieces if piece.document != PARTY_KNOWLEDGE), *papers)
    guests_sheets = set(map(sheet, guests))
    findings = leaking_terms([piece for piece in pieces if piece.document not in guests_sheets], roster)
    notes += _told_elsewhere([each for each in findings if each.kind not in ("mark", "kept back")])
    warnings = _left_open([each for each in findings if each.kind == "mark"])
    return Evening(name, files, notes, warnings, arranged.listing, party, guests)


def campaign_in(folder: Path) -> Campaign:
    """The folder's files, without what its plan ignores. SetupRefused as `read_campaign` and `read_plan` raise it."""
    plan = read_plan(read_one(folder, PLAN))
    try:
        campaign = read_campaign(folder, leave_out=plan.ignored)
    except TooManyFiles as error:
        ignoring = f', or write "{error.largest}/" = "ignored" under [files] in {PLAN}' if error.largest else ""
        raise SetupRefused(f"{error} Move some out{ignoring}.") from None
    if plan.ignored:
        campaign = replace(campaign, notes=(*campaign.notes, f"ignored by {PLAN}: {', '.join(plan.ignored)}."))
    return campaign


def sheets_of(files: Mapping[str, bytes]) -> tuple[str, ...]:
    """The characters that have a sheet among these files, sorted; none is no fault. SetupRefused for a bad name."""
    return roster_of(files) if sheets_in(tuple(files)) else ()


def campaign_name(folder: str) -> str:
    """What the campaign in a folder of that name is called (F-004, F-056)."""
    return file_name(in_latin(re.sub(r"[._]+", " ", folder))) or "campaign"


def _brought(files: Mapping[str, bytes], sheets: Mapping[str, str]) -> dict[str, bytes]:
    """The files with these characters' sheets, and a paper that says that they are not from the folder."""
    lines = [line for line in files.get(BROUGHT, b"").decode("utf-8", "replace").splitlines() if line.startswith("- ")]
    added = {sheet(name): text.encode() for name, text in sheets.items()}
    here = [line for line in lines if line[2:] in files and line[2:] not in added]
    text = "\n".join(["# Not From the Folder", "", *here, *(f"- {path}" for path in added)])
    return {**files, **added, BROUGHT: f"{text}\n".encode()}


@dataclass(frozen=True, slots=True)
class _Start:
    """Where a session begins whose papers do not say it, and what the party has heard of there."""

    where: str
    people: tuple[str, ...]
    places: tuple[str, ...]
    chosen: bool

    @property
    def notes(self) -> tuple[str, ...]:
        names = listed([*self.people, *self.places])
        known = f", where the party has heard of {names}" if names else ""
        why = f"; to change that, write start in {PLAN}" if self.chosen else ""
        return (f"the papers don't say where the party is. The session begins at {self.where}{known}{why}.",)

    def papers(self, files: Mapping[str, bytes]) -> bytes:
        """The party's papers with that at their end."""
        heard = ""
        for what, names in (("People", self.people), ("Places", self.places)):
            lines = "".join(f"- {name}\n" for name in names)
            heard += f"\n## {what} We Have Heard Of\n\n{lines}" if lines else ""
        return _papers_of(files) + BEGUN + f"{self.where}\n{heard}".encode()


def _papers_of(files: Mapping[str, bytes]) -> bytes:
    return files.get(PARTY_KNOWLEDGE, b"# What the Party Knows\n").rstrip()


def _start(wanted: str, pieces: Sequence[Piece], roster: Sequence[str]) -> _Start | None:
    """Where to begin where the papers name no place, or the plan names one; None where nothing needs to be said.

    A folder with a plan of its own for the evening, a beat sheet, needs nothing.
    """
    documents = folded(pieces)
    world = world_of(documents, roster)
    place = named_place(world, wanted) if wanted else None
    if wanted and place is None:
        names = ", ".join(e.name for e in world.all("place")[:TERMS_TOLD]) or "none"
        raise SetupRefused(f"{PLAN}: start is {wanted[:80]!r}, which is not a place of the folder. Places: {names}.")
    papers = papers_of(documents, roster[0])
    if place is None:
        if evenings(documents) or told_place(Known(world, papers, Memory(), roster)) is not None:
            return None
        place = likely_place(world)
    if place is None:
        return None
    known = Known(world, papers, Memory(at=place.id), roster)
    people = acquaintances(known)
    spot = spot_of(known, people) if place.kind == "place" else place
    whole = world.entities[spot.parent] if spot is not None and spot.kind == "part" else None
    where = f"{spot.name}, {whole.name}" if spot is not None and whole is not None else place.name
    nearby = tuple(each.name for each in places_nearby(known))
    return _Start(where, tuple(each.name for each in people), nearby, not wanted)


def _told_elsewhere(leaks: Sequence[LintFinding]) -> list[str]:
    if not leaks:
        return []
    told, more = _named(leaks[:TERMS_TOLD]), len(leaks) - TERMS_TOLD
    rest = f"; and {more} more" if more > 0 else ""
    return [f"text that a player can read may reveal GM-only text: {told}{rest} (`audit leaks` lists all)."]


def _left_open(marks: Sequence[LintFinding]) -> list[str]:
    if not marks:
        return []
    return [
        f"players can read this, but it looks like GM-only text: {_named(marks)}. To hide it, put it under a "
        "heading or bold lead GM Notes."
    ]


def _named(findings: Sequence[LintFinding]) -> str:
    return "; ".join(f"{each.what[:WORDS_TOLD]!r} in {each.open_at[0][0]}" for each in findings)


def _carried_on(before: LiveGame, disk: Mapping[str, bytes]) -> tuple[dict[str, bytes], list[str]]:
    """The earlier game's documents, with what was changed on disk since its import; notes on what was taken in."""
    opening = [
        item.event.piece for item in before.recorded if isinstance(item.event, PieceWritten) and item.event.seat is None
    ]
    imported, played = rebuilt(folded(opening)), rebuilt(before.state.documents)
    files = {path: content for path, content in played.items() if not path.startswith("tmp/")}
    recaps = {recap_file(character) for character in before.state.roster}
    imported = {path: content for path, content in imported.items() if path not in recaps}
    changes = differences(imported, {**disk, **_not_from_disk(imported, disk)})
    notes = []
    for path in (*changes.added, *changes.changed):
        if path in changes.changed and played.get(path) != imported.get(path):
            notes.append(f"{path} changed in the game and on disk; the game's text is kept.")
        else:
            files[path] = disk[path]
            notes.append(f"{path} changed on disk; the new text is used.")
    for path in changes.gone:
        if path in files and played.get(path) == imported.get(path):
            del files[path]
            notes.append(f"{path} was deleted from the folder, so it is removed from the game.")
    held = [
        {"character": character, "resource": name, **asdict(now)}
        for (character, name), now in before.state.resources.items()
    ]
    for character in before.state.roster:
        told = recap(before.view(character))
        if told:
            files[recap_file(character)] = told.encode()
    files[CARRIED] = json.dumps({"resources": held, "scene": _next_scene(before, files)}).encode()
    return files, notes


def _not_from_disk(imported: Mapping[str, bytes], disk: Mapping[str, bytes]) -> dict[str, bytes]:
    """What the earlier game began with that was never in the folder: guests, and a line on where the party is."""
    listed = imported.get(BROUGHT, b"").decode("utf-8", "replace").splitlines()
    paths = {BROUGHT, *(line[2:] for line in listed if line.startswith("- "))} - disk.keys()
    kept = {path: imported[path] for path in paths if path in imported}
    known = imported.get(PARTY_KNOWLEDGE, b"")
    if known.startswith(_papers_of(disk) + BEGUN):
        kept[PARTY_KNOWLEDGE] = known
    return kept


def _next_scene(before: LiveGame, files: Mapping[str, bytes]) -> str:
    """The number of the scene after the last one that was played, or that a file was written about."""
    written = [match[1] for path in files if (match := SCENE.match(path))]
    last = max((before.state.scene[0], *written), key=int)
    return f"{int(last) + 1:0{len(last)}}"


def options_of(
    evening: Evening, own: str, edition: str | None, before: LiveGame | None, rules: Mapping[str, Any]
) -> dict[str, Any]:
    options: dict[str, Any] = {"campaign": evening.name, "player_character": own}
    preferences = evening.files.get("preferences.md", b"").decode("utf-8", "replace")
    for name in PREFERENCES:
        stated = re.search(rf"^[^\w\n]*+{name}\W+([a-z]+)", preferences, re.MULTILINE | re.IGNORECASE)
        if stated:
            options[name] = stated[1].lower()
    if edition is not None:
        options["edition"] = edition
    elif before is not None:
        options["edition"] = before.state.edition_name
    return {**options, **rules}


def first_character(roster: Sequence[str], before: LiveGame | None) -> str:
    own = None if before is None else before.state.character
    return str(own) if own in roster else roster[0]


def seated(roster: Sequence[str], own: str, *, human: bool) -> tuple[str, ...]:
    """Who plays: the player's character first, and the human if one takes part."""
    return (own, *(name for name in roster if name != own), *((HUMAN,) if human else ()))


class CampaignSetup(Setup):
    """Plays a campaign."""

    campaign: Path = place(
        "campaigns",
        "Campaign to play, of those the server offers.",
        offers="Campaign folder to offer.",
        option="campaign",
    )
    character: str | None = choice("The character a person plays.", none="None (bots only)", option="player_character")
    edition: str | None = choice(
        "Leave it unless an agent needs an older version.",
        label="Message format",
        none="Latest",
        metavar="E",
        option="edition",
    )
    characters: Newcomers = choice(
        "Characters to bring: names of those that come with Sottovoce, or new ones.",
        none="None",
        metavar="A,B,…",
        makes="character",
    )


@contextmanager
def _load(setup: CampaignSetup, options: Mapping[str, Any]) -> Iterator[Opening]:
    if setup.edition is not None and setup.edition not in EDITIONS:
        raise UnknownName(f"edition: there is no edition {setup.edition!r}. Choose one of: {', '.join(EDITIONS)}.")
    evening = read_evening(setup.campaign, None)
    sheets = sheets_for(setup.characters, evening.party)
    if sheets:
        evening = evening.with_sheets(sheets)
    roster = evening.roster
    own = _character(setup, roster)
    yield Opening(
        seated(roster, own, human=setup.character is not None),
        options_of(evening, own, setup.edition, None, options),
        evening.files,
    )


def _character(setup: CampaignSetup, roster: Sequence[str]) -> str:
    own = setup.character or roster[0]
    if own in roster:
        return own
    seat = file_name(in_latin(own))
    if seat not in roster:
        raise UnknownName(f"character: there is no character {own!r}. Choose one of: {', '.join(roster)}.")
    return seat


def _preview(setup: CampaignSetup) -> Choices:
    arranged = arrange(campaign_in(setup.campaign).files)
    if not any(arranged.found.get(kind) for kind in ("party", "people", "places")):
        raise UnknownName("campaign: the folder has no character, person or place. Add a character as party/NAME.md.")
    party = sheets_of(arranged.files)
    usual = party or tuple(shipped())[:GUESTS]
    sheets = sheets_for(setup.characters, party)
    roster = tuple(sorted({*party, *sheets})) if sheets else usual
    human = setup.character is not None
    players = seated(roster, _character(setup, roster), human=human)
    offered = [name for name in shipped() if name not in usual]
    values = {"character": usual, "edition": tuple(EDITIONS), "characters": offered}
    return Choices(players, values, (HUMAN,) if human else ())


EXTRAS = ServerExtras(setup=CampaignSetup, load=_load, preview=_preview, sample=Sample("campaigns/ten-past-four"))
