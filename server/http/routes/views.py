"""What a viewer sees: its view in pages and as a stream, its transcript, its documents.

A delivery to a seat has a receipt before it leaves. Everything is a function of the viewer's view.
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
from sottovoce.server.http.callers import Caller, CurrentCaller, Guarded
from sottovoce.server.http.compression import packed
from sottovoce.server.http.models.views import DocumentRow, Documents, View
from sottovoce.server.http.open_chairs import Wanted, record_for, record_look
from sottovoce.server.http.openapi import STREAMS, answers
from sottovoce.server.http.problems import Problem
from sottovoce.server.http.responses import PAGE, After, FromOne, GameId, Limit, json_answer
from sottovoce.server.http.stream import OVER, EventStream, frame
from sottovoce.server.links import LinkKind
from sottovoce.server.live_games import GameFeed

BURST = 500
"""Entries that one receipt covers at most, so that who leaves early was not said to have been given much more."""

MOST_AT_ONCE = 16_384
"""Bytes from which on frames of a burst are sent, in one call to the kernel: less than it holds for a reader that takes
nothing."""

LONGEST_PAGE_BYTES = 1 << 20
"""Bytes of entries from which on a page has no more of them, however many were asked for."""

PRIVATE = {"cache-control": "private, no-cache", "vary": "authorization"}
SEEING = (LinkKind.KEEPER, LinkKind.SEAT, LinkKind.SPECTATOR, LinkKind.AUDITOR)

router = APIRouter(prefix="/v1/games/{game}", tags=["view"], route_class=Guarded)

_NUMBERED = re.compile(r'"[0-9]{1,9}"')

ETAG = {"ETag": "The last seq of the view, quoted."}


def has(table: GameFeed, perspective: Perspective) -> tuple[list[bytes], bool]:
    """Return the JSON of every entry that the viewer has, and whether the viewer knows that the game is over."""
    told = table.told(perspective.seat, auditor=perspective.full)
    seen = table.live.public() if perspective.seat is None else table.live.view(perspective.seat)
    return told, seen.state.over


def as_long(entries: Sequence[bytes], most: int) -> Sequence[bytes]:
    """The first of the entries: as many as have not more bytes than that together, and one at least."""
    sizes = accumulate(map(len, entries))
    return entries[: max(1, sum(1 for size in sizes if size <= most))]


async def record_delivery(asked: Caller, table: GameFeed, first: int, last: int, **said: str) -> None:
    """Write the receipt for entries that a seat is about to be given; for nobody else there is one."""
    if asked.grant.seat is not None and last >= first:
        await asked.services.handovers.entries(table.live, asked.grant.link, first, last, **said)


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
    asked: CurrentCaller,
    game: GameId,
    after: After = 0,
    limit: Limit = PAGE,
    etag: Annotated[
        str, Header(alias="If-None-Match", max_length=200, description="An ETag from an earlier answer.")
    ] = "",
) -> Response:
    """List what the viewer has seen: at most `limit` entries after seq `after`, fewer if they are long."""
    given = [one.strip().removeprefix("W/") for one in etag.split(",")]
    async with asked.live_games.using(game) as table:
        # Both say what was seen already, if only by one server of several.
        await asked.reach(max(after, *(int(tag[1:-1]) for tag in given if _NUMBERED.fullmatch(tag)), 0))
        await table.prepare(asked.grant.seat, auditor=asked.grant.perspective.full)
        told, over = has(table, asked.grant.perspective)
        seq, shown = len(told), as_long(told[after : after + limit], LONGEST_PAGE_BYTES)
        tag = {"etag": f'"{seq}"', **PRIVATE}
        if tag["etag"] in given:
            return Response(status_code=304, headers=tag)
        last = after + len(shown)
        await record_delivery(asked, table, after + 1, last)
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
    asked: CurrentCaller,
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
        closing=asked.live_games.closing,
        ended=asked.live_games.ended(asked.grant.link.digest),
        bounds=asked.services.settings.bounds,
        left=asked.services.open_stream(asked.grant, request),
    )


async def _frames(asked: Caller, game: str, after: int, limit: int | None) -> AsyncGenerator[bytes]:
    sent = after
    async with asked.live_games.using(game) as table:
        while not table.closed:
            await table.prepare(asked.grant.seat, auditor=asked.grant.perspective.full)
            length = table.live.length
            told, over = has(table, asked.grant.perspective)
            burst = told[sent : sent + min(BURST, BURST if limit is None else after + limit - sent)]
            if burst:
                await record_delivery(asked, table, sent + 1, sent + len(burst))
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
            await table.news(length, asked.grant.perspective)


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
    asked: CurrentCaller,
    game: GameId,
    form: Annotated[
        Literal["markdown", "html"], Query(alias="format", description="The format of the text.")
    ] = "markdown",
    everybody: Annotated[bool, Query(description="As everyone saw it. For seats once chairs are open.")] = False,
    whole: Annotated[bool, Query(alias="open", description="As the open chairs saw it. For the same.")] = False,
) -> Response:
    """Export the game as the viewer saw it: as text, or as the replay in one file.

    Once a game is over, a seat link also gets what is public and all that the open chairs saw.
    """
    wanted = Wanted(everybody=everybody, whole=whole)
    async with asked.live_games.using(game) as table:
        shown, perspective, chairs = await record_for(asked, table, wanted)
        tracks = await _tracks(asked, shown, perspective, chairs) if form == "html" else {}
        recorded = shown.live.recorded[:]
        seq = 0 if perspective.seat is None else shown.live.view(perspective.seat).seq
        if form == "html":
            text = await asked.live_games.call(replay_file, _page(asked), tracks)
        else:
            text = await asked.live_games.call(markdown, shown.live.ruleset, recorded, perspective)
        if shown is table:
            await record_delivery(asked, table, 1, seq)
        else:
            await record_look(asked, table, wanted)
    sandbox = {"content-security-policy": "sandbox; default-src 'none'", **PRIVATE}
    return await packed(request, asked.live_games.call, text.encode(), f"text/{form}; charset=utf-8", sandbox)


def _page(asked: Caller) -> Bundle:
    """The page, of which a file is made. Raises NotBuilt."""
    page = asked.services.bundle
    if page is None:
        raise NotBuilt
    return page


async def _tracks(asked: Caller, table: GameFeed, whose: Perspective, opened: Sequence[str] = ()) -> dict[str, Track]:
    """What the file of a game holds, all of one moment. `opened` are the chairs it has, if not all of them."""
    found = chairs(opened or table.live.state.seats, whose)
    for chair in found.values():
        await table.prepare(chair.seat, auditor=chair.full)
    return {
        name: table.track(chair.seat, auditor=chair.full, audited=whose.full, chairs=opened if whose.full else ())
        for name, chair in found.items()
    }


@router.get("/documents", **answers(LinkKind.SEAT, LinkKind.AUDITOR, model=Documents, problems=("unknown", "refused")))
async def documents(asked: CurrentCaller, game: GameId) -> Response:
    """List the documents the viewer can read. Only some rulesets have documents."""
    async with asked.live_games.using(game) as table:
        found = await asked.live_games.think(_documents, asked, table)
    return json_answer(Documents(documents=[DocumentRow(path=path, bytes=len(found[path])) for path in sorted(found)]))


@router.get(
    "/documents/{path:path}",
    **answers(
        LinkKind.SEAT,
        LinkKind.AUDITOR,
        means="The document's bytes.",
        content={"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        problems=("unknown", "refused"),
    ),
)
async def document(
    asked: CurrentCaller, game: GameId, path: Annotated[str, Path(max_length=1000, description="The document's path.")]
) -> Response:
    """Get one document, as the viewer can read it."""
    async with asked.live_games.using(game) as table:
        found = (await asked.live_games.think(_documents, asked, table)).get(path)
        if found is None:
            raise Problem(
                "unknown", "This document does not exist, or this seat can't read it. See the list of documents."
            )
        seat = asked.grant.seat
        await record_delivery(asked, table, 1, 0 if seat is None else table.live.view(seat).seq, document=path)
    return Response(
        found, headers={"x-content-type-options": "nosniff", **PRIVATE}, media_type="application/octet-stream"
    )


def _documents(asked: Caller, table: GameFeed) -> dict[str, bytes]:
    live, seat = table.live, asked.grant.seat
    kept = live.ruleset.documents
    if kept is None:
        raise Problem("refused", f"Games of {live.ruleset.name} have no documents.")
    return dict(kept(live.state if seat is None else live.view(seat).state))
