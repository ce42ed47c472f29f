"""Deeds of which the folder says nothing: they are done, turn out somehow, and are remembered."""

from __future__ import annotations

import pytest
from worlds import after, open_evening

from sottovoce.rulesets.tabletop.house.acts.outcomes import kind_of
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
        ("I stay because I am tired.", "stays because he is tired"),
        ("I grab the rope, climb over the rail and jump.", "grabs the rope, climbs over the rail and jumps"),
        ("I carefully open the lid and quietly look inside.", "carefully opens the lid and quietly looks inside"),
        (
            "I dip a rag in the pail, wring it out and wipe the blade.",
            "dips a rag in the pail, wrings it out and wipes the blade",
        ),
        ("I pay for food and drink.", "pays for food and drink"),
        ("I write all this down please.", "writes all this down"),
        ("I hit him again, hard!", "hits him again hard"),
        ("I look for what I can't find.", "looks for what he can't find"),
        ("I don't move.", "doesn't move"),
        ("I'm going to try to break it open.", "tries to break it open"),
        ("I'd rather stay here and watch.", "stays here and watches"),
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
    ],
)
def test_words_of_ones_own_are_not_put_into_the_third_person(said: str) -> None:
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
    marks = ("That is done already", "It is as you left it", "has been done once", "was done before")
    assert any(mark in after(table, "I push at the shutter.") for mark in marks)


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


def test_a_deed_of_the_whole_party_is_told_of_you() -> None:
    assert (
        in_third_person("Let's sit down and eat our bread.", "Bertram", HIS, "You")
        == "You sit down and eat your bread."
    )
    assert (
        in_third_person("We go up and I light my lamp.", "Bertram", HIS, "You")
        == "You go up and Bertram lights Bertram's lamp."
    )


def test_words_in_quotation_marks_stay_as_they_are() -> None:
    assert in_third_person("I shout “oswin!”", "Dorrin", HIS, "You") == "Dorrin shouts “Oswin!”"


def test_each_deed_of_a_line_is_told() -> None:
    said = "I pick up a stick, break it in two and throw it in the river."
    told = after(open_evening([said]), said)
    assert [word for word in ("picks up", "breaks", "throws") if word in told] == ["picks up", "breaks", "throws"]


def test_a_condition_is_settled_before_the_deed() -> None:
    said = "If nobody is looking, I untie one of the boats."
    told = after(open_evening([said]), said)
    assert told.startswith(("Nobody is looking.", "There is nobody about"))
    assert "unties one of the boats" in told


def test_the_deed_of_a_condition_that_does_not_hold_is_not_done() -> None:
    said = "If Tobit runs off, I throw a stone, otherwise I sit down."
    told = after(open_evening(["I ring the bell.", said]), said)
    assert "throws" not in told
    assert "sits down" in told


def test_a_paper_that_is_read_says_what_the_party_knows_of_it() -> None:
    told = after(open_evening(["I read the letter aloud."]), "I read the letter aloud.")
    assert "why his mill stands under water" in told
    assert "does not believe in accidents" in told


def test_what_is_to_be_smelled_and_heard_is_told() -> None:
    table = open_evening(["I sniff the air.", "I stop and listen."])
    assert "Smoked eel" in after(table, "I sniff the air.")
    assert "The weir talks" in after(table, "I stop and listen.")


def test_people_are_counted_by_who_is_here() -> None:
    said = "I count the people here."
    told = after(open_evening(["I ring the bell.", said]), said)
    assert " one" in told
    assert told.rstrip(".").endswith(": Tobit")


@pytest.mark.parametrize("said", ["Again!", "I try again.", "ok, once more"])
def test_a_deed_is_done_once_more(said: str) -> None:
    table = open_evening(["I jump over the ditch.", said])
    assert "jumps over the ditch" in after(table, said)


@pytest.mark.parametrize(
    "said", ["We didn't hurt anybody.", "I burn the note, so that he sees we mean him no harm.", "I bandage his arm."]
)
def test_peaceful_lines_begin_no_fight(said: str) -> None:
    told = after(open_evening(["I ring the bell.", said]), said)
    assert "fight" not in told
    assert "no more talking" not in told


def test_what_is_done_to_somebody_needs_somebody() -> None:
    told = after(open_evening(["I slap him on the back."]), "I slap him on the back.")
    assert "slaps" not in told


def test_what_cannot_be_had_is_not_used() -> None:
    said = "I take the sextant and put it in my bag."
    assert "puts" not in after(open_evening([said]), said)


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("I pick the lock with a hairpin", "lock"),
        ("why don't we light a fire", "fire"),
        ("I play a tune on my whistle", "music"),
        ("I put the book back on the shelf", "back"),
        ("I tear a strip off my shirt", "bits"),
        ("I wash my face and hands", "water"),
        ("I draw a map of the village", "map"),
        ("I pet the dog", "pet"),
    ],
)
def test_the_kind_of_a_deed_is_told_by_how_it_begins(said: str, kind: str) -> None:
    assert kind_of(said) == kind
