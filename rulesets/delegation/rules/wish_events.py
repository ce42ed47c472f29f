"""The facts of what the user asks for with another iteration (D-069)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sottovoce import Chair, Event, Grid, Piece, named_in, plainly, spoken, those
from sottovoce.rulesets.delegation.rules.deliveries import TASK, user
from sottovoce.rulesets.delegation.rules.names import USER, in_brackets, named
from sottovoce.rulesets.delegation.rules.remarks import Remark
from sottovoce.rulesets.delegation.rules.state import DelegationState
from sottovoce.rulesets.delegation.rules.wishes import Answer, with_answers, with_items

State = DelegationState

REMARK = Remark("notes.md", 1, 1, "new", 1, "Tidy.", "Say what is tidy.")
"""A remark at the line of the example of the code."""


@those
def reviewer_of(state: State, event: Any) -> Iterable[str]:
    """the reviewer"""
    return filter(None, (state.task(event.task_id).reviewer,))


@those
def both_sides(state: State, event: Any) -> Iterable[str]:
    """the executor, the reviewer"""
    task = state.task(event.task_id)
    return filter(None, (task.executor, task.reviewer))


class ItemsAsked(Event[State], name="delegation.items-asked.v1", seen_by=reviewer_of | user, by=user):
    """What the user asks for with another iteration, numbered from `first`: the items, then the remarks (D-069)."""

    task_id: str
    first: int
    items: tuple[str, ...]
    remarks: tuple[Remark, ...] = ()

    example = {"task_id": TASK, "first": 1, "items": ("Add a title.",), "remarks": (REMARK,)}

    def fold(self, state: State) -> State:
        task = state.task(self.task_id)
        return state.with_task(self.task_id, wanted=with_items(task.wanted, self.first, self.items, self.remarks))

    def tell(self, chair: Chair) -> Piece:
        return _listed(self.task_id, self.first, self.items, self.remarks)


class ItemsPassedOn(Event[State], name="delegation.items-passed-on.v1", seen_by=named_in("to")):
    """The executor learns the items when the reviewer passes the iteration on."""

    task_id: str
    to: str
    first: int
    items: tuple[str, ...]
    remarks: tuple[Remark, ...] = ()

    example = {"task_id": TASK, "to": "executor", "first": 1, "items": ("Add a title.",), "remarks": (REMARK,)}

    def fold(self, state: State) -> State:
        task = state.task(self.task_id)
        return state.with_task(self.task_id, wanted=with_items(task.wanted, self.first, self.items, self.remarks))

    def tell(self, chair: Chair) -> Piece:
        return _listed(self.task_id, self.first, self.items, self.remarks)


class ItemsAnswered(
    Event[State], name="delegation.items-answered.v1", seen_by=both_sides | user, by=named_in("session")
):
    """What a review request or a report says of each item that is open (D-069)."""

    task_id: str
    round: int
    session: str
    answers: tuple[Answer, ...]

    example = {
        "task_id": TASK,
        "round": 2,
        "session": "executor",
        "answers": (Answer(1, True, "It is on top."), Answer(2)),
    }

    def fold(self, state: State) -> State:
        task = state.task(self.task_id)
        wanted = with_answers(task.wanted, self.answers, by_reviewer=self.session == task.reviewer)
        return state.with_task(self.task_id, wanted=wanted)

    def tell(self, chair: Chair) -> Piece:
        rows = [(str(one.number), _says(one.done), plainly(one.words)) for one in self.answers]
        about = in_brackets(self.task_id, f"round {self.round}")
        missing = sum(one.done is None for one in self.answers)
        undone = sum(one.done is False for one in self.answers)
        lead = f"{undone} not done, {missing} not answered." if undone or missing else "All are done."
        return Piece(
            lead,
            "list",
            self.session,
            words=spoken(self.session, "\n".join(f"{number}. {said}: {words}" for number, said, words in rows)),
            title=f"What {chair.listed(self.session)} says of the items asked for {about}",
            private="",
            mood="warn" if undone or missing else "good",
            grid=Grid(("Item", "", "Words"), tuple(rows)),
        )


class ItemsLeft(Event[State], name="delegation.items-left.v1", seen_by=reviewer_of | user):
    """What was asked for and is not done when the close-out is delivered (D-069)."""

    task_id: str
    items: tuple[tuple[int, str, str], ...]
    """Each with its number, its text, and what became of it."""

    example = {"task_id": TASK, "items": ((2, "Add a picture.", "not done"),)}

    def fold(self, state: State) -> State:
        return state

    def tell(self, chair: Chair) -> Piece:
        rows = tuple((str(number), plainly(text), what) for number, text, what in self.items)
        return Piece(
            f"{len(self.items)} of what was asked for {'is' if len(self.items) == 1 else 'are'} not done.",
            "list",
            words=spoken(USER, "\n".join(f"{number}. {text}" for number, text, _ in rows)),
            title=f"Left of {named(self.task_id)}",
            private="",
            mood="warn",
            grid=Grid(("Item", "Asked for", ""), rows),
        )


class RemarksMade(Event[State], name="delegation.remarks-made.v1", seen_by=both_sides | user, by=named_in("session")):
    """What a reviewer's report says of lines of the code (R-001)."""

    task_id: str
    round: int
    session: str
    remarks: tuple[Remark, ...]

    example = {"task_id": TASK, "round": 1, "session": "reviewer", "remarks": (REMARK,)}

    def fold(self, state: State) -> State:
        task = state.task(self.task_id)
        return state.with_task(self.task_id, remarks={**task.remarks, self.round: self.remarks})

    def tell(self, chair: Chair) -> Piece:
        return remarked(
            chair, self.session, self.remarks, f"Remarks at lines of {named(self.task_id)}, round {self.round}"
        )


def remarked(chair: Chair, who: str, remarks: tuple[Remark, ...], title: str) -> Piece:
    """Remarks as a list, each with its place."""
    return Piece(
        f"{chair.listed(who)} remarks on {len(remarks)} place{'' if len(remarks) == 1 else 's'} in the code.",
        "list",
        who,
        words=spoken(who, "\n".join(one.told for one in remarks)),
        title=title,
        private="",
        grid=Grid(("Line", "Remark"), tuple((plainly(one.place), plainly(one.text)) for one in remarks)),
    )


def _listed(task_id: str, first: int, texts: tuple[str, ...], remarks: tuple[Remark, ...]) -> Piece:
    items = (*texts, *(one.told for one in remarks))
    rows = tuple((str(number), plainly(text)) for number, text in enumerate(items, first))
    return Piece(
        f"{len(items)} item{'' if len(items) == 1 else 's'} for another iteration.",
        "list",
        USER,
        words=spoken(USER, "\n".join(f"{number}. {text}" for number, text in enumerate(items, first))),
        title=f"Asked for by the user {in_brackets(task_id)}",
        private="",
        grid=Grid(("Item", "Asked for"), rows),
    )


def _says(done: bool | None) -> str:
    return "not answered" if done is None else "done" if done else "not done"


WISH_EVENTS: tuple[type[Event], ...] = (ItemsAsked, ItemsPassedOn, ItemsAnswered, ItemsLeft, RemarksMade)
