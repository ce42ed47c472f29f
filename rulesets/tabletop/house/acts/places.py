"""Where somebody is to be found, and the party's coming to a place."""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house import company
from sottovoce.rulesets.tabletop.house.acts.sights import following, fresh_in_mind, look_around, show
from sottovoce.rulesets.tabletop.house.acts.surroundings import is_building
from sottovoce.rulesets.tabletop.house.acts.topics import around
from sottovoce.rulesets.tabletop.house.play import Play, capital
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity, Fact
from sottovoce.rulesets.tabletop.rules.lore.language import ended, listed


def near(play: Play, person: Entity) -> Entity | None:
    """Where in this place somebody can be found who is not here."""
    place = play.known.place
    if (
        place is None
        or person.gone
        or person.id in play.memory.away
        or (person.id not in play.known.names and not person.offices)
    ):
        return None
    return play.known.stands_at(person) if place.id in around(play.world, person) else None


def seek(play: Play, person: Entity) -> str:
    """Go and find somebody who is about; empty where they are here, or nowhere near."""
    if person in play.known.present:
        return ""
    if play.personal and play.doer != play.table.state.character:
        return ""  # a companion takes nobody along
    if company.findable(play, person):
        return company.found(play, person)
    spot = near(play, person) or (None if person.gone else company.last_seen(play, person))
    if spot is None:
        return ""
    told = arrive(play, spot)
    if person not in play.known.present:
        play.note(f"here {person.id}")
    return " ".join(told)


def arrive(play: Play, target: Entity, deed: str = "") -> list[str]:
    """The party comes to a place: what is to be seen there first, and who is there. `deed` says how it got there."""
    known = play.known
    if play.memory.at == target.id:
        by = play.memory.by
        lead = deed or (play.line("go.back", name=target.the) if by else play.line("go.here", name=target.the))
        play.note("by ")
        return [" ".join([lead, *look_around(play, play.table.state.played[0])])]
    same = known.place is not None and known.place.id in (target.id, target.parent)
    before = set(known.present)
    passed = _passed(play, target) if same and not deed and target.kind == "part" else ""
    left = known.spot.the if known.spot is not None else ""
    lead = deed or play.line(_way_to(play, target, same), name=into(target), Name=capital(target.the), left=left)
    play.note(f"at {target.id}")
    play.note(f"eyes {target.id}")
    play.note(f"clock {play.memory.clock + (0 if same else 2)}")
    play.productive = True
    told = [passed, lead]
    own = (target.id, *((target.parent,) if target.parent and not same else ()))
    parts = [part.id for part in known.parts] if target.kind == "place" else []
    for owner in dict.fromkeys((*own, *parts)):
        facts = known.fresh(owner, "part", "sense")
        if facts:
            told.append(show(play, facts[0]))
            told += following(play, facts[0])
            if owner in parts:
                play.note(f"seen {owner}")
            break
    others = [part for part in known.parts if part.id != target.id and f"seen {part.id}" not in play.memory.lines]
    others = [part for part in others if into(part) == part.the][:4]
    if others and (not same or target.kind == "place"):
        for part in others:
            play.note(f"seen {part.id}")
        named = [part.the for part in others]
        told.append(play.line("see.parts" if len(named) > 1 else "see.parts.one", parts=listed(named)))
    elif len(told) == 2 and not been(play, target, before=True):
        heard = next((f for f in play.world.of.get(target.id, ()) if f.id in play.memory.told), None)
        again = heard is not None and not fresh_in_mind(play, heard, LONG_AGO)
        told.append(ended(heard.text) if again and heard is not None else play.line("go.told", name=stands_at(target)))
    for person in [each for each in known.present if each not in before][:2]:
        looks = known.fresh(person.id, "looks")
        play.note(f"seen {person.id}")
        name = known.call(person)
        told.append(
            play.line("go.stranger" if name.startswith("the ") else "go.person", name=name, Name=capital(name))
            + (f" {_looks(play, person, looks[0])}" if looks else "")
        )
    return [" ".join(part for part in told if part)]


LONG_AGO = 8
"""Turns after which a party that comes to a place is told again what it has heard of it."""


def been(play: Play, target: Entity, *, before: bool = False) -> bool:
    """Whether the party has been at a spot tonight or on an evening that the note has; `before` counts not the last."""
    times = play.memory.lines.count(f"at {target.id}")
    return times > (1 if before else 0)


def into(target: Entity) -> str:
    """A name as it stands behind a word for going to: `the Loft`, `among the trees`."""
    return target.name.lower() if company.lies(target) else target.the


def stands_at(target: Entity) -> str:
    """Where one is at a place: `at the Loft`, `among the trees`."""
    return target.name.lower() if company.lies(target) else f"at {target.the}"


def _way_to(play: Play, target: Entity, same: bool) -> str:
    """The topic of the line that says how the party gets to a place."""
    if into(target) != target.the:
        return "go.among"
    if same and target.kind == "place":
        return "go.out"
    return "go.again" if been(play, target) else "go.near" if same else "go.far"


def _passed(play: Play, target: Entity) -> str:
    """What lies on the way from one part of a place to another and was not seen yet."""
    known = play.known
    if known.place is not None and is_building(play, known.place):
        return ""
    for part in known.parts:
        facts = known.fresh(part.id, "part")
        if (
            part not in (known.spot, target)
            and facts
            and not any(f.id in play.memory.told for f in play.world.of.get(part.id, ()))
        ):
            return f"{play.line('go.past', name=part.the)} {play.tell(facts[0])}"
    return ""


def _looks(play: Play, person: Entity, fact: Fact) -> str:
    text = play.tell(fact)
    return text if re.match(r"(?:She|He|They|It|Her|His|Their)\b", text) else f"{ended(text)}"
