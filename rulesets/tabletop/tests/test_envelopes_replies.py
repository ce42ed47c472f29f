"""What a whole reply sends: JSON and plain text, item by item."""

from __future__ import annotations

import contextlib
import json
import random
import time
from typing import Any

import pytest
from hypothesis import given as always
from hypothesis import strategies as st
from pydantic import ValidationError
from tabletop_messages import EVERY_TAG, TEXTS, sample, tag_id

from sottovoce.domain.errors import Refused
from sottovoce.rulesets.tabletop.rules.messages import (
    EDITIONS,
    Edition,
    Item,
    Malformed,
    ReplyForm,
    ResourceDelta,
    RollRequest,
    Send,
    Tag,
    TextDelta,
    read_reply,
)

CURRENT, PHASE_2 = EDITIONS["current"], EDITIONS["phase-2"]
SEATS = ("gm", "team-lead", "narrator", "corwin-voss", "tilda-brannock", "grimjaw", "human")


def read(text: str, seat: str = "gm", edition: Edition = CURRENT) -> tuple[Item, ...]:
    return read_reply(text, seat=seat, edition=edition, seats=SEATS)


def reply(*items: Any) -> str:
    return json.dumps({"messages": list(items)})


def malformed(item: Any, seat: str = "gm") -> str:
    [found] = read(reply(item), seat)
    assert isinstance(found, Malformed)
    return found.message


WORD = {"type": "message", "recipient": "grimjaw", "content": "Hello."}
HELLO = Send("message", "grimjaw", "Hello.")
CHANGE = {"document": "story-state.md", "heading": "Threads", "operation": "append", "text": "A knock."}
ROLL = {"who": "grimjaw", "check": "Stealth", "expression": "1d20 + 5", "dc": 12}

# JSON


@pytest.mark.spec("T-141", "T-142", "T-144", "T-166")
def test_a_reply_holds_envelopes_deltas_and_rolls_in_the_order_given() -> None:
    assert read(
        reply(
            {"roll": ROLL},
            WORD,
            {"delta": CHANGE},
            {"type": "broadcast", "content": sample("NARRATIVE")},
            {"delta": {"character": "grimjaw", "resource": "hit points", "change": -7}},
        )
    ) == (
        RollRequest("grimjaw", "Stealth", "1d20+5", 12),
        HELLO,
        TextDelta("story-state.md", "Threads", "append", "A knock."),
        Send("broadcast", None, sample("NARRATIVE")),
        ResourceDelta("grimjaw", "hit points", -7),
    )


@pytest.mark.spec("T-142")
@pytest.mark.parametrize("wrap", ["{}", "```json\n{}\n```", "\n```\n{}\n```\n", "  {}  "])
def test_a_fence_a_bare_item_and_a_bare_list_are_read_too(wrap: str) -> None:
    for text in (reply(WORD), json.dumps(WORD), json.dumps([WORD]), json.dumps({"messages": [WORD]}, indent=2)):
        assert read(wrap.replace("{}", text)) == (HELLO,)


@pytest.mark.spec("T-060")
def test_a_reply_that_sends_nothing_is_empty() -> None:
    for text in ("", " \n", "\u200b", '{"messages": []}', '```json\n{"messages": []}\n```', "[]"):
        assert read(text) == ()


@pytest.mark.spec("T-142")
def test_an_item_that_cannot_be_read_is_refused_by_itself_and_the_others_stand() -> None:
    found = read(reply(WORD, {"type": "shout"}, WORD, 5, {"roll": {**ROLL, "expression": "dice"}}, WORD))
    assert [type(item) for item in found] == [Send, Malformed, Send, Malformed, Malformed, Send]
    said = [item.message for item in found if isinstance(item, Malformed)]
    assert [line[:6] for line in said] == ["Item 2", "Item 4", "Item 5"]
    assert "'type' is wrong" in said[0]
    assert "'content' is missing" in said[0]
    assert "'dice' is not a dice expression" in said[2]


@pytest.mark.spec("T-141")
@pytest.mark.parametrize("name", ["from", "sender", "author", "seat"])
def test_an_envelope_does_not_state_its_sender(name: str) -> None:
    assert f"does not state its sender, which is the seat that sends it; leave out {name}" in malformed(
        {**WORD, name: "gm"}
    )


