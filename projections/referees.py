"""Seats that know secrets and write free text to others: the only place where free text could leak.

The ruleset itself checks their texts, so the audit and the game agree on what must be kept from whom.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Referee:
    """`seat` must not reveal secrets. `breach(full state before the text, text)` says what it revealed."""

    seat: str
    breach: Callable[[Any, str], str | None]


@dataclass(frozen=True, slots=True)
class Teller:
    """`seat` tells others what they have not seen.

    `closed(full state before the text, text, listener)` returns words from sources that are closed to the listener, or
    None.
    """

    seat: str
    closed: Callable[[Any, str, str], str | None]
