"""The golden games of guessing, recorded once, and what tests find by its entry point."""

from __future__ import annotations

from guessing_craft import GuessingCraft

from sottovoce import Turn
from sottovoce import HouseAgent
from sottovoce.golden import Golden, Playing, by_agent
from sottovoce.testing import TestingExtras


def hopeless(game: Playing, turn: Turn) -> str | None:
    """The keeper says nothing, and everybody guesses what was answered before."""
    return None if turn.kind == "hint" else "1"


GOLDEN = (
    Golden("guessing", "found", "The house finds the number.", by_agent(HouseAgent()), ("Ada", "Bram"), seed=4),
    Golden("guessing", "not-found", "Nobody finds it.", hopeless, ("Ada",), seed=5, options={"rounds": 2}),
)
TESTING = TestingExtras(craft=GuessingCraft, golden=lambda: GOLDEN)
