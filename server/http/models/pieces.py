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
    """Words as a seat wrote them; `who` is empty if no one should be named."""

    who: str
    text: str


class Heading(Plain):
    """The whole game (level 1), a chapter (2) or a section (3) starts."""

    text: str
    level: Literal[1, 2, 3]
    mood: Mood
    within: str


class Grid(Plain):
    """A table."""

    header: list[str]
    rows: list[list[list[Run]]]


class Piece(BaseModel):
    """An event as it is shown to one viewer."""

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
    """Who plays, in seating order; offices are the seats named by what they do."""

    mark: Literal["seats"]
    seats: list[str]
    offices: list[str]


class AwaitedMark(Plain):
    """Whose turn it is, as far as everyone can know; `text` says it if no seat is named."""

    mark: Literal["awaited"]
    seats: list[str]
    text: str


class PhaseMark(Heading):
    """A chapter starts."""

    mark: Literal["phase"]


class OutMark(Plain):
    """A seat is out of the game."""

    mark: Literal["out"]
    seat: str
    how: str


class FactMark(Plain):
    """Hidden information.

    With the way `rule` everyone knows it, and `to` is null; else `to` are the seats that know it from this entry, as
    far as the viewer can tell. `label` can be shown under the names of `about`.
    """

    mark: Literal["fact"]
    fact: list[str]
    about: list[str]
    label: str
    says: str
    way: Literal["saw", "rule"]
    to: list[str] | None


class ClaimMark(Plain):
    """A player said something about hidden information; `denied` if they said it is not true.

    `words` is the sentence. `to` is null if everyone heard it.
    """

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
    """A highlight."""

    mark: Literal["mention"]
    what: Highlight
    text: str
    seats: list[str]


class VoteMark(Plain):
    """One vote as it becomes known.

    `for` is the seat it concerns, or null; `ballot` is the same for all votes counted together.
    """

    mark: Literal["vote"]
    of: str
    for_: Annotated[str | None, Field(alias="for")]
    choice: str
    ballot: str


class ThoughtMark(Plain):
    """What a seat's agent thought, as recorded."""

    mark: Literal["thought"]
    seat: str
    text: str


class TaskMark(Plain):
    """A task's state changed, or who acts next; `says` is the state in words."""

    mark: Literal["task"]
    task: str
    title: str
    state: str
    seat: str | None
    says: str


class ResourceMark(Plain):
    """A seat's amount or value of a resource; an empty text if it has none."""

    mark: Literal["resource"]
    seat: str
    name: str
    value: int | str
    most: int | None


class GroupMark(Plain):
    """These seats are together and apart from all others; the name is empty if the group has none."""

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
