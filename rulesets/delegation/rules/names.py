"""What delegated work calls its seats, its files, and the parts and steps of a task."""

from __future__ import annotations

from typing import Literal, get_args

VERSION = "1.0"
SKILL = "agent-deck-workflow"
"""The skill that a receiver of a workflow message has loaded (D-006)."""
USER = "user"
"""The user's seat, and what no other session may be called (D-007)."""
FOLDER = ".agent-artifacts"
"""Where artifacts lie, below the game's folder: one folder for each task (D-014)."""
ANSWER = "answer"
"""The kind of turn in which a seat answers what another one asked."""

Part = Literal["planner", "executor", "reviewer"]
PARTS: tuple[Part, ...] = get_args(Part)
"""The parts that sessions have in a task."""

Round = int | Literal["final"]

Step = Literal[
    "proposed",
    "delegated",
    "review",
    "rework",
    "stopped",
    "accepted",
    "requested",
    "iterating",
    "guarded",
    "instructed",
    "closing",
]
"""Where a task stands."""

Artifact = Literal["task", "request", "report", "closeout", "other"]
"""What a file is that a message points to."""


def title_of(task_id: str) -> str:
    """A task's title: the slug of its id as words. Everyone who knows the id knows it."""
    *_, slug = task_id.split("-", 2)
    return slug.replace("-", " ")


def named(task_id: str) -> str:
    """A task's title with its id, as messages tell it."""
    title = title_of(task_id)
    return f"{title[:1].upper()}{title[1:]} ({task_id})"


def in_brackets(task_id: str, *more: str) -> str:
    """The same behind what is told: `(Mend roof, 20260101-1200-mend-roof, round 1)`."""
    title = title_of(task_id)
    return f"({', '.join((f'{title[:1].upper()}{title[1:]}', task_id, *more))})"
