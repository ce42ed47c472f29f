"""Ways that are said without a place's name: in, out, up, down, on, back, behind something and across it."""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house.acts.places import arrive, been
from sottovoce.rulesets.tabletop.house.acts.surroundings import (
    INNER,
    indoors,
    is_building,
    lies_at,
    stands_by,
    was_named,
)
from sottovoce.rulesets.tabletop.house.acts.topics import deed_of, is_ordinary
from sottovoce.rulesets.tabletop.house.play import Play, capital
from sottovoce.rulesets.tabletop.house.targets import Act
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity
from sottovoce.rulesets.tabletop.rules.lore.known import found_by
from sottovoce.rulesets.tabletop.rules.lore.language import listed, stem, stems, words

_A = r"(?:the|an?|that|this|those|these|our|my|his|her|their|its)"
_WAYS = (
    (
        "across",
        rf"\b(?:across|over|cross|ford|swim|jump|climb|scramble|leap|vault)\b(?: \w+)? {_A} "
        r"(?:[\w'-]+ ){0,2}(?:wall|fence|hedge|bridge|river|stream|gate|ditch|brook|creek|water|ford|barrier|square"
        r"|street|road|yard|field|meadow|dam|weir|canal|railing|ridge|hill)s?\b"
        r"|\b(?:far|other|opposite) side of (?:the|this|that) (?:\w+ )?(?:bridge|river|wall|fence|street|square"
        r"|road|stream)\b"
        r"|\b(?:across|over) it\W*$|\bcross(?: it| over)?\W*$|\bacross\W*$",
    ),
    (
        "behind",
        r"\b(?:behind|a?round (?:the )?back|to the (?:back|rear|other side)|a?round (?:the|that|this|a) corner)\b",
    ),
    (
        "back",
        r"\bthe way (?:we|i) (?:came|come|went)\b|\bwhere (?:we|i) (?:came|come|were|was|started|just)\b|\bretrace\b"
        r"|\bturn(?:ing)? (?:back|around|round)\b|\bback(?: (?:again|now|there|then|please|here|home))*\W*$"
        r"|\breturn\W*$|\bgo back\b(?! (?:in|out|up|down|to|inside|outside|over|across|through)\b)",
    ),
    (
        "out",
        r"\b(?:outside|outdoors|leave|leaving)\b|\b(?:get|go|step|walk|head|come|run|off|back|straight|way|slip|climb"
        r"|crawl|sneak|hurry|rush|storm|move)(?: \w+)? out\b|^\W*out\b|\bout (?:of|we|i|again|through)\b"
        r"|\b(?:get|go|move|run|walk) (?:\w+ )?away\b|\binto the (?:open|street|fresh air|air|daylight)\b|\bout\W*$",
    ),
    ("down", r"\b(?:climb|climbs|crawl) (?:back )?down\b"),
    ("up", r"\b(?:upstairs|up|climb|ascend)\b"),
    ("down", r"\b(?:downstairs|down|descend)\b|\bthrough (?:the|that|this|a) (?:trapdoor|hatch|hole)\b"),
    ("in", r"\b(?:inside|indoors|enter|in|into|through)\b"),
    (
        "on",
        r"\b(?:on|onwards?|further|farther|ahead|forwards?|follow|along|past|deeper|continue|proceed|keep going|next"
        r"|carry on|off we go|other|left|right|first|second|last|straight|west|east|north|south"
        r"|upstream|downstream|upriver|downriver|around|round)\b",
    ),
)
_READ = tuple((way, re.compile(rf"(?i){pattern}")) for way, pattern in _WAYS)


def said(text: str) -> str:
    """Which way a text says, without a name: `back`, `behind`, `across`, `out`, `up`, `down`, `in`, `on`, or none."""
    return next((way for way, pattern in _READ if pattern.search(text)), "")


def leads(play: Play, who: str, act: Act) -> list[str]:
    """Where a way without a name leads; empty where the text has none, or it goes on as it was said."""
    way = said(act.text)
    to = {
        "back": _back, "behind": _behind, "across": _across, "out": _out, "up": _up, "down": _down, "in": _in,
        "on": _on,
    }.get(way)  # fmt: skip
    return to(play, who, act) if to is not None else []


def _line(play: Play, topic: str, name: str) -> str:
    return play.line(topic, name=name, Name=capital(name))


