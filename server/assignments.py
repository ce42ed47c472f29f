"""What an agent's call is for: the game, the task, and the folder to work in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sottovoce.agents.agent import Assignment
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View
from sottovoce.server.files import folder_of
from sottovoce.server.live import LiveGame


def assignment(live: LiveGame, view: View[Any], turn: Turn) -> Assignment:
    """What the agent is told of its call, as well as its prompt: made from its own view, except the folder."""
    errand = live.ruleset.errand(view.state, turn)
    if errand is None:
        return Assignment(live.id)
    folder = work_folder(live, turn, errand.about)
    return Assignment(live.id, errand.about, errand.round, folder, errand.reads_only)


def work_folder(live: LiveGame, turn: Turn, task: str) -> Path | None:
    """The folder in which the agent of a turn works on a task; None where the game works in none."""
    folder = folder_of(live)
    return folder if folder is not None and folder.is_dir() else None
