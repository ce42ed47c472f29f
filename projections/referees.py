"""Who in a ruleset knows everything and speaks to everybody: the one place where free text could leak.

The check of what they say is the ruleset's own, so that the audit and the game agree on what is to be kept from whom.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Referee:
    """`seat` must not give hidden matters away; `breach(full state before the text, text)` says what it gave away."""

    seat: str
    breach: Callable[[Any, str], str | None]


@dataclass(frozen=True, slots=True)
class Teller:
    """`seat` is there to tell others what they have not seen.

    `closed(full state before the text, text, listener)` gives the words of it that come from sources closed to the
    listener, or None.
    """

    seat: str
    closed: Callable[[Any, str, str], str | None]
