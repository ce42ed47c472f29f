"""What delegation adds to views: tasks as a board, whose turn it is in public, and reviews without an answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from sottovoce import Card, Examined, Grid, Line, ProjectionExtras, Recorded, Shape, Standing
from sottovoce.rulesets.delegation.rules import events
from sottovoce.rulesets.delegation.rules.names import PARTS, USER
from sottovoce.rulesets.delegation.rules.state import DelegationState, Task
from sottovoce.rulesets.delegation.shown.marks import DelegationMarker
from sottovoce.rulesets.delegation.shown.orders import ORDERS

SESSIONS = "the sessions and the user"


def parts(state: DelegationState) -> dict[str, tuple[str, bool]]:
    """Each session with its parts in all tasks; it has won if all of them are complete."""
    found: dict[str, tuple[str, bool]] = {}
    for session in state.sessions:
        mine = [task for task in state.tasks.values() if session in (task.planner, task.executor, task.reviewer)]
        had = [part for part in PARTS if any(getattr(task, part) == session for task in mine)]
        found[session] = (" and ".join(had) or "none", bool(mine) and all(task.complete for task in mine))
    return found


def unanswered_rounds(recorded: Sequence[Recorded]) -> Iterator[Examined]:
    """Review requests that no reviewer has answered (D-033)."""
    asked: dict[tuple[str, object], tuple[int, str]] = {}
    for item in recorded:
        if not isinstance(item.event, events.MessageSent):
            continue
        message = item.event.message
        key = (message.task_id, message.round)
        if message.action == "review_requested":
            asked[key] = (item.position, message.to_session_id)
        elif message.action in ("rework_required", "stop_recommended"):
            asked.pop(key, None)
    for (task_id, round_), (position, reviewer) in asked.items():
        what = f"Round {round_} of {task_id} has no answer from {reviewer}."
        yield Examined("round unanswered", "note", what, position, (reviewer,))


def tasks(told: Sequence[Line], state: DelegationState) -> Grid | None:
    """Return each known task: its state, its round, whose turn it is since when, what is left to fix, and whether a
    review has no answer yet (D-033).
    """
    if not state.tasks:
        return None
    since = _since(told)
    rows = tuple(_row(task, since.get(task.task_id)) for task in state.tasks.values())
    return Grid(("task", "stands", "round", "awaited", "since", "to be fixed", "unanswered"), rows)


def _row(task: Task, since: datetime | None) -> tuple[str, ...]:
    items = task.reports.get(max(task.reports, default=0))
    return (
        task.task_id,
        task.stands,
        str(task.round) if task.round else "—",
        task.awaited or "—",
        f"{since:%Y-%m-%d %H:%M} UTC" if since is not None and task.awaited else "—",
        "—" if items is None else str(len(items)),
        f"round {task.round}" if task.step == "review" and not task.ended else "—",
    )


def _since(told: Sequence[Line]) -> dict[str, datetime]:
    """When each task last took a step."""
    moved: dict[str, datetime] = {}
    for line in told:
        match line.event:
            case events.MessageSent(message=message) if message.workflow:
                moved[message.task_id] = line.at
            case (
                events.BriefGiven()
                | events.StopDecided()
                | events.HandoffGuarded()
                | events.ClosingInstructed()
                | events.WorkRecorded()
                | events.TaskHeld()
                | events.TaskResumed()
            ):
                moved[line.event.task_id] = line.at
    return moved


def cast(state: DelegationState) -> Grid:
    """Every seat with its parts in the tasks known here."""
    return Grid(("Seat", "Parts"), tuple((seat, _named_parts(state, seat)) for seat in state.seats))


def _named_parts(state: DelegationState, seat: str) -> str:
    """The parts that a seat has in the tasks known here, each with how many of them."""
    if seat == USER:
        return "decides"
    named = [(part, sum(getattr(task, part) == seat for task in state.tasks.values())) for part in PARTS]
    return ", ".join(part if count == 1 else f"{part} of {count}" for part, count in named if count) or "none known"


EXTRAS = ProjectionExtras(
    card=Card(
        "Give a task away. Watch it planned, done and reviewed, and decide when it is good.", "you and three others", 5
    ),
    layout="board",
    orders=ORDERS,
    shape=Shape("The briefs", frozenset({*PARTS, USER}), cast),
    board=tasks,
    standing=Standing(
        "rounds",
        lambda state: sum(task.round for task in state.tasks.values()),
        lambda state: () if state.over else (SESSIONS,),
        parts,
    ),
    examiner=unanswered_rounds,
    marks=DelegationMarker,
)
