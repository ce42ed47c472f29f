"""What a companion thinks: what it wants most, what it is for and against, and why, out of its own sheet and eyes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from sottovoce.agents.house.phrases import load
from sottovoce.rulesets.tabletop.house.grammar import parse
from sottovoce.rulesets.tabletop.house.player import Player
from sottovoce.rulesets.tabletop.house.targets import Scene
from sottovoce.rulesets.tabletop.house.telling import is_clause
from sottovoce.rulesets.tabletop.rules.lore.language import STOP, sentences, stems, words
from sottovoce.rulesets.tabletop.rules.lore.sheets import Sheet

ASKED = "You are asked:"
"""How a request opens that passes on the words of one of the party."""

_WANTS: Mapping[str, re.Pattern[str]] = {
    "care": re.compile(r"protect|kind|heal|merc|suffer|compassion|gentl|care\b|caring|friend|child|comfort|feed|warm"),
    "truth": re.compile(r"truth|honest|knowledge|evidence|understand|question|curio|learn|stud|record|why\b|book"),
    "caution": re.compile(r"wary|careful|caution|safe|patien|watch|exit|suspicio|quiet|trap|listen|count"),
    "deed": re.compile(r"\bact\b|bold|direct|free|restless|impatien|defend|fight|first|strike|shout|loud|risk"),
    "duty": re.compile(r"duty|order|law|oath|promis|tradition|respect|debt|owed?\b|honou?r|family|serve"),
}
_LIKES: Mapping[str, Mapping[str, float]] = {
    want: {kind: int(value) / 10 for kind, _, value in (each.partition("=") for each in listed.split())}
    for want, listed in {
        "care": "attack=-10 threaten=-10 lie=-4 help=10 give=7 rest=5 talk=5 take=-6 wait=4 go=-4",
        "truth": "look=8 search=10 ask=10 lie=-10 attack=-7 threaten=-4 hide=-4 show=6 talk=6 use=6 wait=-4 go=5",
        "caution": "wait=10 hide=10 go=-5 attack=-10 show=-9 give=-9 talk=-4 lie=5 search=3 threaten=-6 use=-6 take=-5",
        "deed": "go=10 attack=6 wait=-10 rest=-8 threaten=6 use=7 search=4 hide=-6 ask=-3 take=6 give=4",
        "duty": "talk=8 lie=-10 attack=-8 threaten=-7 take=-10 give=6 help=7 show=7 hide=-7 ask=4 go=4 wait=5",
    }.items()
}
"""How much somebody who wants that is for each kind of act."""


def want_of(sheet: Sheet) -> str:
    """What the character wants most, counted from its sheet."""
    own = [sheet.fields.get(name, "") for name in ("ideal", "bond", "flaw", "demeanor", "motivation")]
    text = " ".join((*own, *sheet.traits, *sheet.sayings)).casefold() or sheet.text.casefold()
    counts = {want: len(pattern.findall(text)) for want, pattern in _WANTS.items()}
    # words that any sheet has count for less
    weights = {"care": 1.1, "truth": 0.8, "caution": 1.0, "deed": 0.9, "duty": 1.0}
    turn = sum(map(ord, sheet.name)) % 5
    return max(counts, key=lambda want: (counts[want] * weights[want], (list(counts).index(want) + turn) % 5))


def acts_in(text: str) -> list[str]:
    """The kinds of act that a text speaks of."""
    text = re.sub(
        r"(?i)\b(?:should|shall|do you think|don't you think|would you|will you) (?:we|i|that we)?\b", "we ", text
    )
    plain = re.sub(r"[?]", ".", text)
    plain = re.sub(r"^[A-Z][\w'’-]+ (?=[a-z]+s\b)", "", plain)
    return [act.kind for act in parse(plain, Scene((), {}))]


def liking(sheet: Sheet, text: str) -> float:
    """How much the character is for what the text would have done."""
    likes = _LIKES[want_of(sheet)]
    return max((likes.get(kind, 0.0) for kind in acts_in(text)), key=abs, default=0.0)


def stance(player: Player, text: str) -> str:
    """For or against, with a reason that it has not given yet; empty where it is all one to it."""
    value = liking(player.sheet, text)
    if abs(value) < 0.5:
        return ""
    return player.fresh(f"{want_of(player.sheet)}.{'for' if value > 0 else 'against'}")


def preferred(player: Player, options: Sequence[str]) -> str:
    """The option that the character likes best."""
    return max(options, key=lambda option: (liking(player.sheet, option) + player.random.random() * 0.6, option))


_QUOTED = re.compile(r"“[^”“]*”")
_MARKS = tuple(
    dict.fromkeys(
        mark
        for file in ("open_evening.txt", "answers.txt", "errands.txt")
        for phrases in load("sottovoce.rulesets.tabletop.house", file).topics.values()
        for phrase in phrases
        for part in phrase.parts
        for alternative in part
        for piece in re.split(r"\{\w+\}|[“”]|(?<=[.!?]) ", alternative)
        if len(mark := piece.strip(" ,.!?;:").casefold()) > 13
    )
)
"""The fixed words of the game master's own phrases."""


