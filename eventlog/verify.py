"""Whether a game's rows are still the ones that were appended, and if not, where.

What agreement means: with the game's own head, that nobody changed the rows without also changing the head; with a head
that was kept elsewhere, that nothing up to it was changed since it was taken. Somebody who can write to the database
can rewrite rows and head together, and only a head kept elsewhere tells.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from eventlog.envelope import START, envelope, leaf_hash, running_hash
from eventlog.errors import BadHead, DamagedLog
from eventlog.log import EventLog, Head, StoredRow

_HEAD = re.compile(r"(?:(\d{1,15}):)?([0-9a-f]{64})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is not as it was appended; `position` is None where it concerns the game as a whole."""

    position: int | None
    what: str


@dataclass(frozen=True, slots=True)
class Verification:
    """How many events there are, and every problem found, by position."""

    events: int
    problems: tuple[Problem, ...]

    @property
    def ok(self) -> bool:
        """Whether rows and heads agree."""
        return not self.problems

    def to_json(self) -> dict[str, Any]:
        """`{"events", "ok", "problems": [{"position", "what"}, …]}`."""
        problems = [{"position": problem.position, "what": problem.what} for problem in self.problems]
        return {"events": self.events, "ok": self.ok, "problems": problems}


def verify(log: EventLog, game: str, head: str | None = None) -> Verification:
    """Compare a game's rows with their hashes, with its head, and with `head` kept elsewhere if given.

    `head` is LENGTH:HEX or HEX, of this length or of any earlier one; BadHead if it is neither. Nothing that the rows
    hold makes it fail.
    """
    kept = _parse_head(head) if head is not None else None
    own, problems = _own_head(log, game)
    rows = list(log.rows(game))
    misplaced, ordered = _check_order(rows)
    problems += misplaced
    as_stored, as_computed = [START], [START]
    for row in ordered:
        computed = _leaf(row)
        if computed is None:
            problems.append(Problem(row.position, "cannot be read"))
        elif computed != row.hash:
            problems.append(Problem(row.position, "does not match its hash"))
        stored = _bytes(row.hash)
        as_stored.append(running_hash(as_stored[-1], (stored,)))
        as_computed.append(running_hash(as_computed[-1], (computed or stored,)))
    last = ordered[-1].position if ordered else 0
    if own is not None:
        problems += _check_length(own.length, last, "the head")
        if own.length == last and own.hash not in (as_stored[-1], as_computed[-1]):
            problems.append(Problem(None, "the events do not lead to the head"))
    if kept is not None:
        problems += _check_kept(*kept, last, as_stored, as_computed)
    return Verification(len(rows), tuple(sorted(problems, key=_by_position)))


def _own_head(log: EventLog, game: str) -> tuple[Head | None, list[Problem]]:
    try:
        head = log.head(game)
    except DamagedLog:
        return None, [Problem(None, "the head cannot be read")]
    if head is None:
        return None, [Problem(None, "the game has no head")]
    length: object = head.length
    if not isinstance(length, int):
        return None, [Problem(None, "the head cannot be read")]
    return head, []


def _by_position(problem: Problem) -> tuple[bool, int]:
    return problem.position is None, problem.position or 0


def _parse_head(head: str) -> tuple[int | None, bytes]:
    match = _HEAD.fullmatch(head.strip())
    if match is None:
        raise BadHead
    length, digest = match.groups()
    return (None if length is None else int(length)), bytes.fromhex(digest)


def _bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else b""


def _leaf(row: StoredRow) -> bytes | None:
    try:
        return leaf_hash(row.salt, envelope(*row[:9]))
    except Exception:  # whatever lies in a row that was tampered with, it is a finding and no failure
        return None


def _check_order(rows: Sequence[StoredRow]) -> tuple[list[Problem], list[StoredRow]]:
    """The problems of the positions themselves, and the rows that have one, in order of position."""
    problems = []
    placed: dict[int, StoredRow] = {}
    latest = 0
    for row in rows:
        position: object = row.position
        if not isinstance(position, int) or position < 1:
            problems.append(Problem(None, f"an event has no position but {position!r:.40}"))
        elif position in placed:
            problems.append(Problem(position, "occurs twice"))
        else:
            placed[position] = row
            if position < latest:
                problems.append(Problem(position, "lies after later events"))
            latest = max(latest, position)
    ordered = [placed[position] for position in sorted(placed)]
    before = 0
    for row in ordered:
        problems += _missing(before, row.position - 1)
        before = row.position
    return problems, ordered


def _missing(after: int, upto: int) -> list[Problem]:
    if upto <= after:
        return []
    return [Problem(after + 1, "is missing" if upto == after + 1 else f"is missing, and so is all up to {upto}")]


def _check_length(length: int, last: int, whose: str) -> list[Problem]:
    if last > length:
        more = "" if last == length + 1 else f", and so is all up to {last}"
        return [Problem(length + 1, f"is beyond {whose}{more}")]
    return _missing(last, length)


def _check_kept(
    length: int | None, digest: bytes, last: int, as_stored: list[bytes], as_computed: list[bytes]
) -> list[Problem]:
    if length is None:
        if digest in as_stored or digest in as_computed:
            return []
        return [Problem(None, "the events never led to the head that was given")]
    if length > last:
        return [
            Problem(problem.position, f"{problem.what} (by the head that was given)")
            for problem in _missing(last, length)
        ]
    if length < len(as_stored) and digest in (as_stored[length], as_computed[length]):
        return []
    return [Problem(None, f"events 1 to {length} do not lead to the head that was given")]
