"""What a turn asks, from nothing but the seat's own state."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from domain.rulesets.delegation.composing import due_path
from domain.rulesets.delegation.messages import ACTIONS, Action
from domain.rulesets.delegation.reports import same_items
from domain.rulesets.delegation.state import ANSWER, DelegationState, Task
from domain.turns import Request, Turn

LONGEST_QUOTE = 600
MOST_ITEMS = 12

STEPS: Mapping[str, str] = {
    "proposed": "not yet delegated",
    "delegated": "work begins",
    "review": "in review",
    "rework": "rework",
    "stopped": "stop recommended",
    "accepted": "accepted",
    "requested": "another iteration asked for",
    "iterating": "another iteration",
    "guarded": "accepted, no handoff possible",
    "instructed": "closing",
    "closing": "closing",
}


def standing(task: Task) -> str:
    """Where a task stands, in a few words."""
    if task.abandoned:
        return "abandoned"
    if task.complete:
        return "complete"
    if task.held is not None:
        return f"on hold, waiting for {task.held.waiting_for}"
    return STEPS[task.step]


def about(state: DelegationState, turn: Turn) -> dict[str, str | None]:
    """The task that a turn is about, and the path of the file that goes with its answer, if one does."""
    task = state.task_of(turn.seat, turn.number)
    if task is None:
        return {"task": None, "artifact": None}
    action = next((action for action in ACTIONS if action in turn.choices), None)
    return {"task": task.task_id, "artifact": None if action is None else due_path(task, action)}


def request(state: DelegationState, turn: Turn) -> Request:
    """The context and the request of an open turn, from the seat's own state."""
    task = state.task_of(turn.seat, turn.number) or Task("unknown")
    where = f"Task {task.task_id}: {standing(task)}" + (f", round {task.round}." if task.round else ".")
    context = [where]
    context += _sessions(task, turn.seat)
    if len(state.assigned) > 1:
        others = [about for about in dict.fromkeys(state.assigned.values()) if about != task.task_id]
        context += [f"You are also asked about: {', '.join(others)}."] if others else []
    lines, ask = _ASKED[turn.kind](state, task, turn)
    return Request((*context, *lines, *_said(state, task, turn.seat)), ask)


def _said(state: DelegationState, task: Task, seat: str) -> list[str]:
    """What was said about the task besides its steps, and whether a question of the seat's own has no answer."""
    words = state.words.get(task.task_id, ())
    lines = [quoted(f"{said.from_session_id} to {said.to_session_id}, {said.action}", said.note) for said in words]
    if words and words[-1].from_session_id == seat and state.asked_by(seat, task.task_id):
        lines.append("No answer has come; go on as well as you can.")
    return lines


def _sessions(task: Task, seat: str) -> list[str]:
    named = (("planner", task.planner), ("executor", task.executor), ("reviewer", task.reviewer))
    known = [f"{part} {'you' if name == seat else name}" for part, name in named if name]
    return [f"Sessions: {', '.join(known)}."] if known else []


def quoted(who: str, text: str) -> str:
    """One line of somebody's words, marked so that it cannot pass for the game's own voice."""
    words = " ".join(text.replace("«", "‹").replace("»", "›").split())
    if len(words) > LONGEST_QUOTE:
        words = words[:LONGEST_QUOTE] + " […]"
    return f"{who}: «{words}»"


def _items(task: Task, round: int, title: str) -> list[str]:
    items = task.reports.get(round)
    if items is None:
        return []
    shown = [quoted(f"{title}, item {number}", item) for number, item in enumerate(items[:MOST_ITEMS], 1)]
    if len(items) > MOST_ITEMS:
        shown.append(f"{title}: {len(items) - MOST_ITEMS} more items in the report.")
    return shown or [f"{title}: nothing must be fixed."]


def _last_note(task: Task) -> list[str]:
    last = task.messages[-1] if task.messages else None
    return [quoted(f"Note of {last.from_session_id}", last.note)] if last else []


def _file(task: Task, action: Action) -> str:
    return f"The file: {due_path(task, action)}."


def _how(action: str) -> str:
    return f"Answer with {action} on the first line, an empty line, and the file's whole text; or with the JSON."


Asked = tuple[list[str], str]


def _delegate(state: DelegationState, task: Task, turn: Turn) -> Asked:
    meant = task.meant or ("", "", "")
    lines = [quoted("The user's brief", task.brief or "")]
    lines.append(f"Meant for it: executor {meant[1]}, reviewer {meant[2]}.")
    lines.append(_file(task, "execute_delegate_task"))
    return lines, (
        f"Write the task file for {meant[1]}: what is to be done, how it will be checked, and a line "
        f"`Reviewer: {meant[2]}`. {_how('execute_delegate_task')}"
    )


