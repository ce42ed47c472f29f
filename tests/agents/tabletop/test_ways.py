"""Ways and looks: one gets there, and what is looked at is told, in however few words it was said."""

from __future__ import annotations

import pytest
from evenings import CAMPAIGN, folder
from worlds import after, anywhere, heard, open_evening

from sottovoce.rulesets.tabletop.house.acts.ways import said
from sottovoce.rulesets.tabletop.house.grammar import parse

FILES = {path: text for path, text in folder(CAMPAIGN).items() if not path.startswith("beats/")}


UP = ("I go to the clock tower.", "I go to the clock room.")


def at_the_inn(*lines: str) -> str:
    """What the last line brings, after the party has gone to the inn of the mill's village."""
    return after(open_evening(["I go to the Eel and Anchor.", *lines]), lines[-1])


def above_the_clock(*lines: str) -> str:
    return after(open_evening(lines, files=FILES, campaign="ten-past-four"), lines[-1])


@pytest.mark.parametrize(
    ("line", "way"),
    [
        ("inside", "in"),
        ("in we go", "in"),
        ("let's get out of here", "out"),
        ("I step outside", "out"),
        ("upstairs", "up"),
        ("back down", "down"),
        ("through the trapdoor", "down"),
        ("back the way we came", "back"),
        ("round the back", "behind"),
        ("I climb over the wall", "across"),
        ("further", "on"),
        ("off we go", "on"),
        ("I wait", ""),
    ],
)
def test_a_way_needs_no_name(line: str, way: str) -> None:
    assert said(line) == way


@pytest.mark.parametrize(
    "line",
    [
        "inside",
        "back to the inn",
        "off we go",
        "through the door",
        "after him",
        "onwards",
        "I take the left one",
        "let's have a look at that orchard",
        "time to see this famous tower",
        "lets try the inn",
        "let's go see the mill",
        "somewhere we can eat",
        "out the back",
    ],
)
def test_few_words_are_a_way(line: str) -> None:
    assert parse(line, anywhere("ten-past-four"))[0].kind == "go"


@pytest.mark.parametrize("line", ["closer", "and behind it?", "I look out of the window", "I put my ear to the tree"])
def test_few_words_are_a_look(line: str) -> None:
    assert [act.kind for act in parse(line, anywhere("ten-past-four"))] == ["look"]


def test_who_wants_to_see_a_place_goes_there() -> None:
    for line in ("I'd like to see the mill now.", "Time to see the mill.", "Let's have a look at this mill."):
        assert "The roof of the mill stands out of the pond" in after(open_evening([line]), line)


def test_a_look_from_afar_leads_nowhere() -> None:
    lines = ["I look at the drowned mill.", "Where are we?"]
    table = open_evening(lines)
    assert "Mill Pond" not in after(table, lines[0])


def test_one_comes_out_of_a_place_to_what_lies_around_it() -> None:
    assert "Ferrin's Weir" in at_the_inn("I go out.")
    told = above_the_clock(*UP, "out of the tower")
    assert "stand before" not in told
    assert "Clock Tower" in told


def test_up_and_down_again() -> None:
    assert "Clock Room" in above_the_clock("I go to the clock tower.", "in", "up")
    assert "Clock Tower" in above_the_clock(*UP, "back down")
    up, down = at_the_inn("upstairs"), at_the_inn("upstairs", "back down")
    assert up != down
    assert "Eel and Anchor" in down


def test_back_is_where_one_was() -> None:
    assert "Landing Stage" in at_the_inn("back the way we came")


def test_what_a_wall_hides_is_behind_it() -> None:
    assert "Thirty trees" in above_the_clock("I climb over the orchard wall.")


def test_two_ways_lead_to_the_second() -> None:
    told = at_the_inn("out of the inn and over to the boatyard")
    assert "Two hulls stand on trestles" in told


