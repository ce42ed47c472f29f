"""Counts of how long something took, which a process reports about its log while it runs."""

from __future__ import annotations

from bisect import bisect_left
from typing import Final

BOUNDS: Final = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""Seconds. Each count covers durations above the previous bound, up to its own."""


class Durations:
    """Counts by `BOUNDS` (the last one for durations above all of them) and the total seconds."""

    __slots__ = ("counts", "total")

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS) + 1)
        self.total = 0.0

    def add(self, seconds: float) -> None:
        """Count one duration. Cheap. Call it from one thread at a time."""
        self.counts[bisect_left(BOUNDS, seconds)] += 1
        self.total += seconds
