"""Places: their parts, what shows there, what a search can find, and who is about."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from sottovoce.rulesets.tabletop.rules.folders.front_matter import fields
from sottovoce.rulesets.tabletop.rules.lore.entities import Entity, entity_of, place_names
from sottovoce.rulesets.tabletop.rules.lore.headings import (
    CLOSED,
    NOT_PARTS,
    PARTS,
    PLACE,
    TABLED,
    Planned,
    is_shut,
    kind_under,
    said_of,
)
from sottovoce.rulesets.tabletop.rules.lore.lines import lines_of, title_of
from sottovoce.rulesets.tabletop.rules.lore.people import tabled
from sottovoce.rulesets.tabletop.rules.lore.reading import Reading, introduced

_DC = re.compile(r"(?i)\bDC ?(\d{1,2}),? ([A-Za-z]+(?: of Hand)?)|\b([A-Za-z]+),? DC ?(\d{1,2})")

_LIES = re.compile(r"(?i)(?:region|location)\W*")
"""The bold lead at the top of a place's file that says by what it lies."""
_KEYED = re.compile(r"(?m)^#{2,6} +[A-Z]{0,3}\d{1,3}[a-z]?[.:)]? +\S")
_KEY = re.compile(r"[A-Z]{0,3}\d{1,3}[a-z]?[.:)]? +(?:[·–—-] +)?(?=\S)")
"""Rooms with a key, as printed adventures have them. There the first quotation is what players hear of a room."""


_SENSED = re.compile(r"(?i)\b(?:sounds?|smells?|scents?|tastes?|noises?)\b")
"""Leads that say by which sense it is perceived."""


@lru_cache(maxsize=512)
def place_in(path: str, text: str, planned: Planned = (), strict: bool = False) -> Reading:
    read = Reading(path)
    title = title_of(text, path)
    aliases = frozenset(each.casefold() for each in fields(text).get("aliases", ()))
    place = entity_of("place", title, place_names(title) | aliases, stated=True)
    parts: dict[str, Entity] = {}

    def part(name: str) -> str:
        made = entity_of("part", name, place_names(name), place.id)
        parts.setdefault(made.id, made)
        return made.id

    keyed = strict and len(_KEYED.findall(text)) > 1
    quoted: dict[str, int] = {}
    lies: list[str] = []
    for line in lines_of(text, quotes=keyed):
        under = [head for head in line.heads[1:] if head]
        top, last = (under[0], under[-1]) if under else ("", "")
        if not (under or strict) and _LIES.fullmatch(line.lead):
            lies.append(line.text)
            continue
        if line.lead == "|":
            if TABLED.search(top) and line.cells[0].casefold() not in ("npc", "name", "person", "who"):
                tabled(read, line, place.id)
            continue
        if is_shut(under, PLACE, planned):
            continue
        key = _KEY.match(last) if keyed else None
        if line.quoted or key:
            if line.quoted and key and not CLOSED.search(last) and line.number <= quoted.get(last, line.number) + 2:
                read.add("part", "sight", part(last[key.end() :]), line)
                quoted[last] = line.number
            continue
        if not line.item and CLOSED.search(line.lead):
            continue
        lead_kind = kind_under(PLACE, line.lead) if line.lead and not line.item else None
        found = lead_kind or said_of(PLACE, under, planned, strict, line.first)
        clue = _DC.search(f"{line.text} {line.lead}")
        if clue:
            skill = (clue[2] or clue[3] or "").casefold()
            bare = re.sub(r"\s*\((?=[^)]*DC)[^)]*\)", "", line.text)
            if "save" not in bare and found:
                read.add("clue", "check", place.id, line, bare, dc=int(clue[1] or clue[4]), skill=skill)
        elif found:
            label = line.lead if line.item or _SENSED.search(line.lead) else ""
            read.add(*found, place.id, line, label=label)
        elif PARTS.search(top):
            if line.item and line.lead and not CLOSED.search(line.lead) and not (strict and len(under) > 1):
                read.add("part", "sight", part(line.lead), line)
            elif keyed:
                continue
            elif len(under) > 1 and strict:
                shown = entity_of("part", last, frozenset(), place.id).id
                if not any(fact.owner == shown for fact in read.facts) and introduced(read, shown, line, strict):
                    part(last)
            elif len(under) > 1:
                read.add("part", "sight", part(last), line)
        elif not under and not line.lead and not line.item:
            introduced(read, place.id, line, strict)
        elif (
            under
            and not strict
            and not line.lead
            and not line.item
            and not NOT_PARTS.search(top)
            and not TABLED.search(top)
        ):
            read.add("part", "sight", part(top), line)
    read.entities += [replace(place, places=tuple(lies)), *parts.values()]
    return read
