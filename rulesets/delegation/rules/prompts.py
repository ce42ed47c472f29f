"""The lines that stand before what a turn asks, from nothing but the seat's own state."""

from __future__ import annotations

from collections.abc import Iterator

from sottovoce.rulesets.delegation.rules.evidence import SHOWN, FoundMerge
from sottovoce.rulesets.delegation.rules.names import PARTS
from sottovoce.rulesets.delegation.rules.remarks import Remark
from sottovoce.rulesets.delegation.rules.state import DelegationState, Task
from sottovoce.rulesets.delegation.rules.wishes import HEADING, Answer, Wish

LONGEST_QUOTE = 600
MOST_ITEMS = 12
MOST_WISHES = 60
MOST_LINES = 12
"""Lines of code that are quoted with a remark."""


def whereabouts(state: DelegationState, task: Task, seat: str) -> Iterator[str]:
    """Where the task stands, who works on it, and what else the seat is asked about."""
    yield f"Task {task.task_id}: {task.stands}" + (f", round {task.round}." if task.round else ".")
    known = [f"{part} {'you' if name == seat else name}" for part in PARTS if (name := task.holder(part))]
    if known:
        yield f"Sessions: {', '.join(known)}."
    others = [about for about in dict.fromkeys(state.assigned.values()) if about != task.task_id]
    if others:
        yield f"You are also asked about: {', '.join(others)}."


def in_short(state: DelegationState, seat: str) -> Iterator[tuple[str, ...]]:
    """All tasks in short, at two lengths: first with the briefs and what the reports wanted fixed."""
    for detail in (True, False):
        yield tuple(line for task in state.tasks.values() for line in _course(state, task, seat, detail=detail))


def _course(state: DelegationState, task: Task, seat: str, *, detail: bool) -> Iterator[str]:
    yield from (line for line in whereabouts(state, task, seat) if line.startswith(("Task ", "Sessions: ")))
    if detail and task.brief:
        yield quoted("The user's brief", task.brief)
    for round in sorted(task.reports):
        if detail:
            yield from items(task, round, f"Asked for in round {round}")
        else:
            yield f"Asked for in round {round}: {len(task.reports[round])} items."


def talk(state: DelegationState, task: Task, seat: str) -> Iterator[str]:
    """Return what was said about the task apart from its steps, and whether a question of the seat is unanswered."""
    words = state.words.get(task.task_id, ())
    for said in words:
        yield quoted(f"{said.from_session_id} to {said.to_session_id}, {said.action}", said.note)
    if words and words[-1].from_session_id == seat and state.asked_by(seat, task.task_id):
        yield "No answer has come; go on as well as you can."


def quoted(who: str, text: str) -> str:
    """One line of somebody's words, marked so that it cannot pass for the game's own voice."""
    words = " ".join(text.replace("«", "‹").replace("»", "›").split())
    if len(words) > LONGEST_QUOTE:
        words = words[:LONGEST_QUOTE] + " […]"
    return f"{who}: «{words}»"


def items(task: Task, round: int, title: str) -> Iterator[str]:
    """What the report of that round wants fixed, as far as it is known."""
    found = task.reports.get(round)
    for number, item in enumerate((found or ())[:MOST_ITEMS], 1):
        yield quoted(f"{title}, item {number}", item)
    if found is not None and not found:
        yield f"{title}: nothing must be fixed."
    if found and len(found) > MOST_ITEMS:
        yield f"{title}: {len(found) - MOST_ITEMS} more items in the report."


def last_note(task: Task) -> Iterator[str]:
    """The note of the last message that moved the task."""
    for message in task.messages[-1:]:
        yield quoted(f"Note of {message.from_session_id}", message.note)


def wanted(task: Task) -> Iterator[str]:
    """The items that the user asked for and that are open, and how to answer them."""
    if not task.unsettled:
        return
    for wish in task.unsettled[:MOST_WISHES]:
        yield from wished(task, wish, f"Asked for by the user, item {wish.number}")
        if wish.executor is not None and wish.executor.done is not None:
            yield quoted(f"The executor says of item {wish.number}", f"{_done(wish.executor)} {wish.executor.words}")
    if len(task.unsettled) > MOST_WISHES:
        yield f"{len(task.unsettled) - MOST_WISHES} more items that the user asked for are open."
    first = task.unsettled[0].number
    yield (
        f"In the file, under `## {HEADING}`, answer each item by its number in a line: `{first}. done`, or "
        f"`{first}. not done: why`."
    )


def wished(task: Task, wish: Wish, who: str) -> Iterator[str]:
    """An item, and the code that it is about if it is a remark."""
    if wish.remark is None:
        yield quoted(who, wish.text)
    else:
        yield from at_line(task, wish.remark, who)


