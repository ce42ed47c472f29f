"""A ruleset from outside the package stands in the same isolation tests as those that ship."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from isolation.suite import run
from isolation.system import System
from sizes import sized

from domain.audience import EVERYONE

HERE = Path(__file__).parents[2] / "examples" / "rulesets" / "guessing"
PAIRS = sized(600, 40_000)


@pytest.fixture(scope="module")
def guessing() -> Iterator[Any]:
    sys.path.insert(0, str(HERE))
    yield import_module("guessing")
    sys.path.remove(str(HERE))


def craft() -> Any:
    return import_module("guessing_craft").GuessingCraft()


def test_no_seat_of_guessing_notices_what_it_may_not_see(guessing: Any) -> None:
    tally, finding = run(System(guessing.GUESSING), craft(), seed=1, pairs=PAIRS)
    assert finding is None, str(finding)
    assert tally.total >= PAIRS
    assert {"storm", "spectator", "forged"} <= set(tally.pairs)


def _number_told_to_all(guessing: Any) -> System:
    audiences = {**guessing.GUESSING.audiences, guessing.NumberHidden: lambda state, event: EVERYONE}
    return System(replace(guessing.GUESSING, audiences=audiences))


def _hint_unquoted(guessing: Any) -> System:
    def tell(event: Any, seat: str | None) -> Any:
        told = guessing.tell(event, seat)
        return (
            told if told is None or told.words is None else replace(told, lead=f"{told.lead} {told.words}", words=None)
        )

    return System(replace(guessing.GUESSING, tell=tell))


@pytest.mark.parametrize("leak", [_number_told_to_all, _hint_unquoted])
def test_a_leak_planted_in_guessing_is_found(guessing: Any, leak: Any) -> None:
    _, finding = run(leak(guessing), craft(), seed=2, pairs=PAIRS)
    assert finding is not None
