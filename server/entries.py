"""What one chair has of a game as JSON, each entry encoded once: what streams and pages send."""

from __future__ import annotations

from typing import Any

import msgspec

from domain.ruleset import Ruleset
from projections.bundle import Bundle
from projections.exports import compact, export_event, stamp
from projections.perspective import Perspective
from projections.pieces import Teller
from projections.replay_file import chairs, replay_file
from projections.track import Track, head, positions
from server.live import LiveGame

_json = msgspec.json.Encoder()


class Entries:
    """The entries of a seat, of the public (no seat), or of an auditor, who has every event as `export` prints it.

    Each is told with its piece and its marks. They come through the chair's view and nowhere else.
    """

    def __init__(self, ruleset: Ruleset[Any], seat: str | None, *, auditor: bool = False) -> None:
        self._teller = Teller(ruleset, seat, auditor=auditor)
        self._encoded: list[bytes] = []

    def upto_now(self, live: LiveGame) -> list[bytes]:
        """All entries so far, oldest first."""
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
        told, teller = self._encoded, self._teller
        before = len(told)
        if teller.auditor:
            for item in live.recorded[before:][:most]:
                told.append(compact({**export_event(item), **teller.told(item.event, item.audience)}).encode())
        else:
            seen = live.public() if teller.seat is None else live.view(teller.seat)
            for entry in seen.since(before)[:most]:
                told.append(_json.encode(teller.to_json(entry)))
        return len(told) - before


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
