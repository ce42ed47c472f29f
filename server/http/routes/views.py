"""What a chair sees: its view in pages and as a stream, its transcript, its documents.

What a seat is handed here has a receipt before it leaves. All of it is a function of the chair's own view.
"""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Sequence
from itertools import accumulate
from typing import Annotated, Literal

from fastapi import APIRouter, Header, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from sottovoce.projections.bundle import Bundle, NotBuilt
from sottovoce.projections.perspective import Perspective
from sottovoce.projections.replay_file import chairs, replay_file
from sottovoce.projections.track import Track
from sottovoce.projections.transcript import markdown
from sottovoce.server.hall import Table
from sottovoce.server.http.answers import PAGE, After, FromOne, GameId, Limit, json_answer
from sottovoce.server.http.chairs import Asked, Asking, Guarded
from sottovoce.server.http.models.views import Documents, View
from sottovoce.server.http.openapi import STREAMS, answers
from sottovoce.server.http.packing import packed
from sottovoce.server.http.problems import Problem
from sottovoce.server.http.stream import OVER, EventStream, frame
from sottovoce.server.links import Kind

BURST = 500
"""Entries that one receipt covers at most, so that who leaves early was not said to have been given much more."""

MOST_AT_ONCE = 16_384
"""Bytes from which on frames of a burst are sent, in one call to the kernel: less than it holds for a reader that takes
nothing."""

LONGEST_PAGE_BYTES = 1 << 20
"""Bytes of entries from which on a page has no more of them, however many were asked for."""

PRIVATE = {"cache-control": "private, no-cache", "vary": "authorization"}
SEEING = (Kind.KEEPER, Kind.SEAT, Kind.SPECTATOR, Kind.AUDITOR)

router = APIRouter(prefix="/v1/games/{game}", tags=["view"], route_class=Guarded)

_NUMBERED = re.compile(r'"[0-9]{1,9}"')

ETAG = {"ETag": "The last seq of the view, quoted."}


def has(table: Table, perspective: Perspective) -> tuple[list[bytes], bool]:
    """The JSON of every entry that the chair has, and whether it knows the game to be over."""
    told = table.told(perspective.seat, auditor=perspective.full)
    seen = table.live.public() if perspective.seat is None else table.live.view(perspective.seat)
    return told, seen.state.over


def as_long(entries: Sequence[bytes], most: int) -> Sequence[bytes]:
    """The first of the entries: as many as have not more bytes than that together, and one at least."""
    sizes = accumulate(map(len, entries))
    return entries[: max(1, sum(1 for size in sizes if size <= most))]


async def hand_over(asked: Asking, table: Table, first: int, last: int, **said: str) -> None:
    """Write the receipt for entries that a seat is about to be given; for nobody else there is one."""
    if asked.chair.seat is not None and last >= first:
        await asked.office.handovers.entries(table.live, asked.chair.link, first, last, **said)


@router.get(
    "/view",
    **answers(
        *SEEING,
        model=View,
        means="Entries of the view, oldest first. An auditor gets events with their positions.",
        headers=ETAG,
        more={304: "Nothing new since that ETag."},
        problems=("unknown",),
    ),
)
async def view(
    asked: Asked,
    game: GameId,
    after: After = 0,
    limit: Limit = PAGE,
    etag: Annotated[
        str, Header(alias="If-None-Match", max_length=200, description="An ETag from an earlier answer.")
    ] = "",
) -> Response:
    """List what the viewer has seen: at most `limit` entries after seq `after`, fewer if they are long."""
    given = [one.strip().removeprefix("W/") for one in etag.split(",")]
    async with asked.hall.sitting(game) as table:
        # Both say what was seen already, if only by one server of several.
        await asked.reach(max(after, *(int(tag[1:-1]) for tag in given if _NUMBERED.fullmatch(tag)), 0))
        await table.prepare(asked.chair.seat, auditor=asked.chair.perspective.full)
        told, over = has(table, asked.chair.perspective)
        seq, shown = len(told), as_long(told[after : after + limit], LONGEST_PAGE_BYTES)
        tag = {"etag": f'"{seq}"', **PRIVATE}
        if tag["etag"] in given:
            return Response(status_code=304, headers=tag)
        last = after + len(shown)
        await hand_over(asked, table, after + 1, last)
    more = b"%d" % last if last < seq else b"null"
    body = b'{"seq":%d,"over":%s,"entries":[%s],"next":%s}' % (
        seq,
        b"true" if over else b"false",
        b",".join(shown),
        more,
    )
    return Response(body, headers=tag, media_type="application/json")


FRAME = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "description": "The entry's seq; for an auditor, its position."},
        "event": {"type": "string", "enum": ["entry", "end"]},
        "data": {"type": "string", "description": "An entry as in the view; of `end`, why: `over` or `link-ended`."},
        "retry": {"type": "integer", "description": "The server is stopping: reconnect after this many milliseconds."},
    },
}


