"""How a text is read: a control message as JSON, an answer to the seat's open turn, or what nobody asked for."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

from sottovoce import Refused, plain
from sottovoce.domain.reading import unwrapped
from sottovoce.rulesets.delegation.rules.actions import ACTIONS
from sottovoce.rulesets.delegation.rules.composition import QUESTION, meant
from sottovoce.rulesets.delegation.rules.messages import REMARKS, ControlMessage, parse
from sottovoce.rulesets.delegation.rules.moves import Broken, Declare, Move, Send
from sottovoce.rulesets.delegation.rules.names import USER
from sottovoce.rulesets.delegation.rules.orders import order
from sottovoce.rulesets.delegation.rules.state import DelegationState, OpenTurn

_WORD = re.compile(r"[a-z_]+")


def read(state: DelegationState, seat: str, turn: OpenTurn | None, text: str) -> Move:
    """The move that a text makes, or Refused with what is wrong by what its author may know."""
    # The lines at which an answer may begin below some talk. What the user decides stands first (D-045).
    openings = () if turn is None or seat == USER or not turn.choices else (*turn.choices, QUESTION)
    body = unwrapped(text, openings)
    if not body:
        raise Refused("Your text is empty; send a control message or make a choice.")
    if body.startswith("{") and turn is not None:
        body = turn.from_json(state, body) or body
    if body.startswith("{"):
        move = _message(state, seat, turn, body)
    else:
        move = turn.read(state, body) if turn is not None else _unasked(state, seat, body)
    return replace(move, text=text)


def carried(
    state: DelegationState, seat: str, turn: OpenTurn | None, text: str
) -> tuple[ControlMessage, str | None] | None:
    """The message that a text holds and the file text it brings along, if it holds one at all."""
    try:
        move = read(state, seat, turn, text)
    except Refused:
        return None
    return (move.message, move.carried) if isinstance(move, Send) else None


def _message(state: DelegationState, seat: str, turn: OpenTurn | None, body: str) -> Move:
    try:
        message = parse(body, state.options.max_note_chars, seat)
        return Send(
            message=message.but(
                to_session_id=meant(state, message.to_session_id),
                planner_session_id=meant(state, message.planner_session_id),
            ),
            remarks=_beside(body),
        )
    except Refused as refusal:
        task_id = _about(body)
        if turn is None and task_id is not None and state.step_turn(seat, task_id) is not None:
            return Broken(task_id=task_id, why=str(refusal))
        raise


def _beside(body: str) -> tuple[Any, ...]:
    """The remarks that a message has beside its fields (R-001)."""
    given = json.loads(body).get(REMARKS) or []
    if not isinstance(given, list):
        raise Refused("remarks: give a list of objects with file, line and text (R-001).")
    return tuple(given)


def _about(text: str) -> str | None:
    """The task that a broken message says it is about, where that can be read."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    task_id, action = (value.get("task_id"), value.get("action")) if isinstance(value, dict) else (None, None)
    return task_id if isinstance(task_id, str) and action in tuple(ACTIONS) else None


def _unasked(state: DelegationState, seat: str, text: str) -> Move:
    """An order of the user's, skills that a session declares, or an answer to the turn that the text is about."""
    if seat == USER and (given := order(state, text)) is not None:
        return given
    head, _, rest = text.partition(":")
    skills = tuple(dict.fromkeys(skill.strip() for skill in rest.split(",") if skill.strip()))
    if head.strip().casefold() == "skills" and skills:
        return Declare(skills=skills)
    move: Move = _turn_named(state, seat, text).read(state, text)
    return move


def _turn_named(state: DelegationState, seat: str, text: str) -> OpenTurn:
    """The seat's own open turn that an unprompted text is about: the one whose task it names, or its only one."""
    own = {
        task_id: state.turns[key]
        for key, task_id in state.assigned.items()
        if key[0] == seat and key in state.turns and state.turns[key].for_step
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
        raise Refused(f"Name exactly one task. You have open turns for: {listed}.")
    if seat == USER:
        raise Refused(
            "Write `add SLUG: …`, `change TASK: …`, `abandon TASK` or `NAME: …` to a session, or answer your turn with "
            "one of its choices and the task."
        )
    raise Refused(
        "Send a control message as one JSON object, or answer your turn with one of its choices and the task."
    )
