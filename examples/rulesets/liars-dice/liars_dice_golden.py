"""The golden games of liar's dice, and what tests find by its entry point."""

from __future__ import annotations

from liars_dice_craft import DiceCraft

from sottovoce import HouseAgent, Turn
from sottovoce.golden import Golden, Playing, by_agent
from sottovoce.testing import TestingExtras

SAID = ("a lot of fives", "1 9", "count: 1, face: 1\nTrust me.", None)
"""What the first player says in turn: two answers that are refused, one by name, and nothing."""


def careless(game: Playing, turn: Turn) -> str | None:
    """The first player bids in many ways; the others doubt every bid."""
    if turn.seat == game.state.seats[0]:
        return SAID[(turn.number + len(turn.failures) - 1) % len(SAID)]
    return "I doubt it." if game.state.bids else "1 two"


GOLDEN = (
    Golden(
        "liars-dice",
        "last-dice",
        "The house plays to the last dice.",
        by_agent(HouseAgent()),
        ("Ada", "Bram", "Cleo"),
        seed=4,
        options={"dice": 3},
    ),
    Golden(
        "liars-dice",
        "careless",
        "One player's answers are often refused or missing.",
        careless,
        ("Ada", "Bram"),
        seed=5,
        options={"dice": 2, "max_attempts": 2},
    ),
)
TESTING = TestingExtras(craft=DiceCraft, golden=lambda: GOLDEN)
