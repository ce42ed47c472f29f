"""In a fight each line is what it is: only a blow is a blow."""

from __future__ import annotations

import pytest
from evenings import sent
from worlds import after, open_evening

from sottovoce.rulesets.tabletop.house.grammar import parse
from sottovoce.rulesets.tabletop.house.struggle import meaning, weapon_in
from sottovoce.rulesets.tabletop.house.targets import Scene
from sottovoce.rulesets.tabletop.rules.events import DiceRolled
from sottovoce.rulesets.tabletop.rules.lore.sheets import read

BELL = ["I ring the bell.", "I punch Tobit."]
PARTY = ("Ilse", "Wren")


@pytest.mark.parametrize(
    ("text", "means"),
    [
        ("I hit him with my sword.", "blow"),
        ("Strike at Tobit with the short sword", "blow"),
        ("I throw a stool at him.", "blow"),
        ("I stop and hold my hands up.", "yield"),
        ("We give up!", "yield"),
        ("I drop my sword.", "yield"),
        ("I run away.", "flee"),
        ("Stop! We only want to talk!", "talk"),
        ("Why does nobody want to speak about that night?", "talk"),
        ("I offer him five gold to let us go.", "talk"),
        ("How deep is the water here?", "aside"),
        ("Wren, are you hurt?", "aside"),
        ("I stand in front of Wren.", "shield"),
        ("I help Ilse up.", "tend"),
        ("I hide behind the post.", "hide"),
        ("I look around for a way out.", "look"),
        ("I drink from my waterskin.", "deed"),
    ],
)
def test_a_line_is_read_as_what_it_is(text: str, means: str) -> None:
    scene = Scene((), {"Ilse": "ilse-karrow", "Wren": "wren-ashdown"}, speaker="dorrin-vale")
    assert meaning(text, parse(text, scene), PARTY) == means


def test_a_blow_names_its_weapon() -> None:
    sheet = read("a", "# A\n\n## Attacks\n\n- **Short sword**: +4 to hit, 1d6+2\n- **Long bow**: +5 to hit, 1d8+3\n")
    assert weapon_in(sheet, "I cut at him with my sword")[0] == "Short sword"
    assert weapon_in(sheet, "I shoot him")[0] == "Long bow"
    assert weapon_in(sheet, "I kick him")[0] == "bare hands"


def _attacks(lines: list[str], who: str = "dorrin-vale") -> int:
    table = open_evening([*BELL, *lines], 2)
    rolls = [r.event for r in table.recorded if isinstance(r.event, DiceRolled)]
    return sum(roll.check.startswith("attack") and roll.character == who for roll in rolls)


def test_surrender_ends_the_fight_without_a_blow() -> None:
    line = "I stop and hold my hands up."
    table = open_evening([*BELL, line], 2)
    assert "Tobit" in after(table, line)
    assert _attacks([line]) == 0
    assert any("gave up the fight" in event.event.text for event in table.recorded if hasattr(event.event, "text"))


def test_words_are_decided_by_dice_and_are_no_blow() -> None:
    line = "Why does nobody want to speak about that night?"
    table = open_evening([*BELL, line], 2)
    rolls = [r.event for r in table.recorded if isinstance(r.event, DiceRolled)]
    assert any(roll.check.startswith("persuasion: a word") for roll in rolls)
    assert _attacks([line]) == 0
    assert line in after(table, line)


def test_another_deed_is_told_and_is_no_blow() -> None:
    line = "I drink from my waterskin."
    table = open_evening([*BELL, line], 2)
    assert "Dorrin drinks from" in after(table, line)
    assert _attacks([line]) == 0


def test_a_question_about_the_place_gets_a_short_answer() -> None:
    line = "How deep is the water here?"
    told = after(open_evening([*BELL, line], 2), line)
    assert "the water" in told.casefold()
    assert "share in it" not in told


def test_nobody_puts_the_persons_words_otherwise() -> None:
    table = open_evening([*BELL, "Nonsense and feathers", "How old are you?"], 3)
    told = "\n".join(event.body for event in sent(table, "NARRATIVE"))
    assert "puts it" not in told
