"""Draws: random choices that depend on the game's seed and on what is drawn, never on the order of replies."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence


def generator(seed: int, *purpose: object) -> random.Random:
    """A generator for one purpose, such as `("fallback", "Ada", 3)`; the same purpose always gives the same one."""
    text = "\x1f".join([str(seed), *map(str, purpose)])
    return random.Random(int.from_bytes(hashlib.sha256(text.encode()).digest(), "big"))


def pick(choices: Sequence[str], seed: int, *purpose: object) -> str:
    """One of `choices`, evenly."""
    return generator(seed, *purpose).choice(choices)


def derived_seed(seed: int, *purpose: object) -> int:
    """A seed for game `i` of many, or for one seat's agent: 53 bits, so that JSON readers keep it exact."""
    return generator(seed, "seed", *purpose).getrandbits(53)
