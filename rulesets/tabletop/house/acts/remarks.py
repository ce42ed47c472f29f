"""What somebody makes of words that ask for nothing: a claim, an accusation, an order, a bargain, an insult.

The kinds of words are those of `utterances.py`; each has its answers in `remarks.txt`.
"""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house.acts.answers import in_words
from sottovoce.rulesets.tabletop.house.acts.everyday import offices_of
from sottovoce.rulesets.tabletop.house.acts.prices import SERVERS
from sottovoce.rulesets.tabletop.house.acts.questions import matter_of
from sottovoce.rulesets.tabletop.house.acts.topics import pool
from sottovoce.rulesets.tabletop.house.play import Play, capital
from sottovoce.rulesets.tabletop.house.utterances import is_said, kind_of, words_said
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST, words

_FEELING = {
    "accused": -1, "threatened": -1, "insulted": -1, "nothanks": -1, "promised": 1, "comforted": 1, "praised": 1,
    "sorry": 1, "thanked": 1, "apologised": 1,
}  # fmt: skip
"""What words of a kind change in somebody's liking, once an evening."""
_ORDERS = frozenset("hush speak hands show hand aid near join admit seat sing away stay serve ordered message".split())
"""What somebody who does not like the party does not do for it."""
_NAMING = frozenset("claimed saddened hand show".split())
"""Kinds whose answers can name what the words are about."""
_PERSONS = {"he": "him", "she": "her"}


def reacted(play: Play, person: Entity, text: str) -> str:
    """What somebody says to words that ask for nothing, with what they are about; empty for words of no kind."""
    own = frozenset(word for each in (*person.names, *person.offices) for word in words(each))
    kind = kind_of(text, own) or ("remark" if is_said(text) else "")
    if not kind:
        return ""
    said = words_said(text)
    _felt(play, person, kind)
    name = play.known.call(person)
    slots = {"name": name, "Name": capital(name)}
    if kind in _ORDERS and play.memory.liking[person.id] < 0:
        return play.line("favor.no", **slots)
    if kind in ("more", "speak") and (told := _goes_on(play, person)):
        return told
    if kind == "repeat" and (told := _again(play, person)):
        return told
    if kind == "none":
        word = (re.findall(r"(?i)\b(?:no ?one|nobody|nothing|never|nowhere|none|not [\w ]+)", said) or ["nothing"])[0]
        return play.line("none", Word=capital(word.strip().lower()), **slots)
    if kind == "message":
        return play.line("message", them=_third(play, said), **slots)
    if kind == "serve" and not offices_of(play, person) & SERVERS:
        return play.line("serve.not", **slots)
    if kind == "serve" and re.search(r"(?i)\b(?:rooms?|beds?|lodgings?|somewhere to sleep)\b", said):
        return play.line("lodge", **slots)
    if kind == "personal" and re.search(r"(?i)\b(?:hungry|starving|famished|thirsty|parched|eat an?)\b", said):
        return play.line("hungry" if offices_of(play, person) & SERVERS else "hungry.not", **slots)
    if kind == "sing" and re.search(r"(?i)\b(?:joke|riddle|story|tale|legend)", said):
        return play.line("joke.tell" if re.search(r"(?i)\b(?:joke|riddle)", said) else "tale", **slots)
    if kind == "found" and re.search(r"(?i)\b(?:nothing|nobody|no (?:one|sign|trace))\b|n't\b", said):
        return play.line("found.nothing", **slots)
    matter = matter_of(said[:LONGEST], own) if kind in _NAMING else ""
    matter = re.sub(r" (?:would|will|could|should|must|can|may|might)$", "", matter)
    if matter.startswith("his " if person.pronoun == "he" else "her ") and person.pronoun in _PERSONS:
        matter = f"my {matter.partition(' ')[2]}"
    if matter.startswith("your ") and kind == "claimed":
        return play.line("heard", **slots)
    if matter:
        return play.line(f"{kind}.of", matter=matter, Matter=capital(matter), **slots)
    return play.line(kind, **slots)


def _felt(play: Play, person: Entity, kind: str) -> None:
    if f"told {person.id}" not in play.memory.done:
        play.note(f"done told {person.id}")
        if _FEELING.get(kind, 1) > 0:
            play.like(person.id, 1)
    if kind in _FEELING and f"{kind} {person.id}" not in play.memory.done:
        play.note(f"done {kind} {person.id}")
        play.like(person.id, _FEELING[kind])


def _goes_on(play: Play, person: Entity) -> str:
    """The next thing that somebody can tell, where there is one of their own."""
    facts = [*pool(play, person), *play.known.fresh(person.id, "line")]
    fact = next((each for each in facts if each.owner == person.id), None)
    if fact is None:
        return ""
    play.tell(fact, capital(play.known.call(person)))
    return in_words(play, fact, person)


def _again(play: Play, person: Entity) -> str:
    """What somebody told last, said once more."""
    told = [play.world.facts[key] for key in play.memory.told if key in play.world.facts]
    fact = next((each for each in reversed(told) if each.owner == person.id and each.kind in ("knows", "line")), None)
    return in_words(play, fact, person) if fact is not None else ""


def _third(play: Play, said: str) -> str:
    """The pronoun of the one whom a message is for."""
    low = {*words(said)}
    other = next((each for each in play.known.entities if each.kind == "person" and low & each.names), None)
    if other is not None:
        return _PERSONS.get(other.pronoun, "them")
    return "her" if "her" in low else "him" if "him" in low else "them"
