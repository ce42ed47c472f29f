"""Sentences of house players in plain English: a clause, with what leads up to it and what follows from it.

A clause says the matter of a topic in one of several ways. A lead and a tail come from everybody's or from the
persona's own. Together they make many thousands of frames. A frame is a sentence with the names taken out; a player
does not use one twice in a game, as long as there are others.
"""

from __future__ import annotations

import random as random_module
import re
from collections.abc import Mapping
from functools import lru_cache

from sottovoce.agents.house.phrases import Phrase, load
from sottovoce.domain.spellings import roster

BOOK = load("sottovoce.rulesets.mafia.house", "plain.txt").topics
LED = 0.6
FOLLOWED = 0.5
OWN = 0.5
"""How often a clause has a lead, how often a tail, and how often these are the persona's own."""
TRIES = 14
LOOSE = frozenset(
    "hanged spared_mafia named vouched shielded was_spared victim_named victim_voted accused_me nominated_me trial_me "
    "false_claim rival copied found slipped refuted lied_of_me result_by silent echo back shield mourn quiet "
    "rope_town rope_mafia spared_day idle_day count edge hunch suspect firm changed propose deny trust look "
    "good_execute good_spare good_name by_whom".split()
)
"""Topics whose clauses can have a lead and a tail; those of `UNLED` a tail only, and of `LED_ONLY` a lead."""
UNLED = frozenset({"suspect", "firm"})
LED_ONLY = frozenset({"plea"})
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_FIRST = re.compile(r"^[a-z]")
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
    used: frozenset[str] | set[str],
    names: tuple[str, ...],
) -> str:
    """What is to be said on a topic, in a frame that is not among those used, if a few tries find one."""
    text = ""
    for _ in range(TRIES):
        text = _made(topic, slots, persona, random)
        if not any(frame in used for frame in frames(text, names)):
            break
    return text


def _made(topic: str, slots: Mapping[str, str], persona: str, random: random_module.Random) -> str:
    clause = _lowered(random.choice(BOOK[topic]).render(slots, random), slots)
    lead = tail = ""
    if ((topic in LOOSE and topic not in UNLED) or topic in LED_ONLY) and random.random() < LED:
        lead = _part("lead", persona, random)
    if topic in LOOSE and clause[-1] not in ".!?" and random.random() < FOLLOWED:
        tail = _part("tail", persona, random)
        if tail.startswith(",") and "," in clause:
            tail = ""  # one afterthought is enough
    text = lead + clause + tail
    if text[-1] not in ".!?":
        text += "."
    text = _FIRST.sub(lambda hit: hit.group().upper(), text)
    return _AFTER.sub(lambda hit: hit[1] + hit[2].upper(), text)


def _lowered(clause: str, slots: Mapping[str, str]) -> str:
    """A clause as it stands behind a lead: its first letter small, unless it is "I" or begins a name or a role."""
    if clause.startswith(tuple(slots.values())) or re.match(r"I\b", clause):
        return clause
    return clause[:1].lower() + clause[1:]


def _part(kind: str, persona: str, random: random_module.Random) -> str:
    own = BOOK.get(f"{kind}.{persona}")
    phrases: tuple[Phrase, ...] = own if own and random.random() < OWN else BOOK[kind]
    text = random.choice(phrases).render({}, random)
    return _lowered(text, {}) + (" " if kind == "lead" else "")
