"""What an auditor may ask: the whole log, the receipts, and what follows from them. Numbers are positions here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.safe_text import one_line
from sottovoce.eventlog.errors import LogError
from sottovoce.eventlog.verify import all_receipts, text_of, verify
from sottovoce.projections import audit as audits
from sottovoce.projections.exports import export_event
from sottovoce.projections.knowledge import HowJson
from sottovoce.projections.knowledge import how as learnt
from sottovoce.projections.leaks import leaks as leaks_of
from sottovoce.server.files import altered
from sottovoce.server.http.callers import Caller, CurrentCaller, Guarded
from sottovoce.server.http.models.audit import Events, LeakFindings, PromptTexts, Receipts, Saw, VerifiedGame
from sottovoce.server.http.openapi import answers
from sottovoce.server.http.problems import Problem
from sottovoce.server.http.responses import MOST, PAGE, After, FromOne, GameId, Limit, Word, json_answer, page
from sottovoce.server.links import LinkKind
from sottovoce.server.receipts import receipt_json

router = APIRouter(prefix="/v1/games/{game}", tags=["audit"], route_class=Guarded)

Position = Annotated[int, Query(ge=1, le=MOST, description="A position of the log.")]
SeatAsked = Annotated[str, Query(min_length=1, max_length=100, description="A seat's name.")]
TurnAsked = Annotated[int, Query(ge=1, le=MOST, description="The number of a turn of that seat.")]


@router.get("/export", **answers(LinkKind.AUDITOR, model=Events, problems=("unknown",)))
async def export(asked: CurrentCaller, game: GameId, after: After = 0, limit: Limit = PAGE) -> Response:
    """List the events as `export` writes them."""
    async with asked.live_games.using(game) as table:
        recorded = table.live.recorded
        last = min(after + limit, len(recorded))
        shown, more = recorded[after:last], last < len(recorded)

    def answer() -> Response:
        return json_answer({"events": [export_event(item) for item in shown], "next": last if more else None})

    return await asked.live_games.think(answer)


@router.get("/receipts", **answers(LinkKind.AUDITOR, model=Receipts, problems=("unknown",)))
async def receipts(asked: CurrentCaller, game: GameId, after: After = 0, limit: Limit = PAGE) -> Response:
    """List receipts: deliveries, ends of calls, and changes of links."""
    log = asked.live_games.games.log

    def found() -> dict[str, Any]:
        told = page("receipts", all_receipts(log, game), after, limit)
        return {**told, "receipts": [receipt_json(log, item) for item in told["receipts"]]}

    return await asked.live_games.think(json_answer, await asked.live_games.call(found))


@router.get("/audit/who-saw", **answers(LinkKind.AUDITOR, model=audits.WhoSawJson, problems=("unknown",)))
async def who_saw(asked: CurrentCaller, game: GameId, position: Position) -> Response:
    """Show who could see the event at a position, and who received it when."""
    return await _asked_of(
        asked, lambda ruleset, recorded, handed: audits.who_saw(ruleset, recorded, handed, position).to_json()
    )


@router.get("/audit/saw", **answers(LinkKind.AUDITOR, model=Saw, problems=("unknown",)))
async def saw(
    asked: CurrentCaller,
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


@router.get("/audit/how", **answers(LinkKind.AUDITOR, model=HowJson, problems=("unknown",)))
async def how(asked: CurrentCaller, game: GameId, seat: SeatAsked, position: Position) -> Response:
    """Show how a seat could know what the event at a position contains."""
    return await _asked_of(asked, lambda ruleset, recorded, handed: learnt(ruleset, recorded, seat, position).to_json())


@router.get("/audit/prompt", **answers(LinkKind.AUDITOR, model=PromptTexts, problems=("unknown",)))
async def prompt(asked: CurrentCaller, game: GameId, seat: SeatAsked, turn: TurnAsked) -> Response:
    """Show the exact prompt a seat received for one turn."""
    log = asked.live_games.games.log

    def found(ruleset: Any, recorded: Any, handed: Any) -> PromptTexts:
        told = audits.prompt(recorded, handed, seat, turn)
        texts = {digest: text_of(log, digest) for item, _ in told.handed for digest in item.blocks}
        return {**told.to_json(), "texts": texts}

    return await _asked_of(asked, found)


@router.get("/audit/leaks", **answers(LinkKind.AUDITOR, model=LeakFindings, problems=("unknown",)))
async def leaks(asked: CurrentCaller, game: GameId) -> Response:
    """Find leaked secrets: secrets said aloud, wrong audiences, deliveries beyond a seat's view, changed files."""
    log = asked.live_games.games.log
    async with asked.live_games.using(game) as table:
        live = table.live

    def found(ruleset: Any, recorded: Any, handed: Any) -> dict[str, Any]:
        told = leaks_of(ruleset, recorded, handed, log.block, altered(live))
        return {"findings": [finding.to_json() for finding in told.findings]}

    return await _asked_of(asked, found)


@router.get("/audit/verify", **answers(LinkKind.AUDITOR, model=VerifiedGame, problems=("unknown",)))
async def verify_one(
    asked: CurrentCaller,
    game: GameId,
    head: Annotated[Word, Query(description="A head hash that you saved earlier.")] = None,
) -> Response:
    """Verify events, receipts and texts against their hashes and the head.

    Save the head elsewhere and pass it later.
    """
    log = asked.live_games.games.log

    def found() -> VerifiedGame:
        return {**verify(log, game, head).to_json(), "head": str(log.head(game))}

    return json_answer(await _call(asked, found))


async def _asked_of(asked: Caller, find: Callable[[Any, Any, Any], object]) -> Response:
    """What is found in a game's ruleset, events and receipts, worked out in a thread."""
    async with asked.live_games.using(asked.game) as table:
        ruleset, recorded = table.live.ruleset, table.live.recorded[:]
    log = asked.live_games.games.log
    found = await _call(asked, lambda: find(ruleset, recorded, all_receipts(log, asked.game)))
    return await asked.live_games.think(json_answer, found)


async def _call(asked: Caller, find: Callable[[], object]) -> object:
    """The same where what is asked for is not there: a name or number that nothing has."""
    try:
        return await asked.live_games.call(find)
    except LogError:
        raise
    except SottovoceError as error:
        raise Problem("unknown" if error.exit_code == 2 else "refused", one_line(str(error))) from None
