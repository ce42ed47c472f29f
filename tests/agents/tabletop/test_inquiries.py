"""A person of the campaign answers out of their own life, of their neighbors, and goes on with the talk."""

from __future__ import annotations

import re

import pytest
from worlds import after, open_evening

from sottovoce.rulesets.tabletop.house.acts.inquiries import KINDS, OF_THE_PLACE, kind_of
from sottovoce.rulesets.tabletop.house.acts.questions import matter_of, question_of, several
from sottovoce.rulesets.tabletop.house.questions import read
from sottovoce.rulesets.tabletop.house.table import PHRASES

YARD = "I go to the boatyard."
INN = ("I go to the Eel and Anchor.", "I greet the innkeeper.")
UNKNOWING = re.compile(
    r"(?i)can’t say|could not tell you|more than I know|wondered about that myself|nothing I could tell|Nobody tells me"
    r"|not talk about|keep that to myself|my own affair|\bkeep it\b"
)
"""Words of somebody who does not know, or will not say."""


def answer(*lines: str, seed: int = 1) -> str:
    """What is told of the last of the lines, before anything else happens."""
    return after(open_evening(lines, seed), lines[-1]).split("\n\n")[0]


def test_each_kind_has_phrases_and_each_kind_of_the_place_is_one() -> None:
    assert {f"plain.{kind}" for kind, _ in KINDS} <= PHRASES.keys()
    assert {kind for kind, _ in KINDS} >= OF_THE_PLACE


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("How long have you lived here?", "tenure"),
        ("What did you do last night?", "lastnight"),
        ("Where were you when it happened?", "whereabouts"),
        ("Do you have any children?", "kin"),
        ("What if the other gates break too?", "whatif"),
        ("Who's in charge around here?", "charge"),
        ("Has anyone strange come through lately?", "strangers"),
        ("Why did you write to us?", "summons"),
        ("How much will you pay us for it?", "pay"),
        ("What's in it for us?", "pay"),
        ("Are you sure?", "sure"),
        ("How's business?", "business"),
        ("Who raised the gate?", ""),
        ("What do the wardens do?", ""),
    ],
)
def test_a_question_of_somebodys_life_is_told_by_its_turn_of_phrase(line: str, kind: str) -> None:
    assert kind_of(line) == kind


@pytest.mark.parametrize(
    "line",
    [
        "Hanne, how long have you lived here?",
        "Hanne, what did you do last night?",
        "Hanne, do you have any children?",
        "Hanne, did you sleep well?",
        "Hanne, how's business?",
        "Hanne, what if the river rises again?",
        "Hanne, what's on the menu?",
        "Hanne, has anybody strange come through lately?",
        "Hanne, what do you think of Tobit Marsh?",
        "Hanne, what would you do in our place?",
        "Hanne, is it always this quiet in here?",
        "Hanne, what are you doing?",
    ],
)
def test_a_person_has_an_answer_to_what_anybody_knows_of_themself(line: str) -> None:
    told = answer(*INN, line)
    assert "Hanne" in told
    assert not UNKNOWING.search(told), told


def test_their_own_page_comes_before_any_phrase() -> None:
    assert "loft of the boatyard" in answer(YARD, "Tobit, do you sleep well?")
    assert "mother died" in answer(*INN, "Hanne, how long have you run this place?")


def test_whoever_is_asked_of_another_says_so_and_leaves_the_rest_to_them() -> None:
    knows = answer(*INN, "Hanne, do you know Tobit Marsh?")
    assert knows.count("Hanne") >= 1
    assert "Tobit Marsh" in knows
    assert "Tobit" in answer(*INN, "Hanne, does Tobit Marsh owe money to anybody?")
    assert not UNKNOWING.search(answer(*INN, "Hanne, is Tobit Marsh married?"))


def test_whoever_sent_for_the_party_pays_it_and_nobody_else() -> None:
    assert re.search("What I can spare|not thought of a sum", answer(YARD, "Tobit, what will you pay us?"))
    assert re.search("ask Tobit|Tobit has sent for you", answer(*INN, "What will you pay us?"))


def test_nobody_leaves_a_question_about_themself_to_themself() -> None:
    for line in ("I ask the ferryman about the ferryman.", "I ask Lief about the ferryman."):
        told = answer(YARD, "I greet the ferryman.", line)
        assert "the ferryman does" not in told
        assert not re.search("(?i)ask the ferryman|for the ferryman|the ferryman after another", told)


def test_a_clause_behind_that_is_no_noun() -> None:
    assert matter_of("that we got his letter") == ""
    assert matter_of("that letter of his") == "that letter"


def test_whether_somebody_can_be_trusted_is_no_proposal() -> None:
    assert read("Wren, do you think we can trust Garrick?", "Wren").kind == "verdict"
    assert read("Wren, do you think we can get in?", "Wren").kind == "proposal"


def test_a_question_goes_on_with_the_talk_before_it() -> None:
    told = answer(YARD, "Tobit, who raised the weir gate?", "When was that?")
    assert "one night in spring" in told
    told = answer(YARD, "Tobit, do you know Oswin Marsh?", "Where is he now?")
    assert "has not been seen since" in told


def test_a_newcomer_does_not_take_over_a_talk() -> None:
    lines = [*INN, "Hanne, what do eels cost?"]
    lines += ["Is business good?", "How long have you lived here?", "What did you do last night?", "Do you sleep well?"]
    table = open_evening(lines, 1)
    assert all("says Hanne" in after(table, line) or "Hanne" in after(table, line) for line in lines[3:])


def test_two_questions_in_a_line_get_two_answers() -> None:
    assert several("How far is the mill, and who keeps the weir?") == ["How far is the mill?", "who keeps the weir?"]
    assert several("What sort of man is he, would you say?") == ["What sort of man is he, would you say?"]
    told = answer(YARD, "Tobit, how far is the mill, and who keeps the weir?")
    assert "Drowned Mill" in told
    assert "guild of lock-keepers" in told


def test_a_name_alone_answers_neither_yes_nor_no() -> None:
    told = answer(YARD, "Tobit, did Oswin Marsh drink?")
    assert "has not been seen" not in told


@pytest.mark.parametrize(
    ("line", "word", "matter"),
    [
        ("Are you the man who wrote to us?", "whether", ""),
        ("Did the Office reply to your letter?", "whether", "the Office"),
        ("What's wrong with the bell?", "event", "the bell"),
        ("Where do you think he is?", "where", ""),
    ],
)
def test_a_question_is_read_by_what_it_asks_for(line: str, word: str, matter: str) -> None:
    question = question_of(line)
    assert (question.word, question.matter) == (word, matter)


def test_prices_are_told_for_each_thing() -> None:
    told = answer(*INN, "Hanne, how much for three bowls of eel and three beds?")
    assert "three meals" in told
    assert "three beds" in told
    assert re.search(r"(?i)\bcoins?\b", told)
