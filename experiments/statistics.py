"""Intervals and tests, each for the way in which its numbers were collected.

Games on one deal resemble each other, so they are one cluster, and what is estimated over clusters has the cluster as
its unit. Everything here is the standard library's own arithmetic; `docs/measures.md` names the sources.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

from sottovoce.projections.tally import Z95

RESAMPLES = 2000
"""Resamples of a bootstrap."""
LEAST_CLUSTERS = 2
"""Clusters without which no spread can be told."""


class Estimate(NamedTuple):
    """A value with its 95 % interval, from `cases` in `clusters`. An interval that cannot be told is None."""

    value: float
    low: float | None
    high: float | None
    cases: int
    clusters: int


Cluster = tuple[float, float]
"""What one deal contributes: the sum over its cases, and how many cases there were."""


def wilson(hits: float, cases: float, z: float = Z95) -> tuple[float, float]:
    """Return Wilson's interval of a share. `cases` may be an effective number, which need not be whole."""
    if cases <= 0:
        return 0.0, 1.0
    share = hits / cases
    centre = share + z * z / (2 * cases)
    spread = z * math.sqrt(max(0.0, share * (1 - share) / cases + z * z / (4 * cases * cases)))
    scale = 1 + z * z / cases
    low = 0.0 if share <= 0 else (centre - spread) / scale
    high = 1.0 if share >= 1 else (centre + spread) / scale
    return max(0.0, low), min(1.0, high)


def clustered_share(clusters: Sequence[Cluster]) -> Estimate | None:
    """Return a share over all cases, with Wilson's interval at the effective number of cases.

    The design effect is the variance between clusters over that of as many independent cases; one below 1 counts as 1,
    so that no interval is narrower than Wilson's own. Where all or no cases are hits it cannot be told, and a cluster
    counts as one case. None where there are no cases.
    """
    used = [(hits, cases) for hits, cases in clusters if cases]
    cases = sum(number for _, number in used)
    if not cases:
        return None
    share = sum(hits for hits, _ in used) / cases
    simple = share * (1 - share) / cases
    effect = cases / len(used)
    if simple > 0 and len(used) >= LEAST_CLUSTERS:
        effect = max(1.0, _ratio_variance(used, share, cases) / simple)
    low, high = wilson(share * cases / effect, cases / effect)
    return Estimate(share, low, high, round(cases), len(used))


def clustered_mean(clusters: Sequence[Cluster]) -> Estimate | None:
    """Return a mean over all cases, with Student's interval from its variance between clusters."""
    used = [(total, cases) for total, cases in clusters if cases]
    cases = sum(number for _, number in used)
    if not cases:
        return None
    mean = sum(total for total, _ in used) / cases
    if len(used) < LEAST_CLUSTERS:
        return Estimate(mean, None, None, round(cases), len(used))
    spread = student(len(used) - 1) * math.sqrt(_ratio_variance(used, mean, cases))
    return Estimate(mean, mean - spread, mean + spread, round(cases), len(used))


def _ratio_variance(clusters: Sequence[Cluster], ratio: float, cases: float) -> float:
    """The variance of a ratio of sums over clusters, by linearization."""
    number = len(clusters)
    squares = sum((total - ratio * count) ** 2 for total, count in clusters)
    return squares / cases**2 * number / (number - 1)


def mean_difference(differences: Sequence[float]) -> Estimate | None:
    """Return the mean of one difference a deal, with a bootstrap over deals (percentiles, bias-corrected and
    accelerated).

    The resamples come from a fixed seed: the same differences give the same interval. Where all differences are the
    same the interval cannot be told.
    """
    number = len(differences)
    if not number:
        return None
    mean = math.fsum(differences) / number
    if number < LEAST_CLUSTERS or min(differences) == max(differences):
        return Estimate(mean, None, None, number, number)
    draw = random.Random(f"bootstrap {number}")
    means = sorted(math.fsum(draw.choices(differences, k=number)) / number for _ in range(RESAMPLES))
    low, high = _accelerated(means, mean, differences)
    return Estimate(mean, low, high, number, number)


