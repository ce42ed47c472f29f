"""What the user says unasked: add a task, change or abandon one, write to a session.

    add SLUG: what is to be done
    change TASK: what is to be done instead
    abandon TASK
    NAME: words to a session; `NAME, TASK: words` where it works on several tasks

TASK is a task's id, or its slug where no other task has it; it may be left out where there is only one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from domain.errors import Refused
from domain.rulesets.delegation.composing import ANSWERED, compose_words
from domain.rulesets.delegation.messages import USER, ControlMessage
from domain.rulesets.delegation.state import DelegationState, Task

CHANGED = "task_changed"
"""The message by which those who work on a task learn that the user wants something else."""

_ADD = re.compile(r"add\s+([^\s:]+)\s*(?::|\n)\s*(\S.*)", re.DOTALL)
_CHANGE = re.compile(r"change(?:\s+([^\s:]+))?\s*:\s*(\S.*)", re.DOTALL)
_ABANDON = re.compile(r"abandon(?:\s+([^\s:]+))?\s*[.!]?")
_BEGUN = re.compile(r"(add|change|abandon)(?![\w-])")


@dataclass(frozen=True, slots=True)
class Add:
    """One more task. `slug` is a slug, or a whole task id."""

    slug: str
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """Another brief for a task that nobody has begun, or word of it to those who work on one."""

    task_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Abandon:
    """A task is given up, wherever it stands."""

    task_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Tell:
    """Words to one session."""

    message: ControlMessage


Order = Add | Change | Abandon | Tell


def order(state: DelegationState, text: str) -> Order | None:
    """The order that the user's text gives; None if it is none. Refused where it is one, and says too little."""
    if (told := _told(state, text)) is not None:
        return told
    if _BEGUN.match(text) is None:
        return None
    if state.over:
        raise Refused("All work has ended; begin anew with: sottovoce play delegation")
    if (added := _ADD.fullmatch(text)) is not None:
        return Add(added[1], added[2].strip())
    if (changed := _CHANGE.fullmatch(text)) is not None:
        return Change(_task(state, changed[1]).task_id, changed[2].strip())
    if (abandoned := _ABANDON.fullmatch(text)) is not None:
        if abandoned[1] is None and len(under_way(state)) != 1:
            return None  # then it is an answer to the one task on hold, if there is one
        return Abandon(_task(state, abandoned[1]).task_id, text)
    raise Refused("Write `add SLUG: what is to be done`, `change TASK: what is wanted instead`, or `abandon TASK`.")


def under_way(state: DelegationState) -> Sequence[Task]:
    """The tasks that have not ended."""
    return [task for task in state.tasks.values() if not task.ended]


def slug_of(task_id: str) -> str:
    """What a task is called after its date and time."""
    return task_id[14:]


def word_of_change(state: DelegationState, task: Task, text: str) -> Sequence[ControlMessage]:
    """A message to each session that has a part in the task."""
    sessions = dict.fromkeys(name for name in (task.planner, task.executor, task.reviewer) if name is not None)
    return [compose_words(state, task, USER, CHANGED, session, text) for session in sessions]


def _told(state: DelegationState, text: str) -> Tell | None:
    names = "|".join(re.escape(name) for name in sorted(state.sessions, key=len, reverse=True))
    match = re.match(rf"(?:tell\s+)?({names})(?:(?:\s*,\s*|\s+)([^\s:]+))?\s*:\s*(\S.*)", text, re.DOTALL)
    if match is None:
        return None
    name, about, words = match[1], match[2], match[3].strip()
    task = _task(state, about) if about else _task_with(state, name)
    return Tell(compose_words(state, task, USER, ANSWERED, name, words))


def _task_with(state: DelegationState, name: str) -> Task:
    """The one task about which the session last asked the user, or else the one that it has a part in."""
    asked = [
        turn
        for key, turn in state.turns.items()
        if key[0] == USER and state.asked_by(name, state.assigned.get(key, ""))
    ]
    about = [state.assigned[turn.seat, turn.number] for turn in asked]
    tasks = [task for task in under_way(state) if task.task_id in about]
    tasks = tasks or [task for task in under_way(state) if name in _sessions(task)]
    return _one(tasks, f"`{name}, TASK: words`")


def _sessions(task: Task) -> tuple[str | None, ...]:
    return (task.planner, task.executor, task.reviewer, *(task.meant or ()))


def _task(state: DelegationState, named: str | None) -> Task:
    if named is None:
        return _one(under_way(state), "one of them")
    named = named.rstrip(".!")
    if named in state.tasks:
        return state.tasks[named]
    hits = [task for task in state.tasks.values() if slug_of(task.task_id) == named]
    if len(hits) > 1 and len(going := [task for task in hits if not task.ended]) == 1:
        hits = going
    if not hits:
        raise Refused(f"There is no task {named}; there are: {', '.join(state.tasks)}.")
    return _one(hits, "the whole id")


def _one(tasks: Sequence[Task], how: str) -> Task:
    if len(tasks) == 1:
        return tasks[0]
    if not tasks:
        raise Refused("There is no such task under way.")
    raise Refused(f"Say which task you mean ({', '.join(task.task_id for task in tasks)}): write {how}.")
