"""Heads saved outside the log: read and write them, and compare them with a game's rows.

A file of heads has one line per game, `GAME EVENTS+RECEIPTS:HEX`. You can append lines later, also for the same games.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sottovoce.eventlog.chain import Chain, Problem, missing
from sottovoce.eventlog.envelope import head_hash
from sottovoce.eventlog.errors import BadHead

Fate = Literal["agrees", "changed", "went back", "disappeared"]
"""What has happened to a game since one of its heads was saved."""

GIVEN = "the head you gave"

_HEAD = re.compile(r"(?:(\d{1,15})(?:\+(\d{1,15}))?:)?([0-9a-f]{64})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Kept:
    """A saved head. A number is None if the head does not contain it. `named` is the head in messages."""

    events: int | None
    receipts: int | None
    digest: bytes
    named: str = GIVEN

    @classmethod
    def of(cls, text: str, named: str = GIVEN) -> Kept:
        """Parse EVENTS+RECEIPTS:HEX, EVENTS:HEX or HEX. Raises BadHead for anything else."""
        match = _HEAD.fullmatch(text.strip())
        if match is None:
            raise BadHead
        events, receipts, digest = match.groups()
        return cls(
            None if events is None else int(events),
            None if receipts is None else int(receipts),
            bytes.fromhex(digest),
            named,
        )

    def against(self, events: Chain, receipts: Chain, origin: bytes | None) -> tuple[Fate, list[Problem]]:
        """Compare this head with the game's rows and its origin."""
        if self.events is None:
            if self._ever_led_to(events, receipts, origin):
                return "agrees", []
            return "changed", [Problem(None, f"the events and receipts never matched {self.named}")]
        if gone := self.missing(events.last, receipts.last):
            return "went back", gone
        if self.receipts is None:
            if events.leads_to(self.events, self.digest):
                return "agrees", []
            return "changed", [Problem(None, f"events 1 to {self.events} do not match {self.named}")]
        if self.digest in _digests(self.events, self.receipts, events, receipts, origin):
            return "agrees", []
        what = f"events 1 to {self.events} and receipts 1 to {self.receipts} do not match {self.named}"
        return "changed", [Problem(None, what)]

    def missing(self, events: int, receipts: int) -> list[Problem]:
        """Return what is missing in a game with this many events and receipts."""
        gone = missing("event", events, self.events or 0) + missing("receipt", receipts, self.receipts or 0)
        return [Problem(problem.position, f"{problem.what} (by {self.named})", problem.receipt) for problem in gone]

    def _ever_led_to(self, events: Chain, receipts: Chain, origin: bytes | None) -> bool:
        """Return whether any number of events, or of events and receipts, has this hash. Tries the longest first."""
        lengths = range(len(events.as_stored) - 1, -1, -1)
        if any(events.leads_to(length, self.digest) for length in lengths):
            return True
        counts = range(len(receipts.as_stored) - 1, -1, -1)
        return any(
            self.digest in _digests(length, count, events, receipts, origin) for length in lengths for count in counts
        )


def _digests(length: int, count: int, events: Chain, receipts: Chain, origin: bytes | None) -> Iterator[bytes]:
    """Return the possible hashes of a head with these numbers: with the game's origin, and in the older form without
    it."""
    for event_hash in events.hashes(length):
        for receipt_hash in receipts.hashes(count):
            yield head_hash(length, event_hash, count, receipt_hash, origin)
            yield head_hash(length, event_hash, count, receipt_hash)


def read_heads(lines: Iterable[str], source: str) -> Mapping[str, Sequence[Kept]]:
    """Return the heads in these lines by game. Ignores empty lines and lines that begin with #.

    Raises BadHead for any other line, and if there is no head.
    """
    found: dict[str, list[Kept]] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        game, _, head = line.strip().partition(" ")
        try:
            kept = Kept.of(head, f"the head in line {number} of {source}")
        except BadHead:
            raise BadHead(
                f"Line {number} of {source} is not GAME EVENTS+RECEIPTS:HEX. Give a file that `audit heads` wrote"
            ) from None
        found.setdefault(game, []).append(kept)
    if not found:
        raise BadHead(f"There is no head in {source}. Give a file that `audit heads` wrote")
    return found
