"""The house at a tabletop session: a GM that runs an evening, companions, a narrator, and a stand-in for the human."""

from __future__ import annotations

import random as random_module
from typing import Any

from sottovoce import Turn, View
from sottovoce.rulesets.tabletop.house import character, gm, narrator, stand_in
from sottovoce.rulesets.tabletop.house.discretion import discreet
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, NARRATOR

_SEATS = {GM: gm.reply, NARRATOR: narrator.reply, HUMAN: stand_in.reply}


def play(view: View[Any], turn: Turn, random: random_module.Random) -> str:
    """The reply to any turn of a tabletop session."""
    reply = _SEATS.get(turn.seat, character.reply)(view, turn, random)
    return reply if turn.seat == HUMAN else discreet(reply, view, turn, getattr(reply, "opened", ()))
