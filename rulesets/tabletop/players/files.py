"""Tabletop turns as files: prompt files as the rules have them, and plain responses made into tagged messages.

What a seat may write is changed in the folder itself and sent as state deltas with the next answer: a character's
journal and notes, the narrator's scene files, the GM's context notes, prompt files and documents.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sottovoce import Access, Edit, FileForm, Refused, Turn, View
from sottovoce.agents.prompt import build_prompt
from sottovoce.rulesets.tabletop.players.sections import by_section
from sottovoce.rulesets.tabletop.rules import turns
from sottovoce.rulesets.tabletop.rules.course import TabletopTurn
from sottovoce.rulesets.tabletop.rules.documents import (
    GM_CONTEXT,
    GM_DELTA,
    PARTY_DELTA,
    PARTY_KNOWLEDGE,
    STORY_STATE,
    is_journal,
    journal,
    notes_file,
    prompt_file,
    read_prompt,
    rebuild,
    removers_of,
    response_file,
    scene_file,
)
from sottovoce.rulesets.tabletop.rules.messages import (
    AttitudeChange,
    CheckRequest,
    FactsRequest,
    Item,
    Malformed,
    MessageSent,
    OpenDocument,
    ResourceDelta,
    RollRequest,
    Send,
    TextDelta,
    Value,
    addressees,
    compose,
    edition_of,
    in_json,
    parse,
    read_reply,
    serialise,
)
from sottovoce.rulesets.tabletop.rules.names import GM, NARRATOR
from sottovoce.rulesets.tabletop.rules.phrases import FREEFORM, is_error_report, is_pass, veto_reason
from sottovoce.rulesets.tabletop.rules.request_types import REQUEST_TYPES
from sottovoce.rulesets.tabletop.rules.state import OpenRequest, TabletopState
from sottovoce.rulesets.tabletop.rules.texts import sections

NARRATING = ("opening", "beat", "recap")
DEEDS = ("full-context", "combat-action", "secret-action")
"""The requests that a plain response answers as an ACTION; the others as a REACTION."""
WITHOUT_CHANGES = ("action", "chat")
"""The kinds whose reply is one text, which no changes can go with."""

_TO = re.compile(r"@(\S+)[ \t]*\n")
_VETO = "If you need more to decide, open with the line [VETO - need more input], an empty line, and why."


# prompt files


def head(view: View[TabletopState], turn: Turn) -> Mapping[str, str]:
    """The request type, where the turn has one (F-027, F-028)."""
    held = _request(view.state, turn)
    if held is not None:
        return {"request_type": held.type}
    kind = read_prompt(_prompt_document(view), view.state.edition_name).request_type
    return {"request_type": kind} if turn.kind == "response" and kind else {}


def body(view: View[TabletopState], turn: Turn) -> str:
    """The prompt file below its front matter (F-029), and how it is answered (F-031)."""
    if turn.kind == "response":
        own = read_prompt(_prompt_document(view), view.state.edition_name).body
        return _joined(own, _how(view, turn))
    held = _request(view.state, turn)
    if held is None:
        return _joined(build_prompt(view, turn).text, _plainly(turn))
    decided = f"## Your Human Has Decided\n{held.decision}" if held.decision else ""
    seen = "" if turn.kind == "action" else f"## What You Have Seen\n{build_prompt(view, turn).history}"
    return _joined(held.body, decided, seen, _how(view, turn))


def _prompt_document(view: View[TabletopState]) -> str:
    return rebuild(view.state.documents.get(prompt_file(view.seat), ()))


def _request(state: TabletopState, turn: Turn) -> OpenRequest | None:
    """The GM's request that the turn is about, for characters."""
    if turn.kind == "action":
        return state.actions.get(turn.seat)
    return state.requests.get(turn.seat) if turn.kind in (*turns.REQUESTS, turns.RELAY) else None


def _how(view: View[TabletopState], turn: Turn) -> str:
    """How to answer, in the words of files: no tags are asked for."""
    held = _request(view.state, turn)
    if turn.kind == turns.RELAY:
        ask = (
            "Your human decides. Write for your human the sections ## Scene, ## Decision Needed and "
            "## Suggested Options, the last one a list; or in plain words what is to be decided."
        )
    elif turn.kind == "response" or held is None:
        ask = view.ruleset.request(view.state, turn).whole
    else:
        ask = f"{REQUEST_TYPES[held.type].form} Write in character, mechanical notes in parentheses."
        kind = REQUEST_TYPES[held.type]
        ask += f" {_VETO}" if kind.vetoable and not kind.optional else ""
        ask += f" {_PLAINLY['interaction']}" if turn.kind == "interaction" else ""
    failed = [f"Attempt {number} was refused: {why}" for number, why in enumerate(turn.failures, 1)]
    return "\n".join(("## How to Answer", ask, *failed))


