"""No command and no screen shows a seat what it must not see."""

from __future__ import annotations

from contextlib import closing
from itertools import islice
from pathlib import Path

import pytest
from leaks.planted import MOST_SCREENS, looked_for_on_screens
from leaks.screens import screen_leaks
from postgres import Databases
from sizes import sized

from sottovoce.domain.rulesets import RULESETS
from sottovoce.isolation.surfaces import CRASHED, SURFACES, compared

PAIRS = sized(MOST_SCREENS, 5_000)
SHARE = PAIRS // len(RULESETS)
PARTS = sized(1, 10)
FEWEST = 150
"""Pairs in one part: with fewer, not every command would run."""
ON_A_SERVER = sized(40, 1_000)


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("ruleset", sorted(RULESETS))
def test_no_command_shows_a_difference(ruleset: str, part: int, tmp_path: Path) -> None:
    names = set()
    for name, case, finding in islice(compared(ruleset, part, tmp_path), max(FEWEST, -(-SHARE // PARTS))):
        names.add(name)
        assert finding is None, f"{finding}\n  repeat: compared({ruleset!r}, {part}, folder), game {case.game}"
    assert names == {surface.name for surface in SURFACES}


@pytest.mark.parametrize("ruleset", sorted(RULESETS))
def test_no_command_shows_a_difference_on_postgresql(ruleset: str, tmp_path: Path, databases: Databases) -> None:
    with closing(compared(ruleset, 77, tmp_path, databases)) as pairs:
        for _, case, finding in islice(pairs, ON_A_SERVER):
            assert finding is None, f"{finding}\n  game {case.game}"


@pytest.mark.parametrize("name", sorted(screen_leaks()))
def test_a_planted_leak_on_a_screen_is_found(name: str, tmp_path: Path) -> None:
    found = looked_for_on_screens(name, tmp_path)
    assert found.finding is not None, f"{name} survived {found.pairs} pairs"
    assert CRASHED not in str(found.finding), f"{name} crashes instead of leaking: {found.finding}"
    print(f"{name}: found after {found.pairs} pairs; {found.finding}")
