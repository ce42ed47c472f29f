"""Beat sheets: an evening written as Markdown that a person reads and the house's GM plays (docs/campaigns.md).

    evenings(state.documents)        every sheet under beats/ that is written in this form, in the order of their paths

A document without a `## Beat N: Title` that has a `### Tell` below it is no beat sheet in this form, and left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from sottovoce.rulesets.tabletop.rules.documents import Documents, rebuild
from sottovoce.rulesets.tabletop.rules.request_types import REQUEST_TYPES

ALL = ("all",)
"""Stands for everybody who is there."""

_BEAT = re.compile(r"## Beat ([0-9]{1,3}): *(\S.*)")
_FIELD = re.compile(r"\*\*([^*]+)\*\*: *+(.*)")
_BULLET = re.compile(r"[-*] +(\S.*)")
_NUMBER = re.compile(r"[0-9]{1,4}")
_SCENE = re.compile(r"([0-9]{3,}) - ([a-z0-9]+(?:-[a-z0-9]+)*)")
_DICE = re.compile(r"[0-9]{0,2}d[0-9]{1,3}(?: ?[+-] ?[0-9]{1,2})?")


@dataclass(frozen=True, slots=True)
class Ask:
    """What some characters are asked. `names` are as the sheet writes them, or ALL."""

    names: tuple[str, ...]
    type: str
    scene: str
    just_happened: str
    request: str
    full: str = ""
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """A question to the human, with the label and the description of each option."""

    header: str
    question: str
    options: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Check:
    """A roll that decides how the beat goes."""

    who: str
    skill: str
    dc: int


@dataclass(frozen=True, slots=True)
class Fight:
    """A fight in rounds. `dodge` is what is rolled against the foe; in round `fells` somebody is struck down."""

    foe: str
    armor: int
    hit_points: int
    rounds: int
    dodge: str
    dodge_dc: int
    harm: str
    fells: int | None
    moves: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is told at the end of a beat, and what changes by it."""

    prose: str = ""
    effects: tuple[tuple[str, str, str], ...] = ()
    learnt: tuple[str, ...] = ()
    story: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Beat:
    """One beat. With a `group`, it is that part of the party's alone: a label and the names.

    `place` is where and when it plays, as the party is told: `**Place**: The bridge; ten past four`.
    """

    number: int
    title: str
    tell: str
    scene: tuple[str, str] | None = None
    place: tuple[str, str] = ("", "")
    group: tuple[str, tuple[str, ...]] | None = None
    note: str = ""
    asks: tuple[Ask, ...] = ()
    choice: Choice | None = None
    check: Check | None = None
    fight: Fight | None = None
    then: Outcome = Outcome()
    success: Outcome = Outcome()
    failure: Outcome = Outcome()
    choices: Mapping[str, Outcome] = field(default_factory=dict)
    end: tuple[str, str] | None = None

    def names(self) -> Iterator[str]:
        """Every character that the beat speaks of."""
        yield from self.group[1] if self.group else ()
        for ask in self.asks:
            yield from () if ask.names == ALL else ask.names
        if self.check:
            yield self.check.who
        for outcome in (self.then, self.success, self.failure, *self.choices.values()):
            yield from (who for who, _, _ in outcome.effects)


@dataclass(frozen=True, slots=True)
class Evening:
    """One beat sheet: what is played between a start and an end."""

    path: str
    title: str
    beats: tuple[Beat, ...]

    def names(self) -> tuple[str, ...]:
        """The characters of the sheet, in the order in which it first names them."""
        return tuple(dict.fromkeys(name for beat in self.beats for name in beat.names()))


def evenings(documents: Documents) -> tuple[Evening, ...]:
    """The evenings that the campaign's beat sheets hold, in the order of their paths."""
    sheets = (path for path in sorted(documents) if path.startswith("beats/"))
    found = (parse(path, rebuild(documents[path])) for path in sheets)
    return tuple(evening for evening in found if evening.beats)


@lru_cache(maxsize=64)
def parse(path: str, text: str) -> Evening:
    """The evening that a beat sheet holds; one without beats if it is written in another form."""
    title = next((line[2:].strip() for line in text.splitlines() if line.startswith("# ")), path)
    beats = []
    for number, (heading, lines) in enumerate(_under(_BEAT, text.splitlines()), 1):
        beat = _beat(number, heading[2].strip(), lines)
        if beat.tell:
            beats.append(beat)
    return Evening(path, title, tuple(beats))


_HEADING = re.compile(r"### *(\S.*)")


def _under(heading: re.Pattern[str], lines: Sequence[str]) -> Iterator[tuple[re.Match[str], list[str]]]:
    """Each heading that matches, with the lines up to the next heading of its level or above."""
    level = heading.pattern.partition(" ")[0]
    found: tuple[re.Match[str], list[str]] | None = None
    for line in lines:
        match = heading.fullmatch(line.rstrip())
        if match or re.match(rf"#{{1,{len(level)}}} ", line):
            if found:
                yield found
            found = (match, []) if match else None
        elif found:
            found[1].append(line)
    if found:
        yield found


