from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sottovoce.domain.audience import EVERYONE, NOBODY, Audience, only
from sottovoce.eventlog.envelope import (
    START,
    Leaves,
    audience_from,
    audience_text,
    envelope,
    from_micros,
    head_hash,
    leaf_hash,
    origin_hash,
    receipt_envelope,
    receipt_leaf,
    running_hash,
    salt_for,
    to_micros,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
NUMBER = st.integers(-(2**63), 2**63 - 1)
FIELDS = st.tuples(TEXT, NUMBER, TEXT, TEXT, NUMBER, st.none() | TEXT, TEXT, st.none() | NUMBER, st.binary(max_size=8))


def test_the_layout_is_the_one_that_is_documented() -> None:
    made = envelope("g", 2, "a", "n.v1", 3, None, "[]", 1, b"{}")
    assert made == (
        b"\x01"
        b"\x00\x00\x00\x01g"
        b"\x00\x00\x00\x00\x00\x00\x00\x02"
        b"\x00\x00\x00\x00\x00\x00\x00\x03"
        b"\x01\x00\x00\x00\x00\x00\x00\x00\x01"
        b"\x00\x00\x00\x01a"
        b"\x00\x00\x00\x04n.v1"
        b"\xff\xff\xff\xff"
        b"\x00\x00\x00\x02[]"
        b"{}"
    )


def test_the_hashes_never_change() -> None:
    made = envelope("g", 2, "a", "n.v1", 3, "Ada", '["Ada"]', None, b"{}")
    salt = salt_for(bytes(range(32)), 2)
    leaf = leaf_hash(salt, made)
    assert salt.hex() == "20e16fab3f5e3bc090bf7267038ac713"
    assert leaf.hex() == "d072985f23f684a9cad9fcfd0f764546d27c172987c1bc790a71373fed5fba55"
    assert running_hash(START, [leaf, leaf]).hex() == "5fd65984a0035da2afb98d2ce08c1b7065fc0cf9a2c0a7aa00a2680a4b3de5ed"


@given(st.lists(FIELDS, min_size=1, max_size=4), st.binary(min_size=32, max_size=32))
def test_the_leaves_of_an_append_are_those_of_its_events(events: list[tuple[Any, ...]], secret: bytes) -> None:
    (game, _, append, _, at, *_), before = events[0], b"h" * 32
    leaves = Leaves(secret, before, game, append, at)
    made = []
    for _, position, _, name, _, actor, audience, cause, body in events:
        salt, leaf = leaves.of(position, name, actor, audience, cause, body)
        assert salt == salt_for(secret, position)
        assert leaf == leaf_hash(salt, envelope(game, position, append, name, at, actor, audience, cause, body))
        made.append(leaf)
        assert leaves.running == running_hash(before, made)


HANDED = st.tuples(TEXT, NUMBER, TEXT, NUMBER, TEXT, TEXT, st.none() | st.binary(max_size=8))


def test_the_layout_of_a_receipt_is_the_one_that_is_documented() -> None:
    made = receipt_envelope("g", 2, "n.v1", 3, "Ada", "{}", b"dd")
    assert made == (
        b"\x01"
        b"\x00\x00\x00\x01g"
        b"\x00\x00\x00\x00\x00\x00\x00\x02"
        b"\x00\x00\x00\x00\x00\x00\x00\x03"
        b"\x00\x00\x00\x04n.v1"
        b"\x00\x00\x00\x03Ada"
        b"\x00\x00\x00\x02dd"
        b"{}"
    )
    assert receipt_leaf(made) == sha256(b"\x02" + made).digest()
    assert (
        head_hash(1, b"e" * 32, 2, b"r" * 32)
        == sha256(b"\x03" + (1).to_bytes(8, "big") + (2).to_bytes(8, "big") + b"e" * 32 + b"r" * 32).digest()
    )


def test_the_layout_of_an_origin_and_of_a_head_with_it_is_the_one_that_is_documented() -> None:
    origin = origin_hash("gé", b"s" * 32, 3, 4)
    numbers = (3).to_bytes(8, "big") + (4).to_bytes(8, "big")
    assert origin == sha256(b"\x04\x00\x00\x00\x03g\xc3\xa9" + numbers + b"s" * 32).digest()
    numbers = (1).to_bytes(8, "big") + (2).to_bytes(8, "big")
    assert (
        head_hash(1, b"e" * 32, 2, b"r" * 32, origin)
        == sha256(b"\x05" + numbers + b"e" * 32 + b"r" * 32 + origin).digest()
    )


@given(HANDED, HANDED)
def test_no_two_receipts_share_an_envelope(one: tuple[Any, ...], other: tuple[Any, ...]) -> None:
    assert (receipt_envelope(*one) == receipt_envelope(*other)) == (one == other)


@given(FIELDS, FIELDS)
def test_no_two_events_share_an_envelope(one: Any, other: Any) -> None:
    assert (envelope(*one) == envelope(*other)) == (one == other)


@given(FIELDS, st.integers(0, 8), st.data())
def test_any_field_changes_the_envelope(fields: Any, index: int, data: Any) -> None:
    changed = list(fields)
    changed[index] = data.draw([TEXT, NUMBER, TEXT, TEXT, NUMBER, TEXT, TEXT, NUMBER, st.binary()][index])
    assert (envelope(*changed) == envelope(*fields)) == (tuple(changed) == fields)


def test_a_salt_has_a_length() -> None:
    with pytest.raises(ValueError, match="16 bytes"):
        leaf_hash(b"", b"")


def test_salts_differ_by_position_and_by_game() -> None:
    salts = {salt_for(secret, position) for secret in (bytes(32), b"1" * 32) for position in range(1, 100)}
    assert len(salts) == 198


@given(st.datetimes(timezones=st.just(UTC)))
def test_times_survive_to_the_microsecond(at: datetime) -> None:
    assert from_micros(to_micros(at)) == at


def test_times_before_1970_are_whole_microseconds_too() -> None:
    assert to_micros(datetime(1970, 1, 1, tzinfo=UTC) - timedelta(microseconds=1)) == -1


@given(st.none() | st.frozensets(TEXT, max_size=4))
def test_audiences_survive(seats: Any) -> None:
    audience = Audience(seats)
    assert audience_from(audience_text(audience)) == audience


def test_audiences_are_stored_as_plain_json() -> None:
    assert audience_text(EVERYONE) == '"everyone"'
    assert audience_text(NOBODY) == "[]"
    assert audience_text(only("Bram", "Ödön", "Ada")) == '["Ada","Bram","Ödön"]'
