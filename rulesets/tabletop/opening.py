"""A tabletop session: the evening that it begins with, out of a campaign's folder."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sottovoce import Laid, Offer, ServerExtras, UnknownName, Wish
from sottovoce.rulesets.tabletop.rules.course import CARRIED
from sottovoce.rulesets.tabletop.rules.documents import differences, folded, import_folder, rebuilt, roster_of
from sottovoce.rulesets.tabletop.rules.events import PieceWritten
from sottovoce.rulesets.tabletop.rules.lint import Finding, leaking_terms
from sottovoce.rulesets.tabletop.rules.messages import EDITIONS
from sottovoce.rulesets.tabletop.rules.names import HUMAN
from sottovoce.server.campaign import read_campaign
from sottovoce.server.live import LiveGame

PREFERENCES = ("narrative_style", "dialogue_format")
"""What the file of preferences says that is an option of the session too."""
SCENE = re.compile(r"scenes/([0-9]{3,6})-")
TERMS_TOLD = 8
WORDS_TOLD = 80
"""Characters of a finding that a note shows."""


@dataclass(frozen=True, slots=True)
class Evening:
    """What a session begins with: its campaign's name and files, and what is worth saying about them beforehand.

    `warnings` are what nobody should begin without having read: marks that close nothing where they stand.
    """

    name: str
    files: Mapping[str, bytes]
    notes: Sequence[str]
    warnings: Sequence[str] = ()


def read_evening(folder: Path, before: LiveGame | None) -> Evening:
    """The campaign as it lies on disk; of a game that goes on, its own documents with what changed on disk since."""
    campaign = read_campaign(folder)
    files, notes = dict(campaign.files), list(campaign.notes)
    if before is not None:
        if before.ruleset.name != "tabletop":
            raise UnknownName(f"Game {before.id} is a game of {before.ruleset.name}, not a session you can continue.")
        if before.state.campaign != campaign.name:
            raise UnknownName(f"Game {before.id} was played in {before.state.campaign!r}, not in {campaign.name!r}.")
        files, changed = _carried_on(before, files)
        notes += changed
    roster = roster_of(files)
    findings = leaking_terms(import_folder(files, roster), roster)
    notes += _told_elsewhere([each for each in findings if each.kind not in ("mark", "kept back")])
    return Evening(campaign.name, files, notes, _left_open([each for each in findings if each.kind == "mark"]))


def _told_elsewhere(leaks: Sequence[Finding]) -> list[str]:
    if not leaks:
        return []
    told, more = _named(leaks[:TERMS_TOLD]), len(leaks) - TERMS_TOLD
    rest = f"; and {more} more" if more > 0 else ""
    return [f"text that a player can read may reveal GM-only text: {told}{rest} (`audit leaks` lists all)."]


def _left_open(marks: Sequence[Finding]) -> list[str]:
    if not marks:
        return []
    return [
        f"players can read this, but it looks like GM-only text: {_named(marks)}. To hide it, put it under a "
        "heading or bold lead GM Notes."
    ]


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
            notes.append(f"{path} changed on disk; the new text is used.")
    for path in changes.gone:
        if path in files and played.get(path) == imported.get(path):
            del files[path]
            notes.append(f"{path} was deleted from the folder, so it is removed from the game.")
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


@contextmanager
def _lay(wish: Wish) -> Iterator[Laid]:
    if wish.edition is not None and wish.edition not in EDITIONS:
        raise UnknownName(f"There is no edition {wish.edition!r}. Choose one of: {', '.join(EDITIONS)}.")
    evening = read_evening(wish.folder, None)
    roster = roster_of(evening.files)
    own = _character(wish, roster)
    options = options_of(evening, own, wish.edition, None, wish.options)
    yield Laid(seated(roster, own, human=wish.human), options, evening.files)


def _character(wish: Wish, roster: Sequence[str]) -> str:
    own = wish.character or roster[0]
    if own not in roster:
        raise UnknownName(f"There is no character {own!r}. Choose one of: {', '.join(roster)}.")
    return own


def _look(wish: Wish) -> Offer:
    roster = roster_of(read_campaign(wish.folder).files)
    players = seated(roster, _character(wish, roster), human=wish.human)
    return Offer(players, characters=tuple(roster), editions=tuple(EDITIONS))


EXTRAS = ServerExtras(needs="campaign", lay=_lay, look=_look)
