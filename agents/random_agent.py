"""`random`: any legal choice, for benchmarks and tests."""

from __future__ import annotations

from typing import Any

from sottovoce.agents.agent import CallRecord, SeatRandom
from sottovoce.agents.extras import EXTRAS
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View

WORDS = ("I have nothing to add.", "So be it.", "I am listening.", "We shall see.")


class RandomAgent:
    """Picks evenly among the legal choices; says one of a few plain sentences where any text will do.

    A ruleset whose replies must be more than that brings a random player of its own.
    """

    by = "view"
    immediate = True

    async def act(self, view: View[Any], turn: Turn, random: SeatRandom, record: CallRecord) -> str:
        play = EXTRAS.of(view.ruleset.name).random
        return random.pick(turn.choices or WORDS) if play is None else play(view, turn, random)
