"""`house`: the built-in player, offline and seeded.

A reply is a pure function of (view, turn, random): no clock, no global randomness, no I/O, nothing kept between calls
but caches of pure functions. Each ruleset has a package of its own here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agents.agent import AgentFailed, CallRecord, SeatRandom
from domain.catalogue import HOUSE_GROUP, Catalogue
from domain.turns import Turn
from projections.view import View

Play = Callable[[View[Any], Turn, SeatRandom], str]
"""`(view, turn, random) -> reply` of one ruleset's house player."""


def _mafia() -> Play:
    from agents.house.mafia import play

    return play


def _tabletop() -> Play:
    from agents.house.tabletop import play

    return play


def _delegation() -> Play:
    from agents.house.delegation import play

    return play


PLAYS: Catalogue[Play] = Catalogue({"mafia": _mafia, "tabletop": _tabletop, "delegation": _delegation}, HOUSE_GROUP)
"""The house player of each ruleset, those that installed packages bring along among them."""


class HouseAgent:
    """Plays any seat of any ruleset in `PLAYS`, well enough to watch."""

    by = "view"
    immediate = True

    async def act(self, view: View[Any], turn: Turn, random: SeatRandom, record: CallRecord) -> str:
        play = PLAYS.get(view.ruleset.name)
        if play is None:
            raise AgentFailed(f"The house does not play {view.ruleset.name}; give {turn.seat} another agent.")
        return play(view, turn, random)
