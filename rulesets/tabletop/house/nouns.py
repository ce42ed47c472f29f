"""The noun that a clause is about: the first that it names with an article."""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.rules.lore.language import stem, words

_HEAD = re.compile(
    r"(?i)\b(?:the|an?|my|our|his|her|their|its|this|that|these|those|some|any|one of the)\s+"
    r"((?:[\w'-]+ ){0,3}?[\w'-]+)(?=\s+(?:of|from|off|on|in|into|at|with|which|who|to|under|behind|before|while|out|up"
    r"|down|an?|open|shut|aside|apart|over|round|onto|above|below|beside|near|by|for|and|or|but|as|so|look|looks|smell|smells|sound|sounds|feel|feels|through|along|across|around|against|until|if|closely"
    r"|carefully|again|is|was|are|were|does|did|has|had|can|could|will|would|inside|outside|here|there|more|they|we|i"
    r"|he|she|it)\b|\W*$|[.,;:!?])"
)


def head_of(clause: str) -> str:
    """The stem of the first noun that a clause names; empty where it has none."""
    found = _headed(clause)
    nouns = [word for word in words(found[1]) if not word.endswith("ly")] if found else []
    return stem(nouns[-1]) if nouns else ""


def _headed(clause: str) -> re.Match[str] | None:
    """The first noun of a clause with what stands before it; a look at something is no noun."""
    return next((each for each in _HEAD.finditer(clause) if not _GLANCE.search(each[1])), None)


_GLANCE = re.compile(r"(?i)\b(?:look|peek|glance)$")


def noun_phrase(clause: str) -> str:
    """The first noun that a clause names, with its article: `the brass key`; empty where it has none."""
    found = _headed(clause)
    return f"the {found[1].lower()}" if found and head_of(clause) else ""
