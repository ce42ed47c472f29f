"""What anybody can see here, as the game master tells it: who is here, where one can go, how a thing is, who reacts."""

from __future__ import annotations

import re
from dataclasses import replace

from sottovoce.rulesets.tabletop.house import daytime
from sottovoce.rulesets.tabletop.house.acts.answers import names_of
from sottovoce.rulesets.tabletop.house.acts.looking import look, of_person
from sottovoce.rulesets.tabletop.house.acts.questions import Question, holds, roots
from sottovoce.rulesets.tabletop.house.acts.senses import exits, perceived
from sottovoce.rulesets.tabletop.house.acts.sights import look_around
from sottovoce.rulesets.tabletop.house.acts.topics import is_ordinary, particular, topic_of
from sottovoce.rulesets.tabletop.house.asides import FOR_A_LOCAL, HOW_IT_IS, OF_A_PERSON
from sottovoce.rulesets.tabletop.house.play import HOSTILE, Play, capital
from sottovoce.rulesets.tabletop.house.targets import Act
from sottovoce.rulesets.tabletop.house.telling import to_you
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity, Fact
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST, ended, listed, stem, words


def people_here(play: Play, who: str, act: Act, question: Question) -> str:
    """Who is here: people of the place, and the party's own; of another spot, that one would have to go there."""
    known = play.known
    away = _elsewhere(play, act)
    if away is not None:
        return play.line("sight.far", name=away.the)
    people = [known.call(each) for each in known.present]
    for each in known.present:
        play.note(f"seen {each.id}")
    own = [play.name(each) for each in play.table.state.played if each != who]
    party = listed(own)
    if not people:
        return play.line("sight.people.none", party=party) if own else play.line("see.nobody")
    topic = "sight.people" if own else "see.people" if len(people) > 1 else "see.person"
    return play.line(topic, people=capital(listed(people[:5])), party=party, verb="are" if len(people) > 1 else "is")


def _elsewhere(play: Play, act: Act) -> Entity | None:
    """The place that a question about who is somewhere names, where it is not this one."""
    entity = play.entity(act.target) or play.entity(act.thing)
    known = play.known
    if entity is None or entity.kind not in ("part", "place") or entity in (known.spot, known.place):
        return None
    return entity


def ways_from_here(play: Play, who: str, act: Act, question: Question) -> str:
    """Where one can go from here."""
    return exits(play)


def senses(play: Play, who: str, act: Act, question: Question) -> str:
    """What can be seen, heard or smelled from here: a thing that is asked for, or whatever there is of the kind."""
    text = act.text[:LONGEST]
    named = play.entity(act.target) if not act.meant else None
    known = play.known
    if named is not None and named.kind == "person":
        return play.line(
            "sight.person.here" if named in known.present else "sight.person.gone",
            name=known.call(named),
            Name=capital(known.call(named)),
        )
    if named is not None and named.kind in ("part", "place") and named not in (known.spot, known.place):
        near = known.place is not None and named.parent == known.place.id
        facts = known.fresh(named.id, "part", "sense") if near else []
        return f"{play.line('sight.yes')} {play.tell(facts[0])}" if facts else play.line("sight.far", name=named.the)
    if re.search(r"(?i)\bsee (?:it|them|that|this)\b", text):
        return look(play, who, replace(act, kind="look"))[0]
    if told := perceived(play, who, text, question.asked & particular(topic_of(play, act))):
        return told
    shown = _shown(play, act, question)
    if shown is not None:
        return play.tell(shown)
    if re.search(
        r"(?i)^\W*what do (?:i|we) (?:find|see|spot|notice)\b|\b(?:see|spot|make out) (?:any(?:thing|one|body)"
        r"|something|some(?:one|body)|much)\b|\bsee\W*$",
        text,
    ):
        return look_around(play, who)[0]
    return play.line("sight.not")


