"""Whether a game's events and receipts are still what was written, and if not, where.

What agreement means: with the game's own head, that nobody changed the rows without also changing the head; with a head
that was kept elsewhere, that nothing up to it was changed since it was taken. Somebody who can write to the database
can rewrite rows and head together, and only a head kept elsewhere tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sottovoce.eventlog.chain import Chain, Problem, as_bytes, at, events_chain, missing, receipts_chain
from sottovoce.eventlog.decoding import digests_of
from sottovoce.eventlog.errors import DamagedLog
from sottovoce.eventlog.kept import Fate, Kept
from sottovoce.eventlog.links import contradictions, stated
from sottovoce.eventlog.log import EventLog, Head, RecordedReceipt, StoredReceipt

__all__ = ["Problem", "Verification", "contradicted", "text_of", "verify", "verify_all", "whole_receipts"]

MOST_READINGS = 100
"""How often what has to be read together is read before it counts as contradictory though the game still goes on."""


@dataclass(frozen=True, slots=True)
class Verification:
    """How many events and receipts there are, and every problem found, by position and number.

    The first `taken_over` receipts stand under the head only since the log was upgraded. `fate` is what the heads that
    were kept of the game say, None where there are none.
    """

    events: int
    problems: tuple[Problem, ...]
    receipts: int = 0
    taken_over: int = 0
    fate: Fate | None = None

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


def verify(
    log: EventLog, game: str, head: str | None = None, sound: set[str] | None = None, kept: Sequence[Kept] = ()
) -> Verification:
    """Compare a game's rows with their hashes, with its head, and with heads of it that were kept elsewhere.

    `head` is EVENTS+RECEIPTS:HEX, over both, or EVENTS:HEX, over the events alone as heads once were, or HEX of either;
    of these lengths or of any earlier ones. BadHead if it is neither. Nothing that the rows hold makes it fail.
    `sound` remembers the texts found to be whole, for who asks about many games.
    """
    if head is not None:
        kept = [Kept.of(head), *kept]
    return _verified(log, game, sound, kept, log.acknowledged().get(game, ()))


def _verified(
    log: EventLog, game: str, sound: set[str] | None, kept: Sequence[Kept], acknowledged: Sequence[Kept]
) -> Verification:
    """`acknowledged` was read before anything else, so that a game which is played meanwhile has grown beyond it."""
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
    """Every game of the log with what was found, oldest first, and last the storage beside them, as None.

    With `kept`, heads of games that were kept elsewhere, those that have disappeared too.
    """
    sound: set[str] = set()
    kept = kept or {}
    acknowledged = log.acknowledged()
    for game in dict.fromkeys([*log.games(), *kept, *acknowledged]):
        yield game, _verified(log, game, sound, kept.get(game, ()), acknowledged.get(game, ()))
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
            f"The receipts of game {game} were changed ({where}{first.what}); run: sottovoce audit verify {game}"
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
        raise DamagedLog(f"The text {digest[:12]}… is missing; run: sottovoce audit verify") from None


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
