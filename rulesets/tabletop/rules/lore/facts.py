"""What a campaign folder says, as typed facts: each with its file, its line, and the gate that it stands behind.

    world = world_of(state.documents, state.roster)

Headings and leads decide what a line is and who may ever hear it. What stands under a heading that is not known here is
closed: it is read for nothing. So nothing in the house depends on what is written where only the GM may look.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Literal

from sottovoce.rulesets.tabletop.rules.documents import (
    PARTY_KNOWLEDGE,
    Documents,
    Piece,
    marked_title,
    open_lines,
    rebuild,
)
from sottovoce.rulesets.tabletop.rules.folders.arrangement import LIST
from sottovoce.rulesets.tabletop.rules.folders.front_matter import fields, length
from sottovoce.rulesets.tabletop.rules.folders.kinds import Kind, bare, read_as
from sottovoce.rulesets.tabletop.rules.folders.plan import PLAN, headings_in
from sottovoce.rulesets.tabletop.rules.lore.language import LONGEST, content, plain_text, sentences, words

PRIMER = "world-primer.md"
OPEN_PAPERS = (PARTY_KNOWLEDGE, PRIMER)
"""What the whole party has read."""

Gate = Literal["known", "sight", "open", "trust", "check", "insight", "beat"]
"""What opens a fact: nothing, being there and looking, asking, trust, a roll, an insight, the outcome of its beat."""

_CLOSED = re.compile(
    r"(?i)\b(?:secrets?|gm|dm|game master|dungeon master|hidden|spoilers?|plot|arcs?|true|truth|real"
    r"|hooks?|stats?|combat"
    r"|mechanics|notes?|relationships?|mystery|threats?|vs|cache|only|later|optional|outcomes?|approach|resolution)\b"
    r"|does ?n[o']t know|do not know"
)
_Headings = Sequence[tuple[re.Pattern[str], str, Gate]]
_PERSON: _Headings = (
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
_PLACE: _Headings = (
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
_THING: _Headings = (
    (re.compile(r"^description|^appearance|at first sight"), "sense", "sight"),
    (re.compile(r"^known propert|^use$|^uses$|^properties$"), "property", "sight"),
)
_PARTS = re.compile(
    r"(?i)^\W*(?:(?:key|notable) (?:features|locations|places|landmarks)|places of interest|features"
    r"|districts?|areas?|rooms?|points? of interest|places?|what is here"
    r"|locations?|landmarks?)\b"
)
_TABLED = re.compile(r"(?i)\b(?:npcs?|people|who)\b")
_NOT_PARTS = re.compile(
    r"(?i)^(?:overview|journey|the journey|encounters?|introduction|summary|tone|map|travel|other|the other)\b"
)
_GONE = re.compile(r"(?i)\b(?:dead|deceased|died|killed|late|missing|corpse)\b")
_HEADING = re.compile(r"(#{1,6}) +(\S.*?)\s*#*")
_LEAD = re.compile(r"\*\*([^*\n]{2,60}?):?\*\*:? *(?:\([^)]*\):? *)?[-–—:]? *(.*)")
_ITEM = re.compile(r"(?:[-*+•]|\d{1,2}[.)]) +(?:\[.\] +)?(.*\S)")
_DC = re.compile(r"(?i)\bDC ?(\d{1,2}),? ([A-Za-z]+(?: of Hand)?)|\b([A-Za-z]+),? DC ?(\d{1,2})")
_NUMBERS = re.compile(r"(?i)\b(AC|Armou?r Class|HP|Hit Points)\W{1,6}(\d{1,3})")
_QUOTED = re.compile(r"[\"“]([^\"”]{12,})[\"”]")
_HONORIFICS = frozenset(
    "dr mr mrs ms sir lady lord captain sergeant lieutenant constable magistrate governor father mother brother sister"
    " master mistress dame old young count countess king queen prince princess commander major general".split()
)
OFFICES = frozenset(
    "constable lieutenant sergeant captain innkeeper priest priestess healer guard mayor magistrate"
    " governor warden smith"
    " clockmaker manager proprietor trader merchant ferryman miller gardener baker abbot scribe clerk"
    " librarian harbourmaster"
    " harbormaster bailiff sheriff doctor teacher fisher fisherman weaver carpenter brewer cook keeper"
    " hunter ranger sexton"
    " blacksmith shepherd farmer widow lighthouse-keeper apothecary boatman foreman overseer porter steward".split()
)
"""What somebody can be called whose name nobody has heard: it shows by the look of them."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One sentence of the folder. `lead` is what stands before it in its paragraph, `label` its own bold lead."""

    id: str
    kind: str
    gate: Gate
    owner: str
    text: str
    lead: str = ""
    label: str = ""
    dc: int = 0
    skill: str = ""


