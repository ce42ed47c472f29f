"""The kinds of turn: what each asks, how a reply to it is read, what follows, and what silence means."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from sottovoce import Among, Event, Failure, Game, Refused, withdraw_and_hold
from sottovoce.rulesets.delegation.rules import events, prompts
from sottovoce.rulesets.delegation.rules.composition import ANSWERED, checked, compose_words
from sottovoce.rulesets.delegation.rules.evidence import FoundMerge
from sottovoce.rulesets.delegation.rules.forms import Decided, Reported
from sottovoce.rulesets.delegation.rules.messages import ControlMessage
from sottovoce.rulesets.delegation.rules.moves import Move, Send, evident
from sottovoce.rulesets.delegation.rules.names import ANSWER, Step
from sottovoce.rulesets.delegation.rules.remarks import HEADING, remarks_in
from sottovoce.rulesets.delegation.rules.state import DelegationState, Task
from sottovoce.rulesets.delegation.rules.task_turns import ChoiceTurn, MessageTurn, TaskTurn
from sottovoce.rulesets.delegation.rules.wishes import wishes

State = DelegationState
Work = Game[State]
Lines = Iterable[str]


class AnswerTurn(TaskTurn, kind=ANSWER):
    """Answer somebody's question, which they asked before they go on."""

    for_step = False

    def asks(self, state: State, task: Task) -> str:
        heard = state.heard.get((self.seat, task.task_id))
        asker = heard.from_session_id if heard is not None else "whoever asked"
        return f"{asker} asks before going on. Answer in your own words; {asker} and the user read them."

    def read(self, state: State, text: str) -> Move:
        task = state.task_of(self.seat, self.number)
        asked = state.heard.get((self.seat, task.task_id)) if task else None
        if task is None or asked is None:
            raise Refused("There is no open question about this task. Send a control message as JSON.")
        message = compose_words(state, task, self.seat, ANSWERED, asked.from_session_id, text)
        return Send(message=checked(state, message))

    def takes(self, state: State, message: ControlMessage) -> None:
        self.check_task(state, message)
        if message.workflow:
            raise Refused(f"action: this turn asks for an answer; send {message.action} without a turn (D-012).")

    def lapse(self, work: Work, reason: Failure) -> None:
        """Whoever asked is asked for the step again, and goes on without an answer."""
        work.withdraw(self)


class Delegate(MessageTurn, kind="delegate", choices=("execute_delegate_task",)):
    """Write the task file: what is to be done, and how it will be checked."""

    steps = ("proposed",)

    def lines(self, state: State, task: Task) -> Lines:
        _, executor, reviewer = task.meant or ("", "", "")
        yield prompts.quoted("The user's brief", task.brief or "")
        yield f"Meant for it: executor {executor}, reviewer {reviewer}."
        yield self.file(task)

    def asks(self, state: State, task: Task) -> str:
        _, executor, reviewer = task.meant or ("", "", "")
        return (
            f"Write the task file for {executor}: what is to be done, how it will be checked, and a line "
            f"`Reviewer: {reviewer}`."
        )


class Implement(MessageTurn, kind="implement", choices=("review_requested",)):
    """Do the work of a round, and request its review."""

    steps = ("delegated", "rework", "iterating")

    def lines(self, state: State, task: Task) -> Lines:
        yield from prompts.last_note(task)
        if task.step == "rework":
            yield from prompts.items(task, task.round, "To be fixed")
            yield from prompts.remarks(task, task.round)
        yield from prompts.wanted(task)
        yield from prompts.code(state, task)
        yield from prompts.workplace(state, task)
        yield self.file(task)

    def asks(self, state: State, task: Task) -> str:
        whom = task.reviewer or "the reviewer that the task file names, or to the one in a line `to: NAME`"
        did = {"delegated": "Do the task", "rework": "Fix what the report lists"}.get(task.step, "Do the follow-ups")
        return f"{did}, then request the review of round {task.round + 1}. It goes to {whom}."


