"""The house player of delegated work."""

from __future__ import annotations

from typing import Any

from agents.agent import SeatRandom
from agents.extras import AgentExtras
from domain.turns import Turn
from projections.view import View


def _house(view: View[Any], turn: Turn, random: SeatRandom) -> str:
    from agents.house.delegation import play

    return play(view, turn, random)


EXTRAS = AgentExtras(house=_house)
