"""Sessions of the sample campaign, played by bots at an in-memory table.

table = evening("phase-2", seed=3)          to the end; a bot plays the human spoken_to(table, "pim-tallow")
everything a seat has seen, as text
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from table import Table

from sottovoce.agents.house import HouseAgent
from sottovoce.domain.events import AttemptFailed, FallbackApplied, HoldPlaced, MessageRefused
from sottovoce.rulesets.tabletop.rules import TABLETOP
from sottovoce.rulesets.tabletop.rules.documents.pieces import rebuilt
from sottovoce.rulesets.tabletop.rules.messages import MessageSent
from sottovoce.rulesets.tabletop.rules.names import HUMAN

CAMPAIGN = Path(__file__).parents[2] / "examples" / "campaigns" / "ten-past-four"
EDITIONS = ("phase-1", "phase-2", "current")
PARTY = ("isolde-marrow", "bertram-oakes", "pim-tallow", "sefa-quillon")
MOST_DECISIONS = 1500


def folder(path: Path = CAMPAIGN) -> dict[str, bytes]:
    """Return a campaign folder's files by path."""
    return {str(file.relative_to(path)): file.read_bytes() for file in sorted(path.rglob("*")) if file.is_file()}


def at_table(
    edition: str = "current",
    seed: int = 0,
    *,
    human: bool = True,
    party: Sequence[str] = PARTY,
    files: Mapping[str, bytes] | None = None,
    agents: Any = None,
    **options: Any,
) -> Table:
    """An open session with bots in every seat."""
    given = {"edition": edition, "campaign": "ten-past-four", **options}
    seats = (*party, *((HUMAN,) if human else ()))
    return Table(
        seats, seed, given, agents or HouseAgent(), ruleset=TABLETOP, files=folder() if files is None else files
    )


def evening(edition: str = "current", seed: int = 0, **more: Any) -> Table:
    """Return a session that bots have played to its end."""
    table = at_table(edition, seed, **more).play(MOST_DECISIONS)
    assert table.state.over, f"after {MOST_DECISIONS} replies: {TABLETOP.phase(table.state)}"
    return table


def mishaps(table: Table) -> list[Any]:
    """Return every failed attempt, refusal, fallback and hold."""
    wrong = AttemptFailed | FallbackApplied | MessageRefused | HoldPlaced
    return [recorded.event for recorded in table.recorded if isinstance(recorded.event, wrong)]


def sent(table: Table, tag: str | None, seat: str | None = None) -> list[MessageSent]:
    """Return the messages with that tag (from that seat), in order."""
    found = (recorded.event for recorded in table.recorded)
    return [e for e in found if isinstance(e, MessageSent) and e.tag == tag and seat in (None, e.seat)]


def spoken_to(table: Table, seat: str) -> str:
    """Return everything the seat has seen, as text."""
    return "\n".join(r.event.encoded().decode() for r in table.recorded if r.audience.includes(seat))


def documents(table: Table, seat: str = "gm") -> dict[str, bytes]:
    """Return the campaign folder as the seat reads it now."""
    return rebuilt(table.view(seat).state.documents)
