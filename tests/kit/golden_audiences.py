"""The page of who sees which event, made from the event classes of every ruleset that ships."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sottovoce.domain.events import CORE_EVENTS, Event, HoldLifted, HoldPlaced
from sottovoce.domain.ruleset import Ruleset
from sottovoce.domain.rulesets import RULESETS

PAGE = Path(__file__).parents[2] / "docs" / "rules" / "audiences.md"

HEAD = """# Who sees which event

Made from the event classes by `make golden`, and checked by a test to be current. *Everyone* is all seats that are
there when the event happens. `this` is the seat of that name, *the* `this` the seat or seats that this field of the
event names.

## Every game

Who learns that a game is held differs, and is said below; that its keeper stopped it, everyone does.
"""


def page() -> str:
    """The page as the classes have it now. A ruleset whose events do not state their audiences is left out."""
    shared = [kind for kind in CORE_EVENTS if kind.seen_by is not None]
    parts = [f"{HEAD}\n{_table([_row(kind, kind.seen_by.words) for kind in shared if kind.seen_by])}"]
    for name in sorted(RULESETS):
        ruleset = RULESETS[name]
        if all(kind.seen_by is not None for kind in ruleset.events):
            parts.append(f"\n## {name.capitalize()}\n\n{_table(_rows(ruleset))}")
    return "\n".join(parts)


def _rows(ruleset: Ruleset[Any]) -> list[str]:
    held = [_row(kind, ruleset.holds_seen_by.words) for kind in (HoldPlaced, HoldLifted)]
    return held + [_row(kind, kind.seen_by.words) for kind in ruleset.events if kind.seen_by]


def _row(kind: type[Event], seen_by: str) -> str:
    meaning = " ".join((kind.__doc__ or "").split("\n\n")[0].split())
    return f"| `{kind.stored_name}` | {seen_by} | {meaning} |"


def _table(rows: list[str]) -> str:
    return "\n".join(("| event | seen by | what it says |", "|---|---|---|", *rows, ""))
