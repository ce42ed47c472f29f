"""The house's planner, executor, reviewer and user: they work on a text until its checklist is met.

The work is small and real. A brief holds a text and a checklist in plain sentences; the reviewer checks each sentence
that it understands, and the executor mends what was listed. What either does not understand it says so.
"""

from __future__ import annotations

import random as random_module
from collections.abc import Callable, Mapping
from typing import Any

from sottovoce import Turn, View
from sottovoce.rulesets.delegation.house import executor, planner, reviewer, user
from sottovoce.rulesets.delegation.rules import turns
from sottovoce.rulesets.delegation.rules.state import Task


def _answer(view: View[Any], turn: Turn, task: Task) -> str:
    """The house has put all that it knows into its files."""
    return "I know no more than what is written down; do as you think best."


_REPLIES: Mapping[type[Turn], Callable[[View[Any], Turn, Task], str]] = {
    turns.Delegate: planner.delegate,
    turns.Record: planner.record,
    turns.Implement: executor.implement,
    turns.Review: reviewer.review,
    turns.HandBack: reviewer.hand_back,
    turns.Close: reviewer.close,
    turns.Decide: user.decide,
    turns.Instruct: user.instruct,
    turns.Hold: user.hold,
    turns.AnswerTurn: _answer,
}


def play(view: View[Any], turn: Turn, random: random_module.Random) -> str:
    """The reply to any turn of delegated work."""
    task = view.state.task_of(turn.seat, turn.number) or Task("unknown")
    return _REPLIES[type(turn)](view, turn, task)
