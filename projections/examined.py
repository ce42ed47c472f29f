"""One thing that an examiner of a ruleset's games has found."""

from __future__ import annotations

from typing import Literal, NamedTuple

ExaminedKind = Literal[
    "round unanswered",
    "undefined field",
    "group unnoted",
    "not saved",
    "talk across groups",
    "work failed",
    "stray file",
    "notes too long",
    "out of order",
    "stale file",
    "left over",
    "open to a player",
]


class Examined(NamedTuple):
    """One thing found: `severity` is `finding` where a promise is broken, else `note`."""

    kind: ExaminedKind
    severity: Literal["finding", "note"]
    what: str
    position: int
    seats: tuple[str, ...]
