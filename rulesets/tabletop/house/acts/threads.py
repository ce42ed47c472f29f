"""The thread of a talk: whom `him` and `it` stand for, and what `why?` and `when was that?` go on asking about."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from sottovoce.rulesets.tabletop.house.acts.questions import Question, question_of, roots
from sottovoce.rulesets.tabletop.house.play import Play
from sottovoce.rulesets.tabletop.house.targets import stands_alone
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity
from sottovoce.rulesets.tabletop.rules.lore.known import found_by
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST, words

_SOMEBODY = re.compile(r"(?i)\b(?P<word>he|him|his|she|her)\b")
_OWNING = re.compile(
    r"(?i)^ (?!(?:and|or|but|to|at|in|on|is|was|well|then|there|last|that|before|again|here|doing|come|go|like|yet"
    r"|too|now|from|with|for|by|about|if|when|as|so|up|down|out|alive|dead|personally|today|yesterday)\b)[a-z]"
)
_THING = re.compile(
    r"(?i)\b(?:it|they|them|its|there(?= ?\?|$))\b|\b(?<!like )(?:that|this|those|these)\b(?! (?!is\b|was\b|are\b"
    r"|were\b"
    r"|has\b|had\b|did\b|for\b)[a-z])"
)
_BARE = re.compile(
    r"(?i)^\W*(?:(?:and|but|so|oh|ok|okay|well|wait|hm+|then) )*(?:by|to|with|since|for)? ?(?:who|whom|why|when"
    r"|where|how"
    r"|what|which)(?:'s)?(?: (?:was|is|were|are|did|does|do|has|have|come|so|not|else|then|exactly|that|it|this"
    r"|they|them"
    r"|long|ago|the way|happen|happened|would|could|by|for|to|from|with|in|on))*\W*$"
)
_NAME = re.compile(
    r"(?<!the )(?<![\w'’])(?!(?:I|The|A|An|Most|Some|All|Many|Few|No|Every|One|Both)\b)[A-Z][a-z'’]+(?: [A-Z][\w'’]+)+"
    r"|(?<=[a-z,] )(?<!the )[A-Z][\w'’]{2,}"
)


def completed(play: Play, person: Entity, text: str, own: Iterable[str]) -> Question:
    """The question with what it leaves to the talk before it."""
    own = tuple(own)
    text = text[:LONGEST].replace("’", "'")
    question = question_of(_with_names(play, person, text), own)
    before = question_of(play.memory.asked, own) if play.memory.asked else None
    if before is None or not (before.asked or before.matter):
        return question
    bare = not question.asked and not question.matter and _BARE.match(question.text) is not None
    if bare and not re.search(r"(?i)\b(?:you|we|i|here|this place)\b", question.text):
        asked = (roots(before.matter) - {*own}) or before.asked
        text = f"where is {before.matter}?" if question.word == "where" and before.matter else question.text
        return replace(question, text=text, asked=asked, matter=before.matter, you=before.you)
    if before.matter and not question.matter and not question.you and _THING.search(question.text):
        text = question.text
        if re.search(r"(?i)\b(?:far|get|go|find|way)\b", text):
            text = re.sub(r"(?i)\bthere\b", f"to {before.matter}", text, count=1)
            text = re.sub(r"(?i)\b(?:it|that)\b", before.matter, text, count=1)
        return replace(
            question, text=text, asked=question.asked | (roots(before.matter) - {*own}), matter=before.matter
        )
    return question


def _with_names(play: Play, person: Entity, text: str) -> str:
    """The text with the name of whoever was spoken of in the place of the first `he` or `her`."""
    found = _SOMEBODY.search(text)
    if found is None or _named(play, person, text):
        return text
    word = found["word"].lower()
    pronoun = "she" if word in ("she", "her") else "he"
    name = spoken_of(play, person, pronoun)
    if not name:
        return text
    if word == "his" or (word == "her" and _OWNING.match(text[found.end() :]) is not None):
        name += "'s"
    return f"{text[: found.start()]}{name}{text[found.end() :]}"


def people_in(text: str, people: Iterable[Entity]) -> list[Entity]:
    """Whom of them a text names; `Marsh` in `Oswin Marsh` is not Tobit Marsh."""
    people = list(people)
    found = [each for each in found_by(text, people) if any(stands_alone(text, name, each) for name in each.names)]
    if found:
        return found
    last = [e for e in people if " " in e.name and re.search(rf"\b{re.escape(e.name.split()[-1])}\b", text)]
    return (
        [each for each in last if stands_alone(text, each.name.split()[-1].casefold(), each)] if len(last) == 1 else []
    )


def is_somebody(play: Play, name: str) -> bool:
    """Whether the party has read a name that the folder has no page for, and it is nobody's place or thing."""
    said = words(name)
    taken = {word for each in play.known.entities for called in each.names for word in words(called)}
    if not said or not {*said} <= play.known.papers.words or (len(said) == 1 and said[0] in taken):
        return False
    text = " ".join(fact.text for fact in play.known.papers.facts if name in fact.text)[: 10 * LONGEST]
    spot = re.search(rf"\b(?:in|at|from|to|near|into|through|toward|towards|of|the|reach) {re.escape(name)}\b", text)
    does = re.search(
        rf"\b{re.escape(name)}(?: [A-Z]\w+)?(?:,? (?:who|the|has|had|was|wrote|went|said|told|keeps|built|lives"
        rf"|asked|died"
        rf"|gave|sent)\b|['’]s (?:brother|sister|wife|husband|son|daughter|widow|letter|house)\b)",
        text,
    )
    return does is not None and (spot is None or len(said) > 1)


