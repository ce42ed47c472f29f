"""Where an open session begins: where the party's papers leave it, or, where they say nothing, at a harmless place.

A place is chosen by its name, by what can be seen there and by who stands there: by what is open, and nothing else.
"""

from __future__ import annotations

import re

from sottovoce.rulesets.tabletop.rules.lore.facts import Entity, World
from sottovoce.rulesets.tabletop.rules.lore.known import Known, found_by
from sottovoce.rulesets.tabletop.rules.lore.language import content

_SETTLED = re.compile(
    r"(?i)\b(?:town|village|city|hamlet|inn|tavern|alehouse|pub|harbou?r|port|market|square|camp|crossroads?|ferry"
    r"|bridge|gate|hostel|station|mill|farm|manor|abbey|keep|dorf|stadt|gasthaus|taverne|hafen|markt|ville|village"
    r"|auberge|taverne|pueblo|aldea|posada|taberna|mercado|citt[aà]|locanda|villaggio|vila|cidade|wioska|miasto|karczma"
    r"|деревня|город|таверна|порт)\b|(?:dorf|stadt|burg|hafen|heim|ton|ham|by|wick|ford|haven|mouth|村|町|城)$"
)
_SINISTER = re.compile(
    r"(?i)\b(?:lair|hideouts?|secret|hidden|dungeons?|crypts?|tombs?|caves?|caverns?|base|strongholds?|cults?|vaults?"
    r"|prisons?|final|boss|temple|tower|ruins?|sanctum|den|fortress|catacombs?|sewers?|undercity|verlies|gruft|höhle"
    r"|repaire|crypte|donjon|guarida|cripta|mazmorra)\b"
)
_MOST = 3
_ACQUAINTED = 2
_NEARBY = 3


def told_place(known: Known) -> Entity | None:
    """The place where the party's own papers leave it; else a place that they name; never one that they do not."""
    papers = known.papers
    places = [e for e in known.world.entities.values() if e.kind in ("place", "part")]
    last = papers.before[-1].text if papers.before else ""
    for text in (papers.where, papers.now, last, " ".join(f.text for f in papers.before)):
        found = found_by(text, places)
        parts = [each for each in found if each.kind == "part"]
        if parts or found:
            return (parts or found)[0]
    named = [each for each in places if each.kind == "place" and each.id in known.names]
    return named[0] if named else None


def named_place(world: World, name: str) -> Entity | None:
    """The place or part of that name."""
    low = name.casefold().strip().removeprefix("the ")
    found = [e for e in world.entities.values() if e.kind in ("place", "part") and (low in e.names or low == e.id)]
    return found[0] if found else None


def acquaintances(known: Known) -> list[Entity]:
    """Who at this place has something to tell to anybody who asks: those whom a party there would have heard of."""
    place = known.place
    inside = {place.id, *(part.id for part in known.world.parts(place.id))} if place is not None else set()
    return [
        each
        for each in known.world.all("person")
        if inside & set(each.places)
        and not each.gone
        and not _SINISTER.search(each.name)
        and any(fact.gate == "open" and not known.closed(fact, (each,)) for fact in known.world.of.get(each.id, ()))
    ][:_ACQUAINTED]


def spot_of(known: Known, people: list[Entity]) -> Entity | None:
    """Where at this place most of these people stand; the place itself where it has no parts."""
    spots = [spot for each in people if (spot := known.stands_at(each)) is not None]
    return max(spots, key=spots.count) if spots else known.place


def likely_place(world: World) -> Entity | None:
    """A place where a party may well be: settled, peopled, with something to see, and no lair by its name."""
    return next(iter(_likely(world, ("sense", "part"))), None)


def places_nearby(known: Known) -> list[Entity]:
    """Other places that anybody would have heard of where the party is, the likeliest first."""
    named = {word for each in known.world.all("person") for word in content(each.name)}
    return [
        each
        for each in _likely(known.world, ("sense", "part", "history"))
        if each is not known.place and not named.intersection(content(each.name))
    ][:_NEARBY]


def _likely(world: World, kinds: tuple[str, ...]) -> list[Entity]:
    """The places where somebody is or that have facts of these kinds, the likeliest first."""
    scored: list[tuple[int, Entity]] = []
    for place in world.all("place"):
        if _SINISTER.search(place.name):
            continue
        inside = {place.id, *(part.id for part in world.parts(place.id))}
        people = sum(1 for each in world.all("person") if inside & set(each.places))
        seen = sum(1 for key in inside for fact in world.of.get(key, ()) if fact.kind in kinds)
        if seen or people:
            scored.append((4 * bool(_SETTLED.search(place.name)) + min(people, _MOST) + min(seen, _MOST), place))
    return [place for _, place in sorted(scored, key=lambda each: -each[0])]
