"""The fields that agents fill in, for each kind of turn, and the tagged text that they make.

The fields are what the turn is about; tags, recipients and scene numbers are put in from the seat's own state.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

from sottovoce import Fields
from sottovoce.rulesets.tabletop.rules.documents import journal_entry
from sottovoce.rulesets.tabletop.rules.messages import (
    Message,
    edition_of,
    serialise,
)
from sottovoce.rulesets.tabletop.rules.names import GM, TEAM_LEAD
from sottovoce.rulesets.tabletop.rules.state import TabletopState

PASS = "pass"


class AnswerFields(Fields):
    """A character's answer to the GM: what it does, what it says or feels, or what it needs to know before it can say.

    Where it may pass, it passes by no words."""

    type: Literal["ACTION", "REACTION", "VETO"]
    words: str


class SpeechFields(Fields):
    """Words to somebody of the party; none to let it pass."""

    to: str
    words: str


class RelayFields(Fields):
    """What the human is asked to decide."""

    scene: str
    decision: str
    options: list[str]


class JournalFields(Fields):
    """An entry of a journal."""

    title: str
    what_happened: str
    what_i_did: str
    what_i_learned: str
    how_i_feel: str
    notes: str


class SceneFields(Fields):
    """Prose for the scene file, and what the GM is asked for, if anything."""

    prose: str
    request: str = ""


def _content(state: TabletopState, tag: str, body: str = "", **fields: Any) -> str:
    named = {name.rstrip("_"): tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
    return serialise(Message(tag, named, body), edition_of(state))


def _to(recipient: str, content: str) -> dict[str, Any]:
    return {"type": "message", "recipient": recipient, "content": content}


def _reply(*items: Mapping[str, Any]) -> str:
    return json.dumps({"messages": list(items)}, ensure_ascii=False)


def answer_text(state: TabletopState, seat: str, fields: AnswerFields, *, may_pass: bool) -> str:
    """A character's answer to the GM."""
    words = fields.words.strip()
    if not words and may_pass:
        return PASS
    return _reply(_to(GM, _content(state, "PLAYER_TO_GM", words, type=fields.type, character=seat)))


def speech_text(state: TabletopState, seat: str, fields: SpeechFields) -> str:
    """Words to somebody of the party."""
    words = fields.words.strip()
    if not words:
        return PASS
    return _reply(_to(fields.to, _content(state, "PLAYER_TO_PLAYER", words, from_=seat, to=fields.to)))


def relay_text(state: TabletopState, seat: str, fields: RelayFields) -> str:
    """What a character puts to its human."""
    listed = "\n".join(f"- {option.strip()}" for option in fields.options if option.strip())
    body = f"## Scene\n{fields.scene}\n\n## Decision Needed\n{fields.decision}\n\n## Suggested Options\n{listed}"
    return _reply(_to(TEAM_LEAD, _content(state, "RELAY_TO_HUMAN", body, character=seat)))


def journal_text(fields: JournalFields) -> str:
    """An entry of a journal."""
    return journal_entry(
        *(
            " ".join(part.split())
            for part in (
                fields.title,
                fields.what_happened,
                fields.what_i_did,
                fields.what_i_learned,
                fields.how_i_feel,
                fields.notes,
            )
        )
    )


def scene_text(state: TabletopState, fields: SceneFields) -> str:
    """What the narrator adds to the scene file, or asks the GM for."""
    if fields.request.strip():
        return _reply(_to(GM, _content(state, "NARRATOR_REQUEST", to=GM, request=fields.request.strip())))
    return fields.prose.strip() or PASS
