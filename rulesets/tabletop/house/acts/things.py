"""To give, show, take and use things, and to hide."""

from __future__ import annotations

import re
from dataclasses import replace

from sottovoce.rulesets.tabletop.house import company
from sottovoce.rulesets.tabletop.house.acts.answers import hearsay
from sottovoce.rulesets.tabletop.house.acts.deeds import do, help_
from sottovoce.rulesets.tabletop.house.acts.findings import found_out
from sottovoce.rulesets.tabletop.house.acts.looking import look
from sottovoce.rulesets.tabletop.house.acts.outcomes import kind_of, outcome_of
from sottovoce.rulesets.tabletop.house.acts.places import arrive, seek
from sottovoce.rulesets.tabletop.house.acts.rolls import roll_of
from sottovoce.rulesets.tabletop.house.acts.sights import matching_here
from sottovoce.rulesets.tabletop.house.acts.topics import (
    bearer,
    best,
    deed_of,
    fitting,
    is_ordinary,
    particular,
    pool,
    seen_here,
    taken,
    topic_of,
)
from sottovoce.rulesets.tabletop.house.acts.trade import goods, is_money, purchase
from sottovoce.rulesets.tabletop.house.play import Play, Roll, capital
from sottovoce.rulesets.tabletop.house.targets import Act
from sottovoce.rulesets.tabletop.house.telling import spoken
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity
from sottovoce.rulesets.tabletop.rules.lore.language import stem, words
from sottovoce.rulesets.tabletop.rules.lore.lookup import HARD


def give(play: Play, who: str, act: Act) -> list[str]:
    if (bought := goods(act.text)) and play.entity(act.thing) is None:
        return purchase(play, who, act, bought)
    if kind_of(act.text) == "pet":
        return do(play, who, act)
    if act.target is None and re.search(r"(?i)\b(?:share|split|divide)\b", act.text):
        return do(play, who, act)  # among themselves
    person = play.listener(act)
    if (wanted := _PRICE.search(act.text)) and is_money(act.text) and person is not None and not person.gone:
        if is_ordinary(replace(act, head=stem(words(wanted[1])[-1]))) and "key" not in wanted[1]:
            return purchase(play, who, act, f"the {wanted[1]}")
        if person in play.known.present:
            name = play.known.call(person)
            refused = play.line("offer.no", who=play.name(who), name=name, Name=capital(name))
            return [f"{deed_of(play, who, act)} {refused}".strip()]
    thing = play.entity(act.thing) or next(
        (e for e in (play.entity(act.target),) if e is not None and e.kind == "thing"), None
    )
    found = seek(play, person) if person is not None else ""
    if person is None:
        person, found = company.comes(play, "comes.deed")
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
    known = pool(play, person)
    fit = best(known, topic, thing.id if thing else None)
    if fit is None and act.kind == "give" and is_money(act.text) and f"paid {person.id}" not in play.memory.done:
        play.note(f"done paid {person.id}")
        fit = next((fact for fact in known if fact.owner == person.id), None)
    if fit is not None:
        play.tell(fit, capital(name))
        told = f"{told} {spoken(fit, person, name) if fit.owner == person.id else hearsay(play, fit, name)}"
    return [" ".join(part for part in (intro, told) if part)]


_IT = re.compile(r"(?i)\W*(?:(?:i|we|then|try to) )*[a-z]+ (?:(?:up|out|in|off|over|down) )?(?:it|them)\b")
"""What is done to something named before, wherever it is done."""
_PRICE = re.compile(r"(?i)\boffers? .*\bfor (?:the|a|an|your|his|her|their|some) ((?:[\w'-]+ )?[\w'-]+)")
_HEAVY = re.compile(
    r"(?i)\btry to (?:lift|drag|move|pick up|raise)\b|\b(?:lift|drag|raise)\b.*\b(?:trough|boulder|beam|table"
    r"|trunk|chest|barrel"
    r"|anchor|slab|statue|cart|log|hatch|grate|gate|portcullis|trapdoor|hull|boat)s?\b"
)


