"""How an event is shown: one text for all surfaces, as one viewer sees it.

    `tell(event, chair) -> Piece | None`

A `Piece` is neutral: terminals, Markdown, HTML, JSON and prompts render it and know no event class. Most event classes
use a helper:

    tell = line("{player:name} guesses {number}: {answer}.")
    tell = says("The keeper says:")

`lead`, `title` and the cells of a `grid` are the game's own words. Names of seats are `marked` in them, so that a
renderer can split a text into plain runs and names (`runs`) and colour the names. What seats wrote is in `words`, each
text with its author, and is always shown as theirs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from operator import attrgetter
from string import Formatter
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from pydantic import ConfigDict, with_config
from typing_extensions import TypedDict

PieceKind = Literal[
    "line",
    "heading",
    "speech",
    "narration",
    "call",
    "document",
    "ballot",
    "list",
    "roll",
    "card",
    "death",
    "ending",
    "hold",
    "warning",
    "reply",
]
"""How a piece is shown if a surface can:

    line       a sentence of the game's own, with a seat's words below it if there are any
    heading    only the chapter that begins; the lead says so in a sentence
    speech     `who` speaks aloud, or is silent
    narration  `who` tells the story
    call       `who` addresses someone, and the words are next to that
    document   the lead names a text, which is in `words` as a whole
    ballot     counted votes: a row for each choice, with the count and the voters
    list       a table under a title, and its result; its rows can contain what seats wrote
    roll       dice; `numbers` has the arithmetic
    card       something important that only this viewer sees
    death      a player is out of the game
    ending     the game is over
    hold       the game is put on hold, or aborted
    warning    something that the viewer should fix
    reply      what a seat answered, if the next event says less
"""

Mood = Literal["", "good", "bad", "odd", "warn", "night", "day", "story", "quiet"]
"""The colour of a piece, where there are colours."""

CLOSED = ConfigDict(extra="forbid")
"""JSON with these keys and no others."""

NO_NUMBERS: Mapping[str, int] = MappingProxyType({})

_OPEN, _CLOSE = "\x0e", "\x0f"
_MARKED = re.compile(f"{_OPEN}([^{_OPEN}{_CLOSE}]*){_CLOSE}")
_SPELLED = {ord(_OPEN): "\\x0e", ord(_CLOSE): "\\x0f"}


class Name(str):
    """The name of a seat within a text."""

    __slots__ = ()


class Voice(NamedTuple):
    """Words as a seat wrote them; `who` is their author, empty where nobody is to be named."""

    who: str
    text: str


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of texts."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """The whole game (level 1), a chapter (2) or a section of one (3) begins.

    `within` is what a section stands in, where its text alone does not say, such as the day of a vote.
    """

    text: str
    level: Literal[1, 2, 3] = 2
    mood: Mood = ""
    within: str = ""


@dataclass(frozen=True, slots=True)
class Chair:
    """Who sees an event: a seat, the public (no seat), or an auditor.

    `state` is what the viewer has folded before the event; None on surfaces without a state. Leads and words never
    depend on it, so that a seat reads the same everywhere; it only decides on weights and adds columns to grids.
    """

    seat: str | None = None
    auditor: bool = False
    state: Any = None

    def owns(self, name: str | None) -> bool:
        """Whether the name is that of this very seat."""
        return name is not None and name == self.seat

    def you(self, name: str, own: str = "you") -> str:
        """Return `own` for the viewer's own seat, otherwise the marked name."""
        return own if self.owns(name) else marked(name)

    def listed(self, name: str) -> str:
        """Return the name for a list of seats: marked, the viewer's own with ` (you)`."""
        return f"{marked(name)} (you)" if self.owns(name) else marked(name)


PUBLIC = Chair()
AUDITOR = Chair(auditor=True)


