"""What each tag's message has to hold, and the phrases that the protocol listens for."""

from __future__ import annotations

import re

import pytest
from tabletop_messages import EVERY_TAG, PROMPT, TEXTS, sample, tag_id

from sottovoce.domain.errors import Refused
from sottovoce.rulesets.tabletop.rules.messages import EDITIONS, Edition, Tag, compose, parse
from sottovoce.rulesets.tabletop.rules.messages.fields import Name, Speaker
from sottovoce.rulesets.tabletop.rules.names import RESERVED, check_name
from sottovoce.rulesets.tabletop.rules.phrases import (
    FREEFORM,
    GroupNote,
    asks_for_action,
    group_note,
    is_out_of_character,
    is_pass,
    options,
    options_shown,
    veto_reason,
)
from sottovoce.rulesets.tabletop.rules.texts import sections

GROUP_NOTE = "(Group docks: corwin-voss, tilda-brannock)"

PHASE_1, PHASE_2, CURRENT = EDITIONS["phase-1"], EDITIONS["phase-2"], EDITIONS["current"]


def refusal(text: str, edition: Edition = CURRENT) -> str:
    with pytest.raises(Refused) as caught:
        parse(text, edition)
    return str(caught.value)


# names


@pytest.mark.spec("T-011", "T-012")
@pytest.mark.parametrize("name", ["tilda-brannock", "korimeth", "r2-d2", "a", "gm-voss", "al-l"])
def test_a_full_hyphenated_name_is_one(name: str) -> None:
    check_name(name)


@pytest.mark.spec("T-011", "T-012")
@pytest.mark.parametrize(
    "name",
    [
        "Tilda",
        "Tilda Brannock",
        "tilda brannock",
        "tilda_b",
        "-tilda",
        "tilda-",
        "a--b",
        "",
        "tilda.md",
        "tílda",
        "x\n",
    ],
)
def test_anything_else_is_refused_and_quoted(name: str) -> None:
    with pytest.raises(Refused, match=re.escape(repr(name))):
        check_name(name)


@pytest.mark.spec("T-012")
@pytest.mark.parametrize("name", ["gm", "team-lead", "narrator", "human", "all"])
def test_a_reserved_word_names_no_character(name: str) -> None:
    assert name in RESERVED
    with pytest.raises(Refused, match=f"'{name}' is a reserved word"):
        check_name(name)


@pytest.mark.spec("T-011", "T-012", "T-123")
@pytest.mark.parametrize(("edition", "rule"), EVERY_TAG, ids=tag_id)
def test_every_field_for_a_character_takes_full_names_only(edition: Edition, rule: type[Tag]) -> None:
    text = sample(rule.tag)
    holding = [each for each in rule.fields if each.type in (Name, Speaker) or each.item == Name]
    holding += [part for each in rule.fields for part in each.parts if part.type == Name]
    if not holding or rule.tag == "STATE_UPDATED":
        return
    for name in ("corwin-voss", "tilda-brannock", "grimjaw"):
        for wrong in ("Tilda", "all"):
            broken = text.replace(f": {name}", f": {wrong}").replace(f"- {name}", f"- {wrong}")
            if broken != text:
                assert f"'{wrong}' is" in refusal(broken, edition)


def test_state_updated_names_the_characters_by_their_full_names() -> None:
    text = sample("STATE_UPDATED").replace(" []", "\n  - {}")
    assert parse(text.format("grimjaw"), PHASE_2).names("characters_involved") == ("grimjaw",)
    assert "'Grimjaw' is not a character's name" in refusal(text.format("Grimjaw"), PHASE_2)


# NARRATIVE


@pytest.mark.spec("T-042", "T-043")
@pytest.mark.parametrize(
    "words",
    [
        "What do you do?",
        "**What do you do?**",
        "WHAT DO YOU DO?",
        "what do *you* do?",
        "What do\nyou do ?",
        "_What  do you do_?",
    ],
)
def test_a_call_to_act_is_heard_in_any_case_and_emphasis(words: str) -> None:
    assert asks_for_action(f"Rain. {words}!")
    for edition in (PHASE_1, PHASE_2):
        assert parse(f"[NARRATIVE]\nRain.\n\n{words}", edition).tag == "NARRATIVE"
    for text in (f"[NARRATIVE]\n{words}", f"[NARRATIVE]\n{GROUP_NOTE}\nRain. {words} Wind."):
        assert "[GM_TO_PLAYER]" in refusal(text)


