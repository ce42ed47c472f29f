"""What anybody can answer of themself, and of where and when it is, though no line of the folder says so."""

from __future__ import annotations

import re
from functools import lru_cache

from sottovoce.rulesets.tabletop.house import daytime
from sottovoce.rulesets.tabletop.house.acts.answers import in_words
from sottovoce.rulesets.tabletop.house.acts.mouths import in_mouth, subject_of
from sottovoce.rulesets.tabletop.house.acts.questions import Question, roots
from sottovoce.rulesets.tabletop.house.play import Play, capital
from sottovoce.rulesets.tabletop.house.targets import stands_alone
from sottovoce.rulesets.tabletop.rules.lore.facts import OFFICES, Entity, Fact, Papers
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST, ended, listed, stem, words

HOSTS = frozenset("innkeeper landlord landlady barkeep bartender barmaid proprietor".split())
_TIME = re.compile(
    r"(?i)\bwhat(?:'s| is)? (?:the )?(?:time|hour)\b(?! (?:did|was|were|of year|do|will|can|should|shall|would))"
    r"|\bhow late is it\b|\bwhat time (?:is|does|have)\b|\bis it (?:still |already )?(?:morning|noon|evening|night"
    r"|day|late)\b"
)
_WHERE = re.compile(
    r"(?i)\bwhere(?: exactly)? (?:are we|am i|is this)\b|\bwhat(?:'s| is) (?:this place|the name of this)\b"
    r"|\bwhat(?:'s| is) this (?:village|town|place|city|inn|house|settlement) called\b|\bwhich (?:village"
    r"|town) is this\b"
    r"|\bwhat (?:village|town|city|place|inn) is this\b"
)
_WEATHER = re.compile(
    r"(?i)\bweather\b(?! like (?:that|then|on|when|in))|\b(?:is it|will it) (?:going to )?(?:rain|snow|storm|cold"
    r"|warm|raining)\b"
)
_SKY = re.compile(r"(?i)\b(?:light|mist|fog|sky|rain|wind|sun|clouds?|cold|warm|snow|dust|air|shadows?)\b")
_ANYBODY = re.compile(
    r"(?i)\b(?:is|are) (?:there )?any(?:body|one)\b(?! (?:who|that|else|hurt|missing))[^?]{0,18}\?"
    r"|\bany(?:body|one) (?:home|here|there|in|awake|around|about|out (?:here|there))\b[^?]{0,8}\?|\bwho(?:'s"
    r"| is) there\b"
)
_FIND = re.compile(
    r"(?i)\bwhere to (?:find|look|go|get)\b|\b(?:buy|find|get|rent|eat|sleep|stay|drink) [^?]{0,30}\bsomewhere\b"
    r"|\bhow far\b|\bwhere (?:the |[a-z'’-]+ ){1,3}(?:is|are|lives?|stays?|can be found)\b|\bwhere(?:abouts)?(?:'s"
    r"| is| are"
    r"| can| could| do| does| might| would| should)\b|\bhow (?:do|can|could|would)"
    r" (?:i|we|one) (?:get|come|go|find)\b|\bwhich way\b|\bthe way to\b|\bhow far\b|\bwho keeps?\b"
    r"|\b(?:fastest|quickest|best|shortest|safest|easiest) (?:way|road|route) to\b|\bis there (?:an?|some|any)\b"
    r"|\bis [\w' -]{2,30} far\b|\bwho (?:else )?(?:lives|is there|works)\b|\bare there\b|\b(?:is"
    r"|are) (?:the )?[\w' -]{2,30} (?:at home|here|in|around|there|about|nearby|awake|close)\b"
)
_WAY = re.compile(
    r"(?i)\bis there (?:an?|any) |\bhow far\b|\b(?:way|road|route) to\b|\bis it far\b|\bis (?:the )?[\w' -]{2,30} far\b"
    r"|\bhow (?:do|can|could|would|should) (?:i|we|one) (?:get|come|go|find)\b|\bwhich way\b|\bthe way to\b"
    r"|\bfar\b.* \bto\b|^\W*(?:(?:and|so|but|ok|well)\W+)?where(?:'s| is| are| do (?:i|we)| can (?:i|we)"
    r"| could (?:i|we))\b"
)
_DAY = re.compile(r"(?i)\bwhat (?:day|date|year|month)\b")


_OTHERS = re.compile(
    r"(?i)\bwho (?:else )?(?:lives|is there|works)\b|\bare there (?:any |other |many |more )*(?:people|guests"
    r"|travell?ers|patrons"
    r"|visitors|strangers|villagers|others)\b"
)


