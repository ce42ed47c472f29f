"""Draws for tests: generators by a small number, apart from every draw of a game."""

from __future__ import annotations

import random

from sottovoce.domain import draws
from sottovoce.domain.draws import Seed


def generator(seed: int, *purpose: object) -> random.Random:
    """A generator for one purpose of a test; the same number and purpose always give the same one."""
    return draws.generator(Seed.of(f"test {seed}"), *purpose)
