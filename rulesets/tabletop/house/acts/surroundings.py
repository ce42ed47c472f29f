"""What is here without a heading in the folder: named by the party's papers or tonight's telling, or carried."""

from __future__ import annotations

import re
from functools import lru_cache

from sottovoce.rulesets.tabletop.house.acts.topics import is_ordinary
from sottovoce.rulesets.tabletop.house.play import Play
from sottovoce.rulesets.tabletop.house.targets import Act
from sottovoce.rulesets.tabletop.house.telling import to_you
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity
from sottovoce.rulesets.tabletop.rules.lore.known import found_by
from sottovoce.rulesets.tabletop.rules.lore.language import ended, sentences, stem, stems, words

_KEPT = re.compile(
    r"(?im)^#+ [^\n]*\b(?:secrets?|hidden|private|gm|notes?)\b[^\n]*\n(?:(?!#)[^\n]*\n?)*"
    r"|^[^\n]*\*\*[^*\n]*\b(?:secrets?|hidden|private|gm)\b[^\n]*$"
)
"""What a sheet keeps to itself: nothing that the table hears depends on it."""


@lru_cache(maxsize=64)
def _kit(text: str) -> frozenset[str]:
    return stems(_KEPT.sub("", text))


def carries(play: Play, who: str, noun: str) -> bool:
    """Whether somebody has such a thing: by the sheet, or taken tonight. `noun` is a stem."""
    sheet = play.table.sheet(who)
    armed = {word for name, _, _ in sheet.weapons for word in stems(name)}
    taken = {word for key in play.memory.carries for word in stems(key.replace("-", " "))}
    return noun in _kit(sheet.text) | armed | taken


_ITS = re.compile(r"(?i)\bits [a-z]")
"""A part of something that is here."""


def is_there(play: Play, who: str, act: Act) -> bool:
    """Whether the thing that a deed names is here: what any place has, what was told of, or what one carries."""
    return (
        is_ordinary(act)
        or _ITS.search(act.text) is not None
        or was_named(play, act.head)
        or carries(play, who, act.head)
    )


def was_named(play: Play, noun: str) -> bool:
    """Whether the party has read or been told of such a thing. `noun` is a stem."""
    if not noun:
        return False
    read = {stem(word) for word in play.known.papers.words}
    return noun in read or re.search(rf"\b{re.escape(noun)}", play.table.worn) is not None


_BUILT = stems(
    "inn tavern house hall tower mill manor room loft chapel church temple shop store smithy hut cottage barn stable"
    " castle keep cellar kitchen attic library office station barracks shed cabin lodge workshop quarters dome archives"
    " clinic commissary stair stairs storage boathouse smokehouse lighthouse bakery forge palace shrine"
)
INNER = ("inside", "upstairs", "below")
"""Where one can stand in any house."""


def is_building(play: Play, spot: Entity) -> bool:
    """Whether one can go into a place: by the last word of its name, or by what a part is said to be."""
    name = words(spot.name.split(" of ")[0])
    return bool(name) and (stem(name[-1]) in _BUILT or bool(what_it_is(play, spot) & _WHAT_ONE_IS))


def what_it_is(play: Play, part: Entity) -> frozenset[str]:
    """The stems with which the first two open sentences of a part say what it is: `The only inn, low and warm`."""
    facts = [f for f in play.world.of.get(part.id, ()) if f.kind == "part"][:2]
    begins = (_UP_TO.split(f.text)[0] for f in facts if part.kind == "part" and not play.known.closed(f))
    return frozenset(stem(word) for text in begins for word in words(text) if len(word) > 2 and word != "inner")


_UP_TO = re.compile(
    r"[,;:]| (?:on|in|at|of|with|behind|under|above|around|where|that|who|which|stands?|hangs?|lies?|goes) "
)


_WHAT_ONE_IS = (_BUILT - stems("stairs hall")) | stems("building")


def indoors(play: Play) -> bool:
    """Whether the party stands in a house."""
    by = play.memory.by.rpartition("/")[2]
    if by in INNER or (by.startswith("the ") and stem(words(by)[-1]) in _BUILT):
        return True
    if by and not _FURNITURE.search(by):
        return False
    return play.known.spot is not None and is_building(play, play.known.spot)


