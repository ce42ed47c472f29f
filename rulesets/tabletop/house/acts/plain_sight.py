"""What the game master tells of what anybody can see here: who is here, where one can go, how a thing is, who reacts."""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house import daytime
from sottovoce.rulesets.tabletop.house.acts.looking import of_person
from sottovoce.rulesets.tabletop.house.acts.questions import Question, roots
from sottovoce.rulesets.tabletop.house.acts.topics import is_ordinary, particular, topic_of
from sottovoce.rulesets.tabletop.house.play import Play, capital
from sottovoce.rulesets.tabletop.house.targets import Act
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity, Fact
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST, listed, stem, stems, words


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
    """Where one can go from here: the other parts of this place that show, and the places that the party has heard of."""
    known = play.known
    parts = [part for part in known.parts if part is not known.spot][:6]
    for part in parts:
        play.note(f"seen {part.id}")
    place = known.place
    near = [each.the for each in parts]
    if place is not None and known.spot is not place:
        near.append(f"back out to {place.the}")
    far = [e.the for e in known.entities if e.kind == "place" and e is not place and e.id in known.names][:4]
    told = play.line("sight.ways", places=listed(near, "or")) if near else play.line("sight.ways.none")
    return f"{told} {play.line('sight.ways.far', places=listed(far))}" if far else told


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


_NOW = re.compile(
    r"(?i)^\W*(?:(?:so|ok|okay|and|but|well|now|hey|wait|right|then|um|oh|hm+),?\s+){0,3}"
    r"(?:(?:is|are|isn't|aren't|does|do)\b|how (?:deep|high|far down|far up|wide|tall|big|large|heavy|old|dark|cold|warm|thick|steep|loud|many)\b"
    r"|what(?:'s| is| are) (?:it|that|this|these|those|there|in|on|under|behind|inside|beyond|beneath|above|below|at|through|over|around|next|beside|outside|wrong)\b"
    r"|what(?:'s| is) (?:he|she|they) (?:doing|wearing|holding|carrying|up to|like|looking at|reading)\b|what are they (?:doing|wearing|holding|carrying|looking)\b"
    r"|what (?:does|do) (?:it|he|she|they|that|this|these|the [\w' -]{2,30}?) (?:say|look|smell|sound|feel|taste|show|wear|have|do)\b"
    r"|what(?:'s| is) (?:that|this|the) (?:smell|noise|sound|light|thing|stuff|shape)\b|how (?:does|do) (?:it|he|she|they|that|this|the [\w' -]{2,30}?) (?:look|smell|sound|feel|taste|seem|react)\b"
    r"|where (?:does|do) (?:it|that|this|they|the [\w' -]{2,30}?) (?:lead|go|end|come)\b|who(?:'s| is) (?:that|this)\b|any (?:sign|trace|sound|tracks?|marks?|smell|luck|movement)\b|any(?:thing|body|one)\b)"
)
"""A question about how it is, here and now."""
_PHYSICAL = (
    ("locked", r"\b(?:locked|bolted|barred|open|shut|closed)\b"),
    ("dark", r"\b(?:dark|light enough|bright|gloomy|see (?:anything|in there))\b"),
    ("deep", r"\bdeep\b"),
    ("high", r"\b(?:high|tall|far (?:down|up)|steep)\b"),
    ("size", r"\b(?:wide|big|large|small|thick|long|heavy)\b"),
    ("old", r"\bold\b|\bnew\b"),
    ("many", r"\bhow many\b"),
    ("sound", r"\b(?:noise|sounds?|hear|ticking|music|voices?|footsteps?|loud|quiet)\b"),
    ("smell", r"\b(?:smells?|stinks?|scent)\b"),
    ("touch", r"\b(?:warm|cold|hot|wet|dry|damp|soft|hard|sharp|slippery|feel)\b"),
    ("safe", r"\b(?:safe|dangerous|stable|sound|strong enough|hold (?:us|me|my)|risky|trapped|traps?)\b"),
    ("inside", r"\b(?:in|inside|under|behind|beyond|beneath|below|above|through|on top|on the other side)\b"),
)
_PHYSICAL_RES = tuple((kind, re.compile(rf"(?i){pattern}")) for kind, pattern in _PHYSICAL)
_OF_PERSON = re.compile(
    r"(?i)\b(?:lying|telling the truth|honest|nervous|afraid|scared|frightened|angry|armed|hurt|wounded|drunk|asleep|dead|alive"
    r"|breathing|bleeding|ill|sick|pale|tired|sad|happy|worried|alone|looking|watching|doing|wearing|holding|carrying|hiding)\b"
)
_TALK = re.compile(
    r"(?i)\b(?:true|right|why|because|know|knows|think|thinks|say that|said|going to|come here often|yesterday|last (?:night|week|year)"
    r"|married|guilty|behind (?:it|this|that)\b(?=\W*$)|mayor|owner|called|named|from)\b"
)
"""Words of a question that only somebody who lives here can answer."""


