"""A session as a chapter to read, as one seat lived it; and in a few lines, as the next evening begins with it.

Both are made of the entries of that seat's view and of the state folded from them: of nothing else. What the GM told is
kept as it is; what the character did is told in the third person, unless the GM's words have it already.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from sottovoce import Novel, Passage, View
from sottovoce.rulesets.tabletop.rules.documents import journal
from sottovoce.rulesets.tabletop.rules.events import PieceWritten
from sottovoce.rulesets.tabletop.rules.messages import (
    AskPlayer,
    GmToPlayer,
    HumanDecision,
    MessageSent,
    Narrative,
    PlayerAnswer,
    PlayerToGm,
    PlayerToPlayer,
    SessionEnd,
)
from sottovoce.rulesets.tabletop.rules.names import HUMAN
from sottovoce.rulesets.tabletop.rules.phrases import asks_for_action, group_note
from sottovoce.rulesets.tabletop.rules.state import TabletopState
from sottovoce.rulesets.tabletop.shown.deeds import in_third_person

RECALLED = 6
"""Sentences that a recap has at most."""
_SENTENCE = re.compile(r"[^.!?…]+(?:[.!?…]+[\"”’)*_]*|$)\s*")
_FEELING = re.compile(r"(?m)^- How I feel: (.*)$")


def chapter_of(view: View[TabletopState]) -> Novel:
    """The chapter of the seat's view."""
    state, seat = view.state, view.seat or ""
    whose = _called(_character(state, seat))
    told = list(_passages(view))
    while told and told[-1].kind == "scene":
        told.pop()
    return Novel(_title(state), f"As {whose} lived it." if seat else "As everybody saw it.", told)


def recap(view: View[TabletopState]) -> str:
    """What the seat will remember of its evening, as a paper for the next one; empty where it saw nothing told."""
    passages = list(_passages(view, secrets=False))
    lines, ending = [], ""
    for place, passage in enumerate(passages):
        if passage.kind != "telling":
            continue
        deed = passages[place - 1].text if place and passages[place - 1].kind == "deed" else ""
        for paragraph in passage.text.strip().split("\n\n"):
            parts = [" ".join(each.split()) for each in _SENTENCE.findall(paragraph) if each.strip()]
            ending = " ".join(parts[:2])
            if deed:
                lines.append(f"{deed} {_worth_most(parts)}")
            elif len(parts) > 1:
                lines.append(f"{parts[0]} {_worth_most(parts[1:])}")
            deed = ""
    if not ending:
        return ""
    lines = [*_spread([line for line in lines if not line.startswith(ending)], RECALLED - 1), ending]
    if passages[-1].kind == "note":
        lines.append(passages[-1].text)  # how it ended, and what was decided
    told = (f"- {' '.join(line.split())}" for line in lines)
    return "\n".join([f"# Last Time, as {_called(_character(view.state, view.seat or ''))} Saw It", "", *told]) + "\n"


def _worth_most(parts: Sequence[str]) -> str:
    """Of the first of these sentences what somebody said, or else the longest."""
    return max(parts[:3], key=lambda part: ("“" in part, len(part)), default="")


def _spread(sentences: Sequence[str], most: int) -> list[str]:
    """So many of the sentences, from all over, the last one among them."""
    if len(sentences) <= most:
        return list(sentences)
    step = (len(sentences) - 1) / (most - 1)
    return [sentences[round(place * step)] for place in range(most)]


def _title(state: TabletopState) -> str:
    return (state.campaign or "a session").replace("-", " ").title()


def _character(state: TabletopState, seat: str) -> str:
    """The character whose eyes the seat sees with."""
    return state.character or seat if seat == HUMAN else seat


def _called(name: str) -> str:
    return name.replace("-", " ").title() if name not in ("gm", "human") else {"gm": "the GM"}.get(name, name)


def _first(name: str) -> str:
    return name.partition("-")[0].capitalize()


def _passages(view: View[TabletopState], *, secrets: bool = True) -> Iterator[Passage]:
    """What the seat lived, in order; without `secrets` no deed that the GM asked for in secret is among it."""
    me = _character(view.state, view.seat or "")
    events: list[Any] = [entry.event for entry in view.entries]
    decided, secret = "", False
    scene, feeling, end = "", "", ""
    for place, event in enumerate(events):
        if isinstance(event, PieceWritten) and event.seat == me and event.document == journal(me):
            feeling = next(iter(_FEELING.findall(event.text)[-1:]), feeling)
        if not isinstance(event, MessageSent):
            continue
        match event.typed():
            case Narrative():
                yield Passage("telling", _prose(event.body))
            case GmToPlayer() as asked if event.to == me:
                secret = asked.request_type == "SECRET_ACTION"
                if scene and asked.scene_slug != scene:
                    yield Passage("scene", asked.scene_slug.replace("-", " ").capitalize())
                scene = asked.scene_slug
            case HumanDecision():
                decided = event.body
                yield from _deed(events[place:], me, event.body, secret) if secrets or not secret else ()
            case PlayerToGm() as answer if event.seat == me and answer.type != "VETO":
                if not decided and (secrets or not secret):
                    yield from _deed(events[place:], me, event.body, secret)
                decided, secret = "", False
            case PlayerToPlayer():
                yield Passage("speech", _said(event.body.strip(), _first(event.seat), _first(event.to or "")))
            case AskPlayer() as question:
                yield Passage("telling", question.question)
            case PlayerAnswer() as answered:
                yield from _deed(events[place:], me, answered.answer, secret=False)
            case SessionEnd() as over:
                end = f"{over.summary} {over.next_hook}".strip()
            case _:
                pass
    if feeling:
        yield Passage("thought", feeling)
    if end:
        yield Passage("note", end)


def _prose(body: str) -> str:
    """A NARRATIVE without what is not the story's: the group that it is for, and what it asks."""
    text = body.partition("\n")[2] if group_note(body) else body
    return "\n\n".join(part for part in text.strip().split("\n\n") if not asks_for_action(part))


def _said(text: str, name: str, to: str = "") -> str:
    """The text as that character says it, to all or to one."""
    words = text.strip('"“”')
    if words.endswith("?"):
        return f"“{words}” {name} asked{to and f' {to}'}."
    end = "" if words.endswith(("!", "…", "—", "–")) else ","
    return f"“{words.removesuffix('.')}{end}” {name} said{to and f' to {to}'}."


def _is_told_of(text: str, name: str) -> bool:
    """Whether a text tells of the character, as against being what the character says."""
    first = re.search(r"(?i)\b(?:i|me|my|mine|we|us|our)\b", text)
    return text.startswith(name) or (first is None and re.search(rf"\b{re.escape(name)}\b", text) is not None)


def _without_mechanics(words: str) -> str:
    """The words without the note on rules that stands in brackets at their end (T-152)."""
    at = words.rfind("(") if words.endswith(")") else -1
    return words[:at].strip() if at > 0 and ")" not in words[at:-1] else words


def _deed(later: Sequence[Any], me: str, words: str, secret: bool) -> Iterator[Passage]:
    """What the character did, unless the next that is told has it."""
    text = _without_mechanics(words.strip())
    told = next((e.body for e in later if isinstance(e, MessageSent) and e.tag == "NARRATIVE"), "")
    name = _first(me)
    plain = in_third_person(text, name) if re.match(r"(?i)(?:i|we|let)\b", text) and "“" not in text else ""
    if not text or text[:40] in told or (plain and plain[:40] in told):
        return
    if not plain and not _is_told_of(text, name):
        plain = _said(text, name)
    yield Passage("deed", f"{'Unseen by the others, ' if secret else ''}{plain or text}")
