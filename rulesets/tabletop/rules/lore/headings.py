"""What the headings and bold leads of a file say of the lines below them; one that is not known here closes them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sottovoce.rulesets.tabletop.rules.folders.kinds import bare
from sottovoce.rulesets.tabletop.rules.lore.entities import Gate

CLOSED = re.compile(
    r"(?i)\b(?:secrets?|gm|dm|game master|dungeon master|hidden|spoilers?|plot|arcs?|true|truth|real"
    r"|hooks?|stats?|combat"
    r"|mechanics|notes?|relationships?|mystery|threats?|vs|cache|only|later|optional|outcomes?|approach|resolution)\b"
    r"|does ?n[o']t know|do not know"
)
Headings = Sequence[tuple[re.Pattern[str], str, Gate]]
PERSON: Headings = (
    (
        re.compile(
            r"appearance|at first sight|description|^looks|^aussehen|^beschreibung|^apparence|^apariencia|^aspecto"
            r"|^descripci[oó]n|^aspetto|^descri(?:zione|[cç][aã]o)|^apar[eê]ncia|^wygl[aą]d|^opis\b|^uiterlijk|^utseende"
            r"|^внешность|^описание|^外見"
        ),
        "looks",
        "sight",
    ),
    (
        re.compile(
            r"public knowledge|commonly known|what (?:she|he|they|everybody) tells?|rumou?rs|at second sight"
            r"|^(?:öffentlich(?:es wissen)?|allgemein bekannt|gerüchte|connu de tous|rumeurs|rumores|voci"
            r"|слухи|plotki)$"
        ),
        "knows",
        "open",
    ),
    (re.compile(r"private knowledge|what (?:she|he|they) knows?\b|in confidence"), "knows", "trust"),
    (re.compile(r"^demeanou?r|^manner$|mannerism|^behaviou?r|^personality$"), "habit", "sight"),
    (re.compile(r"sample dialogue|^voice$|^quotes?|catchphrase|^says"), "line", "open"),
    (re.compile(r"^motivation|^wants?$|^goals?$"), "want", "insight"),
    (re.compile(r"^fears?$"), "fear", "insight"),
)
PLACE: Headings = (
    (
        re.compile(
            r"^sights|^sounds|^smells|^feeling|^atmosphere|at first sight|at second sight|^description|^senses"
            r"|^read[ -]?aloud|^boxed text|^vorlesetext|^beschreibung|^à lire|^descripci[oó]n"
            r"|^descri(?:zione|[cç][aã]o)|^opis\b|^beskrivning|^beschrijving|^описание|^説明"
        ),
        "sense",
        "sight",
    ),
    (re.compile(r"^history"), "history", "open"),
    (re.compile(r"^likely encounters?|^encounters?$|^who is about"), "encounter", "sight"),
    (re.compile(r"^possible encounters?|^troubles?"), "trouble", "sight"),
    (re.compile(r"^clues?|^what can be found"), "clue", "check"),
)
THING: Headings = (
    (re.compile(r"^description|^appearance|at first sight"), "sense", "sight"),
    (re.compile(r"^known propert|^use$|^uses$|^properties$"), "property", "sight"),
)
PARTS = re.compile(
    r"(?i)^\W*(?:(?:key|notable) (?:features|locations|places|landmarks)|places of interest|features"
    r"|districts?|areas?|rooms?|points? of interest|places?|what is here"
    r"|locations?|landmarks?)\b"
)
TABLED = re.compile(r"(?i)\b(?:npcs?|people|who)\b")
NOT_PARTS = re.compile(
    r"(?i)^(?:overview|journey|the journey|encounters?|introduction|summary|tone|map|travel|other|the other)\b"
)
_VAGUE = re.compile(r"(?i)descri|beschreib|beskriv|beschrijv|\bopis\b|описание|説明|history|personality")
"""Headings under which authors put anything."""
_ORNAMENTS = re.compile(r"^[\W\d_]+")
Planned = tuple[tuple[str, str], ...]
"""What a folder's plan says of headings, by their bare names."""
_PLANNED: Mapping[str, tuple[str, Gate]] = {
    "seen": ("looks", "sight"),
    "asked": ("knows", "open"),
    "trusted": ("knows", "trust"),
}
_PLANNED_PLACE: Mapping[str, tuple[str, Gate]] = {
    "seen": ("sense", "sight"),
    "asked": ("history", "open"),
    "trusted": ("history", "open"),
}


def kind_under(table: Headings, title: str, planned: Planned = ()) -> tuple[str, Gate] | None:
    how = dict(planned).get(bare(title)) if planned else None
    if how is not None:
        return (_PLANNED if table is PERSON else _PLANNED_PLACE).get(how)
    words_ = _ORNAMENTS.sub("", title.lower(), count=1)
    return next(((kind, gate) for pattern, kind, gate in table if pattern.search(words_)), None)


def said_of(
    table: Headings, under: Sequence[str], planned: Planned = (), strict: bool = False, first: bool = True
) -> tuple[str, Gate] | None:
    """What the headings above a line say of it: the closest that is known, and in a strange folder the closest alone.

    There, what stands under a heading that often covers everything is known only as far as its first block goes, since
    authors put what shows first and the rest behind it.
    """
    if strict:
        vague = under and not first and _VAGUE.search(under[-1])
        return kind_under(table, under[-1], planned) if under and not vague else None
    return next((kind for head in reversed(under) if (kind := kind_under(table, head, planned))), None)


def is_shut(heads: Sequence[str], table: Headings, planned: Planned) -> bool:
    """Whether a heading closes what stands below it: by plan, or by its words where it is none that is known."""
    closed = dict(planned)
    return any(
        closed.get(bare(head)) == "closed" or (CLOSED.search(head) and not kind_under(table, head, planned))
        for head in heads
    )
