"""`random` at a tabletop session: the least that is legal for every kind of turn, with chance in the rest.

Its GM narrates a plain line, asks one character at a time, and ends the session after some beats, so that benchmarks
and tests get whole sessions.
"""

from __future__ import annotations

import json
import random as random_module
from typing import Any

from sottovoce import Turn
from sottovoce.rulesets.tabletop.rules.documents import STORY_STATE, error_report, journal_entry
from sottovoce.rulesets.tabletop.rules.messages import compose, edition_of, serialise
from sottovoce.rulesets.tabletop.rules.names import GM, HUMAN, NARRATOR, TEAM_LEAD
from sottovoce.rulesets.tabletop.rules.phrases import GroupNote
from sottovoce.rulesets.tabletop.rules.state import TabletopState

WORDS = ("A door stands open.", "Rain begins.", "Somebody laughs.", "The lamp goes out.", "It grows late.")
PASSED = ("optional-reaction", "interaction", "reply", "chat")
"""What a character passes over, save where its human has decided."""
BEATS = 8
"""Beats after which the GM ends the session."""


def reply(state: TabletopState, turn: Turn, random: random_module.Random) -> str:
    """A legal reply to any turn of a session."""
    words = random.choice(WORDS)
    if turn.seat == HUMAN:
        return str(random.choice(state.questions[0].options)["label"]) if state.questions else words
    if turn.seat == GM:
        return _gm(state, random, words)
    request = state.requests.get(turn.seat)
    decided = request is not None and request.decision is not None
    if turn.seat == NARRATOR or (turn.kind in PASSED and not decided):
        return "pass"
    return _character(state, turn, words)


def _character(state: TabletopState, turn: Turn, words: str) -> str:
    match turn.kind:
        case "relay":
            body = f"## Scene\n{words}\n\n## Decision Needed\nWhat now?\n\n## Suggested Options\n- Go on\n- Wait"
            return _sent(_message(state, TEAM_LEAD, "RELAY_TO_HUMAN", body, character=turn.seat))
        case "action":
            return words
        case "response":
            return error_report(state.documents, state.edition_name, turn.seat, state.campaign) or words
        case "journal" | "own-notes":
            return journal_entry("Today", words, words, words, words, words)
        case _:
            kind = "REACTION" if turn.kind == "reflection" else "ACTION"
            return _sent(_message(state, GM, "PLAYER_TO_GM", words, type=kind, character=turn.seat))


def _gm(state: TabletopState, random: random_module.Random, words: str) -> str:
    if not state.started:
        options = tuple({"label": name, "description": words} for name in state.roster)
        asked = {"question": "Who are you?", "header": "Cast", "options": options}
        return _sent(_message(state, TEAM_LEAD, "ASK_PLAYER", **asked))
    vetoed = [name for name, request in state.requests.items() if request.vetoed] or list(state.task_vetoes)
    if vetoed and not state.ending:
        return _sent(*_requests(state, vetoed, "FULL_CONTEXT", words))
    items = [] if state.words_after_end else [_narrative(state, words)]
    if state.ending or state.beat >= BEATS:
        end = {"summary": words, "state_saved": True, "next_hook": words}
        return _sent(*items, *_save(state, words), _message(state, TEAM_LEAD, "SESSION_END", **end))
    if "save" in state.gm_turn.calls:
        items += _save(state, words)
    among = state.companions if state.edition_name == "phase-1" else state.played
    free = [name for name in among if name not in state.requests]
    if free:
        items += _requests(state, [random.choice(free)], "QUICK_REACTION", words)
    return _sent(*items)


def _narrative(state: TabletopState, words: str) -> dict[str, Any]:
    prose = f"{GroupNote('everyone', state.played).line}\n\n{words}" if state.split else words
    content = serialise(compose("NARRATIVE", {}, prose, edition=edition_of(state)), edition_of(state))
    return {"type": "broadcast", "content": content}


def _save(state: TabletopState, words: str) -> list[dict[str, Any]]:
    if state.edition_name == "current":
        return [{"delta": {"document": STORY_STATE, "operation": "append", "text": words}}]
    written = {"deltas_written": ("gm-state-delta.md",), "characters_involved": ()}
    return [
        {"delta": {"document": "tmp/gm-state-delta.md", "operation": "set", "text": words}},
        _message(state, TEAM_LEAD, "STATE_UPDATED", **written),
    ]


def _requests(state: TabletopState, names: list[str], kind: str, words: str) -> list[dict[str, Any]]:
    """One request for each of these, in the way of the edition."""
    number, slug = state.scene
    scene: dict[str, Any] = {"scene_number": number, "scene_slug": slug}
    if state.edition_name != "phase-1":
        body = f"## Scene\n{words}\n\n## Just Happened\n{words}\n\n## Request\nWhat now?"
        return [_message(state, name, "GM_TO_PLAYER", body, request_type=kind, **scene) for name in names]
    parts = {"request_type": kind, "scene_context": words, "just_happened": words, "request": "What now?"}
    entries = tuple({"name": name, **parts} for name in names)
    return [_message(state, TEAM_LEAD, "AWAIT_PLAYERS", characters=entries, **scene)]


def _message(state: TabletopState, recipient: str, tag: str, body: str = "", /, **fields: Any) -> dict[str, Any]:
    content = serialise(compose(tag, fields, body, edition=edition_of(state)), edition_of(state))
    return {"type": "message", "recipient": recipient, "content": content}


def _sent(*items: dict[str, Any]) -> str:
    return json.dumps({"messages": list(items)}, ensure_ascii=False)
