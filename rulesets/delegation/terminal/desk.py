"""The user's desk at this terminal: what waits for them, the board, and their orders."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sottovoce import Aside, Look, Pages, Turn, UnknownName
from sottovoce.rulesets.delegation.rules.names import PARTS, USER
from sottovoce.rulesets.delegation.rules.orders import slug_of
from sottovoce.rulesets.delegation.rules.state import DelegationState, Task
from sottovoce.rulesets.delegation.terminal.diff import task_diffs

ORDERS: Mapping[str, str] = {
    ":add SLUG: TEXT": "add a task and say what to do",
    ":change TASK: TEXT": "change the brief, or tell the agents working on it",
    ":abandon TASK": "stop work on the task for good",
    "NAME: WORDS": "send a message to an agent, or answer its question",
    "NAME, TASK: WORDS": "the same, for an agent with several tasks",
    ":board": "show each task's status and whose turn it is",
    ":tasks": "show each task with its brief and latest messages",
    ":diff TASK": "show a task's code with the remarks at its lines; `:diff TASK 1` for round 1",
}
"""What the user may type at any time, and what it does."""

_ORDER = re.compile(r":(add|change|abandon|tell)(?![\w-])\s*(.*)", re.DOTALL | re.IGNORECASE)
_DIFF = re.compile(r":diff\s+(\S.*)", re.IGNORECASE)
MOST_LINES = 400
"""Lines of code that are shown at once."""
_MANY = 3
"""Messages about a task that its page repeats."""


def order_in(look: Look, text: str) -> str | None:
    """Return what a typed text orders without a turn, in the words that the rules read; None if it is not an order."""
    begun = _ORDER.fullmatch(text.strip())
    if begun is not None:
        return f"{begun[1].lower()} {begun[2]}".strip()
    names = "|".join(re.escape(name) for name in _known(look).sessions)
    return text.strip() if re.match(rf"({names})(\s*,\s*[^\s:]+)?\s*:\s*\S", text.strip()) else None


def words(look: Look) -> Sequence[str]:
    """What Tab completes: the commands, the sessions, and the tasks under way by the shortest name that is theirs."""
    state = _known(look)
    orders = (":add ", ":change ", ":abandon ", ":board", ":tasks", ":diff", ":help", ":quit")
    return (*orders, *(f"{name}: " for name in state.sessions), *(_name(state, task) for task in state.under_way))


def pages(look: Look) -> Pages:
    """What the user may look at."""
    return {
        ":board": lambda: board(_known(look)),
        ":tasks": lambda: tasks(_known(look)),
        ":diff": lambda: code(_known(look), ""),
    }


def awaiting(look: Look) -> Sequence[str]:
    """What awaits the user, in a line or two."""
    state = _known(look)
    asked = [
        f"{_name(state, task)} ({turn.kind})" for turn in _open_turns(state) if (task := _task(state, turn.number))
    ]
    others = [
        f"{_name(state, task)}: {task.stands}, waiting for {task.awaited or 'no one'}" for task in state.under_way
    ]
    first = f"You have open turns for {', '.join(asked)}." if asked else "You have no open turns."
    return [
        f"{first} {'; '.join(others)}." if others else first,
        "You can type :board, :tasks, :add, :change, :abandon, or `NAME: words` to an agent. Type :help for more.",
    ]


def board(state: DelegationState) -> Sequence[str]:
    """The tasks in columns."""
    if not state.tasks:
        return ["No tasks yet."]
    rows = [("task", "status", "round", "waiting for", "to fix")]
    for task in state.tasks.values():
        items = task.reports.get(max(task.reports, default=0))
        awaited = {None: "—", USER: "you"}.get(task.awaited, task.awaited)
        left = "—" if items is None else str(len(items))
        rows.append((_name(state, task), task.stands, str(task.round or "—"), awaited or "—", left))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def tasks(state: DelegationState) -> Sequence[str]:
    """Each task with its brief, its sessions, and what was said about it last."""
    lines: list[str] = []
    for task in state.tasks.values():
        lines += [f"{task.task_id}: {task.stands}" + (f", round {task.round}." if task.round else ".")]
        first = next((line.lstrip("# ") for line in (task.brief or "").splitlines() if line.strip()), "")
        lines += [f"  brief: {first}"] if first else []
        meant = task.meant or (None, None, None)
        named = (task.planner or meant[0], task.executor or meant[1], task.reviewer or meant[2])
        lines.append("  " + ", ".join(f"{part} {name}" for part, name in zip(PARTS, named, strict=True) if name))
        said = (*task.messages, *state.words.get(task.task_id, ()))[-_MANY:]
        lines += [f"  {one.from_session_id} → {one.to_session_id}, {one.action}: {one.note}" for one in said]
        lines += [
            f"  your answer: {', '.join(turn.choices) or 'an answer in your own words'}"
            for turn in _open_turns(state)
            if _task(state, turn.number) is task
        ]
    return lines or ["No tasks yet."]


def shows(look: Look, text: str) -> Sequence[str] | None:
    """The code that `:diff TASK` or `:diff TASK ROUND` names."""
    asked = _DIFF.fullmatch(text.strip())
    return code(_known(look), asked[1]) if asked is not None else None


def code(state: DelegationState, words: str) -> Sequence[str]:
    """The code of a task, in the last round or in the one that the words name."""
    named, round, *_ = *words.split(), "", ""
    if round and not round.isdecimal():
        return [f"Give the round as a number: :diff {named} 1"]
    try:
        diffs = task_diffs(state, named or None, int(round) if round else None)
    except UnknownName as unknown:
        return [str(unknown)]
    lines = [line for diff in diffs for _, line in diff.lines(stat=False)]
    if len(lines) > MOST_LINES:
        return [*lines[:MOST_LINES], f"{len(lines) - MOST_LINES} more lines. `sottovoce diff` shows them all."]
    return lines


def _known(look: Look) -> DelegationState:
    view = look(USER)
    assert view is not None, "the user sits here"
    state: DelegationState = view.state
    return state


def _open_turns(state: DelegationState) -> Sequence[Turn]:
    return [turn for turn in state.turns.values() if turn.seat == USER]


def _task(state: DelegationState, turn: int) -> Task | None:
    return state.task_of(USER, turn)


def _name(state: DelegationState, task: Task) -> str:
    """The slug, unless another task has it too."""
    slug = slug_of(task.task_id)
    return slug if sum(slug_of(other) == slug for other in state.tasks) == 1 else task.task_id


ASIDE = Aside(USER, (), pages, order_in, words, awaiting, ORDERS, shows)
