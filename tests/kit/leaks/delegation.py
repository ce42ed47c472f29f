"""Planted leaks in the rules of delegation: audiences too wide, refusals and prompts that know too much."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest import mock

from leaks.views import Omniscient
from sottovoce.agents.prompt import build_prompt
from sottovoce.domain.audience import EVERYONE, Audience, only
from sottovoce.domain.commands import Command
from sottovoce.domain.events import AttemptFailed, Draft, Event, ReplyAccepted, TurnOpened
from sottovoce.domain.game import decide
from sottovoce.domain.ruleset import Ruleset
from sottovoce.domain.turns import Turn
from sottovoce.isolation.system import System
from sottovoce.rulesets.delegation.rules import DELEGATION, events, permission, prompts
from sottovoce.rulesets.delegation.rules.actions import ReviewRequested
from sottovoce.rulesets.delegation.rules.state import DelegationState, Task

PRODUCT = System(DELEGATION)
Rule = Callable[[Any, Any], Audience]


def heard_by(event: type[Event], rule: Rule) -> System:
    """Return the product with another audience for one class of events."""
    return replace(PRODUCT, ruleset=DELEGATION.but(audiences={**DELEGATION.audiences, event: rule}))


def everyone(state: Any, event: Any) -> Audience:
    return EVERYONE


def also(event: type[Event], part: str, when: Callable[[Any], bool] = lambda item: True) -> System:
    """Return the product with one more part of the task in the audience of one class of events."""
    before = DELEGATION.audiences[event]

    def rule(state: DelegationState, item: Any) -> Audience:
        named = item.message.task_id if isinstance(item, events.MessageSent) else item.task_id
        task = state.tasks.get(named) or Task(named)
        other = getattr(task, part) or (task.meant or ("", "", ""))[("planner", "executor", "reviewer").index(part)]
        return only(before(state, item).seats or (), other) if when(item) else before(state, item)

    return heard_by(event, rule)


def in_place(owner: Any, name: str, value: Any) -> System:
    """Return the product with a function of the rules replaced while it plays."""

    @contextmanager
    def entered() -> Iterator[None]:
        with mock.patch.object(owner, name, value):
            yield

    return replace(PRODUCT, patches=entered)


def telling(line: Callable[[Any, Turn], str]) -> System:
    """Return the product with one more line in every prompt, made from everything."""
    return replace(
        PRODUCT,
        projection=Omniscient,
        prompts=lambda: lambda view, turn: f"{build_prompt(view, turn).text}\n{line(view, turn)}",
    )


def deciding(change: Callable[[Any, list[Draft]], list[Draft]]) -> System:
    """Return the product with its decisions changed afterwards."""

    def changed(ruleset: Ruleset[Any], state: Any, command: Command) -> tuple[Draft, ...]:
        return tuple(change(state, list(decide(ruleset, state, command))))

    return replace(PRODUCT, decide=changed)


def _existing_told_apart(message: Any) -> tuple[str, str]:
    return "task_id", f"there is no task {message.task_id}"


def _no_part_by_existence(state: DelegationState, seat: str, message: Any) -> Iterator[tuple[str, str]]:
    """The refusal shows a session without a part in it whether a task exists."""
    if message.task_id not in state.tasks:
        yield _existing_told_apart(message)
    else:
        yield from _WORKFLOW(state, seat, message)


_WORKFLOW = permission._workflow
_OUT_OF_STEP = permission._out_of_step
_WHOM = ReviewRequested.whom


def _waiting_told_the_step(task: Task, action: Any) -> str | None:
    why = _OUT_OF_STEP(task, action)
    return f"{why}; it is {task.step}" if why and action.name == "review_requested" else why


def _receiver_of_the_brief(action: Any, state: Any, task: Task) -> str | None:
    """Sends the first review request to the reviewer in the brief, which the executor has not read."""
    if task.reviewer is None and task.meant:
        return task.meant[2]
    return _WHOM(action, state, task)


def _disclosed_at_once(state: Any, drafts: list[Draft]) -> list[Draft]:
    """The task file is opened to the reviewer in the brief before anything was sent there."""
    told = []
    for draft in drafts:
        told.append(draft)
        event = draft.event
        if isinstance(event, events.ArtifactFiled) and event.kind == "task" and event.task_id in state.tasks:
            to = (state.tasks[event.task_id].meant or ("", "", ""))[2]
            known = events.ArtifactDisclosed(
                task_id=event.task_id, to=to, path=event.path, sha256=event.sha256, text=event.text
            )
            told.append(Draft(known, only(to)))
    return told


def _notes_count_the_work(state: Any, drafts: list[Draft]) -> list[Draft]:
    """A delivered message's note ends with the number of tasks in progress."""
    count = sum(not task.ended for task in state.tasks.values())
    told = []
    for draft in drafts:
        event = draft.event
        if isinstance(event, events.MessageSent):
            message = event.message.but(note=f"{event.message.note} [{count}]")
            draft = Draft(events.MessageSent(message=message), draft.audience)
        told.append(draft)
    return told


def _code_unquoted(state: Any, task: Task) -> Iterator[str]:
    """The names of changed files stand in the game's own voice."""
    for offered in task.code.values():
        yield ", ".join(file.path for file in offered.whole.files)


def _items_unquoted(who: str, text: str) -> str:
    return f"{who}: {text}"


