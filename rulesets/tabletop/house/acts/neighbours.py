"""What somebody says who is asked about somebody else: whether they know them, what they are like, what to think of
them; and that the rest is for the other to say."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from sottovoce.rulesets.tabletop.house.acts import answers
from sottovoce.rulesets.tabletop.house.acts.everyday import offices_of
from sottovoce.rulesets.tabletop.house.acts.questions import Question, roots
from sottovoce.rulesets.tabletop.house.acts.threads import is_somebody, people_in
from sottovoce.rulesets.tabletop.house.acts.topics import around, pool
from sottovoce.rulesets.tabletop.house.play import Play, capital
from sottovoce.rulesets.tabletop.rules.lore.facts import OFFICES, Entity
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST


@dataclass(frozen=True, slots=True)
class Other:
    """Somebody who is asked about: how the party calls them, and who that is where the folder has them."""

    call: str
    entity: Entity | None
    gone: bool


_KNOW = re.compile(
    r"(?i)\b(?:do|did|have|are|were|had) you (?:\w+ ){0,3}?(?:know|known|met|meet|heard of|acquainted with"
    r"|friends? (?:of"
    r"|with)|close (?:to|with)|talk (?:to|with))(?! (?:who|what|where|when|why|how|if|whether|that|anything|about"
    r"|something|of)\b)|\bhow (?:well|long) (?:do|did|have) you (?:know|known)\b"
    r"|\b(?:have|had) you (?:ever )?(?:seen|met)\b[^?]*\bbefore\b"
)
_LIKE = re.compile(
    r"(?i)\b(?:like\W*$|(?:what|which) (?:sort|kind|type) of\b|describe\b|what about\b|how (?:is|was|'s)\b)"
    r"|\btell (?:me|us) (?:\w+ )?about\b|\bwhat (?:do|can|did) you (?:\w+ )?(?:know|tell me|tell us|say) (?:about"
    r"|of)\b"
    r"|^\W*(?:and |so )?who(?:'s| is| was)\b|^\W*(?:and )?(?-i:[A-Z])[\w'’-]+(?: (?-i:[A-Z])[\w'’-]+)?\W*$"
)
_MANNER = re.compile(
    r"(?i)\b(?:like\W*$|(?:what|which) (?:sort|kind|type) of (?:man|woman|person|people)\b|describe\b)"
)
_VIEW = re.compile(
    r"(?i)\b(?:think|make|feel|reckon) (?:of|about)\b|\byour (?:opinion|view)\b"
    r"|\bdo you (?:\w+ )?(?:like|love|hate|dislike|get (?:on|along) with|pity|miss|respect)\b"
)
_OFFICE = re.compile(
    r"(?i)\b(?:his|her|their|'s) (?:job|work|trade|office|post|position|profession)\b|\bdo(?:es)? for a living\b"
    r"|\bwhat does (?:he|she|they|[\w'’-]+(?: [\w'’-]+)?) do(?: here| all day)?\W*$"
)
_TRUST = re.compile(
    r"(?i)\b(?:trust|trustworthy|honest|reliable|believe|(?:be )?(?:lying|lies|lie|liar)|(?:a )?(?:good|bad|decent"
    r"|nice"
    r"|dangerous) (?:man|woman|person|sort|soul|fellow))\b"
)


_DEAD = re.compile(
    r"(?i)\b(?:the|this|that) (?:dead|late|murdered|poor|dying) (?:man|woman|girl|boy|fellow|one|stranger)\b"
    r"|\b(?:the|this|that) (?:body|corpse|deceased|victim)\b|\bthis (?:wo)?man\b"
)
"""The one who is known to be dead, as people speak of them."""


def other_in(play: Play, person: Entity, question: Question) -> Other | None:
    """Who else a question is about: somebody of whom the party has heard, by name or by what they are."""
    text = f"{question.text[:LONGEST]} {question.matter}".replace("’", "'")
    known = play.known
    people = [each for each in known.entities if each.kind == "person" and each.id != person.id]
    named = people_in(text, [each for each in people if each.id in known.names])
    office = next(
        (e for e in people for word in e.offices & OFFICES if re.search(rf"(?i)\bthe {re.escape(word)}\b", text)), None
    )
    found = next(iter(named), office)
    dead = [each for each in people if each.gone and each.id in known.names]
    if found is None and len(dead) == 1 and _DEAD.search(text):
        found = dead[0]
    if found is not None:
        return Other(known.call(found), found, found.gone)
    name = question.matter
    is_name = re.fullmatch(r"[A-Z][\w'’]+(?: [A-Z][\w'’]+)?", name) is not None
    if is_name and name not in (person.name, person.short) and is_somebody(play, name):
        return Other(name, None, True)
    office_named = re.fullmatch(rf"(?i)(?:the|your) ({'|'.join(sorted(OFFICES))})", name)
    if office_named and office_named[1].lower() not in offices_of(play, person):
        return Other(name, None, False)
    return None


def of_another(play: Play, person: Entity, question: Question, said: str) -> str:
    """What somebody says who is asked whether they know another, or what to think of them; empty for the rest."""
    other = other_in(play, person, question)
    if other is None:
        return ""
    said = said[:LONGEST]
    if _OFFICE.search(said) and other.entity is not None:
        office = min(offices_of(play, other.entity), default="")
        return play.line("known.office", office=office, **_slots(play, person, other)) if office else ""
    if _KNOW.search(said):
        topic = "known.gone" if other.gone else "known.yes" if _is_near(play, other.entity) else "known.far"
    elif _TRUST.search(said):
        topic = "known.trust"
    elif _VIEW.search(said):
        topic = "known.view"
    elif _MANNER.search(said):
        topic = "known.like.gone" if other.gone else "known.like"
    elif _LIKE.search(said):
        return _told(play, person, question, other)
    else:
        return ""
    told = play.line(topic, **_slots(play, person, other))
    more = _told(play, person, question, other)
    return f"{told} {continued(more, play.known.call(person))}".strip()


def left_to(play: Play, person: Entity, question: Question) -> str:
    """Somebody leaves it to another to answer for themself; empty where nobody else is asked about."""
    other = other_in(play, person, question)
    if other is None or question.you:
        return ""
    if _LIKE.search(question.text):
        return play.line("known.like.gone" if other.gone else "known.like", **_slots(play, person, other))
    return play.line("known.lost" if other.gone else "known.ask", **_slots(play, person, other))


def shares_names_alone(play: Play, person: Entity, question: Question, text: str) -> bool:
    """Whether a text has nothing of the question but the name of somebody else."""
    other = other_in(play, person, question)
    if other is None:
        return False
    rest = question.asked - roots(other.entity.name if other.entity is not None else other.call)
    return not rest & roots(text)


def continued(told: str, name: str) -> str:
    """What somebody says, after they have been said to speak already: without who says it."""
    return re.sub(rf",” says {re.escape(name)}\.$", ".”", told)


def _slots(play: Play, person: Entity, other: Other) -> dict[str, str]:
    name = play.known.call(person)
    return {"name": name, "Name": capital(name), "who": other.call, "Who": capital(other.call)}


def _is_near(play: Play, entity: Entity | None) -> bool:
    here = play.known.place
    return entity is not None and (here is None or not entity.places or here.id in around(play.world, entity))


def _told(play: Play, person: Entity, question: Question, other: Other) -> str:
    """A sentence about them that was not told yet."""
    asked = roots(other.entity.short if other.entity is not None else other.call)
    about = replace(question, text=f"who is {other.call}", word="what", asked=asked, you=False)
    facts = [
        fact
        for fact in pool(play, person)
        if other.entity is None or fact.owner == other.entity.id or fact.owner == person.id
    ]
    found = answers.find(play, person, about, facts)
    if found is None or not found.held or answers.was_told(play, person, found.fact):
        return ""
    return answers.tell(play, person, about, found)
