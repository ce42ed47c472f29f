"""What the characters did and said, as part of the GM's prose."""

from __future__ import annotations

import random as random_module
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sottovoce.agents.house.phrases import Phrasebook, say
from sottovoce.rulesets.tabletop.house.ledger import Done
from sottovoce.rulesets.tabletop.house.telling import in_third_person
from sottovoce.rulesets.tabletop.rules.phrases import asks_for_action, is_pass
from sottovoce.rulesets.tabletop.rules.state import TabletopState

MOODS = 0.4
"""How often a novel pauses for a word about the mood."""
LONGEST = 320
"""Characters that the prose takes over of one deed."""

_MECHANICS = re.compile(r"(?<!\s)\s*+\([^()]*+\)\s*+$")
_SENTENCE = re.compile(r".+?[.!?…][\"”’)*_]*(?=\s|$)", re.DOTALL)
_QUOTES = str.maketrans({'"': "’", "“": "‘", "”": "’"})


LABELLED = ("script", "screenplay", "labels", "labeled", "labelled", "attributed")
"""Dialogue formats in which a name stands before the words."""
REPORTED = ("reported", "indirect", "summary", "summarized", "summarised")
"""Those in which it is told that somebody spoke, and not what."""


@dataclass(frozen=True, slots=True)
class Manner:
    """How the session wants to be told: its narrative style, and what becomes of the characters' own words."""

    style: str
    dialogue: str

    @property
    def brief(self) -> bool:
        return self.style == "minimal"

    @property
    def labelled(self) -> bool:
        return self.style == "script" or self.dialogue in LABELLED

    @property
    def reported(self) -> bool:
        return self.dialogue in REPORTED and not self.labelled


def manner_of(state: TabletopState) -> Manner:
    """The manner that the session's options ask for."""
    return Manner(state.options.narrative_style.casefold(), state.options.dialogue_format.casefold())


def woven(
    deeds: Sequence[Done],
    names: Mapping[str, str],
    book: Phrasebook,
    random: random_module.Random,
    worn: str,
    manner: Manner,
) -> list[str]:
    """A paragraph for each deed, in the order in which they were done. `names` are the first names.

    What goes on inside somebody, and what two say to each other, is told as the others see it: that it happened. Told
    briefly, it is not told at all, and a deed in its first sentence alone. A novel has a word about the mood at times.
    """
    told = []
    pairs = set()
    for deed in deeds:
        text = trimmed(deed.text)
        if not text or is_pass(text) or asks_for_action(text):
            continue
        if deed.to:
            pair = frozenset((deed.character, deed.to))
            if pair in pairs:
                continue
            pairs.add(pair)
        if not (manner.brief and (deed.to or deed.inward)):
            told.append(_told(deed, text, names, book, random, worn, manner))
    if told and manner.style == "novel" and random.random() < MOODS:
        told.append(say(book["mood"], {}, random, worn))
    return told


def trimmed(text: str) -> str:
    """A deed as it can be told: on one line, without its mechanical notes, and cut after a sentence if it is long."""
    line = " ".join(text.split())
    line = _MECHANICS.sub("", line).lstrip("[(#>*-").strip()
    if len(line) <= LONGEST:
        return line
    kept = ""
    for sentence in _SENTENCE.finditer(line[: LONGEST + 2]):
        if len(kept) + len(sentence[0]) > LONGEST:
            break
        kept += sentence[0]
    return kept.strip() or f"{line[:LONGEST].rsplit(' ', 1)[0]} …"


def _told(
    deed: Done,
    text: str,
    names: Mapping[str, str],
    book: Phrasebook,
    random: random_module.Random,
    worn: str,
    manner: Manner,
) -> str:
    first = names.get(deed.character, deed.character)
    if manner.brief:
        sentence = _SENTENCE.match(text)
        text = sentence[0].strip() if sentence else text
    slots = {"who": first, "to": names.get(deed.to or "", deed.to or ""), "words": inner(text)}
    if deed.to or deed.inward:
        return say(book["spoke.to" if deed.to else "inward"], slots, random, worn)
    if manner.reported and (not is_told(text, first) or re.search(r"[\"“]", text)):
        return say(book["reported"], slots, random, worn)
    if manner.labelled:
        return f"{first.upper()}: {text}"
    if is_told(text, first):
        return text
    if re.match(r"(?:I|We) [a-z]", text) and (plain := in_third_person(text, first)) and not re.search(r"[\"“]", text):
        return plain
    return say(book["said" if text[0] in "\"“‘'" else "did"], slots, random, worn)


def is_told(text: str, first: str) -> bool:
    """Whether a deed is told of somebody, by name, and so can stand in the prose as it is."""
    return not text.startswith(("I ", "I’", "I'")) and bool(re.search(rf"\b{re.escape(first)}\b", text))


def inner(text: str) -> str:
    """A text to stand between double quotes: its own become single, and it ends like a sentence."""
    bare = text.strip()
    if len(bare) > 1 and bare[0] in '"“' and bare[-1] in '"”' and not re.search(r"[\"“”]", bare[1:-1]):
        bare = bare[1:-1].strip()
    bare = bare.translate(_QUOTES)
    return bare if bare[-1:] in tuple(".!?…—’") else f"{bare}."
