"""Deeds of which the folder says nothing: they are done, turn out somehow, and are remembered."""

from __future__ import annotations

import pytest
from worlds import after, open_evening

from sottovoce.rulesets.tabletop.house.acts.surroundings import _kit
from sottovoce.rulesets.tabletop.house.company import loud
from sottovoce.rulesets.tabletop.house.grammar import parse
from sottovoce.rulesets.tabletop.house.targets import Scene
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity
from sottovoce.rulesets.tabletop.shown.deeds import in_third_person

HIS = ("he", "him", "his")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "I drink from the trough and splash some water on my face.",
            "drinks from the trough and splashes some water on his face",
        ),
        ("I go to the door, knock and wait.", "goes to the door, knocks and waits"),
        ("I wash my hands, and dry them on my coat.", "washes his hands, and dries them on his coat"),
        ("I write down what we've found so far.", "writes down what they have found so far"),
        ("I count the steps as I climb.", "counts the steps as he climbs"),
        ("I want to eat and drink.", "eats and drinks"),
        ("I take the bread, cheese and ale.", "takes the bread, cheese and ale"),
        ("Let me think.", "thinks"),
        ("I hug myself.", "hugs himself"),
    ],
)
def test_a_deed_in_the_third_person_is_a_sentence(said: str, told: str) -> None:
    assert in_third_person(said, "Bertram", HIS) == f"Bertram {told}."


@pytest.mark.parametrize(
    "said",
    [
        "I tell him if he doesn't talk I'll throw him in the river.",
        "I ask her whether we can stay.",
        "Do I see anything?",
        "I stay because I am tired.",
    ],
)
def test_words_and_reasons_of_ones_own_are_not_put_into_the_third_person(said: str) -> None:
    assert in_third_person(said, "Bertram", HIS) == ""


def test_somebody_who_is_looked_for_is_not_searched() -> None:
    table = open_evening(["I ring the bell.", "I go look for Tobit Marsh."])
    assert "hands" not in after(table, "I go look for Tobit Marsh.")
    assert "says Tobit" in after(table, "I go look for Tobit Marsh.")


def test_what_is_bought_costs_coin_and_no_paper_of_the_party() -> None:
    table = open_evening(["I ring the bell.", "I buy some smoked eel and share it with Wren.", "I read the letter."])
    told = after(table, "I buy some smoked eel and share it with Wren.")
    assert "smoked eel" in told
    assert not any("- lost " in str(recorded.event) for recorded in table.recorded)


def test_a_boat_is_a_way_to_get_there() -> None:
    assert "Drowned Mill" in after(open_evening(["We take a boat out to the mill."]), "We take a boat out to the mill.")


def test_coin_in_a_hand_is_a_gift() -> None:
    said = "I slip him three silver to jog his memory."
    told = after(open_evening(["I ring the bell.", "I talk to Tobit.", said]), said)
    assert "Tobit" in told
    assert "eyebrow" not in told


def test_a_door_that_was_opened_is_open() -> None:
    table = open_evening(["I push the shutter open.", "I push at the shutter."])
    assert any(
        mark in after(table, "I push at the shutter.") for mark in ("That is done already", "It is as you left it")
    )


def test_strength_takes_dice() -> None:
    table = open_evening(["I shoulder the door open."])
    assert any(getattr(recorded.event, "check", "").startswith("athletics") for recorded in table.recorded)


@pytest.mark.parametrize(
    "said",
    ["I take the paper out of my boot and tear it up in front of him.", "I take my coat off and tear it."],
)
def test_what_is_taken_and_torn_needs_no_dice(said: str) -> None:
    assert after(open_evening(["I ring the bell.", said]), said)


def test_a_noise_is_heard_and_a_drink_is_not() -> None:
    quiet = after(open_evening(["I drink from the river."]), "I drink from the river.")
    assert "running" not in quiet
    assert "brings" not in quiet


@pytest.mark.parametrize("said", ["I switch on the lamp.", "I polish the brass plate on the wall."])
def test_a_verb_that_no_list_has_is_a_plain_deed(said: str) -> None:
    told = after(open_evening([said]), said)
    assert told.startswith("Dorrin ")


def test_what_one_carries_is_told() -> None:
    assert "Dorrin has the" in after(open_evening(["I check my gear."]), "I check my gear.")


def test_a_first_look_is_answered_with_what_there_is() -> None:
    told = after(
        open_evening(["I look around.", "I look around the landing stage."]), "I look around the landing stage."
    )
    assert "what else there is to itself" not in told
    assert "nothing more to be seen" not in told


def test_what_the_papers_name_can_be_gone_to_and_looked_at() -> None:
    said = "I look at the roofs of the village."
    assert "roofs" in after(open_evening([said]), said)


def test_what_a_sheet_keeps_secret_is_in_nobodys_bag() -> None:
    open_ = "# Dorrin\n\n**Equipment**: a crowbar, chalk\n\n"
    sheet = f"{open_}## Secrets\n\n**Items**: a stolen sextant\n\n## Tools\n\nPlane\n"
    assert {"crowbar", "chalk"} <= _kit(sheet)
    assert "sextant" not in _kit(sheet)


def test_it_is_what_was_just_named_and_no_paper_of_the_party() -> None:
    said = "I pick up a pebble and hand it to Tobit."
    table = open_evening(["I ring the bell.", "I look at the letter.", said])
    assert not any("- lost " in str(recorded.event) for recorded in table.recorded)


def test_what_is_sung_quietly_brings_nobody_running() -> None:
    assert not loud("I sing quietly.")
    assert loud("I sing at the top of my voice.")


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("liar.", "talk"),
        ("which way's the clock tower", "ask"),
        ("when did the clock stop exactly", "ask"),
        ("you lied to us", "talk"),
    ],
)
def test_words_and_questions_need_no_marks(said: str, kind: str) -> None:
    tobit = Entity("tobit-marsh", "person", "Tobit Marsh", frozenset({"tobit"}), pronoun="he")
    scene = Scene((tobit,), {}, ("tobit-marsh",), "tobit-marsh")
    assert [(act.kind, act.target) for act in parse(said, scene)] == [(kind, "tobit-marsh")]