def at_line(task: Task, remark: Remark, who: str) -> Iterator[str]:
    """A remark with its file and line, and the lines of code that it is about (R-001)."""
    earlier = f", round {remark.round}" if remark.side == "new" and remark.round != task.round else ""
    yield quoted(f"{who}{earlier}", remark.told)
    lines = remark.code.split("\n")
    for number, line in enumerate(lines[:MOST_LINES], remark.line):
        yield quoted(f"Line {number}", line)
    if len(lines) > MOST_LINES:
        yield f"{len(lines) - MOST_LINES} more lines."


def remarks(task: Task, round: int) -> Iterator[str]:
    """What the report of that round says of lines of the code."""
    made = task.remarks.get(round, ())
    for number, remark in enumerate(made[:MOST_WISHES], 1):
        yield from at_line(task, remark, f"Remark {number} of the report of round {round}")
    if len(made) > MOST_WISHES:
        yield f"{len(made) - MOST_WISHES} more remarks in the report."


def left(task: Task) -> Iterator[str]:
    """What was asked for and is not done, which a close-out has to list."""
    for number, remark in enumerate(task.noted, 1):
        yield from at_line(task, remark, f"Remark {number} of the user")
    for wish in task.unsettled[:MOST_WISHES]:
        yield from wished(task, wish, f"Asked for and {wish.stands}, item {wish.number}")
    if task.unsettled:
        yield "List these in the close-out under `## Not done`; the user is told of them in any case."


def _done(answer: Answer) -> str:
    return "done." if answer.done else "not done."


def workplace(state: DelegationState, task: Task) -> Iterator[str]:
    """Where the executor works, that it need not commit, and which checks will run."""
    if task.workspace is None:
        return
    where = "a git worktree of this task alone" if task.workspace.kind == "worktree" else "the checkout"
    yield (
        f"You run in {where}, on the branch {task.workspace.branch}; stay on it. When you request the review, the "
        "server commits whatever lies there. You need not commit, and must not merge."
    )
    if state.options.check:
        listed = ", ".join(f"{name}: {command}" for name, command in state.options.check.items())
        yield quoted("Then the server runs these checks there", listed)


def code(state: DelegationState, task: Task) -> Iterator[str]:
    """What the code of the last round is, and how its checks ended."""
    offered = task.code.get(task.round)
    if offered is None:
        return
    head, base = offered.head[:SHOWN], offered.base[:SHOWN]
    yield f"Code of round {task.round}: {offered.whole.counted} from {base} to {head}."
    if offered.unchanged:
        yield "No change since the last round." if offered.since is not None else "Nothing was changed."
    elif offered.since is not None:
        yield f"Since the last round: {offered.since.counted}."
    new = offered.whole if offered.since is None else offered.since
    if new.files:
        names = ", ".join(file.path for file in new.files[:MOST_ITEMS])
        more = f" and {len(new.files) - MOST_ITEMS} more" if len(new.files) > MOST_ITEMS else ""
        yield quoted("Changed files", names + more)
    for check in offered.checks:
        yield f"Check {check.name} {check.result}."
        last = check.output.strip()[-LONGEST_QUOTE:]
        if not check.passed and last:
            yield quoted(f"The end of what {check.name} said", last)
    if offered.failing and state.options.checks == "required":
        yield "While a check fails, stop cannot be recommended before the last round."


def not_merged(task: Task, merge: FoundMerge | None) -> str:
    """Why `merged` is not recorded, and what to do."""
    assert task.workspace is not None, "only work in a repository is looked for"
    branch, target = task.workspace.branch, task.workspace.target
    if merge is None:
        return (
            f"merged: the repository could not be looked at; merge {branch} into {target}, then answer again (D-067)."
        )
    found = f"merged: nothing of {branch} ({merge.head[:SHOWN]}) is found in {target} ({merge.tip[:SHOWN]})"
    clash = f"; {len(merge.conflicts)} files would conflict" if merge.conflicts else ""
    return f"{found}{clash}. Merge it, then answer merged again (D-067)."


def summary(state: DelegationState, task: Task) -> Iterator[str]:
    """What the user needs to decide on a stop recommendation: why it was made, and how the rounds went (D-044)."""
    open_items = task.reports.get(task.round, ())
    if not open_items:
        why = "no must-fix item is left"
    elif task.round >= state.options.max_rounds:
        why = f"round {task.round} is the last of {state.options.max_rounds}"
    else:
        why = "there is no progress: two reports in a row list the same"
    yield f"{task.reviewer} recommends stopping after round {task.round}: {why}."
    rounds = [f"round {number}: {len(found) or 'none'}" for number, found in sorted(task.reports.items())]
    yield f"Must-fix items: {'; '.join(rounds)}."
    if open_items:
        yield from items(task, task.round, "Left to be fixed")
    if task.stalled(open_items):
        yield "The report before listed the same."
    for wish in task.wanted.values():
        said = wish.text if wish.remark is None else wish.remark.told
        yield quoted(f"You asked for item {wish.number}, which is {wish.stands}", said)
    yield from code(state, task)
    yield from last_note(task)
