"""Verify that a game's events and receipts are what was written, and if not, find where they differ.

If the rows match the game's own head, nobody changed them without also changing the head. If they match a head that you
saved elsewhere, nothing up to that head has changed since you saved it. Someone who can write to the database can
rewrite rows and head together; only a head saved elsewhere shows that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import with_config
from typing_extensions import TypedDict

from sottovoce.domain.piece import CLOSED
from sottovoce.eventlog.chain import Chain, Problem, as_bytes, at, events_chain, missing, receipts_chain
from sottovoce.eventlog.decoding import digests_of
from sottovoce.eventlog.errors import DamagedLog
from sottovoce.eventlog.kept import Fate, Kept
from sottovoce.eventlog.links import contradictions, stated
from sottovoce.eventlog.log import EventLog, Head, RecordedReceipt, StoredReceipt

__all__ = ["Problem", "Verification", "all_receipts", "contradicted", "text_of", "verify", "verify_all"]

MOST_READINGS = 100
"""How often to read data that belongs together before a contradiction counts, because the game may be in progress."""


@with_config(CLOSED)
class VerifyProblemJson(TypedDict):
    """A problem at an event's position, or at a receipt's number."""

    position: int | None
    receipt: int | None
    what: str


@with_config(CLOSED)
class VerificationJson(TypedDict):
    """Whether events and receipts match their hashes and the head."""

    events: int
    receipts: int
    taken_over: int
    ok: bool
    problems: list[VerifyProblemJson]


@dataclass(frozen=True, slots=True)
class Verification:
    """The number of events and receipts, and every problem found, by position and number.

    The first `taken_over` receipts are under the head only since the log was upgraded. `fate` is what the saved heads
    say about the game, or None without saved heads.
    """

    events: int
    problems: tuple[Problem, ...]
    receipts: int = 0
    taken_over: int = 0
    fate: Fate | None = None

    @property
    def ok(self) -> bool:
        """Return whether rows and heads agree."""
        return not self.problems

    def to_json(self) -> VerificationJson:
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


def verify(
    log: EventLog, game: str, head: str | None = None, sound: set[str] | None = None, kept: Sequence[Kept] = ()
) -> Verification:
    """Compare a game's rows with their hashes, with its head, and with heads saved elsewhere.

    `head` is EVENTS+RECEIPTS:HEX over both, the older form EVENTS:HEX over the events only, or the HEX of either, for
    the current length or any earlier one. Raises BadHead for anything else. No content of the rows makes it fail.
    `sound` remembers intact texts, for callers that verify many games.
    """
    if head is not None:
        kept = [Kept.of(head), *kept]
    return _verified(log, game, sound, kept, log.acknowledged().get(game, ()))


def _verified(
    log: EventLog, game: str, sound: set[str] | None, kept: Sequence[Kept], acknowledged: Sequence[Kept]
) -> Verification:
    """Read `acknowledged` first, so that a game in progress has grown beyond it."""
    own, problems = _own_head(log, game)
    event_rows, rows = list(log.rows(game)), list(log.receipt_rows(game))
    if own is not None and (now := _own_head(log, game)[0]) is not None:
        event_rows = [row for row in event_rows if not _later(row.position, own.length, now.length)]
        rows = [row for row in rows if not _later(row.number, own.receipts, now.receipts)]
    elif (told := (*kept, *acknowledged)) and not (event_rows or rows):
        fate: Fate | None = "disappeared" if kept else None
        return Verification(0, (Problem(None, f"the game is gone (by {told[0].named})"),), fate=fate)
    events, receipts = events_chain(event_rows), _receipts(log, rows, sound)
    problems += events.problems + receipts.problems + contradicted(log, game)
    if own is not None:
        problems += _against_own(own, events, receipts)
    origin = None if own is None else own.origin
    fate = None
    for one in kept:
        found, wrong = one.against(events, receipts, origin)
        fate = found if fate in (None, "agrees") else fate
        problems += wrong
    for one in acknowledged:
        problems += one.against(events, receipts, origin)[1]
    taken_over = own.taken_over if own is not None else 0
    return Verification(events.count, tuple(sorted(problems, key=_by_place)), receipts.count, taken_over, fate)


def verify_all(
    log: EventLog, kept: Mapping[str, Sequence[Kept]] | None = None
) -> Iterator[tuple[str | None, Verification]]:
    """Verify every game of the log, oldest first, and last the storage around them, as None.

    With `kept`, the heads saved elsewhere, games that have disappeared are included.
    """
    sound: set[str] = set()
    kept = kept or {}
    acknowledged = log.acknowledged()
    for game in dict.fromkeys([*log.games(), *kept, *acknowledged]):
        yield game, _verified(log, game, sound, kept.get(game, ()), acknowledged.get(game, ()))
    yield None, Verification(0, tuple(Problem(None, flaw) for flaw in log.flaws()))


def all_receipts(log: EventLog, game: str) -> list[RecordedReceipt]:
    """Return a game's receipts. Raises DamagedLog if they were changed, because all other answers depend on them."""
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
            f"The receipts of game {game} were changed ({where}{first.what}); run: sottovoce audit verify {game}"
        )
    return [receipt for receipt in log.receipts(game) if receipt.number <= receipts.last]


def _later(number: object, before: int, now: int) -> bool:
    """Return whether a row was added between two reads of the head, to a game in progress."""
    return isinstance(number, int) and before < number <= now


def text_of(log: EventLog, digest: str) -> str:
    """Return a text that a receipt names. Raises DamagedLog if it is missing or not the delivered one."""
    try:
        return log.block(digest)
    except KeyError:
        raise DamagedLog(f"The text {digest[:12]}… is missing; run: sottovoce audit verify") from None


def _receipts(log: EventLog, rows: Sequence[StoredReceipt], sound: set[str] | None) -> Chain:
    chain = receipts_chain(rows)
    chain.problems += _texts(log, rows, set() if sound is None else sound)
    return chain


def contradicted(log: EventLog, game: str) -> list[Problem]:
    """Return where receipts say something impossible about links, and where the table of links differs.

    Both are read again if the game continued in between, because a link may have been claimed.
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
    """Return where a receipt names a text that is missing or has another digest."""
    for row in rows:
        number: object = row.number
        for digest in digests_of(as_bytes(row.blocks)):
            if digest in sound or not isinstance(number, int):
                continue
            try:
                log.block(digest)
                sound.add(digest)
            except KeyError:
                yield at("receipt", number, f"names a text that is missing ({digest[:12]}…)")
            except DamagedLog:
                yield at("receipt", number, f"names a text that is not what was delivered ({digest[:12]}…)")


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
        problems.append(Problem(None, "the events do not match the head"))
    return problems + _receipts_against_own(own, receipts)


def _receipts_against_own(own: Head, receipts: Chain) -> list[Problem]:
    problems = _check_length("receipt", own.receipts, receipts.last, "the head")
    if own.receipts == receipts.last and not receipts.leads_to(receipts.count, own.receipts_hash):
        problems.append(Problem(None, "the receipts do not match the head"))
    return problems


def _by_place(problem: Problem) -> tuple[int, int]:
    if problem.position is not None:
        return 0, problem.position
    return (1, problem.receipt) if problem.receipt is not None else (2, 0)


def _check_length(kind: str, length: int, last: int, whose: str) -> list[Problem]:
    if last > length:
        more = "" if last == length + 1 else f", and so is everything up to {last}"
        return [at(kind, length + 1, f"is beyond {whose}{more}")]
    return missing(kind, last, length)
