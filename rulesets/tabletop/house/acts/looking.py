"""To look and to search: what is to be seen of a person, a place or a thing, and what a search turns up."""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house import company, daytime
from sottovoce.rulesets.tabletop.house.acts import places, senses, sights
from sottovoce.rulesets.tabletop.house.acts.findings import found_out
from sottovoce.rulesets.tabletop.house.acts.outcomes import kind_of, outcome_of, somebody_dead
from sottovoce.rulesets.tabletop.house.acts.sights import (
    fits_here,
    following,
    fresh_in_mind,
    look_around,
    matching_here,
    more_of,
    regarded,
    told_fact,
    told_here,
)
from sottovoce.rulesets.tabletop.house.acts.surroundings import carries, indoors, is_there, told_of
from sottovoce.rulesets.tabletop.house.acts.topics import (
    best,
    deed_of,
    fitting,
    is_ordinary,
    particular,
    recall,
    topic_of,
)
from sottovoce.rulesets.tabletop.house.nouns import noun_phrase
from sottovoce.rulesets.tabletop.house.play import Play, Roll, capital
from sottovoce.rulesets.tabletop.house.targets import Act
from sottovoce.rulesets.tabletop.house.telling import to_you
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity, Fact
from sottovoce.rulesets.tabletop.rules.lore.language import ended, listed, lowered, stem, stems, words
from sottovoce.rulesets.tabletop.rules.lore.lookup import HARD


def look(play: Play, who: str, act: Act) -> list[str]:
    """Tell of what is looked at, and of nothing else; a second look at the same thing takes a roll."""
    if found := found_out(play, who, act):
        if what := noun_phrase(act.text):
            sights.eye(play, who, what)
        return found
    act = regarded(play, act)
    entity = play.entity(act.target)
    known = play.known
    topic = topic_of(play, act)
    if entity is not None and _HEAR.search(act.text) and (sound := senses.sound_of(play, entity)):
        return [f"{deed_of(play, who, act)} {sound}".strip()]
    if told := senses.perceived(play, who, act.text, particular(act.topic) if entity is None else act.topic - topic):
        return [told]
    floor = play.memory.by.rpartition("/")[2]
    if floor in ("upstairs", "below") and entity is None and not told_here(play, act, topic):
        return [play.line(f"look.{floor}", who=play.name(who))]
    if _PEOPLE.search(act.text) and (entity is None or act.meant):
        return [_people(play, who)]
    if entity is None or (entity.kind in ("part", "place") and not act.topic and known.spot is entity):
        if _WHO.search(act.text) and re.search(r"(?i)\?|^\W*(?:where|is|are)\b|\bwho\b", act.text):
            people = _who_is_here(play)
            return [people, "" if play.known.present else company.comes_and_speaks(play, "comes.asked", again=True)]
        spot = known.spot
        if (
            _INSIDE.search(act.text)
            and spot is not None
            and indoors(play)
            and not known.fresh(spot.id, "part", "sense")
        ):
            people = _who_is_here(play) if known.present else ""
            return [f"{play.line('look.close', who=play.name(who), name=spot.the)} {people}".strip()]
        if entity is not None or not particular(topic):
            return look_around(play, who)
        if (have := _HAVE.search(act.text)) is not None:
            return [_held(play, who, have[1])]
        if _OWN.search(act.text) and (own := _kit_of(play, who)):
            return [play.line("look.kit", who=play.name(who), things=own)]
        return [_unlisted(play, who, act, topic)]
    sights.eye(play, who, entity.id)
    if entity.kind == "person":
        if entity.gone or entity in known.present:
            facts = known.fresh(entity.id, "looks", "habit")
            fit = best(facts, topic) or (facts[0] if facts else None)
            if fit:
                return [of_person(play, entity, fit)]
            return [play.line("look.person.done", who=play.name(who), name=known.call(entity))]
        return [company.absent(play, entity)]
    if entity.kind in ("part", "place"):
        near_by = known.place is not None and known.place.id in (entity.id, entity.parent)
        if not near_by and _WANTS.search(act.text):
            return places.arrive(play, entity)
        if not near_by:
            place = entity if entity.kind == "place" else known.world.entities[entity.parent]
            afar = [] if entity is not place else known.from_afar(place)
            from_here = play.tell(afar[0]) if afar else recall(play, topic, entity.id)
            return [from_here or play.line("look.far", name=entity.the, Name=capital(entity.the))]
    facts = known.fresh(entity.id, "part", "sense", "property")
    fit = best(facts, act.topic) or (facts[0] if facts else None)
    if entity.kind == "thing" and sights.is_persons(play, who):
        play.note(f"thing {entity.id}")
    if fit is not None:
        return [" ".join([play.tell(fit), *following(play, fit)])]
    done = recall(play, topic, entity.id) if entity.kind == "thing" else ""
    if not done and entity.kind in ("part", "place") and f"looked {entity.id}" not in play.memory.done:
        play.note(f"done looked {entity.id}")
        if entity is known.spot:
            return look_around(play, who)
        told_ = [f for f in play.world.of.get(entity.id, ()) if f.id in play.memory.told]
        if told_ and not fresh_in_mind(play, told_[0]) and sights.is_persons(play, who):
            return [f"{deed_of(play, who, act)} {ended(told_[0].text)}".strip()]
    told = done or _closer(play, who, act, play.line("look.close", who=play.name(who), name=entity.the))
    watched = re.search(r"(?i)\bwatch\b.*\bfor\b", act.text)
    return [f"{told} {daytime.later(play, act.text)}" if watched else told]