_FURNITURE = re.compile(r"\b(?:bar|counter|fire|hearth|table|door|window|corner|curtain|bench|bed|stairs?)$")


def stands_by(play: Play) -> str:
    """How to call the spot where the party stands: `the inn`, where no heading has it, or the name."""
    by = play.memory.by
    own = next((each for each in reversed(by.split("/")) if each not in (*INNER, "outside", "")), "")
    spot = play.known.spot
    return own or (spot.the if spot is not None else "")


_LABEL = re.compile(r"^[A-Z][A-Za-z' ]{2,28}: (?=[A-Z])")


def has(text: str, noun: str) -> bool:
    """Whether a text has a noun, given as a stem: `inner` does not have the inn."""
    return any(stem(word) == noun and (len(noun) > 3 or word in (noun, f"{noun}s")) for word in words(text))


def told_of(play: Play, noun: str) -> str:
    """The sentence with a noun that the party has read, or been told here, each time another; empty without any."""
    if not noun:
        return ""
    papers, known = play.known.papers, play.known
    here = {each.id for each in (known.spot, known.place, *known.parts) if each is not None}
    facts = [play.world.facts[key] for key in play.memory.told if key in play.world.facts]
    facts = [fact for fact in facts if fact.owner in here and fact.kind not in ("trouble", "encounter")]
    told = [f.text for f in sorted(facts, key=lambda f: f.owner != play.memory.at)]
    read = [*sentences(papers.now), *(fact.text for fact in (*papers.before, *papers.facts))]
    read.sort(key=lambda text: len(piece_of(text, noun).split()) in (1, 2))  # what only lists it comes last
    for text in (*told, *read):
        mark = f"named {noun} {stem(words(text)[0]) if words(text) else ''}{len(text)}"
        if has(text, noun) and mark not in play.memory.done:
            play.note(f"done {mark}")
            return ended(to_you(_LABEL.sub("", text)))
    return ""


def piece_of(sentence: str, noun: str) -> str:
    """What a sentence says of one of the things that it lists: `one stone bridge`."""
    pieces = re.split(r"[,;:] |\.$| and (?=(?:an?|the|one|two|three) )", sentence)
    return next((each.strip() for each in pieces if has(each, noun) and len(each.split()) < 12), "")


def lies_at(play: Play, noun: str) -> Entity | None:
    """Where something lies that has no heading: where it was told of, here before elsewhere, and else where the evening
    began."""
    facts = [play.world.facts[key] for key in play.memory.told if key in play.world.facts]
    told = [
        play.entity(fact.owner) for fact in facts if noun and fact.kind in ("part", "sense") and has(fact.text, noun)
    ]
    found = [each for each in told if each is not None and each.kind in ("place", "part")]
    spot, place = play.known.spot, play.known.place
    here = next((each for at in (spot, place, *play.known.parts) for each in found if each is at), None)
    if here is not None or found:
        return here or found[0]
    first = next((line.partition(" ")[2] for line in play.memory.lines if line.startswith("at ")), "")
    return play.entity(first.partition("/")[0])


def keeper_of(play: Play, sentence: str) -> Entity | None:
    """Who is named by a sentence about a place: the one to be found there."""
    people = [each for each in found_by(sentence, play.known.entities) if each.kind == "person" and not each.gone]
    return people[0] if people else None


_NAME = r"(?-i:[A-Z][\w'-]+(?: (?:and |of |the |& )?[A-Z][\w'-]+)*)"
_TO = re.compile(
    r"(?i)\b(?:to|into|in|inside|towards?|(?:look|peek|glance) at|reach|enter|visit|see|find|follow|onto|over|across"
    r"|past|along|up|down) "
    r"(the|an?|that|this|its|their) ("
    + _NAME
    + r"|(?:[\w'-]+ ){0,3}?[\w'-]+)(?=\W*$|,| (?:and|to|with|for|at|in|from|where|that|which|again|together"
    r"|alone|slowly|quietly|we|i|before|while|because|since|now|then|first"
    r"|quickly|upstream|downstream|upriver|downriver)\b)"
)


def destination(text: str) -> str:
    """Where a plain sentence leads, in its own words: `the bridge`; empty where it names nothing."""
    found = _TO.search(text)
    return f"{'the' if found[1].lower() == 'the' else found[1].lower()} {found[2]}" if found else ""