def _accelerated(means: Sequence[float], mean: float, differences: Sequence[float]) -> tuple[float, float]:
    """The ends of the interval by Efron's bias correction and acceleration."""
    normal = NormalDist()
    below = sum(one < mean for one in means) + sum(one == mean for one in means) / 2
    bias = normal.inv_cdf(min(1 - 1 / (2 * len(means)), max(1 / (2 * len(means)), below / len(means))))
    cubes = math.fsum((one - mean) ** 3 for one in differences)
    squares = math.fsum((one - mean) ** 2 for one in differences)
    acceleration = cubes / (6 * squares**1.5)

    def end(quantile: float) -> float:
        moved = bias + (bias + quantile) / (1 - acceleration * (bias + quantile))
        place = min(len(means) - 1, max(0, math.floor(normal.cdf(moved) * len(means))))
        return means[place]

    return end(-Z95), end(Z95)


def mcnemar(one: int, other: int) -> float:
    """Return the exact two-sided p-value of McNemar's test: pairs in which only one, or only the other, was a hit."""
    pairs = one + other
    if not pairs:
        return 1.0
    tail = sum(math.comb(pairs, hits) for hits in range(min(one, other) + 1))
    return min(1.0, float(2 * tail / 2**pairs))


def newcombe(both: int, one: int, other: int, neither: int) -> Estimate | None:
    """Return the difference of two paired shares, one minus the other, with Newcombe's score interval (his method 10).

    The numbers are those of pairs in which both, only one, only the other, or neither was a hit.
    """
    pairs = both + one + other + neither
    if not pairs:
        return None
    first, second = (both + one) / pairs, (both + other) / pairs
    (low1, high1), (low2, high2) = wilson(both + one, pairs), wilson(both + other, pairs)
    product = (both + one) * (other + neither) * (both + other) * (one + neither)
    phi = 0.0
    if product:
        cross = float(both * neither - one * other)
        if cross > 0:
            cross = max(cross - pairs / 2, 0.0)
        phi = cross / math.sqrt(product)
    difference = first - second
    down = (first - low1) ** 2 - 2 * phi * (first - low1) * (high2 - second) + (high2 - second) ** 2
    up = (high1 - first) ** 2 - 2 * phi * (high1 - first) * (second - low2) + (second - low2) ** 2
    low, high = difference - math.sqrt(max(0.0, down)), difference + math.sqrt(max(0.0, up))
    return Estimate(difference, max(-1.0, low), min(1.0, high), pairs, pairs)


def student(freedom: int) -> float:
    """Return the quantile of Student's distribution for a two-sided 95 % interval, to four digits.

    One and two degrees are exact; beyond, Hill's expansion is inverted by Newton's method on the distribution.
    """
    if freedom == 1:
        return math.tan(math.pi * 0.475)
    guess = Z95 + (Z95**3 + Z95) / (4 * freedom)
    for _ in range(60):
        step = (_student_below(guess, freedom) - 0.975) / _student_density(guess, freedom)
        guess -= max(-1.0, min(1.0, step))
        if abs(step) < 1e-9:
            break
    return guess


def _student_density(value: float, freedom: int) -> float:
    log = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - math.log(freedom * math.pi) / 2
    return float(math.exp(log - (freedom + 1) / 2 * math.log1p(value * value / freedom)))


def _student_below(value: float, freedom: int) -> float:
    """The distribution function, by its finite series (Abramowitz and Stegun 26.7.3 and 26.7.4)."""
    angle = math.atan(value / math.sqrt(freedom))
    cosine = math.cos(angle) ** 2
    if freedom % 2:
        term = total = math.cos(angle) if freedom > 1 else 0.0
        for place in range(3, freedom - 1, 2):
            term *= cosine * (place - 1) / place
            total += term
        return 0.5 + (angle + math.sin(angle) * total) / math.pi
    term = total = 1.0
    for place in range(2, freedom, 2):
        term *= cosine * (place - 1) / place
        total += term
    return 0.5 + math.sin(angle) * total / 2
