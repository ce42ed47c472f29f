"""To ask and to talk: what somebody answers, and what they say where they cannot."""

from __future__ import annotations

import re
from dataclasses import replace

from sottovoce.rulesets.tabletop.house import company
from sottovoce.rulesets.tabletop.house.acts.looking import look, of_person
from sottovoce.rulesets.tabletop.house.acts.places import seek
from sottovoce.rulesets.tabletop.house.acts.topics import best, interests, pool, recall, topic_of
from sottovoce.rulesets.tabletop.house.play import Play, capital
from sottovoce.rulesets.tabletop.house.targets import Act
from sottovoce.rulesets.tabletop.house.telling import is_clause, spoken
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity, Fact
from sottovoce.rulesets.tabletop.rules.lore.known import found_by
from sottovoce.rulesets.tabletop.rules.lore.language import ended, listed, lowered, stem, stems, words

_GENERAL = re.compile(
    r"(?i)\bwho are you\b|\b(?:about|of) (?:yourself|you\b)|\bwhat do you (?:do|know)\b"
    r"|\bwhat can you tell\b|\bhow are you\b|\bnews\b|\bgossip\b"
    r"|\brumou?rs?\b|\bwhat(?:'s| is) (?:going on|happening|new|this place)\b|\bintroduce\b|\bwhat(?:'s"
    r"| is) your (?:name|story|work|trade)\b|\bgood (?:evening|morning|day)\b|\bhello\b|\bchat\b"
    r"|\banything\b"
)


_FAVOR = re.compile(
    r"(?i)\b(?:could|can|would|will) you (?:please |kindly |perhaps )?(?:fetch|bring|open|lead|take|get"
    r"|let|give|lend|send|carry|keep|wait|come|hold|make|find|watch|help)\b"
)
"""A question that asks for a deed and not for words."""


def ask(play: Play, who: str, act: Act) -> list[str]:
    person = play.entity(act.target)
    topic = topic_of(play, act)
    about = act.thing or (act.target if person is not None and person.kind != "person" else None)
    wondered = (
        act.meant
        and re.match(r"(?i)\W*(?:who|what|where|why|when|how)\b", act.text)
        and not re.search(r"(?i)\byou(?:r|rs)?\b", act.text)
    )
    if wondered and person is not None and best(pool(play, person), topic, about) is None:
        told = recall(play, topic, about)
        if told:
            return [told]
    came = ""
    if person is None or person.kind != "person":
        told = recall(play, topic, about)
        person = play.listener(replace(act, target=None))
        if told:
            return [told]
        if person is None:
            person, came = company.comes(play)
        if person is None:
            return [play.line("ask.nobody")]
    found = came or seek(play, person)
    answer = reached(play, person)
    if answer:
        return [answer]
    intro = " ".join(part for part in (found, play.meet(person)) if part)
    if _FAVOR.search(act.text):
        told = play.line(
            "favor" if play.memory.liking[person.id] >= 0 else "favor.no",
            name=play.known.call(person),
            Name=capital(play.known.call(person)),
        )
        play.note(f"done favor {person.id}")
        return [" ".join(part for part in (intro, told) if part)]
    answered = _answer(play, person, topic, about, act.text)
    return [" ".join(part for part in (intro, answered) if part)]


def reached(play: Play, person: Entity) -> str:
    """Why somebody cannot be spoken to; empty where they can."""
    if person.gone:
        return play.line("gone", name=capital(play.known.call(person)))
    if person not in play.known.present:
        return play.line("absent", name=capital(play.known.call(person)))
    if play.memory.liking[person.id] <= -4:
        return play.line("hostile", name=capital(play.known.call(person)))
    return ""


def _answer(
    play: Play, person: Entity, topic: frozenset[str], about: str | None, text: str, *, trusted: bool = False
) -> str:
    """What somebody says to a question."""
    name = play.known.call(person)
    facts = pool(play, person, trusted=trusted)
    own_names = {stem(word) for each in person.names for word in words(each)}
    asked = topic - own_names
    beat = _beat_answer(play, person, asked)
    if beat:
        return beat
    fit = best(facts, asked, about if about != person.id else None)
    general = bool(_GENERAL.search(text)) or not asked
    if fit is None and general:
        own = [fact for fact in facts if fact.owner == person.id] or facts
        fit = own[0] if own else None
    if fit is not None:
        if fit.gate == "trust":
            play.note(f"found {play.memory.found + 1}")
        learnt = capital(person.short) if person.id in play.known.names else capital(name)
        play.tell(fit, learnt)
        habit = _habit(play, person)
        said = spoken(fit, person, name) if fit.owner == person.id else hearsay(play, fit, name)
        return f"{habit}{said}"
    told = [
        play.world.facts[key]
        for key in play.memory.told
        if key in play.world.facts and play.world.facts[key].owner == person.id
    ]
    before = best(told, asked)
    if before is not None and len(asked & stems(before.text)) >= min(2, len(asked)):
        again = play.fresh("again", name=name, Name=capital(name))
        if again:
            return again
    return decline(play, person)


