"""One thing that an examiner of a ruleset's games has found."""

from __future__ import annotations

from typing import Literal, NamedTuple


class Examined(NamedTuple):
    """One thing found, of a `kind` named in a few words: a `finding` where a promise is broken, else a `note`."""

    kind: str
    severity: Literal["finding", "note"]
    what: str
    position: int
    seats: tuple[str, ...]
