"""Notifications of the `eventsourcing` library, with the whole row of each event."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from eventsourcing.persistence import Notification, StoredEvent

from sottovoce.domain.audience import NOBODY
from sottovoce.eventlog.envelope import SALT_BYTES, audience_text, envelope, leaf_hash
from sottovoce.eventlog.log import StoredRow


@dataclass(frozen=True)
class EventNotification(Notification):
    """An event of any game with its place in the order of all commits: `id` only grows, and can skip numbers."""

    row: StoredRow

    @classmethod
    def of(cls, found: Sequence[Any]) -> EventNotification:
        """Build from the ID and the columns of `StoredRow`."""
        row = StoredRow._make(found[1:])
        return cls(row.game, row.position, row.name, row.body, id=found[0], row=row)


def bare_row(stored: StoredEvent) -> StoredRow:
    """Return a row for an event that no decision made: an empty envelope that nobody sees."""
    row = StoredRow(
        game=str(stored.originator_id),
        position=stored.originator_version,
        append="",
        name=stored.topic,
        at=0,
        actor=None,
        audience=audience_text(NOBODY),
        cause=None,
        body=stored.state,
        salt=bytes(SALT_BYTES),
        hash=b"",
    )
    return row._replace(hash=leaf_hash(row.salt, envelope(*row[:9])))
