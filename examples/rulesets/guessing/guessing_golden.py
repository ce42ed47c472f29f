"""The golden games of guessing: recorded once, so that a change of its rules shows in the logs that there are."""

from __future__ import annotations

from sottovoce import Turn
from sottovoce.agents import HouseAgent
from sottovoce.golden import Golden, Playing, by_agent


def hopeless(game: Playing, turn: Turn) -> str | None:
    """The keeper says nothing, and everybody guesses what was answered before."""
    return None if turn.kind == "hint" else "1"


GOLDEN = (
    Golden("guessing", "found", "The house finds the number.", by_agent(HouseAgent()), ("Ada", "Bram"), seed=4),
    Golden("guessing", "not-found", "Nobody finds it.", hopeless, ("Ada",), seed=5, options={"rounds": 2}),
)
