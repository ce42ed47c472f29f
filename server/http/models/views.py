"""What a viewer has of a game: entries and documents."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from sottovoce.projections.exports import FullEvent
from sottovoce.projections.pieces import EntryJson
from sottovoce.server.http.models.fields import example


class View(BaseModel):
    """Entries of a view; for an auditor, `FullEvent`.

    `seq` is the last number. Pass `next` as `after` for more; null if there are no more yet.
    """

    model_config = ConfigDict(extra="forbid")

    seq: Annotated[int, Field(examples=[12])]
    over: bool
    entries: list[EntryJson | FullEvent]
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
