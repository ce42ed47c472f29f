"""Handing the same over again: counted, and written down now and then as one receipt.

Who polls gets the same thing again and again. The first time has a receipt before it leaves, as everything has. What
follows tells nobody anything new, so it is only counted: `core.handed-again.v1` says how often, since when, and when
last. What was counted and not yet written when a process is killed is lost, so a count means "at least".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

import msgspec

from sottovoce.eventlog.log import Receipt, RecordedReceipt
from sottovoce.projections.exports import stamp
from sottovoce.projections.receipts import HANDED_AGAIN
from sottovoce.server.ids import fresh_id

FIRST_PAUSE = timedelta(minutes=1)
LONGEST_PAUSE = timedelta(hours=1)
"""How long is counted before it is written: a minute at first, then as long as it has gone on so far, up to an hour."""

MOST_THINGS = 1024
"""Of what one reader was handed, so many different things are remembered."""

MOST_COUNTS = 16
"""So many things are counted apart; what else a reader gets again is counted together, as parts."""

_json = msgspec.json.Encoder(order="deterministic").encode


@dataclass(slots=True)
class _Count:
    """How often the same thing was delivered again; `parts` of it, if `data` says which entries were delivered."""

    seat: str
    data: dict[str, Any]
    blocks: tuple[str, ...]
    since: datetime
    at: datetime
    times: int = 1
    parts: bool = False

    def receipt(self) -> Receipt:
        """What is written down of it."""
        more = {"call": fresh_id(), "times": self.times, "since": stamp(self.since)}
        if self.parts:
            more["parts"] = True
        return Receipt(HANDED_AGAIN, self.at, self.seat, {**self.data, **more}, self.blocks)


class Repeats:
    """What one reader of a game has been handed by this process, and what of it again."""

    def __init__(self) -> None:
        self._known: dict[bytes, None] = {}
        self._given: dict[bytes, int] = {}
        self._counts: dict[bytes, _Count] = {}
        self._began: datetime | None = None
        self.due: datetime | None = None
        """When what was counted is to be written, None where nothing was."""

    def is_new(self, receipt: Receipt) -> bool:
        """Return whether this must be written before it is delivered. If not, it is counted.

        Entries without a text are not new if the reader has had each of them in the same way, even in other pieces.
        """
        thing, way = _thing(receipt), _way(receipt)
        if thing in self._known:
            self._count(thing, receipt)
            return False
        entries = _entries(receipt)
        if entries and not entries & ~self._given.get(way, 0):
            self._count(b"", receipt)
            return False
        self._known[thing] = None
        if len(self._known) > MOST_THINGS:
            del self._known[next(iter(self._known))]
        if entries:
            self._given[way] = self._given.get(way, 0) | entries
        return True

    def forget(self) -> None:
        """Take nothing for known any more, since a receipt could not be written. What was counted stays so."""
        self._known.clear()
        self._given.clear()

    def take(self) -> list[_Count]:
        """What was counted, to be written; counting begins again."""
        counts, self._counts, self.due = list(self._counts.values()), {}, None
        return counts

    def give_back(self, counts: Iterable[_Count]) -> None:
        """Count on from these, which could not be written."""
        for count in counts:
            self._add(count)

    def _count(self, thing: bytes, receipt: Receipt) -> None:
        parts = not thing or (thing not in self._counts and len(self._counts) >= MOST_COUNTS)
        data = {**receipt.data, "turn": None} if parts else receipt.data
        blocks = () if parts else receipt.blocks
        self._add(_Count(receipt.seat, data, blocks, receipt.at, receipt.at, parts=parts))

    def _add(self, count: _Count) -> None:
        key = _way(count) if count.parts else _thing(count)
        known = self._counts.get(key)
        if known is None:
            self._counts[key] = count
        else:
            known.times += count.times
            known.since, known.at = min(known.since, count.since), max(known.at, count.at)
            ends = {"from": min(known.data["from"], count.data["from"]), "to": max(known.data["to"], count.data["to"])}
            known.data = {**known.data, **ends}
        if self._began is None:
            self._began = count.since
        if self.due is None:
            self.due = count.at + _pause(count.at - self._began)


def worth_writing(receipts: Iterable[Receipt], earlier: Iterable[RecordedReceipt]) -> list[Receipt]:
    """Return the deliveries that a process without memory must write, such as a command that makes one delivery.

    A delivery that is among the `earlier` ones is written again only after the time of a count has passed.
    """
    found: dict[bytes, list[datetime]] = defaultdict(list)
    for known in earlier:
        said = {name: value for name, value in known.data.items() if name not in ("times", "since", "parts")}
        found[_made(known.seat, said, known.blocks)].append(known.at)
    written = []
    for receipt in receipts:
        digests = tuple(sha256(text.encode()).hexdigest() for text in receipt.blocks)
        times = found.get(_made(receipt.seat, receipt.data, digests))
        if times is None:
            written.append(receipt)
        elif receipt.at - times[-1] >= _pause(times[-1] - times[0]):
            written.append(_Count(receipt.seat, receipt.data, receipt.blocks, receipt.at, receipt.at).receipt())
    return written


def _pause(gone_on: timedelta) -> timedelta:
    """How long is counted, where it has gone on for so long."""
    return min(LONGEST_PAUSE, max(FIRST_PAUSE, gone_on))


def _thing(handed: Receipt | _Count) -> bytes:
    """Return a key that two deliveries of the same thing in the same way share."""
    return _made(handed.seat, handed.data, handed.blocks)


def _made(seat: str, data: dict[str, Any], blocks: tuple[str, ...]) -> bytes:
    return sha256(_json([seat, {name: value for name, value in data.items() if name != "call"}, blocks])).digest()


def _way(handed: Receipt | _Count) -> bytes:
    """Return a key for the way of a delivery, without its content."""
    said = {name: value for name, value in handed.data.items() if name not in ("call", "turn", "from", "to")}
    return _json([handed.seat, said])


def _entries(receipt: Receipt) -> int:
    """Return a bit for each delivered entry; 0 if a text is what counts."""
    first, last = receipt.data["from"], receipt.data["to"]
    if receipt.blocks or receipt.data["turn"] is not None or last < first:
        return 0
    entries: int = (1 << last) - (1 << (first - 1))
    return entries
