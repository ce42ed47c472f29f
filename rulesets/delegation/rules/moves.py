"""What a text comes to: a control message, a choice, skills declared; what the user orders is in `orders.py`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sottovoce import Answer, Game, Refused
from sottovoce.rulesets.delegation.rules import events
from sottovoce.rulesets.delegation.rules.actions import (
    ACTIONS,
    CloseoutDelivered,
    DelegateTask,
    IterationRequested,
    ReviewRequested,
    ReworkRequired,
    StopRecommended,
    artifact_path,
)
from sottovoce.rulesets.delegation.rules.artifacts import Contents, contents
from sottovoce.rulesets.delegation.rules.evidence import Evidence, Fault, FoundCode, FoundWorkspace
from sottovoce.rulesets.delegation.rules.messages import ControlMessage
from sottovoce.rulesets.delegation.rules.names import ANSWER, USER
from sottovoce.rulesets.delegation.rules.permission import check
from sottovoce.rulesets.delegation.rules.remarks import Remark, remarks_of
from sottovoce.rulesets.delegation.rules.reports import missing_in
from sottovoce.rulesets.delegation.rules.state import DelegationState, OpenTurn, Task
from sottovoce.rulesets.delegation.rules.wishes import answers

Work = Game[DelegationState]


@dataclass(frozen=True, slots=True, kw_only=True)
class Move(Answer):
    """What one text comes to. `text` is the whole of it."""

    text: str = ""

    def make(self, work: Work, seat: str, turn: OpenTurn | None) -> None:
        """What the move does: the facts that it becomes, and the turn that it closes; Refused where it may not."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class Declare(Move):
    """A session says which skills it has loaded."""

    skills: tuple[str, ...]

    def make(self, work: Work, seat: str, turn: OpenTurn | None) -> None:
        if seat == USER:
            raise Refused("The user needs no skills (D-023).")
        work.emit(events.SkillsDeclared(session=seat, skills=self.skills))


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken(Move):
    """A malformed message without a turn, about a task that waits for its sender."""

    task_id: str
    why: str

    def make(self, work: Work, seat: str, turn: OpenTurn | None) -> None:
        """It fails as an attempt at the turn that it should have answered (D-056)."""
        asked = work.state.step_turn(seat, self.task_id)
        if asked is None:
            raise Refused(self.why)
        work.fail(asked, "invalid", self.text, self.why)


@dataclass(frozen=True, slots=True, kw_only=True)
class Send(Move):
    """A control message. `carried` is the text of its artifact where the reply brings it along, `remarks` what stands
    beside it about lines of the code."""

    message: ControlMessage
    carried: str | None = None
    remarks: tuple[Any, ...] = ()

    def make(self, work: Work, seat: str, turn: OpenTurn | None) -> None:
        message = self.message
        try:
            found = self._checked(work, seat, turn)
        except Refused as refusal:
            if turn is not None or not message.workflow:
                raise
            Broken(task_id=message.task_id, text=self.text, why=str(refusal)).make(work, seat, turn)
            return
        answered = turn or self._answered(work.state, seat)
        if answered is not None:
            work.accept(answered, self.text, message.action)
        self._deliver(work, seat, found)
        if answered is not None and answered.for_step and not message.workflow:
            self._ask_back(work)

    def _checked(self, work: Work, seat: str, turn: OpenTurn | None) -> Contents | None:
        message = self.message
        if turn is not None:
            turn.takes(work.state, message)
        check(work.state, seat, message)
        task = work.state.tasks.get(message.task_id)
        found = contents(work.files, task, message, self.carried)
        if message.workflow and task is not None and found is not None:
            ACTIONS[message.action].check_report(work.state, task, found.must_fix)
        if message.workflow:
            evident(work, message.task_id)
        self._remarks(work, found)
        return found

    def _remarks(self, work: Work, found: Contents | None) -> tuple[Remark, ...]:
        """What a report says of lines of the code; Refused where it names one that is not there."""
        action = ACTIONS.get(self.message.action)
        if action is None or not action.concludes:
            return ()
        code = work.state.task(self.message.task_id).code
        return remarks_of(found.text if found is not None else None, self.remarks, code)

    def _answered(self, state: DelegationState, seat: str) -> OpenTurn | None:
        """The turn that it answers unprompted."""
        message = self.message
        if message.workflow:
            return state.step_turn(seat, message.task_id)
        asked = state.answers_to(message.to_session_id, message.task_id)
        return next((turn for turn in asked if turn.seat == seat), None)

    def _ask_back(self, work: Work) -> None:
        """Ask the receiver for an answer, if it is one that may write about the task."""
        seat, task = self.message.to_session_id, work.state.tasks[self.message.task_id]
        if seat == USER or task.parts(seat):
            ask(work, seat, task, ANSWER)

    def _deliver(self, work: Work, seat: str, found: Contents | None) -> None:
        message, action = self.message, ACTIONS.get(self.message.action)
        before = work.state.task(message.task_id)
        work.emit(events.MessageSent(message=message))
        if found is not None and found.fresh:
            listed_before = before.reports.get(before.round - 1, ())
            new = missing_in(listed_before, found.must_fix)
            work.emit(
                events.ArtifactFiled(
                    task_id=message.task_id,
                    kind=action.artifact if action else "other",
                    session=seat,
                    round=message.round if action and message.round != "final" else None,
                    path=message.artifact_path,
                    sha256=found.sha256,
                    size=len(found.data),
                    text=found.text,
                    must_fix=found.must_fix,
                    again=tuple(item for item in found.must_fix if item not in new),
                    closed=missing_in(found.must_fix, listed_before) if found.report else (),
                )
            )
        if action and action.discloses and before.reviewer is None:
            _disclose(work, before, message.to_session_id)
        if remarks := self._remarks(work, found):
            round = work.state.task(message.task_id).round
            work.emit(events.RemarksMade(task_id=message.task_id, round=round, session=seat, remarks=remarks))
        _record_items(work, before, message, found)
        _record_evidence(work, message)


