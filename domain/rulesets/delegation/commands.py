"""How a text is read: a control message as JSON, a bare action with the file it brings, or a choice in plain words."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from domain.errors import Refused
from domain.reading import plain, unwrapped
from domain.rulesets.delegation.composing import ANSWERED, QUESTION, compose, compose_words
from domain.rulesets.delegation.messages import ACTIONS, USER, Action, ControlMessage, faults_of, in_one_line, parse
from domain.rulesets.delegation.orders import Order, Tell, order
from domain.rulesets.delegation.state import ANSWER, DelegationState, Task
from domain.turns import Turn

HEADERS = ("to", "note", "skills")
"""The lines that may follow a bare action; an empty line ends them."""

_HEADER = re.compile(r"(to|note|skills):[ \t]*(.*?)[ \t]*")
_WORD = re.compile(r"[a-z_]+")
_AFTER = re.compile(r"\A[ \t\r:,.;!*_`–—]*")
_OPENERS = re.compile(r"\A[\s\"'`*_>]*(?:I\s+)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Send:
    """A control message. `carried` is the text of its artifact where the reply brings it along."""

    message: ControlMessage
    carried: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Choose:
    """One of an open turn's choices about a task: a decision of the user's, or a record of the planner's."""

    turn: Turn
    choice: str
    words: str
    text: str


@dataclass(frozen=True, slots=True)
class Declare:
    """A session says which skills it has loaded."""

    skills: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Broken:
    """An unprompted message that is not well formed, about a task for which its sender is awaited."""

    task_id: str
    text: str
    why: str


Move = Send | Choose | Declare | Broken | Order


def read(state: DelegationState, seat: str, turn: Turn | None, text: str) -> Sequence[Move]:
    """The move that a text makes, or Refused with what is wrong by what its author may know."""
    body = unwrapped(text, () if turn is None else _openings(seat, turn))
    if not body:
        raise Refused("Your text is empty; send a control message or make a choice.")
    if body.startswith("{"):
        return [_message(state, seat, turn, body, text)]
    if turn is None:
        if seat == USER and (given := order(state, body)) is not None:
            return [_told(state, given, text) if isinstance(given, Tell) else given]
        if (skills := _declared(body)) is not None:
            return [Declare(skills)]
        turn = _turn_named(state, seat, body)
    if turn.kind == ANSWER:
        return [_answer(state, seat, turn, body, text)]
    if _first_line(body) == QUESTION:
        return [_question(state, seat, turn, body, text)]
    action = _action(turn, body)
    if action is None:
        return [_choice(state, turn, body, text)]
    return [_bare(state, seat, turn, action, body, text)]


def _openings(seat: str, turn: Turn) -> Sequence[str]:
    """The lines at which an answer may begin below some talk. What the user decides stands first (D-045)."""
    return () if seat == USER or not turn.choices else (*turn.choices, QUESTION)


def wording(state: DelegationState, turn: Turn, choice: str, words: str) -> str:
    """The reply that makes the choice: words that come with an action are its file."""
    if not words.strip():
        return choice
    return f"{choice}\n\n{words}" if choice in ACTIONS else f"{choice}\n{words}"


def carried(
    state: DelegationState, seat: str, turn: Turn | None, text: str
) -> tuple[ControlMessage, str | None] | None:
    """The message that a text holds and the file text it brings along, if it holds one at all."""
    try:
        moves = read(state, seat, turn, text)
    except Refused:
        return None
    return next(((move.message, move.carried) for move in moves if isinstance(move, Send)), None)


def _message(state: DelegationState, seat: str, turn: Turn | None, body: str, text: str) -> Move:
    try:
        return Send(parse(body, state.options.max_note_chars, seat), None, text)
    except Refused as refusal:
        task_id = _about(body)
        if turn is None and task_id is not None and state.turn_for(seat, task_id) is not None:
            return Broken(task_id, text, str(refusal))
        raise


def _about(text: str) -> str | None:
    """The task that a broken message says it is about, where that can be read."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    task_id, action = (value.get("task_id"), value.get("action")) if isinstance(value, dict) else (None, None)
    return task_id if isinstance(task_id, str) and action in ACTIONS else None


def _declared(text: str) -> tuple[str, ...] | None:
    head, colon, rest = text.partition(":")
    if head.strip().casefold() != "skills" or not colon:
        return None
    skills = tuple(dict.fromkeys(skill.strip() for skill in rest.split(",") if skill.strip()))
    return skills or None


def _turn_named(state: DelegationState, seat: str, text: str) -> Turn:
    """The seat's own open turn that an unprompted text is about: the one whose task it names, or its only one."""
    own = {
        task_id: state.turns[key]
        for key, task_id in state.assigned.items()
        if key[0] == seat and key in state.turns and state.turns[key].kind != ANSWER
    }
    named = [turn for task_id, turn in own.items() if re.search(rf"(?<![\w-]){re.escape(task_id)}(?![\w-])", text)]
    if len(named) == 1:
        return named[0]
    word = _WORD.match(plain(text))
    fitting = [turn for turn in own.values() if word and word[0] in turn.choices]
    if not named and len(fitting) == 1:
        return fitting[0]
    if fitting:
        listed = ", ".join(task_id for task_id, turn in own.items() if turn in (named or fitting))
        raise Refused(f"Say which task you mean, and only one; you are asked about: {listed}.")
    if seat == USER:
        raise Refused(
            "Write `add SLUG: …`, `change TASK: …`, `abandon TASK` or `NAME: …` to a session, or answer a turn of your "
            "own with one of its choices and the task."
        )
    raise Refused(
        "Send a control message as one JSON object, or answer a turn of your own with one of its choices and the task."
    )


