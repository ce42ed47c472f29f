"""Plain deeds: to do something, help, fight, wait, rest, roll, refuse, and end the evening."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from sottovoce.rulesets.tabletop.house import company, daytime
from sottovoce.rulesets.tabletop.house.acts.findings import found_out
from sottovoce.rulesets.tabletop.house.acts.going import way
from sottovoce.rulesets.tabletop.house.acts.looking import clue_by, look, of_person
from sottovoce.rulesets.tabletop.house.acts.outcomes import kind_of, outcome_of
from sottovoce.rulesets.tabletop.house.acts.persuasion import persuade
from sottovoce.rulesets.tabletop.house.acts.places import arrive, seek
from sottovoce.rulesets.tabletop.house.acts.rolls import roll_of
from sottovoce.rulesets.tabletop.house.acts.sights import look_around, matching_here
from sottovoce.rulesets.tabletop.house.acts.surroundings import carries, was_named
from sottovoce.rulesets.tabletop.house.acts.topics import best, deed_of, missing, particular
from sottovoce.rulesets.tabletop.house.acts.trade import goods, purchase
from sottovoce.rulesets.tabletop.house.play import Play, capital
from sottovoce.rulesets.tabletop.house.targets import ANYBODY, Act
from sottovoce.rulesets.tabletop.house.telling import spoken
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity
from sottovoce.rulesets.tabletop.rules.lore.language import lowered, stem, stems
from sottovoce.rulesets.tabletop.rules.lore.lookup import HARD

_SOMEBODY = frozenset(stem(word) for word in ANYBODY)
_DEVOUT = re.compile(
    r"(?i)\b(?:light(?:s|ing)? a candle|pray|prayer|offering|kneels? (?:by|before|at|beside)|grave|bless|bury"
    r"|mourn|tidy|sweep|clean up)\w*\b"
)
"""Deeds that people respect who see them."""


_OF_NOTHING_HERE = frozenset({"pet", "writing", "drawing", "map", "think", "music", "gesture", "practice", "prayer"})
"""Kinds of deeds that need nothing of the place."""


def do(play: Play, who: str, act: Act) -> list[str]:
    """Something plain: it is told with what comes of it, and with who has heard or seen it."""
    if (bought := goods(act.text)) and play.entity(act.thing) is None:
        return purchase(play, who, act, bought)
    if act.kind != "look" and (found := found_out(play, who, act)):
        return found
    told = deed_of(play, who, act)
    deed = told or play.line("do", who=play.name(who))
    somebody = act.head in _SOMEBODY or kind_of(act.text) in _OF_NOTHING_HERE
    if not somebody and missing(play, act) and not (was_named(play, act.head) or carries(play, who, act.head)):
        return [play.line("deed.not.here")]
    outcome = outcome_of(play, who, act)
    if outcome and not told:
        return [outcome]
    if company.loud(act.text):
        came = company.comes_and_speaks(play, "comes.noise")
        if kind_of(act.text) in ("knock", "call", "ring") and came:
            return [f"{deed} {came}"]
        if not came:
            play.note(f"done noise {play.memory.clock}")
        return [" ".join(part for part in (deed, outcome or ("" if came else play.line("deed.noise"))) if part), came]
    present = play.known.present
    if not present:
        return [" ".join(part for part in (deed, outcome) if part), company.comes_and_speaks(play, "comes.deed")]
    touched = next((each for each in present if f"moved {each.id}" not in play.memory.done), None)
    if touched is not None and _DEVOUT.search(act.text):
        play.note(f"done moved {touched.id}")
        play.like(touched.id, 1)
        name = play.known.call(touched)
        return [f"{deed} {play.line('moved', who=play.name(who), name=name, Name=capital(name))}"]
    return [" ".join(part for part in (deed, outcome or ("" if play.more else _looked_on(play, present))) if part)]


def _looked_on(play: Play, present: Sequence[Entity]) -> str:
    """Somebody who is here sees a deed, and goes on with what they do."""
    watcher = next((each for each in present if play.known.fresh(each.id, "habit")), present[0])
    name = play.known.call(watcher)
    seen = play.fresh("deed.seen", name=name, Name=capital(name))
    habits = [fact for fact in play.known.fresh(watcher.id, "habit") if not _IN_GENERAL.search(fact.text)]
    habit = of_person(play, watcher, habits[0]) if seen and habits else ""
    return " ".join(part for part in (seen, habit) if part)


_IN_GENERAL = re.compile(
    r"(?i)\b(?:questions?|every\w+|any\w+|nobody|always|never|usually|often|debts?|names?"
    r"|strangers?)\b"
)
"""What somebody does in general, and not while one looks on."""


_AT_SOMEBODY = re.compile(
    r"(?i)^\W*(?:(?:i|we|then|just|try to|will|'ll|let's) )*[a-z]+(?: (?:at|out at|for|down|with my [a-z]+ at))?"
    r" (?:him|her|them|the (?:[a-z-]+ )?(?:man|woman|stranger|guard)|somebody)\b"
)
"""A blow at somebody, and at nothing of theirs."""


def attack(play: Play, who: str, act: Act) -> list[str]:
    if act.meant and not _AT_SOMEBODY.search(act.text):
        act = replace(act, target=None, meant=False)
    target = play.entity(act.target)
    present = list(play.known.present)
    if target is not None and target.kind == "person" and target in present:
        play.fight = (who, target.id)
        play.like(target.id, -4)
        play.stirred = "attack"
        play.productive = True
        slots = {"who": play.name(who), "name": play.known.call(target)}
        deed = deed_of(play, who, act) if target.short in act.text else ""
        told = play.line("attack.begun", Name=capital(slots["name"]), **slots) if deed else play.line("attack", **slots)
        return [f"{deed} {told}".strip()]
    if target is not None and target.kind == "person":
        found = seek(play, target)
        return (
            [found, *attack(play, who, act)]
            if found and target in play.known.present
            else [company.absent(play, target)]
        )
    if target is None and _AT_SOMEBODY.search(act.text):
        wanted = (
            "she"
            if re.search(r"(?i)\b(?:her|woman)\b", act.text)
            else "he"
            if re.search(r"(?i)\b(?:him|man)\b", act.text)
            else ""
        )
        last = play.entity(play.memory.last)
        fits = [
            each for each in (last, *present) if each is not None and each in present and wanted in ("", each.pronoun)
        ]
        if not fits:
            return [play.line("attack.nobody", who=play.name(who))]
        foe = fits[0]
        return attack(play, who, replace(act, target=foe.id))
    for person in present[:1]:
        play.like(person.id, -1)
    play.stirred = "attack"
    deed = deed_of(play, who, act)
    if target is None or target.kind != "thing":
        return do(play, who, act) if deed else [play.line("attack.thing", who=play.name(who), what="it")]
    facts = play.known.fresh(target.id, "sense", "property")
    fit = best(facts, act.topic)
    shown = play.tell(fit) if fit is not None else outcome_of(play, who, act)
    return [" ".join(part for part in (deed or play.line("do", who=play.name(who)), shown) if part)]


def wait(play: Play, who: str, act: Act) -> list[str]:
    """Let time pass: whoever is here goes on with what they do, and somebody comes or something catches the eye."""
    if play.personal and who != play.table.state.character:
        return []
    kind = kind_of(act.text)
    if kind not in ("", "ambush", "watch", "reply", "rest", "others", "biding"):
        return do(play, who, act)
    deed = deed_of(play, who, act)
    person = play.entity(act.target)
    beside = ""
    if person is not None and person.kind == "person" and kind != "ambush":
        found = seek(play, person)
        if person not in play.known.present:
            return [company.absent(play, person)]
        deed = " ".join(part for part in (found, deed) if part)
        facts = play.known.fresh(person.id, "habit", "looks")
        name = play.known.call(person)
        beside = of_person(play, person, facts[0]) if facts else play.line("wait.beside", name=name, Name=capital(name))
        if f"beside {person.id}" not in play.memory.done:
            play.note(f"done beside {person.id}")
            play.like(person.id, 1)
    else:
        beside = outcome_of(play, who, act) if kind in ("ambush", "watch", "reply") else _speaks_up(play)
    waits = (kind != "ambush" and _LONG.search(act.text)) or (not beside and _WAITS.search(act.text))
    passes = daytime.later(play, act.text) if waits else ""
    came = "" if beside else company.comes_and_speaks(play, "comes.quiet") or company.sight(play)
    play.note(f"quiet {play.memory.quiet + (0 if came or beside else 2)}")
    return [" ".join(part for part in (deed, beside, passes) if part), came]


_WAITS = re.compile(r"(?i)\b(?:wait|stay|remain|linger|pass|bide|guard|watch|rest)")
_LONG = re.compile(r"(?i)\b(?:until|till|for|hours?|all (?:day|night)|dark|evening|night|morning|dawn)\b")


def _speaks_up(play: Play) -> str:
    """Somebody who is here, and has been met, begins to talk by themself; empty where nobody has anything to say."""
    for person in play.known.present:
        facts = [fact for fact in play.known.fresh(person.id, "knows") if fact.gate == "open"]
        if facts and person.id in play.memory.met and play.memory.liking[person.id] >= 0:
            name = play.known.call(person)
            play.tell(facts[0], capital(name))
            begins = play.line("wait.speaks", name=name, Name=capital(name))
            return f"{begins} {spoken(facts[0], person, name)}"
    return ""


_BED = re.compile(r"(?i)\bbeds?\b(?! of\b)")
"""What is slept in, and not a part of the name of a place."""


def rest(play: Play, who: str, act: Act) -> list[str]:
    if play.more and re.search(r"(?i)\bcamp\b", act.text):
        return do(play, who, act)
    place = play.entity(act.target) or way(play, act)
    if _BED.search(act.text) and not act.topic - {"bed", "sleep"}:
        place = None
    near_by = place is not None and place.kind in ("part", "place") and play.memory.at != place.id
    told = arrive(play, place) if near_by and place is not None else []
    play.note(f"clock {play.memory.clock + 3}")
    play.note(f"quiet {play.memory.quiet + 3}")
    play.note("done rested")
    deed = "" if told else deed_of(play, who, act)
    return [*told, " ".join(part for part in (deed, play.line("rest"), daytime.later(play, act.text, 2)) if part)]


_HELPS = re.compile(
    r"(?i)\b(?:help|assist|tend|heal|comfort|calm|nurse|bandage|care|look after|see to"
    r"|(?:free|carry|cover|wash|clean|feed)"
    r" (?:him|her|them))\w*\b"
)


_OF_WHOM = re.compile(r"(?i)\b(his|him|her)\b")


def help_(play: Play, who: str, act: Act) -> list[str]:
    person = play.listener(act) if act.target is None else play.entity(act.target)
    own = re.search(r"(?i)\bmy\b|\bour\b|\b(?:my|our)sel", act.text) and not re.search(
        r"(?i)\b(?:him|her|them)\b", act.text
    )
    handled = (act.target is None or act.meant) and (own or not _HELPS.search(act.text))
    if kind_of(act.text) == "dead" and (person is None or act.meant or person.gone):
        return do(play, who, act)
    if person is None or person.kind != "person" or handled:
        return do(play, who, act)
    pronoun = _OF_WHOM.search(act.text)
    if act.target is None and pronoun and {"his": "he", "him": "he"}.get(pronoun[1].lower(), "she") != person.pronoun:
        return [play.line("help.nobody", who=play.name(who))]
    if person.gone:
        play.note(f"done cared {person.id}")
        play.productive = True
        for each in play.known.present[:2]:
            play.like(each.id, 1) if f"cared {each.id}" not in play.memory.done else None
            play.note(f"done cared {each.id}")
        facts = play.known.fresh(person.id, "looks")
        return [
            play.line("help.dead", who=play.name(who), name=play.known.call(person))
            + (f" {play.tell(facts[0])}" if facts else "")
        ]
    found = seek(play, person)
    if person not in play.known.present:
        return [company.absent(play, person)]
    intro = " ".join(part for part in (found, play.meet(person)) if part)
    play.note(f"favor {person.id}")
    play.productive = True
    if f"helped {person.id}" not in play.memory.done:
        play.note(f"done helped {person.id}")
        play.like(person.id, 2)
    name = play.known.call(person)
    return [
        " ".join(part for part in (intro, play.line("help", who=play.name(who), name=name, Name=capital(name))) if part)
    ]


def roll(play: Play, who: str, act: Act) -> list[str]:
    asked = roll_of(play, who, act)
    fallen = play.rolled(asked) if asked else None
    total = fallen.total if fallen else 0
    skill = act.skill
    target = play.entity(act.target)
    if target is None and act.thing:
        target = play.entity(act.thing)
    if total < HARD:
        play.note(f"failed {skill}")
        return [play.line("roll.lost", who=play.name(who), skill=skill)]
    play.productive = True
    if skill == "insight":
        person = target if target is not None and target.kind == "person" else play.listener(act)
        if person is not None and person in play.known.present:
            facts = [
                f
                for f in play.world.of.get(person.id, ())
                if f.gate == "insight" and f.id not in play.memory.told and not play.known.closed(f)
            ]
            if facts:
                text = play.tell(facts[0])
                topic = "insight.fear" if facts[0].kind == "fear" else "insight.want"
                return [play.line(topic, who=play.name(who), name=play.known.call(person), what=_wish(text))]
    if skill in ("persuasion", "deception", "intimidation"):
        return persuade(
            play,
            who,
            replace(act, kind={"persuasion": "persuade", "deception": "lie", "intimidation": "threaten"}[skill]),
        )
    if target is not None:
        return look(play, who, replace(act, target=target.id, topic=frozenset()))
    closer = replace(act, kind="look", head="", topic=act.topic - stems(skill) - stems("check roll make"))
    if particular(closer.topic):
        told = matching_here(play, closer, closer.topic) or clue_by(play, closer, total, who)
        return [told or play.line("look.done", name="it")]
    if skill in ("history", "religion", "nature", "arcana") and play.known.place is not None:
        facts = play.known.fresh(play.known.place.id, "history")
        if facts:
            return [f"{play.line('roll.history', who=play.name(who))} {play.tell(facts[0])}"]
    return look_around(play, who)


def _wish(text: str) -> str:
    return (
        lowered(text.rstrip("."))
        if not re.match(r"(?:He|She|They) (?:wants?|fears?)", text)
        else re.sub(r"^(?:He|She|They) (?:wants?|fears?) ", "", text.rstrip("."))
    )


def no(play: Play, who: str, act: Act) -> list[str]:
    play.note("last " + (play.memory.last or ""))
    said = play.fresh("no", who=play.name(who))
    return [said] if said else []


def end(play: Play, who: str, act: Act) -> list[str]:
    play.note(f"ends {play.memory.clock}")
    play.over = True
    return []
