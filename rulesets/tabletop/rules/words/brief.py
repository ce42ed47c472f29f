"""The short form of a GM's answer, for a model with a small window: one step at a time, out of what there is.

    {"step": {"tell": "npcs/agnes.md:12", "narrative": "She looks up.", "prompt": "pim-tallow"}}

Names, skills, facts and documents are chosen from a list, so that an engine that constrains by a grammar allows no
others. A step becomes the same steps that other game masters give, and is recorded as those.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, Field, WrapValidator

from sottovoce import Fields
from sottovoce.rulesets.tabletop.rules.documents import PARTY_KNOWLEDGE, STORY_STATE
from sottovoce.rulesets.tabletop.rules.words.steps import as_given

TOLD_BY = ("tell", "narrative")
ASKED = "What do you do?"
"""What a character is asked."""
_NO_PROSE = r"()\[\]{}<>|_/\\\"#*=0-9\x00-\x1f"
PROSE = rf"^[^ .,;:!?{_NO_PROSE}]{{1,24}}( [^ .:!?{_NO_PROSE}]{{1,24}}){{4,32}}[.!?]$"
"""A sentence of words with spaces between them: without it a small model copies paths and brackets of its prompt."""

Sentence = Annotated[str, Field(json_schema_extra={"pattern": PROSE})]


class BriefTelling(BaseModel):
    """Tell a fact, and ask a character."""

    tell: str
    prompt: str


class BriefNarrative(BaseModel):
    """Tell what happens in a sentence of one's own, and ask a character."""

    narrative: Sentence
    prompt: str


class BriefFacts(BaseModel):
    """Ask what there is to tell of somebody or something."""

    facts: str


class BriefCheck(BaseModel):
    """Roll a skill for a fact."""

    check: str
    who: str
    fact: str


class BriefOpening(BaseModel):
    """Read a document."""

    open: str


class BriefQuestion(BaseModel):
    """Ask the human which character to play."""

    question: Sentence


class BriefNote(BaseModel):
    """Answer the narrator."""

    note_to_narrator: Sentence


class BriefSaving(BaseModel):
    """Say what happened, for the campaign's papers."""

    save: Sentence


class BriefEnd(BaseModel):
    """End the session."""

    end: Sentence


BriefStep = (
    BriefFacts
    | BriefCheck
    | BriefOpening
    | BriefTelling
    | BriefNarrative
    | BriefQuestion
    | BriefNote
    | BriefSaving
    | BriefEnd
)


class BriefGmFields(Fields):
    """One step of the GM's."""

    told: ClassVar[tuple[str, ...]] = (
        '"step": one object, of one of the kinds that your turn names. You are asked again after "facts", "check" and '
        '"open"; "tell" and "narrative" end your turn.',
    )
    step: Annotated[BriefStep, WrapValidator(as_given)]


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What a short answer leaves out: the `human`'s character, which is asked with each telling; who is `awaited`, and
    not asked again; by which `kind` of request; the `roster`, among which the human chooses; and the words of the
    `fact` that is told."""

    human: str | None
    awaited: Sequence[str]
    kind: str
    roster: Sequence[str]
    fact: str = ""


def brief_text(given: Any, now: Circumstances) -> str:
    """The steps that a short answer makes."""
    return json.dumps({"steps": list(_steps(given, now))}, ensure_ascii=False)


def _steps(given: Any, now: Circumstances) -> Iterable[Any]:
    if not isinstance(given, Mapping) or not {*TOLD_BY, "save", "end", "question"} & given.keys():
        yield given
        return
    if "question" in given:
        yield {**given, "options": [{"label": name} for name in now.roster]}
        return
    for text in filter(None, (given.get("save"), given.get("end"))):
        yield {"document": STORY_STATE, "operation": "append", "text": f"- {text}"}
        yield {"document": PARTY_KNOWLEDGE, "operation": "append", "text": f"- {text}"}
    if "end" in given:
        yield {"end": given["end"]}
    if "tell" in given:
        yield {"tell": [given["tell"]]}
    if "narrative" in given:
        yield {"narrative": given["narrative"]}
    for name in dict.fromkeys(filter(None, (now.human, given.get("prompt")))):
        if not {*TOLD_BY}.isdisjoint(given) and name not in now.awaited:
            told = now.fact or str(given.get("narrative") or "")
            yield {"prompt": name, "kind": now.kind, "just_happened": told, "request": ASKED}