_WANTS = re.compile(r"(?i)\b(?:let'?s|want to|like to|love to|time to|(?:go|come) and) (?:go )?(?:see|visit)\b")
_INSIDE = re.compile(r"(?i)\b(?:inside|in here|in there)\b")
_PEOPLE = re.compile(
    r"(?i)\b(?:watch|observe|study|look (?:at|over|round at)|eye|scan) (?:the |all the |all |these )?(?:people"
    r"|crowd|others|locals|villagers|guests|patrons|everybody|everyone|customers|faces|passers-by|folk)\b"
)


def _people(play: Play, who: str) -> str:
    """What the people here are like: a look or a habit of one of them, and else what is told of people here."""
    known = play.known
    for person in known.present:
        for fact in known.fresh(person.id, "looks", "habit"):
            if told := of_person(play, person, fact):
                return re.sub(r"^(?:She|He|They)\b", capital(known.call(person)), told)
    for owner in dict.fromkeys(each.id for each in (known.spot, known.place) if each is not None):
        for fact in known.fresh(owner, "sense", "part"):
            if stems("people everybody folk guests children men women crowd") & stems(fact.text):
                return play.tell(fact)
    people = listed([known.call(each) for each in known.present[:3]])
    return play.line("look.people" if people else "look.people.none", who=play.name(who), people=people)


def _unlisted(play: Play, who: str, act: Act, topic: frozenset[str]) -> str:
    """A look at what has no heading: something more of it, each time, until there is no more."""
    name = noun_phrase(act.text)
    if name and act.head:
        sights.eye(play, who, name)
    if _HEAR.search(act.text) and is_ordinary(act):
        return f"{deed_of(play, who, act)} {play.line('look.unheard', who=play.name(who))}".strip()
    if thing := matching_here(play, act, topic):
        return thing
    if (fact := told_fact(play, act, topic)) is not None:
        if more := more_of(play, fact, act.head):
            return more
        if (
            sights.is_persons(play, who)
            and not fresh_in_mind(play, fact)
            and f"looked {act.head}" not in play.memory.done
        ):
            play.note(f"done looked {act.head}")
            return f"{deed_of(play, who, act)} {ended(fact.text)}".strip()
        play.note(f"done looked {act.head}")
        return _closer(play, who, act, play.line("look.close", who=play.name(who), name=name or "it"))
    there = is_there(play, who, act)
    told = told_of(play, act.head) if there and not is_ordinary(act) and not _HEAR.search(act.text) else ""
    how = "look.unheard" if _HEAR.search(act.text) else "look.plain" if there else "look.unseen"
    return f"{deed_of(play, who, act)} {told or play.line(how, who=play.name(who))}".strip()


_HAVE = re.compile(
    r"(?i)\bdo (?:i|we) (?:still )?(?:have|carry|own) (?:an?|any|some|the|our|my|enough)? ?([\w' -]+?)(?: left"
    r"| with us)?\W*$"
)


def _held(play: Play, who: str, what: str) -> str:
    """Whether somebody has a thing, by the papers, the sheet and what was taken."""
    noun = stem(words(what)[-1]) if words(what) else ""
    return told_of(play, noun) or play.line("look.held" if carries(play, who, noun) else "look.not.held", what=what)


_OWN = re.compile(r"(?i)\b(?:my|our) (?:gear|equipment|things|pack|bag|bags|belongings|kit|weapons?|inventory|stuff)\b")


