"""The house player of delegated work."""

from __future__ import annotations

from typing import Any

from sottovoce import AgentExtras, SeatRandom, Turn, View


def _house(view: View[Any], turn: Turn, random: SeatRandom) -> str:
    from sottovoce.rulesets.delegation.house import play

    return play(view, turn, random)


EXTRAS = AgentExtras(house=_house)
