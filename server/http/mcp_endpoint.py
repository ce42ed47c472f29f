"""`/mcp`: a seat for an MCP client, over streamable HTTP, with the seat's token as bearer.

The SDK takes most of a second to load, so it is loaded once the server listens, or at the first request. Requests keep
no session: each brings its token, and any of several servers answers it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Receive, Scope, Send

from sottovoce.agents.agent import Considered, Mind
from sottovoce.agents.mcp_tools.seat import P, Seat, SeatTrouble, T, Verdict
from sottovoce.domain.beliefs import beliefs_of
from sottovoce.eventlog.log import Receipt
from sottovoce.projections.receipts import DELIVERED
from sottovoce.projections.view import View
from sottovoce.server.http.callers import Caller, Grant, Services, has_body
from sottovoce.server.http.problems import Problem, problem
from sottovoce.server.http.routes.turns import NOTHING_BESIDE, Beside, news, take
from sottovoce.server.ids import fresh_id
from sottovoce.server.links import LinkKind
from sottovoce.server.live_games import GameFeed

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context

BY = "mcp"
"""What receipts call a delivery through this endpoint."""

BEAT = 10.0
"""Seconds between two notices that a call is still waiting."""

PATIENCE = 2.0
"""Seconds for which nothing is loaded that nobody asked for."""

GRANT = "sottovoce.chair"
"""The key in a request's scope for what its token grants."""


def beside_of(reply: str) -> Beside:
    """What comes with a reply."""
    if not isinstance(reply, Considered):
        return NOTHING_BESIDE
    mind = reply.mind or Mind()
    return Beside(mind.thoughts, beliefs_of(mind.suspicion), reply.notes)


class McpEndpoint:
    """The ASGI application at `/mcp`. Tokens are looked at before anything else."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._opened: asyncio.Future[ASGIApp] | None = None
        self._running: asyncio.Task[None] | None = None
        self._under_way = 0
        self._quiet = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        try:
            grant = await self._let_in(request)
            if has_body(request):
                receive = await self._services.bodies.whole(grant.link.digest, receive)
        except Problem as refused:
            await refused.response()(scope, receive, send)
            return
        except ClientDisconnect:
            return
        if self._services.live_games.closing.is_set():
            why = "The server is stopping. Try again in a moment."
            await problem("unavailable", why, {"retry-after": "2"})(scope, receive, send)
            return
        try:
            leave = self._services.open_stream(grant, request)
        except Problem as refused:
            await refused.response()(scope, receive, send)
            return
        self._under_way += 1
        try:
            app = await self._open()
            await app({**scope, GRANT: grant}, receive, send)
        finally:
            leave()
            self._under_way -= 1
            if not self._under_way:
                self._quiet.set()

    async def load(self) -> None:
        """Have the SDK loaded before somebody asks for it, but not in the way of the first answers."""
        await asyncio.sleep(PATIENCE)
        await self._open()

    async def left(self) -> None:
        """Return once the SDK's server has ended, after the hall closed; at once where none was loaded."""
        if self._running is not None:
            await asyncio.wait({self._running})

    async def _open(self) -> ASGIApp:
        """The SDK's server, loaded in a thread and running until the hall closes."""
        if self._opened is None:
            self._opened = asyncio.get_running_loop().create_future()
            self._running = asyncio.create_task(self._run(self._opened))
        return await asyncio.shield(self._opened)

    async def _let_in(self, request: Request) -> Grant:
        """The seat that a request's token opens. Raises Problem."""
        grant = await self._services.grant(request)
        if grant.kind is not LinkKind.SEAT:
            raise Problem("forbidden", f"A {grant.kind.value} link can't do this. Use a seat link.")
        if request.method != "POST":
            raise Problem("method", "This address takes POST only.", {"allow": "POST"})
        if grant.link.claimed is None:
            await self._services.links.claim(grant.link)
        return grant

    async def _run(self, opened: asyncio.Future[ASGIApp]) -> None:
        try:
            manager = await asyncio.to_thread(self._load)
            async with manager.run():
                opened.set_result(manager.handle_request)
                await self._services.live_games.closing.wait()
                while self._under_way:
                    self._quiet.clear()
                    await self._quiet.wait()
        except BaseException as error:
            self._opened = None
            if not opened.done():
                opened.set_exception(error)
            raise

    def _load(self) -> Any:
        from mcp.server.transport_security import TransportSecuritySettings

        from sottovoce.agents.mcp_tools.server import seat_server

        server = seat_server(self._seat, beat=BEAT)
        # The edge has looked at the host and the origin.
        trusting = TransportSecuritySettings(enable_dns_rebinding_protection=False)
        server.streamable_http_app(
            stateless_http=True,
            transport_security=trusting,
            max_request_body_size=self._services.settings.bounds.body,
        )
        return server.session_manager

    @asynccontextmanager
    async def _seat(self, ctx: Context[Any, Any]) -> AsyncIterator[Seat]:
        request = ctx.request_context.request
        assert isinstance(request, Request)
        asking = Caller(self._services, request.scope[GRANT])
        async with asking.live_games.using(asking.game) as table:
            yield LiveSeat(asking, table)


class LiveSeat:
    """A seat at a table of this process."""

    def __init__(self, asking: Caller, table: GameFeed) -> None:
        self._asking = asking
        self._table = table

    async def seen(self) -> View[Any]:
        """What the seat has seen by now, on whichever server."""
        await self._asking.live_games.catch_up(self._table)
        return self._table.live.view(self._asking.seat)

    async def asked(self, seconds: float) -> View[Any]:
        """The same once a turn is open or the game is over, or after so long."""
        await self._asking.live_games.catch_up(self._table)
        try:
            return await news(self._asking, self._table, None, seconds)
        except Problem as refused:
            raise SeatTrouble(refused.detail) from None

    async def reply(self, turn: int, text: str) -> Verdict:
        """Answer a turn."""
        return await self._take(turn, text, beside_of(text))

    async def say(self, text: str) -> Verdict:
        """Send an unprompted message."""
        return await self._take(None, text)

    async def think(self, function: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """Work it out in a thread."""
        return await self._asking.live_games.think(function, *given, **named)

    async def handed(self, view: View[Any], since: int, text: str) -> None:
        """Write the receipt, with the very text."""
        live, seat = self._table.live, self._asking.seat
        turn = min((turn.number for turn in view.turns), default=None)
        data = {
            "by": BY,
            "agent": live.state.agents.get(seat, ""),
            "call": fresh_id(),
            "turn": turn,
            "from": min(since, view.seq - 1) + 1,
            "to": view.seq,
        }
        receipt = Receipt(DELIVERED, self._asking.live_games.games.clock(), seat, data, (text,))
        await self._asking.services.handovers.record(live, self._asking.grant.link, [receipt])

    async def _take(self, turn: int | None, text: str, beside: Beside = NOTHING_BESIDE) -> Verdict:
        try:
            await take(self._asking, turn, str(text), beside=beside)
        except Problem as refused:
            if refused.slug not in ("refused", "closed"):
                raise SeatTrouble(refused.detail) from None
            return Verdict(False, refused.detail, closed=refused.slug == "closed")
        return Verdict(True)