def _record_items(work: Work, before: Task, message: ControlMessage, found: Contents | None) -> None:
    """What the user asked for reaches the executor, is answered in its files, and is told where it is left (D-069)."""
    task_id, open_items = message.task_id, before.unsettled
    if not open_items:
        return
    text = (found.text if found is not None else None) or ""
    match message.action:
        case IterationRequested.name:
            known = sorted(wish.number for wish in open_items if wish.executor is None)
            if known:
                passed = [before.wanted[number] for number in range(known[0], known[-1] + 1)]
                work.emit(
                    events.ItemsPassedOn(
                        task_id=task_id,
                        to=message.to_session_id,
                        first=known[0],
                        items=tuple(wish.text for wish in passed if wish.remark is None),
                        remarks=tuple(wish.remark for wish in passed if wish.remark is not None),
                    )
                )
        case ReviewRequested.name | ReworkRequired.name | StopRecommended.name:
            given = answers(text, (wish.number for wish in open_items))
            round = work.state.task(task_id).round
            session = message.from_session_id
            work.emit(events.ItemsAnswered(task_id=task_id, round=round, session=session, answers=given))
        case CloseoutDelivered.name:
            left = tuple((wish.number, wish.text, wish.stands) for wish in open_items)
            work.emit(events.ItemsLeft(task_id=task_id, items=left))


def evident(work: Work, task_id: str) -> Evidence | None:
    """What the server found in the repository for the task; Refused where something there is at fault."""
    found: Evidence | None = work.evidence
    if found is None or found.task_id != task_id:
        return None
    if isinstance(found, Fault):
        raise Refused(found.why)
    return found


def _record_evidence(work: Work, message: ControlMessage) -> None:
    """Where the task is worked on (D-064), or the code of the round with its checks (D-065, D-066)."""
    task_id, found = message.task_id, evident(work, message.task_id)
    if isinstance(found, FoundWorkspace) and message.action == DelegateTask.name:
        space = found.workspace
        work.emit(
            events.WorkspaceOpened(
                task_id=task_id,
                kind=space.kind,
                branch=space.branch,
                base=space.base,
                target=space.target,
                target_at=space.target_at,
            )
        )
    elif isinstance(found, FoundCode) and message.action == ReviewRequested.name:
        round, offered = work.state.task(task_id).round, found.offered
        work.emit(
            events.CodeOffered(
                task_id=task_id,
                round=round,
                session=message.from_session_id,
                base=offered.base,
                head=offered.head,
                whole=offered.whole,
                since=offered.since,
                committed_by_server=found.committed,
            )
        )
        for check in offered.checks:
            work.emit(events.CheckRan(task_id=task_id, round=round, head=offered.head, check=check))


def _disclose(work: Work, task: Task, reviewer: str) -> None:
    """The reviewer comes to see the task at the first review request; a reviewer who planned it has it (D-022)."""
    path = artifact_path(DelegateTask.name, task.task_id, 1)
    filed = task.files.get(path)
    if filed is not None and reviewer != task.planner:
        work.emit(
            events.ArtifactDisclosed(task_id=task.task_id, to=reviewer, path=path, sha256=filed.sha256, text=filed.text)
        )


def ask(work: Work, seat: str, task: Task, kind: str, choices: tuple[str, ...] = ()) -> None:
    """Open a turn about a task. The user has no time limit."""
    options = work.state.options
    work.emit(events.TurnAssigned(seat=seat, turn=work.state.opened.get(seat, 0) + 1, task_id=task.task_id))
    seconds = None if seat == USER else options.session_seconds
    work.ask(seat, kind, choices, attempts=options.max_attempts, seconds=seconds)
