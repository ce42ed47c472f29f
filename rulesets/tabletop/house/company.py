"""Who comes up to the party by themself, because of what it does: each of them once an evening."""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.house.play import Play, capital
from sottovoce.rulesets.tabletop.rules.lore.facts import Entity


def findable(play: Play, person: Entity) -> bool:
    """Whether somebody can be found by asking one's way: the party has heard the name, and no paper says where."""
    known = play.known
    free = not person.gone and person.id not in play.memory.away and person.kind == "person"
    return free and not person.places and person.id in known.names and person not in known.present


def found(play: Play, person: Entity) -> str:
    """Ask one's way to somebody of whom it is not said where they are."""
    play.note(f"here {person.id}")
    play.note(f"done came {person.id}")
    name = play.known.call(person)
    looks = play.known.fresh(person.id, "looks")
    told = play.line("found.out", name=name, Name=capital(name))
    return f"{told} {play.tell(looks[0])}" if looks else told


_LOUD = re.compile(
    r"(?i)\b(?:ring|rings|shout|yell|call out|knock|kick|bang|hammer|break|smash|sing|blow (?:the|an?|my|on|into)"
    r"|slam|clap|stamp"
    r"|drum|fire (?:my|the|an?|at)|bark|howl|scream|crash|pound|hit (?:the|a) (?:bell|gong|drum))\w*\b"
)
"""Deeds that are heard far and wide."""


_LOW = re.compile(
    r"(?i)\b(?:quietly|softly|silently|gently|under (?:my|our) breath|without a sound|to (?:myself|ourselves))\b"
)


def loud(text: str) -> bool:
    """Whether a deed is heard far and wide."""
    return bool(_LOUD.search(text)) and not _LOW.search(text)


_SHOUTS = re.compile(
    r"(?i)^[\W\w]{0,80}?\b(?:i|we) (?:\w+ly )?(?:shout|yell|call out|scream|bellow|cry out|roar|holler)s?\b"
)


def shouts(text: str) -> bool:
    """Whether words are shouted at everybody within earshot."""
    return bool(_SHOUTS.search(text)) and not _LOW.search(text)


def heard_far(play: Play) -> str:
    """What a noise brings: somebody of the place, and else trouble that comes the sooner for it."""
    came = comes_and_speaks(play, "comes.noise")
    if not came:
        play.note(f"done noise {play.memory.clock}")
    return came or play.line("deed.noise")


def about(play: Play, again: bool = False) -> list[Entity]:
    """Who is at home at this place, and is not at this spot; those whom nobody has met first.

    `again` counts those who have come up tonight already.
    """
    known, memory = play.known, play.memory
    place = known.place
    if place is None:
        return []
    here = [
        each
        for each in play.world.all("person")
        if not each.gone
        and (place.id in {play.world.entities[key].parent or key for key in each.places} or findable(play, each))
        and each not in known.present
        and each.id not in memory.away
        and (again or f"came {each.id}" not in memory.done)
    ]
    return sorted(here, key=lambda each: each.id in memory.met)


def visitors(play: Play) -> list[Entity]:
    """Who may come over from a place that the party has heard of, once all of this place have come."""
    known, memory = play.known, play.memory
    heard = {each.id for each in known.entities if each.kind == "place" and each is not known.place}
    return [
        each
        for each in play.world.all("person")
        if not each.gone
        and {play.world.entities[key].parent or key for key in each.places} & heard
        and each not in known.present
        and each.id not in memory.away
        and each.id not in memory.met
        and f"came {each.id}" not in memory.done
        and (each.id in known.names or each.offices)
    ]


def visits(play: Play) -> str:
    """Somebody comes over from a place that the party has heard of, and says who they are; empty without any."""
    person = next(iter(visitors(play)), None)
    if person is None:
        return ""
    homes = [play.world.entities[play.world.entities[key].parent or key] for key in person.places]
    name = play.known.call(person)
    told = play.line("comes.visitor", name=name, Name=capital(name), place=homes[0].the)
    came(play, person)
    looks = play.known.fresh(person.id, "looks")
    told = f"{told} {play.tell(looks[0])}" if looks else told
    return " ".join(part for part in (told, play.meet(person, visiting=True)) if part)


