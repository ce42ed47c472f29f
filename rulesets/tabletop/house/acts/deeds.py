"""Plain deeds: to do something, help, fight, wait, rest, roll, refuse, and end the evening."""

from __future__ import annotations

import re
from dataclasses import replace

from sottovoce.rulesets.tabletop.house import company
from sottovoce.rulesets.tabletop.house.acts.looking import look, look_around, matching_here
from sottovoce.rulesets.tabletop.house.acts.persuasion import persuade
from sottovoce.rulesets.tabletop.house.acts.places import arrive, seek
from sottovoce.rulesets.tabletop.house.acts.rolls import roll_of
from sottovoce.rulesets.tabletop.house.acts.topics import topic_of
from sottovoce.rulesets.tabletop.house.play import Play, capital
from sottovoce.rulesets.tabletop.house.targets import Act
from sottovoce.rulesets.tabletop.house.telling import in_third_person
from sottovoce.rulesets.tabletop.rules.lore.language import lowered, stems
from sottovoce.rulesets.tabletop.rules.lore.lookup import HARD


def do(play: Play, who: str, act: Act) -> list[str]:
    """Something plain that is seen and heard: it brings somebody near, or lets something catch the eye."""
    deed = in_third_person(act.text.split(". ")[0], play.name(who)) or play.line("do", who=play.name(who))
    noticed = company.noticed(play)
    return [f"{deed} {noticed}" if noticed else deed]


def attack(play: Play, who: str, act: Act) -> list[str]:
    target = play.entity(act.target)
    present = list(play.known.present)
    if target is not None and target.kind == "person" and target in present:
        play.fight = (who, target.id)
        play.like(target.id, -4)
        play.stirred = "attack"
        play.productive = True
        return [play.line("attack", who=play.name(who), name=play.known.call(target))]
    if target is not None and target.kind == "person":
        found = seek(play, target)
        return (
            [found, *attack(play, who, act)]
            if found and target in play.known.present
            else [play.line("absent", name=capital(play.known.call(target)))]
        )
    if (
        target is None
        and present
        and re.search(r"(?i)\b(?:him|her|them|man|woman|stranger|somebody|guard)\b", act.text)
    ):
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
    return [play.line("attack.thing", who=play.name(who), what=target.the if target else "it")]


def wait(play: Play, who: str, act: Act) -> list[str]:
    came = company.noticed(play)
    play.note(f"quiet {play.memory.quiet + (0 if came else 2)}")
    return [came] if came else []


def rest(play: Play, who: str, act: Act) -> list[str]:
    place = play.entity(act.target)
    near_by = place is not None and place.kind in ("part", "place") and play.memory.at != place.id
    told = arrive(play, place) if near_by and place is not None else []
    play.note(f"clock {play.memory.clock + 3}")
    play.note(f"quiet {play.memory.quiet + 3}")
    play.note("done rested")
    return [*told, play.line("rest")]


def help_(play: Play, who: str, act: Act) -> list[str]:
    person = play.listener(act) if act.target is None else play.entity(act.target)
    if person is None or person.kind != "person":
        return do(play, who, act)
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
        return [play.line("absent", name=capital(play.known.call(person)))]
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
    told = matching_here(play, topic_of(play, act) - stems(skill))
    if told:
        return [told]
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