def is_of_the_moment(text: str) -> bool:
    """Whether a question is about where, when or in what weather it is, which whoever is here can answer."""
    return any(pattern.search(text) for pattern in (_TIME, _WHERE, _WEATHER))


def asks_the_way(text: str) -> bool:
    return bool(_WAY.search(text))


def asks_for_anybody(text: str) -> bool:
    return bool(_ANYBODY.search(text))


@lru_cache(maxsize=512)
def trade_in(papers: Papers, person: Entity) -> frozenset[str]:
    """What somebody does, by what the party has read of them: `innkeeper`."""
    found: set[str] = set()
    for fact in papers.facts:
        text = fact.text[:LONGEST].casefold()
        if subject_of(fact, papers.facts, (person,)) is person:
            found |= set(words(text)) & OFFICES
            if re.search(r"\b(?:keeps?|owner of|runs?|owns?)\b.*\b(?:inn|tavern|alehouse)\b", text):
                found.add("innkeeper")
    return frozenset(found)


def offices_of(play: Play, person: Entity) -> frozenset[str]:
    """What somebody does, by their page, or by what the party has read of them."""
    found = set(person.offices & (OFFICES | HOSTS))
    for text in _own_papers(play, person):
        low = text.casefold()
        found |= set(words(low)) & OFFICES
        if re.search(r"\b(?:keeps?|owner of|runs?|owns?)\b.*\b(?:inn|tavern|alehouse)\b", low):
            found.add("innkeeper")
    own = " ".join(
        f.text
        for f in play.world.of.get(person.id, ())
        if f.kind == "knows" and f.gate == "open" and not play.known.closed(f)
    )
    if re.search(r"(?i)\b(?:keeps?|kept|runs?|run|owns?)\b.*\b(?:inn|tavern|rest|anchor|alehouse)\b", own[:LONGEST]):
        found.add("innkeeper")
    return frozenset(found)


def _own_papers(play: Play, person: Entity) -> list[str]:
    """The lines of the papers about somebody."""
    people = [each for each in play.known.entities if each.kind == "person"]
    papers = play.known.papers.facts
    return [fact.text[:LONGEST] for fact in papers if subject_of(fact, papers, people) is person]


def of_the_moment(play: Play, text: str, person: Entity | None) -> str:
    """Where it is, what time it is, or what the weather is like; in the person's mouth where there is one."""
    place, spot = play.known.place, play.known.spot
    if _TIME.search(text):
        told = _said(play, person, "moment.time", time=daytime.DAY[daytime.now(play) % len(daytime.DAY)])
        rest = _TIME.sub("", text)
        return f"{told} {of_the_moment(play, rest, person)}".strip()
    if _DAY.search(text) and person is not None:
        return _said(play, person, "moment.day")
    if _WHERE.search(text) and place is not None:
        told = _said(play, person, "moment.where", place=place.the)
        if spot is not None and spot is not place:
            told = _said(play, person, "moment.spot", place=place.the, spot=spot.the)
        about = next(
            (
                fact
                for fact in play.known.papers.facts
                if fact.text.casefold().startswith(f"{place.name.casefold()} is ")
                and f"seen {fact.id}" not in play.memory.lines
            ),
            None,
        )
        if about is not None:
            play.note(f"seen {about.id}")
            said = ended(about.text)
            told += f" {said}" if person is None else f" “{said}”"
        play.productive = True
        return told
    if _WEATHER.search(text):
        facts = play.known.fresh(place.id, "sense") if place is not None else []
        sky = next((fact for fact in facts if _SKY.search(fact.text)), None)
        told = _said(play, person, "moment.weather")
        return f"{told} {play.tell(sky)}" if sky is not None else told
    return ""


def _said(play: Play, person: Entity | None, topic: str, **slots: str) -> str:
    told = play.line(topic, **slots)
    if person is None:
        return ended(told)
    name = play.known.call(person)
    return f"“{ended(told).rstrip('.')},” says {name}."


