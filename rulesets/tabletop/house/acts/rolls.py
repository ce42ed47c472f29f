"""The dice that an act needs."""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house import company
from sottovoce.rulesets.tabletop.house.acts.errands import errand_roll
from sottovoce.rulesets.tabletop.house.acts.looking import CLOSER, looks_again
from sottovoce.rulesets.tabletop.house.acts.outcomes import forced
from sottovoce.rulesets.tabletop.house.acts.places import near
from sottovoce.rulesets.tabletop.house.acts.topics import bearer, seen_here, taken
from sottovoce.rulesets.tabletop.house.play import Play, Roll
from sottovoce.rulesets.tabletop.house.targets import Act
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity
from sottovoce.rulesets.tabletop.rules.lore.lookup import HARD


def roll_of(play: Play, who: str, act: Act) -> Roll | None:
    """The roll that the act needs, if dice decide it."""
    if act.nobody:
        return None
    if act.kind == "errand":
        return errand_roll(who, act)
    if looks_again(play, act):
        return Roll(who, "perception", CLOSER, None)
    person = play.listener(act) if act.kind in ("persuade", "lie", "threaten") else play.entity(act.target)
    if act.kind in ("persuade", "lie", "threaten"):
        if person is None or person.gone:
            return None
        if person not in play.known.present and not _can_be_found(play, person):
            return None
        skill = {"persuade": "persuasion", "lie": "deception", "threaten": "intimidation"}[act.kind]
        return Roll(who, skill, f"{skill}: {play.known.call(person)}", _difficulty(play, person, act))
    if act.kind == "search":
        if person is not None and person.kind == "person" and not person.gone:
            return None
        return Roll(who, "investigation", "investigation: a search", None)
    if act.kind == "hide":
        return Roll(who, "stealth", "stealth: unseen", HARD)
    if act.kind == "roll" and act.skill:
        return Roll(who, act.skill, f"{act.skill}: a closer try", None)
    if (strength := forced(who, act)) is not None:
        return strength
    if act.kind == "use" and re.search(r"(?i)\b(?:cast|spell|magic|detect|identify|attune)\b", act.text):
        return Roll(who, "arcana", "arcana: a working", None)
    if act.kind == "take" and bearer(play, act) is not None:
        return Roll(who, "sleight of hand", "sleight of hand: a quick hand", HARD)
    if act.kind == "take" and act.thing is None and play.entity(act.target) is None and _can_be_taken(play, act):
        return Roll(who, "sleight of hand", "sleight of hand: a quick hand", HARD)
    return None


def _can_be_found(play: Play, person: Entity) -> bool:
    return bool(near(play, person) or company.last_seen(play, person)) or company.findable(play, person)


def _can_be_taken(play: Play, act: Act) -> bool:
    return bool(play.known.present) and seen_here(play, taken(act.text)) is not None


def _difficulty(play: Play, person: Entity, act: Act) -> int:
    base = {"persuade": HARD, "lie": HARD + 1, "threaten": HARD + 2}[act.kind]
    favor = 3 if person.id in play.memory.favor else 0
    return max(5, base - 2 * play.memory.liking[person.id] - favor + 2 * play.memory.failed[f"{act.kind}:{person.id}"])
