"""Resources of a sheet: what it states, and how they change (T-144)."""

from __future__ import annotations

import time

import pytest

from sottovoce.domain.errors import Refused
from sottovoce.rulesets.tabletop.rules.resources import Change, Resource, Resources, changed, resource_name, stated_in

ROSTER = ("corwin", "tilda")
START: Resources = {
    ("tilda", "hit-points"): Resource(24, 30),
    ("tilda", "spell-slots-1"): Resource(1, 2),
    ("tilda", "gold"): Resource(5),
    ("tilda", "conditions"): Resource(words=("prone",)),
}


def after(resource: str, change: Change, value: int | str | None, character: str = "tilda") -> Resource:
    return changed(START, ROSTER, character, resource, change, value)[2]


@pytest.mark.spec("T-144")
@pytest.mark.parametrize(
    ("resource", "change", "value", "expected"),
    [
        ("HP", "remove", 10, Resource(14, 30)),
        ("HP", "remove", 40, Resource(0, 30)),
        ("HP", "add", 40, Resource(30, 30)),
        ("hit points", "set", "7/32", Resource(7, 32)),
        ("1st level spell slots", "remove", 1, Resource(0, 2)),
        ("gold", "add", "20", Resource(25)),
        ("condition", "add", "Poisoned", Resource(words=("prone", "poisoned"))),
        ("conditions", "remove", "prone", Resource()),
        ("conditions", "remove", None, Resource()),
        ("concentration", "set", "Detect Magic", Resource(words=("detect magic",))),
        ("initiative", "set", -1, Resource(-1)),
        ("initiative", "remove", None, Resource()),
        ("death save failures", "set", 2, Resource(2)),
        ("temp HP", "set", 5, Resource(5)),
    ],
)
def test_a_change_gives_the_new_value(
    resource: str, change: Change, value: int | str | None, expected: Resource
) -> None:
    assert after(resource, change, value) == expected


@pytest.mark.spec("T-144")
@pytest.mark.parametrize(
    ("resource", "change", "value", "why"),
    [
        ("spell slots 1", "remove", 2, "below 0"),
        ("spell slots 1", "add", 2, "above 2"),
        ("gold", "remove", 6, "below 0"),
        ("HP", "set", 31, "above 30"),
        ("death save successes", "set", 4, "above 3"),
        ("spell slots 2", "remove", 1, "set them"),
        ("mana", "set", 1, "no resource 'mana'"),
        ("HP", "add", "many", "whole number"),
        ("HP", "add", -3, "from 0 up"),
        ("HP", "set", None, "whole number"),
        ("conditions", "remove", "blind", "no 'blind'"),
        ("conditions", "add", "Prone", "already"),
        ("conditions", "add", " ", "empty"),
        ("gold", "set", "1e9", "whole number"),
    ],
)
def test_what_cannot_be_is_refused_with_the_reason(
    resource: str, change: Change, value: int | str | None, why: str
) -> None:
    with pytest.raises(Refused, match=why):
        after(resource, change, value)


@pytest.mark.spec("T-144", "T-011")
def test_an_unknown_character_is_refused() -> None:
    with pytest.raises(Refused, match=r"'Tilda'.*'tilda'"):
        after("HP", "set", 1, "Tilda")


@pytest.mark.spec("T-144")
@pytest.mark.parametrize(
    ("sheet", "name", "expected"),
    [
        ("HP: 24/30\n", "hit-points", Resource(24, 30)),
        ("**Hit Points:** 24\n", "hit-points", Resource(24, 24)),
        ("**Hit Points**: 24 / 30", "hit-points", Resource(24, 30)),
        ("- HP: 9\n", "hit-points", Resource(9, 9)),
        ("| **Hit Points** | 10/10 |\n", "hit-points", Resource(10, 10)),
        ("Gold: 15\n", "gold", Resource(15)),
        ("Temp HP: 3\n", "temporary-hit-points", Resource(3)),
        ("2nd level slots: 1/3\n", "spell-slots-2", Resource(1, 3)),
        ("| 1st | 2nd | 3rd |\n|:-:|:-:|:-:|\n| 2 | 1/2 | - |\n", "spell-slots-2", Resource(1, 2)),
    ],
)
def test_a_sheet_states_its_values_in_common_forms(sheet: str, name: str, expected: Resource) -> None:
    assert stated_in(f"# Tilda\n\n{sheet}")[name] == expected


@pytest.mark.spec("T-144")
@pytest.mark.parametrize(
    "sheet", ["Hit Dice: 1d8", "HP is high", "HP: lots", "HP: 40/30", "| 1st | 2nd |\n|-|-|\n| - | - |\n"]
)
def test_what_a_sheet_does_not_state_is_unknown(sheet: str) -> None:
    assert stated_in(sheet) == {}


def test_every_resource_has_a_name_that_finds_it() -> None:
    assert resource_name("Spell-Slots-9") == "spell-slots-9"
    assert resource_name("level 3 slots") == "spell-slots-3"


def test_reading_a_huge_sheet_takes_little_time() -> None:
    began = time.process_time()
    for unit in ("\n", " ", "|", "HP ", "1st level ", "| 1st "):
        stated_in(unit * (1_000_000 // len(unit)))
    assert time.process_time() - began < 30
