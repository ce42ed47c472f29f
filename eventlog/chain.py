"""Rows of one kind in one game as a chain: each row checked against its own hash, and running hashes of any length."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from sottovoce.eventlog.envelope import START, envelope, leaf_hash, receipt_envelope, receipt_leaf, running_hash
from sottovoce.eventlog.log import StoredReceipt, StoredRow

Row = TypeVar("Row", StoredRow, StoredReceipt)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that differs from what was written: an event by position, or a receipt by number.

    Both are None if the problem concerns the whole game.
    """

    position: int | None
    what: str
    receipt: int | None = None


@dataclass(slots=True)
class Chain:
    """The rows of one kind in one game: their problems, and the running hash of any number of them."""

    kind: str
    count: int
    problems: list[Problem]
    as_stored: list[bytes]
    as_computed: list[bytes]
    last: int = 0

    @classmethod
    def of(
        cls, kind: str, rows: Iterable[Row], number: Callable[[Row], object], leaf: Callable[[Row], bytes | None]
    ) -> Chain:
        given = list(rows)
        problems, ordered = _check_order(kind, given, number)
        chain = cls(kind, len(given), problems, [START], [START])
        for place, row in ordered:
            computed = leaf(row)
            if computed is None:
                problems.append(at(kind, place, "cannot be read"))
            elif computed != row.hash:
                problems.append(at(kind, place, "does not match its hash"))
            stored = as_bytes(row.hash)
            chain.as_stored.append(running_hash(chain.as_stored[-1], (stored,)))
            chain.as_computed.append(running_hash(chain.as_computed[-1], (computed or stored,)))
            chain.last = place
        return chain

    def leads_to(self, length: int, digest: object) -> bool:
        """Return whether the first `length` rows have this running hash."""
        return digest in self.hashes(length)

    def hashes(self, length: int) -> set[bytes]:
        """Return the running hashes of the first `length` rows: from the stored leaves, and from correct leaves."""
        return {self.as_stored[length], self.as_computed[length]} if length < len(self.as_stored) else set()


def events_chain(rows: Iterable[StoredRow]) -> Chain:
    """Build the chain of a game's events, even if they are damaged."""
    return Chain.of("event", rows, lambda row: row.position, _event_leaf)


def receipts_chain(rows: Iterable[StoredReceipt]) -> Chain:
    """Build the chain of a game's receipts, even if they are damaged."""
    return Chain.of("receipt", rows, lambda row: row.number, _receipt_leaf)


def missing(kind: str, after: int, upto: int) -> list[Problem]:
    """Return the problem that rows `after` + 1 to `upto` are missing, or none if there are no such rows."""
    if upto <= after:
        return []
    return [
        at(kind, after + 1, "is missing" if upto == after + 1 else f"is missing, and so is everything up to {upto}")
    ]


def at(kind: str, place: int, what: str) -> Problem:
    """Return a problem with one event or one receipt."""
    return Problem(place, what) if kind == "event" else Problem(None, what, place)


def _event_leaf(row: StoredRow) -> bytes | None:
    try:
        return leaf_hash(row.salt, envelope(*row[:9]))
    except Exception:  # A tampered row is a finding, never a failure, whatever it contains.
        return None


def _receipt_leaf(row: StoredReceipt) -> bytes | None:
    try:
        return receipt_leaf(receipt_envelope(*row[:7]))
    except Exception:  # as above
        return None


def _check_order(
    kind: str, rows: Sequence[Row], number: Callable[[Row], object]
) -> tuple[list[Problem], list[tuple[int, Row]]]:
    """Return the problems of the positions and the rows that have a position, in order."""
    problems = []
    placed: dict[int, Row] = {}
    latest = 0
    for row in rows:
        place = number(row)
        if not isinstance(place, int) or place < 1:
            called = "position" if kind == "event" else "number"
            article = "an" if kind == "event" else "a"
            problems.append(Problem(None, f"{article} {kind} has no {called} but {place!r:.40}"))
        elif place in placed:
            problems.append(at(kind, place, "occurs twice"))
        else:
            placed[place] = row
            if place < latest:
                problems.append(at(kind, place, f"comes after later {kind}s"))
            latest = max(latest, place)
    before = 0
    for place in sorted(placed):
        problems += missing(kind, before, place - 1)
        before = place
    return problems, [(place, placed[place]) for place in sorted(placed)]


def as_bytes(value: object) -> bytes:
    """Return the value if it is bytes, else nothing."""
    return value if isinstance(value, bytes) else b""
