"""The types of request that the GM makes of a character, as a table: what each asks, and what answers it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

EarlyRequest = Literal["QUICK_REACTION", "FULL_CONTEXT", "COMBAT_ACTION", "SECRET_ACTION"]
"""What could be asked before the current edition (T-053)."""
RequestName = Literal[
    "QUICK_REACTION",
    "FULL_CONTEXT",
    "COMBAT_ACTION",
    "SECRET_ACTION",
    "OPTIONAL_REACTION",
    "REFLECTION",
    "INTERACTION",
]


@dataclass(frozen=True, slots=True)
class RequestType:
    """One type of request (T-056 to T-062, F-031).

    `form` is what it asks of the player. `answers` are the types of PLAYER_TO_GM that answer it, a veto aside.
    `optional` requests may be passed over; what answers a `secret` one stays between the player and the GM.
    """

    form: str
    answers: tuple[str, ...] = ("ACTION", "REACTION")
    optional: bool = False
    secret: bool = False
    vetoable: bool = True


REQUEST_TYPES: Mapping[str, RequestType] = {
    "QUICK_REACTION": RequestType("React in one or two sentences."),
    "FULL_CONTEXT": RequestType(
        "Take the time to decide, and answer in full; this cannot be vetoed.",
        vetoable=False,
    ),
    "COMBAT_ACTION": RequestType(
        "Take one combat turn: state your action, its target, and the abilities you use.",
    ),
    "SECRET_ACTION": RequestType(
        "This stays between you and the GM: say honestly, in character, what you do.",
        secret=True,
    ),
    "OPTIONAL_REACTION": RequestType(
        "React if you like, or pass.",
        optional=True,
    ),
    "REFLECTION": RequestType(
        "Tell what goes on inside your character, not what it does.",
        answers=("REACTION",),
    ),
    "INTERACTION": RequestType(
        "Talk to somebody of the party, or pass.",
        answers=(),
        optional=True,
    ),
}
"""Every type by its name."""


def request_types(edition: str) -> tuple[str, ...]:
    """What the GM may ask of a character in that edition."""
    return get_args(RequestName if edition == "current" else EarlyRequest)