def reaction(play: Play, who: str, act: Act, question: Question) -> str:
    """Who takes notice, and what comes of what was done: by the game master's word, nothing that shows as yet."""
    text = act.text[:LONGEST]
    if re.search(r"(?i)\bsafe\b|\bhidden\b", text):
        return play.line("sight.safe")
    present = play.known.present
    person = play.entity(act.target) if act.target else None
    watcher = person if person in present else next(iter(present), None)
    if re.search(r"(?i)\b(?:any(?:body|one)|some(?:body|one)|he|she|they|the [\w-]+)\b", text) and watcher is not None:
        name = play.known.call(watcher)
        return play.line("sight.noticed", name=name, Name=capital(name))
    if re.search(r"(?i)\b(?:work|help|fit|open|move|hold|give)\W*$", text):
        return play.line("sight.try")
    return play.line("sight.unnoticed")


_PHYSICAL = (
    ("locked", r"\b(?:locked|bolted|barred|open|shut|closed)\b"),
    ("dark", r"\b(?:dark|light enough|bright|gloomy|see (?:anything|in there))\b"),
    ("deep", r"\bdeep\b"),
    ("high", r"\b(?:high|tall|far (?:down|up)|steep)\b"),
    ("size", r"\b(?:wide|big|large|small|thick|long|heavy)\b"),
    ("old", r"\bold\b|\bnew\b"),
    ("many", r"\bhow many\b"),
    ("touch", r"\b(?:warm|cold|hot|wet|dry|damp|soft|hard|sharp|slippery|feel)\b"),
    ("safe", r"\b(?:safe|dangerous|stable|sound|strong enough|hold (?:us|me|my)|risky|trapped|traps?)\b"),
    ("inside", r"\b(?:in|inside|under|behind|beyond|beneath|below|above|through|on top|on the other side)\b"),
)
_PHYSICAL_RES = tuple((kind, re.compile(rf"(?i){pattern}")) for kind, pattern in _PHYSICAL)


def property_of(play: Play, who: str, act: Act, question: Question) -> str:
    """How a thing is, or a person looks, here and now; empty where the question asks for more than what shows."""
    text = act.text[:LONGEST].replace("’", "'")
    if not HOW_IT_IS.match(text) or FOR_A_LOCAL.search(text):
        return ""
    if held := _held(play, text):
        return held
    if re.match(r"(?i)\W*(?:\w+,? )?is this (?:the |really )?(?-i:[A-Z])", text) and play.known.spot is not None:
        here = {play.known.spot, play.known.place}
        named_here = play.entity(act.target) in here or play.entity(act.thing) in here
        return play.line("sight.is.here" if named_here else "sight.is.other", name=play.known.spot.the)
    if re.search(r"(?i)\bit\b", text) and (of_it := _of_it(play, question)):
        return of_it
    person = _person_of(play, act, text)
    if person is not None and OF_A_PERSON.search(text):
        return _person_seen(play, person, text)
    if told := perceived(play, who, text, question.asked & particular(topic_of(play, act))):
        return told
    talks = play.memory.spoken is not None and play.entity(play.memory.spoken) in play.known.present
    kind = next((kind for kind, pattern in _PHYSICAL_RES if pattern.search(text)), "")
    shown = _shown(play, act, question)
    if shown is not None:
        return play.tell(shown)
    named = play.entity(act.target) if not act.meant else None
    of_somebody = named is not None and named.kind in ("person", "group")
    thing_there = re.match(
        r"(?i)\W*(?:\w+,? )?(?:(?:is|are) there|any)\b", text
    ) is not None and not _OF_THE_PLACE.search(text)
    if talks and (of_somebody or not (kind or thing_there)):
        return ""
    if not kind and not thing_there and not re.search(r"(?i)\b(?:it|that|this|the)\b", text):
        return ""
    if kind == "locked":
        return _locked(play, act, text)
    if not kind and (again := _seen_before(play, question)):
        return again
    if kind == "many" and re.search(r"(?i)\b(?:people|men|women|guests|of them)\b", text):
        return people_here(play, who, act, question)
    if re.match(r"(?i)\W*(?:\w+,? )?any(?:thing|body|one)\b", text):
        return play.line("sight.not")
    if kind == "dark":
        late = daytime.now(play) % len(daytime.DAY) >= daytime.DUSK
        return play.line("sight.dark.night" if late else "sight.dark")
    if thing_there:
        noun = act.head or _last_noun(text)
        there = bool(noun) and (is_ordinary(act) if act.head else False)
        return play.line("sight.there" if there else "sight.there.not", what=_named(text))
    if kind:
        return play.line(f"sight.{kind}")
    if re.match(r"(?i)\W*(?:\w+,? )?(?:what|who)\b", text):
        return play.line("sight.what")
    return play.line("sight.not")


