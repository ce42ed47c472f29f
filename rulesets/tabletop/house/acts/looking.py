"""To look and to search: what is to be seen of a person, a place or a thing, and what a search turns up."""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house import company
from sottovoce.rulesets.tabletop.house.acts.topics import best, recall, topic_of
from sottovoce.rulesets.tabletop.house.play import Play, Roll, capital
from sottovoce.rulesets.tabletop.house.targets import Act
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity, Fact
from sottovoce.rulesets.tabletop.rules.lore.language import ended, listed, lowered, stems
from sottovoce.rulesets.tabletop.rules.lore.lookup import HARD


def look(play: Play, who: str, act: Act) -> list[str]:
    entity = play.entity(act.target)
    known = play.known
    if entity is None:
        topic = topic_of(play, act)
        thing = matching_here(play, topic)
        if not thing and topic and _told_here(play, topic):
            return [_seen(play, "it")]
        return [thing] if thing else look_around(play, who)
    if entity.kind == "person":
        if entity.gone or entity in known.present:
            facts = known.fresh(entity.id, "looks", "habit")
            fit = best(facts, topic_of(play, act)) or (facts[0] if facts else None)
            return (
                [of_person(play, entity, fit)]
                if fit
                else [play.line("look.person.done", who=play.name(who), name=known.call(entity))]
            )
        return [play.line("absent", name=capital(known.call(entity)))]
    if entity.kind in ("part", "place"):
        here = known.place is not None and known.place.id in (entity.id, entity.parent)
        if not here:
            return [recall(play, topic_of(play, act), entity.id) or play.line("look.far", name=entity.the)]
        facts = known.fresh(entity.id, "part", "sense")
        if entity.kind == "place" and not act.topic:
            return look_around(play, who)
        fit = best(facts, act.topic) or (facts[0] if facts else None)
        if fit is None:
            return [_seen(play, entity.the)]
        return [" ".join([play.tell(fit), *following(play, fit)])]
    facts = known.fresh(entity.id, "sense", "property")
    fit = best(facts, act.topic) or (facts[0] if facts else None)
    play.note(f"thing {entity.id}")
    if fit is None:
        return [recall(play, topic_of(play, act), entity.id) or play.line("look.done", name=entity.the)]
    return [" ".join([play.tell(fit), *following(play, fit)])]


def _seen(play: Play, name: str) -> str:
    """There is no more to be seen of it; what else is to be seen here catches the eye."""
    return " ".join(part for part in (play.line("look.done", name=name), company.sight(play)) if part)


def following(play: Play, fact: Fact) -> list[str]:
    """The sentence that follows in the same paragraph, where it speaks on of the same."""
    follow = [
        f
        for f in play.known.fresh(fact.owner, fact.kind)
        if f.lead == f"{fact.lead} {fact.text}".strip()
        and f.id.split(".md:")[1].split(".")[0] == fact.id.split(".md:")[1].split(".")[0]
    ]
    return [play.tell(follow[0])] if follow and len(fact.text) < 140 else []


def of_person(play: Play, person: Entity, fact: Fact) -> str:
    """A look or a habit as it is seen; a note without a verb says whose it is."""
    text = play.tell(fact)
    name = capital(play.known.call(person))
    if re.match(r"[A-Z][a-z]+s (?!of\b|and\b)", text) and fact.kind == "habit" and not text.split()[0].endswith("ss"):
        return f"{name} {lowered(text)}"
    if re.match(r"(?i)(?:an?|the) ", text) and fact.kind == "looks" and person.id not in play.memory.seen:
        play.note(f"seen {person.id}")
        return f"{name} is {lowered(text)}" if not re.search(r"(?i)\b(?:is|has|wears|was) ", text[:40]) else text
    if re.match(r"(?:She|He|They|Her|His|Their|It)\b", text):
        return text
    if re.search(r"\b(?:is|are|has|have|was|were|wears|carries|\w+s)\b", text) and fact.kind != "habit":
        return text
    return f"{name}: {lowered(text)}" if fact.kind == "habit" else text


