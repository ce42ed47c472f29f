"""The open record of a finished game: what the chairs saw that its end opened to everyone who sat.

It is made from the views of those chairs, and of nothing else: no position, time, hash, seed or audience of the log
shows what a closed chair saw. Positions count its own events.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import msgspec

from sottovoce.domain.audience import Audience
from sottovoce.domain.events import Recorded
from sottovoce.domain.ruleset import Ruleset
from sottovoce.projections.view import SeatProjection


def open_record(ruleset: Ruleset[Any], recorded: Sequence[Recorded], chairs: Collection[str]) -> list[Recorded]:
    """Return the events that one of the chairs saw, as a new log: numbered from 1, each with the open chairs
    that saw it as its audience, and its time to the minute.
    """
    gates = {chair: SeatProjection(ruleset, chair) for chair in chairs}
    found: list[Recorded] = []
    for item in recorded:
        seeing = [chair for chair, gate in gates.items() if _lets_in(gate, item)]
        if not seeing:
            continue
        public = item.audience.seats is None
        found.append(
            msgspec.structs.replace(
                item,
                position=len(found) + 1,
                append="",
                at=item.at.replace(second=0, microsecond=0),
                audience=item.audience if public else Audience(frozenset(seeing)),
                cause=None,
                salt=b"",
                hash=b"",
            )
        )
    return found


def _lets_in(gate: SeatProjection[Any], item: Recorded) -> bool:
    """Whether the chair's view has one more entry with this event."""
    before = gate.seq
    gate.take_all((item,))
    return gate.seq > before