def hearsay(play: Play, fact: Fact, name: str) -> str:
    owner = play.world.entities[fact.owner]
    if owner.kind == "person":
        text = re.sub(r"^(?:She|He|They)(?=['’]s |\b)", owner.short, fact.text)
        return (
            f"“{ended(text).rstrip('.')},” says {name}."
            if "“" not in text and '"' not in text
            else f"{capital(name)} tells you: {ended(text)}"
        )
    if not is_clause(fact.text):
        return f"{capital(name)} speaks of {play.world.entities[fact.owner].the}: {lowered(fact.text).rstrip('.')}."
    return (
        f"“{ended(fact.text).rstrip('.')},” says {name}."
        if "“" not in fact.text and '"' not in fact.text
        else f"{capital(name)} tells you: {ended(fact.text)}"
    )


def _habit(play: Play, person: Entity) -> str:
    """At times, what somebody does while they speak."""
    if play.table.random.random() > 0.4:
        return ""
    habits = [f for f in play.known.fresh(person.id, "habit") if len(f.text) < 110]
    return (
        f"{of_person(play, person, habits[0])} "
        if habits and re.match(r"[A-Z][a-z]+s |She |He |They ", habits[0].text)
        else ""
    )


def decline(play: Play, person: Entity) -> str:
    """Somebody has nothing to say to that, says so their own way, and what they would talk about."""
    name = play.known.call(person)
    lines = play.known.fresh(person.id, "line")
    own = ""
    if lines:
        own = f" “{_single(play.tell(lines[0]))}”"
    wanted = interests(play, person)
    if wanted:
        return play.line("decline.offer", name=name, Name=capital(name), topics=listed(wanted, "or")) + own
    return play.line("decline", name=name, Name=capital(name)) + own


def _single(text: str) -> str:
    return re.sub(r"[\"“”]", "’", text)


def _beat_answer(play: Play, person: Entity, topic: frozenset[str]) -> str:
    """What a beat has made this person ready to tell."""
    for beat in play.world.beats:
        if f"told {beat.id} {person.id}" not in play.memory.done:
            continue
        facts = [
            Fact(f"{beat.id}/{place}", "told", "beat", person.id, text)
            for place, text in enumerate(beat.told)
            if f"{beat.id}/{place}" not in play.memory.told
        ]
        fit = best(facts, topic) or (facts[0] if facts and not topic else None)
        if fit is not None:
            return beat_fact(play, fit, person)
    return ""


def beat_fact(play: Play, fact: Fact, person: Entity | None) -> str:
    play.note(f"found {play.memory.found + 1}")
    for each in found_by(fact.text, play.world.entities.values()):
        if each.id not in play.known.names and each.kind != "part":
            play.note(f"met {each.id}")
    text = play.tell(fact, capital(play.known.call(person)) if person else "We have seen")
    name = play.known.call(person) if person else ""
    return f"“{_single(ended(text)).rstrip('.')},” says {name}." if person else ended(text)


def talk(play: Play, who: str, act: Act) -> list[str]:
    target = play.entity(act.target)
    if target is not None and target.kind != "person":
        return look(play, who, act)
    person, came = play.listener(act), ""
    if person is None:
        person, came = company.comes(play)
    if person is None:
        return [play.line("talk.nobody", who=play.name(who))]
    found = came or seek(play, person)
    answer = reached(play, person)
    if answer:
        return [answer]
    intro = " ".join(part for part in (found, play.meet(person)) if part)
    if f"greeted {person.id}" not in play.memory.done:
        play.note(f"done greeted {person.id}")
        play.like(person.id, 1)
    if (
        re.search(r"(?i)\b(?:thank|sorry|apolog|compliment|congratulat)", act.text)
        and f"kind {person.id}" not in play.memory.done
    ):
        play.note(f"done kind {person.id}")
        play.like(person.id, 1)
        return [
            " ".join(
                part
                for part in (
                    intro,
                    play.line("thanked", name=play.known.call(person), Name=capital(play.known.call(person))),
                )
                if part
            )
        ]
    asked = topic_of(play, act) - {stem(word) for each in person.names for word in words(each)}
    lines = play.known.fresh(person.id, "line")
    if not asked or _GENERAL.search(act.text):
        if lines:
            return [
                " ".join(
                    part
                    for part in (
                        intro,
                        spoken(play_tell(play, lines[0]), person, ""),
                    )
                    if part
                )
            ]
        return [" ".join(part for part in (intro, _answer(play, person, frozenset(), None, "hello")) if part)]
    fit = best(pool(play, person), asked, act.thing)
    if fit is not None:
        return [" ".join(part for part in (intro, _answer(play, person, asked, act.thing, act.text)) if part)]
    heard = play.fresh("heard", name=play.known.call(person), Name=capital(play.known.call(person)))
    if heard:
        own = f"“{_single(play.tell(lines[0]))}”" if lines else ""
        return [" ".join(part for part in (intro, heard, own) if part)]
    return [" ".join(part for part in (intro, decline(play, person)) if part)]


def play_tell(play: Play, fact: Fact) -> Fact:
    play.tell(fact)
    return fact
