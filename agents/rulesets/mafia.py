"""The house player of Mafia."""

from __future__ import annotations

from typing import Any

from sottovoce.agents.agent import SeatRandom
from sottovoce.agents.extras import AgentExtras
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View


def _house(view: View[Any], turn: Turn, random: SeatRandom) -> str:
    from sottovoce.agents.house.mafia import play

    return play(view, turn, random)


EXTRAS = AgentExtras(house=_house)
