"""The six actions that move a task (D-002): one class each, with all that is to be known of it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, Literal

from sottovoce import Heading, Mood, Refused, the_one
from sottovoce.rulesets.delegation.rules.names import FOLDER, USER, Artifact, Part, Round, Step, named

if TYPE_CHECKING:
    from sottovoce.rulesets.delegation.rules.state import DelegationState, Task

_REVIEWER = re.compile(r"^Reviewer: *(\S.*)$", re.MULTILINE)


class Action:
    """An action of the workflow.

    It is due in `steps` of a task, goes from its `sender` to its `receiver`, and brings the task to the step `then`.
    `artifact` is what its file is, `file` how that is called, `sent` what is sent, `note` what its message tells where
    the sender says nothing else (D-059), `deed` what its sender does by it. `rules` are those of its round and path.
    """

    name: ClassVar[str]
    steps: ClassVar[tuple[Step, ...]]
    then: ClassVar[Step]
    sender: ClassVar[Part]
    receiver: ClassVar[Part | Literal["user"]]
    artifact: ClassVar[Artifact] = "report"
    file: ClassVar[str] = "review-report-r{round}.md"
    rules: ClassVar[tuple[str, str]]
    sent: ClassVar[str] = "this"
    note: ClassVar[str]
    deed: ClassVar[str]
    mood: ClassVar[Mood] = ""
    chapter: ClassVar[tuple[str, Literal[2, 3]] | None] = None
    opens: ClassVar[bool] = False
    """Whether it opens a task."""
    begins_round: ClassVar[bool] = False
    """Whether it begins the round that it has."""
    discloses: ClassVar[bool] = False
    """Whether the first one opens the task file to its receiver (D-022)."""
    concludes: ClassVar[bool] = False
    """Whether it concludes a round, with a report."""
    final: ClassVar[bool] = False
    """Whether it has the round `final` (D-010)."""
    to_itself: ClassVar[str] = "name another session than the sender (D-007)"

    def round(self, task: Task) -> Round:
        """The round that its message has next."""
        return task.round

    def path(self, task_id: str, round: Round) -> str:
        """The one path that its artifact may have."""
        return f"{FOLDER}/{task_id}/{self.file.format(task=task_id, round=round)}"

    def due_path(self, task: Task) -> str:
        """The path that its artifact has next."""
        return self.path(task.task_id, self.round(task))

    def bound(self, task: Task) -> str | None:
        """Whom it has to go to (D-018); None while that is its sender's to say."""
        return USER if self.receiver == USER else getattr(task, self.receiver)

    def whom(self, state: DelegationState, task: Task) -> str | None:
        """Whom it goes to where its sender does not say it, as far as they can know."""
        return self.bound(task)

    def untimely(self, task: Task) -> str:
        """Why it does not fit the step, by what its sender may know."""
        raise NotImplementedError

    def check_report(self, state: DelegationState, task: Task, items: tuple[str, ...]) -> None:
        """Refused where the report with these must-fix items calls for another action."""

    def heading(self, task_id: str, round: Round) -> Heading | None:
        """The chapter that its message begins, if it does."""
        if self.chapter is None:
            return None
        text, level = self.chapter
        return Heading(text.format(task=named(task_id), round=round), level)


class DelegateTask(Action):
    """The planner opens a task and binds its executor (D-024 to D-027)."""

    name = "execute_delegate_task"
    steps = ("proposed",)
    then = "delegated"
    sender = "planner"
    receiver = "executor"
    artifact = "task"
    file = "delegate-task-{task}.md"
    rules = ("D-024", "D-025")
    sent = "a task"
    note = (
        "Follow the task file and work in the branch task/{task}. When a first version is there, "
        "commit it and prepare a review request."
    )
    deed = "delegates the task"
    chapter = ("Task {task}", 2)
    opens = True

    def round(self, task: Task) -> Round:
        return 1

    def bound(self, task: Task) -> str | None:
        return None

    def whom(self, state: DelegationState, task: Task) -> str | None:
        return task.meant[1] if task.meant else None


class ReviewRequested(Action):
    """The executor asks for the review of the next round; the first one binds the reviewer (D-028 to D-032)."""

    name = "review_requested"
    steps = ("delegated", "rework", "iterating")
    then = "review"
    sender = "executor"
    receiver = "reviewer"
    artifact = "request"
    file = "review-request-r{round}.md"
    rules = ("D-028", "D-029")
    sent = "a review request"
    note = (
        "Please read the review request and write a full review report, then send the next control "
        "message yourself: rework if anything must be fixed, otherwise a stop recommendation to the user."
    )
    deed = "requests a review"
    chapter = ("Round {round} of {task}", 3)
    begins_round = True
    discloses = True

    def round(self, task: Task) -> Round:
        return task.round + 1

    def whom(self, state: DelegationState, task: Task) -> str | None:
        """An executor learns the reviewer from the line `Reviewer: NAME` of the task file."""
        if task.reviewer is not None:
            return task.reviewer
        filed = task.files.get(DelegateTask().path(task.task_id, 1))
        named = _REVIEWER.search(filed.text or "") if filed else None
        meant = (the_one(name, state.sessions) for name in (named and named[1].rstrip(" "), "reviewer") if name)
        return next(filter(None, meant), None)

    def untimely(self, task: Task) -> str:
        return f"you wait until round {task.round} is answered and handed back to you (D-031, D-032)"


