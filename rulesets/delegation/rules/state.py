"""The state of delegated work.

The same state serves the full log and any seat's view of it: a task that a seat has not heard of is not there, and what
it does not know of one is empty. Nothing is concluded here: every step of a task is an event.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Self

from pydantic import ValidationInfo, field_validator

from sottovoce import HELD, NOTHING, Options, Refused, Table, Turn, option
from sottovoce.rulesets.delegation.rules.evidence import Merged, Offered, Workspace, WorkspaceKind
from sottovoce.rulesets.delegation.rules.messages import ControlMessage
from sottovoce.rulesets.delegation.rules.names import PARTS, SKILL, USER, Artifact, Part, Step
from sottovoce.rulesets.delegation.rules.remarks import Remark
from sottovoce.rulesets.delegation.rules.reports import same_items
from sottovoce.rulesets.delegation.rules.wishes import Wish

MOST_WORDS = 6
"""Messages outside the workflow that a task keeps at hand."""

STEPS: Mapping[Step, tuple[Part | Literal["user"], str]] = {
    "proposed": ("planner", "not yet delegated"),
    "delegated": ("executor", "work begins"),
    "review": ("reviewer", "in review"),
    "rework": ("executor", "rework"),
    "stopped": ("user", "stop recommended"),
    "accepted": ("reviewer", "accepted"),
    "requested": ("reviewer", "another iteration asked for"),
    "iterating": ("executor", "another iteration"),
    "guarded": ("user", "accepted, no handoff possible"),
    "instructed": ("planner", "closing"),
    "closing": ("planner", "closing"),
}
"""Who owes what comes after each step, and what the step is called."""


MOST_CHECKS = 20
"""Checks that a game may have."""
LONGEST_CHECK = 86_400
"""Seconds that a check may be allowed at most."""
_CHECK = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,39}")


def usual_unsaid(default: Any, title: str, about: str, **more: Any) -> Any:
    """An option of work in a repository, which the opening states only where it is not as usual."""
    return option(default, title, about, exclude_if=lambda value: value == default, **more)


class DelegationOptions(Options):
    """The rules options of delegation, each with its default."""

    max_rounds: int = option(
        5, "Rounds of a task", "How often the reviewer can send a task back (D-042).", ge=1, le=1000
    )
    max_note_chars: int = option(
        1000,
        "Characters of a note",
        "How long a note between sessions can be (D-016).",
        group="how it is told",
        ge=1,
        le=20_000,
    )
    max_attempts: int = option(
        3, "Attempts at a turn", "How often an answer can fail (D-056).", group="waiting", ge=1, le=100
    )
    session_seconds: float | None = option(
        None,
        "Seconds for a session",
        "Time limit of each attempt of a session (D-057). Empty for none.",
        group="waiting",
        gt=0,
        le=1e7,
    )
    skills: dict[str, tuple[str, ...]] = option(
        {}, "Skills", "The skills of sessions that declare others than the usual ones (D-023)."
    )
    workspace: WorkspaceKind = usual_unsaid(
        "none",
        "Where agents work",
        "Each task in a git worktree of its own, all in the checkout one turn at a time, or anywhere (D-064).",
    )
    target: str = usual_unsaid(
        "", "Branch to merge into", "The branch that tasks begin at and are merged into (D-064).", max_length=200
    )
    setup: str = usual_unsaid(
        "", "Set-up command", "Runs once in each new worktree, such as `npm ci` (D-064).", max_length=2000
    )
    check: dict[str, str] = usual_unsaid(
        {}, "Checks", "Commands that the server runs on the code of each round, by name (D-066)."
    )
    checks: Literal["note", "required"] = usual_unsaid(
        "note", "Failing checks", "With required, no stop can be recommended while a check fails (D-066)."
    )
    check_seconds: float = usual_unsaid(
        600.0, "Seconds for a check", "Time limit of each check and of the set-up (D-066).", gt=0, le=LONGEST_CHECK
    )
    check_limits: dict[str, float] = usual_unsaid(
        {}, "Seconds for some checks", "Time limits of checks that need another one than usual, by name (D-066)."
    )
    merge_check: Literal["note", "required", "off"] = usual_unsaid(
        "note", "Merge check", "With required, `merged` is refused while nothing of the work is found (D-067)."
    )
    diff_bytes: int = usual_unsaid(
        262_144, "Bytes of a diff", "How much of a diff the log keeps (D-065).", ge=0, le=4_194_304
    )

    @field_validator("check")
    @classmethod
    def _named(cls, check: dict[str, str]) -> dict[str, str]:
        """Names stand in the game's own voice, so each is a word."""
        for name, command in check.items():
            if not _CHECK.fullmatch(name) or not command.strip() or "\0" in command:
                raise ValueError('give checks as {"name": "command"}, the name of letters, digits and hyphens')
        if len(check) > MOST_CHECKS:
            raise ValueError(f"give at most {MOST_CHECKS} checks")
        return check

    @field_validator("check_limits")
    @classmethod
    def _limited(cls, limits: dict[str, float], info: ValidationInfo) -> dict[str, float]:
        for name, seconds in limits.items():
            if name not in info.data.get("check", {}):
                raise ValueError(f"there is no check {name!r}; name one of those in `check`")
            if not 0 < seconds <= LONGEST_CHECK:
                raise ValueError(f"give {name!r} more than 0 and at most {LONGEST_CHECK} seconds")
        return limits

    def seconds_for(self, check: str) -> float:
        """The time limit of a check, or of the set-up."""
        return self.check_limits.get(check, self.check_seconds)


