"""The rows of one kind in one game as a chain: each against its own hash, and the running hash of any number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from sottovoce.eventlog.envelope import START, envelope, leaf_hash, receipt_envelope, receipt_leaf, running_hash
from sottovoce.eventlog.log import StoredReceipt, StoredRow

Row = TypeVar("Row", StoredRow, StoredReceipt)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is not as it was written: an event by its position, a receipt by its number.

    Both are None where it concerns the game as a whole.
    """

    position: int | None
    what: str
    receipt: int | None = None


@dataclass(slots=True)
class Chain:
    """The rows of one kind in one game: what is wrong with them, and the running hashes of any number of them."""

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
        """Whether the first `length` rows have this running hash."""
        return digest in self.hashes(length)

    def hashes(self, length: int) -> set[bytes]:
        """The running hash of the first `length` rows: by the leaves as they are stored, and as they should be."""
        return {self.as_stored[length], self.as_computed[length]} if length < len(self.as_stored) else set()


def events_chain(rows: Iterable[StoredRow]) -> Chain:
    """The chain of a game's events, in whatever state they are."""
    return Chain.of("event", rows, lambda row: row.position, _event_leaf)


def receipts_chain(rows: Iterable[StoredReceipt]) -> Chain:
    """The chain of a game's receipts, in whatever state they are."""
    return Chain.of("receipt", rows, lambda row: row.number, _receipt_leaf)


def missing(kind: str, after: int, upto: int) -> list[Problem]:
    """The problem that all from `after` + 1 to `upto` are not there; none where that is nothing."""
    if upto <= after:
        return []
    return [
        at(kind, after + 1, "is missing" if upto == after + 1 else f"is missing, and so is everything up to {upto}")
    ]


def at(kind: str, place: int, what: str) -> Problem:
    """A problem with one event or one receipt."""
    return Problem(place, what) if kind == "event" else Problem(None, what, place)


def _event_leaf(row: StoredRow) -> bytes | None:
    try:
        return leaf_hash(row.salt, envelope(*row[:9]))
    except Exception:  # whatever lies in a row that was tampered with, it is a finding and no failure
        return None


def _receipt_leaf(row: StoredReceipt) -> bytes | None:
    try:
        return receipt_leaf(receipt_envelope(*row[:7]))
    except Exception:  # as above
        return None


def _check_order(
    kind: str, rows: Sequence[Row], number: Callable[[Row], object]
) -> tuple[list[Problem], list[tuple[int, Row]]]:
    """The problems of the places themselves, and the rows that have one, in order."""
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
    """The value where it is bytes, else nothing."""
    return value if isinstance(value, bytes) else b""