@pytest.mark.spec("T-042", "T-043")
@pytest.mark.parametrize(
    "words", ["What do you do for a living?", "What did you do?", "Somewhat do you do?", "You do what?"]
)
def test_other_questions_are_no_call_to_act(words: str) -> None:
    assert not asks_for_action(words)
    assert parse(f"[NARRATIVE]\n{words}", CURRENT).body == words


@pytest.mark.spec("T-042")
def test_a_prompt_for_action_is_looked_for_in_the_last_line() -> None:
    assert asks_for_action("Rain.\n\n**What do you do?**\n \n", last_line=True)
    assert asks_for_action("Rain. So what do you do?", last_line=True)
    assert not asks_for_action("What do you do?\nThe rain answers.", last_line=True)


@pytest.mark.spec("T-048")
def test_a_group_note_says_whom_a_narrative_is_for() -> None:
    note = GroupNote("docks", ("corwin-voss", "tilda-brannock"))
    assert group_note("(Group docks: corwin-voss, tilda-brannock)\n\nRain.") == note
    assert group_note("  (Group docks:corwin-voss,tilda-brannock, corwin-voss) \nRain.") == note
    assert group_note(f"{note.line}\nRain.") == note
    assert note.line == GROUP_NOTE
    for prose in (
        "Rain.\n(Group docks: corwin-voss)",
        "(Group docks: )",
        "(Group : corwin-voss)",
        "(Group docks: Corwin)",
        "(Group docks: corwin-voss) Rain.",
        "(Group docks: corwin-voss,)",
        "(Group docks: gm)",
        "(Groups: corwin-voss)",
    ):
        assert group_note(prose) is None


# prompts and answers


@pytest.mark.spec("T-052")
@pytest.mark.parametrize("edition", EDITIONS.values(), ids=tag_id)
def test_a_prompt_has_three_fields_all_required(edition: Edition) -> None:
    fields = edition.tags["GM_TO_PLAYER"].fields
    assert [each.name for each in fields] == ["request_type", "scene_number", "scene_slug"]
    assert all(each.required and each.when is None for each in fields)


@pytest.mark.spec("T-053", "T-054")
def test_the_request_types_are_four_and_in_the_current_edition_seven() -> None:
    four = {"QUICK_REACTION", "FULL_CONTEXT", "COMBAT_ACTION", "SECRET_ACTION"}
    seven = four | {"OPTIONAL_REACTION", "REFLECTION", "INTERACTION"}
    for edition in EDITIONS.values():
        for kind in (*seven, "QUESTION", "quick_reaction"):
            text = "[GM_TO_PLAYER]\n" + PROMPT.format(kind)
            if kind in (seven if edition is CURRENT else four):
                assert parse(text, edition).text("request_type") == kind
            else:
                assert "request_type is one of" in refusal(text, edition)


@pytest.mark.spec("T-055", "T-079")
@pytest.mark.parametrize(("edition", "rule"), [pair for pair in EVERY_TAG if pair[1].form == "sections"], ids=tag_id)
def test_its_sections_are_all_there_filled_once_and_in_order(edition: Edition, rule: type[Tag]) -> None:
    message = parse(sample(rule.tag), edition)
    header = sample(rule.tag).partition("\n\n")[0]
    held = sections(message.body)
    assert tuple(held) == rule.sections
    assert all(held.values())

    def text(*headings: str, lead: str = "", empty: str = "") -> str:
        return f"{header}\n\n{lead}" + "".join(
            f"## {one}\n{'' if one == empty else held.get(one, 'x')}\n" for one in headings
        )

    assert parse(text(*rule.sections, "More", lead="First.\n"), edition).body.startswith("First.")
    for one in rule.sections:
        others = [other for other in rule.sections if other != one]
        assert f"lacks the section '## {one}';" in refusal(text(*others), edition)
        assert f"lacks the section '## {one}';" in refusal(text(*rule.sections, empty=one), edition)
        assert f"the section '## {one}' is there more than once" in refusal(text(*rule.sections, one), edition)
    assert "in the order Scene, " in refusal(text(*reversed(rule.sections)), edition)


