"""Sentences of house players in plain English: a clause on a topic, in one of several registers.

A topic has clauses that anybody may use, and some topics more for each register (`topic@register`). A persona talks in
one register, and now and then begins with a lead of its own. A frame is a sentence with the names taken out; a player
does not use one twice in a game, nor one that somebody else has used, as long as there are others.
"""

from __future__ import annotations

import itertools
import random as random_module
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate

from sottovoce.agents.house.phrases import load
from sottovoce.domain.spellings import roster

BOOK = load("sottovoce.rulesets.mafia.house", "plain.txt").topics
OWN = 0.45
"""How often a clause is in the register of the persona, where the topic has such clauses."""
LED = 0.1
"""How often a fact begins with a lead of the persona's own; each lead once in a game at most."""
WORD = 0.12
"""How often a sentence begins with a word such as "well"."""
FOLLOWED = 0.5
"""How often something short follows a clause that leaves room for it."""
TRIES = 24
DRAFTS = 4
"""How many unused sentences are weighed against each other: the one that says least over again is said."""
REGISTERS: Mapping[str, tuple[str, ...]] = {
    "blunt": ("hothead", "soldier", "sailor", "farmer"),
    "mild": ("cautious", "coward", "pious", "grandmother"),
    "sharp": ("wit", "lawyer", "analyst", "gravedigger"),
    "colorful": ("gossip", "drunk", "poet", "actress"),
}
"""The personas that talk in each register."""
REGISTER_OF = {persona: register for register, personas in REGISTERS.items() for persona in personas}
FACTS = frozenset(
    "hanged spared_mafia named vouched shielded kept_by friend_of sided was_spared victim_named victim_voted "
    "accused_me nominated_me trial_me lied_of_me result_by scatter swung passed spared_day idle_day echo silent "
    "refuted".split()
)
ACCUSING = frozenset("suspect hunch firm back look asked asked.again turned turned.none".split())
ANSWERING = frozenset({"answer", "answer.firm", "deny"})
JOINED = ("so ", "and ", "but ", "which ", "okay", "well", "look", "honestly", "right", "see")
"""How clauses begin that no word can stand before."""
WORDED = FACTS | ANSWERING | {"suspect", "hunch", "plea", "turned.none", "mourn", "quiet", "rope_town", "count"}
"""Topics of facts, accusations and answers, which have tails of their kind, and those that can begin with a word."""
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_BROKEN = re.compile(r"[.!?:]")
"""Clauses of more than one piece, which stand by themselves."""
_FIRST = re.compile(r"^[a-z]")
_WORD = re.compile(r"[\w'’]+|·")
_AFTER = re.compile(r"([.!?] )([a-z])")