def property_of(play: Play, who: str, act: Act, question: Question) -> str:
    """How a thing is, or a person looks, here and now; empty where the question asks for more than what shows."""
    text = act.text[:LONGEST].replace("’", "'")
    if not _NOW.match(text) or _TALK.search(text):
        return ""
    person = _person_of(play, act, text)
    if person is not None and (_OF_PERSON.search(text) or re.search(r"(?i)\bwho(?:'s| is) (?:that|this)\b|\blike\W*$|\blook", text)):
        return _person_seen(play, person, text)
    talks = play.memory.spoken is not None and play.entity(play.memory.spoken) in play.known.present
    kind = next((kind for kind, pattern in _PHYSICAL_RES if pattern.search(text)), "")
    shown = _shown(play, act, question)
    if shown is not None:
        return play.tell(shown)
    named = play.entity(act.target) if not act.meant else None
    of_somebody = named is not None and named.kind in ("person", "group")
    thing_there = re.match(r"(?i)\W*(?:\w+,? )?(?:is|are) there\b", text) is not None and not _OF_THE_PLACE.search(text)
    if talks and (of_somebody or not (kind or thing_there)):
        return ""
    if not kind and not re.search(r"(?i)\b(?:there|it|that|this|the)\b", text):
        return ""
    if kind == "locked":
        return _locked(play, act, text)
    if kind == "many" and re.search(r"(?i)\b(?:people|men|women|guests|of them)\b", text):
        return people_here(play, who, act, question)
    if kind == "dark":
        late = daytime.now(play) % len(daytime.DAY) >= daytime.DUSK
        return play.line("sight.dark.night" if late else "sight.dark")
    if kind:
        return play.line(f"sight.{kind}")
    if thing_there:
        noun = act.head or _last_noun(text)
        there = bool(noun) and (is_ordinary(act) if act.head else False)
        return play.line("sight.there" if there else "sight.there.not", what=_named(text))
    if re.match(r"(?i)\W*(?:\w+,? )?(?:what|who)\b", text):
        return play.line("sight.what")
    return play.line("sight.not")


_OF_THE_PLACE = re.compile(
    r"(?i)\b(?:inn|tavern|smith\w*|doctor|healer|priest|market|shop|chapel|church|temple|ferry|boats?|bed|room|law|council"
    r"|who|that|reason|truth|rumou?rs?|news|problem|trouble|chance|hope|something|anything|else|work|any(?:one|body)|some(?:one|body))\b"
)
"""What there is in a place, or is said there, and does not show at a glance."""


def _named(text: str) -> str:
    found = re.search(r"(?i)\bthere (?:an?|any|some|other|more) ((?:[\w'-]+ ?){1,3}?)(?= (?:here|in|on|at|that|around|near|for|to|of|about|left)\b|\W*$)", text)
    return found[1].strip().lower() if found else "anything of the kind"


def _last_noun(text: str) -> str:
    found = words(_named(text))
    return stem(found[-1]) if found else ""


def _person_of(play: Play, act: Act, text: str) -> Entity | None:
    """The person here of whom the question is: named, or meant by `he` and `she`."""
    target = play.entity(act.thing) or play.entity(act.target)
    if target is not None and target.kind == "person" and not act.meant:
        return target if target in play.known.present or target.gone else None
    pronoun = re.search(r"(?i)\b(he|she|him|her|his)\b", text)
    if pronoun is None:
        return None
    wanted = {"him": "he", "his": "he", "her": "she"}.get(pronoun[1].lower(), pronoun[1].lower())
    near = [play.entity(play.memory.spoken), play.entity(play.memory.last), *play.known.present]
    return next((each for each in near if each is not None and each in play.known.present and each.pronoun == wanted), None)


def _person_seen(play: Play, person: Entity, text: str) -> str:
    """How somebody looks, as far as it shows; what goes on in their head does not."""
    name = play.known.call(person)
    slots = {"name": name, "Name": capital(name)}
    if person.gone:
        return play.line("sight.person.dead", **slots)
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
    """What shows here and answers: it shares the words of the question, or the sense that is asked for."""
    known = play.known
    owners = [e for e in (known.spot, known.place, *known.parts) if e is not None]
    asked = question.asked - _SENSES
    sense = next((kind for kind, pattern in _PHYSICAL_RES if kind in ("sound", "smell") and pattern.search(act.text)), "")
    for owner in dict.fromkeys(each.id for each in owners):
        for fact in known.fresh(owner, "sense", "part"):
            own = roots(f"{fact.label} {fact.text}")
            if sense and re.search(_SENSED[sense], f"{fact.label} {fact.text}") and (not asked or asked & own):
                return fact
            if not sense and asked and asked <= own:
                return fact
    topic = particular(topic_of(play, act))
    return None if not topic else next(
        (f for owner in (known.spot,) if owner is not None for f in known.fresh(owner.id, "sense", "part") if topic <= stems(f"{f.label} {f.text}")),
        None,
    )


_SENSES = roots("noise sound smell sounds smells hear light see look loud quiet scent stink deep high dark locked open closed shut")
_SENSED = {
    "sound": r"(?i)\b(?:sounds?|hear\w*|ring\w*|tick\w*|creak\w*|whisper\w*|silen\w*|quiet\w*|voices?|hums?|murmur\w*|listen\w*|noise)\b",
    "smell": r"(?i)\b(?:smell\w*|scent\w*|reek\w*|stink\w*|odou?rs?|fragran\w*)\b",
}


def _locked(play: Play, act: Act, text: str) -> str:
    """Whether a thing is open: as the party left it, or as a plain door is."""
    left = [each for each in play.memory.done if each.startswith(("left shut", "left door")) and each.endswith(play.memory.at)]
    if any(each.startswith("left shut") for each in left):
        return play.line("sight.locked.own")
    return play.line("sight.locked")


def nobody_told(play: Play, question: Question) -> str:
    """An honest word where nobody is here to ask: it is in no paper, and nobody has told it yet."""
    people = [e.short for e in play.known.entities if e.kind == "person" and e.id in play.known.names and not e.gone]
    told = play.line("sight.untold")
    return f"{told} {play.line('sight.untold.ask', people=listed(people[:2], 'or'))}" if people else told
