"""Whatever a message holds, it reads back as it was written; whatever a text holds, it is read or refused."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given as always
from hypothesis import settings
from hypothesis import strategies as st
from sizes import sized
from tabletop_messages import (
    EVERY_TAG,
    HOSTILE,
    SIGNALS,
    TEXTS,
    entries,
    messages,
    sample,
    tag_id,
    texts,
)

from sottovoce.domain.errors import Refused
from sottovoce.rulesets.tabletop.rules.messages import EDITIONS, Edition, Message, Tag, compose, parse, serialise

CURRENT = EDITIONS["current"]
LONGEST = 65_536


@pytest.mark.spec("T-032")
@pytest.mark.parametrize(("edition", "rule"), EVERY_TAG, ids=tag_id)
def test_the_sample_of_every_tag_reads_back_the_same(edition: Edition, rule: type[Tag]) -> None:
    message = parse(sample(rule.tag), edition)
    assert message.tag == rule.tag
    assert message.undefined == ()
    assert parse(serialise(message, edition), edition) == message


@pytest.mark.spec("T-032", "T-033")
@pytest.mark.parametrize(("edition", "rule"), EVERY_TAG, ids=tag_id)
def test_a_message_of_every_tag_reads_back_the_same_whatever_it_holds(edition: Edition, rule: type[Tag]) -> None:
    made = 0

    @settings(max_examples=sized(15, 200), deadline=None)
    @always(st.data())
    def check(data: st.DataObject) -> None:
        nonlocal made
        message = data.draw(messages(edition, rule))
        if message is None:
            return
        made += 1
        text = serialise(message, edition)
        again = parse(text, edition)
        assert again == message
        assert list(again.fields) == list(message.fields)
        assert again.undefined == message.undefined
        assert serialise(again, edition) == text

    check()
    assert made >= 5


@pytest.mark.spec("T-032", "F-024")
@always(message=SIGNALS, edition=st.sampled_from(list(EDITIONS.values())))
def test_a_signal_reads_back_the_same(message: Message, edition: Edition) -> None:
    assert parse(serialise(message, edition), edition) == message


@pytest.mark.spec("T-032", "T-017")
@always(text=texts.filter(lambda text: "[" not in text and any(char.isalnum() for char in text)))
def test_informal_text_reads_back_the_same(text: str) -> None:
    message = parse(text, CURRENT)
    assert message == Message(None, body=text)
    assert serialise(message, CURRENT) == text


@pytest.mark.spec("T-033")
@always(text=texts)
def test_a_text_in_a_field_is_held_so_that_holding_it_again_changes_nothing(text: str) -> None:
    fields = {"question": "x", "answer": "y", "aside": text}
    message = compose("PLAYER_ANSWER", fields, edition=CURRENT)
    assert compose("PLAYER_ANSWER", dict(message.fields), edition=CURRENT) == message


@always(entry=entries(CURRENT.tags["ASK_PLAYER"].fields[2]))
def test_a_message_has_a_hash_and_plain_json(entry: dict[str, str]) -> None:
    try:
        message = compose("ASK_PLAYER", {"question": "q", "header": "h", "options": (entry,)}, edition=CURRENT)
    except Refused:
        return
    assert hash(message) == hash(parse(serialise(message, CURRENT), CURRENT))
    assert message.to_json()["options"][0]["label"] == message.entries("options")[0]["label"]
    assert type(message.to_json()["options"]) is list
    with pytest.raises(TypeError):
        message.fields["question"] = "other"  # type: ignore[index]


def mutated(text: str, draws: random.Random) -> str:
    """The text with a few pieces cut, doubled, moved or put in."""
    for _ in range(draws.randint(1, 4)):
        start = draws.randrange(len(text) + 1)
        end = min(len(text), start + draws.choice((0, 1, 3, 20)))
        piece = draws.choice((*HOSTILE, "", text[start:end] * 2, chr(draws.randrange(0xD800, 0xE000))))
        text = text[:start] + piece + text[end:]
    return text


def test_fifty_thousand_mutated_messages_are_read_or_refused_and_nothing_else() -> None:
    draws = random.Random(20_000)
    tags, editions = list(TEXTS), list(EDITIONS.values())
    read = refused = informal = 0
    said: list[str] = []
    for _ in range(50_000):
        edition = draws.choice(editions)
        text = mutated(sample(draws.choice(tags)), draws)
        try:
            message = parse(text, edition)
        except Refused as refusal:
            refused += 1
            said.append(str(refusal))
            continue
        informal += message.tag is None
        read += message.tag is not None
        assert parse(serialise(message, edition), edition) == message, text
    assert min(read, refused, informal) > 3000
    assert all("\n" not in line and len(line) < 3000 for line in said)


PIECES = [*HOSTILE, "  - a: b\n", "- a\n  b\n   c\n", " - a:\n", "what do you do ", "ﷺ", "@a-b\n[NARRATIVE]\n"]


LARGE = sized(
    "NARRATIVE GM_TO_PLAYER ASK_PLAYER AWAIT_PLAYERS SESSION_END RELAY_TO_HUMAN PLAYER_TO_PLAYER DICE_RESULT".split(),
    list(TEXTS),
)


def test_the_longest_texts_are_read_in_well_under_a_second() -> None:
    slow = []
    longest = 0
    for tag in LARGE:
        body = TEXTS[tag]
        edition = next(edition for edition in EDITIONS.values() if tag in edition.tags)
        for piece in PIECES:
            for lead in (f"[{tag}]\n", f"[{tag}]\n{body.rpartition(':')[0]}: |\n  "):
                text = (lead + piece * LONGEST)[:LONGEST]
                began = time.process_time()
                try:
                    serialise(parse(text, edition), edition)
                except Refused as refusal:
                    longest = max(longest, len(str(refusal)))
                if time.process_time() - began > 0.5:
                    slow.append((tag, piece, lead))
    assert slow == []
    assert longest < 6000