class Review(MessageTurn, kind="review", choices=("rework_required", "stop_recommended")):
    """Review the work of a round; in the last one there is nothing left to choose."""

    steps = ("review",)
    fields = Reported

    @classmethod
    def choices_in(cls, state: State, task: Task) -> tuple[str, ...]:
        last = task.round >= state.options.max_rounds
        return cls.usual_choices[1:] if last else cls.usual_choices

    def lines(self, state: State, task: Task) -> Lines:
        yield from prompts.last_note(task)
        yield from prompts.items(task, task.round - 1, f"Asked for in round {task.round - 1}")
        yield from prompts.remarks(task, task.round - 1)
        yield from prompts.wanted(task)
        yield from prompts.code(state, task)
        yield self.file(task)

    def among(self, state: State) -> Among:
        """Remarks only where there is code that they can be about."""
        return {**super().among(state), **({} if self.task(state).code else {"remarks": ()})}

    def asks(self, state: State, task: Task) -> str:
        cap = "This is the last round: recommend stopping, whatever is left."
        if task.round < state.options.max_rounds:
            cap = (
                "If anything must be fixed, and it is not the same as last time, answer rework_required; "
                "otherwise stop_recommended."
            )
        at_lines = ""
        if task.code:
            at_lines = (
                "An item about a line of the code begins with it: `- path/file.py:12: what to do`; what need not be "
                f"fixed stands under `## {HEADING}` in the same form. "
            )
        return (
            "Review the work of this round and write the report; what must be fixed stands as list items under "
            f"`## Must-fix`. {at_lines}{cap}"
        )


class HandBack(MessageTurn, kind="hand-back", choices=("user_requested_iteration",)):
    """Pass it on to the executor, with what the user wants as the note."""

    steps = ("requested",)

    def lines(self, state: State, task: Task) -> Lines:
        at_lines = [wish for wish in task.unsettled if wish.remark is not None and wish.executor is None]
        usual = "what is said at the lines below" if at_lines else "another iteration"
        yield prompts.quoted("The user asks for", task.asked or usual)
        for wish in at_lines[: prompts.MOST_WISHES]:
            yield from prompts.wished(task, wish, f"Item {wish.number}")

    def how(self, state: State) -> str:
        return "Answer user_requested_iteration on the first line and, below it, `note: …`."


class Close(MessageTurn, kind="close", choices=("closeout_delivered",)):
    """Write the closeout: hand the accepted work over to the planner."""

    steps = ("accepted",)

    def lines(self, state: State, task: Task) -> Lines:
        yield prompts.quoted("The user accepts", task.asked) if task.asked else "The user accepts."
        yield from prompts.left(task)
        yield self.file(task)

    def asks(self, state: State, task: Task) -> str:
        return f"Write the closeout for {task.planner}: what was done, and what is left."


class Decide(ChoiceTurn, kind="decide", choices=("accept", "iterate")):
    """Accept the work, or have another iteration and say what is to be done?"""

    steps = ("stopped",)
    fields = Decided

    def lines(self, state: State, task: Task) -> Lines:
        return prompts.summary(state, task)

    def form(self, state: State) -> Any:
        """A choice with words needs no form; remarks at lines do."""
        return super().form(state) if self.task(state).code else None

    def among(self, state: State) -> Among:
        return {"choice": self.choices}

    def written(self, state: State, answer: Any) -> str:
        return str(answer)

    def from_json(self, state: State, text: str) -> str | None:
        try:
            given = json.loads(text)
        except (ValueError, RecursionError):
            return None
        if not isinstance(given, dict) or "choice" not in given:
            return None
        try:
            return str(Decided.model_validate(given))
        except ValidationError as error:
            wrong = error.errors()[0]
            field = ".".join(map(str, wrong["loc"]))
            raise Refused(f"Invalid answer: the field {field!r} is wrong: {wrong['msg'].lower()}.") from None

    def how(self, state: State) -> str:
        if not self.task(state).code:
            return ""
        return "Remarks at lines of the code can follow, each in one line: `path/file.py:12: what to do`."

    def becomes(self, state: State) -> Mapping[str, Event]:
        return {"": events.StopDecided(task_id=self.task(state).task_id, decision="accept", words="")}

    def decided(self, work: Work, task: Task, choice: Any, words: str) -> None:
        words, remarks = remarks_in(words, task.code)
        noted = remarks if choice == "accept" else ()
        work.emit(events.StopDecided(task_id=task.task_id, decision=choice, words=words, remarks=noted))
        items = wishes(words)
        if choice == "iterate" and (items or remarks):
            first = max(task.wanted, default=0) + 1
            work.emit(events.ItemsAsked(task_id=task.task_id, first=first, items=items, remarks=remarks))