def _kit_of(play: Play, who: str) -> str:
    """What somebody has by the sheet's attacks, and what was taken tonight."""
    arms = [f"the {name.lower()}" for name, _, _ in play.table.sheet(who).weapons if "unarmed" not in name.lower()]
    taken = [e.the if (e := play.entity(key)) is not None else f"the {key}" for key in play.memory.carries]
    return listed(list(dict.fromkeys([*arms, *taken]))[:6])


_WHO = re.compile(r"(?i)\b(?:who|any(?:body|one)|every(?:body|one)|somebody|people)\b(?! (?:went|left|did|owns))")
_HEAR = re.compile(r"(?i)\b(?:ear|listen|hear|smell|sniff|eavesdrop)")


def _who_is_here(play: Play) -> str:
    people = [play.known.call(each) for each in play.known.present]
    for each in play.known.present:
        play.note(f"seen {each.id}")
    if not people:
        return play.line("see.nobody")
    return play.line("see.people" if len(people) > 1 else "see.person", people=listed(people[:4]))


def looks_again(play: Play, act: Act) -> bool:
    """Whether a look is at something of this place of which all that is plain to see has been told."""
    if act.kind != "look":
        return False
    act = regarded(play, act)
    entity, known = play.entity(act.target), play.known
    if entity is None:
        topic = topic_of(play, act)
        fact = told_fact(play, act, topic)
        again = fact is not None and (f"looked {act.head}" in play.memory.done or fresh_in_mind(play, fact))
        return again and not fits_here(play, act, topic)
    here = known.place is not None and known.place.id in (entity.id, entity.parent)
    return (
        entity.kind == "part"
        and here
        and f"looked {entity.id}" in play.memory.done
        and not (known.spot is entity and not act.topic)
        and not known.fresh(entity.id, "part", "sense")
    )


def clue_by(play: Play, act: Act, total: int, who: str) -> str:
    """Tell the clue that a roll finds; empty where it finds none."""
    clue = _clue(play, act, total)
    if clue is None:
        return ""
    play.note(f"found {play.memory.found + 1}")
    return f"{play.line('search.found', who=play.name(who))} {ended(play.tell(clue, play.name(who)))}"


def _closer(play: Play, who: str, act: Act, otherwise: str) -> str:
    """What a closer look brings to light, where the dice allow it."""
    roll = play.rolled(Roll(who, "perception", CLOSER, None))
    found = clue_by(play, act, roll.total, who) if roll is not None and particular(topic_of(play, act)) else ""
    return found or otherwise


CLOSER = "perception: a closer look"
"""What the roll for a second look is called."""


def _clue(play: Play, act: Act, total: int) -> Fact | None:
    """The clue of this place that a roll finds: one that has to do with what is looked for, else the first."""
    known = play.known
    owners = [e.id for e in (play.entity(act.target), known.spot, known.place) if e is not None and e.kind != "person"]
    spot = owners[0] if owners else ""
    clues = [
        f
        for owner in dict.fromkeys(owners)
        for f in play.world.of.get(owner, ())
        if f.kind == "clue" and f.id not in play.memory.told and total >= f.dc and _lies_here(play, f, spot)
    ]
    topic = particular(topic_of(play, act))
    fit = best(clues, topic)
    return fit or (clues[0] if clues and act.kind == "search" and not topic else None)


def of_person(play: Play, person: Entity, fact: Fact) -> str:
    """A look or a habit as it is seen; a note without a verb says whose it is."""
    text = play.tell(fact)
    name = capital(play.known.call(person))
    if re.match(r"[A-Z][a-z]+s (?!of\b|and\b)", text) and fact.kind == "habit" and not text.split()[0].endswith("ss"):
        return ended(f"{name} {lowered(text)}")
    if re.match(r"(?i)(?:an?|the) ", text) and fact.kind == "looks" and person.id not in play.memory.seen:
        play.note(f"seen {person.id}")
        return f"{name} is {lowered(text)}" if not re.search(r"(?i)\b(?:is|has|wears|was) ", text[:40]) else text
    if re.match(r"(?:She|He|They|Her|His|Their|It)\b", text):
        return ended(text)
    if re.search(r"\b(?:is|are|has|have|was|were|wears|carries|\w+s)\b", text) and fact.kind != "habit":
        return text
    return _habit(name, text) if fact.kind == "habit" else text


