"""People: a file of their own, or a row in a table of the place where they are."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from sottovoce.rulesets.tabletop.rules.folders.front_matter import fields
from sottovoce.rulesets.tabletop.rules.lore.entities import Fact, entity_of, offices_in, person_names
from sottovoce.rulesets.tabletop.rules.lore.headings import CLOSED, PERSON, Planned, is_shut, kind_under, said_of
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST, plain_text, words
from sottovoce.rulesets.tabletop.rules.lore.lines import Line, lines_of, title_of
from sottovoce.rulesets.tabletop.rules.lore.reading import Reading

GONE = re.compile(r"(?i)\b(?:dead|deceased|died|killed|late|missing|corpse)\b")
_NUMBERS = re.compile(r"(?i)\b(AC|Armou?r Class|HP|Hit Points)\W{1,6}(\d{1,3})")
_QUOTED = re.compile(r"[\"“]([^\"”]{12,})[\"”]")
_LOOKED = ("occupation", "role", "job", "species", "race", "ancestry")
"""Fields of a note that say what somebody is; only what shows is taken from them."""
_WHERE = (
    "location",
    "locations",
    "where",
    "current location",
    "place",
    "home",
    "ort",
    "wohnort",
    "lieu",
    "lugar",
    "luogo",
)


@lru_cache(maxsize=512)
def person_in(path: str, text: str, planned: Planned = (), strict: bool = False) -> Reading:
    read = Reading(path)
    title = title_of(text, path)
    told = fields(text)
    numbers = {key[:1].upper(): int(value) for key, value in reversed(_NUMBERS.findall(text))}
    gone = any(GONE.search(value) for value in told.get("status", ()))
    where = ", ".join(plain_text(value) for key in _WHERE for value in told.get(key, ()))
    offices = offices_in(" ".join(value for key in _LOOKED for value in told.get(key, ())))
    entity = entity_of("person", title, person_names(title) | {each.casefold() for each in told.get("aliases", ())})
    for line in lines_of(text):
        under = [head for head in line.heads[1:] if head]
        if line.lead == "|":
            if len(line.cells) > 1 and line.cells[0].casefold() == "status":
                gone = gone or bool(GONE.search(line.cells[1]))
            if len(line.cells) > 1 and line.cells[0].casefold() in ("occupation", "role"):
                offices |= offices_in(line.cells[1])
            continue
        if not under and line.lead.casefold() in _WHERE:
            where = line.text
        elif not under and line.lead.casefold() in ("role", "occupation"):
            offices |= offices_in(line.text)
            gone = gone or bool(re.search(r"(?i)\b(?:deceased|dead)\b", line.text))
        if is_shut(under, PERSON, planned) or CLOSED.search(line.lead):
            continue
        found = kind_under(PERSON, line.lead) if line.lead else None
        found = found or said_of(PERSON, under, planned, strict, line.first)
        if found is None or re.fullmatch(r"(?i)n/?a\b.*|none\.?|tb[ad]\W*|todo\W*|[\W_]+", line.text[:LONGEST]):
            continue
        if found[0] == "line":
            for quote in _QUOTED.findall(line.text[:LONGEST]):
                read.facts.append(Fact(f"{path}:{line.number}q{len(read.facts)}", "line", "open", entity.id, quote))
        else:
            read.add(*found, entity.id, line)
    spoken = " ".join(fact.text for fact in read.facts if fact.gate in ("open", "sight"))
    read.entities = [
        replace(
            entity,
            gone=gone,
            offices=offices,
            places=(where,) if where else (),
            pronoun=_pronoun(spoken),
            armor=numbers.get("A", 12),
            hit_points=numbers.get("H", 9),
            stated=True,
        )
    ]
    return read


def _pronoun(text: str) -> str:
    found = words(text)
    she = sum(found.count(each) for each in ("she", "her", "hers", "woman"))
    he = sum(found.count(each) for each in ("he", "him", "his", "man"))
    return "she" if she > he else "he" if he else "they"


def tabled(read: Reading, line: Line, place: str) -> None:
    """Somebody who is only a row in a table: a name, and a role that shows by the look of them."""
    if re.match(r"(?i)(?:various|several|workers|unknown|none|\W*$)", line.cells[0]):
        return
    role = line.cells[1] if len(line.cells) > 1 else ""
    title = line.cells[0]
    read.entities.append(
        entity_of(
            "person",
            title,
            person_names(title),
            places=(place,),
            gone=bool(GONE.search(role)),
            offices=offices_in(role),
        )
    )
