"""What is said to somebody is heard as what it is: an order, a bargain, thanks, a casual word; and is no deed."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from worlds import after, anywhere, open_evening

from sottovoce.rulesets.tabletop.house.grammar import parse
from sottovoce.rulesets.tabletop.house.targets import Scene
from sottovoce.rulesets.tabletop.house.utterances import is_said, kind_of, plainly
from sottovoce.rulesets.tabletop.house.verbs import lists

REMARKS = lists("remarks.txt")
INN = "I go to the Eel and Anchor."
HELLO = "Good evening, innkeeper."


def answer(*lines: str, seed: int = 1) -> str:
    """What is told of the last of the lines, before anything else happens."""
    return after(open_evening((INN, HELLO, *lines), seed), lines[-1]).split("\n\n")[0]


def talking() -> Scene:
    """A scene in which the party has just spoken with the innkeeper."""
    return replace(
        anywhere("the-drowned-mill"), present=("hanne-deel",), last="hanne-deel", spoken="hanne-deel", talking=True
    )


def in_the_manner_of(told: str, kind: str) -> bool:
    """Whether an answer has one of the phrases of a kind in it, with any name."""
    forms = (re.sub(r"\\\{\w+\\\}", ".+", re.escape(phrase)) for phrase in REMARKS[kind])
    forms = (re.sub(r"\\\[(.+?)\\\]", lambda found: f"(?:{found[1]})".replace(r"\|", "|"), form) for form in forms)
    return any(re.search(form, told) for form in forms)


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("thanks for nothing", "nothanks"),
        ("ok ok, sorry. didn't mean to shout", "apologised"),
        ("I don't believe a word of it.", "doubted"),
        ("show me your hands", "hands"),
        ("come with us", "join"),
        ("I ask her to come along", "join"),
        ("let us in", "admit"),
        ("same for me", "serve"),
        ("four ales and don't be stingy", "serve"),
        ("a hundred then", "haggled"),
        ("I'll give you half that and not a copper more.", "haggled"),
        ("What if we gave you a boat?", "offered"),
        ("keep the change", "paid"),
        ("nope", "declined"),
        ("fair enough", "agreed"),
        ("really?", "really"),
        ("why?", "why"),
        ("never mind", "dismissed"),
        ("goodbye then", "farewell"),
        ("good night", "goodnight"),
        ("I could eat a horse", "personal"),
        ("I get loud when I'm ashamed.", "personal"),
        ("You're a terrible liar, you know that?", "insulted"),
        ("I saw you.", "accused"),
        ("We didn't kill her.", "denied"),
        ("Is that a threat?", "parry"),
        ("how dare you!", "rebuked"),
        ("I tell her that we only want to help.", "promised"),
        ("I laugh and say that was only a joke", "jested"),
    ],
)
def test_words_are_of_a_kind(line: str, kind: str) -> None:
    assert kind_of(plainly(line)) == kind


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("show me your hands", "hands"),
        ("sing us something", "sing"),
        ("thanks for nothing", "nothanks"),
        ("we never touched the gate", "denied"),
        ("really?", "really"),
        ("I say that was only a joke", "jested"),
        ("a hundred then", "haggled"),
        ("put it on my tab", "tab"),
        ("a room for three, please", "lodge"),
        ("may I sit with you?", "leave"),
        ("lead the way", "lead"),
    ],
)
def test_somebody_answers_in_the_manner_of_what_was_said(line: str, kind: str) -> None:
    assert in_the_manner_of(answer(line), kind)


@pytest.mark.parametrize(
    "line",
    [
        "We didn't kill anybody.",
        "I don't want to hurt anybody.",
        "so that she sees we mean no harm, I smile",
        "Nobody here wants a fight.",
        "If you don't talk, I'll break the jug.",
        "I could murder a stew.",
    ],
)
def test_a_peaceful_line_and_a_threat_strike_nobody(line: str) -> None:
    assert all(act.kind != "attack" for act in parse(line, talking()))


@pytest.mark.parametrize(
    "line",
    [
        "we'll come quietly",
        "shame about the bell",
        "Two can play that game.",
        "My mother used to say that water remembers.",
        "well, that went well",
        "Fine, don't tell me then.",
        "She walked in wounded, gave us this and died.",
        "We need that clock running by dawn.",
        "well, in for a penny",
    ],
)
def test_what_is_said_to_somebody_here_is_never_asked_back(line: str) -> None:
    assert [act.kind for act in parse(line, talking())] == ["talk"]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("I take the slate", "take"),
        ("I don't open the door", "no"),
        ("I want to go to the mill", "go"),
        ("I'm going to the mill", "go"),
        ("no wait, the mill first", "go"),
        ("I have a look around", "look"),
        ("To the mill.", "go"),
    ],
)
def test_a_deed_stays_a_deed_while_one_talks(line: str, kind: str) -> None:
    assert parse(line, talking())[0].kind == kind


def test_a_gesture_before_words_is_no_deed_of_its_own() -> None:
    assert plainly("I lean over and whisper to Wren that he lies.") == "I whisper to Wren that he lies."
    assert plainly("I turn to the others and ask if they are ready.") == "I ask the others if they are ready."
    assert not is_said("I say nothing")


def test_an_offer_in_a_haggle_gives_nothing_away() -> None:
    table = open_evening((INN, HELLO, "how much for a bed?", "I'll give you half that and not a copper more."))
    assert not any("- lost " in str(recorded.event) for recorded in table.recorded)


def test_a_newcomer_answers_no_order_for_the_innkeeper() -> None:
    told = answer("four bowls of whatever is hot, please")
    assert "Hanne" in told
