"""The house's Mafia player and narrator."""

from __future__ import annotations

from typing import Any

from sottovoce import SeatRandom, Turn, View
from sottovoce.rulesets.mafia.house import narrator, player
from sottovoce.rulesets.mafia.rules.roles import NARRATOR


def play(view: View[Any], turn: Turn, random: SeatRandom) -> str:
    """The reply to any turn of a Mafia game."""
    return narrator.reply(view, turn, random) if turn.seat == NARRATOR else player.reply(view, turn, random)
