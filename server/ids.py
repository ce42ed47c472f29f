"""Ids for appends and calls: unique among all processes, and cheap, since every decision needs some."""

from __future__ import annotations

import os
import random

_generator = random.Random(os.urandom(32))


def _start_anew() -> None:
    _generator.seed(os.urandom(32))


os.register_at_fork(after_in_child=_start_anew)


def fresh_id() -> str:
    """Sixteen hexadecimal digits that nobody has used."""
    return f"{_generator.getrandbits(64):016x}"
