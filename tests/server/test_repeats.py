"""What is handed over again is counted: what counts as the same, when it is written, and what of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import pairwise
from typing import Any

import pytest

from sottovoce.eventlog.log import Receipt, RecordedReceipt
from sottovoce.projections.receipts import DELIVERED, HANDED_AGAIN
from sottovoce.server.repeats import LONGEST_PAUSE, MOST_COUNTS, Repeats, worth_writing

NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)


def receipt(seconds: float = 0, first: int = 1, last: int = 9, blocks: tuple[str, ...] = (), **more: Any) -> Receipt:
    data = {"by": "http", "agent": "outside", "call": f"{seconds}", "turn": None, "from": first, "to": last, "link": 2}
    return Receipt(DELIVERED, NOON + timedelta(seconds=seconds), "Ada", {**data, **more}, blocks)


def counted(repeats: Repeats) -> list[dict[str, Any]]:
    """What is counted, as it is written."""
    written = [count.receipt() for count in repeats.take()]
    assert {one.name for one in written} <= {HANDED_AGAIN}
    assert len({one.data["call"] for one in written}) == len(written)
    return [{**one.data, "at": one.at, "blocks": one.blocks} for one in written]


def test_the_same_again_is_one_count_with_its_first_and_last_time() -> None:
    repeats = Repeats()
    assert repeats.is_new(receipt())
    assert repeats.due is None
    assert not any(repeats.is_new(receipt(seconds)) for seconds in (5, 7, 30))
    (told,) = counted(repeats)
    assert (told["times"], told["since"]) == (3, "2026-07-01T12:00:05.000000+00:00")
    assert told["at"] == NOON + timedelta(seconds=30)
    assert {name: told[name] for name in ("by", "agent", "turn", "from", "to", "link")} == {
        "by": "http",
        "agent": "outside",
        "turn": None,
        "from": 1,
        "to": 9,
        "link": 2,
    }
    assert "parts" not in told
    assert counted(repeats) == []


@pytest.mark.parametrize(
    "other",
    [
        {"last": 10},
        {"by": "mcp"},
        {"agent": "house"},
        {"turn": 3},
        {"document": "a.md"},
        {"blocks": ("Another text.",)},
    ],
)
def test_another_thing_is_new(other: dict[str, Any]) -> None:
    repeats = Repeats()
    assert repeats.is_new(receipt())
    assert repeats.is_new(receipt(1, **other))
    assert not repeats.is_new(receipt(2, **other))
    assert not repeats.is_new(receipt(3))
    assert [told["times"] for told in counted(repeats)] == [1, 1]


def test_what_was_had_before_in_other_pieces_is_counted_as_parts() -> None:
    repeats = Repeats()
    assert repeats.is_new(receipt(0, 1, 4))
    assert repeats.is_new(receipt(1, 5, 9))
    assert not repeats.is_new(receipt(2, 3, 7))
    assert not repeats.is_new(receipt(3, 4, 8))
    (told,) = counted(repeats)
    assert (told["from"], told["to"], told["times"], told["parts"]) == (3, 8, 2, True)
    assert repeats.is_new(receipt(4, 9, 10)), "entry 10 is new"


def test_a_text_that_is_made_of_known_entries_is_new_all_the_same() -> None:
    repeats = Repeats()
    assert repeats.is_new(receipt(0, 1, 9))
    assert repeats.is_new(receipt(1, 3, 7, ("What you have seen.",)))


def test_however_a_reader_pieces_its_entries_together_it_gets_one_receipt_for_each_at_most() -> None:
    repeats, size = Repeats(), 30
    ranges = [(first, first + width) for width in range(size) for first in range(1, size + 1 - width)]
    assert sum(repeats.is_new(receipt(0, *span)) for span in ranges * 3) == size
    assert len(counted(repeats)) <= MOST_COUNTS + 1


def test_more_things_than_are_counted_apart_are_counted_together() -> None:
    repeats = Repeats()
    texts = [(f"Text {number}.",) for number in range(3 * MOST_COUNTS)]
    assert all(repeats.is_new(receipt(0, 1, number + 1, text)) for number, text in enumerate(texts))
    for _ in range(2):
        assert not any(repeats.is_new(receipt(1, 1, number + 1, text)) for number, text in enumerate(texts))
    told = counted(repeats)
    assert len(told) == MOST_COUNTS + 1
    assert [one["times"] for one in told[:-1]] == [2] * MOST_COUNTS
    assert (told[-1]["times"], told[-1]["parts"], told[-1]["blocks"]) == (4 * MOST_COUNTS, True, ())


def test_it_is_written_after_a_minute_and_then_ever_more_seldom_up_to_an_hour() -> None:
    repeats, written = Repeats(), []
    assert repeats.is_new(receipt())
    for seconds in range(1, 86_400, 7):
        assert not repeats.is_new(receipt(seconds))
        if repeats.due is not None and repeats.due <= NOON + timedelta(seconds=seconds):
            written.append((seconds, counted(repeats)[0]["times"]))
    assert 20 < len(written) < 32
    assert written[0][0] < 70
    pauses = [later - earlier for (earlier, _), (later, _) in pairwise(written)]
    assert max(pauses) < LONGEST_PAUSE.total_seconds() + 20
    assert sum(times for _, times in [*written, (0, counted(repeats)[0]["times"])]) == len(range(1, 86_400, 7))


def test_what_could_not_be_written_is_counted_on() -> None:
    repeats = Repeats()
    repeats.is_new(receipt())
    repeats.is_new(receipt(1))
    counts = repeats.take()
    repeats.is_new(receipt(2))
    repeats.give_back(counts)
    (told,) = counted(repeats)
    assert (told["times"], told["since"][17:19], told["at"].second) == (2, "01", 2)
    repeats.forget()
    assert repeats.is_new(receipt(3)), "it may not have been written"


def recorded(given: Receipt) -> RecordedReceipt:
    digests = tuple(sha256(text.encode()).hexdigest() for text in given.blocks)
    return RecordedReceipt("g", 1, given.name, given.at, given.seat, given.data, digests, b"")


def test_a_process_that_remembers_nothing_writes_the_same_ever_more_seldom() -> None:
    log: list[RecordedReceipt] = []
    for seconds in range(0, 86_400, 60):
        given = [receipt(seconds, blocks=("Vote!",), turn=4), receipt(seconds, 1, 9)]
        log += map(recorded, worth_writing(given, log))
    assert 2 * 20 < len(log) < 2 * 34
    assert [one.name for one in log[:2]] == [DELIVERED] * 2
    assert {one.name for one in log[2:]} == {HANDED_AGAIN}
    assert all(one.data["times"] == 1 for one in log[2:])
    assert len(worth_writing([receipt(86_401, 1, 10)], log)) == 1