@dataclass(frozen=True, slots=True)
class Entity:
    """Somebody or something with a name. `names` are in lower case; `places` are where somebody is to be found."""

    id: str
    kind: Literal["person", "place", "part", "thing", "group"]
    name: str
    names: frozenset[str]
    parent: str = ""
    places: tuple[str, ...] = ()
    pronoun: str = "they"
    gone: bool = False
    offices: frozenset[str] = frozenset()
    armor: int = 12
    hit_points: int = 9
    stated: bool = False

    @property
    def short(self) -> str:
        """How somebody is called once known: the name without what stands in brackets, or the first of its words."""
        parts = self.name.split()
        while len(parts) > 2 and all(part.strip(".").lower() in _HONORIFICS for part in parts[:2]):
            parts = parts[1:]
        if self.kind != "person" or len(parts) == 1:
            return self.name
        if parts[0].strip(".").lower() in _HONORIFICS:
            return " ".join(parts[:2])
        return parts[-1] if "-" in parts[0] else parts[0]

    @property
    def the(self) -> str:
        """The name as it stands inside a sentence."""
        return f"the {self.name[4:]}" if self.name.startswith("The ") else self.name


@dataclass(frozen=True, slots=True)
class StoryBeat:
    """A beat of somebody else's form: what happens, who asks what, and what comes of which answers."""

    id: str
    title: str
    optional: bool
    happens: tuple[str, ...]
    questions: tuple[str, ...]
    outcomes: Mapping[str, str]
    told: tuple[str, ...]
    decisions: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class World:
    """All of a folder's facts that may ever be told, its people, places and things, and its beats."""

    entities: Mapping[str, Entity]
    facts: Mapping[str, Fact]
    beats: tuple[StoryBeat, ...]
    name_words: frozenset[str]
    of: Mapping[str, tuple[Fact, ...]] = field(default_factory=dict)

    def all(self, kind: str) -> tuple[Entity, ...]:
        return tuple(each for each in self.entities.values() if each.kind == kind)

    def parts(self, place: str) -> tuple[Entity, ...]:
        return tuple(each for each in self.entities.values() if each.kind == "part" and each.parent == place)


@dataclass(frozen=True, slots=True, eq=False)
class Papers:
    """What the party has read: its sentences by topic, its words, what it carries, where it is, what it wonders."""

    text: str
    facts: tuple[Fact, ...]
    words: frozenset[str]
    carries: tuple[tuple[str, frozenset[str]], ...]
    where: str
    when: str
    now: str
    before: tuple[Fact, ...]
    questions: tuple[str, ...]
    met: frozenset[str]


def slug(text: str) -> str:
    found = re.sub(r"[\W_]+", "-", re.sub(r"['’‘`]", "", text.casefold())).strip("-")
    return found.removeprefix("the-") or "it"


@dataclass(frozen=True, slots=True)
class _Line:
    """A paragraph, item or row with the headings above it."""

    heads: tuple[str, ...]
    lead: str
    text: str
    number: int
    item: bool = False
    cells: tuple[str, ...] = ()