def _board(view: Any, turn: Turn) -> str:
    return f"Board: {[(task.task_id, task.step) for task in view.full.tasks.values()]}"


def _whose_turn(view: Any, turn: Turn) -> str:
    return f"Awaited: {sorted({key[0] for key in view.full.turns})}"


def _last_answer(view: Any, turn: Turn) -> str:
    answered = [item.event.seat for item in view.log if isinstance(item.event, ReplyAccepted)]
    return f"Last answered: {answered[-1:]}"


def _told_to_another_executor(state: DelegationState, event: Any) -> Audience:
    """The executors of all tasks hear what the user wants of one."""
    executors = (task.executor for task in state.tasks.values())
    return only(event.to, *filter(None, executors)) if event.remarks else only(event.to)


def _remarked_files(view: Any, turn: Turn) -> str:
    """The files of all tasks that anybody has remarked on."""
    tasks = view.full.tasks.values()
    made = [remark for task in tasks for some in task.remarks.values() for remark in some]
    asked = [wish.remark for task in tasks for wish in task.wanted.values() if wish.remark]
    return f"Remarks on: {sorted({f'{one.file}:{one.line}' for one in (*made, *asked)})}"


def _others(view: Any) -> Sequence[str]:
    return [name for name in view.full.tasks if name not in view.state.tasks]


def systems() -> dict[str, System]:
    """Return every planted leak of this module by name."""
    return {
        "messages_copied_to_the_planner": also(events.MessageSent, "planner"),
        "closeout_copied_to_the_executor": also(
            events.MessageSent, "executor", lambda item: item.message.action == "closeout_delivered"
        ),
        "stop_copied_to_the_executor": also(
            events.MessageSent, "executor", lambda item: item.message.action == "stop_recommended"
        ),
        "questions_copied_to_the_reviewer": also(
            events.MessageSent, "reviewer", lambda item: item.message.action in ("need_input", "input_given")
        ),
        "change_told_to_the_planner_by_all": also(
            events.MessageSent, "planner", lambda item: item.message.action == "task_changed"
        ),
        "end_told_to_the_executor": also(events.TaskAbandoned, "executor"),
        "files_open_to_all": heard_by(events.ArtifactFiled, everyone),
        "reports_open_to_the_planner": also(events.ArtifactFiled, "planner", lambda item: item.kind == "report"),
        "closeout_file_open_to_the_executor": also(
            events.ArtifactFiled, "executor", lambda item: item.kind == "closeout"
        ),
        "task_file_open_to_the_reviewer_meant": also(
            events.ArtifactFiled, "reviewer", lambda item: item.kind == "task"
        ),
        "brief_told_to_the_executor": heard_by(
            events.BriefGiven, lambda state, event: only(event.planner, event.executor, "user")
        ),
        "decision_told_to_the_executor": also(events.StopDecided, "executor"),
        "records_told_to_the_reviewer": also(events.WorkRecorded, "reviewer"),
        "failed_program_told_to_the_reviewer": also(
            events.ProgramFailed, "reviewer", lambda item: item.session != "reviewer"
        ),
        "workspace_told_to_the_reviewer_meant": also(events.WorkspaceOpened, "reviewer"),
        "code_told_to_the_planner": also(events.CodeOffered, "planner"),
        "checks_told_to_the_planner": also(events.CheckRan, "planner"),
        "wishes_told_to_the_planner": also(events.ItemsAsked, "planner"),
        "wishes_told_to_the_executor_at_once": also(events.ItemsAsked, "executor"),
        "remarks_told_to_another_executor": heard_by(events.ItemsPassedOn, _told_to_another_executor),
        "remarks_told_to_the_planner": also(events.RemarksMade, "planner"),
        "remarked_files_listed_in_the_prompt": telling(_remarked_files),
        "answers_told_to_the_planner": also(events.ItemsAnswered, "planner"),
        "merge_told_to_the_executor": also(events.MergeChecked, "executor"),
        "files_of_the_diff_unquoted": in_place(prompts, "code", _code_unquoted),
        "guard_told_to_the_executor": also(events.HandoffGuarded, "executor"),
        "holds_public": heard_by(events.TaskHeld, everyone),
        "assignments_public": heard_by(events.TurnAssigned, everyone),
        "turns_public": heard_by(TurnOpened, everyone),
        "failures_told_to_the_user": heard_by(AttemptFailed, lambda state, event: only(event.seat, "user")),
        "task_file_disclosed_at_once": deciding(_disclosed_at_once),
        "notes_count_the_work": deciding(_notes_count_the_work),
        "tasks_told_apart_by_existence": in_place(permission, "_workflow", _no_part_by_existence),
        "waiting_executor_told_the_step": in_place(permission, "_out_of_step", _waiting_told_the_step),
        "receiver_taken_from_the_brief": in_place(ReviewRequested, "whom", _receiver_of_the_brief),
        "items_unquoted_in_the_prompt": in_place(prompts, "quoted", _items_unquoted),
        "board_of_everything_in_the_prompt": telling(_board),
        "awaited_in_the_prompt": telling(_whose_turn),
        "last_answer_in_the_prompt": telling(_last_answer),
        "unknown_tasks_counted": telling(lambda view, turn: f"{len(_others(view))} tasks besides yours."),
    }
