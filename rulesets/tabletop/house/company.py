"""Who comes up to the party by themself, because of what it does: each of them once an evening."""

from __future__ import annotations

from sottovoce.rulesets.tabletop.house.play import Play
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity


def about(play: Play) -> list[Entity]:
    """Who is at home at this place, is not at this spot, and may be spoken of; those whom nobody has met first."""
    known, memory = play.known, play.memory
    place = known.place
    if place is None:
        return []
    found = [
        each
        for each in play.world.all("person")
        if not each.gone
        and place.id in {play.world.entities[key].parent or key for key in each.places}
        and each not in known.present
        and each.id not in memory.away
        and f"came {each.id}" not in memory.done
        and (each.id in known.names or each.offices)
    ]
    return sorted(found, key=lambda each: each.id in memory.met)


def comes(play: Play) -> tuple[Entity | None, str]:
    """Let the next of them come up: who it is, and what is to be seen; nobody and nothing where all did."""
    person = next(iter(about(play)), None)
    if person is None:
        return None, ""
    play.note(f"done came {person.id}")
    play.note(f"here {person.id}")
    looks = play.known.fresh(person.id, "looks")
    name = play.known.call(person)
    told = play.line("comes", name=name[:1].upper() + name[1:])
    return person, f"{told} {play.tell(looks[0])}" if looks else told


def introduced(play: Play) -> str:
    """Somebody who has not been met says who they are: one who is here, or one who comes up; empty without any."""
    person = next((each for each in play.known.present if each.id not in play.memory.met), None)
    told = ""
    if person is None:
        person, told = comes(play)
    return " ".join(part for part in (told, play.meet(person) if person is not None else "") if part)


def noticed(play: Play) -> str:
    """What comes of a deed that is plain for all to see: somebody comes, or something else catches the eye."""
    person, told = comes(play)
    return told if person is not None else sight(play)


def sight(play: Play) -> str:
    """Something of this place that nobody has told of yet; empty where nothing is left."""
    known = play.known
    for part in known.parts:
        if part is known.spot or any(fact.id in play.memory.told for fact in play.world.of.get(part.id, ())):
            continue
        facts = known.fresh(part.id, "part")
        if facts:
            return f"{play.line('see.part', name=part.the)} {play.tell(facts[0])}"
    return ""
