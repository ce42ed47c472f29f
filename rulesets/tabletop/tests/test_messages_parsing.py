"""How a text is read: tag line, header, body, values, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from tabletop_messages import EVERY_TAG, TEXTS, sample, tag_id

from sottovoce.domain.errors import Refused
from sottovoce.rulesets.tabletop.rules.messages import EDITIONS, Edition, Message, Tag, compose, parse, serialise
from sottovoce.rulesets.tabletop.rules.messages.fields import Flag, Integer
from sottovoce.rulesets.tabletop.rules.texts import sections

PHASE_1, PHASE_2, CURRENT = EDITIONS["phase-1"], EDITIONS["phase-2"], EDITIONS["current"]


def refusal(text: str, edition: Edition = CURRENT) -> str:
    with pytest.raises(Refused) as caught:
        parse(text, edition)
    return str(caught.value)


def answer(value: str) -> Message:
    return parse(f"[PLAYER_ANSWER]\nquestion: q\nanswer: {value}", CURRENT)


# the tag line


@pytest.mark.spec("T-015")
@pytest.mark.parametrize(("edition", "rule"), EVERY_TAG, ids=tag_id)
def test_blank_lines_before_the_tag_and_spaces_around_it_and_crlf_change_nothing(
    edition: Edition, rule: type[Tag]
) -> None:
    text = sample(rule.tag)
    expected = parse(text, edition)
    assert parse(f"\n  \n\t\n  {text.replace(']', ']  ', 1)}", edition) == expected
    assert parse(text.replace("\n", "\r\n"), edition) == expected


@pytest.mark.spec("T-016")
@pytest.mark.parametrize(("edition", "rule"), EVERY_TAG, ids=tag_id)
def test_a_near_miss_of_a_live_tag_is_refused_with_the_right_form(edition: Edition, rule: type[Tag]) -> None:
    for first in (f"[{rule.tag.lower()}]", f"[{rule.tag.title()}]", f"[{rule.tag}] It rains", f"[{rule.tag.lower()}]x"):
        assert f"write [{rule.tag}] alone" in refusal(f"{first}\n{TEXTS[rule.tag]}", edition)


@pytest.mark.spec("T-017")
@pytest.mark.parametrize(
    "text",
    [
        "Shall we go?",
        "  character: corwin-voss\n\n\ttype: ACTION \r\n ",
        "[UNHEARD_OF]\ntype: ACTION",
        "[VETO] no",
        "Look:\n[NARRATIVE]\nRain.",
        "[]",
        "[NARRATIVES]",
        "[X1]",
    ],
)
def test_text_without_a_known_tag_is_kept_verbatim(text: str) -> None:
    for edition in EDITIONS.values():
        assert parse(text, edition) == Message(None, {}, text)


@pytest.mark.spec("T-017")
@pytest.mark.parametrize("text", ["", " ", "\n\r\n\t", "\u200b\u200b", "\u00a0\u2028"])
def test_blank_content_is_refused(text: str) -> None:
    assert "empty" in refusal(text)


@pytest.mark.spec("F-024")
def test_the_signal_of_file_mode_is_a_tag_of_its_own_form_in_every_edition() -> None:
    for edition in EDITIONS.values():
        message = parse("\n [AWAIT_AI_PLAYERS: tilda-brannock,grimjaw] \n", edition)
        assert message == Message("AWAIT_AI_PLAYERS", {"names": ("tilda-brannock", "grimjaw")})
        assert serialise(message, edition) == "[AWAIT_AI_PLAYERS: tilda-brannock, grimjaw]"
        for text, said in {
            "[AWAIT_AI_PLAYERS]": "such as [AWAIT_AI_PLAYERS: corwin-voss",
            "[await_ai_players: grimjaw]": "such as [AWAIT_AI_PLAYERS: corwin-voss",
            "[AWAIT_AI_PLAYERS: grimjaw] now": "such as [AWAIT_AI_PLAYERS: corwin-voss",
            "[AWAIT_AI_PLAYERS: ]": "lacks names",
            "[AWAIT_AI_PLAYERS: grimjaw,]": "names[2] is empty",
            "[AWAIT_AI_PLAYERS: Grimjaw]": "'Grimjaw' is not a character's name",
            "[AWAIT_AI_PLAYERS: grimjaw, x, grimjaw]": "names grimjaw twice",
            "[AWAIT_AI_PLAYERS: grimjaw]\nGo.": "nothing after it",
        }.items():
            assert said in refusal(text, edition)


# the header and the body


@pytest.mark.spec("T-018")
def test_a_field_is_split_at_its_first_colon() -> None:
    assert answer("a: b: c").text("answer") == "a: b: c"
    assert parse("[PLAYER_ANSWER]\nquestion:why\nanswer : so", CURRENT).fields == {"question": "why", "answer": "so"}


@pytest.mark.spec("T-018")
@pytest.mark.parametrize("line", ["Just words", "- item", "two words: x", ": x", "## Heading", "  indented"])
def test_a_header_line_that_is_no_field_is_refused_with_its_number(line: str) -> None:
    said = refusal(f"\n[PLAYER_ANSWER]\n{line}\nquestion: q\nanswer: a")
    assert f"Line 3 reads {line!r}" in said


@pytest.mark.spec("T-018")
def test_deeper_lines_continue_a_text() -> None:
    assert answer("one\n  two\n    three").text("answer") == "one\ntwo\n  three"
    assert answer("\n  one\n  two").text("answer") == "one\ntwo"
    assert "answer opens a block with '>'" in refusal("[PLAYER_ANSWER]\nquestion: q\nanswer: >\n  one")


@pytest.mark.spec("T-019")
@pytest.mark.parametrize("tag", ["PLAYER_TO_GM", "PLAYER_TO_PLAYER", "HUMAN_DECISION"])
def test_a_body_begins_at_the_first_blank_line_and_is_kept_verbatim(tag: str) -> None:
    header = TEXTS[tag].partition("\n\n")[0]
    body = "  He: says\n\n\n## Odd\n[NARRATIVE]\ntype: VETO  \n\n- x"
    message = parse(f"[{tag}]\n{header}\n \n\n{body}\n\n \n", CURRENT)
    assert message.body == body
    assert message.fields == parse(sample(tag), CURRENT).fields


@pytest.mark.spec("T-019")
def test_a_body_begins_at_the_first_heading_where_no_blank_line_comes_before() -> None:
    for tag in ("GM_TO_PLAYER", "RELAY_TO_HUMAN"):
        message = parse(sample(tag), CURRENT)
        assert parse(sample(tag).replace("\n\n## ", "\n## "), CURRENT).fields == message.fields
        assert sections(parse(sample(tag).replace("\n\n## ", "\n## "), CURRENT).body) == sections(message.body)
    assert parse("[HUMAN_DECISION]\ncharacter: x\n## Go\nnow", CURRENT).body == "## Go\nnow"


@pytest.mark.spec("T-019")
def test_fields_after_a_blank_line_are_body() -> None:
    assert "PLAYER_TO_GM lacks type, character" in refusal("[PLAYER_TO_GM]\n\ntype: ACTION\ncharacter: x\n\nHi")


@pytest.mark.spec("T-020")
@pytest.mark.parametrize(("edition", "rule"), EVERY_TAG, ids=tag_id)
def test_elsewhere_blank_lines_between_fields_are_skipped(edition: Edition, rule: type[Tag]) -> None:
    if rule.form != "none":
        return
    text = sample(rule.tag)
    spaced = "\n".join(f"\n{line}" if line[:1].isalpha() else line for line in text.split("\n")) + "\n\n"
    assert spaced.count("\n\n") >= 2
    assert parse(spaced, edition) == parse(text, edition)


@pytest.mark.spec("T-021")
def test_all_of_a_narrative_after_its_tag_is_prose() -> None:
    for edition in EDITIONS.values():
        message = parse("[NARRATIVE]\n\n \nmood: grim\n\n## Dusk\n  - rain\n\n", edition)
        assert message == Message("NARRATIVE", {}, "mood: grim\n\n## Dusk\n  - rain")
        for empty in ("[NARRATIVE]", "[NARRATIVE]\n\n  \n", "[NARRATIVE]\n\u200b"):
            assert "NARRATIVE lacks its text" in refusal(empty, edition)


@pytest.mark.spec("T-022")
def test_a_block_loses_its_common_indent_and_its_last_newline() -> None:
    block = answer("|\n    one\n\n      two\n    three: 3\n    - four\n\n\n")
    assert block.text("answer") == "one\n\n  two\nthree: 3\n- four"
    assert answer("|\n one").text("answer") == "one"
    assert answer("|\n\tone\n\ttwo").text("answer") == "one\ntwo"
    ends = parse("[PLAYER_ANSWER]\nanswer: |\n  one\nquestion: q", CURRENT)
    assert ends.fields == {"question": "q", "answer": "one"}
    assert "lacks answer" in refusal("[PLAYER_ANSWER]\nquestion: q\nanswer: |\n")


@pytest.mark.spec("T-023")
def test_lists_hold_texts_or_entries_with_blocks_in_them() -> None:
    options = "  - label: A\n    description: |\n      one\n\n      two\n  - description: d\n    label: B: b"
    expected = ({"label": "A", "description": "one\n\ntwo"}, {"label": "B: b", "description": "d"})
    ask = f"[ASK_PLAYER]\nquestion: q\nheader: h\noptions:\n{options}"
    assert parse(ask, CURRENT).fields["options"] == expected
    flat = ask.replace("\n  ", "\n")
    assert parse(flat, CURRENT).fields["options"] == expected
    blocked = ask.replace("- label: A", "- label: |\n        A")
    assert parse(blocked, CURRENT).fields["options"] == expected
    start = "[SESSION_COMMAND]\n" + TEXTS["SESSION_COMMAND"].partition("ai_char")[0]
    assert parse(f"{start}ai_characters:\n  - a-b\n\n  - 'c'", CURRENT).names("ai_characters") == ("a-b", "c")
    assert parse(f"{start}ai_characters: []", CURRENT).fields["ai_characters"] == ()


@pytest.mark.spec("T-023", "T-018", "T-030")
def test_a_list_where_a_text_belongs_or_a_text_where_a_list_belongs_is_refused() -> None:
    start = "[SESSION_COMMAND]\n" + TEXTS["SESSION_COMMAND"].partition("ai_char")[0]
    assert "ai_characters is a list" in refusal(f"{start}ai_characters: grimjaw")
    assert "ai_characters is a list" in refusal(f"{start}ai_characters: []\n  - x")
    assert "Line 7 reads" in refusal(f"{start}ai_characters:\n  grimjaw")
    assert "Line 8 reads" in refusal(f"{start}ai_characters:\n    - x\n  - y")
    assert "ai_characters[2] is empty" in refusal(f"{start}ai_characters:\n  - x\n  -")
    assert "answer is a text, not a list" in refusal("[PLAYER_ANSWER]\nquestion: q\nanswer:\n  - a")
    ask = "[ASK_PLAYER]\nquestion: q\nheader: h\noptions:\n"
    assert "Line 5 reads" in refusal(f"{ask}  - Just a label")
    assert "description is a text, not a list" in refusal(f"{ask}  - label: x\n    description:\n      - a")
    assert "label is given twice" in refusal(f"{ask}  - label: x\n    label: y")


@pytest.mark.spec("T-024")
@pytest.mark.parametrize(
    ("written", "held"),
    [
        ('"a"', "a"),
        ("'a'", "a"),
        ('""a""', '"a"'),
        ("\"a'", "\"a'"),
        ('"', '"'),
        ('"a" said she', '"a" said she'),
        ('"  a  "', "  a  "),
        ("a # b", "a # b"),
        ("# b", "# b"),
        (r'"a\n\"b"', r"a\n\"b"),
    ],
)
def test_one_pair_of_quotes_goes_and_a_hash_stays(written: str, held: str) -> None:
    assert answer(written).text("answer") == held


@pytest.mark.spec("T-025")
@pytest.mark.parametrize(
    "text", ["no", "12", "true", "null", "~", "1e5", "[]", "- a", "2026-01-01", "{}", "yes", "@a", "*"]
)
def test_a_value_is_text_whatever_it_looks_like(text: str) -> None:
    assert answer(text).fields["answer"] == text


@pytest.mark.spec("T-025", "T-093", "T-104")
def test_only_dc_is_a_number_and_only_state_saved_a_truth_value() -> None:
    dice = parse(sample("DICE_RESULT"), CURRENT)
    assert dice.fields["dc"] == 12
    assert type(dice.fields["dc"]) is int
    assert parse(sample("SESSION_END"), CURRENT).fields["state_saved"] is True
    assert parse(sample("SESSION_END").replace("true", '"false"'), CURRENT).fields["state_saved"] is False
    for wrong in ("yes", "True", "1", "0"):
        assert "state_saved is true or false" in refusal(sample("SESSION_END").replace("true", wrong))
    for wrong in ("hard", "1.5", "12a", "1_2", "٣", "9" * 10):
        assert "dc is a whole number" in refusal(sample("DICE_RESULT").replace("dc: 12", f"dc: {wrong}"))
    kinds = {
        rule.name: rule.type for edition in EDITIONS.values() for tag in edition.tags.values() for rule in tag.fields
    }
    assert [name for name, kind in kinds.items() if kind in (Integer, Flag)] == ["state_saved", "dc"]


@pytest.mark.spec("T-026", "T-052")
def test_a_scene_number_keeps_its_zeros_and_has_three_digits() -> None:
    for number in ("005", "0005", "1000", "000"):
        text = sample("GM_TO_PLAYER").replace("005", number)
        assert parse(text, CURRENT).fields["scene_number"] == number
        assert f"\nscene_number: {number}\n" in serialise(parse(text, CURRENT), CURRENT)
    for number in ("5", "05", "-05", "5.0", "00a", "٠٠٥", "0 05"):
        assert "scene_number has at least three digits" in refusal(sample("GM_TO_PLAYER").replace("005", number))


@pytest.mark.spec("T-027", "T-052")
def test_a_scene_slug_is_kebab_case() -> None:
    for slug in ("mill", "the-old-mill-2", "7"):
        text = sample("GM_TO_PLAYER").replace("the-old-mill", slug)
        assert parse(text, CURRENT).fields["scene_slug"] == slug
    for slug in ("The-Mill", "the mill", "the--mill", "-mill", "mill-", "the_mill", "../mill", "mühle"):
        assert "scene_slug is lower-case words" in refusal(sample("GM_TO_PLAYER").replace("the-old-mill", slug))


@pytest.mark.spec("T-028")
@pytest.mark.parametrize(("edition", "rule"), EVERY_TAG, ids=tag_id)
def test_an_enumerated_field_takes_one_listed_value_as_listed(edition: Edition, rule: type[Tag]) -> None:
    fields = dict(parse(sample(rule.tag), edition).fields)
    body = parse(sample(rule.tag), edition).body
    for each in rule.fields:
        for value in each.values:
            full = {**fields, each.name: value}
            assert compose(rule.tag, full, body, edition=edition).fields[each.name] == value
        for wrong in ("OTHER", " | ".join((*each.values, "x")), *(value.swapcase() for value in each.values)):
            if each.values:
                with pytest.raises(Refused, match=f"{each.name} is one of {', '.join(each.values)}, not"):
                    compose(rule.tag, {**fields, each.name: wrong}, body, edition=edition)


@pytest.mark.spec("T-029")
@pytest.mark.parametrize(("edition", "rule"), EVERY_TAG, ids=tag_id)
def test_everything_required_that_is_missing_or_empty_is_named_in_one_refusal(
    edition: Edition, rule: type[Tag]
) -> None:
    message = parse(sample(rule.tag), edition)
    required = [each.name for each in rule.fields if each.required]
    kept = {name: value for name, value in message.fields.items() if name not in required or name == "command"}
    for filling in ({}, {name: " \n " for name in required if name != "command"}):
        wanted = [name for name in required if name != "command"]
        if not wanted and not message.body:
            continue
        with pytest.raises(Refused) as caught:
            compose(rule.tag, {**kept, **filling}, "", edition=edition)
        listed = str(caught.value).partition(" lacks ")[2].partition("; add what is missing")[0].split(", ")
        assert listed[: len(wanted)] == wanted
        assert len(listed) == len(wanted) + (len(rule.sections) or rule.form != "none")


@pytest.mark.spec("T-029")
def test_missing_and_wrong_values_are_told_together() -> None:
    said = refusal("[GM_TO_PLAYER]\nrequest_type: ASK\nscene_number: 5\n\n## Scene\nx\n\n## Request\n \n")
    assert said == (
        "GM_TO_PLAYER lacks scene_slug, the section '## Just Happened', the section '## Request'; add what is missing; "
        "request_type is one of QUICK_REACTION, FULL_CONTEXT, COMBAT_ACTION, SECRET_ACTION, OPTIONAL_REACTION, "
        "REFLECTION, INTERACTION, not 'ASK'; scene_number has at least three digits, such as 005, not '5'."
    )


@pytest.mark.spec("T-029", "T-023")
def test_an_empty_list_is_allowed_in_three_fields_only() -> None:
    allowed = set()
    for edition, rule in EVERY_TAG:
        message = parse(sample(rule.tag), edition)
        for each in rule.fields:
            if each.item and each.required:
                try:
                    compose(rule.tag, {**message.fields, each.name: ()}, edition=edition)
                except Refused as refused:
                    assert f"lacks {each.name};" in str(refused)  # noqa: PT017
                else:
                    allowed.add(each.name)
    assert allowed == {"ai_characters", "characters_involved", "responses"}
    assert "lacks ai_characters" in refusal(sample("SESSION_COMMAND").partition("\n  -")[0])


@pytest.mark.spec("T-029")
def test_an_empty_optional_field_is_absent() -> None:
    for text in ("reason:", 'reason: ""', "reason: |\n\n", "reason: '  '"):
        assert parse(f"[MODE_SWITCH]\nmode: AUTONOMOUS\n{text}", CURRENT).fields == {"mode": "AUTONOMOUS"}
    responses = sample("PLAYER_RESPONSES").partition("vetoes")[0]
    assert "vetoes" not in parse(f"{responses}vetoes: []", PHASE_1).fields


@pytest.mark.spec("T-030")
def test_an_undefined_field_is_kept_and_named_and_a_key_given_twice_is_refused() -> None:
    message = parse(
        "[MODE_SWITCH]\nmood: |\n  a\n  b\nmode: AUTONOMOUS\nTags:\n- x\n- y: z\nwho:\n  - n: 1\n    m: 2", CURRENT
    )
    assert message.undefined == ("mood", "Tags", "who")
    assert message.fields == {
        "mode": "AUTONOMOUS",
        "mood": "a\nb",
        "Tags": ("x", "y: z"),
        "who": ({"n": "1", "m": "2"},),
    }
    inside = parse(sample("ASK_PLAYER").replace("- label: New", "- label: New\n    mood: grim"), CURRENT)
    assert inside.undefined == ("options[2].mood",)
    assert inside.entries("options")[1]["mood"] == "grim"
    for again in ("mode: AUTONOMOUS", "mood: c"):
        assert f"{again.partition(':')[0]} is given twice" in refusal(
            f"[MODE_SWITCH]\nmode: AUTONOMOUS\nmood: a\nreason: b\n{again}"
        )


# writing


@pytest.mark.spec("T-031")
def test_a_message_is_written_as_tag_fields_in_order_undefined_ones_blank_line_body() -> None:
    fields: dict[str, Any] = {"aside": "x", "character": "tilda-brannock", "more": ("a", "b"), "type": "ACTION"}
    message = compose("PLAYER_TO_GM", fields, "\nShe waits.\n", edition=CURRENT)
    assert serialise(message, CURRENT) == (
        "[PLAYER_TO_GM]\ntype: ACTION\ncharacter: tilda-brannock\naside: x\nmore:\n  - a\n  - b\n\nShe waits."
    )
    assert serialise(parse("[NARRATIVE]\nRain.\n", CURRENT), CURRENT) == "[NARRATIVE]\n\nRain."


@pytest.mark.spec("T-033")
def test_values_are_written_bare_in_quotes_or_as_a_block_by_what_reads_back() -> None:
    written = {
        "plain: text": "answer: plain: text",
        "- a": "answer: - a",
        " spaced ": 'answer: " spaced "',
        '"q"': 'answer: ""q""',
        "|": 'answer: "|"',
        "one\n\n  two": "answer: |\n  one\n\n    two",
        "\n  one\n    two\n\n": "answer: |\n  one\n    two",
    }
    for value, lines in written.items():
        message = compose("PLAYER_ANSWER", {"question": "q", "answer": value}, edition=CURRENT)
        assert serialise(message, CURRENT) == f"[PLAYER_ANSWER]\nquestion: q\n{lines}"
    loose: dict[str, Any] = {"question": "q", "answer": "a", "one": "[]", "two": ("k: v", "k:v", "- x"), "three": ()}
    assert serialise(compose("PLAYER_ANSWER", loose, edition=CURRENT), CURRENT).partition("answer: a\n")[2] == (
        'one: "[]"\ntwo:\n  - "k: v"\n  - k:v\n  - - x\nthree: []'
    )
    assert serialise(parse(sample("SESSION_END"), CURRENT), CURRENT).endswith(
        "\nstate_saved: true\nnext_hook: The mill burns."
    )


@pytest.mark.spec("T-032", "T-019")
def test_what_could_not_be_read_back_is_not_put_together() -> None:
    fields = {"type": "ACTION", "character": "tilda-brannock", "aside": "a\n\nb"}
    with pytest.raises(Refused, match="aside has a blank line"):
        compose("PLAYER_TO_GM", fields, "x", edition=CURRENT)
    with pytest.raises(Refused, match="no tag STATE_UPDATED"):
        compose("STATE_UPDATED", {}, edition=CURRENT)
    with pytest.raises(Refused, match="MODE_SWITCH has no body"):
        compose("MODE_SWITCH", {"mode": "AUTONOMOUS"}, "text", edition=CURRENT)


def test_sections_are_split_at_second_level_headings_alone() -> None:
    body = "before\n## A\n\n one\n### no\n##no\n ## no\n\n## B \n## A\ntwo"
    assert sections(body) == {"A": " one\n### no\n##no\n ## no\n\ntwo", "B": ""}
    assert sections("none") == {}
