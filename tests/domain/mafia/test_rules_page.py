"""docs/rules/mafia.md states every rule once, and its tables agree with the code."""

from __future__ import annotations

import json
import re
from pathlib import Path

from domain.events import CORE_EVENTS, Event
from domain.rulesets.mafia import MAFIA
from domain.rulesets.mafia.events import MAFIA_EVENTS
from domain.rulesets.mafia.options import MafiaOptions
from domain.rulesets.mafia.roles import Role
from domain.rulesets.mafia.testing import mafia_game

PAGE = (Path(__file__).parents[3] / "docs" / "rules" / "mafia.md").read_text(encoding="utf-8")
LAST = 114
"""The newest rule's number."""
ROLES: dict[str, Role] = {
    "Ada": "Mafia",
    "Bram": "Mafia",
    "Cleo": "Doctor",
    "Dirk": "Detective",
    "Edda": "Villager",
    "Finn": "Villager",
}


def table(heading: str) -> list[list[str]]:
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip("` ") for cell in row] for row in rows[2:]]


def test_every_statement_is_there_exactly_once() -> None:
    stated = re.findall(r"^- \*\*(M-\d{3})\*\* \S", PAGE, re.MULTILINE)
    assert sorted(stated) == [f"M-{number:03}" for number in range(1, LAST + 1)]


def test_every_id_that_is_mentioned_exists() -> None:
    assert set(re.findall(r"M-\d{3}", PAGE)) <= {f"M-{number:03}" for number in range(1, LAST + 1)}


def test_the_table_of_options_agrees_with_the_options() -> None:
    rows = table("Options")
    assert [row[0] for row in rows] == list(MafiaOptions.model_fields)
    for name, default, meaning, rule in rows:
        field = MafiaOptions.model_fields[name]
        assert default == json.dumps(field.default).replace("null", "none").strip('"')
        assert meaning
        assert rule in (field.description or "") or name == "turn_seconds"


def test_the_table_of_audiences_agrees_with_the_audiences() -> None:
    said = dict(table("Who sees which event"))
    classes: list[type[Event]] = [*CORE_EVENTS, *MAFIA_EVENTS]
    assert list(said) == [event.stored_name for event in classes]
    state = mafia_game(ROLES).state
    words = {
        "all seats": "everyone",
        "nobody": [],
        "the narrator": ["narrator"],
        "the Mafia, the narrator": ["Bram", "Cleo", "narrator"],
        "the Mafia alive at that moment, the narrator": ["Ada", "Bram", "narrator"],
    }
    for event_type in classes:
        event = event_type.sample()
        audience = MAFIA.audiences[event_type](state, event).to_json()
        phrase = said[event_type.stored_name]
        if phrase in ("the seat asked", "its author", "the seat concerned"):
            assert audience == [event.seat]  # type: ignore[attr-defined]
        elif phrase in ("the player, the narrator", "the Doctor, the narrator", "the Detective, the narrator"):
            field = {"player": "player", "Doctor": "doctor", "Detective": "detective"}[phrase.split()[1].strip(",")]
            assert audience == sorted([getattr(event, field), "narrator"])
        else:
            assert audience == words[phrase]