def somewhere(play: Play, person: Entity, question: Question) -> str:
    """Where somebody or something is to be found, as far as it shows or the party has heard; empty where it is not."""
    if not _FIND.search(question.text) or re.search(r"\bfrom\W*$", question.text):
        return ""
    known, name = play.known, play.known.call(person)
    place = known.place
    slots = {"name": name, "Name": capital(name)}
    if place is None:
        return ""
    low = question.text.casefold()
    far = [e for e in known.entities if e.kind in ("part", "place") and e not in (place, known.spot)]
    if _OTHERS.search(low) and not any(name in low for each in far for name in each.names):
        others = [
            e for e in known.entities if e.kind == "person" and e.id in known.names and e is not person and not e.gone
        ]
        people = listed([e.short for e in others if e.id != person.id][:3])
        return play.line("find.people", people=people, **slots) if people else ""
    pronoun = re.search(r"\b(?:he|she|him|her)\b", low)
    if pronoun and person.pronoun == {"him": "he", "her": "she"}.get(pronoun[0], pronoun[0]) and "you" not in low:
        others = [e for e in known.entities if e.kind == "person" and e is not person and e.short.casefold() in low]
        if not others and re.search(r"\bwhere\b", low):
            return play.line("self.here", **slots)
    for each in sorted(known.entities, key=lambda e: -len(e.name)):
        called = each.names | (each.offices & OFFICES if each.kind == "person" else frozenset())
        if each.kind == "person" and each.id in known.names:
            called |= {word for word in words(each.name)[-1:] if len(word) > 3}
        if not any(re.search(rf"(?<!\w){re.escape(n)}(?!\w)", low) for n in called):
            continue
        if each.kind == "person" and not any(stands_alone(question.text, name, each) for name in called):
            continue
        if each.id == person.id:
            return "" if re.search(r"\byou\b", low) else play.line("self.yes", full=person.name, **slots)
        if each.kind == "person" and not each.gone:
            lives = re.search(r"\b(?:lives?|sleeps?|stays?|works?)\b", low) is not None
            return _person_at(play, each, slots, lives) if _SOUGHT.search(low) else ""
        if each.kind in ("part", "place"):
            what = each.the
            if each in (known.spot, place):
                return play.line("find.here", what=what, What=capital(what), **slots)
            if each.kind == "part" and each.parent == place.id:
                play.note(f"eyes {each.id}")
                return play.line("find.near", what=what, What=capital(what), place=place.the, **slots)
            if re.search(r"(?i)\bfar\b", low):
                return play.line("find.away", what=what, What=capital(what), **slots)
            return play.line("find.far", what=what, What=capital(what), place=place.the, **slots)
    if question.word == "who":
        return ""
    return _by_head(play, low, slots) or _kind_of_place(play, question, slots)


_SOUGHT = re.compile(
    r"\b(?:where|whereabouts|which way|way to|road to|route to|far|get to|find)\b|\bis there (?:an?|any)\b"
    r"|\b(?:is|are) [\w' -]{2,30} (?:at home|here|in|around|there|about|nearby|awake|close)\W*$"
)
"""What is asked of somebody who is looked for."""
_LYING = re.compile(r"\bwhere (?:do|does|did|was|were|has|have|had) ")


def _by_head(play: Play, low: str, slots: dict[str, str]) -> str:
    """The same of a place that is called by a part of its name: `the tower`, `the clock` for the Clock Tower."""
    place = play.known.place
    said = {*words(low)} if _SOUGHT.search(low) and not _LYING.search(low) else set[str]()
    found = [
        (len(own & said), each.kind == "part", -len(own), each)
        for each in play.known.entities
        if each.kind in ("part", "place") and (own := {w for w in words(each.name) if len(w) > 3}) & said
    ]
    if not found or place is None:
        return ""
    each = max(found, key=lambda one: one[:3])[3]
    if each in (play.known.spot, place):
        return play.line("find.here", what=each.the, What=capital(each.the), **slots)
    if each.parent == place.id:
        return play.line("find.near", what=each.the, What=capital(each.the), place=place.the, **slots)
    return play.line("find.far", what=each.the, What=capital(each.the), place=place.the, **slots)


def told_where(play: Play, person: Entity, question: Question) -> str:
    """That something of which the party has only read lies close by: `which way is the inn`; empty where it has not."""
    if question.word != "where":
        return ""
    found = re.search(
        r"(?i)\b(?:which way|where|how)\b[^?]*?\b(?:is|to|find) (?:the|that|this|an?) ([\w' -]{3,24}?)\W*$",
        question.text,
    )
    noun = stem(words(found[1])[-1]) if found and words(found[1]) else ""
    place = play.known.place
    if not noun or place is None:
        return ""
    for fact in play.known.papers.facts:
        if noun in {stem(word) for word in words(fact.text[:LONGEST])}:
            name = play.known.call(person)
            own = "find.told.own" if subject_of(fact, play.known.papers.facts, (person,)) is person else "find.told"
            return play.line(own, what=f"the {found[1]}" if found else "", name=name, Name=capital(name))
    return ""


