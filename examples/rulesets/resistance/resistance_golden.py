"""The golden games of The Resistance, and what tests find by its entry point."""

from __future__ import annotations

from resistance_craft import ResistanceCraft

from sottovoce import Turn
from sottovoce import HouseAgent
from sottovoce.golden import Golden, Playing, by_agent
from sottovoce.testing import TestingExtras


def stubborn(game: Playing, turn: Turn) -> str | None:
    """Nobody names a team, and nobody approves of one."""
    return "reject" if turn.kind == "vote" else None


FIVE = ("Ada", "Bram", "Cleo", "Dirk", "Els")
GOLDEN = (
    Golden(
        "resistance",
        "missions",
        "The house plays its missions.",
        by_agent(HouseAgent()),
        (*FIVE, "Finn", "Gus"),
        seed=4,
    ),
    Golden("resistance", "five-rejected", "Five teams are rejected in a row.", stubborn, FIVE, seed=5),
)
TESTING = TestingExtras(craft=ResistanceCraft, golden=lambda: GOLDEN)
