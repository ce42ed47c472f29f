"""What fits what was said: the topic of an act, the fact that answers it, and what somebody can answer with."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from sottovoce.rulesets.tabletop.house.play import Play
from sottovoce.rulesets.tabletop.house.player import called
from sottovoce.rulesets.tabletop.house.targets import Act
from sottovoce.rulesets.tabletop.house.telling import in_third_person, to_you
from sottovoce.rulesets.tabletop.house.verbs import lists
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
_ANYWHERE = frozenset(
    stem(word)
    for word in (
        "around round about here there room place area surroundings scene street outside inside everyone anyone people"
        " day night sky closer carefully quickly quietly detail details while moment odd unusual strange suspicious"
        " useful closely interesting new eyes open taproom common interior hall building village town city spot view"
        " take stock crowd else first"
    ).split()
)
"""What stands for all that is to be seen here, and for nothing in particular."""


def topic_of(play: Play, act: Act) -> frozenset[str]:
    """The stems of what an act is about, the names of it included."""
    found = set(act.topic)
    for key in (act.thing, act.target if (e := play.entity(act.target)) is not None and e.kind != "person" else None):
        entity = play.entity(key)
        if entity is not None:
            found |= {stem(word) for name in entity.names for word in words(name)}
    return frozenset(found - _IDLE)


def particular(topic: frozenset[str]) -> frozenset[str]:
    """The stems of a topic that single something out."""
    return topic - _ANYWHERE


def deed_of(play: Play, who: str, act: Act) -> str:
    """The deed itself in plain words, as the others see it; empty where it cannot be told, or names the character.

    What one does is told of them by name, what `we` do of the whole party.
    """
    told = ""
    for deed in re.split(r"(?<=[a-z\d])[.!;] (?![^“]*”)", act.text):
        if deed.casefold().startswith((play.name(who).casefold(), called(who).casefold())):
            return told
        one = in_third_person(deed, play.name(who), play.table.sheet(who).pronouns, "You")
        if not one:
            return told
        subject = next((each for each in (play.name(who), "You") if one.startswith(f"{each} ")), "")
        together = subject and told.startswith(f"{subject} ") and told.endswith(".")
        told = f"{told[:-1]} and{one.removeprefix(subject)}" if together else f"{told} {one}".strip()
    return told


def best(facts: Sequence[Fact], topic: frozenset[str], about: str | None = None) -> Fact | None:
    """The fact that answers the topic best: it shares a telling word with it, or is about the very thing."""
    if not facts:
        return None
    having = Counter(word for fact in facts for word in stems(f"{fact.label} {fact.text}"))
    scored: list[tuple[float, int, Fact]] = []
    for place, fact in enumerate(facts):
        shared = topic & stems(f"{fact.label} {fact.text}")
        of_it = bool(about) and about in (fact.owner, fact.owner.partition("/")[0])
        if len(topic) > 2 and len(shared) < 2 and not of_it:
            continue
        score = sum(1.0 + 1.0 / having[word] for word in sorted(shared)) + (1.5 if of_it else 0.0)
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
    for other in known.entities:
        if other.kind == "place" and other is not place and other.id in known.names:
            facts += known.from_afar(other)
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


def fitting(facts: Sequence[Fact], act: Act, topic: frozenset[str]) -> Fact | None:
    """The fact that has the very thing in it that a deed is about."""
    head = act.head if act.head in particular(topic) else ""
    having = [f for f in facts if not head or head in stems(f"{f.label} {f.text}")]
    return best(having, topic) or (having[0] if having and head else None)


_LABEL = re.compile(r"^(?:Objective|Goal|What we know|Status|Next steps?|Summary|Notes?): (?=[A-Z])")


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
    return play.line("recall", fact=ended(to_you(_LABEL.sub("", text))))


def taken(text: str) -> str:
    """The thing that a plain sentence takes: `the brass key`."""
    found = re.search(
        r"(?i)\b(?:take|takes|grab|grabs|pick|picks|pocket|pockets|steal|steals|snatch|collect|gather|lift"
        r"|seize)s? (?:up )?(?:the|a|an|one of the|some|that|this|his|her"
        r"|their) ((?:[\w'-]+ ){0,2}?[\w'-]+)(?= (?:from|off|on|in|and|at|with|that|which|to|under|behind"
        r"|before|while)\b|\W*$)",
        text,
    )
    return found[1].lower() if found else ""


def seen_here(play: Play, noun: str) -> Fact | None:
    """A sentence told tonight about this place in which the thing lies to hand."""
    last = words(noun)[-1:] if noun else []
    known = play.known
    owners = {each.id for each in (known.spot, known.place, *known.parts) if each is not None}
    told = [play.world.facts[key] for key in play.memory.told if key in play.world.facts]
    return next((f for f in told if f.owner in owners and last and stem(last[0]) in stems(f.text)), None)


_CARRIED = re.compile(r"(?i)\b(?:pockets?|purse|wallet|keys?|belt|coat|cloak|bag|ring|hat|sleeve|pouch)\b")


def bearer(play: Play, act: Act) -> Entity | None:
    """Who of those here carries what somebody reaches for: who is named, or by whose looks it was seen."""
    known = play.known
    person = play.entity(act.target)
    if person is not None and person.kind == "person":
        return person if person in known.present and _CARRIED.search(act.text) else None
    last = words(taken(act.text))[-1:]
    for each in known.present:
        looks = [f for f in play.world.of.get(each.id, ()) if f.kind == "looks" and f.id in play.memory.told]
        if last and any(stem(last[0]) in stems(fact.text) for fact in looks):
            return each
    theirs = re.search(
        r"(?i)\b(his|her|their) (?:\w+ )?(?:pockets?|purse|wallet|belt|coat|cloak|bag|pouch)\b", act.text
    )
    if theirs is None:
        return None
    pronoun = {"his": "he", "her": "she"}.get(theirs[1].lower(), "")
    return next((each for each in known.present if pronoun in ("", each.pronoun)), None)


_FIRST = re.compile(
    r"(?i)\b(the|an?|my|our|his|her(?! (?:on|in|to|with|up|down|from|by|at|over|into|onto)\b)|their|its"
    r"|this|that|these|those|some|any|another|two|three)\b"
)


def is_any(act: Act) -> bool:
    """Whether a deed is about any such thing, and none that was told of: `a stone`."""
    found = _FIRST.search(act.text)
    return (
        found is not None
        and found[1].lower() in ("a", "an", "some", "any", "another", "two", "three")
        and is_ordinary(act)
    )


_ORDINARY = frozenset(stem(word) for line in lists("ordinary.txt")["things"] for word in line.split())
"""What any place has, or anybody carries."""


def is_ordinary(act: Act) -> bool:
    """Whether a deed is about what any place has, or about nothing with a name."""
    return not act.head or act.head in _ORDINARY


def missing(play: Play, act: Act) -> bool:
    """Whether a deed needs a thing that is not here: not told of this place, not carried, and no ordinary thing."""
    found = re.search(r"(?i)\b(?:the|that|those|these|an?|my|our|his|her|their|some|any)\b", act.text)
    if (
        not act.head
        or found is None
        or found[0].lower() not in ("the", "that", "those", "these")
        or act.head in _ORDINARY
        or act.target in play.world.entities
    ):
        return False
    if act.thing in play.world.entities:
        return False
    known = play.known
    owners = {e.id for e in (known.spot, known.place, *known.parts, *known.present) if e is not None}
    told = [play.world.facts[key] for key in play.memory.told if key in play.world.facts]
    here = {word for fact in told if fact.owner in owners for word in stems(f"{fact.label} {fact.text}")}
    seen = [fact for owner in owners for fact in known.fresh(owner, "sense", "part", "looks")]
    here |= {word for fact in seen for word in stems(fact.text)}
    here |= {word for owner in owners for word in stems(play.world.entities[owner].name)}
    carried = {word for key in play.memory.carries for word in stems(key.replace("-", " "))}
    return act.head not in here | carried | {stem(word) for word in known.papers.words}
