"""The house at a tabletop session: a GM that runs an evening, companions, a narrator, and a stand-in for the human."""

from __future__ import annotations

import random as random_module
from typing import Any

from sottovoce.agents.house.tabletop import character, gm, narrator, stand_in
from sottovoce.agents.house.tabletop.discretion import discreet
from sottovoce.domain.rulesets.tabletop.names import GM, HUMAN, NARRATOR
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View

_SEATS = {GM: gm.reply, NARRATOR: narrator.reply, HUMAN: stand_in.reply}


def play(view: View[Any], turn: Turn, random: random_module.Random) -> str:
    """The reply to any turn of a tabletop session."""
    reply = _SEATS.get(turn.seat, character.reply)(view, turn, random)
    return reply if turn.seat == HUMAN else discreet(reply, view, turn)