def _beat(number: int, title: str, lines: Sequence[str]) -> Beat:
    above = lines[: next((at for at, line in enumerate(lines) if line.startswith("### ")), None)]
    fields = _Read(above).fields
    scene = _SCENE.fullmatch(fields.get("scene", ""))
    told: dict[str, str] = {}
    asks: list[Ask] = []
    choice: Choice | None = None
    check: Check | None = None
    fight: Fight | None = None
    outcomes: dict[str, Outcome] = {}
    choices: dict[str, Outcome] = {}
    end: tuple[str, str] | None = None
    for heading, below in _under(_HEADING, lines):
        word, _, rest = heading[1].strip().partition(" ")
        word, rest = word.rstrip(":").lower(), rest.strip()
        match word:
            case "tell" | "note":
                told[word] = _Read(below, fields=False).prose
            case "ask":
                asks += _asks(rest, below)
            case "choice":
                choice = _choice(rest, below) or choice
            case "check":
                check = _check(rest) or check
            case "fight":
                fight = _fight(rest, below) or fight
            case "then":
                outcomes["then"] = _outcome(below)
            case "on":
                outcomes[rest.lower()] = _outcome(below)
            case "if":
                choices[rest] = _outcome(below)
            case "end":
                read = _Read(below)
                end = (read.fields.get("summary", read.prose), read.fields.get("next", ""))
    return Beat(
        number=number,
        title=title,
        tell=told.get("tell", ""),
        scene=(scene[1], scene[2]) if scene else None,
        place=_place(fields.get("place", "")),
        group=_group(fields.get("group", "")),
        note=" ".join(told.get("note", "").split()),
        asks=tuple(asks),
        choice=choice,
        check=check,
        fight=fight,
        then=outcomes.get("then", Outcome()),
        success=outcomes.get("success", Outcome()),
        failure=outcomes.get("failure", Outcome()),
        choices=choices,
        end=end,
    )


class _Read:
    """The lines below a heading: its `**Name**: value` fields, its list items, and the prose that is left."""

    def __init__(self, lines: Sequence[str], *, fields: bool = True) -> None:
        self.fields: dict[str, str] = {}
        self.all: list[tuple[str, str]] = []
        self.bullets: list[str] = []
        prose: list[str] = []
        open_field = False
        for line in lines:
            stripped = line.strip()
            field = _FIELD.fullmatch(stripped) if fields else None
            bullet = _BULLET.fullmatch(stripped) if fields else None
            if field:
                self.all.append((field[1].strip().lower(), field[2].strip()))
                open_field = True
            elif bullet:
                self.bullets.append(bullet[1])
                open_field = False
            elif open_field and stripped:
                name, value = self.all[-1]
                self.all[-1] = (name, f"{value} {stripped}")
            else:
                open_field = False
                prose.append(line.rstrip())
        for name, value in self.all:
            self.fields.setdefault(name, value)
        self.prose = re.sub(r"\n{3,}", "\n\n", "\n".join(prose)).strip()


def _place(text: str) -> tuple[str, str]:
    where, _, when = text.partition(";")
    return where.strip(), when.strip()


def _listed(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))


def _group(text: str) -> tuple[str, tuple[str, ...]] | None:
    label, colon, names = text.partition(":")
    label = re.sub(r"[():]", "", label).strip()
    return (label, _listed(names)) if colon and label and _listed(names) else None


def _asks(heading: str, lines: Sequence[str]) -> list[Ask]:
    names, _, kind = heading.rpartition(":")
    kind = kind.strip()
    read = _Read(lines)
    parts = [read.fields.get(name, "") for name in ("scene", "just happened", "request")]
    if kind not in REQUEST_TYPES or not all(parts) or not _listed(names):
        return []
    scene, just_happened, request = parts
    full = read.fields.get("full context", "")
    return [Ask(_listed(names), kind, scene, just_happened, request, full, tuple(read.bullets))]


def _choice(header: str, lines: Sequence[str]) -> Choice | None:
    read = _Read(lines)
    options = tuple((label.strip(), about.strip()) for label, _, about in (b.partition(":") for b in read.bullets))
    if not read.prose or not options or not all(label and about for label, about in options):
        return None
    return Choice(header or "A choice", " ".join(read.prose.split()), options)


def _check(heading: str) -> Check | None:
    parts = _listed(heading)
    number = _NUMBER.search(parts[-1]) if len(parts) == 3 else None
    return Check(parts[0], parts[1].lower(), int(number[0])) if number else None


def _fight(heading: str, lines: Sequence[str]) -> Fight | None:
    read = _Read(lines)
    parts = _listed(heading)
    numbers = [_NUMBER.search(part) for part in parts[1:3]]
    if len(parts) < 3 or not all(numbers):
        return None
    armor, hit_points = (int(number[0]) for number in numbers if number)
    dodge = (*_listed(read.fields.get("dodge", "")), "", "", "")
    dc, harm = _NUMBER.search(dodge[1]), _DICE.search(dodge[2])
    rounds, fells = (_NUMBER.search(read.fields.get(name, "")) for name in ("rounds", "fells"))
    return Fight(
        foe=parts[0],
        armor=armor,
        hit_points=hit_points,
        rounds=max(1, int(rounds[0])) if rounds else 3,
        dodge=dodge[0].lower() or "dexterity",
        dodge_dc=int(dc[0]) if dc else 12,
        harm=harm[0] if harm else "1d6",
        fells=int(fells[0]) if fells else None,
        moves=tuple(read.bullets),
    )


def _outcome(lines: Sequence[str]) -> Outcome:
    read = _Read(lines)
    effects = [_listed(value) for name, value in read.all if name == "effect"]
    return Outcome(
        prose=read.prose,
        effects=tuple((each[0], each[1], each[2]) for each in effects if len(each) == 3),
        learnt=tuple(value for name, value in read.all if name == "party learns"),
        story=tuple(value for name, value in read.all if name == "story"),
    )
