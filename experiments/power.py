"""How many games it takes to tell a difference: by the normal approximation with a correction for whole numbers, for
shares near one half, the hardest.

`tests/experiments/test_power.py` simulates how often McNemar's exact test finds a difference with so many games.
"""

from __future__ import annotations

import math
from statistics import NormalDist

from sottovoce.experiments.statistics import wilson

POWER = 0.8
"""The chance with which a difference of that size is found."""
_FACTOR = (NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(POWER)) ** 2


def games_for(difference: float) -> int:
    """Return how many games each of two arrangements takes so that a difference of two shares is found 4 times in 5.

    The correction is that of Fleiss, Tytun and Ury (Biometrics 36, 1980): an exact test is more careful than the normal
    approximation.
    """
    return math.ceil(_corrected(difference))


def _corrected(difference: float) -> float:
    games = _FACTOR * 0.5 / difference**2
    return games / 4 * (1 + math.sqrt(1 + 4 / (games * difference))) ** 2


def found_with(games: int) -> float | None:
    """Return the least difference of two shares that is found 4 times in 5 with so many games in each arrangement; None
    where even the largest is not.
    """
    if games < _corrected(1.0):
        return None
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if _corrected(middle) <= games else (middle, high)
    return high


def width_with(games: int) -> float:
    """Return about how wide the interval of a share is after so many games, at its widest."""
    low, high = wilson(games / 2, games)
    return high - low