def _back(play: Play, who: str, act: Act) -> list[str]:
    if play.memory.by:
        return _leave(play)
    before = play.entity(play.memory.before)
    if before is None or before is play.known.spot:
        return [_where(play)]
    return arrive(play, before, _line(play, "go.back", before.the))


def _leave(play: Play) -> list[str]:
    """From what has no heading back to where it lies."""
    outer = play.memory.by.rpartition("/")[0]
    spot = play.known.spot
    play.note(f"by {outer}")
    play.productive = True
    return [_line(play, "go.back", stands_by(play) if outer or spot is None else spot.the)]


def _out(play: Play, who: str, act: Act) -> list[str]:
    known = play.known
    spot, place = known.spot, known.place
    if play.memory.by.startswith(("outside", "behind", "across", "round")) and spot is place:
        return [_where(play) if _AWAY.search(act.text) else play.line("go.open")]
    if play.memory.by:
        inner = play.memory.by.rpartition("/")[2] in INNER
        left = play.memory.by.split("/")[0]
        play.note("by ")
        play.productive = True
        left = left if left not in INNER else spot.the if spot is not None else "it"
        if not inner or spot is None or not is_building(play, spot) or spot is place:
            return [play.line("go.outside", name=left, Name=capital(left))]
        spot = known.spot
    if spot is None or place is None:
        return []
    if not indoors(play) and spot is place and not _AWAY.search(act.text):
        return [play.line("go.open")]
    if _AWAY.search(act.text) and _PLACE.search(act.text) and (away := play.entity(place_before(play))) is not None:
        return arrive(play, away)
    whole = _ALL.search(act.text) or any(name in act.text.casefold() for name in place.names)
    if spot is not place and not (is_building(play, place) and whole):
        return arrive(play, place, play.line("go.out", name=place.the, Name=capital(place.the), left=spot.the))
    if is_building(play, place):
        if spot is not place:
            play.note(f"at {place.id}")
        play.note("by outside")
        play.productive = True
        return [play.line("go.outside", name=place.the, Name=capital(place.the))]
    before = play.entity(place_before(play))
    return arrive(play, before) if before is not None and _AWAY.search(act.text) else [_where(play)]


_PLACE = re.compile(r"(?i)\b(?:village|town|hamlet|city|settlement)\b")
_AWAY = re.compile(r"(?i)\b(?:leave|leaving|away|out of here)\b")


def place_before(play: Play) -> str:
    """The place where the party was before this one; the only other one that it has heard of, where it was nowhere."""
    here = play.known.place
    been_at = [
        line.partition(" ")[2].partition("/")[0] for line in reversed(play.memory.lines) if line.startswith("at ")
    ]
    heard = [each.id for each in play.known.entities if each.kind == "place"]
    found = [key for key in dict.fromkeys((*been_at, *heard)) if here is None or key != here.id]
    return found[0] if found else ""


_ALL = re.compile(r"(?i)\b(?:outside|outdoors|of here|away|open|street|air|daylight)\b")


_INDOORS = re.compile(r"(?i)\b(?:back|inside|indoors|enter|go in|step in|in we go)\b|^\W*in\W*$")
_THROUGH = re.compile(rf"(?i)\bthrough {_A} [\w'-]+(?: [\w'-]+)?(?=\W*$)")


def _in(play: Play, who: str, act: Act) -> list[str]:
    known, memory = play.known, play.memory
    spot, place = known.spot, known.place
    if spot is None or place is None:
        return []
    if (found := _THROUGH.search(act.text)) and not is_ordinary(act) and not was_named(play, act.head):
        return [play.line("go.none", way=found[0].lower())]
    inner = memory.by.rpartition("/")[2]
    if inner in ("outside", *INNER):
        if inner in INNER:
            return _on(play, who, act) if spot is not place else []
        play.note("by ")
    elif memory.by:
        play.note(f"by {memory.by}/inside")
        play.productive = True
        return [_line(play, "go.in", memory.by.split("/")[0])]
    if spot is place:
        doors = [part for part in known.parts if is_building(play, part) or is_building(play, place)]
        seen = play.entity(memory.eyes) or play.entity(memory.before)
        door = seen if seen in doors else doors[0] if is_building(play, place) and doors else None
        if door is None and is_building(play, place):
            return [_line(play, "go.in", place.the)]
        if door is None and len(doors) == 1:
            door = doors[0]
        if door is not None:
            return arrive(play, door, _line(play, "go.in", door.the))
        names = listed([each.the for each in doors[:3]], "or")
        return [play.line("go.in.where", places=names) if names else _where(play)]
    seen = play.entity(memory.eyes)
    if seen is not None and seen in known.parts and seen is not spot and is_building(play, seen):
        return arrive(play, seen, _line(play, "go.in", seen.the))
    if not is_building(play, spot) and re.search(r"(?i)\b(?:further|farther|deeper)\b", act.text):
        return [play.line("go.told", name=spot.the)]
    if not is_building(play, spot):
        spots = [play.entity(line.partition(" ")[2]) for line in reversed(memory.lines) if line.startswith("at ")]
        house = next(
            (each for each in spots if each is not None and each in known.parts and is_building(play, each)), None
        )
        if house is None or not _INDOORS.search(act.text):
            deed = deed_of(play, who, act)
            return [deed or play.line("go.none", way="in")]
        return arrive(play, house, _line(play, "go.back", house.the))
    play.productive = True
    play.note("by inside")
    facts = known.fresh(spot.id, "part", "sense")
    return [" ".join([_line(play, "go.in", spot.the), play.tell(facts[0]) if facts else ""]).strip()]