def _habit(name: str, text: str) -> str:
    """A note on how somebody is, as a sentence; empty where it is none: `Slow, stubborn and polite.`"""
    if re.match(r"(?i)(?:[a-z]+ing|in|at|on|with|of|to|from|always|never|often)\b", text) or len(text) > 110:
        return ""
    return ended(f"{name} is {lowered(text)}")


def search(play: Play, who: str, act: Act) -> list[str]:
    """Tell what the place searched has to show, or that a search of it shows nothing."""
    if kind_of(act.text) == "dig" and _HOLE.search(act.text):
        return [f"{deed_of(play, who, act)} {outcome_of(play, who, act)}".strip()]
    if kind_of(act.text) in ("pulse", "wounds") and (found := found_out(play, who, act)):
        return found
    roll = play.rolled(Roll(who, "investigation", "investigation: a search", None))
    total = roll.total if roll else 10
    known = play.known
    target = play.entity(act.target)
    topic = particular(topic_of(play, act))
    name = play.name(who)
    if target is not None and target.kind == "person" and not target.gone:
        if target not in known.present:
            return [company.absent(play, target)]
        play.like(target.id, -1)
        return [play.line("search.person", who=name, name=known.call(target))]
    here = known.place is not None and (target is None or known.place.id in (target.id, target.parent))
    if target is not None and target.kind in ("part", "place") and not here:
        return [play.line("look.far", name=target.the, Name=capital(target.the))]
    if (target is None or act.meant) and _LYING.search(act.text) and not somebody_dead(play):
        return [play.line("search.nobody")]
    if _PAPERS.search(act.text) and (read := _read_again(play)):
        return [read]
    clue = clue_by(play, act, total, who)
    if clue:
        return [clue]
    if total >= HARD:
        fact = _of_place_searched(play, act, target, topic)
        if fact is not None:
            return [f"{play.line('search.found', who=name)} {play.tell(fact)}"]
    play.note(f"failed search:{play.memory.at}")
    deed = deed_of(play, who, act) if topic or target is not None else ""
    told = f"{deed} {play.line('search.nothing.there')}" if deed else play.line("search.nothing", who=name)
    watcher = next((each for each in known.present if f"nosy {each.id}" not in play.memory.done), None)
    if watcher is not None and _PRYING.search(act.text):
        play.note(f"done nosy {watcher.id}")
        play.like(watcher.id, -1)
        return [f"{told} {play.line('nosy', name=known.call(watcher), Name=capital(known.call(watcher)), who=name)}"]
    return [told, company.comes_and_speaks(play, "comes.search")]


_PAPERS = re.compile(r"(?i)\b(?:my|our) (?:\w+ )?(?:notes?|papers?|journals?|diary|records?|letters?)\b")


def _read_again(play: Play) -> str:
    """The next sentence of the party's own papers that tonight has not told yet; empty where all were."""
    for fact in play.known.papers.facts:
        if f"seen {fact.id}" not in play.memory.lines:
            play.note(f"seen {fact.id}")
            return play.line("recall", fact=ended(to_you(fact.text)))
    return ""


_HOLE = re.compile(r"(?i)\b(?:hole|grave|pit|trench|ditch|latrine)\b")
_LYING = re.compile(
    r"(?i)\b(?:body|bodies|corpse|(?:fallen|dead|unconscious|beaten) (?:man|men|woman|foe|enemy|guard|warden|one))\b"
)
_PRYING = re.compile(
    r"(?i)\b(?:search|rummage|ransack|go through|look (?:under|behind|inside|through)|check|feel|pry|dig|turn over)"
)


def _of_place_searched(play: Play, act: Act, target: Entity | None, topic: frozenset[str]) -> Fact | None:
    """What is to be found where the search is: of the thing named, else of the very spot."""
    known = play.known
    if target is not None and target.kind != "place":
        facts = known.fresh(target.id, "part", "sense", "property")
        return fitting(facts, act, topic) or (facts[0] if facts and not topic else None)
    if topic:
        return fits_here(play, act, topic)
    spot = known.spot
    facts = known.fresh(spot.id, "part", "sense") if spot is not None else []
    return facts[0] if facts else None


def _lies_here(play: Play, clue: Fact, spot: str) -> bool:
    """Whether a clue of the whole place can be found at a spot: not where it speaks of another."""
    own = stems(clue.text)
    scores = {
        part.id: len(own & frozenset(word for f in play.world.of.get(part.id, ()) for word in stems(f.text)))
        for part in play.known.parts
    }
    most = max(scores.values(), default=0)
    return spot not in scores or most < 2 or scores[spot] == most
