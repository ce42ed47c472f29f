"""Where somebody is to be found, and the party's coming to a place."""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house.acts.looking import following, look_around
from sottovoce.rulesets.tabletop.house.acts.topics import around
from sottovoce.rulesets.tabletop.house.play import Play, capital
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity, Fact
from sottovoce.rulesets.tabletop.rules.lore.language import ended


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
    spot = near(play, person)
    if spot is None:
        return ""
    told = arrive(play, spot)
    if person not in play.known.present:
        play.note(f"here {person.id}")
    return " ".join(told)


def arrive(play: Play, target: Entity) -> list[str]:
    """The party comes to a place: what is to be seen there first, and who is there."""
    known = play.known
    if play.memory.at == target.id:
        return [play.line("go.here", name=target.the), *look_around(play, play.table.state.played[0])][:2]
    same = known.place is not None and known.place.id in (target.id, target.parent)
    company = set(known.present)
    play.note(f"at {target.id}")
    play.note(f"clock {play.memory.clock + (0 if same else 2)}")
    play.productive = True
    told = [play.line("go.near" if same else "go.far", name=target.the)]
    for owner in dict.fromkeys((target.id, *((target.parent,) if target.parent and not same else ()))):
        facts = known.fresh(owner, "part", "sense")
        if facts:
            told.append(play.tell(facts[0]))
            told += following(play, facts[0])
            break
    for person in [each for each in known.present if each not in company][:2]:
        looks = known.fresh(person.id, "looks")
        play.note(f"seen {person.id}")
        name = known.call(person)
        told.append(
            play.line("go.person", name=name, Name=capital(name))
            + (f" {_looks(play, person, looks[0])}" if looks else "")
        )
    return [" ".join(told)]


def _looks(play: Play, person: Entity, fact: Fact) -> str:
    text = play.tell(fact)
    return text if re.match(r"(?:She|He|They|It|Her|His|Their)\b", text) else f"{ended(text)}"
