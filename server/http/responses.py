"""What endpoints answer with: JSON in which nothing controls or hides, and the parameters that many of them take."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, overload

from fastapi import Header, Path, Query
from pydantic import BaseModel, Field
from pydantic.json_schema import SkipJsonSchema
from starlette.responses import Response

from sottovoce.domain.safe_text import visible_json
from sottovoce.projections.exports import compact

MOST = 1_000_000_000
PAGE = 200
"""Entries of a page where nobody says how many."""
LONGEST_PAGE = 1000

GameId = Annotated[str, Path(min_length=1, max_length=64, description="The game's id.")]
SeatName = Annotated[str, Path(min_length=1, max_length=100, description="The seat's name.")]
TurnNumber = Annotated[int, Path(ge=1, le=MOST, description="The turn's number. Each seat counts its own turns.")]
After = Annotated[int, Query(ge=0, le=MOST, description="Only items after this one.")]
Limit = Annotated[int, Query(ge=1, le=LONGEST_PAGE, description="At most this many.")]
Number = Annotated[int, Field(ge=0, le=MOST)] | SkipJsonSchema[None]
FromOne = Annotated[int, Field(ge=1, le=MOST)] | SkipJsonSchema[None]
Word = Annotated[str, Field(max_length=200)] | SkipJsonSchema[None]
Key = Annotated[
    str,
    Header(
        alias="Idempotency-Key",
        max_length=200,
        pattern=r"^[\x21-\x7e]*$",
        description="Identifies this message. A repeat with the same key gets the first answer again.",
    ),
]


def json_answer(data: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """The data as JSON: as a model of the interface, or as what projections give out."""
    if isinstance(data, BaseModel):
        data = data.model_dump(mode="json", by_alias=True)
    return Response(visible_json(compact(data)).encode(), status, dict(headers or {}), "application/json")


def page(name: str, items: Sequence[Any], after: int, limit: int) -> dict[str, Any]:
    """Return `limit` items after number `after`, counted from 1, and the number for the next page if there are more."""
    shown = list(items[after : after + limit])
    last = after + len(shown)
    return {name: shown, "next": last if last < len(items) else None}


@overload
def minute(at: datetime) -> str: ...
@overload
def minute(at: datetime | None) -> str | None: ...
def minute(at: datetime | None) -> str | None:
    """A time cut to the minute, as entries have it."""
    return None if at is None else at.replace(second=0, microsecond=0).isoformat()