_PLAINLY: Mapping[str, str] = {
    "interaction": "Name whom you talk to as @name on the first line, and write your words below it.",
    "reply": "Plain words go to whom has spoken to you; to talk to another, put @name on the first line.",
    **dict.fromkeys(
        turns.JOURNALS, "Or add the entry at the end of your journal's file, and answer with the one word done."
    ),
    **dict.fromkeys(
        NARRATING,
        "Plain text is a NARRATIVE for all; a first line @place WHERE; WHEN says where it plays. To ask AI characters "
        "by files, write tmp/gm-context.md and a "
        "tmp/CHARACTER-prompt.md for each, then answer with the line [AWAIT_AI_PLAYERS: character, character].",
    ),
    "note": "Plain text is your note to the narrator.",
}


def _plainly(turn: Turn) -> str:
    told = _PLAINLY.get(turn.kind)
    return f"## How to Answer\n{told}" if told else ""


def _joined(*parts: str) -> str:
    return "\n\n".join(part for part in map(str.strip, parts) if part)


# what a seat may change


def access(view: View[TabletopState]) -> Access:
    """Return the documents that the seat can change (F-015, F-016), in the order in which its changes are sent (F-021,
    F-025).

    The GM can also remove responses (F-052).
    """
    state, seat = view.state, view.seat
    roster, edition = state.roster, state.options.edition
    if seat in roster:
        paths = [notes_file(seat), journal(seat)]
    elif seat == GM:
        first = [GM_CONTEXT, *map(prompt_file, roster), GM_DELTA, PARTY_DELTA, STORY_STATE, PARTY_KNOWLEDGE]
        paths = [*first, *sorted(state.documents)]
    elif seat == NARRATOR:
        paths = [scene_file(*state.scene), *sorted(state.documents)]
    else:
        paths = []
    mine = [path for path in dict.fromkeys(paths) if seat in removers_of(path, roster, edition)]
    return Access(tuple(mine), lambda path: is_journal(path, roster))


# replies


def reply(view: View[TabletopState], turn: Turn, text: str, edits: Sequence[Edit]) -> str | None:
    """The reply that a response makes, the changes before its messages; None where they cannot go with it."""
    if not edits:
        return as_message(view, turn, text)
    if turn.kind in WITHOUT_CHANGES or _passes(turn, text):
        return None
    items = _items(view, turn, text, edits)
    if items is None:
        return None
    changes = [change for edit in edits for change in _changes(view, edit)]
    return json.dumps({"messages": [_to_json(item) for item in (*changes, *items)]}, ensure_ascii=False)


def _passes(turn: Turn, text: str) -> bool:
    return isinstance(turn, TabletopTurn) and turn.skippable and is_pass(text)


def _changes(view: View[TabletopState], edit: Edit) -> Sequence[TextDelta]:
    """A file's change as state deltas: of the sections alone that differ, where that can be said."""
    pieces = view.state.documents.get(edit.path, ())
    if edit.operation == "set" and pieces and not edit.path.startswith("tmp/"):
        by_sections = by_section(edit.path, pieces, edit.text)
        if by_sections:
            return by_sections
    return [TextDelta(edit.path, None, edit.operation, edit.text)]


def _items(view: View[TabletopState], turn: Turn, text: str, edits: Sequence[Edit]) -> Iterable[Item] | None:
    """What a response sends when it has to be put with changes into one reply; None where it cannot be read."""
    seat = view.seat
    if turn.kind == "response" and not in_json(text):
        return [TextDelta(response_file(seat), None, "set", text)]
    if turn.kind in turns.JOURNALS and not in_json(text):
        entered = any(edit.path == journal(seat) for edit in edits)
        return [] if entered and not text.strip().startswith("---") else [_append(journal(seat), text)]
    if turn.kind == "scene" and is_pass(text):
        return []
    if turn.kind == "scene" and not _is_tagged(view, text):
        return [_append(scene_file(*view.state.scene), text)]
    try:
        items = _read(view, as_message(view, turn, text))
    except Refused:
        return None
    return None if any(isinstance(item, Malformed) for item in items) else items


def _append(path: str, text: str) -> TextDelta:
    return TextDelta(path, None, "append", text)


def as_message(view: View[TabletopState], turn: Turn, text: str) -> str:
    """The reply that a response alone makes: plain words become the message that the turn needs.

    What has tags in it, or is JSON, stays as it is, and so does what makes no message of that kind.
    """
    speak = _SPEAK.get(turn.kind)
    if speak is None or _passes(turn, text) or _is_tagged(view, text):
        return text
    try:
        said = speak(view, turn, text.strip())
    except Refused:
        return text
    return text if said is None else said


