"""What is to be heard and smelt here, what is overhead and out of the window, and which ways lead on."""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house import company, daytime
from sottovoce.rulesets.tabletop.house.acts.places import been
from sottovoce.rulesets.tabletop.house.acts.surroundings import indoors
from sottovoce.rulesets.tabletop.house.play import Play
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity, Fact
from sottovoce.rulesets.tabletop.rules.lore.language import ended, listed, stems

_SENSES = (
    (
        "heard",
        re.compile(r"(?i)\b(?:listen\w*|ears?|hear|hearing|noises?|sounds?|eavesdrop\w*)\b"),
        stems("sound sounds hear heard noise hum hums ring rings talk talks speak whisper whispers voice voices knock"
              " knocks hammer hammers song music silence quiet laps click clicks clicking roar creak creaks ticks"),
    ),
    (
        "smelt",
        re.compile(r"(?i)\b(?:smell\w*|sniff\w*|stench|scents?|stink\w*|reek\w*)\b"),
        stems("smell smells scent stench smoked smoke bread wet rope blossom oil tar odor odour incense spice spices"
              " perfume rot"),
    ),
    (
        "sky",
        re.compile(r"(?i)\b(?:sky|skies|heavens?|clouds?|stars?|moons?|sun)\b"),
        stems("sky light sun moon moons star stars cloud clouds mist fog rain shadow shadows dusk dawn"),
    ),
)  # fmt: skip
"""What is perceived, the words that ask for it, and those that a sentence about it has."""
_WINDOW = re.compile(
    r"(?i)\blook(?:s|ing)? (?:outside|outdoors)\b"
    r"|\b(?:out of|through|from|out) (?:the|a|an|that|this|my|our|one of the) (?:\w+ )?windows?\b"
)
_EXITS = re.compile(
    r"(?i)\bwhat(?:'s| is| lies) (?:ahead|further on|beyond|nearby|close by|around here)\b"
    r"|\b(?:which|what|any) (?:other )?(?:ways|exits|doors|roads|paths)\b|\b(?:the|any|for) exits?\b|\bways? out\b"
    r"|\bwhere can (?:i|we) go\b|\bwhere (?:does|do) (?:this|that|these|the) (?:path|road|way|lane|street|stair|step"
    r"|door|passage|tunnel|trail|track|rut|footprint)s? (?:go|lead|end)\b"
)


def perceived(play: Play, who: str, text: str, about: frozenset[str]) -> str:
    """What the senses tell that a look is about; empty where it is about something else: `about` are its stems."""
    if _EXITS.search(text):
        return exits(play)
    if _WINDOW.search(text):
        return _view(play, who)
    for sense, asks, words in _SENSES:
        if asks.search(text) and not about - words - _PLAIN:
            return _sensed(play, who, sense, words)
    return ""


_PLAIN = stems(
    "listen hear noise sound smell sniff stench look watch night air around room place village people quiet good bad"
    " nice awful strange odd funny like here stop stand still water river sea wind weir rain"
)


def _sensed(play: Play, who: str, sense: str, words: frozenset[str]) -> str:
    known = play.known
    label = {"heard": "sound", "smelt": "smell", "sky": "sky"}[sense]
    owners = [each.id for each in (known.spot, known.place) if each is not None]
    facts = [f for owner in dict.fromkeys(owners) for f in known.fresh(owner, "sense", "part")]
    found = next((f for f in facts if label in stems(f.label)), None)
    found = found or next((f for f in facts if words & stems(f.text) and not _labelled(f)), None)
    if found is not None:
        return play.tell(found)
    if sense == "sky":
        return play.line("sense.sky", who=play.name(who), time=daytime.DAY[daytime.now(play) % len(daytime.DAY)])
    return play.line(f"sense.{sense}", who=play.name(who))


def sound_of(play: Play, entity: Entity) -> str:
    """What is to be heard of a thing or a place, told again where it was told; empty where nothing is."""
    words = _SENSES[0][2]
    for fact in play.world.of.get(entity.id, ()):
        if fact.kind in ("part", "sense") and words & stems(fact.text) and not play.known.closed(fact):
            return play.tell(fact) if fact.id not in play.memory.told else ended(fact.text)
    return ""


def _labelled(fact: Fact) -> bool:
    """Whether a sentence is said to be for another sense: the smells of a place are not heard."""
    return bool(stems(fact.label) & stems("sights sounds smells feeling"))


def _view(play: Play, who: str) -> str:
    """What is to be seen out of a window: what shows of the place, and not of the room."""
    known = play.known
    if not indoors(play):
        return ""
    owners = [known.place.id] if known.place is not None else []
    owners += [part.id for part in known.parts if part is not known.spot]
    for owner in owners:
        facts = known.fresh(owner, "sense") if owner == owners[0] else known.fresh(owner, "part")[:1]
        facts = [fact for fact in facts if not stems(fact.label) & stems("sounds smells feeling")]
        if facts:
            return f"{play.line('sense.window', who=play.name(who))} {play.tell(facts[0])}"
    return play.line("sense.window.told", who=play.name(who))


def exits(play: Play) -> str:
    """Which ways lead on from here: the parts of this place, those not yet seen first, and the places beyond."""
    known = play.known
    parts = sorted((part for part in known.parts if part is not known.spot), key=lambda part: been(play, part))
    far = [each.the for each in known.entities if each.kind == "place" and each is not known.place][:3]
    near = listed([part.the for part in parts if not company.lies(part)][:4])
    told = [play.line("exits.near", places=near)] if near else []
    told += [play.line("exits.far", places=listed(far))] if far else []
    for part in parts[:4]:
        play.note(f"seen {part.id}")
    return " ".join(told) or play.line("go.nowhere")
