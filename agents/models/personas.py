"""A manner of speech for each seat that a model fills, so that they do not all sound alike."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files

from sottovoce.domain.draws import stream


def persona(roster: Sequence[str], seat: str) -> str:
    """The seat's character card: always the same for one roster and seat, and no two seats' alike while cards last."""
    dealt = list(cards())
    stream(b"", "personas", *roster).shuffle(dealt)
    return dealt[roster.index(seat) % len(dealt)]


@lru_cache(maxsize=1)
def cards() -> tuple[str, ...]:
    """Every card."""
    loaded = tomllib.loads(files(__package__).joinpath("personas.toml").read_text(encoding="utf-8"))
    return tuple(loaded["cards"])
