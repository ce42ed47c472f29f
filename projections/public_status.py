"""The public part of a game's status: whose turn it is, and how many rounds were played.

Each ruleset decides from the public events only, so hidden actions never change the answer: at night no one is named,
and during a sealed ballot it only says that the players are voting. Without such a rule no one is named.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Parts = Mapping[str, tuple[str, bool]]
"""Each seat's part, and whether it won."""


def _nobody(state: Any) -> tuple[str, ...]:
    return ()


def _none(state: Any) -> Parts:
    return {}


@dataclass(frozen=True, slots=True)
class Standing:
    """`awaited(public state)` names the seats or groups whose turn it is. `rounds(state)` counts what `counted` names,
    such as `days`.

    `parts(state)` returns, for a finished game, each player's part and whether it won.
    """

    counted: str
    rounds: Callable[[Any], int]
    awaited: Callable[[Any], tuple[str, ...]] = _nobody
    parts: Callable[[Any], Parts] = _none