class Reviewing(Action):
    """An action of the reviewer's."""

    sender = "reviewer"
    early: ClassVar[str] = "no review request is open (D-037)"
    guarded: ClassVar[str] = "nothing is left to review; the user closes the task (D-054, D-062)"

    def untimely(self, task: Task) -> str:
        match task.step:
            case "closing":
                return "the closeout has ended the loop (D-055)"
            case "guarded":
                return self.guarded
            case "instructed":
                return Reviewing.guarded
            case "stopped":
                return "you recommended stopping; wait until the user has decided (D-045)"
        return self.early


class ReworkRequired(Reviewing):
    """The reviewer sends the work back with a report of what must be fixed (D-034 to D-037)."""

    name = "rework_required"
    steps = ("review",)
    then = "rework"
    receiver = "executor"
    rules = ("D-034", "D-035")
    concludes = True
    note = "Must-fix items remain. Please fix what the report lists and send a review request for the next round."
    deed = "requires rework"
    mood = "warn"

    def check_report(self, state: DelegationState, task: Task, items: tuple[str, ...]) -> None:
        """Not without an item, nor in the last round, nor where nothing was mended (D-041, D-042, D-061)."""
        if not items:
            raise Refused("action: the report lists no item under '## Must-fix'; recommend stopping instead (D-061).")
        capped = task.round >= state.options.max_rounds
        if capped or task.stalled(items):
            why = f"round {task.round} is the last" if capped else "two reports in a row list the same items"
            raise Refused(f"action: {why}; recommend stopping instead (D-042).")


class StopRecommended(Reviewing):
    """The reviewer recommends the user to stop: nothing is left, or it makes no sense to go on (D-038 to D-042)."""

    name = "stop_recommended"
    steps = ("review",)
    then = "stopped"
    receiver = "user"
    rules = ("D-038", "D-039")
    concludes = True
    note = (
        "A stop condition is met: no must-fix item is left, the last round is reached, or there is no "
        "progress. Please confirm acceptance and closeout, or ask for another iteration."
    )
    deed = "recommends stopping"
    mood = "good"
    chapter = ("The user decides on {task}", 3)

    def check_report(self, state: DelegationState, task: Task, items: tuple[str, ...]) -> None:
        """Not while there is something to fix that can be fixed (D-061), nor while a check fails (D-066)."""
        if task.round >= state.options.max_rounds or task.stalled(items):
            return
        offered = task.code.get(task.round)
        if state.options.checks == "required" and offered is not None and offered.failing:
            check = offered.failing[0]
            raise Refused(
                f"action: the check {check.name} {check.result}, and checks must pass; require rework, with that as an "
                "item under '## Must-fix' (D-066)."
            )
        if items:
            raise Refused("action: must-fix items remain and no other stop condition holds; require rework (D-061).")


class IterationRequested(Reviewing):
    """The reviewer passes on to the executor that the user wants another iteration (D-046 to D-049)."""

    name = "user_requested_iteration"
    steps = ("requested",)
    then = "iterating"
    receiver = "executor"
    rules = ("D-046", "D-047")
    note = "The user wants another pass. Please do the follow-ups and send a new review request."
    deed = "passes on that the user wants another iteration"
    chapter = ("Another iteration of {task}", 3)
    early = "the user has asked for no further iteration (D-049)"


class CloseoutDelivered(Reviewing):
    """The reviewer hands the accepted work over to the planner (D-050 to D-054)."""

    name = "closeout_delivered"
    steps = ("accepted",)
    then = "closing"
    receiver = "planner"
    artifact = "closeout"
    file = "closeout-{task}.md"
    rules = ("D-050", "D-051")
    note = (
        "The review loop is complete and the user has confirmed. Please merge the branch task/{task} "
        "and update the progress records; planning a next task is up to you."
    )
    deed = "delivers the closeout"
    mood = "good"
    chapter = ("Closing {task}", 3)
    final = True
    early = "the user has not accepted (D-053)"
    guarded = to_itself = "you are also the planner, so there is no one to send this to; wait for the user (D-054)"

    def round(self, task: Task) -> Round:
        return "final"


_SIX = (DelegateTask, ReviewRequested, ReworkRequired, StopRecommended, IterationRequested, CloseoutDelivered)

ACTIONS: Mapping[str, Action] = {kind.name: kind() for kind in _SIX}
"""The six by name."""


def artifact_path(action: str, task_id: str, round: Round) -> str:
    """The one path that the artifact of a workflow message may have."""
    return ACTIONS[action].path(task_id, round)
