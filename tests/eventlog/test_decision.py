"""What a batch of writes does, without any storage: given stored rows, when these writes come, then this happens."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any
from zlib import decompress

import pytest
from msgspec.structs import replace

from sottovoce.domain.audience import EVERYONE
from sottovoce.domain.events import Draft, Recorded, ReplyAccepted
from sottovoce.eventlog.decision import Decision, ReadResult, ReadSet, asked, decide, refused
from sottovoce.eventlog.envelope import START, origin_hash, running_hash, to_micros
from sottovoce.eventlog.errors import DamagedLog, WriteRefused
from sottovoce.eventlog.links import NO_LINKS, FoundLinks
from sottovoce.eventlog.log import (
    Appended,
    Conflict,
    Failed,
    LeaseLost,
    LinkChange,
    Outcome,
    Receipt,
    StoredHead,
    StoredLink,
    StoredReceipt,
    StoredRow,
    StoredTurn,
    TurnChange,
    Write,
)
from sottovoce.eventlog.registry import Registry, registry_of

AT = datetime(2026, 7, 1, 12, 30, tzinfo=UTC)
NOON = to_micros(AT)
SECRET = b"s" * 32
REGISTRY = registry_of()
ENDED = Receipt("core.call-ended.v1", AT, "Ada", {"call": "c"})


def turn(seat: str = "Ada", number: int = 1, **more: Any) -> StoredTurn:
    return StoredTurn("g", seat, number, 1, NOON - 1, None, None, 0, None)._replace(**more)


def never(write: Write) -> Sequence[Recorded]:
    raise AssertionError("nothing earlier is looked for")


@dataclass(frozen=True)
class Given:
    """What is stored: a game `g` with this many events, its open turns, texts."""

    length: int = 0
    turns: tuple[StoredTurn, ...] = ()
    texts: frozenset[bytes] = frozenset()
    earlier: Callable[[Write], Sequence[Recorded]] = never
    links: FoundLinks = NO_LINKS

    def when(self, *writes: Write, registry: Registry = REGISTRY) -> Then:
        heads = {}
        if self.length:
            heads["g"] = StoredHead("g", self.length, b"h" * 32, 3, b"r" * 32, SECRET, NOON - 9, b"o" * 32)
        turns = {(held.game, held.seat, held.turn): held for held in self.turns}
        found = ReadResult(heads, turns, self.texts, self.earlier, self.links)
        return Then(decide(registry, writes, found, lambda: SECRET))


@dataclass(frozen=True)
class Then:
    """What was decided."""

    decision: Decision

    def outcomes(self, *kinds: Outcome | type) -> Then:
        made = self.decision.outcomes
        assert len(made) == len(kinds)
        for outcome, kind in zip(made, kinds, strict=True):
            assert isinstance(outcome, kind) if isinstance(kind, type) else outcome == kind
        return self

    def nothing(self) -> Then:
        assert self.decision == Decision(outcomes=self.decision.outcomes)
        return self

    def positions(self, *positions: tuple[str, int]) -> Then:
        assert [(row.game, row.position) for row in map(StoredRow._make, self.decision.events)] == list(positions)
        return self

    def turns(self, closed: Any = (), changed: Any = (), opened: Any = ()) -> Then:
        decision = self.decision
        assert (decision.closed, decision.changed, decision.opened) == (list(closed), list(changed), list(opened))
        return self


def drafts(count: int = 1) -> tuple[Draft, ...]:
    return tuple(Draft(ReplyAccepted(seat="Ada", turn=1, text=f"{n}"), EVERYONE) for n in range(count))


def write(expected: int = 0, append: str = "a", game: str = "g", count: int = 1, **more: Any) -> Write:
    return Write(game, expected, append, AT, drafts(count), **more)


CLOSE = TurnChange("close", "Ada", 1)
OPEN = TurnChange("open", "Ada", 1)
RETRY = TurnChange("retry", "Ada", 1, 2)


def test_what_is_asked_for_is_what_the_writes_concern() -> None:
    handed = Receipt("core.handed-over.v1", AT, "Ada", {}, ("one", "two", "one"))
    wanted = asked([write(turns=(CLOSE, OPEN)), write(game="h", receipts=(handed,))])
    digests = {sha256(text).digest() for text in (b"one", b"two")}
    assert wanted == ReadSet({"g", "h"}, {("g", "Ada", 1)}, digests)


def test_a_new_game_begins_with_a_head_of_its_own() -> None:
    then = Given().when(write(count=2)).outcomes(Appended).positions(("g", 1), ("g", 2))
    leaves = [StoredRow._make(row).hash for row in then.decision.events]
    origin = origin_hash("g", SECRET, NOON, 0)
    assert then.decision.begun == [StoredHead("g", 2, running_hash(START, leaves), 0, START, SECRET, NOON, origin)]
    assert then.decision.grown == []


def test_a_head_grows_by_what_is_appended_to_it() -> None:
    then = Given(5).when(write(5, receipts=(ENDED,))).outcomes(Appended).positions(("g", 6))
    (row,), (receipt,) = map(StoredRow._make, then.decision.events), then.decision.receipts
    assert receipt.number == 4
    hashes = running_hash(b"h" * 32, [row.hash]), running_hash(b"r" * 32, [receipt.hash])
    assert then.decision.grown == [StoredHead("g", 6, hashes[0], 4, hashes[1], SECRET, NOON - 9, b"o" * 32)]
    assert then.decision.begun == []


def test_writes_of_a_batch_follow_each_other_and_the_head_is_stored_once() -> None:
    then = Given(5).when(write(5, "a"), write(6, "b"), write(0, "c", game="h"))
    then.outcomes(Appended, Appended, Appended).positions(("g", 6), ("g", 7), ("h", 1))
    assert [(head.game, head.length) for head in then.decision.grown + then.decision.begun] == [("g", 7), ("h", 1)]


@pytest.mark.parametrize("expected", [0, 4, 6])
def test_a_write_for_another_position_is_a_conflict_and_stores_nothing(expected: int) -> None:
    Given(5, earlier=lambda write: ()).when(write(expected)).outcomes(Conflict(5)).nothing()


def test_the_second_of_two_for_one_position_is_a_conflict() -> None:
    then = Given(5).when(write(5, "ours"), write(5, "theirs", turns=(OPEN,))).outcomes(Appended, Conflict(6))
    assert [StoredRow._make(row).append for row in then.decision.events] == ["ours"]
    then.turns()


def test_a_write_repeated_after_it_was_stored_gets_its_first_events() -> None:
    first = Given(4).when(write(4, "mine")).decision.outcomes[0]
    assert isinstance(first, Appended)
    then = Given(5, (turn(),), earlier=lambda _: first.events).when(write(4, "mine", turns=(CLOSE,)))
    then.outcomes(first).nothing()


def test_events_of_another_append_in_that_place_are_a_conflict() -> None:
    first = Given(4).when(write(4, "theirs")).decision.outcomes[0]
    assert isinstance(first, Appended)
    Given(5, earlier=lambda _: first.events).when(write(4, "mine")).outcomes(Conflict(5)).nothing()


def test_a_write_given_twice_in_one_batch_is_stored_once() -> None:
    then = Given(5).when(write(5, "a", count=2), write(7, "b"), write(5, "a", count=2))
    then.positions(("g", 6), ("g", 7), ("g", 8))
    assert then.decision.outcomes[2] == then.decision.outcomes[0]


def test_a_stored_append_is_known_by_the_id_of_its_first_event() -> None:
    made = Given().when(write(0, "kept", count=2)).decision.outcomes[0]
    assert isinstance(made, Appended)
    again = Write("g", 0, "import", AT, stored=made.events)
    Given(2, earlier=lambda _: made.events).when(again).outcomes(made).nothing()


def test_a_write_without_events_contends_for_no_position() -> None:
    then = Given(5).when(Write("g", 2, "r", AT, receipts=(ENDED,))).outcomes(Appended(())).positions()
    assert [(head.length, head.receipts) for head in then.decision.grown] == [(5, 4)]


def test_a_turn_is_opened_free_or_leased_by_who_opens_it() -> None:
    leased = replace(OPEN, worker="w", leased_until=AT + timedelta(seconds=60), expires=AT + timedelta(seconds=9))
    then = Given(5).when(write(5, turns=(OPEN, replace(leased, seat="Bram")))).outcomes(Appended)
    free, held = turn(opened_at=NOON), turn("Bram", opened_at=NOON, worker="w", epoch=1)
    then.turns(opened=[free, held._replace(expires=NOON + 9_000_000, leased_until=NOON + 60_000_000)])


@pytest.mark.parametrize("epoch", [None, 2])
def test_a_turn_is_closed_by_whoever_knows_its_epoch(epoch: int | None) -> None:
    then = Given(5, (turn(epoch=2),)).when(write(5, turns=(replace(CLOSE, epoch=epoch),))).outcomes(Appended)
    then.turns(closed=[("g", "Ada", 1)])


def test_a_retry_takes_the_next_epoch_and_keeps_when_it_was_opened() -> None:
    held = turn(epoch=2, worker="w", leased_until=NOON)
    then = Given(5, (held,)).when(write(5, turns=(replace(RETRY, epoch=2),))).outcomes(Appended)
    then.turns(changed=[turn(attempt=2, epoch=3)])


@pytest.mark.parametrize("change", [CLOSE, RETRY])
def test_a_turn_that_is_closed_is_lost_and_the_whole_write_with_it(change: TurnChange) -> None:
    Given(5).when(write(5, turns=(replace(OPEN, seat="Bram"), change))).outcomes(LeaseLost("Ada", 1)).nothing()


@pytest.mark.parametrize("change", [CLOSE, RETRY])
def test_a_turn_at_another_epoch_is_lost(change: TurnChange) -> None:
    given = Given(5, (turn(epoch=2),))
    given.when(write(5, receipts=(ENDED,), turns=(replace(change, epoch=1),))).outcomes(LeaseLost("Ada", 1)).nothing()


def test_a_turn_that_is_open_is_not_opened_again() -> None:
    then = Given(5, (turn(),)).when(write(5, turns=(OPEN,))).outcomes(Failed).nothing()
    failed = then.decision.outcomes[0]
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, DamagedLog)


def test_of_two_that_answer_one_turn_the_first_has_it() -> None:
    then = Given(5, (turn(),)).when(write(5, turns=(CLOSE,)), write(6, turns=(CLOSE,)))
    then.outcomes(Appended, LeaseLost("Ada", 1)).turns(closed=[("g", "Ada", 1)]).positions(("g", 6))


def test_a_turn_opened_and_closed_in_one_batch_leaves_no_row() -> None:
    then = Given(5).when(write(5, turns=(OPEN,)), write(6, turns=(CLOSE,)))
    then.outcomes(Appended, Appended).turns()


def test_a_turn_closed_and_opened_again_is_changed() -> None:
    then = Given(5, (turn(),)).when(write(5, turns=(CLOSE,)), write(6, turns=(OPEN,)))
    then.outcomes(Appended, Appended).turns(changed=[turn(opened_at=NOON)])


def test_a_write_that_is_wrong_in_itself_fails_alone() -> None:
    naive = replace(write(5), at=AT.replace(tzinfo=None))
    then = Given(5, (turn(),)).when(naive, write(0, game="h"), write(5, turns=(CLOSE,)))
    then.outcomes(Failed, Appended, Appended).positions(("h", 1), ("g", 6)).turns(closed=[("g", "Ada", 1)])
    failed = then.decision.outcomes[0]
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, WriteRefused)


def test_a_write_that_is_wrong_in_itself_leaves_its_turns_to_the_next() -> None:
    given, closing = Given(5, (turn(),)), write(5, turns=(CLOSE,))
    naive = replace(closing, at=AT.replace(tzinfo=None))
    given.when(naive).outcomes(Failed).nothing()
    given.when(naive, closing).outcomes(Failed, Appended).turns(closed=[("g", "Ada", 1)])


def test_a_failed_write_takes_its_turns_with_it() -> None:
    Given(5, (turn(),)).when(write(5, turns=(CLOSE, CLOSE))).outcomes(LeaseLost("Ada", 1)).nothing()


def test_a_text_is_stored_once_and_compressed() -> None:
    digest = sha256(b"known").digest()
    handed = [Receipt("core.handed-over.v1", AT, "Ada", {}, (text, "known")) for text in ("new", "new")]
    then = Given(5, texts=frozenset({digest})).when(write(5, receipts=(handed[0],)), write(6, receipts=(handed[1],)))
    ((stored, packed),) = then.decision.compressed()
    assert (stored, decompress(packed)) == (sha256(b"new").digest(), b"new")
    assert [row.number for row in then.decision.receipts] == [4, 5]
    assert all(digest in (row.blocks or b"") for row in then.decision.receipts)


def token(number: int) -> bytes:
    return bytes([number]) * 32


def link(number: int = 1, **more: Any) -> StoredLink:
    return StoredLink("g", number, "seat", "Ada", token(number), NOON - 1)._replace(**more)


def issuing(number: int, seat: str = "Ada") -> LinkChange:
    return LinkChange("issue", "seat", seat, token(number))


def linking(*changes: LinkChange, game: str = "g") -> Write:
    return Write(game, 0, "l", AT, links=changes)


def linked(*links: StoredLink, digests: Collection[bytes] = (), ended: int = 6) -> Given:
    return Given(5, links=FoundLinks({"g": {link.number: link for link in links}}, digests, ended))


def test_only_writes_with_links_ask_for_any() -> None:
    wanted = asked([write(), linking(issuing(1), LinkChange("end", number=3)), write(game="h", receipts=(ENDED,))])
    assert (wanted.games, wanted.linked, wanted.digests) == ({"g", "h"}, {"g"}, {token(1)})
    assert asked([write(), write(game="h")])[3:] == ((), ())


def test_the_first_link_of_a_game_has_number_one() -> None:
    then = linked().when(linking(issuing(1)))
    issued = link(issued=NOON)
    then.outcomes(Appended((), (issued,))).positions()
    assert then.decision.links == [issued]
    assert [(row.number, row.name, row.seat) for row in then.decision.receipts] == [(4, "core.link-issued.v1", "Ada")]
    assert [(head.length, head.receipts) for head in then.decision.grown] == [(5, 4)]


def test_ended_links_are_stored_before_those_that_take_their_place() -> None:
    then = linked(link()).when(linking(issuing(2)), linking(issuing(3)))
    ended = [link(ended=NOON, ending=7), link(2, issued=NOON, ended=NOON, ending=8)]
    assert then.decision.links == [*ended, link(3, issued=NOON)]
    assert [(row.name.split("-")[1], row.number) for row in then.decision.receipts] == [
        ("ended.v1", 4),
        ("issued.v1", 5),
        ("ended.v1", 6),
        ("issued.v1", 7),
    ]


def test_another_seat_and_another_kind_keep_their_links() -> None:
    held = link(), link(2, seat="Bram"), link(3, kind="keeper", seat="")
    then = linked(*held).when(linking(issuing(4)))
    assert [changed.number for changed in then.decision.links] == [1, 4]


@pytest.mark.parametrize(
    "change",
    [
        issuing(1),
        LinkChange("claim", number=1),
        LinkChange("claim", number=2),
        LinkChange("end", number=2),
        LinkChange("end", number=7),
    ],
)
def test_a_change_of_links_without_effect_stores_nothing(change: LinkChange) -> None:
    held = link(claimed=NOON - 1), link(2, ended=NOON - 1, ending=6)
    linked(*held).when(linking(change)).outcomes(Appended(())).nothing()


def test_a_write_that_is_wrong_leaves_its_links_to_the_next() -> None:
    naive = replace(linking(issuing(1)), at=AT.replace(tzinfo=None))
    lost = write(5, turns=(CLOSE,), links=(issuing(2),))
    then = linked().when(naive, lost, linking(issuing(3)))
    then.outcomes(Failed, LeaseLost("Ada", 1), Appended)
    assert then.decision.links == [link(1, digest=token(3), issued=NOON)]
    then = linked().when(naive, lost, linking(issuing(1)))
    assert then.decision.links == [link(issued=NOON)]


def test_a_token_that_opens_another_game_is_refused() -> None:
    then = linked(digests={token(8)}).when(linking(issuing(8))).outcomes(Failed).nothing()
    failed = then.decision.outcomes[0]
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, WriteRefused)


def test_no_link_leads_to_a_game_that_only_would_begin_with_it() -> None:
    Given().when(linking(issuing(1), game="new")).outcomes(Failed).nothing()
    then = Given().when(write(game="new", links=(issuing(1),))).outcomes(Appended)
    assert [(row.game, row.number) for row in then.decision.links] == [("new", 1)]


def test_rows_that_the_storage_does_not_take_are_told_with_their_game() -> None:
    assert str(refused("g", "why").error) == "Game g could not be written (why); run: sottovoce audit verify g"


def test_rows_have_the_columns_of_their_tables_in_order() -> None:
    from sottovoce.eventlog import schema

    for row, table, further in (
        (StoredRow, schema.events, {"id"}),
        (StoredReceipt, schema.receipts, set()),
        (StoredTurn, schema.turns, {"id"}),
        (StoredHead, schema.heads, {"id", "taken_over", "mark"}),
        (StoredLink, schema.links, set()),
    ):
        columns = {column.name for column in table.columns}
        assert set(row._fields) == columns - further
