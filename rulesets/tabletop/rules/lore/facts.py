"""What a campaign folder says, as typed facts: each with its file, its line, and the gate that it stands behind.

    world = world_of(state.documents, state.roster)

Headings and leads decide what a line is and who may ever hear it. What stands under a heading that is not known here is
closed: it is read for nothing. So nothing in the house depends on what is written where only the GM may look.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from sottovoce.rulesets.tabletop.rules.documents import Documents, Piece, rebuild
from sottovoce.rulesets.tabletop.rules.folders.arrangement import LIST
from sottovoce.rulesets.tabletop.rules.folders.kinds import Kind, read_as
from sottovoce.rulesets.tabletop.rules.folders.plan import PLAN, headings_in
from sottovoce.rulesets.tabletop.rules.lore.beats import story_beats
from sottovoce.rulesets.tabletop.rules.lore.entities import (
    HONORIFICS,
    OFFICES,
    Entity,
    Fact,
    Gate,
    StoryBeat,
    World,
    slug,
)
from sottovoce.rulesets.tabletop.rules.lore.headings import CLOSED, PARTS, PERSON, PLACE, TABLED, Planned, kind_under
from sottovoce.rulesets.tabletop.rules.lore.language import content, words
from sottovoce.rulesets.tabletop.rules.lore.lines import lines_of
from sottovoce.rulesets.tabletop.rules.lore.papers import Papers, papers_of
from sottovoce.rulesets.tabletop.rules.lore.people import person_in
from sottovoce.rulesets.tabletop.rules.lore.places import place_in
from sottovoce.rulesets.tabletop.rules.lore.reading import Reading
from sottovoce.rulesets.tabletop.rules.lore.things import group_in, thing_in

__all__ = [
    "OFFICES",
    "Entity",
    "Fact",
    "Gate",
    "Papers",
    "StoryBeat",
    "World",
    "papers_of",
    "slug",
    "unread_headings",
    "world_of",
]

_MOST_HEADINGS = 40


def unread_headings(files: Mapping[str, bytes]) -> list[str]:
    """The headings of people's and places' files that nothing is known of, and so are closed, the commonest first.

    None that is marked for the GM is among them.
    """
    found: Counter[str] = Counter()
    for path, text in files.items():
        kind = read_as(path)
        if kind not in ("people", "places"):
            continue
        table = PERSON if kind == "people" else PLACE
        lines = list(lines_of(text.decode("utf-8", "replace")))
        for head in {line.heads[-1] for line in lines if line.heads[1:] and line.heads[-1]}:
            parts = kind == "places" and (PARTS.search(head) or TABLED.search(head))
            if not (kind_under(table, head) or CLOSED.search(head) or parts or len(head) > 40):
                found[head] += 1
    return [head for head, _ in found.most_common(_MOST_HEADINGS)]


_READERS: Mapping[Kind, Callable[[str, str, Planned, bool], Reading]] = {
    "people": person_in,
    "places": place_in,
    "things": thing_in,
    "groups": group_in,
}
_texts: dict[int, tuple[Iterable[Piece], str]] = {}


def _text(pieces: Iterable[Piece]) -> str:
    """The text of a document, kept as long as its pieces are."""
    held = _texts.get(id(pieces))
    if held is None or held[0] is not pieces:
        if len(_texts) > 4096:
            _texts.clear()
        held = _texts[id(pieces)] = (pieces, rebuild([p for p in pieces if p.coding == "text"]))
    return held[1]


def world_of(documents: Documents, roster: Sequence[str]) -> World:
    """The world of these documents, for that party."""
    named = [path for path in sorted(documents) if read_as(path) is not None]
    planned = headings_in(_text(documents[PLAN])) if PLAN in documents else ()
    return _world(tuple((path, _text(documents[path])) for path in named), tuple(roster), planned, LIST in documents)


@lru_cache(maxsize=32)
def _world(
    files: tuple[tuple[str, str], ...], roster: tuple[str, ...], planned: Planned = (), strict: bool = False
) -> World:
    entities: dict[str, Entity] = {}
    facts: list[Fact] = []
    beats: list[StoryBeat] = []
    for path, text in files:
        kind = read_as(path)
        if kind is None or kind not in _READERS:
            beats += story_beats(path, text)
            continue
        read = _READERS[kind](path, text, planned, strict)
        facts += read.facts
        for entity in read.entities:
            known = entities.get(entity.id)
            entities[entity.id] = entity if known is None else _joined(known, entity)
    entities = _merged(entities, roster)
    places = [each for each in entities.values() if each.kind in ("place", "part")]
    for key, entity in entities.items():
        if entity.kind == "person":
            found = [place for text in entity.places for place in _located(text, places, entities)]
            entities[key] = replace(entity, places=tuple(dict.fromkeys(found)))
        elif entity.kind == "place":
            near = [entities[e].parent or e for text in entity.places for e in _located(text, places, entities)]
            entities[key] = replace(entity, places=tuple(each for each in dict.fromkeys(near) if each != key))
    facts = [fact for fact in facts if fact.owner in entities]
    if strict:
        facts = _without_templates(facts)
    of: dict[str, tuple[Fact, ...]] = {}
    for fact in facts:
        of[fact.owner] = (*of.get(fact.owner, ()), fact)
    spoken = frozenset(word for entity in entities.values() for word in content(entity.name))
    return World(entities, {fact.id: fact for fact in facts}, tuple(beats), spoken, of)


_TEMPLATE = 3
"""Notes that have the same sentence, from which on it comes from their template."""


def _without_templates(facts: Sequence[Fact]) -> list[Fact]:
    """The facts without those that only say what to fill in."""
    owners: dict[str, set[str]] = {}
    for fact in facts:
        owners.setdefault(fact.text, set()).add(fact.owner)
    shown = ("looks", "sense")
    return [
        fact
        for fact in facts
        if len(owners[fact.text]) < _TEMPLATE and not (fact.kind in shown and fact.text.endswith("?"))
    ]


def _joined(one: Entity, other: Entity) -> Entity:
    full, short = (one, other) if one.stated else (other, one)
    return replace(
        full,
        names=full.names | short.names,
        places=(*full.places, *short.places),
        offices=full.offices | short.offices,
        gone=full.gone or short.gone,
    )


def _merged(entities: dict[str, Entity], roster: Sequence[str]) -> dict[str, Entity]:
    """Without the party, and with somebody's short name in a table taken for the one who has a file."""
    party = {*roster, *(name.split("-")[0] for name in roster)}
    kept = {key: each for key, each in entities.items() if not (each.kind == "person" and key in party)}
    for key, entity in list(kept.items()):
        if entity.kind != "person" or entity.stated:
            continue
        mine = set(words(entity.name)) - HONORIFICS
        full = [
            each for each in kept.values() if each.kind == "person" and each.stated and mine & set(words(each.name))
        ]
        if len(full) == 1 and (mine <= set(words(full[0].name)) or words(entity.name)[-1:] == words(full[0].name)[-1:]):
            kept[full[0].id] = _joined(full[0], entity)
            del kept[key]
    many: dict[str, int] = {}
    for entity in kept.values():
        for name in entity.names if entity.kind == "person" else ():
            many[name] = many.get(name, 0) + 1
    for key, entity in kept.items():
        if entity.kind == "person":
            own = frozenset(name for name in entity.names if many[name] == 1 or name == entity.name.casefold())
            kept[key] = replace(entity, names=own)
    return kept


def _located(text: str, places: Sequence[Entity], entities: Mapping[str, Entity]) -> list[str]:
    """The places that a line names, the closest first; a place's own id stands for itself."""
    if text in entities:
        return [text]
    low = text.casefold()
    found = [each for each in places if any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", low) for name in each.names)]
    parts = [each for each in found if each.kind == "part"]
    wholes = {each.id for each in found if each.kind == "place"}
    close = [each for each in parts if not wholes or each.parent in wholes] or found
    return [each.id for each in close]
