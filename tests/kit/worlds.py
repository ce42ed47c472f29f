"""Campaigns as an open evening reads them, and evenings that a person plays with typed lines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from evenings import CAMPAIGN, at_table, folder
from table import Table

from sottovoce.agents.house import HouseAgent
from sottovoce.rulesets.tabletop.house.targets import Scene
from sottovoce.rulesets.tabletop.rules.documents.folder import import_folder, roster_of
from sottovoce.rulesets.tabletop.rules.documents.pieces import Documents, Pieces
from sottovoce.rulesets.tabletop.rules.lore.facts import World, world_of
from sottovoce.rulesets.tabletop.rules.messages import MessageSent

HERE = Path(__file__).parents[1] / "agents" / "tabletop"
FOLDERS = {"the-drowned-mill": HERE / "the-drowned-mill", "ten-past-four": CAMPAIGN}
SPEAKER = "pim-tallow"


def documents_of(files: Mapping[str, bytes]) -> Documents:
    """The folder as a GM reads it."""
    pieces: dict[str, list[Any]] = {}
    for piece in import_folder(files, roster_of(files)):
        pieces.setdefault(piece.document, []).append(piece)
    return {path: Pieces(found) for path, found in pieces.items()}


def world(name: str) -> World:
    files = folder(FOLDERS[name])
    return world_of(documents_of(files), roster_of(files))


def anywhere(name: str) -> Scene:
    """A scene in which everything that the folder knows may be named."""
    roster = roster_of(folder(FOLDERS[name]))
    party = {seat.split("-")[0].capitalize(): seat for seat in roster}
    return Scene(tuple(world(name).entities.values()), party, (), None, SPEAKER)


class Person:
    """Says these lines, and then stops."""

    by = "view"
    immediate = True

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = list(lines)
        self.said = 0

    async def act(self, view: Any, turn: Any, random: Any, record: Any) -> str:
        self.said += 1
        return self.lines[self.said - 1] if self.said <= len(self.lines) else "/end"


def open_evening(
    lines: Iterable[str], seed: int = 1, files: Mapping[str, bytes] | None = None, **options: Any
) -> Table:
    """An evening on the drowned mill that a person plays with these lines."""
    files = folder(FOLDERS["the-drowned-mill"]) if files is None else files
    party = roster_of(files)
    house = HouseAgent()
    seats = (*party, "gm", "narrator", "team-lead")
    agents = {**dict.fromkeys(seats, house), "human": Person(lines), **options.pop("agents", {})}
    given = {"campaign": "the-drowned-mill", "player_character": party[0], **options}
    return at_table("current", seed, party=party, files=files, agents=agents, **given).play(4000)


def heard(table: Table, tags: Sequence[str] = ("NARRATIVE",)) -> list[str]:
    """What the person was told, in order."""
    found = (recorded.event for recorded in table.recorded)
    return [event.body for event in found if isinstance(event, MessageSent) and event.tag in tags]


def after(table: Table, line: str) -> str:
    """What the first narrative says after the person's line."""
    events = [r.event for r in table.recorded if isinstance(r.event, MessageSent)]
    at = next(n for n, event in enumerate(events) if event.tag == "HUMAN_DECISION" and event.body == line)
    return next(event.body for event in events[at:] if event.tag == "NARRATIVE")
