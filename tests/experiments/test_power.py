"""How many games `experiment check` asks for, against how often the test of the report finds the difference."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from sizes import sized

from sottovoce.experiments.power import POWER, found_with, games_for, width_with
from sottovoce.experiments.statistics import mcnemar

RUNS = sized(1000, 10_000)


def found(games: int, difference: float) -> float:
    """How often McNemar's exact test finds a difference of two shares around one half, in simulated experiments."""
    draw, hits = random.Random(f"{games} {difference}"), 0
    high, low = 0.5 + difference / 2, 0.5 - difference / 2
    for _ in range(RUNS):
        pairs = Counter((draw.random() < high, draw.random() < low) for _ in range(games))
        hits += mcnemar(pairs[True, False], pairs[False, True]) < 0.05
    return hits / RUNS


@pytest.mark.parametrize("difference", [0.1, 0.2])
def test_so_many_games_find_the_difference_four_times_in_five(difference: float) -> None:
    share = found(games_for(difference), difference)
    assert POWER - 0.035 < share < POWER + 0.045


def test_half_as_many_do_not() -> None:
    """So that the test above can fail."""
    assert found(games_for(0.2) // 2, 0.2) < 0.65


@pytest.mark.parametrize("games", [10, 50, 413, 5000])
def test_the_least_difference_is_the_one_for_which_so_many_games_are_asked(games: int) -> None:
    least = found_with(games)
    assert least is not None
    assert games_for(least + 1e-6) <= games < games_for(least - 1e-3)


def test_a_handful_of_games_finds_nothing() -> None:
    """With five pairs McNemar's exact p is at least 0.0625."""
    assert found_with(5) is None
    assert width_with(3) < 1
    assert width_with(0) == 1