def take(play: Play, who: str, act: Act) -> list[str]:
    if _HEAVY.search(act.text) or kind_of(act.text) == "pulse":
        return do(play, who, act)
    thing = play.entity(act.target) or play.entity(act.thing)
    if thing is not None and thing.kind == "thing":
        if thing.id in play.memory.carries:
            play.note(f"thing {thing.id}")
            facts = play.known.fresh(thing.id, "sense", "property")
            return [
                play.line("take.have", who=play.name(who), what=thing.the)
                + (f" {play.tell(facts[0])}" if facts else "")
            ]
        play.failed = True
        if thing.id in play.memory.lost:
            return [play.line("give.lost", what=thing.the)]
        return [play.line("take.none", what=thing.the)]
    owner = bearer(play, act)
    if owner is not None:
        return [_lifted(play, who, act, owner)]
    if thing is not None and thing.kind == "person":
        return [play.line("take.person", who=play.name(who), name=play.known.call(thing))]
    noun = taken(act.text)
    fact = seen_here(play, noun)
    own = kind_of(act.text) == "dead" or re.search(
        r"(?i)\b(?:my|our)\b|\btake (?:off|a (?:deep |long |last )?(?:breath|sip|bite|bow|step|drink))\b", act.text
    )
    if fact is None and (own or (is_ordinary(act) and act.head)):
        return do(play, who, act)
    if fact is None:
        play.failed = True
        return [play.line("take.unseen"), company.comes_and_speaks(play, "comes.search")]
    if play.known.present:
        roll = play.rolled(Roll(who, "sleight of hand", "sleight of hand: a quick hand", HARD))
        if roll is not None and roll.total < HARD:
            watcher = play.known.present[0]
            play.like(watcher.id, -1)
            play.stirred = "take"
            play.failed = True
            return [play.line("take.caught", who=play.name(who), name=play.known.call(watcher), what=noun)]
    play.note(f"carries {noun}")
    play.productive = True
    play.stirred = "take"
    return [play.line("take.done", who=play.name(who), what=noun)]


def _lifted(play: Play, who: str, act: Act, owner: Entity) -> str:
    """Something is taken off somebody, or they feel the hand."""
    roll = play.rolled(Roll(who, "sleight of hand", "sleight of hand: a quick hand", HARD))
    name = play.known.call(owner)
    slots = {"who": play.name(who), "name": name, "Name": capital(name)}
    play.stirred = "take"
    play.productive = True
    if roll is None or roll.total < HARD:
        play.like(owner.id, -2)
        return play.line("take.felt", **slots)
    what = taken(act.text)
    what = what if what and not what.endswith(("pocket", "pockets")) else "handful of coins"
    play.note(f"carries {what}")
    return play.line("take.lifted", what=what, **slots)


def use(play: Play, who: str, act: Act) -> list[str]:
    """Use, handle or touch something: the deed, and what it shows of the very thing, if there is more to it."""
    if found := found_out(play, who, act):
        return found
    if kind_of(act.text) in ("food", "drink"):
        return do(play, who, act)
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
    topic = particular(topic_of(play, act))
    known = play.known
    near_by = entity is not None and (
        entity.kind == "thing" or (known.place is not None and known.place.id in (entity.id, entity.parent))
    )
    if entity is not None and near_by:
        facts = known.fresh(entity.id, "property", "part", "sense")
        # of a thing in hand anything may come to light, of a place only what the deed is about
        fit = fitting(facts, act, act.topic) or (facts[0] if facts and entity.kind == "thing" else None)
        if fit is not None:
            return [" ".join(part for part in (deed_of(play, who, act), play.tell(fit)) if part)]
    told = "" if _IT.match(act.text) else matching_here(play, act, topic)
    if told:
        return [" ".join(part for part in (deed_of(play, who, act), told) if part)]
    return do(play, who, act)


_UNTIL = re.compile(
    r"(?i)\b(?:until|till) (?:someone|somebody|he|she|they)\b|\bto see (?:who|what|if)\b|\bwait for (?:him|her"
    r"|them|some)"
)
_HIDDEN = re.compile(r"(?i)\b(?:hide|conceal|tuck|stash|slip) (?:the|my|our|this|that|an?) ([\w'-]+)(?= |\W*$)")


def hide(play: Play, who: str, act: Act) -> list[str]:
    roll = play.rolled(Roll(who, "stealth", "stealth: unseen", HARD))
    won = roll is not None and roll.total >= HARD
    put = _HIDDEN.search(act.text)
    thing = next(
        (e for e in (play.entity(act.target), play.entity(act.thing)) if e is not None and e.kind == "thing"), None
    )
    spot = play.entity(act.target)
    told = []
    if spot is not None and spot.kind in ("part", "place") and spot.id != play.memory.at:
        told = arrive(play, spot)
    present = play.known.present
    play.productive = True
    if won:
        play.note(f"done hidden {thing.id if thing else who}")
        hidden = play.line(
            "hide.thing" if thing or put else "hide",
            who=play.name(who),
            what=thing.the if thing else f"the {put[1]}" if put else "",
        )
    elif present:
        play.like(present[0].id, -1)
        hidden = play.line("hide.seen", who=play.name(who), name=play.known.call(present[0]))
    else:
        hidden = play.line("hide.alone", who=play.name(who))
    if _UNTIL.search(act.text):
        hidden = f"{hidden} {outcome_of(play, who, replace(act, text='wait to see who comes'))}"
    deed = "" if told else deed_of(play, who, act)
    return [" ".join(part for part in (*told, deed, hidden) if part)]
