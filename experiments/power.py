"""How many games it takes to tell a difference: by the normal approximation, for shares near one half, the hardest."""

from __future__ import annotations

import math
from statistics import NormalDist

POWER = 0.8
"""The chance with which a difference of that size is found."""
_FACTOR = (NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(POWER)) ** 2


def games_for(difference: float) -> int:
    """Return how many games each of two arrangements takes so that a difference of two shares is found 4 times in 5."""
    return math.ceil(_FACTOR * 0.5 / difference**2)


def found_with(games: int) -> float:
    """Return the least difference of two shares that is found 4 times in 5 with so many games in each arrangement."""
    return min(1.0, math.sqrt(_FACTOR * 0.5 / games)) if games else 1.0


def width_with(games: int) -> float:
    """Return about how wide the interval of a share is after so many games."""
    return 2 * NormalDist().inv_cdf(0.975) * math.sqrt(0.25 / games) if games else 1.0
