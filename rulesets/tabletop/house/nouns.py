"""The noun that a clause is about: the first that it names with an article."""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.rules.lore.language import stem, words

_HEAD = re.compile(
    r"(?i)\b(?:the|an?|my|our|his|her|their|its|this|that|these|those|some|any|one of the)\s+"
    r"((?:[\w'-]+ ){0,3}?[\w'-]+)(?=\s+(?:of|from|off|on|in|into|at|with|which|who|to|under|behind|before|while|out|up"
    r"|down|an?|open|shut|aside|apart|over|round|onto|above|below|beside|near|by|for|and|or|but|as|so|look|looks|smell"
    r"|smells|sound|sounds|feel|feels|through|along|across|around|against|until|till|when|where|that|than|then"
    r"|because|if|closely"
    r"|carefully|again|is|was|are|were|does|did|has|had|can|could|will|would|inside|outside|here|there|more|they|we|i"
    r"|he|she|it)\b|\W*$|[.,;:!?])"
)


def head_of(clause: str) -> str:
    """The stem of the first noun that a clause names; empty where it has none."""
    found = _headed(clause)
    nouns = [word for word in words(found[1]) if not word.endswith("ly") and word not in _HOW] if found else []
    return stem(nouns[-1]) if nouns else ""


_HOW = frozenset(
    "once twice thrice again hard now then too first well away back together alone instead loud quick slow please"
    " tonight"
    " today tomorrow yesterday still anyway myself ourselves straight doing".split()
)
"""Words behind a noun that say how or when."""


def _headed(clause: str) -> re.Match[str] | None:
    """The first noun of a clause with what stands before it; a look at something is no noun."""
    return next(
        (each for each in _HEAD.finditer(clause) if words(each[1])[-1:] and words(each[1])[-1] not in _LIGHT), None
    )


_LIGHT = frozenset(
    "look peek glance sip bite step bit lot closer good seat moment while worst best most rest few couple pair piece"
    " bunch"
    " kind sort sniff whiff listen swig gulp nap break breath go try shot".split()
)
"""Nouns that say how something is done, and not to what."""


def noun_phrase(clause: str) -> str:
    """The first noun that a clause names, with its article: `the brass key`; empty where it has none."""
    found = _headed(clause)
    return f"the {found[1].lower()}" if found and head_of(clause) else ""
