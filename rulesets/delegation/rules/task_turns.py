"""What all turns about a task have in common, and those that ask for a message or for a choice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sottovoce import Among, Failure, Game, Refused, what_came
from sottovoce.rulesets.delegation.rules import events, prompts
from sottovoce.rulesets.delegation.rules.actions import ACTIONS
from sottovoce.rulesets.delegation.rules.composition import QUESTION, checked, compose, compose_words
from sottovoce.rulesets.delegation.rules.forms import Filled
from sottovoce.rulesets.delegation.rules.moves import Move, Send
from sottovoce.rulesets.delegation.rules.names import USER
from sottovoce.rulesets.delegation.rules.state import DelegationState, OpenTurn, Task

State = DelegationState
Work = Game[State]
Lines = Iterable[str]

_HEADER = re.compile(r"(to|note|skills):(.*)")
"""The lines that may follow a bare action; an empty line ends them."""
_AFTER = re.compile(r"\A[ \t\r:,.;!*_`–—]*")
_OPENERS = re.compile(r"\A[\s\"'`*_>]*(?:I\s+)?", re.IGNORECASE)


class TaskTurn(OpenTurn):
    """A turn about one task.

    Nobody can stand in: where the attempts run out, the task is held until the user resumes it (D-057).
    """

    def task(self, state: State) -> Task:
        """The task that it is about."""
        return state.task_of(self.seat, self.number) or Task("unknown")

    @classmethod
    def choices_in(cls, state: State, task: Task) -> tuple[str, ...]:
        """Its choices where the task is as it is."""
        return cls.usual_choices

    def context(self, state: State) -> Lines:
        task = self.task(state)
        yield from prompts.whereabouts(state, task, self.seat)
        yield from self.lines(state, task)
        yield from prompts.talk(state, task, self.seat)

    def lines(self, state: State, task: Task) -> Lines:
        """What it is asked on the ground of."""
        return ()

    def ask(self, state: State) -> str:
        return self.asks(state, self.task(state))

    def asks(self, state: State, task: Task) -> str:
        """The request itself; by default the docstring."""
        return self.request_text

    def wording(self, state: State, choice: str, words: str) -> str:
        return f"{choice}\n{words}" if words.strip() else choice

    def about(self, state: State) -> dict[str, str | None]:
        """The task that it is about, and the path of the file that goes with its answer, if one does."""
        task = state.task_of(self.seat, self.number)
        return {"task": task.task_id if task else None, "artifact": None}

    def read(self, state: State, text: str) -> Move:
        """Read a text that is not JSON: a question instead of the step (D-012), or what the turn asks for."""
        if _first_line(text) != QUESTION:
            return self.answer(state, text)
        headers, rest = _parts(text)
        task = state.task_of(self.seat, self.number)
        note = headers.get("note") or (rest or "").strip()
        if task is None or not note:
            raise Refused(f"Write what you need to know below {QUESTION}, after an empty line.")
        message = compose_words(state, task, self.seat, QUESTION, headers.get("to", USER), note)
        return Send(message=checked(state, message))

    def answer(self, state: State, text: str) -> Move:
        """What an answer says, or Refused with what is wrong with it."""
        raise NotImplementedError

    def lapse(self, work: Work, reason: Failure) -> None:
        """What silence means."""
        task_id = work.state.assigned.get((self.seat, self.number), "")
        work.withdraw(self)
        why = f"{self.seat} {what_came(reason)} in {self.attempt} attempt{'' if self.attempt == 1 else 's'}."
        work.emit(events.TaskHeld(task_id=task_id, waiting_for=self.seat, why=why))


class MessageTurn(TaskTurn):
    """A turn that asks for one of the six messages, as JSON or as a bare action with its file."""

    fields = Filled

    def among(self, state: State) -> Among:
        return {"action": self.choices}

    def written(self, state: State, answer: Any) -> str:
        return str(answer)

    def answer(self, state: State, text: str) -> Move:
        action = _first_line(text)
        if action not in self.choices:
            raise Refused(
                f"Put only the action on the first line ({' or '.join(self.choices)}), then an empty line "
                "and the whole text of the file. Or send the control message as JSON."
            )
        headers, file = _parts(text)
        task = state.task_of(self.seat, self.number)
        if task is None:
            raise Refused("This turn is not about a task; send the control message as JSON.")
        skills = [skill.strip() for skill in headers.get("skills", "").split(",") if skill.strip()]
        message = compose(state, task, self.seat, action, headers.get("to"), headers.get("note"), skills)
        return Send(message=message, carried=file)

    def about(self, state: State) -> dict[str, str | None]:
        task = state.task_of(self.seat, self.number)
        return {**super().about(state), "artifact": ACTIONS[self.choices[0]].due_path(task) if task else None}

    def wording(self, state: State, choice: str, words: str) -> str:
        """Words that come with an action are its file."""
        return f"{choice}\n\n{words}" if words.strip() else choice

    def file(self, task: Task) -> str:
        """The line that names the file."""
        return f"The file: {ACTIONS[self.choices[0]].due_path(task)}."

    def how(self, state: State) -> str:
        """How the message is sent."""
        action = "the action" if len(self.usual_choices) > 1 else self.choices[0]
        return f"Answer with {action} on the first line, an empty line, and the file's whole text; or with the JSON."


class ChoiceTurn(TaskTurn):
    """A turn that asks for a choice, with words behind it."""

    def answer(self, state: State, text: str) -> Move:
        """The choice that a text begins with. Mentioning one is not enough: "I cannot accept this" accepts nothing."""
        about = rf"{re.escape(state.assigned.get((self.seat, self.number), ''))}(?![\w-])"
        words = re.sub(rf"\A{about}[\s:,]*", "", _OPENERS.sub("", text))
        for choice in self.choices:
            begun = re.match(rf"{re.escape(choice)}(?![\w-])(?:[\s:,]+{about})?", words, re.IGNORECASE)
            if begun is not None:
                return Choice(turn=self, choice=choice, words=_AFTER.sub("", words[begun.end() :]).strip())
        raise Refused(f"Begin with one of: {', '.join(self.choices)}; what you want to say may follow.")

    def decided(self, work: Work, task: Task, choice: Any, words: str) -> None:
        """Return what follows from a choice."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice(Move):
    """One of a turn's choices about a task: a decision of the user's, or a record of the planner's."""

    turn: ChoiceTurn
    choice: str
    words: str

    def make(self, work: Work, seat: str, turn: OpenTurn | None) -> None:
        task = self.turn.task(work.state)
        work.accept(self.turn, self.text, self.choice)
        self.turn.decided(work, task, self.choice, self.words)


def _first_line(text: str) -> str:
    return text.split("\n", 1)[0].strip(" \t\r`*_.:\"'")


def _parts(text: str) -> tuple[Mapping[str, str], str | None]:
    """The header lines below the action, and the file's text if there is one."""
    lines = text.split("\n")[1:]
    headers: dict[str, str] = {}
    place = 0
    while place < len(lines) and (header := _HEADER.fullmatch(lines[place].rstrip("\r"))):
        headers[header[1]] = header[2].strip(" \t")
        place += 1
    body = "\n".join(lines[place:]).strip("\r\n")
    return headers, f"{body}\n" if body.strip() else None
