"""Links on every backend: how they change, what records it, and that table and receipts agree."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Thread
from typing import Any

import pytest

from sottovoce.eventlog.envelope import to_micros
from sottovoce.eventlog.errors import WriteRefused
from sottovoce.eventlog.log import Appended, EventLog, Failed, LinkChange, Receipt, StoredLink, Write
from sottovoce.eventlog.verify import verify

AT = datetime(2026, 7, 1, 12, 30, tzinfo=UTC)
NOON = to_micros(AT)


def digest(number: int) -> bytes:
    return number.to_bytes(32, "big")


def issue(number: int, kind: str = "seat", seat: str = "Ada") -> LinkChange:
    return LinkChange("issue", kind, seat, digest(number))


def claim(number: int) -> LinkChange:
    return LinkChange("claim", number=number)


def end(number: int) -> LinkChange:
    return LinkChange("end", number=number)


def changing(*changes: LinkChange, game: str = "g", minutes: int = 0) -> Write:
    return Write(game, 0, "links", AT + timedelta(minutes=minutes), links=changes)


def changed(log: EventLog, *writes: Write) -> list[tuple[StoredLink, ...]]:
    outcomes = log.commit(writes)
    assert all(isinstance(outcome, Appended) for outcome in outcomes), outcomes
    return [outcome.links for outcome in outcomes if isinstance(outcome, Appended)]


def facts(log: EventLog, game: str = "g") -> list[tuple[str, str, dict[str, Any]]]:
    return [(receipt.name.split(".")[1], receipt.seat, receipt.data) for receipt in log.receipts(game)]


@pytest.fixture
def begun(log: EventLog, write: Callable[..., Write]) -> EventLog:
    log.commit([write(), write("h")])
    return log


def test_an_issued_link_is_found_by_its_digest_and_nothing_else(begun: EventLog) -> None:
    ((link,),) = changed(begun, changing(issue(7)))
    assert link == StoredLink("g", 1, "seat", "Ada", digest(7), NOON)
    assert begun.link(digest(7)) == link
    assert begun.links("g") == [link]
    for wrong in (digest(8), b"", digest(7)[:31], digest(7) + b"\0", b"\xff" * 1000):
        assert begun.link(wrong) is None
    assert begun.links("h") == begun.links("nowhere") == []


def test_each_change_is_a_fact_among_the_receipts(begun: EventLog) -> None:
    changed(begun, changing(issue(1), issue(2, "keeper", "")))
    changed(begun, changing(claim(1), minutes=1))
    changed(begun, changing(end(2), minutes=2))
    assert facts(begun) == [
        ("link-issued", "Ada", {"link": 1, "kind": "seat", "digest": digest(1).hex()}),
        ("link-issued", "", {"link": 2, "kind": "keeper", "digest": digest(2).hex()}),
        ("link-claimed", "Ada", {"link": 1}),
        ("link-ended", "", {"link": 2, "how": "ended"}),
    ]
    minutes = [receipt.at - AT for receipt in begun.receipts("g")]
    assert minutes == [timedelta(minutes=count) for count in (0, 0, 1, 2)]
    assert verify(begun, "g").ok
    assert verify(begun, "g").receipts == 4


def test_issuing_anew_ends_the_older_link_of_that_kind_and_seat(begun: EventLog) -> None:
    changed(begun, changing(issue(1), issue(2, seat="Bram"), issue(3, "keeper", "")))
    ((old, new),) = changed(begun, changing(issue(4), minutes=5))
    later = to_micros(AT + timedelta(minutes=5))
    assert (old.number, old.ended, old.ending) == (1, later, 1)
    assert new == StoredLink("g", 4, "seat", "Ada", digest(4), later)
    assert begun.link(digest(1)) is None
    assert [begun.link(digest(number)) is not None for number in (2, 3, 4)] == [True] * 3
    assert facts(begun)[-2:] == [
        ("link-ended", "Ada", {"link": 1, "how": "replaced"}),
        ("link-issued", "Ada", {"link": 4, "kind": "seat", "digest": digest(4).hex()}),
    ]
    assert verify(begun, "g").ok


def test_one_batch_may_issue_the_same_place_many_times(begun: EventLog) -> None:
    links = changed(begun, changing(issue(1), issue(2)), changing(issue(3), claim(3)), changing(issue(4), end(9)))
    assert [[link.number for link in some] for some in links] == [[1, 2], [2, 3], [3, 4]]
    assert [(link.number, link.ending) for link in begun.links("g")] == [(1, 1), (2, 2), (3, 3), (4, None)]
    assert begun.links("g")[2].claimed == NOON
    assert verify(begun, "g").ok


@pytest.mark.parametrize("nothing", [claim(1), claim(2), claim(9), end(2), end(9), end(0), issue(1), issue(2)])
def test_what_has_no_effect_leaves_no_trace(begun: EventLog, nothing: LinkChange) -> None:
    changed(begun, changing(issue(1), issue(2, "keeper", "")), changing(claim(1), end(2)))
    before = begun.links("g"), begun.receipts("g"), begun.head("g"), begun.links_ended(0)
    assert changed(begun, changing(nothing, minutes=9)) == [()]
    assert (begun.links("g"), begun.receipts("g"), begun.head("g"), begun.links_ended(0)) == before


def test_a_claim_is_kept_and_stays_as_it_was(begun: EventLog) -> None:
    changed(begun, changing(issue(1)))
    ((link,),) = changed(begun, changing(claim(1), minutes=3))
    assert link.claimed == to_micros(AT + timedelta(minutes=3))
    assert changed(begun, changing(claim(1), minutes=8)) == [()]
    assert begun.link(digest(1)) == link


def test_links_share_a_write_with_events_and_receipts(begun: EventLog, write: Callable[..., Write]) -> None:
    given = Receipt("core.call-ended.v1", AT, "Ada", {"call": "c"})
    (outcome,) = begun.commit([write(expected=1, receipts=(given,), links=(issue(1),))])
    assert isinstance(outcome, Appended)
    assert (len(outcome.events), len(outcome.links)) == (1, 1)
    assert [name for name, _, _ in facts(begun)] == ["call-ended", "link-issued"]
    (conflict,) = begun.commit([write(expected=1, append="other", links=(end(1),))])
    assert not isinstance(conflict, Appended)
    assert changed(begun, write(expected=1, links=(end(1),))) == [()], "that append was stored before"
    assert begun.link(digest(1)) is not None


def test_links_shift_no_position_and_join_no_contention(begun: EventLog, write: Callable[..., Write]) -> None:
    changed(begun, changing(issue(1)), write(expected=1), changing(claim(1)), write(expected=2))
    head = begun.head("g")
    assert head is not None
    assert (head.length, head.receipts) == (3, 2)
    assert [event.position for event in begun.read("g")] == [1, 2, 3]


@pytest.mark.parametrize("wrong", [b"", digest(1)[:31], digest(1) + b"\0"])
def test_a_digest_that_is_none_is_refused_and_fails_nobody_else(begun: EventLog, wrong: bytes) -> None:
    refused, taken = begun.commit([changing(LinkChange("issue", "seat", "Ada", wrong)), changing(issue(2))])
    assert isinstance(refused, Failed)
    assert isinstance(refused.error, WriteRefused)
    assert isinstance(taken, Appended)
    assert [link.digest for link in begun.links("g")] == [digest(2)]


def test_a_token_opens_one_game_only(begun: EventLog) -> None:
    changed(begun, changing(issue(1)))
    for other in ([changing(issue(1), game="h")], [changing(issue(2)), changing(issue(2), game="h")]):
        refused = begun.commit(other)[-1]
        assert isinstance(refused, Failed)
        assert isinstance(refused.error, WriteRefused)
    assert begun.links("h") == []
    assert begun.receipts("h") == []


def test_no_link_leads_to_a_game_that_is_not_there(log: EventLog, write: Callable[..., Write]) -> None:
    (refused,) = log.commit([changing(issue(1))])
    assert isinstance(refused, Failed)
    assert log.games() == []
    changed(log, write(links=(issue(1),)))
    assert log.link(digest(1)) is not None


def test_ended_links_are_told_in_order_and_once(begun: EventLog) -> None:
    assert begun.links_ended(None) == (0, [])
    assert begun.links_ended(0) == (0, [])
    changed(begun, changing(issue(1), issue(2, "keeper", "")), changing(issue(3), game="h"))
    assert begun.links_ended(0) == (0, [])
    changed(begun, changing(end(1), game="h"), changing(issue(4), end(2)))
    assert begun.links_ended(0) == (3, [digest(3), digest(1), digest(2)])
    assert begun.links_ended(1) == (3, [digest(1), digest(2)])
    assert begun.links_ended(3) == (3, [])
    assert begun.links_ended(None) == (3, [])


def test_a_change_of_links_changes_the_version(begun: EventLog) -> None:
    for change in (issue(1), claim(1), end(1)):
        before = begun.version()
        changed(begun, changing(change))
        assert begun.version() != before


def test_who_follows_passes_over_no_end_while_others_write(begun: EventLog) -> None:
    rounds = 20
    seen: list[bytes] = []

    def keep_issuing(game: str, first: int) -> None:
        for number in range(first, first + rounds + 1):
            changed(begun, changing(issue(number), game=game))

    writers = [Thread(target=keep_issuing, args=(game, first)) for game, first in (("g", 100), ("h", 200))]
    for writer in writers:
        writer.start()
    revision = 0
    while any(writer.is_alive() for writer in writers) or begun.links_ended(None)[0] > revision:
        revision, digests = begun.links_ended(revision)
        seen += digests
    for writer in writers:
        writer.join()
    wanted = [digest(first + number) for first in (100, 200) for number in range(rounds)]
    assert sorted(seen) == sorted(wanted)
    assert verify(begun, "g").ok
    assert verify(begun, "h").ok
