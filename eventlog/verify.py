"""Whether a game's events and receipts are still what was written, and if not, where.

What agreement means: with the game's own head, that nobody changed the rows without also changing the head; with a head
that was kept elsewhere, that nothing up to it was changed since it was taken. Somebody who can write to the database
can rewrite rows and head together, and only a head kept elsewhere tells.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from eventlog.chain import Chain, Problem, as_bytes, at, events_chain, missing, receipts_chain
from eventlog.decoding import digests_of
from eventlog.envelope import head_hash
from eventlog.errors import BadHead, DamagedLog
from eventlog.links import contradictions, stated
from eventlog.log import EventLog, Head, RecordedReceipt, StoredReceipt

__all__ = ["Problem", "Verification", "contradicted", "text_of", "verify", "verify_all", "whole_receipts"]

MOST_READINGS = 100
"""How often what has to be read together is read before it counts as contradictory though the game still goes on."""

_HEAD = re.compile(r"(?:(\d{1,15})(?:\+(\d{1,15}))?:)?([0-9a-f]{64})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Verification:
    """How many events and receipts there are, and every problem found, by position and number.

    The first `taken_over` receipts stand under the head only since the log was upgraded.
    """

    events: int
    problems: tuple[Problem, ...]
    receipts: int = 0
    taken_over: int = 0

    @property
    def ok(self) -> bool:
        """Whether rows and heads agree."""
        return not self.problems

    def to_json(self) -> dict[str, Any]:
        """`{"events", "receipts", "taken_over", "ok", "problems": [{"position", "receipt", "what"}, …]}`."""
        return {
            "events": self.events,
            "receipts": self.receipts,
            "taken_over": self.taken_over,
            "ok": self.ok,
            "problems": [
                {"position": problem.position, "receipt": problem.receipt, "what": problem.what}
                for problem in self.problems
            ],
        }


def verify(log: EventLog, game: str, head: str | None = None, sound: set[str] | None = None) -> Verification:
    """Compare a game's rows with their hashes, with its head, and with `head` kept elsewhere if given.

    `head` is EVENTS+RECEIPTS:HEX, over both, or EVENTS:HEX, over the events alone as heads once were, or HEX of either;
    of these lengths or of any earlier ones. BadHead if it is neither. Nothing that the rows hold makes it fail.
    `sound` remembers the texts found to be whole, for who asks about many games.
    """
    kept = _parse_head(head) if head is not None else None
    own, problems = _own_head(log, game)
    event_rows, rows = list(log.rows(game)), list(log.receipt_rows(game))
    if own is not None and (now := _own_head(log, game)[0]) is not None:
        event_rows = [row for row in event_rows if not _later(row.position, own.length, now.length)]
        rows = [row for row in rows if not _later(row.number, own.receipts, now.receipts)]
    events, receipts = events_chain(event_rows), _receipts(log, rows, sound)
    problems += events.problems + receipts.problems + contradicted(log, game)
    if own is not None:
        problems += _against_own(own, events, receipts)
    if kept is not None:
        problems += _against_kept(*kept, events, receipts, None if own is None else own.origin)
    taken_over = own.taken_over if own is not None else 0
    return Verification(events.count, tuple(sorted(problems, key=_by_place)), receipts.count, taken_over)


def verify_all(log: EventLog) -> Iterator[tuple[str | None, Verification]]:
    """Every game of the log with what was found, oldest first, and last the storage beside them, as None."""
    sound: set[str] = set()
    for game in log.games():
        yield game, verify(log, game, sound=sound)
    yield None, Verification(0, tuple(Problem(None, flaw) for flaw in log.flaws()))


def whole_receipts(log: EventLog, game: str) -> list[RecordedReceipt]:
    """The receipts of a game; DamagedLog where they are not what was written, since every claim rests on them."""
    own, problems = _own_head(log, game)
    rows = list(log.receipt_rows(game))
    if own is not None and (now := _own_head(log, game)[0]) is not None:
        rows = [row for row in rows if not _later(row.number, own.receipts, now.receipts)]
    receipts = receipts_chain(rows)
    problems += receipts.problems
    if own is not None:
        problems += _receipts_against_own(own, receipts)
    if problems:
        first = min(problems, key=_by_place)
        where = f"receipt {first.receipt} " if first.receipt else ""
        raise DamagedLog(
            f"The receipts of game {game} are not what was written ({where}{first.what}); "
            f"run: sottovoce audit verify {game}"
        )
    return [receipt for receipt in log.receipts(game) if receipt.number <= receipts.last]


def _later(number: object, before: int, now: int) -> bool:
    """Whether a row was added between two looks at the head, to a game that is being played."""
    return isinstance(number, int) and before < number <= now


def text_of(log: EventLog, digest: str) -> str:
    """A text that a receipt names; DamagedLog where it is gone, or is not what was handed over."""
    try:
        return log.block(digest)
    except KeyError:
        raise DamagedLog(f"The text {digest[:12]}… is gone; run: sottovoce audit verify") from None


def _receipts(log: EventLog, rows: Sequence[StoredReceipt], sound: set[str] | None) -> Chain:
    chain = receipts_chain(rows)
    chain.problems += _texts(log, rows, set() if sound is None else sound)
    return chain


def contradicted(log: EventLog, game: str) -> list[Problem]:
    """Where the receipts tell of links what cannot be, and where the table of links says something else.

    Both are read anew where the game went on in between: a link may have been claimed.
    """
    for _ in range(MOST_READINGS):
        before = _own_head(log, game)[0]
        said, problems = stated(log.receipt_rows(game))
        try:
            problems += [Problem(None, what) for what in contradictions(said, log.links(game))]
        except DamagedLog:
            problems.append(Problem(None, "the links cannot be read"))
        if not problems or _own_head(log, game)[0] == before:
            break
    return problems


def _texts(log: EventLog, rows: Sequence[StoredReceipt], sound: set[str]) -> Iterator[Problem]:
    """Where a receipt names a text that is gone, or is not the one of that name."""
    for row in rows:
        number: object = row.number
        for digest in digests_of(as_bytes(row.blocks)):
            if digest in sound or not isinstance(number, int):
                continue
            try:
                log.block(digest)
                sound.add(digest)
            except KeyError:
                yield at("receipt", number, f"names a text that is gone ({digest[:12]}…)")
            except DamagedLog:
                yield at("receipt", number, f"names a text that is not what was handed over ({digest[:12]}…)")


def _own_head(log: EventLog, game: str) -> tuple[Head | None, list[Problem]]:
    try:
        head = log.head(game)
    except DamagedLog:
        return None, [Problem(None, "the head cannot be read")]
    if head is None:
        return None, [Problem(None, "the game has no head")]
    numbers: tuple[object, ...] = (head.length, head.receipts, head.taken_over)
    if not all(isinstance(number, int) for number in numbers) or not isinstance(head.origin, bytes):
        return None, [Problem(None, "the head cannot be read")]
    return head, []


def _against_own(own: Head, events: Chain, receipts: Chain) -> list[Problem]:
    problems = _check_length("event", own.length, events.last, "the head")
    if not own.original:
        problems.append(Problem(None, "the head's secret, time of creation or number taken over was changed"))
    if own.length == events.last and not events.leads_to(events.count, own.hash):
        problems.append(Problem(None, "the events do not lead to the head"))
    return problems + _receipts_against_own(own, receipts)


def _receipts_against_own(own: Head, receipts: Chain) -> list[Problem]:
    problems = _check_length("receipt", own.receipts, receipts.last, "the head")
    if own.receipts == receipts.last and not receipts.leads_to(receipts.count, own.receipts_hash):
        problems.append(Problem(None, "the receipts do not lead to the head"))
    return problems


def _by_place(problem: Problem) -> tuple[int, int]:
    if problem.position is not None:
        return 0, problem.position
    return (1, problem.receipt) if problem.receipt is not None else (2, 0)


def _parse_head(head: str) -> tuple[int | None, int | None, bytes]:
    match = _HEAD.fullmatch(head.strip())
    if match is None:
        raise BadHead
    length, receipts, digest = match.groups()
    return _number(length), _number(receipts), bytes.fromhex(digest)


def _number(digits: str | None) -> int | None:
    return None if digits is None else int(digits)


def _check_length(kind: str, length: int, last: int, whose: str) -> list[Problem]:
    if last > length:
        more = "" if last == length + 1 else f", and so is all up to {last}"
        return [at(kind, length + 1, f"is beyond {whose}{more}")]
    return missing(kind, last, length)


_GIVEN = "(by the head that was given)"


def _against_kept(
    length: int | None, count: int | None, digest: bytes, events: Chain, receipts: Chain, origin: bytes | None
) -> list[Problem]:
    if length is None:
        if _ever_led_to(digest, events, receipts, origin):
            return []
        return [Problem(None, "the events and receipts never led to the head that was given")]
    gone = missing("event", events.last, length) + missing("receipt", receipts.last, count or 0)
    if gone:
        return [Problem(problem.position, f"{problem.what} {_GIVEN}", problem.receipt) for problem in gone]
    if count is None:
        if events.leads_to(length, digest):
            return []
        return [Problem(None, f"events 1 to {length} do not lead to the head that was given")]
    if digest in _heads(length, count, events, receipts, origin):
        return []
    what = f"events 1 to {length} and receipts 1 to {count} do not lead to the head that was given"
    return [Problem(None, what)]


def _heads(length: int, count: int, events: Chain, receipts: Chain, origin: bytes | None) -> Iterator[bytes]:
    """What a head of these numbers may be: with the game's origin, and as it was kept before there was one."""
    for event_hash in events.hashes(length):
        for receipt_hash in receipts.hashes(count):
            yield head_hash(length, event_hash, count, receipt_hash, origin)
            yield head_hash(length, event_hash, count, receipt_hash)


def _ever_led_to(digest: bytes, events: Chain, receipts: Chain, origin: bytes | None) -> bool:
    """Whether any number of events, or of events and receipts, has this hash; the longest are tried first."""
    lengths = range(len(events.as_stored) - 1, -1, -1)
    if any(events.leads_to(length, digest) for length in lengths):
        return True
    counts = range(len(receipts.as_stored) - 1, -1, -1)
    return any(digest in _heads(length, count, events, receipts, origin) for length in lengths for count in counts)
