"""What a chair has of a game: its entries, its documents."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from sottovoce.server.http.models.fields import GAME, example
from sottovoce.server.http.models.pieces import Mark, Piece

SPOKE: dict[str, Any] = {
    "name": "mafia.spoke.v1",
    "actor": "Ada",
    "data": {"player": "Ada", "text": "It was not me."},
}
"""The example of an event, as everybody has it."""


class Told(BaseModel):
    """An entry as `Entry`, without its piece and its marks."""

    model_config = ConfigDict(extra="forbid")

    seq: int
    name: str
    at: str
    actor: str | None
    data: dict[str, Any]


class Entry(Told):
    """An event in a view.

    `at` is cut to the minute; `piece` is the event as shown, or null; `marks` are what it changes in the viewer's
    picture of the game.
    """

    model_config = example(
        seq=12,
        at="2026-05-01T18:02:00+00:00",
        **SPOKE,
        piece=Piece.model_config["json_schema_extra"]["examples"][0],  # type: ignore[index]
        marks=[{"mark": "awaited", "seats": ["narrator"], "text": ""}],
    )

    piece: Piece | None
    marks: list[Mark]


class FullEvent(BaseModel):
    """An event as stored, for an auditor.

    `body` is present if `data` does not give its bytes; `piece` and `marks` in the view.
    """

    model_config = example(
        game=GAME,
        position=12,
        append="0f3c5a7e9b1d2f4a",
        at="2026-05-01T18:02:11.123456+00:00",
        **SPOKE,
        audience="everyone",
        cause=11,
        salt="00",
        hash="00",
    )

    game: str
    position: int
    append: str
    name: str
    at: str
    actor: str | None
    audience: Literal["everyone"] | list[str]
    cause: int | None
    data: dict[str, Any]
    salt: str
    hash: str
    body: str | None = None
    piece: Piece | None = None
    marks: list[Mark] | None = None


class View(BaseModel):
    """Entries of a view; for an auditor, `FullEvent`.

    `seq` is the last number. Pass `next` as `after` for more; null if there are no more yet.
    """

    model_config = ConfigDict(extra="forbid")

    seq: Annotated[int, Field(examples=[12])]
    over: bool
    entries: list[Entry | FullEvent]
    next: int | None


class DocumentRow(BaseModel):
    """A document as this viewer can read it, and its length."""

    model_config = example(path="party/pim-tallow.md", bytes=812)

    path: str
    bytes: int


class Documents(BaseModel):
    """The documents this viewer can read."""

    model_config = ConfigDict(extra="forbid")

    documents: list[DocumentRow]
