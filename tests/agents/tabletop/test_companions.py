"""One of the party who is asked something answers that, out of their own sheet and what they have seen."""

from __future__ import annotations

import pytest
from evenings import folder
from worlds import FOLDERS, after, heard, open_evening

from sottovoce.rulesets.tabletop.house.abilities import level
from sottovoce.rulesets.tabletop.house.companions import KINDS
from sottovoce.rulesets.tabletop.house.questions import read
from sottovoce.rulesets.tabletop.house.verbs import lists
from sottovoce.rulesets.tabletop.rules.lore.sheets import read as sheet

WREN = sheet("wren-ashdown", folder(FOLDERS["the-drowned-mill"])["party/wren-ashdown.md"].decode())
PIM = sheet("pim-tallow", folder(FOLDERS["ten-past-four"])["party/pim-tallow.md"].decode())


@pytest.mark.parametrize(
    ("text", "kind", "subject"),
    [
        ("could you fix a clock that size?", "ability", "a clock"),
        ("do you see any tracks on the bank?", "sight", "tracks"),
        ("He's lying, isn't he, Wren?", "verdict", ""),
        ("what do you make of her?", "opinion", ""),
        ("what should we do?", "plan", ""),
        ("shall we go to the mill?", "proposal", "the mill"),
        ("would you dig around the foot of the tower?", "request", "the foot of the tower"),
        ("does your order know anything about the Dimming?", "knowledge", "the Dimming"),
        ("I ask Wren to hold my rope.", "request", "your rope"),
        ("I ask Wren whether she is all right.", "state", ""),
        ("why did the bell stop?", "knowledge", "the bell"),
        ("listen at the door, will you?", "request", "the door"),
        ("is that clock broken?", "quality", "that clock"),
        ("you look tired", "state", ""),
        ("thanks, Wren", "thanks", ""),
    ],
)
def test_what_is_asked_is_read(text: str, kind: str, subject: str) -> None:
    question = read(text, "Wren")
    assert (question.kind, question.subject) == (kind, subject)


def test_what_somebody_can_do_is_judged_by_their_sheet() -> None:
    assert level(PIM, "pick a lock") == "good"
    assert level(PIM, "fix a clock that size") == "good"
    assert level(WREN, "fix a clock that size") == "poor"
    assert level(WREN, "cast a spell") == "poor"


def test_a_companion_takes_up_what_they_are_asked() -> None:
    line = "Wren, could you mend a broken wheel?"
    told = after(open_evening([line], 1), line)
    assert any(words in told for words in ("Mend a broken wheel", "trade", "beyond me"))


def test_a_companion_does_what_they_are_asked_to_and_it_has_its_effect() -> None:
    line = "Ilse, would you search the bank for footprints?"
    told = after(open_evening([line], 1), line)
    assert "Ilse searches the bank for footprints." in told
    assert told.count("Ilse searches") == 1


def test_a_companion_who_is_asked_does_nothing_else_meanwhile() -> None:
    lines = ["I look around.", "Wren, are you hungry?", "Ilse, are you hungry?", "Wren, do you speak Elvish?"]
    table = open_evening(lines, 1)
    for line in lines[1:]:
        told = after(table, line)
        assert "says " in told
        assert "examines" not in told


def test_companions_never_say_the_same_twice() -> None:
    lines = [
        f"{who}, do you know anything about the {what}?"
        for what in ("wheel", "eels", "dam")
        for who in ("Wren", "Ilse")
    ]
    said = [part for text in heard(open_evening(lines, 2)) for part in text.split("\n\n") if part.startswith("“")]
    words = [part.replace("Wren", "").replace("Ilse", "") for part in said]
    assert len(words) == len({*words})


def test_an_opinion_is_about_whoever_was_meant() -> None:
    lines = ["I ring the bell.", "What do you make of him, Ilse?"]
    assert "Tobit" in after(open_evening(lines, 1), lines[1])


def test_a_companion_knows_nothing_of_a_name_that_nobody_has_told() -> None:
    told = {}
    for name in ("Corisande", "Zebedee"):
        line = f"Ilse, who is {name}?"
        told[name] = after(open_evening([line], 2), line).replace(name, "NAME")
    assert told["Corisande"] == told["Zebedee"]


def test_every_kind_of_question_has_an_answer() -> None:
    assert {*lists("questions.txt")} <= {*KINDS}


def test_no_answer_breaks_off() -> None:
    line = "Pim, what do you know about Agnes?"
    files = {at: body for at, body in folder(FOLDERS["ten-past-four"]).items() if not at.startswith("beats/")}
    told = after(open_evening([line], 1, files, campaign="ten-past-four", player_character="sefa-quillon"), line)
    assert "Agnes" in told
    assert "#" not in told