def _action(turn: Turn, text: str) -> Action | None:
    """The action that a text begins with, where the turn asks for one."""
    if not any(choice in ACTIONS for choice in turn.choices):
        return None
    first = _first_line(text)
    if first in turn.choices:
        return cast(Action, first)
    legal = " or ".join(turn.choices)
    raise Refused(
        f"Begin with the action alone on the first line ({legal}), then an empty line and the whole text of the file; "
        "or send the control message as JSON."
    )


def _first_line(text: str) -> str:
    return text.split("\n", 1)[0].strip(" \t\r`*_.:\"'")


def _answer(state: DelegationState, seat: str, turn: Turn, body: str, text: str) -> Send:
    """Plain words go back to whoever asked."""
    task, asked = state.task_of(seat, turn.number), state.heard.get((seat, state.assigned.get((seat, turn.number), "")))
    if task is None or asked is None:
        raise Refused("Nobody has asked anything about this task; send a control message as JSON.")
    return _words(state, seat, task, ANSWERED, asked.from_session_id, body, text)


def _question(state: DelegationState, seat: str, turn: Turn, body: str, text: str) -> Send:
    """A question in place of the step that the turn asks for (D-012)."""
    headers, rest = _parts(body)
    task = state.task_of(seat, turn.number)
    note = headers.get("note") or (rest or "").strip()
    if task is None or not note:
        raise Refused(f"Write what you need to know below {QUESTION}, after an empty line.")
    return _words(state, seat, task, QUESTION, headers.get("to", USER), note, text)


def _words(state: DelegationState, seat: str, task: Task, action: str, to: str, note: str, text: str) -> Send:
    return _told(state, Tell(compose_words(state, task, seat, action, to, note)), text)


def _told(state: DelegationState, told: Tell, text: str) -> Send:
    return Send(_checked(told.message, faults_of(told.message, state.options.max_note_chars)), None, text)


def _checked(message: ControlMessage, faults: Sequence[tuple[str, str]]) -> ControlMessage:
    if faults:
        raise Refused(in_one_line(faults))
    return message


def _bare(state: DelegationState, seat: str, turn: Turn, action: Action, body: str, text: str) -> Send:
    headers, file = _parts(body)
    task = state.task_of(seat, turn.number)
    if task is None:
        raise Refused("This turn is about no task; send the control message as JSON.")
    skills = [skill.strip() for skill in headers.get("skills", "").split(",") if skill.strip()]
    message = compose(state, task, seat, action, headers.get("to"), headers.get("note"), skills)
    faults = faults_of(message, state.options.max_note_chars)
    return Send(_checked(message, [fault for fault in faults if fault[0] != "note" or "note" in headers]), file, text)


def _parts(text: str) -> tuple[Mapping[str, str], str | None]:
    """The header lines below the action, and the file's text if there is one."""
    lines = text.split("\n")[1:]
    headers: dict[str, str] = {}
    while lines and (header := _HEADER.fullmatch(lines[0].rstrip("\r"))):
        headers[header[1]] = header[2]
        lines.pop(0)
    body = "\n".join(lines).strip("\r\n")
    return headers, f"{body}\n" if body.strip() else None


def _choice(state: DelegationState, turn: Turn, body: str, text: str) -> Choose:
    """The choice that a text begins with. Mentioning one is not enough: "I cannot accept this" accepts nothing."""
    about = rf"{re.escape(state.assigned.get((turn.seat, turn.number), ''))}(?![\w-])"
    words = re.sub(rf"\A{about}[\s:,]*", "", _OPENERS.sub("", body))
    for choice in turn.choices:
        begun = re.match(rf"{re.escape(choice)}(?![\w-])(?:[\s:,]+{about})?", words, re.IGNORECASE)
        if begun is not None:
            return Choose(turn, choice, _AFTER.sub("", words[begun.end() :]).strip(), text)
    raise Refused(f"Begin with one of: {', '.join(turn.choices)}; what you want to say may follow.")
