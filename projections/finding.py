"""A finding about one game, made by a ruleset's examiner."""

from __future__ import annotations

from typing import Literal, NamedTuple


class Examined(NamedTuple):
    """A finding of some `kind`, named in a few words: a `finding` if a promise is broken, otherwise a `note`."""

    kind: str
    severity: Literal["finding", "note"]
    what: str
    position: int
    seats: tuple[str, ...]
