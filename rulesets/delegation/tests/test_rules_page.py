"""The tables of docs/rules/delegation.md agree with the code."""

from __future__ import annotations

import json
from pathlib import Path

import delegating as kit

from sottovoce.domain.events import CORE_EVENTS, Event
from sottovoce.rulesets.delegation.rules import DELEGATION
from sottovoce.rulesets.delegation.rules.events import DELEGATION_EVENTS, TASK
from sottovoce.rulesets.delegation.rules.state import DelegationOptions

PAGE = (Path(__file__).parents[3] / "docs" / "rules" / "delegation.md").read_text(encoding="utf-8")


def table(heading: str) -> list[list[str]]:
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip("` ") for cell in row] for row in rows[2:]]


def test_the_table_of_options_agrees_with_the_options() -> None:
    rows = table("Options")
    assert [row[0] for row in rows] == list(DelegationOptions.model_fields)
    for name, default, meaning, rule in rows:
        field = DelegationOptions.model_fields[name]
        usual = json.dumps(field.get_default(call_default_factory=True)).replace("null", "none")
        assert default == usual.strip('"')
        assert meaning
        assert rule in (field.description or "") or name in ("keeper", "after_end", "language")


def test_the_table_of_audiences_agrees_with_the_audiences() -> None:
    said = {row[0]: row[1] for row in table("Who sees which event")}
    classes: list[type[Event]] = [*CORE_EVENTS, *DELEGATION_EVENTS]
    assert list(said) == [event.stored_name for event in classes]
    state = kit.closing().state
    state = state.but(tasks={TASK: next(iter(state.tasks.values()))})
    words = {
        "all seats": "everyone",
        "nobody": [],
        "the user": ["user"],
        "the reviewer": ["reviewer"],
        "the reviewer, the user": ["reviewer", "user"],
        "the planner, the user": ["planner", "user"],
        "the planner meant, the user": ["planner", "user"],
        "its sender, its receiver, the user": ["executor", "reviewer", "user"],
        "the parts it is meant for (D-022), the user": ["executor", "reviewer", "user"],
        "the executor": ["executor"],
        "the planner, the executor, the user": ["executor", "planner", "user"],
        "the executor, the reviewer, the user": ["executor", "reviewer", "user"],
        "the session whose step is next, the user": ["executor", "user"],
        "its session, the user": ["executor", "user"],
    }
    for event_type in classes:
        event = event_type.sample()
        audience = DELEGATION.audiences[event_type](state, event).to_json()
        phrase = said[event_type.stored_name]
        if phrase in ("the seat asked", "its author", "the seat concerned"):
            assert audience == [event.seat]  # type: ignore[attr-defined]
        else:
            assert audience == words[phrase], event_type