@pytest.mark.spec("T-141")
def test_a_message_names_one_seat_and_a_broadcast_none() -> None:
    assert "name it as recipient" in malformed({"type": "message", "content": "x"})
    assert "leave out recipient" in malformed({**WORD, "type": "broadcast"})
    assert malformed({**WORD, "type": "task"}).startswith("Item 1 of your reply: 'type' is wrong")
    assert "'recipient' is wrong" in malformed({**WORD, "recipient": ["grimjaw", "gm"]})
    assert "'mood' has no place here" in malformed({**WORD, "mood": "grim"})
    assert "'content' is wrong" in malformed({**WORD, "content": None})


@pytest.mark.spec("T-012", "T-141")
def test_a_recipient_is_another_seat_at_the_table() -> None:
    for name in ("Grimjaw", "nobody", "all", "human", "gm", ""):
        said = malformed({**WORD, "recipient": name})
        assert f"{name!r} is not a seat that you can write to" in said
        assert "team-lead, narrator, corwin-voss, tilda-brannock, grimjaw." in said


@pytest.mark.spec("T-144")
def test_a_delta_is_of_one_of_two_shapes() -> None:
    assert read(reply({"delta": {**CHANGE, "operation": "remove", "text": ""}})) == (
        TextDelta("story-state.md", "Threads", "remove", ""),
    )
    whole = {name: value for name, value in CHANGE.items() if name != "heading"}
    assert read(reply({"delta": whole})) == (TextDelta("story-state.md", None, "append", "A knock."),)
    for change, held in ((-7, -7), ("-7", -7), ("+2", 2), ("7", "7"), ("poisoned", "poisoned")):
        item = {"delta": {"character": "grimjaw", "resource": "hp", "change": change}}
        assert read(reply(item)) == (ResourceDelta("grimjaw", "hp", held),)
    for wrong, said in (
        ({**CHANGE, "operation": "replace"}, "'operation' is wrong"),
        ({**CHANGE, "text": " "}, "text is empty"),
        ({**CHANGE, "heading": " "}, "'heading' is wrong"),
        ({"text": "x"}, "'document' is missing; 'operation' is missing"),
        ({**CHANGE, "character": "grimjaw"}, "has no place here"),
        ({"character": "Grimjaw", "resource": "hp", "change": 1}, "'Grimjaw' is not a character's name"),
        ({"character": "grimjaw", "resource": "hp", "change": 10**9}, "'change' is wrong"),
        ({"character": "grimjaw", "resource": "hp", "change": True}, "'change' is wrong"),
        ({"character": "grimjaw", "resource": "hp"}, "'change' is missing"),
        ([], "it is wrong"),
    ):
        assert said in malformed({"delta": wrong})
    assert "can have no other keys; leave out 'content'" in malformed({"delta": CHANGE, "content": "x"})


@pytest.mark.spec("T-166")
def test_a_roll_names_who_the_check_the_dice_and_perhaps_a_difficulty() -> None:
    assert read(reply({"roll": {name: value for name, value in ROLL.items() if name != "dc"}})) == (
        RollRequest("grimjaw", "Stealth", "1d20+5", None),
    )
    for name in ("who", "check", "expression"):
        assert f"'{name}' is missing" in malformed({"roll": {key: value for key, value in ROLL.items() if key != name}})
    for name, value in (("dc", "12"), ("dc", 1.5), ("check", ""), ("total", 20), ("who", 5)):
        assert f"'{name}' " in malformed({"roll": {**ROLL, name: value}})
    assert "101 dice" in malformed({"roll": {**ROLL, "expression": "101d6"}})


@pytest.mark.spec("T-142")
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"messages": [', "looks like JSON but can't be read in line 1"),
        ('{"messages": []} and more', "looks like JSON but can't be read"),
        ('{"messages": {}}', "messages is a list"),
        ('{"messages": [], "delta": {}}', "leave out 'delta'"),
        ('{"messages": [], "messages": []}', "leave out what is given twice"),
        ('{"messages": [NaN]}', "NaN is not a number"),
        ('{"messages": [' + "9" * 5000 + "]}", "looks like JSON but can't be read"),
        ('{"messages": ' + "[" * 60_000, "looks like JSON but can't be read|nested too deeply"),
        ('{"a":' * 10_000, "looks like JSON but can't be read|nested too deeply"),
    ],
)
def test_json_that_cannot_be_read_is_refused_whole(text: str, said: str) -> None:
    with pytest.raises(Refused, match=said):
        read(text)


