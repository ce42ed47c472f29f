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

    A ruleset whose replies need more brings its own random player.
    """

    by = "view"
    immediate = True

    async def act(self, view: View[Any], turn: Turn, random: SeatRandom, record: CallRecord) -> str:
        play = EXTRAS.of(view.ruleset.name).random
        if play is not None:
            return turn.reply(view.state, play(view, turn, random))
        answers: Any = turn.choices or turn.legal(view.state) or WORDS
        return turn.reply(view.state, random.pick(answers))
