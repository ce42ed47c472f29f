"""To persuade, to lie and to threaten: words that dice decide."""

from __future__ import annotations

import re
from dataclasses import replace

from sottovoce.rulesets.tabletop.house import company
from sottovoce.rulesets.tabletop.house.acts.answers import hearsay
from sottovoce.rulesets.tabletop.house.acts.places import seek
from sottovoce.rulesets.tabletop.house.acts.rolls import roll_of
from sottovoce.rulesets.tabletop.house.acts.speech import reached
from sottovoce.rulesets.tabletop.house.acts.topics import best, pool, topic_of
from sottovoce.rulesets.tabletop.house.play import Play, capital
from sottovoce.rulesets.tabletop.house.targets import Act
from sottovoce.rulesets.tabletop.house.telling import spoken
from sottovoce.rulesets.tabletop.rules.lore.language import stem, words
from sottovoce.rulesets.tabletop.rules.lore.lookup import HARD

_DEED = re.compile(
    r"(?i)\b(?:beg|ask|urge|persuade|convince|plead with|implore|want|need)s? (?:[\w'-]+ ){1,4}?"
    r"(?:to (?!tell|talk|say|speak|explain|answer|know|believe|trust|help us understand)\w+"
    r"|not to \w+|into (?!telling|talking)\w+ing)"
    r"|\bif you (?:hide|lend|let|bring|open|keep|take us|come with)\b|\bplease,? (?:help|let) (?:us|me|him|her|them)\b"
)
"""What somebody is to do, and not to tell."""
_OF_A_DEED = re.compile(
    r"(?i)\b(?:either you|if (?:you|he|she|they) (?:don't|do not|won't|doesn't|does not)) (?!talk\b"
    r"|tell\b|say\b|answer\b|speak\b|explain\b|start talking\b)\w+"
)
"""What a threat wants done, and not told."""


def persuade(play: Play, who: str, act: Act) -> list[str]:
    person = play.listener(act)
    if person is None:
        told = company.introduced(play, "comes.asked")
        return [play.line("talk.nobody", who=play.name(who)), told]
    found = seek(play, person)
    answer = reached(play, person)
    roll = roll_of(play, who, replace(act, target=person.id))
    if answer or roll is None:
        return [answer or play.line("talk.nobody", who=play.name(who))]
    fallen = play.rolled(roll)
    won = fallen is not None and fallen.total >= (roll.dc or HARD)
    intro = " ".join(part for part in (found, play.meet(person)) if part)
    play.addressed(person)
    name = play.known.call(person)
    slots = {"who": play.name(who), "name": name, "Name": capital(name)}
    play.stirred = act.kind if act.kind != "persuade" else play.stirred
    if act.kind == "lie":
        play.note(f"done lied {person.id}") if won else play.like(person.id, -2)
        play.productive = True
        told = play.line("lie.won" if won else "lie.lost", **slots)
        return [" ".join(part for part in (intro, told) if part)]
    topic = topic_of(play, act) - {stem(word) for each in person.names for word in words(each)}
    if not won:
        play.note(f"failed {act.kind}:{person.id}")
        play.like(person.id, -2 if act.kind == "threaten" else 0)
        told = play.line(f"{act.kind}.lost", **slots)
        return [" ".join(part for part in (intro, told) if part)]
    play.like(person.id, -2 if act.kind == "threaten" else 1)
    play.productive = True
    facts = [f for f in play.world.of.get(person.id, ()) if f.gate == "trust" and f.id not in play.memory.told]
    fit = (
        best(facts, topic) or (facts[0] if facts else None) or best(pool(play, person, trusted=True), topic, act.thing)
    )
    told = play.line(f"{act.kind}.won", **slots)
    if act.kind == "persuade" and _DEED.search(act.text):
        return [" ".join(part for part in (intro, play.line("persuade.done", **slots)) if part)]
    if act.kind == "threaten" and _OF_A_DEED.search(act.text):
        return [" ".join(part for part in (intro, play.line("threaten.done", **slots)) if part)]
    if fit is None:
        own = [f for f in pool(play, person) if f.owner == person.id]
        fit = own[0] if own else None
    if fit is not None:
        if fit.gate == "trust":
            play.note(f"found {play.memory.found + 1}")
        play.tell(fit, capital(name))
        told = f"{told} {spoken(fit, person, name) if fit.owner == person.id else hearsay(play, fit, name)}"
    else:
        told = play.line(f"{act.kind}.asks", **slots)
    return [" ".join(part for part in (intro, told) if part)]
