"""Make the page that says who sees which event, from the event classes of every included ruleset."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sottovoce.domain.events import CORE_EVENTS, Event, HoldLifted, HoldPlaced
from sottovoce.domain.ruleset import Ruleset
from sottovoce.domain.rulesets import RULESETS

PAGE = Path(__file__).parents[2] / "docs" / "rules" / "audiences.md"

HEAD = """# Who sees which event

`make golden` writes this page from the event classes, and a test checks that it is current. *Everyone* means all seats
that are present when the event happens. `this` is the seat of that name. *The* `this` is the seat or seats in that
field of the event.

## Every game

Who sees that a game is on hold depends on the ruleset; see below. Everyone sees a hold by the keeper.
"""


def page() -> str:
    """Return the current page. A ruleset whose events do not state their audiences is skipped."""
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