_HIGH = stems("stair stairs loft attic upper tower roof ladder upstairs gallery balcony hill")
_LOW = stems("cellar cellars basement crypt vault shaft below lower pond well")


def _up(play: Play, who: str, act: Act) -> list[str]:
    return _climb(play, who, act, "up", _HIGH, "upstairs")


def _down(play: Play, who: str, act: Act) -> list[str]:
    memory, spot = play.memory, play.known.spot
    if memory.by.rpartition("/")[2] == "upstairs":
        outer = memory.by.rpartition("/")[0]
        play.note(f"by {outer}")
        play.productive = True
        return [_line(play, "go.down", stands_by(play) if outer or spot is None else spot.the)]
    parts = list(play.known.parts)
    stairs = next((n for n, each in enumerate(parts) if _is_among(each, _HIGH)), None)
    below = play.known.place
    if spot is not None and spot in parts and stairs is not None and below is not None:
        before = play.entity(memory.before)
        if parts.index(spot) >= stairs and (parts.index(spot) == stairs or is_building(play, below)):
            below = before if before is not None and before in parts and not is_building(play, below) else below
            return arrive(play, below, _line(play, "go.down", below.the))
    return _climb(play, who, act, "down", _LOW, "below")


def _climb(play: Play, who: str, act: Act, way: str, ends: frozenset[str], there: str) -> list[str]:
    """Up or down: to the part of this place that lies there, and else into what any house has."""
    known = play.known
    spot = known.spot
    parts = list(known.parts)
    stairs = next((n for n, each in enumerate(parts) if _is_among(each, ends)), len(parts))
    at = parts.index(spot) if spot is not None and spot in parts else -1
    inside = known.place is not None and is_building(play, known.place)
    if at >= stairs and inside:
        after = parts[at + 1 :]
        if not after:
            return [play.line("go.none", way=way)]
        return arrive(play, after[0], _line(play, f"go.{way}", after[0].the))
    if not play.memory.by:
        part = next((each for each in parts if each is not spot and _is_among(each, ends)), None)
        if part is not None and inside and not known.fresh(part.id, "part") and part is not parts[-1]:
            part = parts[parts.index(part) + 1]
        if part is not None:
            return arrive(play, part, _line(play, f"go.{way}", part.the))
    if not indoors(play) or play.memory.by.rpartition("/")[2] in (there, "outside"):
        deed = deed_of(play, who, act)
        return [f"{deed} {play.line('go.leads.nowhere')}" if deed else play.line("go.none", way=way)]
    house = play.memory.by if play.memory.by.startswith("the ") else ""
    play.note(f"by {house}/{there}".replace("by /", "by "))
    play.productive = True
    return [play.line(f"go.{there}")]


def top(play: Play) -> Entity | None:
    """The last part of a house that has stairs."""
    parts = list(play.known.parts)
    return parts[-1] if any(_is_among(part, _HIGH) for part in parts) else None


def _is_among(part: Entity, ends: frozenset[str]) -> bool:
    return bool(ends & stems(part.name))


def _on(play: Play, who: str, act: Act) -> list[str]:
    return on(play, deed_of(play, who, act) if _TURN.search(act.text) else "")


_TURN = re.compile(r"(?i)\btake the\b")


