"""`house`: the built-in player, offline and seeded.

A reply is a pure function of (view, turn, random): no clock, no global randomness, no I/O, nothing kept between calls
but caches of pure functions. Each ruleset has a package of its own here.
"""

from __future__ import annotations

import random as random_module
from collections.abc import Callable
from typing import Any

from agents.agent import AgentFailed, CallRecord
from agents.house import delegation, mafia, tabletop
from domain.plugins import HOUSE_GROUP, brought
from domain.turns import Turn
from projections.view import View

Play = Callable[[View[Any], Turn, random_module.Random], str]
"""`(view, turn, random) -> reply` of one ruleset's house player."""

PLAYS: dict[str, Play] = {"mafia": mafia.play, "delegation": delegation.play, "tabletop": tabletop.play}
"""The house player of each ruleset, those that installed packages bring along among them."""
PLAYS |= brought(HOUSE_GROUP, PLAYS)


class HouseAgent:
    """Plays any seat of any ruleset in `PLAYS`, well enough to watch."""

    by = "view"
    immediate = True

    async def act(self, view: View[Any], turn: Turn, random: random_module.Random, record: CallRecord) -> str:
        play = PLAYS.get(view.ruleset.name)
        if play is None:
            raise AgentFailed(f"The house does not play {view.ruleset.name}; give {turn.seat} another agent.")
        return play(view, turn, random)
