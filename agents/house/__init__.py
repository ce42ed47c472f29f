"""`house`: the built-in player, offline and seeded.

A reply is a pure function of (view, turn, random): no clock, no global randomness, no I/O, nothing kept between calls
but caches of pure functions. Each ruleset that ships has a package of its own here.
"""

from __future__ import annotations

from typing import Any

from sottovoce.agents.agent import AgentFailed, CallRecord, Considered, SeatRandom
from sottovoce.agents.extras import EXTRAS
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View


class HouseAgent:
    """Plays any seat of any ruleset that has a house player."""

    by = "view"
    immediate = True

    async def act(self, view: View[Any], turn: Turn, random: SeatRandom, record: CallRecord) -> str:
        play = EXTRAS.of(view.ruleset.name).house
        if play is None:
            raise AgentFailed(f"The house does not play {view.ruleset.name}; give {turn.seat} another agent.")
        reply = play(view, turn, random)
        if isinstance(reply, Considered):
            record.mind = reply.mind
        return str(reply)
