"""`random`: any legal choice, for benchmarks and tests."""

from __future__ import annotations

import random as random_module
from typing import Any

from agents import random_session
from agents.agent import CallRecord
from domain.turns import Turn
from projections.view import View

WORDS = ("I have nothing to add.", "So be it.", "I am listening.", "We shall see.")


class RandomAgent:
    """Picks evenly among the legal choices; says one of a few plain sentences where any text will do.

    At a tabletop session, whose replies are messages, it sends the least that is legal.
    """

    by = "view"
    immediate = True

    async def act(self, view: View[Any], turn: Turn, random: random_module.Random, record: CallRecord) -> str:
        if view.ruleset.name == "tabletop":
            return random_session.reply(view.state, turn, random)
        return random.choice(turn.choices or WORDS)