def look_around(play: Play, who: str) -> list[str]:
    known = play.known
    spot, place = known.spot, known.place
    told: list[str] = []
    for owner in dict.fromkeys(each.id for each in (spot, place) if each is not None):
        for fact in known.fresh(owner, "sense", "part")[:2]:
            told.append(play.tell(fact))
        if told:
            break
    if not told:
        others = [part for part in known.parts if known.fresh(part.id, "part") and part is not spot]
        if others:
            told.append(
                f"{play.line('see.part', name=others[0].the)} {play.tell(known.fresh(others[0].id, 'part')[0])}"
            )
    named = [part.the for part in known.parts if f"seen {part.id}" not in play.memory.lines and part is not spot][:4]
    if named:
        for part in known.parts:
            if part.the in named:
                play.note(f"seen {part.id}")
        told.append(play.line("see.parts", parts=listed(named)))
    people = [known.call(each) for each in known.present if f"seen {each.id}" not in play.memory.lines][:3]
    if people:
        for each in known.present[:3]:
            play.note(f"seen {each.id}")
        told.append(play.line("see.people" if len(people) > 1 else "see.person", people=listed(people)))
    return [" ".join(told)] if told else [play.line("look.nothing", who=play.name(who))]


def _told_here(play: Play, topic: frozenset[str]) -> bool:
    """Whether something about the topic was to be seen here, and has been told."""
    known = play.known
    owners = {each.id for each in (known.spot, known.place, *known.parts, *known.present) if each is not None}
    told = [
        play.world.facts[key]
        for key in play.memory.told
        if key in play.world.facts and play.world.facts[key].owner in owners
    ]
    return best(told, topic) is not None


def matching_here(play: Play, topic: frozenset[str]) -> str:
    """Something to see here that has to do with the topic."""
    if not topic:
        return ""
    known = play.known
    facts: list[Fact] = []
    for owner in dict.fromkeys(each.id for each in (known.spot, known.place, *known.parts) if each is not None):
        facts += known.fresh(owner, "sense", "part")
    for person in known.present:
        facts += known.fresh(person.id, "looks")
    fit = best(facts, topic)
    return play.tell(fit) if fit else ""


def search(play: Play, who: str, act: Act) -> list[str]:
    roll = play.rolled(Roll(who, "investigation", "investigation: a search", None))
    total = roll.total if roll else 10
    known = play.known
    owners = [
        each.id
        for each in (play.entity(act.target), known.spot, known.place)
        if each is not None and each.kind != "person"
    ]
    clues = [
        f
        for owner in dict.fromkeys(owners)
        for f in play.world.of.get(owner, ())
        if f.kind == "clue" and f.id not in play.memory.told and total >= f.dc and _lies_here(play, f)
    ]
    topic = topic_of(play, act)
    clue = best(clues, topic) or (clues[0] if clues else None)
    if clue is not None:
        play.note(f"found {play.memory.found + 1}")
        return [play.line("search.found", who=play.name(who)) + " " + ended(play.tell(clue, play.name(who)))]
    target = play.entity(act.target)
    if target is not None and target.kind == "person" and not target.gone and target in known.present:
        play.like(target.id, -1)
        return [play.line("search.person", who=play.name(who), name=known.call(target))]
    if total >= HARD:
        seen = matching_here(play, topic)
        facts = [
            f
            for owner in dict.fromkeys([*owners, *(part.id for part in known.parts)])
            for f in known.fresh(owner, "part")
        ]
        if seen or facts:
            return [f"{play.line('search.found', who=play.name(who))} {seen or play.tell(facts[0])}"]
    play.note(f"failed search:{play.memory.at}")
    return [watched(play, play.line("search.nothing", who=play.name(who)))]


def watched(play: Play, told: str) -> str:
    """What came to nothing brings somebody who wants to know what the party is about, if anybody is left to come."""
    return " ".join(part for part in (told, company.comes(play)[1]) if part)


def _lies_here(play: Play, clue: Fact) -> bool:
    """Whether a clue of the whole place can be found at this spot: not where it speaks of another."""
    own = stems(clue.text)
    scores = {
        part.id: len(own & frozenset(word for f in play.world.of.get(part.id, ()) for word in stems(f.text)))
        for part in play.known.parts
    }
    most = max(scores.values(), default=0)
    return play.memory.at not in scores or most < 2 or scores[play.memory.at] == most
