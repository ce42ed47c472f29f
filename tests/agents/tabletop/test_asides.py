"""Asides: the game master answers what is put to nobody, from what shows, the sheets and what was told."""

from __future__ import annotations

import pytest
from worlds import after, open_evening

from sottovoce.rulesets.tabletop.house.asides import aside_in


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("ok so what do we know so far?", "recap"),
        ("Why are we here again?", "errand"),
        ("who's here", "people"),
        ("Which ways can we go from here?", "ways"),
        ("how am I?", "health"),
        ("What have I got on me?", "kit"),
        ("what did she say about the flood?", "said"),
        ("do I trust him?", "own"),
        ("did I find anything?", "found"),
        ("does anybody follow us?", "reaction"),
    ],
)
def test_a_question_of_the_person_s_own_is_an_aside(said: str, kind: str) -> None:
    assert aside_in(said) == kind


@pytest.mark.parametrize(
    "said", ["What do you know so far?", "How long have you been here?", "Who raised the gate?", "I go to the inn."]
)
def test_words_to_somebody_are_no_aside(said: str) -> None:
    assert aside_in(said) == ""


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("what do we know so far?", "Tobit Marsh wrote that his mill was drowned"),
        ("Why are we here?", "Find out why the mill at Ferrin's Weir was flooded"),
        ("Who is here?", "Ilse and Wren"),
        ("Where can we go from here?", "the Eel and Anchor"),
        ("Am I hurt?", "Dorrin is unhurt|scratch"),
        ("how is Wren?", "Wren is unhurt|on Wren"),
        ("what have I got with me?", "short sword"),
        ("What do we know about the Sluice Wardens?", "guild of lock-keepers"),
        ("What do we know about Morwenna?", "Morwenna"),
        ("Is the door locked?", "locked|lock|latch|shut"),
        ("do I like this place?", "Dorrin"),
    ],
)
def test_the_game_master_answers_an_aside_and_nobody_comes_up_to_do_so(said: str, answer: str) -> None:
    told = after(open_evening([said]), said).split("\n\n")[0]
    assert any(each in told for each in answer.split("|"))
    assert "says" not in told


def test_two_asides_in_a_line_are_both_answered() -> None:
    line = "Who is here? And am I hurt?"
    told = after(open_evening([line]), line)
    assert "Ilse and Wren" in told
    assert "Dorrin" in told


def test_what_somebody_said_is_told_again_and_what_they_did_not_say_is_not() -> None:
    lines = ["I ring the bell.", "I talk to Tobit.", "What did he say?", "What did he say about cheese?"]
    table = open_evening(lines)
    assert "A mill does not drown by itself" in after(table, "What did he say?")
    assert "drown" not in after(table, "What did he say about cheese?").split("\n\n")[0]


def test_whoever_a_question_is_about_is_not_the_one_who_answers_it() -> None:
    lines = ["I go to the Eel and Anchor.", "Hanne, how are you?", "When did you last see Tobit?", "And is he married?"]
    table = open_evening(lines)
    for line in lines[2:]:
        assert "says Tobit" not in after(table, line).split("\n\n")[0], line
