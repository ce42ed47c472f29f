"""What one chair has of a game as JSON, each entry encoded once: what streams and pages send."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import msgspec

from sottovoce.domain.events import Recorded
from sottovoce.domain.ruleset import Ruleset
from sottovoce.projections.bundle import Bundle
from sottovoce.projections.exports import compact, export_event, stamp
from sottovoce.projections.perspective import Perspective
from sottovoce.projections.pieces import Teller
from sottovoce.projections.replay_file import chairs, replay_file
from sottovoce.projections.track import Track, head, positions
from sottovoce.projections.view import Entry
from sottovoce.server.live import LiveGame

_json = msgspec.json.Encoder()


class Entries:
    """The entries of a seat, of the public (no seat), or of an auditor, who has every event as `export` prints it.

    Each is told with its piece and its marks. They come through the chair's view and nowhere else.
    """

    def __init__(self, ruleset: Ruleset[Any], seat: str | None, *, auditor: bool = False) -> None:
        self._teller = Teller(ruleset, seat, auditor=auditor)
        self._encoded: list[bytes] = []
        self.lock = asyncio.Lock()
        """Held by who encodes beside the loop."""

    def upto_now(self, live: LiveGame) -> list[bytes]:
        """All entries so far, oldest first."""
        if not self.lock.locked():
            self.add(live)
        return self._encoded

    def track(self, live: LiveGame, *, audited: bool = False) -> Track:
        """All of it so far, under its head. An `audited` one says of each entry where it stands in the log."""
        entries = self.upto_now(live)[:]
        teller, first = self._teller, _started(live, self._teller)
        placed = positions(live.ruleset, live.recorded, teller.seat) if audited and not teller.auditor else None
        return Track(head(teller, live.id, len(entries), first, audited=audited), entries, placed)

    def add(self, live: LiveGame, most: int | None = None) -> int:
        """Encode what is new, at most so many entries; how many that were."""
        fresh = self.fresh(live, most)
        self.take(fresh)
        return len(fresh)

    def fresh(self, live: LiveGame, most: int | None = None) -> Sequence[Recorded] | Sequence[Entry]:
        """What is new and not yet encoded, at most so many of it."""
        before, teller = len(self._encoded), self._teller
        if teller.auditor:
            return live.recorded[before:][:most]
        seen = live.public() if teller.seat is None else live.view(teller.seat)
        return seen.since(before)[:most]

    @staticmethod
    def weight(fresh: Sequence[Recorded] | Sequence[Entry]) -> int:
        """About how much there is to encode, in bytes."""
        return sum(len(item.body if isinstance(item, Recorded) else item.event.encoded()) for item in fresh)

    def take(self, fresh: Sequence[Recorded] | Sequence[Entry]) -> None:
        """Encode those, which come next. Nothing else may be encoded meanwhile."""
        told, teller = self._encoded, self._teller
        for item in fresh:
            if isinstance(item, Recorded):
                told.append(compact({**export_event(item), **teller.told(item.event, item.audience)}).encode())
            else:
                told.append(_json.encode(teller.to_json(item)))


def _started(live: LiveGame, teller: Teller) -> str | None:
    """When the chair's record begins, as its entries have it."""
    if teller.auditor:
        return stamp(live.recorded[0].at) if live.recorded else None
    entries = (live.public() if teller.seat is None else live.view(teller.seat)).entries
    return entries[0].at.isoformat() if entries else None


def exported(live: LiveGame, whose: Perspective, page: Bundle) -> str:
    """The game as one file to share: a chair's record, or with the full one those of all chairs. Raises NotBuilt."""
    return replay_file(
        page,
        {
            name: Entries(live.ruleset, chair.seat, auditor=chair.full).track(live, audited=whose.full)
            for name, chair in chairs(live.state.seats, whose).items()
        },
    )