@pytest.mark.spec("T-060")
def test_a_pass_is_nothing_or_the_word_alone() -> None:
    for text in ("", " \n", "\u200b", "pass", "PASS", " Pass.\n", "*pass*", "[pass]", "“Pass”"):
        assert is_pass(text)
    for text in ("I pass", "pass the salt", "no", "passes", "pass pass", "pass " * 20):
        assert not is_pass(text)
    assert is_pass(parse("[PLAYER_TO_GM]\ntype: REACTION\ncharacter: grimjaw\n\nPass", CURRENT).body)


@pytest.mark.spec("T-067", "T-074")
@pytest.mark.parametrize("tag", ["PLAYER_TO_GM", "PLAYER_TO_PLAYER", "HUMAN_DECISION"])
def test_a_body_must_not_be_empty(tag: str) -> None:
    header = sample(tag).partition("\n\n")[0]
    for body in ("", "\n\n", "\n\n \n\t", "\n\n\u200b"):
        assert f"{tag} lacks a text below the fields" in refusal(header + body)
    assert parse(f"{header}\n\n.", CURRENT).body == "."


@pytest.mark.spec("T-067")
def test_a_player_acts_reacts_or_vetoes() -> None:
    rule = CURRENT.tags["PLAYER_TO_GM"]
    assert rule.fields[0].values == ("ACTION", "REACTION", "VETO")
    assert "type is one of ACTION, REACTION, VETO" in refusal(sample("PLAYER_TO_GM").replace("ACTION", "ACTION | VETO"))


@pytest.mark.spec("T-074")
def test_nobody_writes_to_themselves() -> None:
    assert "another player" in refusal(sample("PLAYER_TO_PLAYER").replace("to: grimjaw", "to: tilda-brannock"))


@pytest.mark.spec("T-076")
@pytest.mark.parametrize(
    "opening",
    [
        "/chat",
        "/CHAT hi",
        "OOC:",
        "ooc -",
        "(OOC)",
        "((ooc: brb))",
        "[OOC]",
        "**OOC** ",
        "(out of character: x)",
        "O.O.C. ",
    ],
)
def test_talk_out_of_character_is_no_speech_and_is_pointed_to_chat(opening: str) -> None:
    assert is_out_of_character(opening)
    header = sample("PLAYER_TO_PLAYER").partition("\n\n")[0]
    assert "/chat command" in refusal(f"{header}\n\n{opening} shall we stop?")


@pytest.mark.spec("T-076")
@pytest.mark.parametrize(
    "speech", ["Let us /chat", "/chatter", "Oocyte", "“Look out!”", "(whispers) OOC", "He is out of character"]
)
def test_speech_is_speech(speech: str) -> None:
    assert not is_out_of_character(speech)
    header = sample("PLAYER_TO_PLAYER").partition("\n\n")[0]
    assert parse(f"{header}\n\n{speech}", CURRENT).body == speech


@pytest.mark.spec("T-079")
def test_suggested_options_are_a_list_that_always_has_an_own_answer_when_shown() -> None:
    message = parse(sample("RELAY_TO_HUMAN"), CURRENT)
    suggested = options(sections(message.body)["Suggested Options"])
    assert suggested == ("Knock", "Run")
    assert options_shown(suggested) == ("Knock", "Run", FREEFORM)
    assert options_shown(("Knock", "(Free-form as always)")) == ("Knock", "(Free-form as always)")
    assert options("* a\n  b\n\n1. c\n• d") == ("a b", "c", "d")
    assert FREEFORM not in message.body
    for wrong in ("Knock or run", "- Knock\nor run", "-", "Options:\n- Knock"):
        said = refusal(sample("RELAY_TO_HUMAN").replace("- Knock\n- Run", wrong))
        assert "'## Suggested Options' is a list" in said


# the rest


