"""Things and groups."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from sottovoce.rulesets.tabletop.rules.lore.entities import entity_of, place_names
from sottovoce.rulesets.tabletop.rules.lore.headings import CLOSED, THING, Planned, said_of
from sottovoce.rulesets.tabletop.rules.lore.lines import lines_of, title_of
from sottovoce.rulesets.tabletop.rules.lore.reading import Reading, introduced


@lru_cache(maxsize=512)
def thing_in(path: str, text: str, planned: Planned = (), strict: bool = False) -> Reading:
    read = Reading(path)
    title = title_of(text, path)
    names = set(place_names(title))
    thing = entity_of("thing", title, frozenset(names))
    for line in lines_of(text):
        under = [head for head in line.heads[1:] if head]
        # what players can find out by use stands under a heading that says so, whatever else it says
        if line.lead == "|" or any(CLOSED.search(h) for h in under if not re.search(r"(?i)^known propert", h)):
            continue
        found = said_of(THING, under, planned, strict, line.first)
        if found is None and not under and not line.lead:
            introduced(read, thing.id, line, strict)
        if found:
            read.add(*found, thing.id, line, label=line.lead)
    first = next((fact.text for fact in read.facts if fact.kind == "sense"), "")
    noun = re.match(
        r"(?i)(?:an?|the|this|one) (?:[\w'’-]+,? ){0,4}?([\w'’-]+)(?= of | that | with |[,.]| in | made )", first
    )
    read.entities = [replace(thing, names=frozenset(names | ({noun[1].casefold()} if noun else set())), stated=True)]
    return read


@lru_cache(maxsize=512)
def group_in(path: str, text: str, planned: Planned = (), strict: bool = False) -> Reading:
    read = Reading(path)
    title = title_of(text, path)
    read.entities = [entity_of("group", title, place_names(title), stated=True)]
    return read