@lru_cache(maxsize=4096)
def frames(text: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """The frame of each sentence of a text at a table with these names."""
    pattern, _ = roster(names)
    masked = pattern.sub("·", text.casefold())
    return tuple(sentence.rstrip(".!?") for sentence in _SENTENCE.split(masked) if sentence)


def sentence(
    topic: str,
    slots: Mapping[str, str],
    persona: str,
    random: random_module.Random,
    used: set[str],
    own: Collection[str],
    names: tuple[str, ...],
) -> str:
    """What is to be said on a topic, in a frame that nobody has used, or else one that is not among the `own`."""
    drawn = 0

    def made() -> str:
        nonlocal drawn
        drawn += 1
        text = _made(topic, slots, persona, random, used)
        if drawn <= TRIES or text.casefold().startswith(JOINED):
            return text
        return _begun(text, slots, random)

    return fresh(made, used, own, names, 2 * TRIES, DRAFTS)


def fresh(
    made: Callable[[], str],
    used: set[str],
    own: Collection[str],
    names: tuple[str, ...],
    tries: int = TRIES,
    drafts: int = 1,
) -> str:
    """A text in frames that are not among those used, if so many tries make one; its frames are used from then on.

    Of several drafts it is the one with the smallest share of pairs of words that stand in the frames used.
    """
    spare = ""
    unused: dict[str, None] = {}
    for _ in range(tries):
        text = made()
        found = frames(text, names)
        if used.isdisjoint(found):
            unused[text] = None
            drafts -= 1
            if drafts <= 0:
                break
        elif not unused:
            spare = spare if spare or any(frame in own for frame in found) else text
    text = _freshest(list(unused), used, names) or spare or text
    used.update(frames(text, names))
    return text


def _freshest(drafts: Sequence[str], used: Collection[str], names: tuple[str, ...]) -> str:
    """The draft with the smallest share of pairs of words that were used before; nothing if there is no draft."""
    if len(drafts) < 2:
        return drafts[0] if drafts else ""
    worn = set[tuple[str, str]]().union(*map(_pairs, used))

    def share(text: str) -> float:
        pairs = [pair for frame in frames(text, names) for pair in _pairs(frame)]
        return sum(pair in worn for pair in pairs) / max(1, len(pairs))

    return min(drafts, key=share)


@lru_cache(maxsize=4096)
def _pairs(frame: str) -> tuple[tuple[str, str], ...]:
    """Each word of a frame with the one behind it."""
    return tuple(itertools.pairwise(_WORD.findall(frame)))


def _made(
    topic: str, slots: Mapping[str, str], persona: str, random: random_module.Random, used: Collection[str]
) -> str:
    own = BOOK.get(f"{topic}@{REGISTER_OF[persona]}")
    phrases = own if own and random.random() < OWN else BOOK[topic]
    text = random.choices(phrases, cum_weights=_weights(topic, own is phrases, persona))[0].render(slots, random)
    if not _BROKEN.search(text):
        text = _led(topic, text, slots, persona, random, used) + _tail(topic, text, slots, random)
    if text[-1] not in ".!?":
        text += "."
    text = _FIRST.sub(lambda hit: hit.group().upper(), text)
    return _AFTER.sub(lambda hit: hit[1] + hit[2].upper(), text)


@lru_cache(maxsize=4096)
def _weights(topic: str, own: bool, persona: str) -> tuple[float, ...]:
    """The weights of a topic's phrases, added up: more for those with more alternatives, so that few come again."""
    phrases = BOOK[f"{topic}@{REGISTER_OF[persona]}" if own else topic]
    return tuple(accumulate(1 + sum(len(part) - 1 for part in phrase.parts) / 4 for phrase in phrases))


def _led(
    topic: str,
    text: str,
    slots: Mapping[str, str],
    persona: str,
    random: random_module.Random,
    used: Collection[str],
) -> str:
    """The clause behind a lead of the persona's own, or behind a word, or by itself."""
    roll = random.random()
    lead = ""
    if topic in FACTS and roll < LED:
        lead = random.choice(BOOK[f"lead.{persona}"]).render({}, random)
        lead = "" if any(frame.startswith(lead.casefold()) for frame in used) else lead
    elif topic in WORDED and roll > 1 - WORD and not text.casefold().startswith(JOINED):
        lead = random.choice(BOOK["word"]).render({}, random)
    return f"{lead} {_lowered(text, slots)}" if lead else text


def _tail(topic: str, text: str, slots: Mapping[str, str], random: random_module.Random) -> str:
    """What may follow a clause: an accusation that ends with a name, a fact or an answer without a comma."""
    if topic in ACCUSING:
        kind, room = "tail.accusing", text.endswith(slots["t"])
    elif topic in FACTS:
        kind, room = "tail.fact", "," not in text
    else:
        kind, room = "tail.answer", topic == "answer" and text.count(",") < 2
    if not room or random.random() > FOLLOWED:
        return ""
    return random.choice(BOOK[kind]).render(slots, random)


def _begun(text: str, slots: Mapping[str, str], random: random_module.Random) -> str:
    """A sentence behind a word such as "well", which makes another frame of it."""
    begun = f"{random.choice(BOOK['word']).render({}, random)} {_lowered(text, slots)}"
    return _FIRST.sub(lambda hit: hit.group().upper(), begun)


def _lowered(clause: str, slots: Mapping[str, str]) -> str:
    """A clause as it stands behind a lead: its first letter small, unless it is "I" or begins a name or a role."""
    if clause.startswith(tuple(filter(None, slots.values()))) or re.match(r"I\b", clause):
        return clause
    return clause[:1].lower() + clause[1:]
