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
from datetime import timedelta

from sottovoce import Refused, SetupRefused
from sottovoce.rulesets.delegation.rules.briefs import MOST_TASKS, brief_given
from sottovoce.rulesets.delegation.rules.composition import ANSWERED, checked, compose_words
from sottovoce.rulesets.delegation.rules.events import BriefGiven, MessageSent, TaskAbandoned
from sottovoce.rulesets.delegation.rules.messages import task_id_fault
from sottovoce.rulesets.delegation.rules.moves import Move, Send, Work
from sottovoce.rulesets.delegation.rules.names import PARTS, USER
from sottovoce.rulesets.delegation.rules.state import DelegationState, OpenTurn, Task

CHANGED = "task_changed"
"""The message by which those who work on a task learn that the user wants something else."""

_ADD = re.compile(r"add\s+([^\s:]+)\s*(?::|\n)\s*(\S.*)", re.DOTALL)
_CHANGE = re.compile(r"change(?:\s+([^\s:]+))?\s*:\s*(\S.*)", re.DOTALL)
_ABANDON = re.compile(r"abandon(?:\s+([^\s:]+))?\s*[.!]?")
_BEGUN = re.compile(r"(add|change|abandon)(?![\w-])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Add(Move):
    """One more task. `slug` is a slug, or a whole task id."""

    slug: str
    brief: str

    def make(self, work: Work, seat: str, turn: OpenTurn | None) -> None:
        """It is named after this minute, or the first one after it that no task here is named after."""
        tasks = work.state.tasks
        if len(tasks) >= MOST_TASKS:
            raise Refused(f"This game already has {MOST_TASKS} tasks. Start another game for more.")
        at, task_id = work.at, self.slug
        if task_id_fault(task_id) is not None:
            while (task_id := f"{at:%Y%m%d-%H%M}-{self.slug}") in tasks:
                at += timedelta(minutes=1)
        if task_id in tasks:
            raise Refused(f"Task {task_id} already exists. To change it, write `change {task_id}: …`.")
        try:
            work.emit(brief_given(f"{task_id}.md", self.brief.encode(), work.state.sessions))
        except SetupRefused as refusal:
            raise Refused(str(refusal)) from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Change(Move):
    """A new brief for a task that no one has started, or a message about it to those who work on it."""

    task_id: str
    brief: str

    def make(self, work: Work, seat: str, turn: OpenTurn | None) -> None:
        """Replace a brief that no one has acted on and ask its planner again; write to those who already work on it."""
        task = work.state.tasks[self.task_id]
        if task.ended:
            raise Refused(f"{task.task_id} has ended. Add another task instead.")
        if task.step != "proposed" or task.meant is None:
            self._tell(work, task)
            return
        planner, executor, reviewer = task.meant
        asked = work.state.step_turn(planner, task.task_id)
        if asked is not None:
            work.withdraw(asked)
        work.emit(
            BriefGiven(task_id=task.task_id, planner=planner, executor=executor, reviewer=reviewer, text=self.brief)
        )

    def _tell(self, work: Work, task: Task) -> None:
        longest = work.state.options.max_note_chars
        if len(self.brief) > longest:
            raise Refused(f"Write at most {longest} characters (D-016).")
        for session in dict.fromkeys(filter(None, map(task.holder, PARTS))):
            message = compose_words(work.state, task, USER, CHANGED, session, self.brief)
            work.emit(MessageSent(message=message))


@dataclass(frozen=True, slots=True, kw_only=True)
class Abandon(Move):
    """A task is given up, wherever it stands."""

    task_id: str

    def make(self, work: Work, seat: str, turn: OpenTurn | None) -> None:
        """End the task as it is. Only the user and the session whose turn it is learn of it."""
        task = work.state.tasks[self.task_id]
        waiting_for = task.owing
        if task.ended or waiting_for is None:
            raise Refused(f"{task.task_id} has ended already.")
        for name in dict.fromkeys((waiting_for, USER)):
            asked = work.state.step_turn(name, task.task_id)
            if asked is not None:
                work.withdraw(asked)
        work.emit(TaskAbandoned(task_id=task.task_id, waiting_for=waiting_for))


def order(state: DelegationState, text: str) -> Move | None:
    """The order that the user's text gives; None if it is none. Refused where it is one, and says too little."""
    if (told := _told(state, text)) is not None:
        return told
    if _BEGUN.match(text) is None:
        return None
    if state.over:
        raise Refused("All work has ended. Start again with: sottovoce play delegation")
    if (added := _ADD.fullmatch(text)) is not None:
        return Add(slug=added[1], brief=added[2].strip())
    if (changed := _CHANGE.fullmatch(text)) is not None:
        return Change(task_id=_task(state, changed[1]).task_id, brief=changed[2].strip())
    if (abandoned := _ABANDON.fullmatch(text)) is not None:
        if abandoned[1] is None and len(state.under_way) != 1:
            return None  # then it is an answer to the one task on hold, if there is one
        return Abandon(task_id=_task(state, abandoned[1]).task_id)
    raise Refused("Write `add SLUG: what to do`, `change TASK: what to do instead`, or `abandon TASK`.")


def slug_of(task_id: str) -> str:
    """What a task is called after its date and time."""
    return task_id[14:]


def _told(state: DelegationState, text: str) -> Send | None:
    names = "|".join(re.escape(name) for name in sorted(state.sessions, key=len, reverse=True))
    match = re.match(rf"(?:tell\s+)?({names})(?:(?:\s*,\s*|\s+)([^\s:]+))?\s*:\s*(\S.*)", text, re.DOTALL)
    if match is None:
        return None
    name, about, words = match[1], match[2], match[3].strip()
    task = _task(state, about) if about else _task_with(state, name)
    return Send(message=checked(state, compose_words(state, task, USER, ANSWERED, name, words)))


def _task_with(state: DelegationState, name: str) -> Task:
    """The one task about which the session last asked the user, or else the one that it has a part in."""
    about = {
        state.assigned[key]
        for key in state.turns
        if key[0] == USER and state.asked_by(name, state.assigned.get(key, ""))
    }
    tasks = [task for task in state.under_way if task.task_id in about]
    tasks = tasks or [task for task in state.under_way if name in _sessions(task)]
    return _one(tasks, f"`{name}, TASK: words`")


def _sessions(task: Task) -> tuple[str | None, ...]:
    return (task.planner, task.executor, task.reviewer, *(task.meant or ()))


def _task(state: DelegationState, named: str | None) -> Task:
    if named is None:
        return _one(state.under_way, "one of them")
    named = named.rstrip(".!")
    if named in state.tasks:
        return state.tasks[named]
    hits = [task for task in state.tasks.values() if slug_of(task.task_id) == named]
    if len(hits) > 1 and len(going := [task for task in hits if not task.ended]) == 1:
        hits = going
    if not hits:
        raise Refused(f"There is no task {named}. Choose one of: {', '.join(state.tasks)}.")
    return _one(hits, "the whole id")


def _one(tasks: Sequence[Task], how: str) -> Task:
    if len(tasks) == 1:
        return tasks[0]
    if not tasks:
        raise Refused("That task is not in progress.")
    raise Refused(f"Say which task you mean ({', '.join(task.task_id for task in tasks)}): write {how}.")
