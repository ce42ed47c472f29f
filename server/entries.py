"""A viewer's entries of a game as JSON, each encoded once: what streams and pages send."""

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
    """The entries of a seat, of the public (no seat), or of an auditor, who gets every event as `export` prints it.

    Each entry has its piece and its marks. All of it comes from the viewer's view.
    """

    def __init__(self, ruleset: Ruleset[Any], seat: str | None, *, auditor: bool = False) -> None:
        self._teller = Teller(ruleset, seat, auditor=auditor)
        self._encoded: list[bytes] = []
        self.lock = asyncio.Lock()
        """Held while entries are encoded outside the loop."""

    def upto_now(self, live: LiveGame) -> list[bytes]:
        """All entries so far, oldest first."""
        if not self.lock.locked():
            self.add(live)
        return self._encoded

    def track(self, live: LiveGame, *, audited: bool = False, chairs: Sequence[str] = ()) -> Track:
        """All of it so far, under its head. An `audited` one says of each entry where it stands in the log.

        `chairs` are those whose tracks its reader can have too; with none, every seat's if it is audited.
        """
        entries = self.upto_now(live)[:]
        teller, first = self._teller, _started(live, self._teller)
        placed = positions(live.ruleset, live.recorded, teller.seat) if audited and not teller.auditor else None
        readable = chairs or (live.state.seats if audited else ())
        return Track(head(teller, live.id, len(entries), first, readable), entries, placed)

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
                told.append(compact({**export_event(item), **teller.shown(item.event, item.audience)}).encode())
            else:
                told.append(_json.encode(teller.to_json(item)))


def _started(live: LiveGame, teller: Teller) -> str | None:
    """Return the time of the first entry, as the entries show it."""
    if teller.auditor:
        return stamp(live.recorded[0].at) if live.recorded else None
    entries = (live.public() if teller.seat is None else live.view(teller.seat)).entries
    return entries[0].at.isoformat() if entries else None


def exported(live: LiveGame, whose: Perspective, page: Bundle) -> str:
    """Return the game as one file to share: one viewer's record, or for an auditor those of all viewers. Raises
    NotBuilt.
    """
    return replay_file(
        page,
        {
            name: Entries(live.ruleset, chair.seat, auditor=chair.full).track(live, audited=whose.full)
            for name, chair in chairs(live.state.seats, whose).items()
        },
    )