class Instruct(ChoiceTurn, kind="instruct", choices=("close",)):
    """Have the planner close what it cannot hand over to itself."""

    steps = ("guarded",)

    def lines(self, state: State, task: Task) -> Lines:
        yield f"{task.planner} planned the task and reviewed it too, so nobody can hand it over."

    def asks(self, state: State, task: Task) -> str:
        return f"Answer close to have {task.planner} close the task."

    def becomes(self, state: State) -> Mapping[str, Event]:
        return {"": events.ClosingInstructed(task_id=self.task(state).task_id, words="")}

    def decided(self, work: Work, task: Task, choice: Any, words: str) -> None:
        work.emit(events.ClosingInstructed(task_id=task.task_id, words=words))


class Record(ChoiceTurn, kind="record", choices=("merged", "progress")):
    """Merge the branch, or update the progress records, in any order."""

    steps = ("instructed", "closing")

    @classmethod
    def choices_in(cls, state: State, task: Task) -> tuple[str, ...]:
        return tuple(choice for choice in cls.usual_choices if not getattr(task, choice))

    def lines(self, state: State, task: Task) -> Lines:
        done = [work for work in self.usual_choices if getattr(task, work)]
        if done:
            yield f"Recorded already: {', '.join(done)}."
        else:
            yield from prompts.last_note(task)
        if task.workspace is not None and not task.merged:
            yield f"Merge {task.workspace.branch} into {task.workspace.target}. The server looks whether it is there."

    def asks(self, state: State, task: Task) -> str:
        asked: Mapping[str, str] = {
            "merged": f"merge the branch task/{task.task_id} and answer merged",
            "progress": "update the progress records and answer progress",
        }
        todo = " or ".join(asked[choice] for choice in self.choices)
        return f"{todo[0].upper()}{todo[1:]}, with a few words on what you did."

    def becomes(self, state: State) -> Mapping[str, Event]:
        task = self.task(state)
        return {"": events.WorkRecorded(task_id=task.task_id, session=self.seat, work="merged", words="")}

    def decided(self, work: Work, task: Task, choice: Any, words: str) -> None:
        found = evident(work, task.task_id) if choice == "merged" else None
        merge = found if isinstance(found, FoundMerge) else None
        must = work.state.options.merge_check == "required" and task.workspace is not None and choice == "merged"
        if must and (merge is None or merge.found == "none"):
            raise Refused(prompts.not_merged(task, merge))
        work.emit(events.WorkRecorded(task_id=task.task_id, session=self.seat, work=choice, words=words))
        if merge is not None:
            work.emit(
                events.MergeChecked(
                    task_id=task.task_id,
                    session=self.seat,
                    head=merge.head,
                    target=merge.target,
                    tip=merge.tip,
                    found=merge.found,
                    commit=merge.commit,
                    conflicts=merge.conflicts,
                )
            )


class Hold(ChoiceTurn, kind="hold", choices=("resume", "abandon")):
    """Resume the task, with fresh attempts for the one awaited, or abandon it for good?"""

    def lines(self, state: State, task: Task) -> Lines:
        return [f"Waiting for {task.held.waiting_for}: {task.held.why}"] if task.held else []

    def becomes(self, state: State) -> Mapping[str, Event]:
        task = self.task(state)
        return {"": events.TaskResumed(task_id=task.task_id, waiting_for=task.held.waiting_for)} if task.held else {}

    def decided(self, work: Work, task: Task, choice: Any, words: str) -> None:
        if task.held is not None:
            decided = events.TaskResumed if choice == "resume" else events.TaskAbandoned
            work.emit(decided(task_id=task.task_id, waiting_for=task.held.waiting_for))

    def lapse(self, work: Work, reason: Failure) -> None:
        """Everybody's work stops, so everybody may know, and of no more than that."""
        withdraw_and_hold(work, self, "Nothing goes on without the user.")


KINDS = (Delegate, Implement, Review, HandBack, Close, Decide, Instruct, Record, Hold, AnswerTurn)
BY_STEP: Mapping[Step, type[TaskTurn]] = {step: kind for kind in KINDS for step in kind.steps}
"""The kind of turn that each step asks for."""
USERS = (Decide, Instruct, Hold, AnswerTurn)
SESSIONS = (Delegate, Implement, Review, HandBack, Close, Record, AnswerTurn)
"""The kinds that the user, and all others, may be asked."""
