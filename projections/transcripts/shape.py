"""The parts a transcript is made of, and what a ruleset says about its own events: nothing here knows a format."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from domain.events import Event

Tone = Literal["plain", "night", "day"]
Kind = Literal["line", "narration", "speech", "ballot", "death", "ending"]


@dataclass(frozen=True, slots=True)
class Grid:
    """A table of plain texts."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A chapter (level 2) or a section of one (level 3) begins."""

    text: str
    level: Literal[2, 3] = 2
    tone: Tone = "plain"


@dataclass(frozen=True, slots=True)
class Piece:
    """What one event becomes.

    `lead` is the game's own voice. `voices` are words as seats wrote them, each with its speaker (empty where `lead`
    names it), and never pass for the game's. `private` marks what a seat has in confidence, so that a reader of its
    transcript knows.
    """

    kind: Kind
    lead: str
    voices: tuple[tuple[str, str], ...] = ()
    grid: Grid | None = None
    private: bool = False


@dataclass(frozen=True, slots=True)
class Shape:
    """How one ruleset's games are told.

    `heading(event)` says whether an event opens a chapter or section. `piece(event, seat, full)` is what it becomes for
    a seat (None: public or auditor), or None where it is left out. `cast(state, full)` is the table of who took part.
    `offices` are the seats named by what they do: they get an article. `prologue` heads what comes before the first
    chapter; `silence` stands in a chapter in which nothing was heard.
    """

    title: str
    prologue: str
    silence: str
    offices: frozenset[str]
    heading: Callable[[Event], Heading | None]
    piece: Callable[[Event, str | None, bool], Piece | None]
    cast: Callable[[Any, bool], Grid]
