"""The house player of Mafia."""

from __future__ import annotations

from typing import Any

from sottovoce import AgentExtras, SeatRandom, Turn, View


def _house(view: View[Any], turn: Turn, random: SeatRandom) -> str:
    from sottovoce.rulesets.mafia.house import play

    return play(view, turn, random)


EXTRAS = AgentExtras(house=_house)