def _implement(state: DelegationState, task: Task, turn: Turn) -> Asked:
    lines = _last_note(task)
    if task.step == "rework":
        lines += _items(task, task.round, "To be fixed")
    lines.append(_file(task, "review_requested"))
    whom = f" It goes to {task.reviewer}."
    if task.reviewer is None:
        whom = " It goes to the reviewer that the task file names, or to the one in a line `to: NAME`."
    did = {"delegated": "Do the task", "rework": "Fix what the report lists"}.get(task.step, "Do the follow-ups")
    return lines, f"{did}, then request the review of round {task.round + 1}.{whom} {_how('review_requested')}"


def _review(state: DelegationState, task: Task, turn: Turn) -> Asked:
    lines = _last_note(task)
    lines += _items(task, task.round - 1, f"Asked for in round {task.round - 1}")
    lines.append(_file(task, "rework_required"))
    last = task.round >= state.options.max_rounds
    cap = "This is the last round: recommend stopping, whatever is left." if last else ""
    if not last:
        cap = (
            "If anything must be fixed, and it is not the same as last time, answer rework_required; "
            "otherwise stop_recommended."
        )
    return lines, (
        "Review the work of this round and write the report; what must be fixed stands as list items under "
        f"`## Must-fix`. {cap} {_how('the action')}"
    )


def _decide(state: DelegationState, task: Task, turn: Turn) -> Asked:
    return summary(state, task), "Accept the work, or have another iteration and say what is to be done?"


def summary(state: DelegationState, task: Task) -> list[str]:
    """What the user needs to decide on a stop recommendation: why it was made, and how the rounds went (D-044)."""
    items = task.reports.get(task.round, ())
    before = task.reports.get(task.round - 1, ())
    if not items:
        why = "no must-fix item is left"
    elif task.round >= state.options.max_rounds:
        why = f"round {task.round} is the last of {state.options.max_rounds}"
    else:
        why = "there is no progress: two reports in a row list the same"
    lines = [f"{task.reviewer} recommends stopping after round {task.round}: {why}."]
    rounds = [f"round {number}: {_count(len(found))}" for number, found in sorted(task.reports.items())]
    lines.append(f"Must-fix items: {'; '.join(rounds)}.")
    lines += _items(task, task.round, "Left to be fixed") if items else []
    if items and same_items(items, before):
        lines.append("The report before listed the same.")
    return [*lines, *_last_note(task)]


def _count(number: int) -> str:
    return "none" if number == 0 else str(number)


def _hand_back(state: DelegationState, task: Task, turn: Turn) -> Asked:
    lines = [quoted("The user asks for", task.asked or "another iteration")]
    return lines, (
        "Pass it on to the executor: answer user_requested_iteration on the first line and, below it, "
        "`note: …` with what the user wants."
    )


def _close(state: DelegationState, task: Task, turn: Turn) -> Asked:
    lines = [quoted("The user accepts", task.asked)] if task.asked else ["The user accepts."]
    lines.append(_file(task, "closeout_delivered"))
    return (
        lines,
        f"Write the closeout for {task.planner}: what was done, and what is left. {_how('closeout_delivered')}",
    )


def _instruct(state: DelegationState, task: Task, turn: Turn) -> Asked:
    lines = [f"{task.planner} planned the task and reviewed it too, so nobody can hand it over."]
    return lines, f"Answer close to have {task.planner} close the task."


def _record(state: DelegationState, task: Task, turn: Turn) -> Asked:
    done = [work for work, there in (("merged", task.merged), ("progress", task.progress)) if there]
    lines = [*_last_note(task)] if not done else [f"Recorded already: {', '.join(done)}."]
    asked = {
        "merged": f"merge the branch task/{task.task_id} and answer merged",
        "progress": "update the progress records and answer progress",
    }
    todo = " or ".join(asked[choice] for choice in turn.choices)
    return lines, f"{todo[0].upper()}{todo[1:]}, with a few words on what you did."


def _hold(state: DelegationState, task: Task, turn: Turn) -> Asked:
    held = task.held
    lines = [f"Waiting for {held.waiting_for}: {held.why}"] if held else []
    return lines, "Resume the task, with fresh attempts for the one awaited, or abandon it for good?"


def _answer(state: DelegationState, task: Task, turn: Turn) -> Asked:
    heard = state.heard.get((turn.seat, task.task_id))
    asker = heard.from_session_id if heard is not None else "whoever asked"
    return [], f"{asker} asks before going on. Answer in your own words; {asker} and the user read them."


_ASKED: Mapping[str, Callable[[DelegationState, Task, Turn], Asked]] = {
    "delegate": _delegate,
    "implement": _implement,
    "review": _review,
    "decide": _decide,
    "hand-back": _hand_back,
    "close": _close,
    "instruct": _instruct,
    "record": _record,
    "hold": _hold,
    ANSWER: _answer,
}