def test_a_name_given_twice_in_an_item_is_refused_with_the_item() -> None:
    [found] = read('{"messages": [{"type": "message", "recipient": "grimjaw", "content": "a", "content": "b"}]}')
    assert found == Malformed("Item 1 of your reply: what is given twice has no place here.")


def test_a_reply_stores_no_lone_surrogate() -> None:
    assert read('{"messages": [{"type": "message", "recipient": "grimjaw", "content": "\\ud800x"}]}') == (
        Send("message", "grimjaw", "\ufffdx"),
    )


def test_the_forms_accept_what_is_read_and_have_a_schema() -> None:
    items = [WORD, {"delta": CHANGE}, {"roll": ROLL}]
    assert len(ReplyForm.model_validate_json(reply(*items)).messages) == 3
    with pytest.raises(ValidationError):
        ReplyForm.model_validate_json(reply({**WORD, "sender": "gm"}))
    schema = ReplyForm.model_json_schema()
    assert schema["required"] == ["messages"]
    assert set(schema["$defs"]["EnvelopeForm"]["properties"]) == {"type", "recipient", "content", "place", "time"}
    assert all(form["additionalProperties"] is False for form in (schema, *schema["$defs"].values()))


# plain text


@pytest.mark.spec("T-143")
@pytest.mark.parametrize(("edition", "rule"), EVERY_TAG, ids=tag_id)
def test_a_tag_with_one_recipient_needs_no_name_and_others_do(edition: Edition, rule: type[Tag]) -> None:
    seat = {"player": "corwin-voss"}.get(rule.route.senders[0], rule.route.senders[0])
    text = sample(rule.tag).strip()
    expected: dict[str, Send] = {"NARRATIVE": Send("broadcast", None, text)}
    if rule.tag == "PLAYER_TO_PLAYER":
        expected[rule.tag] = Send("message", "grimjaw", text)
    elif rule.tag != "NARRATIVE" and len(rule.route.recipients) == 1 and rule.route.recipients != ("player",):
        expected[rule.tag] = Send("message", rule.route.recipients[0], text)
    [found] = read(text, seat, edition)
    if rule.tag in expected:
        assert found == expected[rule.tag]
    else:
        assert isinstance(found, Malformed)
        assert f"[{rule.tag}]" in found.message
        assert "'@seat-name' on the line before" in found.message
    named = "gm" if seat != "gm" else "tilda-brannock"
    assert read(f"@{named}\n{text}", seat, edition) == (Send("message", named, text),)


@pytest.mark.spec("T-143")
def test_text_before_the_first_tag_is_informal_to_gm_and_from_gm_to_the_team_lead() -> None:
    text = f"I wonder.\n\nWell.\n{sample('NARRATOR_NOTE')}"
    for seat, to in (("gm", "team-lead"), ("grimjaw", "gm"), ("narrator", "gm"), ("team-lead", "gm")):
        first = read(text, seat)[0]
        assert first == Send("message", to, "I wonder.\n\nWell.")
        assert read("pass", seat) == (Send("message", to, "pass"),)


@pytest.mark.spec("T-143")
def test_a_plain_reply_is_split_at_lines_that_are_exactly_a_live_tag() -> None:
    prompt = sample("GM_TO_PLAYER")
    text = (
        f"{sample('NARRATIVE')}\n [NARRATIVE]\n[NARRATIVE] x\n[narrative]\n[UNKNOWN]\n\n@grimjaw\n{prompt}\n\n"
        f"@tilda-brannock \n\n{prompt}\n@team-lead\n[NARRATIVE]  \nOnly you."
    )
    first, second, third, fourth = read(text)
    assert first == Send(
        "broadcast", None, f"{sample('NARRATIVE')}\n [NARRATIVE]\n[NARRATIVE] x\n[narrative]\n[UNKNOWN]"
    )
    assert second == Send("message", "grimjaw", prompt)
    assert third == Send("message", "tilda-brannock", prompt)
    assert fourth == Send("message", "team-lead", "[NARRATIVE]  \nOnly you.")


@pytest.mark.spec("T-143", "T-142")
def test_a_wrong_name_before_a_tag_refuses_that_message_alone() -> None:
    text = f"@Grimjaw\n{sample('GM_TO_PLAYER')}\n{sample('NARRATIVE')}"
    first, second = read(text)
    assert isinstance(first, Malformed)
    assert "'Grimjaw' is not a seat" in first.message
    assert second == Send("broadcast", None, sample("NARRATIVE"))


