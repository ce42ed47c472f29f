"""The house's planner, executor, reviewer and user: they work on a text until its checklist is met.

The work is small and real. A brief holds a text and a checklist in plain sentences; the reviewer checks each sentence
that it understands, and the executor mends what was listed. What either does not understand it says so.
"""

from __future__ import annotations

import random as random_module
from collections.abc import Callable, Mapping
from typing import Any

from agents.house.delegation import executor, planner, reviewer, user
from domain.rulesets.delegation.names import ANSWER
from domain.rulesets.delegation.state import Task
from domain.turns import Turn
from projections.view import View


def _answer(view: View[Any], turn: Turn, task: Task) -> str:
    """The house has put all that it knows into its files."""
    return "I know no more than what is written down; do as you think best."


_REPLIES: Mapping[str, Callable[[View[Any], Turn, Task], str]] = {
    "delegate": planner.delegate,
    "record": planner.record,
    "implement": executor.implement,
    "review": reviewer.review,
    "hand-back": reviewer.hand_back,
    "close": reviewer.close,
    "decide": user.decide,
    "instruct": user.instruct,
    "hold": user.hold,
    ANSWER: _answer,
}


def play(view: View[Any], turn: Turn, random: random_module.Random) -> str:
    """The reply to any turn of delegated work."""
    task = view.state.task_of(turn.seat, turn.number) or Task("unknown")
    return _REPLIES[turn.kind](view, turn, task)
