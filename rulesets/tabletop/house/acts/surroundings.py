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


_LABEL = re.compile(r"^[A-Z][A-Za-z' ]{2,28}: (?=[A-Z])")


def told_of(play: Play, noun: str) -> str:
    """The sentence with a noun that the party has read or been told, each time another; empty without any."""
    if not noun:
        return ""
    papers = play.known.papers
    told = [play.world.facts[key].text for key in play.memory.told if key in play.world.facts]
    for text in (*told, *sentences(papers.now), *(fact.text for fact in (*papers.before, *papers.facts))):
        mark = f"named {noun} {stem(words(text)[0]) if words(text) else ''}{len(text)}"
        if noun in stems(text) and mark not in play.memory.done:
            play.note(f"done {mark}")
            return ended(to_you(_LABEL.sub("", text)))
    return ""


def keeper_of(play: Play, sentence: str) -> Entity | None:
    """Who is named by a sentence about a place: the one to be found there."""
    people = [each for each in found_by(sentence, play.known.entities) if each.kind == "person" and not each.gone]
    return people[0] if people else None


_NAME = r"(?-i:[A-Z][\w'-]+(?: (?:and |of |the |& )?[A-Z][\w'-]+)*)"
_TO = re.compile(
    r"(?i)\b(?:to|into|in|inside|towards?|(?:look|peek|glance) at|reach|enter|visit|find|follow|onto|over|across"
    r"|past|along|up|down) "
    r"(the|an?|that|this|its|their) ("
    + _NAME
    + r"|(?:[\w'-]+ ){0,3}?[\w'-]+)(?=\W*$|,| (?:and|to|with|for|at|in|from|where|that|which|again|together"
    r"|alone|slowly|quietly"
    r"|quickly|upstream|downstream|upriver|downriver)\b)"
)


def destination(text: str) -> str:
    """Where a plain sentence leads, in its own words: `the bridge`; empty where it names nothing."""
    found = _TO.search(text)
    return f"{'the' if found[1].lower() == 'the' else found[1].lower()} {found[2]}" if found else ""