@pytest.mark.spec("T-143")
def test_what_could_go_to_several_goes_to_whom_it_names_and_is_refused_where_it_names_nobody() -> None:
    prompt = sample("GM_TO_PLAYER")
    assert isinstance(read(prompt)[0], Malformed)
    speech = sample("PLAYER_TO_PLAYER")
    assert read(speech, "corwin-voss") == (Send("message", "grimjaw", speech),)
    assert read(f"@grimjaw\n{prompt}") == (Send("message", "grimjaw", prompt),)


@pytest.mark.spec("T-143", "F-024", "T-008", "T-016")
def test_the_signal_splits_too_and_what_is_no_live_tag_does_not() -> None:
    signal = "[AWAIT_AI_PLAYERS: grimjaw]"
    assert read(f"Notes.\n{signal}") == (Send("message", "team-lead", "Notes."), Send("message", "team-lead", signal))
    for text in ("[AWAIT_PLAYERS]\nx: y", "[narrative]\nRain", "Say:\n[PLAYER_ACTION]"):
        assert read(text, edition=PHASE_2 if "AWAIT" in text else CURRENT) == (Send("message", "team-lead", text),)


@pytest.mark.spec("T-143")
def test_crlf_and_a_fence_round_the_text_change_nothing() -> None:
    text = f"Well.\n{sample('NARRATIVE')}"
    for wrapped in (text.replace("\n", "\r\n"), f"```\n{text}\n```", f"\n\n  {text}\n\n"):
        assert read(wrapped) == read(text)


def test_braces_do_not_make_text_json() -> None:
    assert read("{The rain falls.}") == (Send("message", "team-lead", "{The rain falls.}"),)


# anything


PIECES = [
    *(sample(tag) for tag in TEXTS),
    reply(WORD),
    reply({"delta": CHANGE}),
    json.dumps({"roll": ROLL}),
    "@grimjaw\n",
    "@",
    "```json\n",
    "\n```",
    "{",
    "}",
    '"',
    "[",
    "]",
    ",",
    ":",
    "\\",
    "\\ud800",
    "\ud800",
    "\x00",
    "null",
    "1e999",
    "\n",
    "Rain.",
]

ITEMS: tuple[Any, ...] = (
    WORD,
    {"delta": CHANGE},
    {"roll": ROLL},
    {"roll": {}},
    {**WORD, "content": sample("NARRATIVE")},
    1,
    None,
)


def test_any_reply_is_read_or_refused_and_nothing_else() -> None:
    draws = random.Random(5)
    kinds = dict.fromkeys((Send, Malformed, TextDelta, RollRequest, Refused), 0)
    for _ in range(5000):
        text = "".join(draws.choices(PIECES, k=draws.randint(1, 6)))
        if draws.random() < 0.3:
            text = reply(*draws.choices(ITEMS, k=draws.randint(0, 4)))
        for _ in range(draws.randint(0, 3)):
            at = draws.randrange(len(text) + 1)
            text = text[:at] + draws.choice(PIECES[-16:]) + text[at + draws.randint(0, 3) :]
        try:
            items = read(text, draws.choice(SEATS), draws.choice(list(EDITIONS.values())))
        except Refused:
            kinds[Refused] += 1
            continue
        for item in items:
            kinds[type(item)] += 1
            "".join(map(str, (getattr(item, name) for name in item.__slots__))).encode()
    assert min(kinds.values()) > 50, kinds


LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
NAMES = st.sampled_from("messages type recipient content delta roll who document character change x".split())
ANY_JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4), max_leaves=12
)


@always(ANY_JSON)
def test_any_json_is_read_or_refused(data: Any) -> None:
    for text in (json.dumps(data), reply(data)):
        try:
            read(text)
        except Refused as refusal:
            assert "\n" not in str(refusal)  # noqa: PT017


def test_the_longest_replies_are_read_in_well_under_a_second() -> None:
    for piece in (
        *PIECES,
        "[NARRATIVE]\n",
        "@a\n[NARRATIVE]\n",
        "[AWAIT_AI_PLAYERS: ",
        '{"a":',
        "[{},",
        '{"messages":[',
    ):
        for lead in ("", '{"messages":[', "[NARRATIVE]\n"):
            text = (lead + piece * 65_536)[:65_536]
            began = time.process_time()
            with contextlib.suppress(Refused):
                read(text)
            assert time.process_time() - began < 0.5, (piece, lead)
