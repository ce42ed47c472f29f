"""docs/rules/tabletop.md agrees with the code of the message protocol."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sottovoce.rulesets.tabletop.rules.messages import EDITIONS, MOST_ITEMS
from sottovoce.rulesets.tabletop.rules.rolls import MOST_DICE, MOST_SIDES

PAGE = (Path(__file__).parents[3] / "docs" / "rules" / "tabletop.md").read_text(encoding="utf-8")


@pytest.mark.spec("T-003", "T-004", "T-005")
def test_the_page_names_the_tags_of_each_edition() -> None:
    lines = {line[4:9]: set(re.findall(r"\b[A-Z]+(?:_[A-Z]+)+\b|NARRATIVE", line)) for line in PAGE.splitlines()}
    assert lines["T-003"] == set(EDITIONS["current"].tags)
    assert lines["T-004"] == set(EDITIONS["phase-1"].tags)
    gone = {"AWAIT_PLAYERS", "PLAYER_RESPONSES"}
    assert lines["T-005"] - gone == set(EDITIONS["phase-2"].tags) - set(EDITIONS["phase-1"].tags)


def test_the_limits_on_the_page_are_those_of_the_code() -> None:
    assert f"at most {MOST_ITEMS} items" in PAGE
    assert f"at most {MOST_DICE} dice of at most {MOST_SIDES} sides" in PAGE