_OF_THE_PLACE = re.compile(
    r"(?i)\b(?:inn|tavern|smith\w*|doctor|healer|priest|market|shop|chapel|church|temple|ferry|boats?|bed|room|law"
    r"|council"
    r"|who|that|reason|truth|rumou?rs?|news|problem|trouble|chance|hope|something|anything|else|work|any(?:one|body)"
    r"|some(?:one|body))\b"
)
"""What there is in a place, or is said there, and does not show at a glance."""


_WANTED = re.compile(
    r"(?i)^\W*(?:[a-z]+, )?(?:any|(?:is|are) there(?: an?| any| some| other| more)?) ((?:[\w'-]+ ){0,2}?[\w'-]+)"
    r"(?= (?:here|in|on|at|that|around|near|for|to|of|about|left|anywhere|nearby)\b|\W*$)"
)


def _named(text: str) -> str:
    """What a question asks for: `back door` of `is there a back door here?`"""
    found = _WANTED.match(text)
    return found[1].lower() if found else "such thing"


def _last_noun(text: str) -> str:
    found = words(_named(text))
    return stem(found[-1]) if found else ""


def _of_it(play: Play, question: Question) -> str:
    """What was looked at last is like, where a question about `it` asks for what has been told or shows."""
    thing = play.entity(play.memory.eyes) or play.entity(play.memory.thing)
    if thing is None or not question.asked:
        return ""
    for fact in play.world.of.get(thing.id, ()):
        open_ = fact.id in play.memory.told or (
            fact.kind in ("sense", "property", "part") and not play.known.closed(fact)
        )
        if open_ and question.asked & roots(fact.text):
            return f"{play.line('sight.again')} {ended(fact.text)}" if fact.id in play.memory.told else play.tell(fact)
    return ""


_IN_HAND = re.compile(r"(?i)\b(?:in (?:my|our) hands?|the (?:thing|artifact|artefact|object|device|relic|compass))\b")


def _held(play: Play, text: str) -> str:
    """What the thing that the party carries is like, by its papers; empty where it carries none, or none is meant."""
    if not _IN_HAND.search(text):
        return ""
    for name, _ in play.known.papers.carries:
        about = roots(name)
        facts = [f for f in play.known.papers.facts if about & roots(f.text) and len(f.text) <= LONGEST]
        facts.sort(
            key=lambda fact: (
                f"seen {fact.id}" in play.memory.lines or not re.search(r"(?i)\b(?:it|currently)\b", fact.text)
            )
        )
        if facts:
            play.note(f"seen {facts[0].id}")
            return ended(to_you(facts[0].text))
    return ""


def _person_of(play: Play, act: Act, text: str) -> Entity | None:
    """The person here of whom the question is: named, or meant by `he` and `she`."""
    target = play.entity(act.thing) or (play.entity(act.target) if not act.meant else None)
    if target is not None and target.kind == "person":
        return target
    pronoun = re.search(r"(?i)\b(he|she|him|her|his)\b", text)
    if pronoun is None:
        return None
    wanted = {"him": "he", "his": "he", "her": "she"}.get(pronoun[1].lower(), pronoun[1].lower())
    near = [play.entity(play.memory.spoken), play.entity(play.memory.last), *play.known.present]
    if re.search(r"(?i)\b(?:dead|alive|breathing)\b", text):
        near = [*(each for each in play.known.entities if each.kind == "person" and each.gone), *near]
        return next((each for each in near if each is not None and each.pronoun == wanted), None)
    return next(
        (each for each in near if each is not None and each in play.known.present and each.pronoun == wanted), None
    )


