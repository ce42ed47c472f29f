"""What an agent that answers in fields fills in, for each kind of turn, and the reply that the fields make.

The fields are what the turn is about; tags, recipients and scene numbers are put in from the seat's own state.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from sottovoce import Form
from sottovoce.rulesets.tabletop.rules.documents import PARTY_KNOWLEDGE, STORY_STATE, journal_entry
from sottovoce.rulesets.tabletop.rules.messages import (
    Message,
    ResourceDeltaForm,
    RollForm,
    TextDeltaForm,
    edition_of,
    serialise,
)
from sottovoce.rulesets.tabletop.rules.names import GM, NARRATOR, TEAM_LEAD
from sottovoce.rulesets.tabletop.rules.phrases import GroupNote
from sottovoce.rulesets.tabletop.rules.request_types import request_types
from sottovoce.rulesets.tabletop.rules.state import TabletopState

PASS = "pass"


class Fields(BaseModel):
    """The fields of one turn's answer."""

    model_config = ConfigDict(extra="ignore")


class PromptFields(Fields):
    """One character is asked for something: the request and what that character needs to know for it."""

    character: str
    request_type: str
    scene: str
    just_happened: str
    request: str


class OptionFields(Fields):
    """One option of a question."""

    label: str
    description: str


class QuestionFields(Fields):
    """A choice that is put to the human."""

    header: str
    question: str
    options: list[OptionFields]


class EndFields(Fields):
    """The end of the session."""

    summary: str
    next_hook: str


class GmFields(Fields):
    """What the GM does in one turn; what is empty is not done.

    `group` names the characters that the narrative is for, where the party is split; nobody where it is for all.
    """

    narrative: str = ""
    group: list[str] = []
    prompts: list[PromptFields] = []
    rolls: list[RollForm] = []
    changes: list[ResourceDeltaForm] = []
    documents: list[TextDeltaForm] = []
    note_to_narrator: str = ""
    question: QuestionFields | None = None
    end: EndFields | None = None


class AnswerFields(Fields):
    """A character's answer to the GM."""

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


class ProseFields(Fields):
    """Prose for the scene file."""

    prose: str


class SceneFields(ProseFields):
    """Prose for the scene file, and what the GM is asked for, if anything."""

    request: str = ""


def gm_form(state: TabletopState) -> Form:
    """All that a GM does in one turn."""
    return Form(_gm_fields(state.played, request_types(state.edition_name)), lambda fields: _gm(state, fields))


def relay_form(state: TabletopState, seat: str) -> Form:
    """What a character puts to its human."""
    return Form(RelayFields, lambda fields: _relay(state, seat, fields))


def speech_form(state: TabletopState, seat: str) -> Form:
    """Words to somebody of the party."""
    others = tuple(name for name in state.played if name != seat)
    return Form(_speech_fields(others), lambda fields: _speech(state, seat, fields))


def answer_form(state: TabletopState, seat: str, *, may_pass: bool) -> Form:
    """A character's answer to the GM."""
    return Form(AnswerFields, lambda fields: _answer(state, seat, fields, may_pass))


def journal_form() -> Form:
    """An entry of a journal."""
    return Form(JournalFields, _journal)


def scene_form(state: TabletopState) -> Form:
    """What the narrator adds to the scene file, and what it asks the GM for, as long as it may."""
    may_ask = not state.note_open and state.notes_asked < state.options.note_requests_per_beat
    return Form(SceneFields if may_ask else ProseFields, lambda fields: _scene(state, fields))


@lru_cache(maxsize=64)
def _gm_fields(played: tuple[str, ...], kinds: tuple[str, ...]) -> type[GmFields]:
    """The GM's fields with the names and request types that the schema is to offer; others are still read."""
    prompt = create_model(
        "PromptFields", __base__=PromptFields, character=(_one_of(played), ...), request_type=(_one_of(kinds), ...)
    )
    return create_model(
        "GmFields",
        __base__=GmFields,
        __doc__=GmFields.__doc__,
        group=(_listed(_one_of(played)), []),
        prompts=(_listed(prompt), []),
    )


@lru_cache(maxsize=64)
def _speech_fields(others: tuple[str, ...]) -> type[SpeechFields]:
    return create_model("SpeechFields", __base__=SpeechFields, to=(_one_of(others), ...))


def _one_of(words: tuple[str, ...]) -> Any:
    """A text of which the schema names the values. What is not among them is refused by the rules, not by the form."""
    return Annotated[str, Field(json_schema_extra={"enum": list(words)})] if words else str


def _listed(item: Any) -> Any:
    return list[item]


