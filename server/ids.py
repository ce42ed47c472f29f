"""Ids: of appends and calls, unique among all processes and cheap, since every decision needs some; and of games."""

from __future__ import annotations

import os
import random
import re

GAME_ID = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
LONGEST_ID = 64
"""Characters of a game's id; those made here have ten."""
_APPEND_ID = re.compile(r"[0-9a-f]{16}")

_generator = random.Random(os.urandom(32))


def _start_anew() -> None:
    _generator.seed(os.urandom(32))


os.register_at_fork(after_in_child=_start_anew)


def fresh_id() -> str:
    """Sixteen hexadecimal digits that nobody has used."""
    return f"{_generator.getrandbits(64):016x}"


def is_game_id(text: str) -> bool:
    """Whether a game may have this id: small letters, digits and single hyphens, which can stand in any command."""
    return len(text) <= LONGEST_ID and GAME_ID.fullmatch(text) is not None and text != "latest"


def is_append_id(text: str) -> bool:
    """Whether this is the form of what `fresh_id` gives."""
    return _APPEND_ID.fullmatch(text) is not None
