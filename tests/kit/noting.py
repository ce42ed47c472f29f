"""Agents that think, believe and note: each text of theirs holds a word that stands nowhere else."""

from __future__ import annotations

from typing import Any

from sottovoce.agents.agent import CallRecord, Considered, Mind
from sottovoce.agents.random_agent import RandomAgent
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View


class Noting:
    """Plays like `random`, and says with every reply what it thought; notes come with every second one.

    `had` are its own notes as it found them, call by call.
    """

    by = "view"
    immediate = True

    def __init__(self, name: str) -> None:
        self.name = name
        self.had: list[str] = []
        self.given: list[str] = []

    async def act(self, view: View[Any], turn: Turn, random: Any, record: CallRecord) -> str:
        self.had.append(view.state.kept_notes.get(view.seat, ""))
        reply = await RandomAgent().act(view, turn, random, record)
        believed = view.ruleset.believed(view.state, view.seat)
        given = [{"player": player, "percent": 10 + turn.number} for player in believed]
        mind = Mind(f"zqthought-{self.name}-{turn.number}", view.ruleset.suspicion(view.state, view.seat, given))
        notes = f"zqnote-{self.name}-{turn.number}" if turn.number % 2 else ""
        if notes:
            self.given.append(notes)
        return Considered(reply, mind, notes)
