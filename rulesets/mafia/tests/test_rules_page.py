"""The tables of docs/rules/mafia.md agree with the code."""

from __future__ import annotations

import json
import re
from pathlib import Path

from mafia_game import mafia_game

from sottovoce.domain.events import CORE_EVENTS, Event, HoldLifted, HoldPlaced
from sottovoce.rulesets.mafia.rules import MAFIA
from sottovoce.rulesets.mafia.rules.events import MAFIA_EVENTS
from sottovoce.rulesets.mafia.rules.options import MafiaOptions
from sottovoce.rulesets.mafia.rules.roles import Role

RULES = Path(__file__).parents[3] / "docs" / "rules"
PAGE = (RULES / "mafia.md").read_text(encoding="utf-8")
AUDIENCES = (RULES / "audiences.md").read_text(encoding="utf-8")
ROLES: dict[str, Role] = {
    "Ada": "Mafia",
    "Bram": "Mafia",
    "Cleo": "Doctor",
    "Dirk": "Detective",
    "Edda": "Villager",
    "Finn": "Villager",
}


def table(heading: str, page: str = PAGE) -> list[list[str]]:
    section = page.split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("|")]
    return [
        [cell.strip("` ") if re.fullmatch("`[^`]*`", cell.strip()) else cell.strip() for cell in row]
        for row in rows[2:]
    ]


def test_the_table_of_options_agrees_with_the_options() -> None:
    rows = table("Options")
    assert [row[0] for row in rows] == list(MafiaOptions.model_fields)
    for name, default, meaning, rule in rows:
        field = MafiaOptions.model_fields[name]
        assert default == json.dumps(field.default).replace("null", "none").strip('"')
        assert meaning
        assert rule in (field.description or "") or name in ("turn_seconds", "keeper", "after_end", "language")


def test_the_table_of_audiences_agrees_with_the_audiences() -> None:
    rows = [*table("Every game", AUDIENCES), *table("Mafia", AUDIENCES)]
    said = {name: phrase for name, phrase, _ in rows}
    holds: list[type[Event]] = [HoldPlaced, HoldLifted]
    classes = [*(event for event in CORE_EVENTS if event not in holds), *holds, *MAFIA_EVENTS]
    assert list(said) == [event.stored_name for event in classes]
    state = mafia_game(ROLES).state
    words = {
        "everyone": "everyone",
        "nobody": [],
        "narrator": ["narrator"],
        "the `members`, `narrator`": ["Bram", "Cleo", "narrator"],
        "the Mafia alive at that moment, `narrator`": ["Ada", "Bram", "narrator"],
    }
    for event_type in classes:
        event = event_type.sample()
        audience = MAFIA.audiences[event_type](state, event).to_json()
        phrase = said[event_type.stored_name]
        if phrase == "the `seat`":
            assert audience == [event.seat]  # type: ignore[attr-defined]
        elif phrase in ("the `player`, `narrator`", "the `doctor`, `narrator`", "the `detective`, `narrator`"):
            assert audience == sorted([getattr(event, phrase.split("`")[1]), "narrator"])
        else:
            assert audience == words[phrase]
