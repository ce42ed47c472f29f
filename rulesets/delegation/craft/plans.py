"""Plays delegated work again in another way behind one seat's back: other reviews, decisions and tasks.

What the seat sees of the first game are its *beats*: they come again in the same order and words. Everything between
them is decided again.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sottovoce import (
    AttemptFailed,
    Command,
    Expire,
    Fail,
    Failure,
    HoldPlaced,
    Open,
    Recorded,
    ReplyAccepted,
    Turn,
    TurnWithdrawn,
    what_came,
)
from sottovoce.isolation import Plan, Played, System
from sottovoce.isolation.games import START
from sottovoce.isolation.observe import Watcher
from sottovoce.rulesets.delegation.rules import events as work
from sottovoce.rulesets.delegation.rules.state import Task

USER = "user"
READERS = {
    "delegate": ("planner", "executor", "user"),
    "implement": ("executor", "reviewer", "user"),
    "review": ("executor", "reviewer", "user"),
    "hand-back": ("executor", "reviewer", "user"),
    "decide": ("reviewer", "user"),
    "instruct": ("reviewer", "user"),
    "close": ("reviewer", "planner", "user"),
    "record": ("planner", "user"),
    "answer": ("executor", "user"),
}
"""Who sees the result of each kind of turn."""

Choosing = Callable[[random.Random, str], str]
Brief = Callable[[random.Random, Sequence[str]], str]


@dataclass(frozen=True, slots=True)
class Step:
    """An answer of another seat whose outcome the seat sees; without a text, one attempt that failed.

    A failed attempt that is the turn's last one is `last`. `why` is what the user is told of a program that gave no
    reply; an attempt without it shows only by being the last."""

    task_id: str
    kind: str
    text: str | None
    reason: Failure = "invalid"
    why: str = ""
    last: bool = False

    def attempt(self, turn: Turn) -> str | Command:
        """What is sent: the text, or what fails in the same way."""
        if self.text is not None or self.reason == "invalid":
            return self.text or ""
        if self.why:
            return Fail(START, turn.seat, turn.number, turn.attempt, self.reason, self.why)
        return Expire(START, turn.seat, turn.number, turn.attempt)


@dataclass
class Unnoticed:
    """The second game as others play it: `beats` are still to come; `firsts` are the messages that bind the parts.

    `unheard` are the tasks that the seat never hears of, `asked` the user's words with each iteration of a task, in
    their order: an executor learns what was asked for. With `stop` everything stops in the end, since the user falls
    silent over some task that is on hold."""

    seat: str
    choosing: Choosing
    beats: list[Step]
    firsts: dict[tuple[str, str], str]
    unheard: Sequence[str]
    asked: dict[str, list[str]]
    stop: bool = False

    def pick(self, state: Any, turns: Sequence[Turn], rng: random.Random) -> Turn | None:
        """Any turn whose outcome is hidden from the seat, or the one that the next beat answers."""
        possible = []
        for turn in turns:
            task = state.task_of(turn.seat, turn.number)
            if self._seen(task, turn):
                beat = self._next(task, turn)
                if beat is not None:
                    possible.append(turn)
            elif self._free(task, turn):
                possible.append(turn)
        if self.stop and not self.beats:
            unseen = [turn for turn in turns if not self._seen(state.task_of(turn.seat, turn.number), turn)]
            return next((turn for turn in turns if turn.kind == "hold"), rng.choice(unseen or turns))
        return rng.choice(possible) if possible else None

    def answer(self, state: Any, turn: Turn, rng: random.Random) -> str | Command | None:
        task = state.task_of(turn.seat, turn.number)
        silence = Expire(START, turn.seat, turn.number, turn.attempt)
        if self.stop and not self.beats:
            return silence
        # Nobody but the user hears of it when somebody else falls silent, and the work is resumed. Only a question that
        # stays without an answer is asked again.
        if self.seat != USER and turn.kind not in ("hold", "answer") and rng.random() < 0.12:
            return silence
        if self._seen(task, turn):
            beat = self._next(task, turn)
            assert beat is not None, "only what may be answered is picked"
            if beat.last and turn.attempts_left > 1:
                return ""
            # An attempt more that failed shows to nobody but its seat, as long as enough are left.
            if not beat.last and turn.attempts_left - 1 > self._failures(task, turn) and rng.random() < 0.12:
                return ""
            self.beats.remove(beat)
            return beat.attempt(turn)
        if turn.kind == "hold":
            # While another task is open, the end of one shows to nobody who has no part in it.
            given_up = task.task_id in self.unheard and len(state.under_way) > 1 and rng.random() < 0.5
            return "abandon" if given_up else "resume"
        bound = self.firsts.get((task.task_id, turn.kind)) if self._binds(task, turn) else None
        if turn.kind == "answer":
            return f"Whatever you like, word {rng.getrandbits(24):06x}."
        choice = self._choice(task, turn, rng)
        if choice == "iterate" and self.seat == task.executor and (asked := self.asked.get(task.task_id)):
            return asked.pop(0)
        return bound or self.choosing(rng, choice)

    def _next(self, task: Task, turn: Turn) -> Step | None:
        """The next beat, if this turn is the one that it answers."""
        beat = self.beats[0] if self.beats else None
        return beat if beat is not None and (beat.task_id, beat.kind) == (task.task_id, turn.kind) else None

    def _failures(self, task: Task, turn: Turn) -> int:
        """How many attempts at this turn are still to fail as the seat sees it."""
        steps = [beat for beat in self.beats if (beat.task_id, beat.kind) == (task.task_id, turn.kind)]
        return next((place for place, beat in enumerate(steps) if beat.text is not None), len(steps))

    def _seen(self, task: Task, turn: Turn) -> bool:
        if turn.kind == "hold":
            return self.seat == USER or (task.held is not None and task.held.waiting_for == self.seat)
        planner = task.planner or (task.meant[0] if task.meant else "")
        parts = {"planner": planner, "executor": task.executor, "reviewer": task.reviewer, "user": USER}
        if self._binds(task, turn):
            return any(beat.task_id == task.task_id and beat.kind == turn.kind for beat in self.beats)
        return any(parts[part] == self.seat for part in READERS[turn.kind])

    def _binds(self, task: Task, turn: Turn) -> bool:
        """Whether the answer says who has which part: then it is what it was in the first game."""
        return turn.kind == "delegate" or (turn.kind == "implement" and task.reviewer is None)

    def _free(self, task: Task, turn: Turn) -> bool:
        """Whether it may be answered at all. No task ends unseen: with the last one all work ends, for everybody."""
        if turn.kind == "record" and len(turn.choices) == 1:
            return False
        return not self._binds(task, turn) or (task.task_id, turn.kind) in self.firsts

    def _choice(self, task: Task, turn: Turn, rng: random.Random) -> str:
        """What leads to the next beat of the task, and is otherwise drawn."""
        coming = next((beat.kind for beat in self.beats if beat.task_id == task.task_id), None)
        if turn.kind == "decide" and coming is not None:
            if coming in ("hand-back", "implement", "review"):
                return "iterate"
            if self._sees_reviews(task):
                return "accept"
        if turn.kind == "decide":
            return "iterate" if task.round < 3 and rng.random() < 0.3 else "accept"
        if turn.kind == "review" and (task.round > 2 or rng.random() < 0.5):
            return "stop_recommended"
        return rng.choice(turn.choices)

    def _sees_reviews(self, task: Task) -> bool:
        return self.seat in (task.executor, task.reviewer)


def plan(system: System, base: Played, seat: str, rng: random.Random, choosing: Choosing, brief: Brief) -> Plan:
    """The game up to where everything stops, as the seat cannot tell it from the first."""
    log, stop = _before_the_end(base.log)
    watcher = Watcher(system, seat)
    for item in log:
        watcher.take(item)
    beats, firsts = _answers(log, base.audiences, seat)
    unheard = _unheard_of(log, base.audiences, seat)
    others = Unnoticed(seat, choosing, beats, firsts, unheard, _asked(log), stop and seat != USER)
    first = base.sent[0].command
    assert isinstance(first, Open)
    files = dict(first.files)
    for item in log:
        if isinstance(item.event, work.BriefGiven) and seat not in (item.event.planner, USER):
            given = item.event
            reviewer = rng.choice([name for name in base.seats[:-1] if name != given.executor])
            head = f"---\nplanner: {given.planner}\nexecutor: {given.executor}\nreviewer: {reviewer}\n---\n"
            files[f"{given.task_id}.md"] = (head + f"Something else, {rng.getrandbits(20):05x}.").encode()
    # One of those stays: if none were left, the work would end earlier, which everybody sees.
    for task_id in unheard[1:]:
        if rng.random() < 0.5:
            del files[f"{task_id}.md"]
    changed = "what it does not see of the work"
    return Plan(
        seat,
        watcher.seq,
        changed,
        others.answer,
        pick=others.pick,
        files=files,
        failures="seen" if seat == USER else "hidden",
    )


def _asked(log: Sequence[Recorded]) -> dict[str, list[str]]:
    """What the user answered with each iteration, by task."""
    found: dict[str, list[str]] = {}
    for place, item in enumerate(log):
        event = item.event
        if isinstance(event, work.StopDecided) and event.decision == "iterate":
            answered = next(
                other.event
                for other in reversed(log[:place])
                if isinstance(other.event, ReplyAccepted) and other.append == item.append
            )
            found.setdefault(event.task_id, []).append(answered.text)
    return found


def _unheard_of(log: Sequence[Recorded], audiences: Sequence[frozenset[str] | None], seat: str) -> list[str]:
    """The tasks of which the seat has seen nothing: there may be none such at all."""
    about = [(_task_of(item.event), audience) for item, audience in zip(log, audiences, strict=False)]
    heard = {task_id for task_id, audience in about if audience is not None and seat in audience}
    return [task_id for task_id in dict.fromkeys(task_id for task_id, _ in about) if task_id and task_id not in heard]


def _task_of(event: Any) -> str:
    return str(event.message.task_id if isinstance(event, work.MessageSent) else getattr(event, "task_id", ""))


def _before_the_end(log: Sequence[Recorded]) -> tuple[Sequence[Recorded], bool]:
    """The log before the first order of the user or the end of all work, or up to the hold that stops everything; and
    whether it is that."""
    for place, item in enumerate(log):
        if isinstance(item.event, HoldPlaced):
            return log[: place + 1], True
        if isinstance(item.event, work.WorkEnded) or _ordered(item, log[0]):
            return [other for other in log[:place] if other.append != item.append], False
    return log, False


def _ordered(item: Recorded, opening: Recorded) -> bool:
    """Whether it is what the user ordered unasked, at a moment that nobody could repeat."""
    match item.event:
        case work.BriefGiven():
            return item.append != opening.append
        case work.MessageSent(message=message):
            return message.action == "task_changed"
    return isinstance(item.event, work.TaskAbandoned)


def _answers(
    log: Sequence[Recorded], audiences: Sequence[frozenset[str] | None], seat: str
) -> tuple[list[Step], dict[tuple[str, str], str]]:
    """The accepted answers of others that the seat sees the outcome of, in order; and those that bind the parts."""
    about: dict[tuple[str, int], tuple[str, str]] = {}
    kinds: dict[tuple[str, int], str] = {}
    bound: set[tuple[str, str]] = set()
    beats, firsts, withdrawn, ended = [], {}, "", ""
    for place, item in enumerate(log):
        event = item.event
        match event:
            case work.TurnAssigned():
                about[event.seat, event.turn] = (event.task_id, "")
            case ReplyAccepted():
                task_id = about[event.seat, event.turn][0]
                kind = kinds[event.seat, event.turn]
                outcome = [other for other in range(place + 1, len(log)) if log[other].append == item.append]
                seen = any(seat in (audiences[other] or ()) and _made_by(log[other].event) for other in outcome)
                if (task_id, kind) not in bound and event.choice in ("execute_delegate_task", "review_requested"):
                    bound.add((task_id, kind))
                    firsts[task_id, kind] = event.text
                if seen and event.seat != seat:
                    beats.append(Step(task_id, kind, event.text))
            case work.ProgramFailed() if seat == USER:
                came = [other.event for other in log[place:] if other.append == item.append]
                failed = next(other for other in came if isinstance(other, AttemptFailed))
                last = any(isinstance(other, work.TaskHeld) for other in came)
                kind = kinds[event.session, failed.turn]
                beats.append(Step(event.task_id, kind, None, failed.reason, event.why, last))
                ended = item.append
            case work.TaskHeld() if seat == USER and event.waiting_for != USER:
                if ended != item.append:
                    reason: Failure = "timeout" if f" {what_came('timeout')} in " in event.why else "invalid"
                    beats.append(Step(event.task_id, withdrawn, None, reason, last=True))
            case TurnWithdrawn():
                withdrawn = kinds[event.seat, event.turn]
                asked_again = any(
                    isinstance(other.event, work.TurnAssigned) and other.event.seat == seat != event.seat
                    for other in log[place:]
                    if other.append == item.append
                )
                if withdrawn == "answer" and asked_again:  # a question without an answer
                    beats.append(Step(about[event.seat, event.turn][0], withdrawn, None, "timeout", last=True))
            case _ if item.name == "core.turn-opened.v1":
                opened: Any = event
                kinds[opened.seat, opened.turn] = opened.kind
    return beats, firsts


def _made_by(event: Any) -> bool:
    """Whether an event is what an answer came to, and not a turn that it opens."""
    return event.stored_name.startswith("delegation.") and not isinstance(event, work.TurnAssigned)