def on(play: Play, deed: str = "") -> list[str]:
    """On to the next part of this place where nobody has been; and where there is none, what lies beyond is named."""
    known = play.known
    parts = [part for part in known.parts if part is not known.spot and not been(play, part)]
    if not parts:
        return [" ".join(each for each in (deed, _where(play)) if each)]
    own = list(known.parts)
    at = own.index(known.spot) if known.spot in own else -1
    part = next((each for each in own[at + 1 :] if each in parts), parts[0])
    return arrive(play, part, deed or _line(play, "go.on", part.the))


_OVER = re.compile(
    r"(?i)\b(?:across|over|cross|ford|swim|jump|climb|scramble|leap|vault|behind|back of|rear of|round|around"
    rf"|(?:other|far|opposite) side of)\b(?: \w+)?? ({_A} (?:[\w'-]+ ){{0,2}}?[\w'-]+)"
    r"(?=\W*$|,| (?:and|to|with|into|in|where|again|at)\b)"
)


def _object(text: str) -> str:
    """What a way leads over or behind: `the wall`."""
    found = _OVER.search(text)
    return re.sub(rf"(?i)^{_A} ", "the ", found[1]) if found else ""


def _across(play: Play, who: str, act: Act) -> list[str]:
    name = _object(act.text) or (play.memory.eyes if play.memory.eyes.startswith("the ") else "")
    noun = stem(words(name)[-1]) if words(name) else ""
    go_where(play, noun)
    deed = deed_of(play, who, act)
    if name and f"across {name}" == play.memory.by:
        play.note("by ")
        return [f"{deed} {play.line('go.across.back')}".strip()]
    beyond = lies_beyond(play, noun)
    if beyond is not None:
        return arrive(play, beyond, deed)
    play.note(f"by across {name or 'it'}")
    play.productive = True
    return [f"{deed} {play.line('go.across', name=name or 'it')}".strip()]


def _behind(play: Play, who: str, act: Act) -> list[str]:
    spot = play.known.spot
    name = _object(act.text)
    if not name or re.search(r" (?:back|rear|side)$", name):
        name = spot.the if spot is not None else "it"
    noun = stem(words(name)[-1])
    if name.endswith(" corner"):
        play.note("by round the corner")
        return [play.line("go.corner")]
    go_where(play, noun)
    beyond = lies_beyond(play, noun)
    if beyond is not None:
        return arrive(play, beyond, deed_of(play, who, act))
    play.note(f"by behind {name.removeprefix('behind ')}")
    play.productive = True
    return [_line(play, "go.behind", name)]


def go_where(play: Play, noun: str) -> Entity | None:
    """Go to the place in which a thing lies that the party was told of; where it came to, if it is another."""
    home = lies_at(play, noun) if noun and was_named(play, noun) else None
    around = (play.known.spot, play.known.place)
    if home is None or home in around:
        return None
    far = home is not play.known.place and home.parent != (play.known.place.id if play.known.place is not None else "")
    play.note(f"at {home.id}")
    play.note(f"clock {play.memory.clock + (2 if far else 0)}")
    return home


def lies_beyond(play: Play, noun: str) -> Entity | None:
    """What lies behind a thing, by what the party has read or been told: the orchard behind a wall."""
    if not noun:
        return None
    known = play.known
    told = [play.world.facts[key] for key in play.memory.told if key in play.world.facts]
    for fact in (*told, *known.papers.facts):
        found = re.search(r"(?i)^(.*?)\b(?:behind|beyond|across) (?:the|an?) ([\w' -]+)", fact.text)
        if found is None or noun not in stems(found[2]):
            continue
        own = play.entity(fact.owner)
        before = [
            each
            for each in known.entities
            if each.kind in ("place", "part") and stem(words(each.name)[-1]) in stems(found[1][-40:])
        ]
        place = next(reversed(before or found_by(found[1], known.entities)), own)
        if place is not None and place.kind in ("place", "part") and place is not known.spot:
            return place
    return None


def _where(play: Play) -> str:
    """Where one can go from here, by name."""
    known = play.known
    near = [part.the for part in known.parts if part is not known.spot]
    far = [e.the for e in known.entities if e.kind == "place" and e is not known.place]
    fresh = [part.the for part in known.parts if part is not known.spot and not been(play, part)]
    names = list(dict.fromkeys([*fresh, *far, *near]))[:4]
    return play.line("go.onward", places=listed(names, "or")) if names else play.line("go.nowhere")


__all__ = ["go_where", "leads", "lies_beyond", "on", "said"]