_ALOUD = re.compile(r"> *\[!(?:read|read[ -]?aloud|boxed?|boxed[ -]text|description|vorlesen)\][+-]?", re.IGNORECASE)
"""What opens a callout that is there to be read to the players."""


def _lines(text: str) -> Iterator[_Line]:
    heads: list[str] = []
    lead = ""
    fenced = aloud = False
    closed_at = 0
    front, deeper = length(text), not _titled(text)
    for number, raw in enumerate(open_lines(text), 1):
        line = raw.strip()
        if number <= front:
            continue
        if line.startswith(("```", "~~~")):
            fenced = not fenced
        aloud = line.startswith(">") and (aloud or _ALOUD.match(line) is not None)
        if aloud and not fenced and not closed_at:
            body = "" if _ALOUD.match(line) else plain_text(line.lstrip("> "))
            if body:
                yield _Line((*(heads or ("",)), "read aloud"), "", body, number)
            continue
        heading = _HEADING.fullmatch(line[:LONGEST])
        if heading and not fenced:
            level = len(heading[1]) + deeper
            heads = [*heads[: level - 1], *[""] * max(0, level - 1 - len(heads)), plain_text(heading[2])]
            lead = ""
            if not closed_at or level <= closed_at:
                closed_at = level if marked_title(heading[2]) else 0
            continue
        if not line or fenced or closed_at or line.startswith(("---", "```", "~~~", ">", "<!--", "![")):
            lead = lead if line or not lead else ""
            continue
        if line.startswith("|"):
            cells = tuple(plain_text(cell) for cell in line.strip("|").split("|"))
            if not all(re.fullmatch(r":?-*:?", cell) for cell in cells):
                yield _Line(tuple(heads), "|", "", number, cells=cells)
            continue
        item = _ITEM.fullmatch(line)
        found = _LEAD.match(item[1] if item else line)
        if found and not item:
            lead = plain_text(found[1])
            yield _Line(tuple(heads), lead, plain_text(found[2]), number)
        elif found:
            yield _Line(tuple(heads), plain_text(found[1]), plain_text(found[2]), number, item=True)
        else:
            yield _Line(tuple(heads), lead, plain_text(item[1] if item else line), number, item=bool(item))


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


def _kind(table: _Headings, title: str, planned: Planned = ()) -> tuple[str, Gate] | None:
    how = dict(planned).get(bare(title)) if planned else None
    if how is not None:
        return (_PLANNED if table is _PERSON else _PLANNED_PLACE).get(how)
    words_ = _ORNAMENTS.sub("", title.lower(), count=1)
    return next(((kind, gate) for pattern, kind, gate in table if pattern.search(words_)), None)


class _Read:
    """One file's entities and facts."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.entities: list[Entity] = []
        self.facts: list[Fact] = []

    def add(self, kind: str, gate: Gate, owner: str, line: _Line, text: str | None = None, **more: object) -> None:
        before = ""
        for place, sentence in enumerate(sentences(line.text if text is None else text)):
            key = f"{self.path}:{line.number}" + (f".{place}" if place else "")
            if 3 < len(sentence) <= LONGEST:
                self.facts.append(Fact(key, kind, gate, owner, sentence, before, **more))  # type: ignore[arg-type]
            before = f"{before} {sentence}".strip()


_GENERIC = re.compile(
    r"(?i)\W*(?:general |campaign )?(?:overview|summary|contents|table of contents|introduction|info)\W*"
)


def _titled(text: str) -> bool:
    """Whether the text's only heading of the first level stands at its top, as a title does; else all are sections."""
    lines = [line for line in text.splitlines()[length(text) :] if line.strip()]
    tops = [line for line in lines if line.startswith("# ")]
    if not tops:
        return any(line.startswith("#") for line in lines) or not lines
    known = any(pattern.search(tops[0][2:].strip().lower()) for table in (_PERSON, _PLACE) for pattern, _, _ in table)
    return len(tops) == 1 and not known and not _GENERIC.fullmatch(tops[0][2:].strip())