@pytest.mark.spec("T-088")
def test_a_question_has_options_with_label_and_description() -> None:
    assert [each.name for each in CURRENT.tags["ASK_PLAYER"].fields if each.required] == [
        "question",
        "header",
        "options",
    ]
    said = refusal("[ASK_PLAYER]\nquestion: q\nheader: h\noptions:\n  - label: a\n  - description: ''\n    label: b")
    assert "lacks options[1].description, options[2].description" in said
    assert "lacks options;" in refusal("[ASK_PLAYER]\nquestion: q\nheader: h\noptions: []")


@pytest.mark.spec("T-093", "T-094")
def test_a_dice_result_is_a_full_notation_that_adds_up() -> None:
    rule = CURRENT.tags["DICE_RESULT"]
    assert [each.name for each in rule.fields if each.required] == ["character", "check", "roll"]
    assert rule.fields[-1].name == "result"
    assert rule.fields[-1].values == ("success", "failure", "critical_success", "critical_failure")
    assert parse("[DICE_RESULT]\ncharacter: x\ncheck: Aim\nroll: 1d4 = [2] = 2", CURRENT).fields.keys() == {
        "character",
        "check",
        "roll",
    }
    assert "does not add up" in refusal(sample("DICE_RESULT").replace("= 13", "= 14"))
    assert "not a full notation" in refusal(sample("DICE_RESULT").replace("1d20+5 = [8]+5 = 13", "13"))


@pytest.mark.spec("T-095")
def test_a_result_that_is_stated_is_kept_as_stated() -> None:
    text = sample("DICE_RESULT").replace("result: success", "result: critical_failure")
    assert parse(text, CURRENT).text("result") == "critical_failure"


@pytest.mark.spec("T-096", "T-113", "T-111", "T-104", "T-108", "T-115", "T-119", "T-122", "T-127")
@pytest.mark.parametrize(
    ("tag", "required", "optional"),
    [
        ("PLAYER_ACTION", "character action", ""),
        ("NARRATOR_REQUEST", "to request", ""),
        ("NARRATOR_NOTE", "from note", ""),
        ("SESSION_END", "summary state_saved next_hook", ""),
        ("CONTEXT_REFRESH", "campaign", "current_scene last_narrative_summary"),
        ("STATE_UPDATED", "deltas_written characters_involved", ""),
        ("JOURNAL_CHECKPOINT", "campaign scene_number scene_slug trigger", ""),
        ("AWAIT_PLAYERS", "characters scene_number scene_slug", ""),
        ("PLAYER_RESPONSES", "responses", "vetoes"),
        ("PLAYER_ANSWER", "question answer", ""),
        ("MODE_SWITCH", "mode", "reason"),
        ("HUMAN_DECISION", "character", ""),
        ("RELAY_TO_HUMAN", "character", ""),
    ],
)
def test_a_tag_has_these_fields(tag: str, required: str, optional: str) -> None:
    for edition in EDITIONS.values():
        rule = edition.tags.get(tag)
        if rule:
            assert [each.name for each in rule.fields if each.required] == required.split()
            assert [each.name for each in rule.fields if not each.required] == optional.split()


@pytest.mark.spec("T-098", "T-099")
def test_start_needs_campaign_characters_and_style_and_save_and_end_do_not() -> None:
    said = refusal("[SESSION_COMMAND]\ncommand: start\nreason: evening")
    assert "lacks campaign, player_character, narrative_style, ai_characters;" in said
    for command in ("save", "end"):
        assert parse(f"[SESSION_COMMAND]\ncommand: {command}", CURRENT).fields == {"command": command}
    assert "command is one of start, save, end" in refusal("[SESSION_COMMAND]\ncommand: pause")


@pytest.mark.spec("T-099")
def test_no_name_is_twice_in_the_roster() -> None:
    text = sample("SESSION_COMMAND")
    assert "name grimjaw twice" in refusal(text.replace("tilda-brannock", "grimjaw"))
    assert "name grimjaw twice" in refusal(text.replace("corwin-voss", "grimjaw"))


@pytest.mark.spec("T-108")
def test_a_current_scene_is_a_number_and_a_slug() -> None:
    for scene in ("5 - the-mill", "005", "005 the-mill", "005 - The Mill"):
        assert "current_scene is a scene's number and slug" in refusal(
            sample("CONTEXT_REFRESH").replace("005 - the-old-mill", scene)
        )


