"""What an auditor may ask: the whole log, the receipts, and what follows from them. Numbers are positions here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.visible import one_line
from sottovoce.eventlog.errors import LogError
from sottovoce.eventlog.verify import text_of, verify, whole_receipts
from sottovoce.projections import audit as audits
from sottovoce.projections.exports import export_event
from sottovoce.projections.knowledge import how as learnt
from sottovoce.projections.leaks import leaks as leaks_of
from sottovoce.server.files import altered
from sottovoce.server.http.answers import MOST, PAGE, After, FromOne, GameId, Limit, Word, json_answer, page
from sottovoce.server.http.chairs import Asked, Asking, Guarded
from sottovoce.server.http.models.audit import Events, Leaks, Learnt, PromptOf, Receipts, Saw, Verified, WhoSaw
from sottovoce.server.http.openapi import answers
from sottovoce.server.http.problems import Problem
from sottovoce.server.links import Kind
from sottovoce.server.receipts import receipt_json

router = APIRouter(prefix="/v1/games/{game}", tags=["audit"], route_class=Guarded)

Position = Annotated[int, Query(ge=1, le=MOST, description="A position of the log.")]
SeatAsked = Annotated[str, Query(min_length=1, max_length=100, description="A seat's name.")]
TurnAsked = Annotated[int, Query(ge=1, le=MOST, description="The number of a turn of that seat.")]


@router.get("/export", **answers(Kind.AUDITOR, model=Events, problems=("unknown",)))
async def export(asked: Asked, game: GameId, after: After = 0, limit: Limit = PAGE) -> Response:
    """List the events as `export` writes them."""
    async with asked.hall.sitting(game) as table:
        recorded = table.live.recorded
        last = min(after + limit, len(recorded))
        shown, more = recorded[after:last], last < len(recorded)

    def answer() -> Response:
        return json_answer({"events": [export_event(item) for item in shown], "next": last if more else None})

    return await asked.hall.think(answer)


@router.get("/receipts", **answers(Kind.AUDITOR, model=Receipts, problems=("unknown",)))
async def receipts(asked: Asked, game: GameId, after: After = 0, limit: Limit = PAGE) -> Response:
    """List receipts: deliveries, ends of calls, and changes of links."""
    log = asked.hall.games.log

    def found() -> dict[str, Any]:
        told = page("receipts", whole_receipts(log, game), after, limit)
        return {**told, "receipts": [receipt_json(log, item) for item in told["receipts"]]}

    return await asked.hall.think(json_answer, await asked.hall.call(found))


@router.get("/audit/who-saw", **answers(Kind.AUDITOR, model=WhoSaw, problems=("unknown",)))
async def who_saw(asked: Asked, game: GameId, position: Position) -> Response:
    """Show who could see the event at a position, and who received it when."""
    return await _asked_of(
        asked, lambda ruleset, recorded, handed: audits.who_saw(ruleset, recorded, handed, position).to_json()
    )


@router.get("/audit/saw", **answers(Kind.AUDITOR, model=Saw, problems=("unknown",)))
async def saw(
    asked: Asked,
    game: GameId,
    seat: SeatAsked,
    at: Annotated[FromOne, Query(description="The state right after this position.")] = None,
    after: After = 0,
    limit: Limit = PAGE,
) -> Response:
    """Show what a seat had seen, and when it received each entry. Paged by the seat's seq."""

    def found(ruleset: Any, recorded: Any, handed: Any) -> dict[str, Any]:
        told = page("entries", audits.saw(ruleset, recorded, handed, seat, at), after, limit)
        return {**told, "entries": [entry.to_json() for entry in told["entries"]]}

    return await _asked_of(asked, found)


@router.get("/audit/how", **answers(Kind.AUDITOR, model=Learnt, problems=("unknown",)))
async def how(asked: Asked, game: GameId, seat: SeatAsked, position: Position) -> Response:
    """Show how a seat could know what the event at a position contains."""
    return await _asked_of(asked, lambda ruleset, recorded, handed: learnt(ruleset, recorded, seat, position).to_json())


@router.get("/audit/prompt", **answers(Kind.AUDITOR, model=PromptOf, problems=("unknown",)))
async def prompt(asked: Asked, game: GameId, seat: SeatAsked, turn: TurnAsked) -> Response:
    """Show the exact prompt a seat received for one turn."""
    log = asked.hall.games.log

    def found(ruleset: Any, recorded: Any, handed: Any) -> dict[str, Any]:
        told = audits.prompt(recorded, handed, seat, turn)
        texts = {digest: text_of(log, digest) for item, _ in told.handed for digest in item.blocks}
        return {**told.to_json(), "texts": texts}

    return await _asked_of(asked, found)


@router.get("/audit/leaks", **answers(Kind.AUDITOR, model=Leaks, problems=("unknown",)))
async def leaks(asked: Asked, game: GameId) -> Response:
    """Find leaked secrets: secrets said aloud, wrong audiences, deliveries beyond a seat's view, changed files."""
    log = asked.hall.games.log
    async with asked.hall.sitting(game) as table:
        live = table.live

    def found(ruleset: Any, recorded: Any, handed: Any) -> dict[str, Any]:
        told = leaks_of(ruleset, recorded, handed, log.block, altered(live))
        return {"findings": [finding.to_json() for finding in told.findings]}

    return await _asked_of(asked, found)


@router.get("/audit/verify", **answers(Kind.AUDITOR, model=Verified, problems=("unknown",)))
async def verify_one(
    asked: Asked,
    game: GameId,
    head: Annotated[Word, Query(description="A head hash that you saved earlier.")] = None,
) -> Response:
    """Verify events, receipts and texts against their hashes and the head.

    Save the head elsewhere and pass it later.
    """
    log = asked.hall.games.log
    told = await _call(asked, lambda: {**verify(log, game, head).to_json(), "head": str(log.head(game))})
    return json_answer(told)


async def _asked_of(asked: Asking, find: Callable[[Any, Any, Any], dict[str, Any]]) -> Response:
    """What is found in a game's ruleset, events and receipts, worked out in a thread."""
    async with asked.hall.sitting(asked.game) as table:
        ruleset, recorded = table.live.ruleset, table.live.recorded[:]
    log = asked.hall.games.log
    found = await _call(asked, lambda: find(ruleset, recorded, whole_receipts(log, asked.game)))
    return await asked.hall.think(json_answer, found)


async def _call(asked: Asking, find: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The same where what is asked for is not there: a name or number that nothing has."""
    try:
        return await asked.hall.call(find)
    except LogError:
        raise
    except SottovoceError as error:
        raise Problem("unknown" if error.exit_code == 2 else "refused", one_line(str(error))) from None