@lru_cache(maxsize=4096)
def of_the_table(sentence: str) -> bool:
    """Whether a sentence is only how the game master puts things, and says nothing of this campaign."""
    low = sentence.casefold()
    return any(mark in low for mark in _MARKS)


def outside(text: str) -> list[str]:
    """The sentences of what was told that nobody speaks."""
    parts = _QUOTED.split(text)
    found = [sentence for part in parts for sentence in sentences(part)]
    return [each for each in found if each[:1].isupper() and not re.match(r"(?i)(?:says|asks)\b", each)]


def noted(text: str) -> list[str]:
    """The sentences of a paper, item by item and without its headings."""
    lines = [line.strip(" -*\t") for line in text.splitlines() if not line.lstrip().startswith("#")]
    return [sentence for line in lines for sentence in sentences(line)]


_OF_US = (
    (re.compile(r"\b[Yy]ou were\b"), "we were"),
    (re.compile(r"\b[Yy]ou are\b"), "we are"),
    (
        re.compile(
            r"\b(asked|gives?|gave|sends?|sent|tells?|told|brings?|brought|brings|let|warns?|to|at|of|for|with"
            r"|before|behind|around|from|near) you\b"
        ),
        r"\1 us",
    ),
    (re.compile(r"\b[Yy]our\b"), "our"),
    (re.compile(r"\b[Yy]ou\b"), "we"),
)


def to_us(text: str) -> str:
    """What was told to the party, as one of it says it to the others."""
    for pattern, instead in _OF_US:
        text = pattern.sub(instead, text)
    return text[:1].upper() + text[1:]


def seen(player: Player, about: frozenset[str], said: str = "") -> str:
    """A sentence of what the character saw, heard or read that has to do with it; one that it has not used yet.

    With `said`, it has one of those words in it, and not only one that is akin to it.
    """
    wanted = {word.removesuffix("s") for word in words(said) if len(word) > 2} - STOP
    scored: list[tuple[int, int, str]] = []
    for place, text in enumerate(player.heard):
        for sentence in outside(text) if place else noted(text):
            shared = len(about & stems(sentence))
            if wanted and not wanted & {word.removesuffix("s") for word in words(sentence)}:
                continue
            if (
                shared
                and 25 < len(sentence) < 150
                and not re.search(r"[“”\"*()]|^[\w' ]{2,28}:", sentence)
                and sentence.casefold() not in player.worn
                and to_us(sentence).casefold() not in player.worn
                and not re.search(r"\b(?:tells|asks|shows) you\b", sentence)
                and (place or is_clause(sentence))
                and not sentence.startswith(tuple(player.firsts))
                and not (place and of_the_table(sentence))
            ):
                scored.append((shared, place, sentence))
    if not scored:
        return ""
    shared, _, sentence = max(scored)
    return to_us(sentence) if shared >= min(2, len(about)) else ""