def _person_seen(play: Play, person: Entity, text: str) -> str:
    """How somebody looks, as far as it shows; what goes on in their head does not."""
    name = play.known.call(person)
    slots = {"name": name, "Name": capital(name)}
    if person.gone:
        return play.line("sight.person.dead", **slots)
    if re.search(r"(?i)\b(?:in|here|home|there|still|back|inside|gone)\W*$", text):
        return play.line("sight.person.here" if person in play.known.present else "sight.person.gone", **slots)
    if re.search(r"(?i)\bwho(?:'s| is)\b", text):
        papers = [f for f in play.known.papers.facts if names_of(person) & roots(f.text) and len(f.text) <= LONGEST]
        if person.id in play.known.names and papers:
            play.note(f"seen {papers[0].id}")
            return f"{capital(name)}. {ended(to_you(papers[0].text))}"
    if re.search(r"(?i)\b(?:dead|alive|breathing|asleep)\b", text):
        return play.line("sight.person.alive", **slots)
    if re.search(r"(?i)\barmed\b", text):
        return play.line("sight.person.unarmed", **slots)
    if re.search(r"(?i)\b(?:lying|truth|honest|hiding)\b", text):
        return play.line("sight.person.lying", **slots)
    facts = play.known.fresh(person.id, "looks", "habit")
    if facts and re.search(r"(?i)\b(?:look|looks|wearing|doing|holding|carrying|like|who)\b", text):
        return of_person(play, person, facts[0])
    return play.line("sight.person", **slots)


def _shown(play: Play, act: Act, question: Question) -> Fact | None:
    """What shows here and answers: it shares the words of the question, or the sense or property that is asked for."""
    known = play.known
    asked = (question.asked or particular(topic_of(play, act))) - _SENSES
    pattern = next((each for _, each in _PHYSICAL_RES if each.search(act.text[:LONGEST])), None)
    for owner in dict.fromkeys(e.id for e in (known.spot, known.place, *known.parts) if e is not None):
        for fact in known.fresh(owner, "sense", "part"):
            text = f"{fact.label} {fact.text}"[:LONGEST]
            if question.word in ("far", "many") and not holds(question, fact.text):
                continue
            if asked and asked <= roots(text) and (pattern is None or pattern.search(text)):
                return fact
    return None


def _seen_before(play: Play, question: Question) -> str:
    """What has been told of this place that answers, once more."""
    known = play.known
    here = {each.id for each in (known.spot, known.place, *known.parts) if each is not None}
    for key in reversed(play.memory.told):
        fact = play.world.facts.get(key)
        if fact is not None and fact.owner in here and question.asked and question.asked <= roots(fact.text):
            return f"{play.line('sight.again')} {ended(fact.text)}"
    return ""


_SENSES = roots("noise sound smell sounds smells hear loud quiet scent stink deep high dark locked open closed shut")


def _locked(play: Play, act: Act, text: str) -> str:
    """Whether a thing is open: as the party left it, or as a plain door is."""
    left = [
        each
        for each in play.memory.done
        if each.startswith(("left shut", "left door")) and each.endswith(play.memory.at)
    ]
    if any(each.startswith("left shut") for each in left):
        return play.line("sight.locked.own")
    return play.line("sight.locked")


def nobody_told(play: Play) -> str:
    """An honest word where nobody is here to ask: it is in no paper, and nobody has told it yet."""
    known, liking = play.known, play.memory.liking
    living = [e for e in known.entities if e.kind == "person" and e.id in known.names and not e.gone]
    people = [e.short for e in living if liking[e.id] > HOSTILE]
    told = play.line("sight.untold")
    return f"{told} {play.line('sight.untold.ask', people=listed(people[:2], 'or'))}" if people else told