@router.get(
    "/stream",
    **answers(
        *SEEING,
        means="Server-sent events: each new entry with its seq as id, and `end` when there will be no more.",
        content={STREAMS: {"itemSchema": FRAME}},
        problems=("unknown", "too-many"),
    ),
)
async def stream(
    request: Request,
    asked: Asked,
    game: GameId,
    after: After = 0,
    limit: Annotated[FromOne, Query(description="End after this many entries.")] = None,
    last: Annotated[
        str,
        Header(
            alias="Last-Event-ID",
            pattern="^[0-9]{0,9}$",
            description="The id of the last event received. Overrides `after`.",
        ),
    ] = "",
) -> Response:
    """Stream what the viewer sees, live, starting after seq `after`. Continue with `Last-Event-ID`."""
    return EventStream(
        _frames(asked, game, int(last) if last else after, limit),
        closing=asked.hall.closing,
        ended=asked.hall.ended(asked.chair.link.digest),
        bounds=asked.office.settings.bounds,
        left=asked.office.open_stream(asked.chair, request),
    )


async def _frames(asked: Asking, game: str, after: int, limit: int | None) -> AsyncGenerator[bytes]:
    sent = after
    async with asked.hall.sitting(game) as table:
        while not table.closed:
            await table.prepare(asked.chair.seat, auditor=asked.chair.perspective.full)
            length = table.live.length
            told, over = has(table, asked.chair.perspective)
            burst = told[sent : sent + min(BURST, BURST if limit is None else after + limit - sent)]
            if burst:
                await hand_over(asked, table, sent + 1, sent + len(burst))
                waiting = bytearray()
                for seq, data in enumerate(burst, sent + 1):
                    waiting += frame(seq, "entry", data)
                    if len(waiting) >= MOST_AT_ONCE:
                        yield bytes(waiting)
                        waiting.clear()
                if waiting:
                    yield bytes(waiting)
                sent += len(burst)
                if limit is not None and sent == after + limit:
                    return
            if sent < len(told):
                continue
            if over:
                yield OVER
                return
            await table.news(length, asked.chair.perspective)


@router.get(
    "/transcript",
    **answers(
        *SEEING,
        means="The game as text, or as a page in one file.",
        content={"text/markdown": {"schema": {"type": "string"}}, "text/html": {"schema": {"type": "string"}}},
        problems=("unknown", "refused"),
    ),
)
async def transcript(
    request: Request,
    asked: Asked,
    game: GameId,
    form: Annotated[
        Literal["markdown", "html"], Query(alias="format", description="The format of the text.")
    ] = "markdown",
) -> Response:
    """Export the game as the viewer saw it: as text, or as the replay in one file."""
    perspective = asked.chair.perspective
    async with asked.hall.sitting(game) as table:
        tracks = await _tracks(asked, table) if form == "html" else {}
        recorded = table.live.recorded[:]
        seq = 0 if perspective.seat is None else table.live.view(perspective.seat).seq
        if form == "html":
            text = await asked.hall.call(replay_file, _page(asked), tracks)
        else:
            text = await asked.hall.call(markdown, table.live.ruleset, recorded, perspective)
        await hand_over(asked, table, 1, seq)
    sandbox = {"content-security-policy": "sandbox; default-src 'none'", **PRIVATE}
    return await packed(request, asked.hall.call, text.encode(), f"text/{form}; charset=utf-8", sandbox)


def _page(asked: Asking) -> Bundle:
    """The page, of which a file is made. Raises NotBuilt."""
    page = asked.office.bundle
    if page is None:
        raise NotBuilt
    return page


async def _tracks(asked: Asking, table: Table) -> dict[str, Track]:
    """What the file of a game holds, all of one moment."""
    whose = asked.chair.perspective
    found = chairs(table.live.state.seats, whose)
    for chair in found.values():
        await table.prepare(chair.seat, auditor=chair.full)
    return {name: table.track(chair.seat, auditor=chair.full, audited=whose.full) for name, chair in found.items()}


@router.get("/documents", **answers(Kind.SEAT, Kind.AUDITOR, model=Documents, problems=("unknown", "refused")))
async def documents(asked: Asked, game: GameId) -> Response:
    """List the documents the viewer can read. Only some rulesets have documents."""
    async with asked.hall.sitting(game) as table:
        found = await asked.hall.think(_documents, asked, table)
    return json_answer({"documents": [{"path": path, "bytes": len(found[path])} for path in sorted(found)]})


@router.get(
    "/documents/{path:path}",
    **answers(
        Kind.SEAT,
        Kind.AUDITOR,
        means="The document's bytes.",
        content={"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        problems=("unknown", "refused"),
    ),
)
async def document(
    asked: Asked, game: GameId, path: Annotated[str, Path(max_length=1000, description="The document's path.")]
) -> Response:
    """Get one document, as the viewer can read it."""
    async with asked.hall.sitting(game) as table:
        found = (await asked.hall.think(_documents, asked, table)).get(path)
        if found is None:
            raise Problem(
                "unknown", "This document does not exist, or this seat can't read it. See the list of documents."
            )
        seat = asked.chair.seat
        await hand_over(asked, table, 1, 0 if seat is None else table.live.view(seat).seq, document=path)
    return Response(
        found, headers={"x-content-type-options": "nosniff", **PRIVATE}, media_type="application/octet-stream"
    )


def _documents(asked: Asking, table: Table) -> dict[str, bytes]:
    live, seat = table.live, asked.chair.seat
    kept = live.ruleset.documents
    if kept is None:
        raise Problem("refused", f"Games of {live.ruleset.name} have no documents.")
    return dict(kept(live.state if seat is None else live.view(seat).state))
