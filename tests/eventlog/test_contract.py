"""The contract of every backend."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta, timezone
from hashlib import sha256
from typing import Any, Literal

import pytest
from heads import head_of

from sottovoce.domain.audience import EVERYONE, NOBODY, only
from sottovoce.domain.events import CORE_EVENTS, Draft, Event, ReplyAccepted
from sottovoce.eventlog.envelope import (
    START,
    envelope,
    head_hash,
    leaf_hash,
    receipt_envelope,
    receipt_leaf,
    running_hash,
    to_micros,
)
from sottovoce.eventlog.errors import DamagedLog, UnknownName, WriteRefused
from sottovoce.eventlog.leases import LONGEST_CLAIM, LONGEST_LEASE
from sottovoce.eventlog.log import (
    Appended,
    Conflict,
    Due,
    EventLog,
    Failed,
    Head,
    LeaseLost,
    Receipt,
    TurnChange,
    TurnCounts,
    Write,
)
from sottovoce.eventlog.registry import Registry
from sottovoce.eventlog.verify import verify

AT = datetime(2026, 7, 1, 12, 30, 15, 123456, tzinfo=UTC)
LATER = AT + timedelta(minutes=1)


class Unlisted(Event, name="test.unlisted.v1"):
    pass


def one(outcomes: Sequence[Any]) -> Any:
    (outcome,) = outcomes
    return outcome


def test_every_core_event_is_read_back_as_it_was_appended(log: EventLog) -> None:
    drafts = tuple(Draft(cls.sample(), EVERYONE) for cls in CORE_EVENTS)
    appended = one(log.commit([Write("g", 0, "a", AT, drafts)]))
    assert isinstance(appended, Appended)
    assert [recorded.event for recorded in appended.events] == [draft.event for draft in drafts]
    assert tuple(log.read("g")) == appended.events


def test_an_envelope_says_who_when_where_and_why(log: EventLog) -> None:
    log.commit([Write("g", 0, "first", AT, (Draft(ReplyAccepted.sample(), EVERYONE),))])
    drafts = (Draft(ReplyAccepted.sample(), only("Ada", "Bram")), Draft(ReplyAccepted.sample(), NOBODY))
    log.commit([Write("g", 1, "second", LATER, drafts, cause=1)])
    first, second, third = log.read("g")
    assert [r.position for r in (first, second, third)] == [1, 2, 3]
    assert [r.append for r in (first, second, third)] == ["first", "second", "second"]
    assert [r.cause for r in (first, second, third)] == [None, 1, 2]
    assert [r.at for r in (first, second, third)] == [AT, LATER, LATER]
    assert [r.audience for r in (first, second, third)] == [EVERYONE, only("Ada", "Bram"), NOBODY]
    assert {r.actor for r in (first, second, third)} == {"Ada"}
    assert {r.name for r in (first, second, third)} == {"core.reply-accepted.v1"}


def test_a_time_is_given_back_in_utc(log: EventLog, write: Callable[..., Write]) -> None:
    log.commit([write(at=AT.astimezone(timezone(timedelta(hours=5))))])
    (recorded,) = log.read("g")
    assert recorded.at == AT
    assert recorded.at.tzinfo is UTC


def test_reading_is_bounded_on_both_sides(log: EventLog, write: Callable[..., Write]) -> None:
    log.commit([write(count=5)])
    assert [r.position for r in log.read("g")] == [1, 2, 3, 4, 5]
    assert [r.position for r in log.read("g", after=2)] == [3, 4, 5]
    assert [r.position for r in log.read("g", after=2, upto=4)] == [3, 4]
    assert log.read("g", after=5) == []
    assert log.read("another") == []


def test_games_are_listed_oldest_first(log: EventLog, write: Callable[..., Write]) -> None:
    for game in ("c", "a", "b"):
        log.commit([write(game)])
    log.commit([write("a", expected=1)])
    assert log.games() == ["c", "a", "b"]


def test_hashes_cover_the_envelope_and_lead_to_the_head(log: EventLog, write: Callable[..., Write]) -> None:
    assert log.head("g") is None
    log.commit([write(count=3)])
    log.commit([write(expected=3)])
    events = log.read("g")
    for r in events:
        audience = {EVERYONE: '"everyone"', only("Ada"): '["Ada"]', NOBODY: "[]"}[r.audience]
        covered = envelope(r.game, r.position, r.append, r.name, to_micros(r.at), r.actor, audience, r.cause, r.body)
        assert r.hash == leaf_hash(r.salt, covered)
    assert len({r.salt for r in events}) == 4
    head = head_of(log, "g")
    assert head == Head(4, running_hash(START, [r.hash for r in events]), origin=head.origin)
    assert len(head.origin) == 32


def test_receipts_have_leaves_that_lead_to_the_head(log: EventLog, write: Callable[..., Write]) -> None:
    texts = ("You are Ada.", "Vote!")
    digests = b"".join(sha256(text.encode()).digest() for text in texts)
    handed = Receipt("core.handed-over.v1", AT, "Ada", {"turn": 1, "é": [1.5, None]}, texts)
    ended = Receipt("core.call-ended.v1", LATER, "Bram", {"how": "accepted"})
    log.commit([write(receipts=(handed, ended)), write("h", receipts=(ended,))])
    log.commit([write(expected=1, receipts=(ended,)), write("g", 2), write(expected=3, receipts=(ended, ended))])
    rows = list(log.receipt_rows("g"))
    assert [row.number for row in rows] == [1, 2, 3, 4, 5]
    assert rows[0][:7] == ("g", 1, handed.name, to_micros(AT), "Ada", '{"turn":1,"é":[1.5,null]}', digests)
    assert rows[1].blocks is None
    for row, receipt in zip(rows, log.receipts("g"), strict=True):
        assert row.hash == receipt_leaf(receipt_envelope(*row[:7])) == receipt.hash
    head = head_of(log, "g")
    assert (head.receipts, head.receipts_hash) == (5, running_hash(START, [row.hash for row in rows]))
    assert (head.length, head.taken_over) == (4, 0)
    assert str(head) == f"4+5:{head_hash(4, head.hash, 5, head.receipts_hash, head.origin).hex()}"
    assert head_of(log, "h").receipts == 1
    assert list(log.receipt_rows("nobody")) == []
    assert verify(log, "g", str(head)).to_json() == {
        "events": 4, "receipts": 5, "taken_over": 0, "ok": True, "problems": []
    }  # fmt: skip


def test_rows_are_what_was_stored(log: EventLog, write: Callable[..., Write]) -> None:
    log.commit([write(count=2)])
    for row, recorded in zip(log.rows("g"), log.read("g"), strict=True):
        assert (row.position, row.body, row.salt, row.hash) == (
            recorded.position,
            recorded.body,
            recorded.salt,
            recorded.hash,
        )
        assert row.at == to_micros(AT)


def test_whoever_comes_second_gets_a_conflict(log: EventLog, write: Callable[..., Write]) -> None:
    log.commit([write(append="mine", count=2)])
    assert one(log.commit([write(append="yours")])) == Conflict(2)
    assert one(log.commit([write(append="ahead", expected=3)])) == Conflict(2)
    assert len(log.read("g")) == 2


def test_a_write_repeated_gives_the_first_result(log: EventLog, write: Callable[..., Write]) -> None:
    again = write(append="once", count=2, receipts=(Receipt("core.handed-over.v1", AT, "Ada", {}),))
    first = one(log.commit([again]))
    log.commit([write(expected=2)])
    assert one(log.commit([again])) == first
    assert len(log.read("g")) == 3
    assert len(log.receipts("g")) == 1


def test_a_conflict_in_the_middle_fails_nobody_else(log: EventLog, write: Callable[..., Write]) -> None:
    log.commit([write("b")])
    outcomes = log.commit([write("a"), write("b", append="late"), write("c"), write("a", expected=1)])
    assert [type(outcome) for outcome in outcomes] == [Appended, Conflict, Appended, Appended]
    assert [len(log.read(game)) for game in "abc"] == [2, 1, 1]


def test_a_wrong_write_fails_alone(log: EventLog, write: Callable[..., Write]) -> None:
    unlisted = Write("b", 0, "b", AT, (Draft(ReplyAccepted.sample(), EVERYONE), Draft(Unlisted(), EVERYONE)))
    naive = write("c", at=datetime(2026, 7, 1))  # noqa: DTZ001
    outcomes = log.commit([write("a"), unlisted, naive, write("d")])
    assert [type(outcome) for outcome in outcomes] == [Appended, Failed, Failed, Appended]
    errors = [outcome.error for outcome in outcomes if isinstance(outcome, Failed)]
    assert [type(error) for error in errors] == [UnknownName, WriteRefused]
    assert log.games() == ["a", "d"]
    assert log.head("b") is None


def test_an_empty_commit_is_nothing(log: EventLog) -> None:
    assert log.commit([]) == []


def opening(*seats: str, **more: Any) -> Any:
    return tuple(TurnChange("open", seat, 1, expires=LATER, **more) for seat in seats)


def test_a_turn_is_due_from_its_opening_to_its_close(log: EventLog, write: Callable[..., Write]) -> None:
    log.commit([write(turns=opening("Bram", "Ada"))])
    log.commit([write("h", at=LATER, turns=opening("Zed"))])
    assert log.due("g") == [
        Due("g", "Bram", 1, 1, AT, LATER),
        Due("g", "Ada", 1, 1, AT, LATER),
    ]
    assert [due.seat for due in log.due()] == ["Bram", "Ada", "Zed"]
    log.commit([write(expected=1, turns=(TurnChange("close", "Bram", 1),))])
    assert [due.seat for due in log.due("g")] == ["Ada"]
    assert log.due("nowhere") == []


def test_a_retry_keeps_the_opening_time_and_ends_the_lease(log: EventLog, write: Callable[..., Write]) -> None:
    log.commit([write(turns=opening("Ada"))])
    log.lease("g", [("Ada", 1)], "w", AT, LATER)
    retry = TurnChange("retry", "Ada", 1, attempt=2, expires=None, epoch=1)
    log.commit([write(expected=1, at=LATER, turns=(retry,))])
    assert log.due("g") == [Due("g", "Ada", 1, 2, AT, None, None, 2, None)]
    late = write(expected=2, turns=(TurnChange("close", "Ada", 1, epoch=1),))
    assert one(log.commit([late])) == LeaseLost("Ada", 1)


def test_whoever_opens_a_turn_can_lease_it_at_once(log: EventLog, write: Callable[..., Write]) -> None:
    log.commit([write(turns=opening("Ada", worker="w", leased_until=LATER))])
    assert log.due("g") == [Due("g", "Ada", 1, 1, AT, LATER, "w", 1, LATER)]
    retry = TurnChange("retry", "Ada", 1, attempt=2, epoch=1, worker="w", leased_until=LATER)
    log.commit([write(expected=1, turns=(retry,))])
    assert log.due("g") == [Due("g", "Ada", 1, 2, AT, None, "w", 2, LATER)]
    assert log.lease("g", [("Ada", 1)], "other", AT, LATER) == []


def test_a_lease_is_held_by_one_worker_until_it_runs_out(log: EventLog, write: Callable[..., Write]) -> None:
    log.commit([write(turns=opening("Ada", "Bram"))])
    leased = log.lease("g", [("Ada", 1), ("Bram", 1), ("Bram", 7)], "w1", AT, LATER)
    assert [(due.seat, due.worker, due.epoch, due.leased_until) for due in leased] == [
        ("Ada", "w1", 1, LATER),
        ("Bram", "w1", 1, LATER),
    ]
    assert log.lease("g", [("Ada", 1)], "w2", AT, LATER) == []
    assert [due.epoch for due in log.lease("g", [("Ada", 1)], "w2", LATER, LATER + timedelta(hours=1))] == [2]
    assert log.lease("g", [], "w2", AT, LATER) == []


@pytest.mark.parametrize(
    ("worker", "longest"), [("elsewhere:1:2:3", LONGEST_LEASE), ("inbox:one", LONGEST_CLAIM)], ids=["worker", "claim"]
)
def test_a_lease_that_ends_later_than_any_lease_can_holds_nothing(
    log: EventLog, write: Callable[..., Write], worker: str, longest: timedelta
) -> None:
    log.commit([write(turns=opening("Ada", "Bram"))])
    log.lease("g", [("Ada", 1)], worker, AT, AT + longest)
    log.lease("g", [("Bram", 1)], worker, AT, AT + longest + timedelta(microseconds=1))
    assert {due.seat: due.is_free(AT) for due in log.due("g")} == {"Ada": False, "Bram": True}
    leased = log.lease("g", [("Ada", 1), ("Bram", 1)], "another", AT, LATER)
    assert [(due.seat, due.worker, due.epoch) for due in leased] == [("Bram", "another", 2)]


def test_turns_are_counted_by_how_they_stand(log: EventLog, write: Callable[..., Write]) -> None:
    assert log.turn_counts(AT) == TurnCounts()
    log.commit([write(turns=opening("Ada", "Bram", "Cleo")), write("h", turns=opening("Ada"))])
    log.lease("g", [("Ada", 1)], "w", AT, AT + timedelta(seconds=20))
    log.lease("g", [("Bram", 1)], "w", AT, AT + LONGEST_LEASE)
    log.lease("h", [("Ada", 1)], "w", AT, AT + 2 * LONGEST_LEASE)
    assert log.turn_counts(AT) == TurnCounts(open=4, overdue=0, leased=3, lapsed=1)
    assert log.turn_counts(AT + timedelta(seconds=20)) == TurnCounts(open=4, overdue=0, leased=3, lapsed=2)
    assert log.turn_counts(LATER) == TurnCounts(open=4, overdue=4, leased=3, lapsed=2)


def test_a_lease_handed_back_is_free_again(log: EventLog, write: Callable[..., Write]) -> None:
    log.commit([write(turns=opening("Ada"))])
    log.lease("g", [("Ada", 1)], "w1", AT, LATER)
    assert not log.release("g", "Ada", 1, epoch=5)
    assert not log.release("h", "Ada", 1, epoch=1)
    assert log.release("g", "Ada", 1, epoch=1)
    assert not log.release("g", "Ada", 1, epoch=1)
    assert [due.epoch for due in log.lease("g", [("Ada", 1)], "w2", AT, LATER)] == [2]


def test_a_late_worker_changes_nothing(log: EventLog, write: Callable[..., Write]) -> None:
    log.commit([write(turns=opening("Ada", "Bram"))])
    log.lease("g", [("Ada", 1)], "slow", AT, LATER)
    log.lease("g", [("Ada", 1)], "quick", LATER, LATER + timedelta(hours=1))
    receipt = Receipt("core.call-ended.v1", LATER, "Ada", {})
    changes = (TurnChange("close", "Bram", 1), TurnChange("close", "Ada", 1, epoch=1))
    late = write(expected=1, turns=changes, receipts=(receipt,))
    assert log.commit([late, write("h")]) == [LeaseLost("Ada", 1), *log.commit([write("h")])]
    assert len(log.read("g")) == 1
    assert log.receipts("g") == []
    assert len(log.due("g")) == 2
    timely = write(expected=1, turns=(TurnChange("close", "Ada", 1, epoch=2),))
    assert isinstance(one(log.commit([timely])), Appended)


def test_a_worker_renews_all_its_leases_and_no_others(log: EventLog, write: Callable[..., Write]) -> None:
    log.commit([write(turns=opening("Ada", "Bram", "Cleo")), write("h", turns=opening("Ada"))])
    log.lease("g", [("Ada", 1), ("Bram", 1)], "w", AT, LATER)
    log.lease("h", [("Ada", 1)], "w", AT, LATER)
    log.lease("g", [("Cleo", 1)], "v", AT, LATER)
    much_later = LATER + timedelta(minutes=5)
    before = log.version()
    assert log.renew("w", much_later) == 3
    assert log.version() != before
    assert {(due.game, due.seat): due.leased_until for due in log.due()} == {
        ("g", "Ada"): much_later,
        ("g", "Bram"): much_later,
        ("g", "Cleo"): LATER,
        ("h", "Ada"): much_later,
    }
    assert {due.epoch for due in log.due()} == {1}
    assert log.lease("g", [("Ada", 1), ("Cleo", 1)], "v", LATER, much_later)[0].seat == "Cleo"
    assert log.renew("nobody", much_later) == 0


@pytest.mark.parametrize("what", ["close", "retry"])
def test_a_turn_that_is_not_open_is_lost_even_without_an_epoch(
    log: EventLog, write: Callable[..., Write], what: Literal["close", "retry"]
) -> None:
    log.commit([write()])
    assert one(log.commit([write(expected=1, turns=(TurnChange(what, "Ada", 1),))])) == LeaseLost("Ada", 1)


def test_a_turn_opens_once(log: EventLog, write: Callable[..., Write]) -> None:
    log.commit([write(turns=opening("Ada"))])
    failed = one(log.commit([write(expected=1, turns=opening("Ada"))]))
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, DamagedLog)
    assert len(log.read("g")) == 1


def test_receipts_are_numbered_apart_from_events(log: EventLog, write: Callable[..., Write]) -> None:
    handed = Receipt("core.handed-over.v1", AT, "Ada", {"turn": 1, "upto": [1, 2]}, ("You are Ada.", "Vote!"))
    ended = Receipt("core.call-ended.v1", LATER, "Bram", {"outcome": "accepted"}, ("You are Ada.",))
    log.commit([write(receipts=(handed,))])
    log.commit([write(expected=1, receipts=(ended,))])
    first, second = log.receipts("g")
    assert (first.number, first.name, first.at, first.seat, first.data) == (1, handed.name, AT, "Ada", handed.data)
    assert (second.number, second.at, second.seat) == (2, LATER, "Bram")
    assert [log.block(digest) for digest in first.blocks] == ["You are Ada.", "Vote!"]
    assert first.blocks[:1] == second.blocks
    assert log.receipts("g", "Bram") == [second]
    assert log.receipts("h") == []
    assert [r.position for r in log.read("g")] == [1, 2]


def test_writes_that_were_decided_on_each_other_are_appended_one_behind_the_other(
    log: EventLog, write: Callable[..., Write]
) -> None:
    opened = TurnChange("open", "Ada", 1, worker="me", leased_until=LATER)
    closed = TurnChange("close", "Ada", 1, epoch=1)
    chain = [
        write(append="a", turns=(opened,)),
        write(expected=1, count=2, append="b", after="a", turns=(closed,)),
        Write("g", 3, "r", AT, receipts=(Receipt("core.call-ended.v1", AT, "Ada", {"how": "lost"}),)),
        write(expected=3, append="c", after="b", turns=(TurnChange("open", "Ada", 2),)),
    ]
    stored = log.commit(chain)
    assert [type(outcome) for outcome in stored] == [Appended] * 4
    assert [event.append for event in log.read("g")] == ["a", "b", "b", "c"]
    assert [due.turn for due in log.due("g")] == [2]
    assert verify(log, "g").ok
    repeated = log.commit([chain[0], chain[1], chain[3]])
    assert repeated == [stored[0], stored[1], stored[3]]
    assert head_of(log, "g").length == 4


@pytest.mark.parametrize("first", ["conflict", "lease", "defect", "none"])
def test_a_write_is_not_appended_where_the_one_that_it_was_decided_on_is_not(
    log: EventLog, write: Callable[..., Write], first: str
) -> None:
    log.commit([write(append="a")])
    before = {
        "conflict": [write(append="b")],
        "lease": [write(expected=1, append="b", turns=(TurnChange("close", "Ada", 7, epoch=1),))],
        "defect": [write(expected=1, append="b", at=AT.replace(tzinfo=None))],
        "none": [],
    }[first]
    # What another process appended meanwhile can be as long as the prediction.
    after = write(expected=1, append="c", after="b")
    *_, outcome = log.commit([*before, after, write("h", 0)])[:-1]
    assert outcome == Conflict(1)
    assert [event.append for event in log.read("g")] == ["a"]
    assert log.commit([write(expected=1, append="d", after="a")]) == [Conflict(1)]


def test_receipts_alone_contend_with_nobody(log: EventLog, write: Callable[..., Write]) -> None:
    receipt = Receipt("core.handed-over.v1", AT, "Ada", {})
    log.commit([write(count=3)])
    assert one(log.commit([write(drafts=(), receipts=(receipt,))])) == Appended(())
    assert head_of(log, "g").length == 3
    assert len(log.receipts("g")) == 1


@pytest.mark.parametrize("digest", ["00" * 32, "no digest"])
def test_a_block_that_is_not_there_is_a_key_error(log: EventLog, digest: str) -> None:
    with pytest.raises(KeyError):
        log.block(digest)


def test_stored_events_are_taken_over_with_their_salts_and_hashes(
    log: EventLog, write: Callable[..., Write], registry: Registry
) -> None:
    from sottovoce.eventlog.memory import MemoryLog

    elsewhere = MemoryLog(registry)
    elsewhere.commit([write(count=2, append="one"), write(expected=2, count=2, append="two")])
    events = tuple(elsewhere.read("g"))
    taken = one(log.commit([Write("g", 0, "import", AT, stored=events)]))
    assert taken == Appended(events)
    assert log.read("g") == list(events)
    here, there = head_of(log, "g"), head_of(elsewhere, "g")
    assert (here.length, here.hash) == (there.length, there.hash)
    assert one(log.commit([Write("g", 0, "import", AT, stored=events)])) == taken


def test_a_fork_takes_events_over_under_salts_of_its_own(log: EventLog, write: Callable[..., Write]) -> None:
    from msgspec.structs import replace

    log.commit([write(count=3, append="one")])
    events = log.read("g")
    given = tuple(replace(event, salt=b"") for event in events)
    forked = one(log.commit([Write("fork", 0, "fork", AT, stored=given)])).events
    assert [(r.game, r.position, r.append, r.body) for r in forked] == [
        ("fork", r.position, "one", r.body) for r in events
    ]
    assert not {r.salt for r in forked} & {r.salt for r in events}


def test_stored_events_that_were_changed_or_do_not_follow_are_refused(
    log: EventLog, write: Callable[..., Write], registry: Registry
) -> None:
    from msgspec.structs import replace

    from sottovoce.eventlog.memory import MemoryLog

    elsewhere = MemoryLog(registry)
    elsewhere.commit([write(count=2)])
    first, second = elsewhere.read("g")
    for stored in (
        (replace(first, actor="Bram"),),
        (second,),
        (replace(first, salt=b"short"),),
        (replace(first, at=datetime(2026, 7, 1)),),  # noqa: DTZ001
        (replace(first, salt=b"", body=b"{}"),),
        (replace(first, salt=b"", name="test.unknown.v1"),),
    ):
        assert isinstance(one(log.commit([Write("g", 0, "i", AT, stored=stored)])), Failed)
    both = Write("g", 0, "i", AT, drafts=(Draft(first.event, EVERYONE),), stored=(first,))
    assert isinstance(one(log.commit([both])), Failed)
    assert log.games() == []


def test_the_version_changes_with_every_commit(log: EventLog, write: Callable[..., Write]) -> None:
    seen = [log.version()]
    log.commit([write(turns=opening("Ada"))])
    seen.append(log.version())
    assert log.version() == seen[-1]
    log.lease("g", [("Ada", 1)], "w", AT, LATER)
    seen.append(log.version())
    log.release("g", "Ada", 1, 1)
    seen.append(log.version())
    assert len(set(seen)) == 4


def test_closing_twice_is_no_error(log: EventLog) -> None:
    log.close()
    log.close()
