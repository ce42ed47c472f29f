"""In the human's seat, where nobody sits: it takes one of the options, so that a session can be played unattended."""

from __future__ import annotations

import random as random_module

from sottovoce import Refused, Turn, View
from sottovoce.agents.house.phrases import say
from sottovoce.rulesets.tabletop.house.player import VOICE
from sottovoce.rulesets.tabletop.rules.phrases import options
from sottovoce.rulesets.tabletop.rules.state import TabletopState
from sottovoce.rulesets.tabletop.rules.texts import sections


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
