"""What is written on a paper that the party has with it, as far as the party's own papers tell of it."""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house.play import Play
from sottovoce.rulesets.tabletop.house.telling import to_you
from sottovoce.rulesets.tabletop.rules.lore.facts import Fact
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST, ended, stem, stems

PAPER = re.compile(
    r"(?i)\b(writ|letters?|orders?|warrants?|contracts?|notes?|papers?|notices?|charter|commission|deed|summons"
    r"|message|scrolls?|map|will)\b"
)
"""What can be read out."""
_WRITES = re.compile(
    r"(?i)\b(?:wrote|writes|asks? (?:us|you)|asked (?:us|you)|sends? (?:us|you)|says|said|letter|bids|orders?"
    r"|charges?)\b"
)
_ORDERS = re.compile(r"(?i)\b(?:writ|orders?|warrant|contract|charter|commission|summons|papers?)\b")
_LABEL = re.compile(r"^[A-Z][A-Za-z' ]{2,28}: (?=[A-Z])")


def read_out(play: Play, text: str) -> str:
    """What the paper says that a text names; empty where nobody has been told of it."""
    found = PAPER.search(text[:LONGEST])
    if found is None:
        return ""
    papers = play.known.papers
    facts = list({_bare(fact): fact for fact in (*papers.before, *papers.facts)}.values())
    told = [*_sentences_of(papers.now), *map(_bare, facts)]
    noun = stem(found[1].casefold())
    own = [each for each in told if noun in stems(each) and _WRITES.search(each)]
    writers = {word for each in own for word in re.findall(r"(?<!^)\b[A-Z][\w'-]+", each)}
    lines = [
        each
        for each in told
        if each in own or (_WRITES.search(each) and writers & {*re.findall(r"[A-Z][\w'-]+", each)})
    ]
    if not lines and _ORDERS.search(found[1]):
        lines = [_bare(fact) for fact in papers.before[:3]]
    lines = list(dict.fromkeys(lines))[:3]
    return " ".join(ended(to_you(each)) for each in lines)


def _bare(fact: Fact) -> str:
    return _LABEL.sub("", fact.text)


def _sentences_of(text: str) -> list[str]:
    return [each for each in re.split(r"(?<=[.!?])\s+", text) if each]
