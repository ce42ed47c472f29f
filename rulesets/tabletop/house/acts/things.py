"""To give, show, take and use things, and to hide."""

from __future__ import annotations

import re
from dataclasses import replace

from sottovoce.rulesets.tabletop.house import company
from sottovoce.rulesets.tabletop.house.acts.deeds import do, help_
from sottovoce.rulesets.tabletop.house.acts.looking import look, matching_here, watched
from sottovoce.rulesets.tabletop.house.acts.places import seek
from sottovoce.rulesets.tabletop.house.acts.rolls import roll_of
from sottovoce.rulesets.tabletop.house.acts.speech import hearsay
from sottovoce.rulesets.tabletop.house.acts.topics import best, pool, topic_of
from sottovoce.rulesets.tabletop.house.play import Play, Roll, capital
from sottovoce.rulesets.tabletop.house.targets import Act
from sottovoce.rulesets.tabletop.house.telling import in_third_person, spoken
from sottovoce.rulesets.tabletop.rules.lore.facts import Fact
from sottovoce.rulesets.tabletop.rules.lore.language import stem, stems, words
from sottovoce.rulesets.tabletop.rules.lore.lookup import HARD


def give(play: Play, who: str, act: Act) -> list[str]:
    person = play.listener(act)
    thing = play.entity(act.thing) or next(
        (e for e in (play.entity(act.target),) if e is not None and e.kind == "thing"), None
    )
    found = seek(play, person) if person is not None else ""
    if person is None:
        person, found = company.comes(play)
    if person is None or person.gone or person not in play.known.present:
        return [play.line("give.nobody", who=play.name(who))]
    intro = " ".join(part for part in (found, play.meet(person)) if part)
    name = play.known.call(person)
    slots = {"who": play.name(who), "name": name, "Name": capital(name)}
    play.productive = True
    if thing is not None and thing.id in play.memory.lost:
        return [play.line("give.lost", what=thing.the)]
    if act.kind == "give" and thing is not None and thing.id in play.memory.carries:
        play.note(f"lost {thing.id}")
        play.table.record([f"{capital(name)} has {thing.the} now."], play.table.state.played)
        play.stirred = "give"
        told = play.line("give.thing", what=thing.the, **slots)
    elif act.kind == "show":
        told = play.line("show", what=thing.the if thing else "it", **slots)
    else:
        told = play.line("give.gift", **slots)
    play.note(f"favor {person.id}")
    if f"{act.kind} {person.id}" not in play.memory.done:
        play.note(f"done {act.kind} {person.id}")
        play.like(person.id, 1 if act.kind == "show" else 2)
    topic = topic_of(play, act) - {stem(word) for each in person.names for word in words(each)}
    fit = best(pool(play, person), topic, thing.id if thing else None)
    if fit is not None:
        play.tell(fit, capital(name))
        told = f"{told} {spoken(fit, person, name) if fit.owner == person.id else hearsay(play, fit, name)}"
    return [" ".join(part for part in (intro, told) if part)]


def take(play: Play, who: str, act: Act) -> list[str]:
    thing = play.entity(act.target) or play.entity(act.thing)
    if thing is not None and thing.kind == "thing":
        if thing.id in play.memory.carries:
            play.note(f"thing {thing.id}")
            facts = play.known.fresh(thing.id, "sense", "property")
            return [
                play.line("take.have", who=play.name(who), what=thing.the)
                + (f" {play.tell(facts[0])}" if facts else "")
            ]
        if thing.id in play.memory.lost:
            return [play.line("give.lost", what=thing.the)]
        return [play.line("take.none", what=thing.the)]
    if thing is not None and thing.kind == "person":
        return [play.line("take.person", who=play.name(who), name=play.known.call(thing))]
    noun = _object(act.text)
    fact = _seen_here(play, noun)
    if fact is None:
        return [watched(play, play.line("take.unseen"))]
    if play.known.present:
        roll = play.rolled(Roll(who, "sleight of hand", "sleight of hand: a quick hand", HARD))
        if roll is not None and roll.total < HARD:
            watcher = play.known.present[0]
            play.like(watcher.id, -1)
            play.stirred = "take"
            return [play.line("take.caught", who=play.name(who), name=play.known.call(watcher), what=noun)]
    play.note(f"carries {noun}")
    play.productive = True
    play.stirred = "take"
    return [play.line("take.done", who=play.name(who), what=noun)]


def _object(text: str) -> str:
    """The thing that a plain sentence takes: `the brass key`."""
    found = re.search(
        r"(?i)\b(?:take|takes|grab|grabs|pick|picks|pocket|pockets|steal|steals|snatch|collect|gather|lift"
        r"|seize)s? (?:up )?(?:the|a|an|one of the|some|that|this|his|her"
        r"|their) ((?:[\w'-]+ ){0,2}?[\w'-]+)(?= (?:from|off|on|in|and|at|with|that|which|to|under|behind"
        r"|before|while)\b|\W*$)",
        text,
    )
    return found[1].lower() if found else ""


def _seen_here(play: Play, noun: str) -> Fact | None:
    """A sentence told tonight about this place in which the thing lies to hand."""
    last = words(noun)[-1:] if noun else []
    known = play.known
    owners = {each.id for each in (known.spot, known.place, *known.parts) if each is not None}
    told = [play.world.facts[key] for key in play.memory.told if key in play.world.facts]
    return next((f for f in told if f.owner in owners and last and stem(last[0]) in stems(f.text)), None)


def use(play: Play, who: str, act: Act) -> list[str]:
    entity = play.entity(act.target) or play.entity(act.thing)
    roll = roll_of(play, who, act)
    if roll is not None:
        fallen = play.rolled(roll)
        if fallen is not None and fallen.total < HARD:
            play.note("failed use")
            return [play.line("use.failed", who=play.name(who))]
    if entity is not None and entity.kind == "person":
        return (
            help_(play, who, replace(act, target=entity.id))
            if not entity.gone
            else look(play, who, replace(act, target=entity.id))
        )
    if entity is not None:
        facts = play.known.fresh(entity.id, "property", "part", "sense")
        fit = best(facts, act.topic) or (facts[0] if facts else None)
        if fit is not None:
            deed = in_third_person(act.text.split(". ")[0], play.name(who)) if fit.kind != "sense" else ""
            return [" ".join(part for part in (deed, play.tell(fit)) if part)]
    told = matching_here(play, topic_of(play, act))
    if told:
        return [told]
    return do(play, who, act)


def hide(play: Play, who: str, act: Act) -> list[str]:
    roll = play.rolled(Roll(who, "stealth", "stealth: unseen", HARD))
    won = roll is not None and roll.total >= HARD
    thing = next(
        (e for e in (play.entity(act.target), play.entity(act.thing)) if e is not None and e.kind == "thing"), None
    )
    present = play.known.present
    play.productive = True
    if won:
        play.note(f"done hidden {thing.id if thing else who}")
        return [play.line("hide.thing" if thing else "hide", who=play.name(who), what=thing.the if thing else "")]
    if present:
        play.like(present[0].id, -1)
        return [play.line("hide.seen", who=play.name(who), name=play.known.call(present[0]))]
    return [play.line("hide.alone", who=play.name(who))]