@dataclass(frozen=True, slots=True)
class Filed:
    """A file that a message pointed to."""

    kind: Artifact
    round: int | None
    sha256: str
    text: str | None


@dataclass(frozen=True, slots=True)
class Held:
    """For whom a task is on hold, and why."""

    waiting_for: str
    why: str


@dataclass(frozen=True)
class Task:
    """One task as far as it is known here.

    `planner`, `executor` and `reviewer` are bound once a message has bound them; before that `meant` holds those whom
    the brief names. `round` is that of the last review request, 0 before the first. `reports` holds the must-fix items
    of each round's report. `asked` are the user's words when another iteration was asked for. `code` is what was
    offered in each round, `merge` what was found of it in the target branch. `wanted` are the items that the user asked
    for with other iterations, by number. `remarks` are those of each round's report at lines of the code, `noted` those
    of the user's acceptance.
    """

    task_id: str
    step: Step = "proposed"
    meant: tuple[str, str, str] | None = None
    brief: str | None = None
    planner: str | None = None
    executor: str | None = None
    reviewer: str | None = None
    round: int = 0
    messages: tuple[ControlMessage, ...] = ()
    files: Mapping[str, Filed] = field(default_factory=lambda: NOTHING)
    reports: Mapping[int, tuple[str, ...]] = field(default_factory=lambda: NOTHING)
    asked: str = ""
    merged: bool = False
    progress: bool = False
    held: Held | None = None
    abandoned: bool = False
    workspace: Workspace | None = None
    code: Mapping[int, Offered] = field(default_factory=lambda: NOTHING)
    merge: tuple[Merged, str | None] | None = None
    wanted: Mapping[int, Wish] = field(default_factory=lambda: NOTHING)
    remarks: Mapping[int, tuple[Remark, ...]] = field(default_factory=lambda: NOTHING)
    noted: tuple[Remark, ...] = ()

    @property
    def unsettled(self) -> list[Wish]:
        """The items asked for that the reviewer has not called done."""
        return [wish for wish in self.wanted.values() if not wish.settled]

    @property
    def offered(self) -> Offered | None:
        """The code that was offered last."""
        return self.code[max(self.code)] if self.code else None

    @property
    def complete(self) -> bool:
        """Merge and progress are both recorded (D-055)."""
        return self.merged and self.progress

    @property
    def ended(self) -> bool:
        return self.complete or self.abandoned

    @property
    def stands(self) -> str:
        """Where the task stands, in a few words."""
        if self.abandoned:
            return "abandoned"
        if self.complete:
            return "complete"
        if self.held is not None:
            return f"on hold, waiting for {self.held.waiting_for}"
        return STEPS[self.step][1]

    @property
    def lead(self) -> str | None:
        """The planner, before one is bound the one that is meant."""
        return self.planner or (self.meant[0] if self.meant else None)

    @property
    def awaited(self) -> str | None:
        """Who owes the next step, None where nobody does or it is not known."""
        if self.ended:
            return None
        return USER if self.held is not None else self.owing

    @property
    def owing(self) -> str | None:
        """Who owes the next step, a hold aside."""
        part = STEPS[self.step][0]
        return USER if part == "user" else self.lead if part == "planner" else self.holder(part)

    def holder(self, part: Part) -> str | None:
        """Who is bound to the part."""
        found: str | None = getattr(self, part)
        return found

    def parts(self, seat: str) -> tuple[Part, ...]:
        """The parts that a seat has."""
        return tuple(part for part in PARTS if seat == (self.lead if part == "planner" else self.holder(part)))

    def stalled(self, items: tuple[str, ...]) -> bool:
        """Whether the report of this round lists what the one before listed (D-042)."""
        return bool(items) and same_items(items, self.reports.get(self.round - 1, ()))


