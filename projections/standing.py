"""What the public may know of where a game stands: who is awaited, and how many rounds were played.

Each ruleset says it for itself, from the public events alone, so that the answer moves with no hidden act: at night
nobody is named, and while a ballot is sealed only that the players are voting. One that says nothing names nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Parts = Mapping[str, tuple[str, bool]]
"""By seat, the part it had and whether it won."""


def _nobody(state: Any) -> tuple[str, ...]:
    return ()


def _none(state: Any) -> Parts:
    return {}


@dataclass(frozen=True, slots=True)
class Standing:
    """`awaited(public state)` names seats or groups; `rounds(state)` counts what `counted` names, such as `days`.

    `parts(state)` gives, of a finished game, the part that each player had and whether it won.
    """

    counted: str
    rounds: Callable[[Any], int]
    awaited: Callable[[Any], tuple[str, ...]] = _nobody
    parts: Callable[[Any], Parts] = _none