def _title(text: str, path: str) -> str:
    found = re.search(r"(?m)^# +(\S.*)$", "\n".join(text.splitlines()[length(text) :])) if _titled(text) else None
    if found:
        return plain_text(found[1])
    named = re.sub(r" \(\d+\)$", "", path.rpartition("/")[2].removesuffix(".md"))
    if named != named.lower() or " " in named:
        return named.replace("_", " ")
    return named.replace("-", " ").replace("_", " ").title()


def _bare(title: str) -> str:
    return re.split(r"\s*[(:]|\s+[-–—]\s+", title[:LONGEST])[0].strip() or title


def _bracketed(title: str) -> set[str]:
    found = re.findall(r"\(([^)]*)\)", title)
    texts = [re.sub(r"(?i)trade name:?|called|known as|a\.?k\.?a\.?", "", each) for each in found]
    return {each.strip(" \"'“”").casefold() for text in texts for each in text.split(",") if len(each.strip()) > 2}


def person_names(title: str) -> frozenset[str]:
    """What somebody with that title may be called by."""
    name = _bare(title)
    parts = [part for part in re.split(r"[\s]+", name) if part]
    found = {name.casefold(), *_bracketed(title)}
    found |= {
        part.casefold() for part in parts if len(part) > 2 and part.strip(".").lower() not in _HONORIFICS | {"the"}
    }
    return frozenset(each.removeprefix("the ").strip() for each in found)


def place_names(title: str) -> frozenset[str]:
    name = _bare(title).casefold().removeprefix("the ")
    return frozenset({name, *_bracketed(title)})


def _entity(kind: str, title: str, names: frozenset[str], parent: str = "", **more: object) -> Entity:
    name = _bare(title)
    key = slug(name) if kind != "part" else f"{parent}/{slug(name)}"
    return Entity(key, kind, name, names, parent, **more)  # type: ignore[arg-type]