class DelegationState(Table, frozen=True):
    """Delegated work as far as it is known here. `assigned` gives the task of each open turn.

    What is said about a task outside the workflow does not belong to the task (D-012): `words` are the latest of those
    messages since the last workflow message, `heard` is the latest that each seat received about a task, and `asking`
    counts who has asked instead of taking its step since then.
    """

    options: DelegationOptions = DelegationOptions()
    folder: str | None = None
    turns: Mapping[tuple[str, int], OpenTurn] = NOTHING
    skills: Mapping[str, tuple[str, ...]] = NOTHING
    tasks: Mapping[str, Task] = NOTHING
    assigned: Mapping[tuple[str, int], str] = NOTHING
    words: Mapping[str, tuple[ControlMessage, ...]] = NOTHING
    heard: Mapping[tuple[str, str], ControlMessage] = NOTHING
    asking: Mapping[str, Mapping[str, int]] = NOTHING

    @property
    def sessions(self) -> tuple[str, ...]:
        """All seats but the user's."""
        return tuple(seat for seat in self.seats if seat != USER)

    @property
    def under_way(self) -> list[Task]:
        """The tasks that have not ended."""
        return [task for task in self.tasks.values() if not task.ended]

    def task(self, task_id: str) -> Task:
        """The task, with nothing known of it where it has not been heard of."""
        return self.tasks.get(task_id) or Task(task_id)

    def with_task(self, task_id: str, **changes: Any) -> DelegationState:
        """This state with some fields of a task replaced."""
        return self.but(tasks={**self.tasks, task_id: replace(self.task(task_id), **changes)})

    def task_of(self, seat: str, turn: int) -> Task | None:
        """The task that a turn is about."""
        return self.tasks.get(self.assigned.get((seat, turn), ""))

    def step_turn(self, seat: str, task_id: str) -> OpenTurn | None:
        """The seat's open turn that asks for the next step of a task."""
        return next((turn for turn in self._about(task_id) if turn.seat == seat and turn.for_step), None)

    def answers_to(self, asker: str, task_id: str) -> tuple[OpenTurn, ...]:
        """The open turns in which others are to answer what that seat asked about a task."""
        if not self.asked_by(asker, task_id):
            return ()
        return tuple(turn for turn in self._about(task_id) if not turn.for_step)

    def asked_by(self, seat: str, task_id: str) -> int:
        """How often the seat has asked something in place of the step that it owes."""
        times: Mapping[str, int] = self.asking.get(task_id, NOTHING)
        return times.get(seat, 0)

    def _about(self, task_id: str) -> Iterator[OpenTurn]:
        for key, about in self.assigned.items():
            if about == task_id and key in self.turns:
                yield self.turns[key]

    def answered(self, seat: str, number: int, choice: str | None, text: str) -> Self:
        """A question in place of the step that the turn asks for is counted."""
        turn, about, asking = self.turns.get((seat, number)), self.assigned.get((seat, number)), self.asking
        if turn is not None and about is not None and turn.put_off(choice):
            asking = {**asking, about: {**asking.get(about, NOTHING), seat: self.asked_by(seat, about) + 1}}
        closed = super().answered(seat, number, choice, text)
        return closed.but(asking=asking, assigned=self._assigned_without(seat, number))

    def without_turn(self, seat: str, number: int) -> Self:
        return super().without_turn(seat, number).but(assigned=self._assigned_without(seat, number))

    def _assigned_without(self, seat: str, number: int) -> Mapping[tuple[str, int], str]:
        return {key: task for key, task in self.assigned.items() if key != (seat, number)}

    def declared(self, session: str) -> tuple[str, ...]:
        """The skills that a session has loaded."""
        return {**self.options.skills, **self.skills}.get(session, (SKILL,))


class OpenTurn(Turn[DelegationState], silence=HELD):
    """A turn as the state knows it: which steps of a task ask for it, and what it takes as its reply."""

    steps: ClassVar[tuple[Step, ...]] = ()
    for_step: ClassVar[bool] = True
    """Whether it asks for the next step of the task."""

    def read(self, state: DelegationState, text: str) -> Any:
        """Return the move of a text that is not JSON."""
        raise NotImplementedError

    def from_json(self, state: DelegationState, text: str) -> str | None:
        """The text that the fields of the turn's form make, where a JSON object fills them in instead of a message."""
        return None

    def takes(self, state: DelegationState, message: ControlMessage) -> None:
        """Refused unless the message can stand as the reply: as its answer, or as a question first (D-012)."""
        self.check_task(state, message)
        asked = state.asked_by(self.seat, message.task_id)
        if not message.workflow and asked >= state.options.max_attempts:
            legal = " or ".join(self.choices)
            raise Refused(f"action: you have already asked {asked} times; answer {legal} now (D-012).")

    def check_task(self, state: DelegationState, message: ControlMessage) -> None:
        """Refused where the message is about another task."""
        about = state.assigned.get((self.seat, self.number), "another task")
        if message.task_id != about:
            raise Refused(f"task_id: this turn is about {about}; send other messages without a turn.")

    def put_off(self, choice: str | None) -> bool:
        """Whether the answer that closes it asks something in place of the step."""
        return self.for_step and choice is not None and choice not in self.choices
