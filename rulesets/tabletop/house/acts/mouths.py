"""The party's own papers in somebody else's mouth: whoever lives here may say what everybody at the table has read."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sottovoce.rulesets.tabletop.house.play import Play, capital
from sottovoce.rulesets.tabletop.house.telling import in_first_person, is_clause, quoted
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity, Fact
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST, ended, lowered

_LABEL = re.compile(r"^[A-Z][\w ’'/&-]{2,34}: (?=[A-Z“\"])")
_DULL = re.compile(r"(?i)^(?:current progress|objective|goal|given by|next steps?|status|summary|last updated|type)\b")
_DANGLING = re.compile(r"(?i)\bfor (?:that|this) reason\b|^(?:this|that|these|those|such)\b|\bthe (?:former|latter)\b")
"""A sentence that needs the one before it."""
_PARTY = {"we": "you", "us": "you", "our": "your", "ours": "yours", "ourselves": "yourselves"}


def subject_of(fact: Fact, facts: Iterable[Fact], people: Iterable[Entity]) -> Entity | None:
    """The person whom a line of the papers is about: named at its beginning, or at that of its paragraph."""
    line = fact.id.partition(".md:")[2].partition(".")[0]
    path = fact.id.partition(".md:")[0]
    first = next((f for f in facts if f.id.startswith(f"{path}.md:{line}.")), fact)
    for text in dict.fromkeys((fact.text[:LONGEST], first.text[:LONGEST])):
        low = _LABEL.sub("", text).casefold()
        for each in people:
            if any(low.startswith(name) and not low[len(name) : len(name) + 1].isalnum() for name in each.names):
                return each
            if text == fact.text[:LONGEST] and re.match(
                rf"(?:an? )?letter from {re.escape(each.name.casefold())}\b", low
            ):
                return each
    return None


def in_mouth(play: Play, fact: Fact, person: Entity) -> str:
    """A sentence of the papers as that person says it; empty where it cannot be said."""
    text = fact.text
    if (
        len(text) > LONGEST
        or _DULL.match(text)
        or _DANGLING.search(text)
        or re.search(r"(?i)\bwe (?:still |do not |don['’]t )*know\b", _LABEL.sub("", text))
    ):
        return ""
    people = [each for each in play.known.entities if each.kind == "person"]
    about = subject_of(fact, play.known.papers.facts, people)
    table = re.match(r"([A-Z][^:.]{2,40}): (.+)", text)
    whose = {about.name.casefold(), *about.names} if about is not None else set()
    if table is not None and any(name in table[1].casefold() for name in whose):
        if about is not person:
            return f"{table[1]}? {capital(table[2])}"
        article = "" if re.match(r"(?i)(?:the|an?|my|one)\b", table[2]) or is_clause(table[2]) else "the "
        return "" if re.match(r"(?i)\w+(?:s|ed)\b", table[2]) else f"I am {article}{lowered(table[2])}"
    text = _LABEL.sub("", text)
    if _LABEL.match(text):
        return ""
    for office in person.offices:
        text = re.sub(rf"(?i)^the {office}(?= )", person.short, text)
        text = re.sub(rf"(?i)\bthe {office}['’]s\b", "my", text)
    bare = text.lstrip("“\"'‘")
    if not is_clause(bare) and not re.match(r"(?:We|A|The|It|An) ", bare):
        return ""
    if (
        about is person
        or re.search(rf"(?i)(?<!\w){re.escape(person.name)}(?!\w)", text)
        or text.startswith(person.short)
    ):
        text = _as_own(text, person)
        if not text:
            return ""
    text = re.sub(
        r"(?i)\b(?:we|us|our|ours|ourselves)\b",
        lambda found: capital(_PARTY[found[0].lower()]) if found[0][0].isupper() else _PARTY[found[0].lower()],
        text,
    )
    text = re.sub(r"\b([Tt]he \w+) there\b", r"\1 here", text)
    return quoted(ended(text))


def _as_own(text: str, person: Entity) -> str:
    """A sentence about somebody as they say it themselves."""
    text = re.sub(rf"{re.escape(person.name)}(?:, the [\w ]{{3,24}},)?", person.short, text)
    if text.startswith(person.short):
        text = re.sub(rf"^({re.escape(person.short)}) wrote\b", r"\1 wrote", text)
        return in_first_person(text, person) or ""
    own = {"she": ("her", "she"), "he": ("his", "he")}.get(person.pronoun, ("their", "they"))
    if text.casefold().startswith(f"a letter from {person.short.casefold()}"):
        text = f"My letter{text[len('a letter from ') + len(person.short) :]}"
    if re.search(rf"(?i)\b(?:{own[1]}|him|them|{re.escape(person.short)})\b", text):
        return ""
    return re.sub(rf"(?i)\b{own[0]}\b(?= [a-z])", "my", text)
