"""Every state of a task of delegated work, and the message that a sender would send there if it could."""

from __future__ import annotations

from collections.abc import Callable

import delegating as kit
from delegating import EXECUTOR, PLANNER, REVIEWER, SEATS, TASK, USER, Game, message

Key = tuple[str, str]

STATES: dict[str, tuple[Callable[[], Game], set[Key]]] = {
    "unknown": (
        lambda: kit.opened({kit.SECOND: "Water the plants."}),
        {("execute_delegate_task", seat) for seat in SEATS if seat != USER},
    ),
    "proposed": (kit.opened, {("execute_delegate_task", PLANNER)}),
    "delegated": (kit.delegated, {("review_requested", EXECUTOR)}),
    "in review": (kit.in_review, {("rework_required", REVIEWER), ("stop_recommended", REVIEWER)}),
    "rework": (kit.reworking, {("review_requested", EXECUTOR)}),
    "in review again": (
        lambda: kit.in_review(kit.reworking(items="## Must-fix\n- Something else.\n")),
        {("rework_required", REVIEWER), ("stop_recommended", REVIEWER)},
    ),
    "in the last review": (
        lambda: kit.in_review(kit.delegated(kit.opened(max_rounds=1))),
        {("stop_recommended", REVIEWER)},
    ),
    "stopped": (kit.stopped, set()),
    "another iteration asked for": (kit.requested, {("user_requested_iteration", REVIEWER)}),
    "iterating": (kit.iterating, {("review_requested", EXECUTOR)}),
    "accepted": (kit.accepting, {("closeout_delivered", REVIEWER)}),
    "accepted, the reviewer being the planner": (kit.guarded, set()),
    "to be closed without a handoff": (kit.instructed, set()),
    "closed out": (kit.closing, set()),
    "merged": (lambda: kit.choose(kit.closing(), PLANNER, "merged"), set()),
    "complete": (kit.complete, set()),
    "not delegated, on hold": (lambda: kit.held(kit.opened(), PLANNER), set()),
    "delegated, on hold": (lambda: kit.held(kit.delegated(), EXECUTOR), set()),
    "in review, on hold": (lambda: kit.held(kit.in_review(), REVIEWER), set()),
    "stopped, on hold": (lambda: kit.held(kit.stopped(), USER), set()),
    "accepted, on hold": (lambda: kit.held(kit.accepting(), REVIEWER), set()),
    "another iteration asked for, on hold": (lambda: kit.held(kit.requested(), REVIEWER), set()),
    "resumed": (
        lambda: kit.choose(kit.held(kit.delegated(), EXECUTOR), USER, "resume"),
        {("review_requested", EXECUTOR)},
    ),
    "abandoned before it began": (lambda: kit.choose(kit.held(kit.opened(), PLANNER), USER, "abandon"), set()),
    "abandoned": (kit.abandoned, set()),
    "abandoned in review": (lambda: kit.abandoned_by_review(), set()),
}


def favourable(game: Game, action: str, sender: str) -> dict[str, object]:
    """Return the message that the sender would send if it could: only action, sender and state can be wrong."""
    task = game.state.tasks.get(TASK)
    done = 0 if task is None else task.round
    due = {"execute_delegate_task": 1, "review_requested": done + 1}.get(action, max(done, 1))
    planner = (task.planner if task else None) or (sender if action == "execute_delegate_task" else PLANNER)
    to = {
        "closeout_delivered": planner,
        "review_requested": (task.reviewer if task else None) or REVIEWER,
    }.get(action, kit.TO[action])
    if to == sender:
        to = next(seat for seat in SEATS if seat not in (sender, USER))
    return message(action, due, from_session_id=sender, to_session_id=to, planner_session_id=planner)