def test_the_inn_of_the_village_is_not_in_the_orchard() -> None:
    lines = ["I go to the orchard.", "back to the inn", "What do I see?"]
    table = open_evening(lines, files=FILES, campaign="ten-past-four")
    assert "keeps the Hare and Hour" in after(table, lines[1])
    assert "Orchard" not in after(table, lines[2])


def test_nobody_goes_where_nobody_has_heard_of() -> None:
    for line in ("on to the lighthouse", "to the castle", "into the crypt"):
        told = after(open_evening([line]), line)
        assert "You could go to" in told or "What you do know of" in told


def test_the_exits_are_told() -> None:
    told = after(open_evening(["Which ways lead out of here?"]), "Which ways lead out of here?")
    assert "Weir House" in told
    assert "Drowned Mill" in told


def test_each_sense_has_its_own() -> None:
    assert "low voice" in after(open_evening(["I listen."]), "I listen.")
    assert "Smoked eel" in after(open_evening(["what's that smell?"]), "what's that smell?")


def test_what_was_just_told_is_not_told_again() -> None:
    lines = ["I look around.", "I look at the slate."]
    table = open_evening(lines, seed=3)
    assert "A slate on the shed lists" in " ".join(heard(table))
    assert "A slate on the shed lists" not in after(table, lines[1])


def test_closer_is_closer_to_what_was_looked_at() -> None:
    assert "guest book" in at_the_inn("I look at the guest book.", "closer")


def test_out_of_the_window_is_no_window_of_another_house() -> None:
    told = at_the_inn("I look out of the window.")
    assert "One room, one window" not in told
    assert "Sixty roofs" in told or "Eel traps" in told


def test_who_comes_up_takes_over_nobody_elses_talk() -> None:
    lines = ["I talk to Tobit Marsh.", *["I sharpen my sword."] * 5, "I ask him about his brother."]
    told = after(open_evening(lines), lines[-1])
    assert "Tobit" in told
    assert "says Lief" not in told


def test_nobody_comes_up_while_the_party_talks() -> None:
    asks = ["I ask Tobit about the mill.", "I ask Tobit about the flood.", "I ask Tobit about his brother."]
    table = open_evening(["I talk to Tobit Marsh.", *asks, *asks])
    told = "\n".join(heard(table)[3:])
    assert "comes up to you" not in told
    assert "stands before you" not in told


def test_a_bed_is_no_reed_bed() -> None:
    lines = ["I go to the Eel and Anchor.", "I go to bed."]
    told = after(open_evening(lines), lines[-1])
    assert "Reed Beds" not in told
    assert "Dorrin goes to bed." in told


@pytest.mark.parametrize(
    ("line", "here"),
    [
        ("Where can we find Tobit Marsh?", ("Here I am", "You have found me", "Right here")),
        ("Where is Tobit?", ("Here I am", "You have found me", "Right here")),
        ("Let's go to the miller then.", ("Tobit is right here", "Tobit stands before you")),
    ],
)
def test_who_stands_here_is_here(line: str, here: tuple[str, ...]) -> None:
    lines = ["I go to the Boatyard.", "I talk to Tobit.", line]
    told = after(open_evening(lines), line)
    assert any(each in told for each in here), told


BRAWL = ["I go to the Boatyard.", "I talk to Tobit.", "I grab Tobit by the collar and shove him against the wall."]


@pytest.mark.parametrize("line", ["Is there a cat here that we could pet?", "I bet the eels have seen it all, haha."])
def test_nobody_who_is_hostile_answers_what_is_put_to_nobody(line: str) -> None:
    told = after(open_evening([*BRAWL, "I let go, and step back.", line]), line)
    assert "Tobit" not in told


def test_words_that_end_a_fight_are_answered() -> None:
    lines = [*BRAWL, "sorry, that got out of hand. Are you alright?"]
    told = after(open_evening(lines), lines[-1])
    assert any(each in told for each in ("Tobit hesitates", "Tobit takes a step back", "I am listening")), told
    assert "will not speak" not in told
    assert "says nothing at all" not in told
