"""Strengths from contests: the Bradley-Terry model, with what each side starts with, fitted as a logistic regression.

Each contest has two outcomes. The logarithm of the odds of the first is a sum of the row's numbers, each times a
coefficient: a strength, or what a side has ahead. Fitted by maximum likelihood, or with Firth's penalty, under which
estimates stay finite where one outcome never happened.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from sottovoce.experiments.matrices import Matrix, dot, inverse, times
from sottovoce.projections.tally import Z95

STEPS = 200
"""Steps of the fit; each that does not raise the likelihood is halved."""
CLOSE = 1e-9


@dataclass(frozen=True, slots=True)
class Contest:
    """One contest: the row of the model, whether the first outcome happened, and the cluster that it belongs to."""

    row: tuple[float, ...]
    first: bool
    cluster: Hashable = None


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient with its 95 % interval; `error` is its standard error. In logarithms of odds."""

    value: float
    error: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Fit:
    """The coefficients in the order of the columns, and their covariance."""

    coefficients: tuple[Coefficient, ...]
    covariance: Matrix

    def difference(self, one: int, other: int) -> Coefficient:
        """Return one coefficient minus another, with its own interval."""
        cov = self.covariance
        error = math.sqrt(max(0.0, cov[one][one] + cov[other][other] - 2 * cov[one][other]))
        return _coefficient(self.coefficients[one].value - self.coefficients[other].value, error)


def fit(contests: Sequence[Contest], *, penalized: bool = True) -> Fit:
    """Fit the model. Raises Singular where the columns depend on each other.

    Standard errors are the model's own, widened where contests within one cluster resemble each other.
    """
    width = len(contests[0].row)
    grouped: dict[tuple[tuple[float, ...], bool], int] = defaultdict(int)
    for contest in contests:
        grouped[contest.row, contest.first] += 1
    cases = [(row, first, count) for (row, first), count in grouped.items()]
    beta = [0.0] * width
    for _ in range(STEPS):
        covariance = inverse(_information(cases, beta))
        gradient = _gradient(cases, beta, covariance if penalized else None)
        step = times(covariance, gradient)
        biggest = max(map(abs, step))
        if biggest > 5:
            step = [one * 5 / biggest for one in step]
        beta = _uphill(cases, beta, step, penalized)
        if biggest < CLOSE:
            break
    covariance = inverse(_information(cases, beta))
    widened = _widened(contests, beta, covariance)
    errors = [math.sqrt(max(0.0, widened[place][place])) for place in range(width)]
    return Fit(tuple(map(_coefficient, beta, errors)), widened)


def _coefficient(value: float, error: float) -> Coefficient:
    return Coefficient(value, error, value - Z95 * error, value + Z95 * error)


Cases = Sequence[tuple[tuple[float, ...], bool, int]]


def _chance(row: Sequence[float], beta: Sequence[float]) -> float:
    return 1 / (1 + math.exp(-max(-35.0, min(35.0, dot(row, beta)))))


def _information(cases: Cases, beta: Sequence[float]) -> Matrix:
    width = len(beta)
    found = [[0.0] * width for _ in range(width)]
    for row, _, count in cases:
        chance = _chance(row, beta)
        weight = count * chance * (1 - chance)
        for one, first in enumerate(row):
            if first:
                for other, second in enumerate(row):
                    found[one][other] += weight * first * second
    return found


def _gradient(cases: Cases, beta: Sequence[float], covariance: Matrix | None) -> list[float]:
    found = [0.0] * len(beta)
    for row, first, count in cases:
        chance = _chance(row, beta)
        pull = first - chance
        if covariance is not None:
            leverage = chance * (1 - chance) * dot(row, times(covariance, row))
            pull += leverage * (0.5 - chance)
        for place, one in enumerate(row):
            found[place] += count * pull * one
    return found


def _likelihood(cases: Cases, beta: Sequence[float], penalized: bool) -> float:
    total = 0.0
    for row, first, count in cases:
        chance = _chance(row, beta)
        total += count * math.log(chance if first else 1 - chance)
    if penalized:
        total += _log_determinant(_information(cases, beta)) / 2
    return total


def _log_determinant(matrix: Matrix) -> float:
    work, total = [list(row) for row in matrix], 0.0
    for place, row in enumerate(work):
        if row[place] <= 0:
            return -math.inf
        total += math.log(row[place])
        for below in work[place + 1 :]:
            factor = below[place] / row[place]
            for at in range(place, len(row)):
                below[at] -= factor * row[at]
    return total


def _uphill(cases: Cases, beta: Sequence[float], step: Sequence[float], penalized: bool) -> list[float]:
    before = _likelihood(cases, beta, penalized)
    share = 1.0
    while share > 1e-6:
        moved = [one + share * change for one, change in zip(beta, step, strict=True)]
        if _likelihood(cases, moved, penalized) >= before - 1e-12:
            return moved
        share /= 2
    return list(beta)


def _widened(contests: Sequence[Contest], beta: Sequence[float], covariance: Matrix) -> Matrix:
    """The covariance, each standard error at least that of the estimate robust to clusters."""
    scores: dict[Hashable, list[float]] = defaultdict(lambda: [0.0] * len(beta))
    for place, contest in enumerate(contests):
        cluster = ("alone", place) if contest.cluster is None else contest.cluster
        left = contest.first - _chance(contest.row, beta)
        for at, one in enumerate(contest.row):
            scores[cluster][at] += left * one
    if len(scores) == len(contests) or len(scores) < 2:
        return covariance
    width, share = len(beta), len(scores) / (len(scores) - 1)
    meat = [[share * sum(one[a] * one[b] for one in scores.values()) for b in range(width)] for a in range(width)]
    half = [[dot(covariance[a], [meat[c][b] for c in range(width)]) for b in range(width)] for a in range(width)]
    robust = [[dot(half[a], [covariance[c][b] for c in range(width)]) for b in range(width)] for a in range(width)]
    ratio = [math.sqrt(max(1.0, robust[a][a] / covariance[a][a])) for a in range(width)]
    return [[covariance[a][b] * ratio[a] * ratio[b] for b in range(width)] for a in range(width)]
