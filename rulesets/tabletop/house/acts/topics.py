"""What fits what was said: the topic of an act, the fact that answers it, and what somebody can answer with."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from sottovoce.rulesets.tabletop.house.play import Play
from sottovoce.rulesets.tabletop.house.targets import Act
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity, Fact, World
from sottovoce.rulesets.tabletop.rules.lore.known import found_by
from sottovoce.rulesets.tabletop.rules.lore.language import STOP, ended, stem, stems, words
from sottovoce.rulesets.tabletop.rules.lore.lookup import TRUSTED

_IDLE = frozenset(
    stem(word)
    for word in (
        "name know tell hear mean think happen thing someone friend sir madam please good evening morning day hello"
        " much place want would story more else"
    ).split()
)
"""What is no topic, however often it is said."""


def topic_of(play: Play, act: Act) -> frozenset[str]:
    """The stems of what an act is about, the names of it included."""
    found = set(act.topic)
    for key in (act.thing, act.target if (e := play.entity(act.target)) is not None and e.kind != "person" else None):
        entity = play.entity(key)
        if entity is not None:
            found |= {stem(word) for name in entity.names for word in words(name)}
    return frozenset(found - _IDLE)


def best(facts: Sequence[Fact], topic: frozenset[str], about: str | None = None) -> Fact | None:
    """The fact that answers the topic best: it shares a telling word with it, or is about the very thing."""
    if not facts:
        return None
    having = Counter(word for fact in facts for word in stems(f"{fact.label} {fact.text}"))
    scored: list[tuple[float, int, Fact]] = []
    for place, fact in enumerate(facts):
        shared = topic & stems(f"{fact.label} {fact.text}")
        if len(topic) > 2 and len(shared) < 2 and not (about and fact.owner == about):
            continue
        score = sum(1.0 + 1.0 / having[word] for word in sorted(shared)) + (
            1.5 if about and fact.owner == about else 0.0
        )
        if score > 0:
            scored.append((score, -place, fact))
    return max(scored, key=lambda each: each[:2])[2] if scored else None


def around(world: World, person: Entity) -> set[str]:
    return {world.entities[key].parent or key for key in person.places}


def pool(play: Play, person: Entity, *, trusted: bool = False) -> list[Fact]:
    """What somebody can answer with: what they know openly, in trust, and what everybody knows of the place."""
    known, memory = play.known, play.memory
    facts = known.fresh(person.id, "knows")
    facts = [fact for fact in facts if fact.gate == "open" or trusted or memory.liking[person.id] >= TRUSTED]
    if trusted or memory.liking[person.id] >= TRUSTED:
        facts += [
            f
            for f in play.world.of.get(person.id, ())
            if f.gate == "trust" and f.id not in memory.told and f not in facts
        ]
    place = known.place
    if place is not None:
        facts += known.fresh(place.id, "history")
        for part in known.parts:
            facts += known.fresh(part.id, "part")[:1]
        for other in play.world.all("person"):
            if other.id != person.id and other.id in known.names and place.id in around(play.world, other):
                facts += [fact for fact in known.fresh(other.id, "knows") if fact.gate == "open"]
    return facts


def interests(play: Play, person: Entity) -> list[str]:
    """What somebody would rather talk about: names out of what they have not told yet."""
    found: list[str] = []
    nameable = [
        each
        for each in play.known.entities
        if each.id != person.id
        and each.kind != "person"
        and each.id in play.known.names | {p.id for p in play.known.parts}
    ]
    for fact in pool(play, person):
        found += [each.the for each in found_by(fact.text, nameable) if each.the not in found]
        if fact.owner in {each.id for each in nameable} and (own := play.world.entities[fact.owner].the) not in found:
            found.append(own)
        if fact.owner == person.id and fact.gate == "open" and not found_by(fact.text, nameable):
            noun = re.search(r"\bthe ([a-z]{4,})\b(?! of)", fact.text)
            if noun and noun[1] not in STOP and f"the {noun[1]}" not in found:
                found.append(f"the {noun[1]}")
        if len(found) >= 2:
            break
    return found[:2]


def recall(play: Play, topic: frozenset[str], about: str | None) -> str:
    """What the party's own papers say on a topic."""
    entity = play.entity(about)
    names = {stem(word) for name in (entity.names if entity else ()) for word in words(name)}
    scored: list[tuple[float, int, str]] = []
    for place, fact in enumerate(play.known.papers.facts):
        own = stems(fact.text)
        shared = (topic | names) & own
        start = fact.text.casefold().removeprefix("the ")
        score = len(shared) + (2.0 if entity and any(start.startswith(name) for name in entity.names) else 0.0)
        if (names and not names & own) or not shared or f"seen {fact.id}" in play.memory.lines:
            continue
        if len(shared) >= min(2, len(topic | names)) or (names and names <= own):
            scored.append((score, -place, f"{fact.id}\n{fact.text}"))
    if not scored:
        return ""
    key, _, text = max(scored)[2].partition("\n")
    play.note(f"seen {key}")
    play.productive = True
    return play.line("recall", fact=ended(text))