def _person_at(play: Play, who: Entity, slots: dict[str, str], lives: bool) -> str:
    """Where somebody is, or, where that is asked, where they live."""
    call = play.known.call(who)
    whom = {"who": call, "Who": capital(call)}
    if who in play.known.present and not lives:
        return play.line("find.person.here", **whom, **slots)
    place = play.known.place
    home = {play.world.entities[key].parent or key for key in who.places}
    spot = play.known.stands_at(who) if place is not None and place.id in home else None
    if spot is not None:
        return play.line("find.person", place=spot.the, **whom, **slots)
    return play.line("find.home.not" if lives else "find.person.not", **whom, **slots)


_PLACES = {
    "inn": r"\binn\b|tavern|\brest\b|hearth|lodging",
    "temple": r"chapel|temple|church|shrine",
    "smith": r"smith|forge",
    "shop": r"shop|market|trad(?:er|ing)|store",
    "boat": r"boat|ferry|landing",
}
_WANTED = {
    "inn": r"sleep|stay|inn|tavern|bed|room|night|eat|drink|meal|rest|innkeeper|landlady|landlord",
    "temple": r"priest|temple|chapel|church|shrine|pray",
    "smith": r"smith|forge",
    "shop": r"buy|shop|market|supplies|trader",
    "boat": r"boat|ferry|crossing|barge",
}


def _kind_of_place(play: Play, question: Question, slots: dict[str, str]) -> str:
    """The part of this place where one sleeps, eats, prays or buys, where it shows."""
    for kind, wanted in _WANTED.items():
        if not re.search(rf"(?i)\b(?:{wanted})\b", question.text):
            continue
        called = re.compile(rf"(?i){_PLACES[kind]}")
        for part in sorted(play.known.parts, key=lambda each: not called.search(each.name)):
            own = " ".join(fact.text for fact in play.world.of.get(part.id, ()) if not play.known.closed(fact))
            if called.search(f"{part.name} {own}"[:LONGEST]):
                play.note(f"eyes {part.id}")
                topic = "find.here" if part is play.known.spot else "find.kind"
                return play.line(topic, what=part.the, What=capital(part.the), **slots)
        about = next((f for f in play.known.papers.facts if re.search(rf"(?i){_PLACES[kind]}", f.text[:LONGEST])), None)
        person = next((e for e in play.known.present if play.known.call(e) == slots["name"]), None)
        if about is not None and person is not None and (said := in_mouth(play, about, person)):
            play.note(f"seen {about.id}")
            return f"“{said.rstrip('.')},” says {slots['name']}."
    for part in play.known.parts:
        shown = " ".join(
            f.text for f in play.world.of.get(part.id, ()) if f.gate == "sight" and not play.known.closed(f)
        )
        if question.asked and question.asked <= roots(f"{part.name} {shown[:LONGEST]}"):
            topic = "find.here" if part is play.known.spot else "find.kind"
            return play.line(topic, what=part.the, What=capital(part.the), **slots)
    return ""


def home_of(play: Play, person: Entity) -> str:
    """Where somebody lives, as they say it: the part of the place that is theirs, or the place."""
    at = [play.world.entities[key] for key in person.places if key in play.known.names | {play.memory.at}]
    parts = [each for each in (*at, *(p for p in play.known.parts if p.id in person.places)) if each.kind == "part"]
    if parts:
        return parts[0].the
    place = play.known.place
    return place.the if place is not None and (not person.places or place in at) else ""


def told_of_themself(play: Play, person: Entity, pattern: re.Pattern[str], facts: list[Fact]) -> str:
    """The first open sentence about somebody that has words of a pattern, as they say it; from their page or papers."""
    for fact in facts:
        if fact.owner == person.id and pattern.search(fact.text[:LONGEST]):
            play.tell(fact, capital(play.known.call(person)))
            return in_words(play, fact, person)
    people = [each for each in play.known.entities if each.kind == "person"]
    for fact in play.known.papers.facts:
        if f"said {person.id} {fact.id}" in play.memory.done or not pattern.search(fact.text):
            continue
        if subject_of(fact, play.known.papers.facts, people) is person and (said := in_mouth(play, fact, person)):
            play.note(f"seen {fact.id}")
            play.note(f"done said {person.id} {fact.id}")
            play.productive = True
            return f"“{said.rstrip('.')},” says {play.known.call(person)}."
    return ""


def present_people(play: Play) -> str:
    return listed([play.known.call(each) for each in play.known.present][:3])


__all__ = [
    "asks_for_anybody",
    "home_of",
    "is_of_the_moment",
    "of_the_moment",
    "offices_of",
    "present_people",
    "roots",
    "somewhere",
    "told_of_themself",
]
