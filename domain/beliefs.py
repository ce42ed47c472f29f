"""Beliefs: what a seat holds for likely of others, in percent, as it may state it with its answer.

    class Guilt(Belief):
        \"""How likely each player is to be Mafia.\"""

A ruleset that asks for beliefs names the class (`Ruleset.beliefs`) and says whom they are about (`Ruleset.believed`).
Nobody at the table learns of them, and the rules do not either: they are kept with the call, for auditors.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from math import exp, log
from typing import Any

from pydantic import Field, ValidationError

from sottovoce.domain.answers import Fields

MOST_BELIEFS = 200
"""Beliefs of one answer that are looked at."""
SUREST = 0.99
"""The likelihood beyond which there is no doubt: what people and models call certain seldom is."""


class Belief(Fields):
    """One item of a list of beliefs. The docstring of a subclass says what is likely, for every player alike."""

    player: str
    percent: int = Field(ge=0, le=100)

    @property
    def suspicion(self) -> float:
        """The same as a number that is 0 where both are equally likely: the logarithm of the odds."""
        likely = min(SUREST, max(1 - SUREST, self.percent / 100))
        return round(log(likely / (1 - likely)), 1) + 0.0


def percent_of(suspicion: float) -> int:
    """The percent that a suspicion is, as near as a whole number can be."""
    return round(100 / (1 + exp(-max(-20.0, min(20.0, suspicion)))))


def beliefs_of(suspicion: Mapping[str, float]) -> list[dict[str, Any]]:
    """Suspicion as a list of beliefs."""
    return [{"player": player, "percent": percent_of(much)} for player, much in suspicion.items()]


def suspicion_of(beliefs: type[Belief], given: Any, about: Container[str]) -> dict[str, float]:
    """The suspicion that a list of beliefs comes to, by player. Items that cannot be read, or are about others, are
    left out, and of two about one player the first is."""
    found: dict[str, float] = {}
    for item in given[:MOST_BELIEFS] if isinstance(given, list) else ():
        try:
            belief = beliefs.model_validate(_lenient(item))
        except ValidationError:
            continue
        if belief.player in about:
            found[belief.player] = belief.suspicion
    return found


def _lenient(item: Any) -> Any:
    """An item with its number whole, as it was meant."""
    percent = item.get("percent") if isinstance(item, dict) else None
    if isinstance(percent, str):
        percent = percent.strip().removesuffix("%").strip()
        percent = float(percent) if percent.replace(".", "", 1).isdecimal() and len(percent) < 9 else None
    if isinstance(percent, float) and 0 <= percent <= 100:
        return {**item, "percent": round(percent)}
    return item