@dataclass(frozen=True, slots=True)
class Piece:
    """An event as one viewer sees it.

    `lead` are sentences in the game's own words that make sense alone, with a line end where a surface can break them.
    `who` acts, `to` is addressed. `title` heads a frame, a card or a table, for which the lead is the result. `note` is
    a short remark: how someone speaks, what a card means. `chapter` is the heading that begins with the event, if any.
    `private` is None for what everyone sees, otherwise who else sees it, such as `only you`; empty if that is obvious.
    `weight` is 0 for what only prompts, audits and verbose views need, 1 for most, and 2 for what matters most.
    `numbers` are the figures in it by name, for programs.
    """

    lead: str
    kind: PieceKind = "line"
    who: str | None = None
    to: tuple[str, ...] = ()
    words: tuple[Voice, ...] = ()
    title: str = ""
    note: str = ""
    chapter: Heading | None = None
    private: str | None = None
    mood: Mood = ""
    weight: Literal[0, 1, 2] = 1
    grid: Grid | None = None
    numbers: Mapping[str, int] = field(default_factory=lambda: NO_NUMBERS)

    @property
    def caption(self) -> str:
        """The title and the lead, marked."""
        if not self.title:
            return self.lead
        return f"{self.title}{':' if self.kind in ('ballot', 'list') else '.'} {self.lead}"

    @property
    def text(self) -> str:
        """All that the game says, plainly and on one line. What seats may have written is not in it."""
        if self.grid is None or self.kind == "list":
            return _level(self.caption)
        rows = "; ".join(map(_row, self.grid.rows))
        parts = (self.lead, rows) if self.kind == "ending" else (rows, self.lead)
        return _level(" ".join(_sentence(part) for part in (self.title, *parts) if part))

    @property
    def said(self) -> str | None:
        """All words in it, with their authors where there are several; None where nobody said anything."""
        if not self.words:
            return None
        if self.named_voices:
            return "\n".join(f"{voice.who}: {' '.join(voice.text.split())}" for voice in self.words)
        return "\n".join(voice.text for voice in self.words)

    @property
    def named_voices(self) -> bool:
        """Return whether each voice needs its author's name, because the lead does not give it."""
        return any(voice.who and voice.who != self.who for voice in self.words)

    def to_json(self) -> PieceJson:
        """The piece as JSON: every field, always; marked texts as lists of strings and `{"name": …}`."""
        one, grid = self.chapter, self.grid
        heading: HeadingJson | None = (
            None
            if one is None
            else {
                "text": one.text,
                "level": one.level,
                "mood": one.mood,
                "within": one.within,
            }
        )
        table: GridJson | None = (
            None
            if grid is None
            else {
                "header": list(grid.header),
                "rows": [[_json(cell) for cell in row] for row in grid.rows],
            }
        )
        return {
            "kind": self.kind,
            "who": self.who,
            "to": list(self.to),
            "title": _json(self.title),
            "lead": _json(self.lead),
            "note": self.note,
            "words": [{"who": voice.who, "text": voice.text} for voice in self.words],
            "chapter": heading,
            "private": self.private,
            "mood": self.mood,
            "weight": self.weight,
            "grid": table,
            "numbers": dict(self.numbers),
        }


@with_config(CLOSED)
class NameRun(TypedDict):
    """The name of a seat within a text."""

    name: str


Run = str | NameRun
"""A part of a text in the game's own voice, as JSON."""


@with_config(CLOSED)
class VoiceJson(TypedDict):
    """Words as a seat wrote them; `who` is empty if no one should be named."""

    who: str
    text: str


@with_config(CLOSED)
class HeadingJson(TypedDict):
    """The whole game (level 1), a chapter (2) or a section (3) starts."""

    text: str
    level: Literal[1, 2, 3]
    mood: Mood
    within: str


@with_config(CLOSED)
class GridJson(TypedDict):
    """A table."""

    header: list[str]
    rows: list[list[list[Run]]]


@with_config(CLOSED)
class PieceJson(TypedDict):
    """An event as it is shown to one viewer."""

    kind: PieceKind
    who: str | None
    to: list[str]
    title: list[Run]
    lead: list[Run]
    note: str
    words: list[VoiceJson]
    chapter: HeadingJson | None
    private: str | None
    mood: Mood
    weight: Literal[0, 1, 2]
    grid: GridJson | None
    numbers: dict[str, int]


Tell = Callable[[Any, Chair], Piece | None]
"""`(event, chair) -> piece`; None if that viewer needs no text for the event."""


def marked(name: str) -> str:
    """The name of a seat, marked as one."""
    return f"{_OPEN}{plainly(name)}{_CLOSE}"


def names(listed: Iterable[str]) -> str:
    """Names of seats, marked: `a, b and c`."""
    *first, last = [marked(name) for name in listed] or ["nobody"]
    return f"{', '.join(first)} and {last}" if first else last


