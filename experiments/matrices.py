"""Small matrices: rank over whole fractions, and the solution of positive definite systems."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

Matrix = list[list[float]]


class Singular(ArithmeticError):
    """The matrix has no inverse: its columns depend on each other."""


def dependence(rows: Sequence[Sequence[Fraction]]) -> list[Fraction] | None:
    """Return weights under which the columns add up to zero in every row, or None where only zeros do.

    Computed in fractions, so that nothing is taken for dependent, or independent, by rounding.
    """
    if not rows:
        return None
    width = len(rows[0])
    reduced: list[tuple[int, list[Fraction]]] = []
    for row in dict.fromkeys(map(tuple, rows)):
        left = list(row)
        for pivot, basis in reduced:
            if left[pivot]:
                factor = left[pivot]
                left = [one - factor * other for one, other in zip(left, basis, strict=True)]
        lead = next((place for place, one in enumerate(left) if one), None)
        if lead is None:
            continue
        left = [one / left[lead] for one in left]
        reduced = [
            (pivot, [one - basis[lead] * new for one, new in zip(basis, left, strict=True)]) for pivot, basis in reduced
        ]
        reduced.append((lead, left))
    pivots = dict(reduced)
    free = next((place for place in range(width) if place not in pivots), None)
    if free is None:
        return None
    weights = [Fraction(0)] * width
    weights[free] = Fraction(1)
    for pivot, basis in pivots.items():
        weights[pivot] = -basis[free]
    return weights


def inverse(matrix: Sequence[Sequence[float]]) -> Matrix:
    """Return the inverse of a symmetric positive definite matrix. Raises Singular."""
    size = len(matrix)
    work = [[*map(float, row), *(float(place == at) for place in range(size))] for at, row in enumerate(matrix)]
    scale = max((abs(work[place][place]) for place in range(size)), default=1.0) or 1.0
    for place in range(size):
        best = max(range(place, size), key=lambda at: abs(work[at][place]))
        if abs(work[best][place]) <= 1e-11 * scale:
            raise Singular
        work[place], work[best] = work[best], work[place]
        lead = work[place][place]
        work[place] = [one / lead for one in work[place]]
        for at in range(size):
            if at != place and (factor := work[at][place]):
                work[at] = [one - factor * other for one, other in zip(work[at], work[place], strict=True)]
    return [row[size:] for row in work]


def dot(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the sum of the products."""
    return math.fsum(first * second for first, second in zip(one, other, strict=True))


def times(matrix: Sequence[Sequence[float]], vector: Sequence[float]) -> list[float]:
    """Return the matrix applied to the vector."""
    return [dot(row, vector) for row in matrix]
