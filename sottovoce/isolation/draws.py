"""Random generators for tests, by a small number, independent of every draw of a game."""

from __future__ import annotations

import random

from sottovoce.domain import draws
from sottovoce.domain.draws import Seed


def generator(seed: int, *purpose: object) -> random.Random:
    """Return a generator for one purpose of a test. The same number and purpose always give the same one."""
    return draws.generator(Seed.of(f"test {seed}"), *purpose)
