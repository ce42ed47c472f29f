"""Export one event per line, and read it back without loss."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from table import Table

from sottovoce.domain.audience import EVERYONE, NOBODY, Audience, only
from sottovoce.domain.events import Recorded
from sottovoce.projections.exports import KEYS, export_event, export_line, parse_exported, parse_line
from sottovoce.rulesets.mafia.rules import events as e

EVENT = e.SpeechGiven.sample()
RECORDED = Recorded(
    game="m-1",
    position=7,
    append="a-7",
    name=EVENT.stored_name,
    at=datetime(2026, 1, 1, 12, 0, tzinfo=UTC),
    actor="Ada",
    audience=only("Cleo", "Ada"),
    cause=3,
    body=EVENT.encoded(),
    salt=bytes(range(16)),
    hash=bytes(range(32)),
    event=EVENT,
)


def test_the_shape_is_exact() -> None:
    assert export_event(RECORDED) == {
        "game": "m-1",
        "position": 7,
        "append": "a-7",
        "name": "mafia.speech-given.v1",
        "at": "2026-01-01T12:00:00.000000+00:00",
        "actor": "Ada",
        "audience": ["Ada", "Cleo"],
        "cause": 3,
        "data": {
            "player": "Ada",
            "occasion": "discussion",
            "text": "Bram was very quiet when Dirk was found.",
        },
        "salt": "000102030405060708090a0b0c0d0e0f",
        "hash": "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
    }
    assert tuple(export_event(RECORDED)) == KEYS


@pytest.mark.parametrize("audience", [EVERYONE, NOBODY, only("Åsa", "b")])
def test_what_may_be_absent_comes_back_as_it_was(audience: Audience) -> None:
    bare = replace(RECORDED, actor=None, cause=None, audience=audience, salt=b"", hash=b"")
    assert parse_line(export_line(bare)).recorded(bare.event) == bare


def test_every_event_of_a_game_comes_back(played: Callable[[int], Table]) -> None:
    for item in played(3).recorded:
        line = export_line(item)
        assert parse_line(line).recorded(item.event) == item
        assert json.loads(line).keys() == set(KEYS)


@given(
    text=st.text(st.characters(exclude_categories=["Cs"])),
    micros=st.integers(0, 10**15),
)
def test_any_text_and_time_come_back_to_the_byte(text: str, micros: int) -> None:
    event = e.SpeechGiven(player="Ada", occasion="final", text=text)
    at = datetime(1990, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)
    item = replace(RECORDED, event=event, body=event.encoded(), at=at)
    line = export_line(item)
    assert "\n" not in line
    assert "body" not in json.loads(line)
    assert parse_line(line).recorded(event) == item


@pytest.mark.parametrize(
    "body",
    [
        '{"x":1e16}',
        '{"x":1E5,"y":100000.0}',
        '{"x":0.10}',
        '{"x":-0.0}',
        '{"x":123456789012345678901234567890}',
        '{"x": "spaced"}',
        '{"x":"\\u00e9"}',
        '{"x":"\\/"}',
    ],
)
def test_a_body_with_more_than_one_spelling_keeps_its_own(body: str) -> None:
    item = replace(RECORDED, body=body.encode())
    back = parse_line(export_line(item))
    assert back.body == item.body
    assert back.recorded(item.event) == item


def test_a_time_is_given_in_utc() -> None:
    item = replace(RECORDED, at=RECORDED.at.astimezone(timezone(timedelta(hours=5, minutes=30))))
    assert export_event(item)["at"] == "2026-01-01T12:00:00.000000+00:00"
    assert parse_line(export_line(item)).at == RECORDED.at


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"colour": "red"}, "unknown key 'colour'"),
        ({"hash": None}, "'hash' must be lower-case hex"),
        ({"salt": "0G"}, "'salt' must be lower-case hex"),
        ({"salt": "0"}, "'salt' must be lower-case hex"),
        ({"hash": "AA"}, "'hash' must be lower-case hex"),
        ({"game": ""}, "'game' must be a non-empty text"),
        ({"game": 7}, "'game' must be a non-empty text"),
        ({"game": "\ud800"}, "'game' contains half"),
        ({"position": 0}, "'position' must be a whole number"),
        ({"position": True}, "'position' must be a whole number"),
        ({"position": 1.0}, "'position' must be a whole number"),
        ({"cause": "1"}, "'cause' must be a whole number"),
        ({"append": None}, "'append' must be a non-empty text"),
        ({"name": "SpeechGiven"}, "'name' must be a stored name"),
        ({"at": "yesterday"}, "'at' must be"),
        ({"at": "2026-01-01T12:00:00"}, "'at' must be"),
        ({"at": 1767268800}, "'at' must be"),
        ({"actor": 1}, "'actor' must be a non-empty text"),
        ({"audience": "nobody"}, "'audience': an audience is"),
        ({"audience": [1]}, "'audience': an audience is"),
        ({"audience": None}, "'audience': an audience is"),
        ({"data": []}, "'data' must be a JSON object"),
        ({"data": {"x": "\ud800"}}, "'data' contains half"),
        ({"data": {"x": float("inf")}}, "'data' must be plain JSON"),
        ({"body": "{"}, "'body' must be JSON"),
        ({"body": '{"player":"Bram"}'}, "'body' and 'data' differ"),
    ],
)
def test_anything_else_is_refused_in_one_line_that_names_the_key(changed: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says) as caught:
        parse_exported({**export_event(RECORDED), **changed})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("key", KEYS)
def test_a_missing_key_is_named(key: str) -> None:
    value = dict(export_event(RECORDED))
    del value[key]
    with pytest.raises(ValueError, match=f"the key '{key}' is missing"):
        parse_exported(value)


@pytest.mark.parametrize("line", ["", "[]", "7", '{"game":"a","game":"b"}', '{"x":NaN}', "[" * 100_000])
def test_a_line_that_is_no_event_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_line(line)
