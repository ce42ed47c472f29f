"""What is to be played: one game before it is opened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sottovoce.domain.draws import Seed
from sottovoce.server.limits import NO_LIMITS, Limits


@dataclass(frozen=True, slots=True)
class Plan:
    """One game to be played. `game` is the id that it is to have, so that it is not opened twice; None for any."""

    ruleset: str
    seats: tuple[str, ...]
    agents: Mapping[str, str]
    seed: Seed
    options: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    game: str | None = None
    limits: Limits = NO_LIMITS