def plainly(text: object) -> str:
    """Foreign text as it may stand in a lead: nothing in it passes for a marked name."""
    return str(text).translate(_SPELLED)


def unmarked(text: str) -> str:
    """A marked text without its marks."""
    return _MARKED.sub(r"\1", text)


def runs(text: str) -> list[str]:
    """A marked text cut into plain runs and `Name`s, none empty."""
    cut = _MARKED.split(text)
    return [Name(run) if place % 2 else run for place, run in enumerate(cut) if run]


def line(template: str, *, words: str | None = None, chapter: str | Heading | None = None, **given: Any) -> Tell:
    """Tells an event by a template over its fields; `given` are further fields of the piece.

    `{field}` is the field's value, `nothing` for None, and `{field:name}` a seat's name, `{field:names}` several.
    `{field:You}` and `{field:you}` are a seat's name too, but `You` and `you` to that seat. Any other format is
    Python's. `words` names the field with what the event's actor wrote, if anything. `chapter` is the heading that
    begins with the event, or the template of its text.
    """
    lead, heading = _template(template), _template(chapter) if isinstance(chapter, str) else None

    def tell(event: Any, chair: Chair) -> Piece:
        text = getattr(event, words) if words else None
        begun = Heading(unmarked(heading(event, chair))) if heading else chapter
        return Piece(
            lead(event, chair), **{"who": event.actor, "words": spoken(event.actor, text), "chapter": begun, **given}
        )

    return tell


def tallied(template: str, *, seats: bool = False, **given: Any) -> Tell:
    """Tells a counted ballot by a template; the field `votes` has each choice. `seats` are chosen, or words."""
    telling = line(template, **{"kind": "ballot", **given})

    def tell(event: Any, chair: Chair) -> Piece | None:
        told, cast = telling(event, chair), event.votes
        return told and replace(told, grid=counted(cast, Counter(cast.values()), seats=seats))

    return tell


def says(lead: str, *, words: str = "text", silent: str = "{actor:name} stays silent.", **given: Any) -> Tell:
    """Tells of somebody speaking aloud: the template of the lead, and the field with the words.

    Where that field is None or empty, the event is told by `silent`.
    """
    speaking = line(lead, words=words, **{"kind": "speech", **given})
    silence = line(silent, **{"kind": "speech", **given, "note": ""})

    def tell(event: Any, chair: Chair) -> Piece | None:
        return speaking(event, chair) if getattr(event, words) else silence(event, chair)

    return tell


def spoken(who: str | None, text: str | None) -> tuple[Voice, ...]:
    """The words of one author, none where there are none."""
    return (Voice(who or "", text),) if text and text.strip() else ()


def counted(votes: Mapping[str, str], tally: Mapping[str, int], *, seats: bool = False) -> Grid:
    """The grid of a ballot: a row for each choice with how many chose it, and who. `seats` are chosen, or words."""
    rows = []
    for choice in dict.fromkeys((*tally, *votes.values())):
        voters = [marked(voter) for voter, voted in votes.items() if voted == choice]
        rows.append((marked(choice) if seats else plainly(choice), str(tally.get(choice, 0)), ", ".join(voters)))
    return Grid(("Choice", "Votes", "Voters"), tuple(rows))


def _template(template: str) -> Callable[[Any, Chair], str]:
    parts = [
        (literal, attrgetter(name) if name else None, spec or "")
        for literal, name, spec, _ in Formatter().parse(template)
    ]
    return lambda event, chair: "".join(
        [literal + _filled(get(event), spec, chair) if get else literal for literal, get, spec in parts]
    )


def _filled(value: Any, spec: str, chair: Chair) -> str:
    if spec == "names":
        return names(value)
    if value is None:
        return "nothing"
    if spec == "name":
        return marked(value)
    if spec in ("You", "you"):
        return chair.you(value, spec)
    return plainly(format(value, spec))


def _row(row: tuple[str, ...]) -> str:
    """`choice: 3 (a, b)`."""
    first, second, rest = row[0], "".join(row[1:2]), ", ".join(filter(None, row[2:]))
    return f"{first}{f': {second}' if second else ''}{f' ({rest})' if rest else ''}"


def _level(text: str) -> str:
    return unmarked(text).replace("\n", " ")


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", ":", "…")) else f"{text}."


def _json(text: str) -> list[Run]:
    return [{"name": str(run)} if isinstance(run, Name) else run for run in runs(text)]