def _offices(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z-]+(?!['’\w-])", text.casefold())) & OFFICES


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


def _shut(heads: Sequence[str], table: _Headings, planned: Planned) -> bool:
    """Whether a heading closes what stands below it: by plan, or by its words where it is none that is known."""
    closed = dict(planned)
    return any(
        closed.get(bare(head)) == "closed" or (_CLOSED.search(head) and not _kind(table, head, planned))
        for head in heads
    )


@lru_cache(maxsize=512)
def _person(path: str, text: str, planned: Planned = (), strict: bool = False) -> _Read:
    read = _Read(path)
    title = _title(text, path)
    told = fields(text)
    numbers = {key[:1].upper(): int(value) for key, value in reversed(_NUMBERS.findall(text))}
    gone = any(_GONE.search(value) for value in told.get("status", ()))
    where = ", ".join(plain_text(value) for key in _WHERE for value in told.get(key, ()))
    offices = _offices(" ".join(value for key in ("occupation", "role", "job") for value in told.get(key, ())))
    entity = _entity("person", title, person_names(title) | {each.casefold() for each in told.get("aliases", ())})
    for line in _lines(text):
        under = [head for head in line.heads[1:] if head]
        if line.lead == "|":
            if len(line.cells) > 1 and line.cells[0].casefold() == "status":
                gone = gone or bool(_GONE.search(line.cells[1]))
            if len(line.cells) > 1 and line.cells[0].casefold() in ("occupation", "role"):
                offices |= _offices(line.cells[1])
            continue
        if not under and line.lead.casefold() in _WHERE:
            where = line.text
        elif not under and line.lead.casefold() in ("role", "occupation"):
            offices |= _offices(line.text)
            gone = gone or bool(re.search(r"(?i)\b(?:deceased|dead)\b", line.text))
        if _shut(under, _PERSON, planned) or _CLOSED.search(line.lead):
            continue
        found = _kind(_PERSON, line.lead) if line.lead else None
        found = found or next((kind for head in reversed(under) if (kind := _kind(_PERSON, head, planned))), None)
        if found is None or re.fullmatch(r"(?i)n/?a\b.*|none\.?", line.text):
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


@lru_cache(maxsize=512)
def _place(path: str, text: str, planned: Planned = (), strict: bool = False) -> _Read:
    read = _Read(path)
    title = _title(text, path)
    aliases = frozenset(each.casefold() for each in fields(text).get("aliases", ()))
    place = _entity("place", title, place_names(title) | aliases, stated=True)
    parts: dict[str, Entity] = {}

    def part(name: str) -> str:
        made = _entity("part", name, place_names(name), place.id)
        parts.setdefault(made.id, made)
        return made.id

    for line in _lines(text):
        under = [head for head in line.heads[1:] if head]
        top, last = (under[0], under[-1]) if under else ("", "")
        if line.lead == "|":
            if _TABLED.search(top) and line.cells[0].casefold() not in ("npc", "name", "person", "who"):
                _tabled(read, line, place.id)
            continue
        if _shut(under, _PLACE, planned):
            continue
        if not line.item and _CLOSED.search(line.lead):
            continue
        lead_kind = _kind(_PLACE, line.lead) if line.lead and not line.item else None
        found = lead_kind or next((kind for head in reversed(under) if (kind := _kind(_PLACE, head, planned))), None)
        clue = _DC.search(f"{line.text} {line.lead}")
        if clue:
            skill = (clue[2] or clue[3] or "").casefold()
            bare = re.sub(r"\s*\((?=[^)]*DC)[^)]*\)", "", line.text)
            if "save" not in bare and found:
                read.add("clue", "check", place.id, line, bare, dc=int(clue[1] or clue[4]), skill=skill)
        elif found:
            label = line.lead if line.item else ""
            read.add(*found, place.id, line, label=label)
        elif _PARTS.search(top):
            if line.item and line.lead and not _CLOSED.search(line.lead):
                read.add("part", "sight", part(line.lead), line)
            elif len(under) > 1:
                read.add("part", "sight", part(last), line)
        elif not under and not line.lead and not line.item:
            _introduced(read, place.id, line, strict)
        elif (
            under
            and not strict
            and not line.lead
            and not line.item
            and not _NOT_PARTS.search(top)
            and not _TABLED.search(top)
        ):
            read.add("part", "sight", part(top), line)
    read.entities += [place, *parts.values()]
    return read


def _introduced(read: _Read, owner: str, line: _Line, strict: bool) -> None:
    """What stands above the first heading shows what the place or thing is; in a strange folder its first sentence."""
    if not strict:
        read.add("sense", "sight", owner, line)
    elif not read.facts:
        read.add("sense", "sight", owner, line, (sentences(line.text) or [""])[0])


def _tabled(read: _Read, line: _Line, place: str) -> None:
    """Somebody who is only a row in a table: a name, and a role that shows by the look of them."""
    if re.match(r"(?i)(?:various|several|workers|unknown|none|\W*$)", line.cells[0]):
        return
    role = line.cells[1] if len(line.cells) > 1 else ""
    title = line.cells[0]
    read.entities.append(
        _entity(
            "person", title, person_names(title), places=(place,), gone=bool(_GONE.search(role)), offices=_offices(role)
        )
    )


@lru_cache(maxsize=512)
def _thing(path: str, text: str, planned: Planned = (), strict: bool = False) -> _Read:
    read = _Read(path)
    title = _title(text, path)
    names = set(place_names(title))
    thing = _entity("thing", title, frozenset(names))
    for line in _lines(text):
        under = [head for head in line.heads[1:] if head]
        # what players can find out by use stands under a heading that says so, whatever else it says
        if line.lead == "|" or any(_CLOSED.search(h) for h in under if not re.search(r"(?i)^known propert", h)):
            continue
        found = next((kind for head in reversed(under) if (kind := _kind(_THING, head, planned))), None)
        if found is None and not under and not line.lead:
            _introduced(read, thing.id, line, strict)
        if found:
            read.add(*found, thing.id, line, label=line.lead)
    first = next((fact.text for fact in read.facts if fact.kind == "sense"), "")
    noun = re.match(
        r"(?i)(?:an?|the|this|one) (?:[\w'’-]+,? ){0,4}?([\w'’-]+)(?= of | that | with |[,.]| in | made )", first
    )
    read.entities = [replace(thing, names=frozenset(names | ({noun[1].casefold()} if noun else set())), stated=True)]
    return read


@lru_cache(maxsize=512)
def _group(path: str, text: str, planned: Planned = (), strict: bool = False) -> _Read:
    read = _Read(path)
    title = _title(text, path)
    read.entities = [_entity("group", title, place_names(title), stated=True)]
    return read


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
        table = _PERSON if kind == "people" else _PLACE
        lines = list(_lines(text.decode("utf-8", "replace")))
        for head in {line.heads[-1] for line in lines if line.heads[1:] and line.heads[-1]}:
            parts = kind == "places" and (_PARTS.search(head) or _TABLED.search(head))
            if not (_kind(table, head) or _CLOSED.search(head) or parts or len(head) > 40):
                found[head] += 1
    return [head for head, _ in found.most_common(_MOST_HEADINGS)]


_BEAT = re.compile(r"(?i)^(?:beat|scene|part|encounter) *\d+ *[:.–—-]? *(.*)$")
_OPTIONAL = re.compile(r"(?i)\(optional\)|optional$")


@lru_cache(maxsize=64)
def story_beats(path: str, text: str) -> tuple[StoryBeat, ...]:
    """The beats of a sheet in somebody else's form."""
    found: dict[str, dict[str, list[str]]] = {}
    outcomes: dict[str, dict[str, str]] = {}
    titles: dict[str, str] = {}
    for line in _lines(text):
        heads = [head for head in line.heads if head]
        beat = next((head for head in heads if _BEAT.match(head)), None)
        if beat is None or line.lead == "|":
            continue
        key = f"{path}#{slug(beat)}"
        titles[key] = beat
        under = heads[-1].casefold() if heads[-1] != beat else ""
        parts = found.setdefault(key, {"happens": [], "questions": [], "told": [], "decisions": []})
        if re.search(r"what happens|events?$|^happens", under):
            text_ = f"{line.text}" if not line.lead or not line.item else line.text
            if line.item or not line.text.endswith(":"):
                parts["happens"].append(text_)
        elif "question" in under:
            parts["questions"].append(line.text.strip(' "“”'))
        elif "outcome" in under and line.lead:
            outcomes.setdefault(key, {})[line.lead.casefold()] = line.text
        elif re.search(r"information|evidence|clues?|what .* learns?", under) and line.item:
            parts["told"].append(line.text)
        elif "decision" in under:
            parts["decisions"].append(line.text)
    return tuple(
        StoryBeat(
            key,
            (_BEAT.match(titles[key]) or ["", ""])[1] or titles[key],
            bool(_OPTIONAL.search(titles[key])),
            tuple(parts["happens"]),
            tuple(parts["questions"]),
            outcomes.get(key, {}),
            tuple(parts["told"]),
            tuple(parts["decisions"]),
        )
        for key, parts in found.items()
        if parts["happens"]
    )


_READERS: Mapping[Kind, Callable[[str, str, Planned, bool], _Read]] = {
    "people": _person,
    "places": _place,
    "things": _thing,
    "groups": _group,
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
    facts = [fact for fact in facts if fact.owner in entities]
    of: dict[str, tuple[Fact, ...]] = {}
    for fact in facts:
        of[fact.owner] = (*of.get(fact.owner, ()), fact)
    spoken = frozenset(word for entity in entities.values() for word in content(entity.name))
    return World(entities, {fact.id: fact for fact in facts}, tuple(beats), spoken, of)


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
        mine = set(words(entity.name)) - _HONORIFICS
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


@lru_cache(maxsize=64)
def _papers(known: str, primer: str) -> Papers:
    """Both papers together; where both say where the party is, the primer's word counts."""
    first, second = _paper(PARTY_KNOWLEDGE, known), _paper(PRIMER, primer)
    return Papers(
        f"{known}\n{primer}",
        (*first.facts, *second.facts),
        first.words | second.words,
        (*first.carries, *second.carries),
        second.where or first.where,
        second.when or first.when,
        second.now or first.now,
        (*first.before, *second.before),
        (*first.questions, *second.questions),
        first.met | second.met,
    )


@lru_cache(maxsize=64)
def _paper(path: str, text: str) -> Papers:
    """What one of the papers says."""
    facts: list[Fact] = []
    carries: list[tuple[str, frozenset[str]]] = []
    told: dict[str, str] = {}
    before: list[Fact] = []
    questions: list[str] = []
    met: set[str] = set()
    for line in _lines(text):
        under = [head for head in line.heads[1:] if head]
        top, last = (under[0], under[-1]) if under else ("", "")
        if marked_title(f"- {line.lead}") or (not under and line.lead.casefold() in ("campaign", "last updated")):
            continue
        if line.lead == "|":
            if re.search(r"(?i)npcs?|people", top) and line.cells[0].casefold() not in ("npc", "name", "who"):
                if re.search(r"(?i)\bmet\b", top):
                    met.add(slug(_bare(line.cells[0])))
                if len(line.cells) > 1 and line.cells[1]:
                    text_ = f"{_bare(line.cells[0])}: {line.cells[1]}."
                    facts.append(Fact(f"{path}:{line.number}", "known", "known", top, text_))
            continue
        carried = re.search(r"(?i)items|carry|inventory|possessions|equipment", f"{line.lead} {last}")
        if carried and line.item and not line.text.casefold().startswith("none"):
            name = re.match(
                r"((?:The |An? )?[A-Z][\w'’-]*(?:(?: of| the)?[ -][A-Z][\w'’-]*)*)(?:\s*\(([^)]*)\))?", line.text
            )
            if name:
                more = frozenset(word for word in content(name[2] or "") if len(word) > 2)
                carries.append((name[1], more))
            continue
        if "current situation" in top.casefold() and line.lead.casefold() in (
            "location",
            "time",
            "what's happening",
            "what’s happening",
        ):
            told[line.lead.casefold().replace("’", "'")] = line.text
            if line.lead.casefold() in ("location", "time"):
                continue
        if re.search(r"(?i)unresolved|open question|questions", top):
            questions.append(line.text)
            continue
        if line.lead and not line.text:
            continue
        for place, sentence in enumerate(sentences(line.text)):
            body = sentence if not line.lead or (line.item is False and place) else f"{line.lead}: {sentence}"
            if not line.lead or place:
                body = sentence
            fact = Fact(f"{path}:{line.number}.{place}", "known", "known", f"{top} {last} {line.lead}", body)
            facts.append(fact)
            if re.search(r"(?i)recent|last session|summary|errand|so far", top):
                before.append(fact)
    return Papers(
        text,
        tuple(facts),
        frozenset(words(text)),
        tuple(carries),
        told.get("location", ""),
        told.get("time", ""),
        told.get("what's happening", ""),
        tuple(before),
        tuple(questions),
        frozenset(met),
    )


def papers_of(documents: Documents, reader: str) -> Papers:
    """The party's own papers, as that character reads them."""
    found = []
    for path in OPEN_PAPERS:
        pieces = [piece for piece in documents.get(path, ()) if reader in piece.readers and piece.coding == "text"]
        found.append(rebuild(pieces))
    return _papers(*found)
