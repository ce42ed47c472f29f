"""docs/rules/tabletop.md states each rule of the message protocol once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from domain.rulesets.tabletop.messages import EDITIONS, MOST_ITEMS
from domain.rulesets.tabletop.rolls import MOST_DICE, MOST_SIDES

HERE = Path(__file__).parent
PAGE = (HERE.parents[2] / "docs" / "rules" / "tabletop.md").read_text(encoding="utf-8")
STATED = re.findall(r"^- \*\*([TF]-\d{3})\*\* \S", PAGE, re.MULTILINE)
OURS = ("test_editions_*.py", "test_messages_*.py", "test_envelopes_*.py", "test_rolls_*.py")


def test_no_rule_is_stated_twice() -> None:
    assert sorted(STATED) == sorted(set(STATED))


def test_every_rule_that_a_test_of_the_protocol_cites_is_stated() -> None:
    cited: set[str] = set()
    for path in (path for pattern in OURS for path in HERE.glob(pattern)):
        for marker in re.findall(r"mark\.spec\(([^)]*)\)", path.read_text(encoding="utf-8")):
            cited |= set(re.findall(r"[TF]-\d{3}", marker))
    assert len(cited) > 60
    assert cited - set(STATED) == set()


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
