"""What an act brings about: one function for each kind, which tells the outcome and notes what has changed.

An act that dice decide names its roll first; its effect follows once the dice have fallen. What is told comes from the
folder by the one door there is (`known.py`), and answers what was said, or it is not told.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from sottovoce.rulesets.tabletop.house import company
from sottovoce.rulesets.tabletop.house.grammar import SKILLS, Act, Scene
from sottovoce.rulesets.tabletop.house.play import Play, Roll, capital
from sottovoce.rulesets.tabletop.house.telling import in_third_person, is_clause, spoken
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity, Fact, StoryBeat, World
from sottovoce.rulesets.tabletop.rules.lore.known import found_by
from sottovoce.rulesets.tabletop.rules.lore.language import STOP, content, ended, listed, lowered, stem, stems, words
from sottovoce.rulesets.tabletop.rules.lore.lookup import HARD, TRUSTED

_GENERAL = re.compile(
    r"(?i)\bwho are you\b|\b(?:about|of) (?:yourself|you\b)|\bwhat do you (?:do|know)\b"
    r"|\bwhat can you tell\b|\bhow are you\b|\bnews\b|\bgossip\b"
    r"|\brumou?rs?\b|\bwhat(?:'s| is) (?:going on|happening|new|this place)\b|\bintroduce\b|\bwhat(?:'s"
    r"| is) your (?:name|story|work|trade)\b|\bgood (?:evening|morning|day)\b|\bhello\b|\bchat\b"
    r"|\banything\b"
)
_FAVOR = re.compile(
    r"(?i)\b(?:could|can|would|will) you (?:please |kindly |perhaps )?(?:fetch|bring|open|lead|take|get"
    r"|let|give|lend|send|carry|keep|wait|come|hold|make|find|watch|help)\b"
)
"""A question that asks for a deed and not for words."""
_IDLE = frozenset(
    stem(word)
    for word in (
        "name know tell hear mean think happen thing someone friend sir madam please good evening morning day hello"
        " much place want would story more else"
    ).split()
)
"""What is no topic, however often it is said."""


# rolls


def near(play: Play, person: Entity) -> Entity | None:
    """Where in this place somebody can be found who is not here."""
    place = play.known.place
    if (
        place is None
        or person.gone
        or person.id in play.memory.away
        or (person.id not in play.known.names and not person.offices)
    ):
        return None
    return play.known.stands_at(person) if place.id in _around(play.world, person) else None


def seek(play: Play, person: Entity) -> str:
    """Go and find somebody who is about; empty where they are here, or nowhere near."""
    if person in play.known.present:
        return ""
    spot = near(play, person)
    if spot is None:
        return ""
    told = arrive(play, spot)
    if person not in play.known.present:
        play.note(f"here {person.id}")
    return " ".join(told)


def roll_of(play: Play, who: str, act: Act) -> Roll | None:
    """The roll that the act needs, if dice decide it."""
    person = play.listener(act) if act.kind in ("persuade", "lie", "threaten") else play.entity(act.target)
    if act.kind in ("persuade", "lie", "threaten"):
        if person is None or person.gone or (person not in play.known.present and near(play, person) is None):
            return None
        skill = {"persuade": "persuasion", "lie": "deception", "threaten": "intimidation"}[act.kind]
        return Roll(who, skill, f"{skill}: {play.known.call(person)}", _difficulty(play, person, act))
    if act.kind == "search":
        return Roll(who, "investigation", "investigation: a search", None)
    if act.kind == "hide":
        return Roll(who, "stealth", "stealth: unseen", HARD)
    if act.kind == "roll" and act.skill:
        return Roll(who, act.skill, f"{act.skill}: a closer try", None)
    if act.kind == "use" and re.search(r"(?i)\b(?:cast|spell|magic|detect|identify|attune)\b", act.text):
        return Roll(who, "arcana", "arcana: a working", None)
    if act.kind == "take" and act.thing is None and play.entity(act.target) is None and play.known.present:
        return Roll(who, "sleight of hand", "sleight of hand: a quick hand", HARD)
    return None


def _difficulty(play: Play, person: Entity, act: Act) -> int:
    base = {"persuade": HARD, "lie": HARD + 1, "threaten": HARD + 2}[act.kind]
    favor = 3 if person.id in play.memory.favor else 0
    return max(5, base - 2 * play.memory.liking[person.id] - favor + 2 * play.memory.failed[f"{act.kind}:{person.id}"])


# finding what fits


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
            if other.id != person.id and other.id in known.names and place.id in _around(play.world, other):
                facts += [fact for fact in known.fresh(other.id, "knows") if fact.gate == "open"]
    return facts


def _around(world: World, person: Entity) -> set[str]:
    return {world.entities[key].parent or key for key in person.places}


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


# acts


def look(play: Play, who: str, act: Act) -> list[str]:
    entity = play.entity(act.target)
    known = play.known
    if entity is None:
        topic = topic_of(play, act)
        thing = _matching_here(play, topic)
        if not thing and topic and _told_here(play, topic):
            return [_seen(play, "it")]
        return [thing] if thing else _look_around(play, who)
    if entity.kind == "person":
        if entity.gone or entity in known.present:
            facts = known.fresh(entity.id, "looks", "habit")
            fit = best(facts, topic_of(play, act)) or (facts[0] if facts else None)
            return (
                [_of_person(play, entity, fit)]
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
            return _look_around(play, who)
        fit = best(facts, act.topic) or (facts[0] if facts else None)
        if fit is None:
            return [_seen(play, entity.the)]
        return [" ".join([play.tell(fit), *_next(play, fit)])]
    facts = known.fresh(entity.id, "sense", "property")
    fit = best(facts, act.topic) or (facts[0] if facts else None)
    play.note(f"thing {entity.id}")
    if fit is None:
        return [recall(play, topic_of(play, act), entity.id) or play.line("look.done", name=entity.the)]
    return [" ".join([play.tell(fit), *_next(play, fit)])]


def _seen(play: Play, name: str) -> str:
    """There is no more to be seen of it; what else is to be seen here catches the eye."""
    return " ".join(part for part in (play.line("look.done", name=name), company.sight(play)) if part)


def _next(play: Play, fact: Fact) -> list[str]:
    """The sentence that follows in the same paragraph, where it speaks on of the same."""
    follow = [
        f
        for f in play.known.fresh(fact.owner, fact.kind)
        if f.lead == f"{fact.lead} {fact.text}".strip()
        and f.id.split(".md:")[1].split(".")[0] == fact.id.split(".md:")[1].split(".")[0]
    ]
    return [play.tell(follow[0])] if follow and len(fact.text) < 140 else []


def _of_person(play: Play, person: Entity, fact: Fact) -> str:
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


def _look_around(play: Play, who: str) -> list[str]:
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


def _matching_here(play: Play, topic: frozenset[str]) -> str:
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
        seen = _matching_here(play, topic)
        facts = [
            f
            for owner in dict.fromkeys([*owners, *(part.id for part in known.parts)])
            for f in known.fresh(owner, "part")
        ]
        if seen or facts:
            return [f"{play.line('search.found', who=play.name(who))} {seen or play.tell(facts[0])}"]
    play.note(f"failed search:{play.memory.at}")
    return [_watched(play, play.line("search.nothing", who=play.name(who)))]


def _watched(play: Play, told: str) -> str:
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


def go(play: Play, who: str, act: Act) -> list[str]:
    known = play.known
    target = play.entity(act.target) or _way(play, act)
    if target is None:
        places = [
            e.the
            for e in known.entities
            if e.kind in ("place", "part") and e.id != play.memory.at and e is not known.place
        ][:3]
        return [play.line("go.where", places=listed(places, "or")) if places else play.line("go.nowhere")]
    if target.kind == "person":
        if target in known.present:
            return talk(play, who, replace(act, kind="talk"))
        spot = near(play, target)
        if spot is None or target.gone:
            return [play.line("absent", name=capital(known.call(target)))]
        target = spot
    if target.kind in ("thing", "group"):
        return look(play, who, act)
    return arrive(play, target)


_MOVES = frozenset(
    stem(word)
    for word in "go back return walk head way road take follow out over quick quickly now again place straight".split()
)


def _way(play: Play, act: Act) -> Entity | None:
    """Where somebody means to go who does not give it its name."""
    known, low = play.known, act.text.casefold()
    topic = topic_of(play, act) - _MOVES
    named = next((part for part in known.parts if topic & stems(part.name)), None)
    if named is not None:
        return named
    seen = best([f for part in known.parts for f in play.world.of.get(part.id, ()) if not known.closed(f)], topic)
    if seen is not None:
        return play.entity(seen.owner)
    read = best(list(known.papers.facts), topic)
    if read is not None:
        found = [e for e in found_by(read.text, known.entities) if e.kind in ("place", "part") and e is not known.place]
        if found:
            return found[0]
    if re.search(r"\b(?:back|return)\b", low) and play.memory.before:
        return play.entity(play.memory.before)
    if re.search(r"\b(?:out|outside|outdoors|street|away|leave)\b", low) and known.spot is not known.place:
        return known.place
    return None


def arrive(play: Play, target: Entity) -> list[str]:
    """The party comes to a place: what is to be seen there first, and who is there."""
    known = play.known
    if play.memory.at == target.id:
        return [play.line("go.here", name=target.the), *_look_around(play, play.table.state.played[0])][:2]
    same = known.place is not None and known.place.id in (target.id, target.parent)
    company = set(known.present)
    play.note(f"at {target.id}")
    play.note(f"clock {play.memory.clock + (0 if same else 2)}")
    play.productive = True
    told = [play.line("go.near" if same else "go.far", name=target.the)]
    for owner in dict.fromkeys((target.id, *((target.parent,) if target.parent and not same else ()))):
        facts = known.fresh(owner, "part", "sense")
        if facts:
            told.append(play.tell(facts[0]))
            told += _next(play, facts[0])
            break
    for person in [each for each in known.present if each not in company][:2]:
        looks = known.fresh(person.id, "looks")
        play.note(f"seen {person.id}")
        name = known.call(person)
        told.append(
            play.line("go.person", name=name, Name=capital(name))
            + (f" {_looks(play, person, looks[0])}" if looks else "")
        )
    return [" ".join(told)]


def _looks(play: Play, person: Entity, fact: Fact) -> str:
    text = play.tell(fact)
    return text if re.match(r"(?:She|He|They|It|Her|His|Their)\b", text) else f"{ended(text)}"


def ask(play: Play, who: str, act: Act) -> list[str]:
    person = play.entity(act.target)
    topic = topic_of(play, act)
    about = act.thing or (act.target if person is not None and person.kind != "person" else None)
    wondered = (
        act.meant
        and re.match(r"(?i)\W*(?:who|what|where|why|when|how)\b", act.text)
        and not re.search(r"(?i)\byou(?:r|rs)?\b", act.text)
    )
    if wondered and person is not None and best(pool(play, person), topic, about) is None:
        told = recall(play, topic, about)
        if told:
            return [told]
    came = ""
    if person is None or person.kind != "person":
        told = recall(play, topic, about)
        person = play.listener(replace(act, target=None))
        if told:
            return [told]
        if person is None:
            person, came = company.comes(play)
        if person is None:
            return [play.line("ask.nobody")]
    found = came or seek(play, person)
    answer = _reached(play, person)
    if answer:
        return [answer]
    intro = " ".join(part for part in (found, play.meet(person)) if part)
    if _FAVOR.search(act.text):
        told = play.line(
            "favor" if play.memory.liking[person.id] >= 0 else "favor.no",
            name=play.known.call(person),
            Name=capital(play.known.call(person)),
        )
        play.note(f"done favor {person.id}")
        return [" ".join(part for part in (intro, told) if part)]
    answered = _answer(play, person, topic, about, act.text)
    return [" ".join(part for part in (intro, answered) if part)]


def _reached(play: Play, person: Entity) -> str:
    """Why somebody cannot be spoken to; empty where they can."""
    if person.gone:
        return play.line("gone", name=capital(play.known.call(person)))
    if person not in play.known.present:
        return play.line("absent", name=capital(play.known.call(person)))
    if play.memory.liking[person.id] <= -4:
        return play.line("hostile", name=capital(play.known.call(person)))
    return ""


def _answer(
    play: Play, person: Entity, topic: frozenset[str], about: str | None, text: str, *, trusted: bool = False
) -> str:
    """What somebody says to a question."""
    name = play.known.call(person)
    facts = pool(play, person, trusted=trusted)
    own_names = {stem(word) for each in person.names for word in words(each)}
    asked = topic - own_names
    beat = _beat_answer(play, person, asked)
    if beat:
        return beat
    fit = best(facts, asked, about if about != person.id else None)
    general = bool(_GENERAL.search(text)) or not asked
    if fit is None and general:
        own = [fact for fact in facts if fact.owner == person.id] or facts
        fit = own[0] if own else None
    if fit is not None:
        if fit.gate == "trust":
            play.note(f"found {play.memory.found + 1}")
        learnt = capital(person.short) if person.id in play.known.names else capital(name)
        play.tell(fit, learnt)
        habit = _habit(play, person)
        said = spoken(fit, person, name) if fit.owner == person.id else _hearsay(play, fit, name)
        return f"{habit}{said}"
    told = [
        play.world.facts[key]
        for key in play.memory.told
        if key in play.world.facts and play.world.facts[key].owner == person.id
    ]
    before = best(told, asked)
    if before is not None and len(asked & stems(before.text)) >= min(2, len(asked)):
        again = play.fresh("again", name=name, Name=capital(name))
        if again:
            return again
    return decline(play, person)


def _hearsay(play: Play, fact: Fact, name: str) -> str:
    owner = play.world.entities[fact.owner]
    if owner.kind == "person":
        text = re.sub(r"^(?:She|He|They)(?=['’]s |\b)", owner.short, fact.text)
        return (
            f"“{ended(text).rstrip('.')},” says {name}."
            if "“" not in text and '"' not in text
            else f"{capital(name)} tells you: {ended(text)}"
        )
    if not is_clause(fact.text):
        return f"{capital(name)} speaks of {play.world.entities[fact.owner].the}: {lowered(fact.text).rstrip('.')}."
    return (
        f"“{ended(fact.text).rstrip('.')},” says {name}."
        if "“" not in fact.text and '"' not in fact.text
        else f"{capital(name)} tells you: {ended(fact.text)}"
    )


def _habit(play: Play, person: Entity) -> str:
    """At times, what somebody does while they speak."""
    if play.table.random.random() > 0.4:
        return ""
    habits = [f for f in play.known.fresh(person.id, "habit") if len(f.text) < 110]
    return (
        f"{_of_person(play, person, habits[0])} "
        if habits and re.match(r"[A-Z][a-z]+s |She |He |They ", habits[0].text)
        else ""
    )


def decline(play: Play, person: Entity) -> str:
    """Somebody has nothing to say to that, says so their own way, and what they would talk about."""
    name = play.known.call(person)
    lines = play.known.fresh(person.id, "line")
    own = ""
    if lines:
        own = f" “{_single(play.tell(lines[0]))}”"
    wanted = interests(play, person)
    if wanted:
        return play.line("decline.offer", name=name, Name=capital(name), topics=listed(wanted, "or")) + own
    return play.line("decline", name=name, Name=capital(name)) + own


def _single(text: str) -> str:
    return re.sub(r"[\"“”]", "’", text)


def _beat_answer(play: Play, person: Entity, topic: frozenset[str]) -> str:
    """What a beat has made this person ready to tell."""
    for beat in play.world.beats:
        if f"told {beat.id} {person.id}" not in play.memory.done:
            continue
        facts = [
            Fact(f"{beat.id}/{place}", "told", "beat", person.id, text)
            for place, text in enumerate(beat.told)
            if f"{beat.id}/{place}" not in play.memory.told
        ]
        fit = best(facts, topic) or (facts[0] if facts and not topic else None)
        if fit is not None:
            return beat_fact(play, fit, person)
    return ""


def beat_fact(play: Play, fact: Fact, person: Entity | None) -> str:
    play.note(f"found {play.memory.found + 1}")
    for each in found_by(fact.text, play.world.entities.values()):
        if each.id not in play.known.names and each.kind != "part":
            play.note(f"met {each.id}")
    text = play.tell(fact, capital(play.known.call(person)) if person else "We have seen")
    name = play.known.call(person) if person else ""
    return f"“{_single(ended(text)).rstrip('.')},” says {name}." if person else ended(text)


def talk(play: Play, who: str, act: Act) -> list[str]:
    target = play.entity(act.target)
    if target is not None and target.kind != "person":
        return look(play, who, act)
    person, came = play.listener(act), ""
    if person is None:
        person, came = company.comes(play)
    if person is None:
        return [play.line("talk.nobody", who=play.name(who))]
    found = came or seek(play, person)
    answer = _reached(play, person)
    if answer:
        return [answer]
    intro = " ".join(part for part in (found, play.meet(person)) if part)
    if f"greeted {person.id}" not in play.memory.done:
        play.note(f"done greeted {person.id}")
        play.like(person.id, 1)
    if (
        re.search(r"(?i)\b(?:thank|sorry|apolog|compliment|congratulat)", act.text)
        and f"kind {person.id}" not in play.memory.done
    ):
        play.note(f"done kind {person.id}")
        play.like(person.id, 1)
        return [
            " ".join(
                part
                for part in (
                    intro,
                    play.line("thanked", name=play.known.call(person), Name=capital(play.known.call(person))),
                )
                if part
            )
        ]
    asked = topic_of(play, act) - {stem(word) for each in person.names for word in words(each)}
    lines = play.known.fresh(person.id, "line")
    if not asked or _GENERAL.search(act.text):
        if lines:
            return [
                " ".join(
                    part
                    for part in (
                        intro,
                        spoken(play_tell(play, lines[0]), person, ""),
                    )
                    if part
                )
            ]
        return [" ".join(part for part in (intro, _answer(play, person, frozenset(), None, "hello")) if part)]
    fit = best(pool(play, person), asked, act.thing)
    if fit is not None:
        return [" ".join(part for part in (intro, _answer(play, person, asked, act.thing, act.text)) if part)]
    heard = play.fresh("heard", name=play.known.call(person), Name=capital(play.known.call(person)))
    if heard:
        own = f"“{_single(play.tell(lines[0]))}”" if lines else ""
        return [" ".join(part for part in (intro, heard, own) if part)]
    return [" ".join(part for part in (intro, decline(play, person)) if part)]


def play_tell(play: Play, fact: Fact) -> Fact:
    play.tell(fact)
    return fact


def persuade(play: Play, who: str, act: Act) -> list[str]:
    person = play.listener(act)
    if person is None:
        return [company.introduced(play) or play.line("talk.nobody", who=play.name(who))]
    found = seek(play, person)
    answer = _reached(play, person)
    roll = roll_of(play, who, replace(act, target=person.id))
    if answer or roll is None:
        return [answer or play.line("talk.nobody", who=play.name(who))]
    fallen = play.rolled(roll)
    won = fallen is not None and fallen.total >= (roll.dc or HARD)
    intro = " ".join(part for part in (found, play.meet(person)) if part)
    name = play.known.call(person)
    slots = {"who": play.name(who), "name": name, "Name": capital(name)}
    play.stirred = act.kind if act.kind != "persuade" else play.stirred
    if act.kind == "lie":
        play.note(f"done lied {person.id}") if won else play.like(person.id, -2)
        play.productive = True
        told = play.line("lie.won" if won else "lie.lost", **slots)
        return [" ".join(part for part in (intro, told) if part)]
    topic = topic_of(play, act) - {stem(word) for each in person.names for word in words(each)}
    if not won:
        play.note(f"failed {act.kind}:{person.id}")
        play.like(person.id, -2 if act.kind == "threaten" else 0)
        told = play.line(f"{act.kind}.lost", **slots)
        return [" ".join(part for part in (intro, told) if part)]
    play.like(person.id, -2 if act.kind == "threaten" else 1)
    play.productive = True
    facts = [f for f in play.world.of.get(person.id, ()) if f.gate == "trust" and f.id not in play.memory.told]
    fit = (
        best(facts, topic) or (facts[0] if facts else None) or best(pool(play, person, trusted=True), topic, act.thing)
    )
    told = play.line(f"{act.kind}.won", **slots)
    if fit is None:
        own = [f for f in pool(play, person) if f.owner == person.id]
        fit = own[0] if own else None
    if fit is not None:
        if fit.gate == "trust":
            play.note(f"found {play.memory.found + 1}")
        play.tell(fit, capital(name))
        told = f"{told} {spoken(fit, person, name) if fit.owner == person.id else _hearsay(play, fit, name)}"
    return [" ".join(part for part in (intro, told) if part)]


def give(play: Play, who: str, act: Act) -> list[str]:
    person = play.listener(act)
    thing = play.entity(act.thing) or next(
        (e for e in (play.entity(act.target),) if e is not None and e.kind == "thing"), None
    )
    found = seek(play, person) if person is not None else ""
    if person is None:
        person, found = company.comes(play)
    if person is None or person.gone or person not in play.known.present:
        return [play.line("give.nobody", who=play.name(who))]
    intro = " ".join(part for part in (found, play.meet(person)) if part)
    name = play.known.call(person)
    slots = {"who": play.name(who), "name": name, "Name": capital(name)}
    play.productive = True
    if thing is not None and thing.id in play.memory.lost:
        return [play.line("give.lost", what=thing.the)]
    if act.kind == "give" and thing is not None and thing.id in play.memory.carries:
        play.note(f"lost {thing.id}")
        play.table.record([f"{capital(name)} has {thing.the} now."], play.table.state.played)
        play.stirred = "give"
        told = play.line("give.thing", what=thing.the, **slots)
    elif act.kind == "show":
        told = play.line("show", what=thing.the if thing else "it", **slots)
    else:
        told = play.line("give.gift", **slots)
    play.note(f"favor {person.id}")
    if f"{act.kind} {person.id}" not in play.memory.done:
        play.note(f"done {act.kind} {person.id}")
        play.like(person.id, 1 if act.kind == "show" else 2)
    topic = topic_of(play, act) - {stem(word) for each in person.names for word in words(each)}
    fit = best(pool(play, person), topic, thing.id if thing else None)
    if fit is not None:
        play.tell(fit, capital(name))
        told = f"{told} {spoken(fit, person, name) if fit.owner == person.id else _hearsay(play, fit, name)}"
    return [" ".join(part for part in (intro, told) if part)]


def take(play: Play, who: str, act: Act) -> list[str]:
    thing = play.entity(act.target) or play.entity(act.thing)
    if thing is not None and thing.kind == "thing":
        if thing.id in play.memory.carries:
            play.note(f"thing {thing.id}")
            facts = play.known.fresh(thing.id, "sense", "property")
            return [
                play.line("take.have", who=play.name(who), what=thing.the)
                + (f" {play.tell(facts[0])}" if facts else "")
            ]
        if thing.id in play.memory.lost:
            return [play.line("give.lost", what=thing.the)]
        return [play.line("take.none", what=thing.the)]
    if thing is not None and thing.kind == "person":
        return [play.line("take.person", who=play.name(who), name=play.known.call(thing))]
    noun = _object(act.text)
    fact = _seen_here(play, noun)
    if fact is None:
        return [_watched(play, play.line("take.unseen"))]
    if play.known.present:
        roll = play.rolled(Roll(who, "sleight of hand", "sleight of hand: a quick hand", HARD))
        if roll is not None and roll.total < HARD:
            watcher = play.known.present[0]
            play.like(watcher.id, -1)
            play.stirred = "take"
            return [play.line("take.caught", who=play.name(who), name=play.known.call(watcher), what=noun)]
    play.note(f"carries {noun}")
    play.productive = True
    play.stirred = "take"
    return [play.line("take.done", who=play.name(who), what=noun)]


def _object(text: str) -> str:
    """The thing that a plain sentence takes: `the brass key`."""
    found = re.search(
        r"(?i)\b(?:take|takes|grab|grabs|pick|picks|pocket|pockets|steal|steals|snatch|collect|gather|lift"
        r"|seize)s? (?:up )?(?:the|a|an|one of the|some|that|this|his|her"
        r"|their) ((?:[\w'-]+ ){0,2}?[\w'-]+)(?= (?:from|off|on|in|and|at|with|that|which|to|under|behind"
        r"|before|while)\b|\W*$)",
        text,
    )
    return found[1].lower() if found else ""


def _seen_here(play: Play, noun: str) -> Fact | None:
    """A sentence told tonight about this place in which the thing lies to hand."""
    last = words(noun)[-1:] if noun else []
    known = play.known
    owners = {each.id for each in (known.spot, known.place, *known.parts) if each is not None}
    told = [play.world.facts[key] for key in play.memory.told if key in play.world.facts]
    return next((f for f in told if f.owner in owners and last and stem(last[0]) in stems(f.text)), None)


def use(play: Play, who: str, act: Act) -> list[str]:
    entity = play.entity(act.target) or play.entity(act.thing)
    roll = roll_of(play, who, act)
    if roll is not None:
        fallen = play.rolled(roll)
        if fallen is not None and fallen.total < HARD:
            play.note("failed use")
            return [play.line("use.failed", who=play.name(who))]
    if entity is not None and entity.kind == "person":
        return (
            help_(play, who, replace(act, target=entity.id))
            if not entity.gone
            else look(play, who, replace(act, target=entity.id))
        )
    if entity is not None:
        facts = play.known.fresh(entity.id, "property", "part", "sense")
        fit = best(facts, act.topic) or (facts[0] if facts else None)
        if fit is not None:
            deed = in_third_person(act.text.split(". ")[0], play.name(who)) if fit.kind != "sense" else ""
            return [" ".join(part for part in (deed, play.tell(fit)) if part)]
    told = _matching_here(play, topic_of(play, act))
    if told:
        return [told]
    return do(play, who, act)


def do(play: Play, who: str, act: Act) -> list[str]:
    """Something plain that is seen and heard: it brings somebody near, or lets something catch the eye."""
    deed = in_third_person(act.text.split(". ")[0], play.name(who)) or play.line("do", who=play.name(who))
    noticed = company.noticed(play)
    return [f"{deed} {noticed}" if noticed else deed]


def attack(play: Play, who: str, act: Act) -> list[str]:
    target = play.entity(act.target)
    present = list(play.known.present)
    if target is not None and target.kind == "person" and target in present:
        play.fight = (who, target.id)
        play.like(target.id, -4)
        play.stirred = "attack"
        play.productive = True
        return [play.line("attack", who=play.name(who), name=play.known.call(target))]
    if target is not None and target.kind == "person":
        found = seek(play, target)
        return (
            [found, *attack(play, who, act)]
            if found and target in play.known.present
            else [play.line("absent", name=capital(play.known.call(target)))]
        )
    if (
        target is None
        and present
        and re.search(r"(?i)\b(?:him|her|them|man|woman|stranger|somebody|guard)\b", act.text)
    ):
        wanted = (
            "she"
            if re.search(r"(?i)\b(?:her|woman)\b", act.text)
            else "he"
            if re.search(r"(?i)\b(?:him|man)\b", act.text)
            else ""
        )
        last = play.entity(play.memory.last)
        fits = [
            each for each in (last, *present) if each is not None and each in present and wanted in ("", each.pronoun)
        ]
        if not fits:
            return [play.line("attack.nobody", who=play.name(who))]
        foe = fits[0]
        return attack(play, who, replace(act, target=foe.id))
    for person in present[:1]:
        play.like(person.id, -1)
    play.stirred = "attack"
    return [play.line("attack.thing", who=play.name(who), what=target.the if target else "it")]


def wait(play: Play, who: str, act: Act) -> list[str]:
    came = company.noticed(play)
    play.note(f"quiet {play.memory.quiet + (0 if came else 2)}")
    return [came] if came else []


def rest(play: Play, who: str, act: Act) -> list[str]:
    place = play.entity(act.target)
    near_by = place is not None and place.kind in ("part", "place") and play.memory.at != place.id
    told = arrive(play, place) if near_by and place is not None else []
    play.note(f"clock {play.memory.clock + 3}")
    play.note(f"quiet {play.memory.quiet + 3}")
    play.note("done rested")
    return [*told, play.line("rest")]


def hide(play: Play, who: str, act: Act) -> list[str]:
    roll = play.rolled(Roll(who, "stealth", "stealth: unseen", HARD))
    won = roll is not None and roll.total >= HARD
    thing = next(
        (e for e in (play.entity(act.target), play.entity(act.thing)) if e is not None and e.kind == "thing"), None
    )
    present = play.known.present
    play.productive = True
    if won:
        play.note(f"done hidden {thing.id if thing else who}")
        return [play.line("hide.thing" if thing else "hide", who=play.name(who), what=thing.the if thing else "")]
    if present:
        play.like(present[0].id, -1)
        return [play.line("hide.seen", who=play.name(who), name=play.known.call(present[0]))]
    return [play.line("hide.alone", who=play.name(who))]


def help_(play: Play, who: str, act: Act) -> list[str]:
    person = play.listener(act) if act.target is None else play.entity(act.target)
    if person is None or person.kind != "person":
        return do(play, who, act)
    if person.gone:
        play.note(f"done cared {person.id}")
        play.productive = True
        for each in play.known.present[:2]:
            play.like(each.id, 1) if f"cared {each.id}" not in play.memory.done else None
            play.note(f"done cared {each.id}")
        facts = play.known.fresh(person.id, "looks")
        return [
            play.line("help.dead", who=play.name(who), name=play.known.call(person))
            + (f" {play.tell(facts[0])}" if facts else "")
        ]
    found = seek(play, person)
    if person not in play.known.present:
        return [play.line("absent", name=capital(play.known.call(person)))]
    intro = " ".join(part for part in (found, play.meet(person)) if part)
    play.note(f"favor {person.id}")
    play.productive = True
    if f"helped {person.id}" not in play.memory.done:
        play.note(f"done helped {person.id}")
        play.like(person.id, 2)
    name = play.known.call(person)
    return [
        " ".join(part for part in (intro, play.line("help", who=play.name(who), name=name, Name=capital(name))) if part)
    ]


def roll(play: Play, who: str, act: Act) -> list[str]:
    asked = roll_of(play, who, act)
    fallen = play.rolled(asked) if asked else None
    total = fallen.total if fallen else 0
    skill = act.skill
    target = play.entity(act.target)
    if target is None and act.thing:
        target = play.entity(act.thing)
    if total < HARD:
        play.note(f"failed {skill}")
        return [play.line("roll.lost", who=play.name(who), skill=skill)]
    play.productive = True
    if skill == "insight":
        person = target if target is not None and target.kind == "person" else play.listener(act)
        if person is not None and person in play.known.present:
            facts = [
                f
                for f in play.world.of.get(person.id, ())
                if f.gate == "insight" and f.id not in play.memory.told and not play.known.closed(f)
            ]
            if facts:
                text = play.tell(facts[0])
                topic = "insight.fear" if facts[0].kind == "fear" else "insight.want"
                return [play.line(topic, who=play.name(who), name=play.known.call(person), what=_wish(text))]
    if skill in ("persuasion", "deception", "intimidation"):
        return persuade(
            play,
            who,
            replace(act, kind={"persuasion": "persuade", "deception": "lie", "intimidation": "threaten"}[skill]),
        )
    if target is not None:
        return look(play, who, replace(act, target=target.id, topic=frozenset()))
    told = _matching_here(play, topic_of(play, act) - stems(skill))
    if told:
        return [told]
    if skill in ("history", "religion", "nature", "arcana") and play.known.place is not None:
        facts = play.known.fresh(play.known.place.id, "history")
        if facts:
            return [f"{play.line('roll.history', who=play.name(who))} {play.tell(facts[0])}"]
    return _look_around(play, who)


def _wish(text: str) -> str:
    return (
        lowered(text.rstrip("."))
        if not re.match(r"(?:He|She|They) (?:wants?|fears?)", text)
        else re.sub(r"^(?:He|She|They) (?:wants?|fears?) ", "", text.rstrip("."))
    )


def no(play: Play, who: str, act: Act) -> list[str]:
    play.note("last " + (play.memory.last or ""))
    said = play.fresh("no", who=play.name(who))
    return [said] if said else []


def end(play: Play, who: str, act: Act) -> list[str]:
    play.note(f"ends {play.memory.clock}")
    play.over = True
    return []


EFFECTS: Mapping[str, Callable[[Play, str, Act], list[str]]] = {
    "look": look,
    "search": search,
    "go": go,
    "ask": ask,
    "talk": talk,
    "persuade": persuade,
    "lie": persuade,
    "threaten": persuade,
    "give": give,
    "show": give,
    "take": take,
    "use": use,
    "do": do,
    "attack": attack,
    "wait": wait,
    "rest": rest,
    "hide": hide,
    "help": help_,
    "roll": roll,
    "no": no,
    "yes": no,
    "end": end,
}


def scene_for(play: Play, speaker: str) -> Scene:
    party = {play.table.names[name]: name for name in play.table.state.played}
    party |= {name.split("-")[0].capitalize(): name for name in play.table.state.played}
    known = play.known
    return Scene(
        known.entities, party, tuple(each.id for each in known.present), play.memory.last, speaker, play.memory.thing
    )


__all__ = ["EFFECTS", "SKILLS", "Iterable", "Play", "Roll", "StoryBeat", "beat_fact", "content", "roll_of", "scene_for"]