def was_seen(play: Play, person: Entity) -> bool:
    """Whether the party has seen somebody tonight or before."""
    return person.id in play.memory.seen or f"came {person.id}" in play.memory.done


def last_seen(play: Play, person: Entity) -> Entity | None:
    """Where somebody is to be found whom the party has seen: at home, in a place where the party has been."""
    if not was_seen(play, person):
        return None
    been = {line.partition(" ")[2].partition("/")[0] for line in play.memory.lines if line.startswith("at ")}
    homes = [play.world.entities[key] for key in person.places if key != play.memory.at]
    return next((home for home in homes if (home.parent or home.id) in been), None)


def absent(play: Play, person: Entity) -> str:
    """Somebody is not here; where they may be found is said if the party has seen them there."""
    name = play.known.call(person)
    spot = last_seen(play, person)
    if spot is not None:
        return play.line("absent.where", name=name, Name=capital(name), place=spot.the)
    return play.line("absent", name=name, Name=capital(name))


SPACE, ALONE = 3, 1
"""Turns between two people who come up by themselves, and to a deed at which nobody is there."""
_UNCALLED = ("comes.deed", "comes.search", "comes.quiet")


def due(play: Play, space: int = SPACE) -> bool:
    """Whether somebody may come up by themself: not while the party talks to somebody, nor so soon after the last."""
    return not play.spoke and play.memory.clock - play.memory.visited >= space


def came(play: Play, person: Entity) -> None:
    """Somebody is here now who has come up by themself."""
    play.note(f"done came {person.id}")
    play.note(f"here {person.id}")
    play.note(f"visited {play.memory.clock}")


def comes(
    play: Play, why: str = "comes", again: bool = False, wanted: frozenset[str] = frozenset()
) -> tuple[Entity | None, str]:
    """Let the next of them come up: who it is, and what is to be seen; nobody and nothing where all did.

    `why` is the topic of the line that says what brings them.
    """
    free = about(play) or (about(play, again=True) if again else [])
    person = next((each for each in free if wanted & each.offices), None) or next(iter(free), None)
    if person is None or (why in _UNCALLED and not due(play, SPACE if play.known.present else ALONE)):
        return None, ""
    came(play, person)
    looks = play.known.fresh(person.id, "looks")
    name = play.known.call(person)
    told = play.line(why, who=play.name(play.doer or play.table.state.played[0]), name=name, Name=capital(name))
    return person, f"{told} {play.tell(looks[0])}" if looks else told


def comes_and_speaks(play: Play, why: str = "comes", again: bool = False) -> str:
    """Somebody comes up, says who they are, and what they would know; empty without any."""
    person, told = comes(play, why, again)
    if person is None:
        return ""
    met = play.meet(person, visiting=True)
    spot = play.known.spot
    wonders = play.fresh("comes.asks", place=spot.the if spot is not None else "here", name=play.known.call(person))
    return " ".join(part for part in (told, met, wonders) if part)


def introduced(play: Play, why: str = "comes") -> str:
    """Somebody who has not been met says who they are: one who is here, or one who comes up; empty without any."""
    person = next((each for each in play.known.present if each.id not in play.memory.met), None)
    if person is None:
        return comes_and_speaks(play, why)
    return play.meet(person)


_LIES = re.compile(r"(?i)(?:among|behind|under|above|in|on|at|beyond|inside|below|beneath|by|near|around|between)\b")


def lies(part: Entity) -> bool:
    """Whether a name begins with a word for where it lies: `Among the Trees`."""
    return bool(_LIES.match(part.name))


def sight(play: Play) -> str:
    """Something of this place that nobody has told of yet; empty where nothing is left."""
    known = play.known
    for part in known.parts:
        if part is known.spot or any(fact.id in play.memory.told for fact in play.world.of.get(part.id, ())):
            continue
        facts = known.fresh(part.id, "part")
        if facts:
            lead = "" if lies(part) else play.line("see.part", name=part.the)
            return " ".join(each for each in (lead, play.tell(facts[0])) if each)
    return ""