def _content(state: TabletopState, tag: str, body: str = "", **fields: Any) -> str:
    named = {name.rstrip("_"): tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
    return serialise(Message(tag, named, body), edition_of(state))


def _to(recipient: str, content: str) -> dict[str, Any]:
    return {"type": "message", "recipient": recipient, "content": content}


def _reply(*items: Mapping[str, Any]) -> str:
    return json.dumps({"messages": list(items)}, ensure_ascii=False)


def _gm(state: TabletopState, fields: Any) -> str:
    """The GM's fields as items, in the order in which the table needs them: written first, told next, asked last."""
    items: list[dict[str, Any]] = [{"delta": change.model_dump()} for change in (*fields.changes, *fields.documents)]
    items += [{"roll": roll.model_dump(exclude_none=True)} for roll in fields.rolls]
    if fields.narrative.strip():
        items.append(_narrative(state, fields))
    if fields.note_to_narrator.strip():
        note = _content(state, "NARRATOR_NOTE", from_=GM, note=fields.note_to_narrator.strip())
        items.append(_to(NARRATOR, note))
    items += _prompts(state, fields.prompts)
    if fields.question is not None and fields.question.options:
        asked = fields.question.model_dump()
        items.append(_to(TEAM_LEAD, _content(state, "ASK_PLAYER", **asked)))
    in_place = {change.document for change in fields.documents} & {STORY_STATE, PARTY_KNOWLEDGE}
    reported = [change.document for change in fields.documents if change.document.startswith("tmp/")]
    if reported and state.edition_name != "current":
        given: dict[str, Any] = {"deltas_written": list(dict.fromkeys(reported)), "characters_involved": []}
        items.append(_to(TEAM_LEAD, _content(state, "STATE_UPDATED", **given)))
    saved = bool(in_place if state.edition_name == "current" else reported)
    if fields.end is not None and fields.end.summary.strip():
        ended = {
            "summary": fields.end.summary,
            "state_saved": saved or state.gm_turn.saved or not (state.save_owed or fields.narrative.strip()),
            "next_hook": fields.end.next_hook or "To be continued.",
        }
        items.append(_to(TEAM_LEAD, _content(state, "SESSION_END", **ended)))
    return _reply(*items)


def _narrative(state: TabletopState, fields: Any) -> dict[str, Any]:
    prose = fields.narrative.strip()
    if not fields.group or set(fields.group) >= set(state.played):
        whole = f"{GroupNote('everyone', state.played).line}\n{prose}" if state.split else prose
        return {"type": "broadcast", "content": _content(state, "NARRATIVE", whole)}
    note = GroupNote(state.group_of(fields.group[0]) or fields.group[0], tuple(fields.group))
    return _to(TEAM_LEAD, _content(state, "NARRATIVE", f"{note.line}\n{prose}"))


def _prompts(state: TabletopState, prompts: list[Any]) -> list[dict[str, Any]]:
    number, slug = state.scene
    if not prompts:
        return []
    if state.edition_name == "phase-1":
        entries = [
            {
                "name": prompt.character,
                "request_type": prompt.request_type,
                "scene_context": prompt.scene,
                "just_happened": prompt.just_happened,
                "request": prompt.request,
            }
            for prompt in prompts
        ]
        given: dict[str, Any] = {"characters": entries, "scene_number": number, "scene_slug": slug}
        return [_to(TEAM_LEAD, _content(state, "AWAIT_PLAYERS", **given))]
    items = []
    for prompt in prompts:
        parts = (("Scene", prompt.scene), ("Just Happened", prompt.just_happened), ("Request", prompt.request))
        body = "\n\n".join(f"## {title}\n{text.strip()}" for title, text in parts)
        given = {"request_type": prompt.request_type, "scene_number": number, "scene_slug": slug}
        items.append(_to(prompt.character, _content(state, "GM_TO_PLAYER", body, **given)))
    return items


def _answer(state: TabletopState, seat: str, fields: Any, may_pass: bool) -> str:
    words = fields.words.strip()
    if not words and may_pass:
        return PASS
    return _reply(_to(GM, _content(state, "PLAYER_TO_GM", words, type=fields.type, character=seat)))


def _speech(state: TabletopState, seat: str, fields: Any) -> str:
    words = fields.words.strip()
    if not words:
        return PASS
    return _reply(_to(fields.to, _content(state, "PLAYER_TO_PLAYER", words, from_=seat, to=fields.to)))


def _relay(state: TabletopState, seat: str, fields: Any) -> str:
    listed = "\n".join(f"- {option.strip()}" for option in fields.options if option.strip())
    body = f"## Scene\n{fields.scene}\n\n## Decision Needed\n{fields.decision}\n\n## Suggested Options\n{listed}"
    return _reply(_to(TEAM_LEAD, _content(state, "RELAY_TO_HUMAN", body, character=seat)))


def _journal(fields: Any) -> str:
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


def _scene(state: TabletopState, fields: Any) -> str:
    if getattr(fields, "request", "").strip():
        return _reply(_to(GM, _content(state, "NARRATOR_REQUEST", to=GM, request=fields.request.strip())))
    return str(fields.prose).strip() or PASS
