"""What is told answers what was said: the thing that was named, the person who is meant, or that there is none."""

from __future__ import annotations

import pytest
from evenings import documents, folder
from worlds import FOLDERS, after, heard, open_evening

from sottovoce.rulesets.tabletop.house.grammar import parse
from sottovoce.rulesets.tabletop.house.nouns import head_of
from sottovoce.rulesets.tabletop.house.targets import Scene
from sottovoce.rulesets.tabletop.rules.lore.memory import remembered

MILL = folder(FOLDERS["the-drowned-mill"])


def told(*lines: str, seed: int = 1) -> str:
    """What the first narrative after the last of the lines says."""
    return after(open_evening(lines, seed), lines[-1])


def test_somebody_who_is_not_here_is_named_and_nobody_else_answers() -> None:
    answer = told("I go to the boatyard.", "I threaten the steward.")
    assert "no steward here" in answer.split("\n\n")[0] or "see no steward" in answer.split("\n\n")[0]
    assert "Tobit" in answer, "who is here is said"
    assert "“" not in answer.split("\n\n")[0]


def test_words_for_somebody_who_was_met_elsewhere_find_them_there() -> None:
    lines = ["I go to the weir house.", "I go to the boatyard.", "I ask the warden about the third wheel."]
    answer = told(*lines)
    assert "Weir House" in answer
    assert "third wheel" in answer


@pytest.mark.parametrize(
    ("line", "missing"),
    [("I count the portraits.", "portraits"), ("I turn the great lever.", ""), ("I take the silver bell.", "")],
)
def test_a_thing_that_nobody_has_told_of_is_not_replaced_by_another(line: str, missing: str) -> None:
    answer = told(line).split("\n\n")[0]
    assert missing in answer
    facts = {text for path, body in MILL.items() if path.startswith("locations/") for text in body.decode().split(". ")}
    assert not [text for text in facts if len(text) > 20 and text.strip(". \n") in answer]


def test_only_a_whole_way_there_is_answered_with_being_there_already() -> None:
    lines = ["I go to the boatyard.", "I crawl under the hull and look at the hole."]
    assert "already" not in told(*lines)
    assert "crawls under the hull" in told(*lines)
    assert "already" in told("I go to the boatyard.", "Let us go to the boatyard.")


def test_a_search_tells_of_the_place_searched_or_finds_nothing() -> None:
    elsewhere = ("One room, one window", "Eels hang in rows", "The only inn", "A square stone house")
    for seed in range(8):
        answer = told("I go to the boatyard.", "I search the boatyard for anything odd.", seed=seed).split("\n\n")[0]
        assert not [text for text in elsewhere if text in answer]


def test_a_noise_is_heard_and_a_wait_moves_the_day() -> None:
    table = open_evening(["I ring the bell.", "I wait until dark."], 1)
    bell, dark = after(table, "I ring the bell."), after(table, "I wait until dark.")
    assert bell.startswith("Dorrin rings the bell.")
    assert "Tobit" in bell
    assert "evening" in dark
    assert "day 4" in remembered(documents(table)["gm-progress.md"].decode()).done


def test_whom_the_party_asks_for_gets_about_whether_the_campaign_has_them_or_not() -> None:
    done = {}
    for name in ("Corisande", "Zebedee"):
        lines = ["I go to the boatyard.", "I talk to Tobit.", "I talk to the ferryman.", f"I look for {name}."]
        memory = remembered(documents(open_evening(lines, 1))["gm-progress.md"].decode())
        done[name] = {each.replace(name.casefold(), "NAME") for each in memory.done}
    assert done["Corisande"] == done["Zebedee"]


def test_a_companion_takes_nobody_along_and_lets_no_time_pass() -> None:
    table = open_evening(["I look around."] * 14, 3)
    memory = remembered(documents(table)["gm-progress.md"].decode())
    assert [line for line in memory.lines if line.startswith("at ")] == ["at ferrins-weir/landing-stage"]
    assert not [each for each in memory.done if each.startswith("day ")]


def test_in_one_evening_the_party_hears_of_the_other_place_and_comes_to_know_people() -> None:
    table = open_evening(["I look around.", "I wait.", "What is going on here?"] * 13, 2)
    everything = " ".join(heard(table))
    assert "the Drowned Mill" in everything
    met = remembered(documents(table)["gm-progress.md"].decode()).met
    assert len(met) >= 6


@pytest.mark.parametrize(
    ("line", "head"),
    [
        ("I flip through the guest book.", "book"),
        ("I study the grease on the wheel.", "greas"),
        ("I close the door quietly.", "door"),
        ("I wait.", ""),
    ],
)
def test_the_noun_that_a_deed_is_about_is_its_first(line: str, head: str) -> None:
    assert head_of(line) == head


def test_if_and_when_are_no_deeds_and_a_sword_put_away_is_no_threat() -> None:
    nobody = Scene((), {})
    assert [act.kind for act in parse("If it is locked, I knock.", nobody)] == ["use"]
    assert parse("I put the sword away.", nobody)[0].kind != "threaten"
