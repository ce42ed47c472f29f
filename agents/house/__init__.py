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
    """Plays any seat of any ruleset that has a house player; with a name, as its player of that name does."""

    by = "view"
    immediate = True
    name = ""

    def __init__(self, name: str = "") -> None:
        self.name = name

    async def act(self, view: View[Any], turn: Turn, random: SeatRandom, record: CallRecord) -> str:
        extras = EXTRAS.of(view.ruleset.name)
        play = extras.others.get(self.name) if self.name else extras.house
        if play is None:
            house = f"house:{self.name}" if self.name else "house"
            raise AgentFailed(f"There is no {house} for {view.ruleset.name}. Give {turn.seat} another agent.")
        reply = play(view, turn, random)
        made = str(turn.reply(view.state, reply))
        if not isinstance(reply, Considered):
            return made
        record.mind = reply.mind
        return Considered(made, notes=reply.notes) if reply.notes else made