def _named(play: Play, person: Entity, text: str) -> bool:
    people = [e for e in play.known.entities if e.kind == "person" and e.id != person.id and e.id in play.known.names]
    return bool(people_in(text, people))


def spoken_of(play: Play, person: Entity, pronoun: str) -> str:
    """The name of whoever was spoken of last and can be called so; else of the one other person here who can."""
    known = play.known
    subject = play.memory.subject
    people = [each for each in known.entities if each.kind == "person" and each.id != person.id]
    if subject:
        same = next((each for each in people if subject in (each.name, each.short)), None)
        if subject not in (person.name, person.short) and (same is None or same.pronoun in (pronoun, "they")):
            return subject
    here = [each for each in known.present if each.id != person.id and each.pronoun == pronoun]
    met = [each for each in people if each.pronoun == pronoun and each.id in known.names]
    one = next((each for each in (here, met) if len(each) == 1), None)
    return one[0].name if one and one[0].id in known.names else ""


def record(play: Play, person: Entity, question: Question, answer: str, *, lasting: bool) -> None:
    """Note who was spoken of, and what was asked if it is `lasting`, for the next question."""
    asked = question.text.strip()[:160]
    if lasting and (question.asked or question.matter) and not _BARE.match(asked) and asked != play.memory.asked:
        play.note(f"asked {asked}")
    subject = _subject(play, person, question.text) or _subject(play, person, answer)
    if subject and subject != play.memory.subject:
        play.note(f"subject {subject}")


def is_of_the_absent(play: Play, text: str) -> bool:
    """Whether a text names somebody who is not here, or means them by `he` or `she`, so that nobody can look."""
    subject = play.memory.subject
    here = {name for each in play.known.present for name in (each.name, each.short)}
    dead = {each.name for each in play.known.entities if each.gone}
    away = [each for each in play.known.entities if each.kind == "person" and not each.gone]
    away = [each for each in away if each.id in play.known.names and each.name not in here]
    meant = bool(subject) and subject not in here | dead and _SOMEBODY.search(text[:LONGEST]) is not None
    return meant or bool(people_in(text[:LONGEST], away))


def _subject(play: Play, person: Entity, text: str) -> str:
    """Who else a text names: somebody known, or a name that the party has read and that is no place, thing or group."""
    known = play.known
    others = people_in(
        text, [e for e in known.entities if e.kind == "person" and e.id != person.id and e.id in known.names]
    )
    if others:
        return others[0].name
    names = [found[0] for found in _NAME.finditer(text[:LONGEST])]
    return next((name for name in names if name not in (person.name, person.short) and is_somebody(play, name)), "")
