"""In the human's seat, where nobody sits: it takes one of the options, so that a session can be played unattended."""

from __future__ import annotations

import random as random_module

from sottovoce.agents.house.phrases import say
from sottovoce.agents.house.tabletop.player import VOICE
from sottovoce.domain.errors import Refused
from sottovoce.domain.rulesets.tabletop.phrases import options
from sottovoce.domain.rulesets.tabletop.state import TabletopState
from sottovoce.domain.rulesets.tabletop.texts import sections
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View


def reply(view: View[TabletopState], turn: Turn, random: random_module.Random) -> str:
    """An answer to what the human is asked."""
    state = view.state
    if turn.kind == "choose" and state.questions:
        return random.choice(state.questions[0].options)["label"]
    if turn.kind == "decide":
        try:
            return random.choice(options(sections(state.relay).get("Suggested Options", "")))
        except Refused:
            pass
    return say(VOICE["act"], {}, random, "")
