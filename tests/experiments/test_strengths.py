"""The Bradley-Terry fit against a published example, and under what breaks others."""

from __future__ import annotations

import math
import random

import pytest
from sizes import sized

from sottovoce.experiments.matrices import Singular
from sottovoce.experiments.strengths import Contest, fit

TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
WINS = (
    (0, 7, 9, 7, 7, 9, 11),
    (6, 0, 7, 5, 11, 9, 9),
    (4, 6, 0, 7, 7, 8, 12),
    (6, 8, 6, 0, 6, 7, 10),
    (6, 2, 6, 7, 0, 7, 12),
    (4, 4, 5, 6, 6, 0, 6),
    (2, 4, 1, 3, 1, 7, 0),
)
"""Wins of the row against the column, American League 1987 (Agresti, Categorical Data Analysis, 2002, table 10.10)."""

PUBLISHED = {
    "Milwaukee": (1.5814, 0.3433),
    "Detroit": (1.4364, 0.3396),
    "Toronto": (1.2945, 0.3367),
    "New York": (1.2476, 0.3359),
    "Boston": (1.1077, 0.3339),
    "Cleveland": (0.6839, 0.3319),
}
"""Strength and standard error, Baltimore being 0 (Turner and Firth, Journal of Statistical Software 48(9), 2012)."""


def season() -> list[Contest]:
    games = []
    for one in range(len(TEAMS)):
        for other in range(one + 1, len(TEAMS)):
            row = [0.0] * (len(TEAMS) - 1)
            row[one] += 1
            if other < len(row):
                row[other] -= 1
            games += [Contest(tuple(row), True)] * WINS[one][other]
            games += [Contest(tuple(row), False)] * WINS[other][one]
    return games


def test_it_gives_the_published_strengths_and_errors() -> None:
    found = fit(season(), penalized=False)
    told = {team: (one.value, one.error) for team, one in zip(TEAMS, found.coefficients, strict=False)}
    for team, (value, error) in PUBLISHED.items():
        assert told[team] == pytest.approx((value, error), abs=5e-5)


def test_the_difference_of_two_teams_has_its_own_error() -> None:
    found = fit(season(), penalized=False)
    difference = found.difference(0, 1)
    assert difference.value == pytest.approx(1.5814 - 1.4364, abs=2e-4)
    assert difference.error < math.hypot(0.3433, 0.3396)


def test_firths_penalty_pulls_towards_zero_and_stays_finite() -> None:
    plain, penalized = fit(season(), penalized=False), fit(season())
    for one, other in zip(plain.coefficients, penalized.coefficients, strict=True):
        assert 0.9 < other.value / one.value < 1
    always = [Contest((1.0, 1.0), True)] * 30 + [Contest((1.0, -1.0), False)] * 30
    _, strength = fit(always).coefficients
    assert strength.low > 1
    assert strength.high < 10


def test_columns_that_depend_on_each_other_are_refused() -> None:
    with pytest.raises(Singular):
        fit([Contest((1.0, 1.0, 0.0), True), Contest((1.0, 0.0, 1.0), False)] * 20)


def test_intervals_cover_the_truth_also_where_games_of_a_deal_go_together() -> None:
    """Two games a deal, each way round. Every deal favours the first side, or the second, by an amount of its own."""
    draw, strength, hits, runs = random.Random("strengths"), 0.8, 0, sized(150, 1500)
    for _ in range(runs):
        contests = []
        for deal in range(60):
            luck = draw.gauss(0, 0.8)
            for sign in (1.0, -1.0):
                chance = 1 / (1 + math.exp(-(0.3 + luck + sign * strength)))
                contests.append(Contest((1.0, sign), draw.random() < chance, deal))
        _, found = fit(contests).coefficients
        # What a fit without the deals estimates is the strength averaged over them: a little less.
        hits += found.low <= 0.72 <= found.high
    assert hits / runs >= 0.91


def test_contests_that_repeat_widen_the_interval() -> None:
    once = [Contest((1.0, sign), place % 3 > 0, place) for place in range(30) for sign in (1.0, -1.0)]
    four = [contest for contest in once for _ in range(4)]
    apart = fit([Contest(one.row, one.first) for one in four]).coefficients[0].error
    assert fit(four).coefficients[0].error > 1.5 * apart
