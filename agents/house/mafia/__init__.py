"""The house's Mafia player and narrator."""

from __future__ import annotations

from typing import Any

from sottovoce.agents.agent import SeatRandom
from sottovoce.agents.house.mafia import narrator, player
from sottovoce.domain.rulesets.mafia.roles import NARRATOR
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View


def play(view: View[Any], turn: Turn, random: SeatRandom) -> str:
    """The reply to any turn of a Mafia game."""
    return narrator.reply(view, turn, random) if turn.seat == NARRATOR else player.reply(view, turn, random)
