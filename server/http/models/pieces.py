"""How an entry is told, and what it does to the picture of the table: pieces and marks.

What gives them is `domain/piece.py` and `projections/marks.py`; the tests hold these to those.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from sottovoce.domain.piece import Kind, Mood
from sottovoce.projections.marks import Highlight
from sottovoce.server.http.models.fields import example


class Plain(BaseModel):
    """Nothing but its keys."""

    model_config = ConfigDict(extra="forbid")


class NameRun(Plain):
    """The name of a seat within a text."""

    name: str


Run = str | NameRun
"""A part of a text in the game's own voice."""


class Voice(Plain):
    """Words as a seat wrote them; `who` is empty where nobody is to be named."""

    who: str
    text: str


class Heading(Plain):
    """The whole game (level 1), a chapter (2) or a section (3) begins."""

    text: str
    level: Literal[1, 2, 3]
    mood: Mood
    within: str


class Grid(Plain):
    """A table."""

    header: list[str]
    rows: list[list[list[Run]]]


class Piece(BaseModel):
    """An event as one chair is told it."""

    model_config = example(
        kind="speech",
        who="Ada",
        to=[],
        title=[],
        lead=[{"name": "Ada"}, " says:"],
        note="",
        words=[{"who": "Ada", "text": "It was not me."}],
        chapter=None,
        private=None,
        mood="",
        weight=1,
        grid=None,
        numbers={},
    )

    kind: Kind
    who: str | None
    to: list[str]
    title: list[Run]
    lead: list[Run]
    note: str
    words: list[Voice]
    chapter: Heading | None
    private: str | None
    mood: Mood
    weight: Literal[0, 1, 2]
    grid: Grid | None
    numbers: dict[str, int]


class SeatsMark(Plain):
    """Who sits at the table, in seating order; offices are the seats that are named by what they do."""

    mark: Literal["seats"]
    seats: list[str]
    offices: list[str]


class AwaitedMark(Plain):
    """Who is awaited from now on, as far as everybody may know; `text` says so where no seat is named."""

    mark: Literal["awaited"]
    seats: list[str]
    text: str


class PhaseMark(Heading):
    """A chapter begins."""

    mark: Literal["phase"]


class OutMark(Plain):
    """A seat is out of the game."""

    mark: Literal["out"]
    seat: str
    how: str


class FactMark(Plain):
    """A hidden matter that the entry carries. With the way `rule` everybody has it, and `to` is null; else `to` are
    the seats that have it by this entry, as far as the chair can tell. `label` may stand under the names of `about`."""

    mark: Literal["fact"]
    fact: list[str]
    about: list[str]
    label: str
    says: str
    way: Literal["saw", "rule"]
    to: list[str] | None


class ClaimMark(Plain):
    """Somebody said that a hidden matter is so, or not so where it is denied; `words` is the sentence. `to` is null
    where everybody heard it."""

    mark: Literal["claim"]
    by: str
    about: list[str]
    fact: list[str]
    label: str
    says: str
    denied: bool
    words: str
    to: list[str] | None


class MentionMark(Plain):
    """A moment worth jumping to."""

    mark: Literal["mention"]
    what: Highlight
    text: str
    seats: list[str]


class VoteMark(Plain):
    """One vote as it becomes known. `for` is the seat that it is for or against, null where it is for none; `ballot` is
    the same for all votes that are counted together."""

    mark: Literal["vote"]
    of: str
    for_: Annotated[str | None, Field(alias="for")]
    choice: str
    ballot: str


class ThoughtMark(Plain):
    """What a seat thought or meant, as it was recorded."""

    mark: Literal["thought"]
    seat: str
    text: str


class TaskMark(Plain):
    """A task's state changed, or who owes its next step; `says` puts the state in words."""

    mark: Literal["task"]
    task: str
    title: str
    state: str
    seat: str | None
    says: str


class ResourceMark(Plain):
    """What a seat has of something that is counted, or that is named, an empty text where it has none."""

    mark: Literal["resource"]
    seat: str
    name: str
    value: int | str
    most: int | None


class GroupMark(Plain):
    """Those seats are together, and apart from all others; the name is empty where the group has none."""

    mark: Literal["group"]
    name: str
    seats: list[str]


Mark = Annotated[
    SeatsMark
    | AwaitedMark
    | PhaseMark
    | OutMark
    | FactMark
    | ClaimMark
    | MentionMark
    | VoteMark
    | ThoughtMark
    | TaskMark
    | ResourceMark
    | GroupMark,
    Field(discriminator="mark"),
]
"""What an entry does to the picture that a chair has of the table."""