def test_a_campaign_is_lower_case_words_joined_by_hyphens() -> None:
    for tag, edition in (("SESSION_COMMAND", CURRENT), ("CONTEXT_REFRESH", CURRENT), ("JOURNAL_CHECKPOINT", PHASE_2)):
        for campaign in ("../the-mill", "The Mill", "a/b"):
            assert "campaign is lower-case words" in refusal(
                sample(tag).replace("campaign: the-mill", f"campaign: {campaign}"), edition
            )


@pytest.mark.spec("T-111", "T-113")
def test_a_note_is_from_gm_or_a_character_and_under_phase_1_from_gm() -> None:
    note = sample("NARRATOR_NOTE").replace("from: gm", "from: grimjaw")
    assert parse(note, CURRENT).text("from") == "grimjaw"
    assert "from is one of gm, not 'grimjaw'" in refusal(note, PHASE_1)
    assert "'narrator' is a reserved word" in refusal(note.replace("grimjaw", "narrator"))
    assert "to is one of gm, not 'grimjaw'" in refusal(sample("NARRATOR_REQUEST").replace("to: gm", "to: grimjaw"))


@pytest.mark.spec("T-122", "T-123")
def test_each_awaited_character_has_an_entry_of_its_own_with_everything_in_it() -> None:
    text = sample("AWAIT_PLAYERS")
    entry = text.partition("characters:\n")[2].partition("\n\n")[0]
    assert "characters names grimjaw twice" in refusal(text.replace(entry, f"{entry}\n{entry}"), PHASE_1)
    assert "characters[1].request_type is one of QUICK_REACTION," in refusal(
        text.replace("QUICK_REACTION", "REFLECTION"), PHASE_1
    )
    said = refusal("[AWAIT_PLAYERS]\ncharacters:\n  - name: grimjaw\n  - request: x\n", PHASE_1)
    listed = "request_type, scene_context, just_happened".split(", ")
    for number, missing in ((1, [*listed, "request"]), (2, ["name", *listed])):
        assert all(f"characters[{number}].{name}" in said for name in missing)
    assert "scene_number, scene_slug" in said
    assert "lacks characters" in refusal("[AWAIT_PLAYERS]\ncharacters: []\nscene_number: 005\nscene_slug: x", PHASE_1)


@pytest.mark.spec("T-127", "T-128")
def test_responses_and_vetoes_list_each_character_once_and_a_veto_gives_its_reason() -> None:
    text = sample("PLAYER_RESPONSES")
    alone = parse("[PLAYER_RESPONSES]\nresponses: []\nvetoes:\n  - character: grimjaw\n    reason: x", PHASE_1)
    assert alone.fields["responses"] == ()
    assert "list grimjaw twice" in refusal(text.replace("tilda-brannock", "grimjaw"), PHASE_1)
    assert "lacks vetoes[1].reason" in refusal(text.replace("    reason: My past.", ""), PHASE_1)
    assert "belongs in vetoes" in refusal(text.replace("He grunts.", "[VETO] no"), PHASE_1)


@pytest.mark.spec("T-128")
@pytest.mark.parametrize(
    ("result", "reason"),
    [
        ("[VETO] My past.", "My past."),
        ("\n[VETO - need more input]\nIt is my past.", "need more input\nIt is my past."),
        ("[VETO: my past]", "my past"),
        ("[VETO my past", "my past"),
        ("[VETO]", ""),
        ("[VETO:]\n ", ""),
        ("She waits.", None),
        ("I say [VETO]", None),
        ("[veto] no", None),
        ("", None),
    ],
)
def test_a_result_that_opens_with_a_veto_is_one_and_the_rest_is_its_reason(result: str, reason: str | None) -> None:
    assert veto_reason(result) == reason


def test_every_sample_holds_every_required_field() -> None:
    for edition, rule in EVERY_TAG:
        message = parse(sample(rule.tag), edition)
        assert set(TEXTS) >= {rule.tag}
        assert compose(rule.tag, message.fields, message.body, edition=edition) == message
