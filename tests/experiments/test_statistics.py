"""Intervals and tests against published examples, and how often intervals cover the truth, by simulation."""

from __future__ import annotations

import random

import pytest
from sizes import sized

from sottovoce.experiments.statistics import (
    clustered_mean,
    clustered_share,
    mcnemar,
    mean_difference,
    newcombe,
    student,
    wilson,
)

RUNS = sized(400, 4000)
LEAST = 0.92
"""Of nominal 95 % intervals; the rest is the noise of so few simulated experiments, which it would take to fail."""


def covered(hits: int) -> None:
    assert hits / RUNS >= LEAST, f"{hits} of {RUNS} intervals held the truth"


@pytest.mark.parametrize(
    ("hits", "cases", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilsons_interval_is_the_published_one(hits: int, cases: int, low: float, high: float) -> None:
    """Newcombe (1998), Statistics in Medicine 17, 857-872, table I, method 3."""
    assert wilson(hits, cases) == pytest.approx((low, high), abs=5e-5)


def test_newcombes_paired_interval_is_the_published_one() -> None:
    """Newcombe (1998), Statistics in Medicine 17, 2635-2650, method 10."""
    found = newcombe(36, 12, 2, 0)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((0.0569, 0.3404), abs=5e-5)
    turned = newcombe(36, 2, 12, 0)
    assert turned is not None
    assert (turned.low, turned.high) == pytest.approx((-0.3404, -0.0569), abs=5e-5)


def test_newcombes_interval_does_not_degenerate() -> None:
    """A standard error of zero would give an interval without a width."""
    found = newcombe(0, 10, 0, 0)
    assert found is not None
    assert found.value == 1.0
    assert found.low is not None
    assert found.low < 0.75


@pytest.mark.parametrize(
    ("one", "other", "p"), [(12, 2, 0.012939), (0, 0, 1.0), (5, 5, 1.0), (10, 0, 0.001953), (6, 1, 0.125)]
)
def test_mcnemars_exact_test(one: int, other: int, p: float) -> None:
    """Twice the tail of a binomial with one half, such as 2 * (1 + 7) / 128 = 0.125 for 6 and 1."""
    assert mcnemar(one, other) == pytest.approx(p, abs=1e-6)
    assert mcnemar(other, one) == mcnemar(one, other)


@pytest.mark.parametrize(
    ("freedom", "quantile"), [(1, 12.7062), (2, 4.3027), (5, 2.5706), (10, 2.2281), (29, 2.0452), (1000, 1.9623)]
)
def test_students_quantile_is_the_tables(freedom: int, quantile: float) -> None:
    assert student(freedom) == pytest.approx(quantile, abs=5e-5)


@pytest.mark.parametrize("together", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("share", [0.15, 0.5])
def test_a_share_over_deals_covers_the_truth(together: float, share: float) -> None:
    """Four games on each of 40 deals; with `together` they have one outcome in common that often."""
    draw, hits = random.Random(f"share {together} {share}"), 0
    for _ in range(RUNS):
        clusters = []
        for _ in range(40):
            common = draw.random() < share
            outcomes = [common if draw.random() < together else draw.random() < share for _ in range(4)]
            clusters.append((float(sum(outcomes)), 4.0))
        found = clustered_share(clusters)
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= share <= found.high
    covered(hits)


def test_a_share_over_deals_would_not_cover_it_if_deals_were_ignored() -> None:
    """So that the test above can fail."""
    draw, hits = random.Random("ignored"), 0
    for _ in range(RUNS):
        total = 4 * sum(draw.random() < 0.5 for _ in range(40))
        low, high = wilson(total, 160)
        hits += low <= 0.5 <= high
    assert hits / RUNS < 0.8


def test_a_mean_over_deals_covers_the_truth() -> None:
    """Deals of different sizes, whose cases share a level."""
    draw, hits = random.Random("mean"), 0
    for _ in range(RUNS):
        clusters = []
        for _ in range(25):
            level, size = draw.gauss(3, 1), draw.randint(1, 9)
            clusters.append((sum(draw.gauss(level, 0.5) for _ in range(size)), float(size)))
        found = clustered_mean(clusters)
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= 3 <= found.high
    covered(hits)


@pytest.mark.parametrize(("one", "other", "together"), [(0.5, 0.5, 0.5), (0.8, 0.1, 0.1), (0.3, 0.2, 0.8)])
def test_a_paired_difference_covers_the_truth(one: float, other: float, together: float) -> None:
    draw, hits = random.Random(f"paired {one} {other}"), 0
    for _ in range(RUNS):
        counts = [0, 0, 0, 0]
        for _ in range(60):
            common = draw.random()
            first = (common if draw.random() < together else draw.random()) < one
            second = (common if draw.random() < together else draw.random()) < other
            counts[(0 if second else 1) if first else (2 if second else 3)] += 1
        found = newcombe(*counts)
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= one - other <= found.high
    covered(hits)


def test_a_bootstrap_over_deals_covers_the_truth() -> None:
    draw, hits, runs = random.Random("bootstrap"), 0, sized(120, 600)
    for _ in range(runs):
        found = mean_difference([draw.choice((-1.0, -0.5, 0.0, 0.5, 0.5, 1.0)) for _ in range(60)])
        assert found is not None
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= 1 / 12 <= found.high
    assert hits / runs >= 0.9


def test_the_same_differences_have_the_same_interval() -> None:
    given = [0.5, -0.5, 1.0, 0.0, 0.5]
    assert mean_difference(given) == mean_difference(given)


def test_an_interval_that_cannot_be_told_is_not_made_up() -> None:
    assert clustered_share([]) is None
    assert clustered_mean([(0, 0)]) is None
    alone = clustered_mean([(3.0, 2)])
    assert alone is not None
    assert (alone.value, alone.low, alone.high) == (1.5, None, None)
    same = mean_difference([0.5, 0.5, 0.5])
    assert same is not None
    assert (same.low, same.high) == (None, None)


def test_where_all_cases_are_hits_a_deal_counts_as_one_case() -> None:
    found = clustered_share([(10, 10)] * 5)
    assert found is not None
    assert (found.low, found.high) == wilson(5, 5)