def _is_tagged(view: View[TabletopState], text: str) -> bool:
    """Whether the text speaks the table's protocol by itself, rightly or not."""
    if in_json(text):
        return True
    try:
        return any(
            not isinstance(item, Send) or parse(item.content, edition_of(view.state)).tag is not None
            for item in _read(view, text)
        )
    except Refused:
        return True


def _read(view: View[TabletopState], text: str) -> Sequence[Item]:
    state = view.state
    return read_reply(
        text,
        seat=view.seat,
        edition=edition_of(state),
        seats=addressees(edition_of(state), state.played),
    )


def _message(view: View[TabletopState], tag: str, words: str, **fields: Value) -> str:
    edition = edition_of(view.state)
    return serialise(
        compose(tag, {name.rstrip("_"): value for name, value in fields.items()}, words, edition=edition), edition
    )


def _answer(view: View[TabletopState], turn: Turn, text: str) -> str:
    """A character's answer to the GM; an error report asks for another prompt, as a veto does (F-040)."""
    reason = text if is_error_report(text) else veto_reason(text)
    if reason is not None:
        return _message(view, "PLAYER_TO_GM", reason, type="VETO", character=view.seat)
    kind = "ACTION" if turn.kind in DEEDS else "REACTION"
    return _message(view, "PLAYER_TO_GM", text, type=kind, character=view.seat)


def _speech(view: View[TabletopState], turn: Turn, text: str) -> str | None:
    """Words to somebody of the party: to whom the first line names, or who has spoken, or the only other one."""
    named = _TO.match(text)
    others = [name for name in view.state.played if name != view.seat]
    to = named[1] if named else _speaker(view) if turn.kind == "reply" else others[0] if len(others) == 1 else None
    if to is None:
        return None
    words = text[named.end() :] if named else text
    return _message(view, "PLAYER_TO_PLAYER", words, from_=view.seat, to=to)


def _speaker(view: View[TabletopState]) -> str | None:
    """Who of the party has spoken to the seat last."""
    for entry in reversed(view.entries):
        event = entry.event
        if isinstance(event, MessageSent) and (event.tag, event.to) == ("PLAYER_TO_PLAYER", view.seat):
            return event.seat
    return None


def _relay(view: View[TabletopState], turn: Turn, text: str) -> str:
    """A question to one's human, with the scene of the request where none is given."""
    held = _request(view.state, turn)
    if "Decision Needed" not in sections(text):
        scene = sections(held.body).get("Scene", "") if held else ""
        text = f"## Scene\n{scene}\n\n## Decision Needed\n{text}\n\n## Suggested Options\n- {FREEFORM}"
    return _message(view, "RELAY_TO_HUMAN", text, character=view.seat)


def _narrative(view: View[TabletopState], turn: Turn, text: str) -> str:
    """A narrative, with the line `@place WHERE; WHEN` that may stand above it (T-168)."""
    first, _, rest = text.partition("\n")
    if first.startswith("@place "):
        return f"{first}\n{_message(view, 'NARRATIVE', rest.strip())}"
    return _message(view, "NARRATIVE", text)


def _note(view: View[TabletopState], turn: Turn, text: str) -> str:
    return _message(view, "NARRATOR_NOTE", "", from_=GM, note=text)


Speak = Callable[[View[TabletopState], Turn, str], str | None]
_SPEAK: Mapping[str, Speak] = {
    **dict.fromkeys(turns.REQUESTS, _answer),
    "interaction": _speech,
    "reply": _speech,
    turns.RELAY: _relay,
    **dict.fromkeys(NARRATING, _narrative),
    "note": _note,
}
"""How plain words are put, by the kind of turn; the others take them as they are."""


def _to_json(item: Item) -> Mapping[str, Any]:
    match item:
        case Send(transport, recipient, content, place):
            named = {} if recipient is None else {"recipient": recipient}
            at = {} if place is None else {"place": place.name, "time": place.time}
            return {"type": transport, **named, "content": content, **at}
        case TextDelta(document, heading, operation, text):
            return {"delta": {"document": document, "heading": heading, "operation": operation, "text": text}}
        case ResourceDelta(character, resource, change):
            return {"delta": {"character": character, "resource": resource, "change": change}}
        case RollRequest(who, check, expression, dc):
            return {"roll": {"who": who, "check": check, "expression": expression, "dc": dc}}
        case OpenDocument(document, heading):
            return {"open": document, "heading": heading}
        case FactsRequest(about, topic):
            return {"facts": about, "topic": topic}
        case CheckRequest(skill, who, fact):
            return {"check": skill, "who": who, "fact": fact}
        case AttitudeChange(who, change):
            return {"attitude": who, "change": change}
        case Malformed(message):
            raise Refused(message)


FORM = FileForm(head=head, body=body, access=access, reply=reply)
