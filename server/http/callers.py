"""Who calls an endpoint: what a token grants, and what the caller can do.

A wrong, revoked or missing token gets the same answer as a game that does not exist or does not belong to the token:
the same status, the same bytes, and the same work before them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends
from fastapi.routing import APIRoute
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from sottovoce.domain.errors import SottovoceError
from sottovoce.projections.bundle import Bundle, bundle
from sottovoce.projections.perspective import FULL, PUBLIC, Perspective, of_seat
from sottovoce.server.http.bounds import Allowance, Bodies, Streams
from sottovoce.server.http.problems import UNAUTHORIZED, UNKNOWN, Problem
from sottovoce.server.http.readiness import Readiness
from sottovoce.server.http.receipts import DeliveryReceipts
from sottovoce.server.http.seen import SEEN, Seen
from sottovoce.server.http.settings import Settings
from sottovoce.server.links import Link, LinkKind, Links
from sottovoce.server.live_games import LiveGames

ARTICLES = {LinkKind.AUDITOR: "an"}


@dataclass(frozen=True, slots=True)
class Grant:
    """What a token opens."""

    link: Link

    @property
    def kind(self) -> LinkKind:
        """What may be done from it."""
        return self.link.kind

    @property
    def game(self) -> str | None:
        """The one game that it opens; None for the host."""
        return self.link.game or None

    @property
    def seat(self) -> str | None:
        """The seat that the link plays, if it is a seat link."""
        return self.link.seat

    @property
    def perspective(self) -> Perspective:
        """Whose eyes it sees the game with: a keeper sees what everybody does."""
        if self.seat is not None:
            return of_seat(self.seat)
        return FULL if self.kind is LinkKind.AUDITOR else PUBLIC


@dataclass(frozen=True, slots=True)
class Services:
    """What answers: the hall and its links, as set. `bundle` is the page in the browser, where it is built."""

    live_games: LiveGames
    links: Links
    settings: Settings
    handovers: DeliveryReceipts
    replies: Allowance
    streams: Streams
    bodies: Bodies
    readiness: Readiness
    bundle: Bundle | None

    @classmethod
    def of(cls, live_games: LiveGames, links: Links, settings: Settings) -> Services:
        """The office of one process."""
        bounds = settings.bounds
        replies, streams = Allowance(bounds.replies_per_minute), Streams(settings)
        bodies = Bodies(bounds.bodies_per_token)
        page = bundle() if settings.page is None else Bundle.read(settings.page)
        readiness, handovers = Readiness(live_games), DeliveryReceipts(live_games.games)
        live_games.farewells.append(handovers.close)
        return cls(live_games, links, settings, handovers, replies, streams, bodies, readiness, page)

    async def grant(self, request: Request) -> Grant:
        """Return what a request's Authorization header grants. Raises Problem 401 if it grants nothing."""
        link = await self.link(request)
        if link is None:
            raise Problem("unauthorized", UNAUTHORIZED, {"www-authenticate": "Bearer"})
        return Grant(link)

    def open_stream(self, grant: Grant, request: Request) -> Callable[[], None]:
        """Count a stream that a link opens, and return a function that counts it out again. Raises Problem if there
        are too many.
        """
        return self.streams.enter(grant.link, request.client.host if request.client else "")

    async def link(self, request: Request) -> Link | None:
        """Return the link whose token a request carries, if it is valid."""
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        return await self.live_games.call(self.links.find, token.strip() if scheme.lower() == "bearer" else "")


@dataclass(frozen=True, slots=True)
class Caller:
    """One request that has been let in."""

    services: Services
    grant: Grant

    @property
    def live_games(self) -> LiveGames:
        """The hall that answers."""
        return self.services.live_games

    @property
    def game(self) -> str:
        """The game of the request, which is the link's game."""
        assert self.grant.game is not None, "every caller except a host has a game, and a host asks about no game"
        return self.grant.game

    @property
    def seat(self) -> str:
        """The seat that asks, where only seats may."""
        assert self.grant.seat is not None, "only a seat's link was let in"
        return self.grant.seat

    @property
    def seen(self) -> int | None:
        """How many entries of its game the caller has; None without a game, or if the game cannot be read."""
        live = None if self.grant.game is None else self.live_games.known(self.grant.game)
        return None if live is None else live.seen(self.grant.perspective)

    def seen_header(self) -> dict[str, str]:
        """The header that says so."""
        seen = self.seen
        return {} if seen is None else {SEEN: str(seen)}

    @asynccontextmanager
    async def using(self) -> AsyncIterator[None]:
        """Keep the link's game in memory until the request is answered. The endpoint reports what is wrong with the
        game.
        """
        async with AsyncExitStack() as stack:
            if self.grant.game is not None:
                with suppress(SottovoceError):
                    await stack.enter_async_context(self.live_games.using(self.grant.game))
            yield

    async def reach(self, seen: int) -> bool:
        """Read on until the caller has that many entries, which the client saw here or elsewhere. Returns whether
        the log has them.
        """
        if self.seen is None or self.seen >= seen:
            return True
        async with self.live_games.using(self.game) as table:
            await self.live_games.catch_up(table)
        return self.seen >= seen


def opened_by(*kinds: LinkKind) -> dict[str, Any]:
    """What an endpoint says of who may ask: read by `Guarded`, and stated in the OpenAPI document."""
    return {"security": [{kind.value: []} for kind in kinds or tuple(LinkKind)]}


def has_body(request: Request) -> bool:
    """Whether a request says that a body comes with it."""
    return request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers


class Unheard(Response):
    """What is answered to a client that has gone: nothing."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        pass


Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class Open(APIRoute):
    """An endpoint that anybody may ask, if only for what there is to be asked."""

    def get_route_handler(self) -> Handler:
        """The endpoint's handler, for requests without unknown parameters."""
        handle = super().get_route_handler()

        async def checked(request: Request) -> Response:
            _check_query(request, self.parameters(request))
            return await handle(request)

        return checked

    def parameters(self, request: Request) -> Collection[str]:
        """The query parameters that the request can have."""
        return {field.alias for field in self.dependant.query_params}


class Guarded(Open):
    """An endpoint that lets in those who may ask before anything else of the request is looked at."""

    def get_route_handler(self) -> Handler:
        """The endpoint's handler behind its guard."""
        handle = super().get_route_handler()
        kinds = [LinkKind(kind) for entry in (self.openapi_extra or {})["security"] for kind in entry]

        async def guarded(request: Request) -> Response:
            services: Services = request.app.state.services
            grant = await services.grant(request)
            game = request.path_params.get("game")
            if game is not None and game != grant.game and not (grant.kind is LinkKind.HOST and grant.kind in kinds):
                raise Problem("unknown", UNKNOWN)
            if grant.kind not in kinds:
                raise Problem("forbidden", f"{_named(grant.kind)} can't do this. Use {_or(kinds)}.")
            request.state.asking = asking = Caller(services, grant)
            if has_body(request):
                try:
                    whole = await services.bodies.whole(grant.link.digest, request.receive)
                except ClientDisconnect:
                    return Unheard()
                request = Request(request.scope, whole)
            async with asking.using():
                answer = await handle(request)
                answer.headers.update(asking.seen_header())
                return answer

        return guarded


def _named(kind: LinkKind) -> str:
    return f"{ARTICLES.get(kind, 'a').capitalize()} {kind.value} link"


def _or(kinds: Collection[LinkKind]) -> str:
    """The kinds of link that would do: "a keeper's or an auditor's"."""
    return " or ".join(f"{ARTICLES.get(kind, 'a')} {kind.value}'s" for kind in kinds)


def _check_query(request: Request, known: Collection[str]) -> None:
    """Problem for a parameter that the endpoint does not have, or that is given twice."""
    given: set[str] = set()
    for name, _ in request.query_params.multi_items():
        if name not in known:
            takes = f"choose one of: {', '.join(sorted(known))}" if known else "there are none"
            raise Problem("invalid", f"Unknown parameter {name[:80]!r}; {takes}.")
        if name in given:
            raise Problem("invalid", f"The parameter {name!r} is given twice. Give it once.")
        given.add(name)


async def _asking(request: Request, seen: Seen = "") -> Caller:
    asking: Caller = request.state.asking
    if seen and not await asking.reach(int(seen)):
        why = f"This server does not have entry {int(seen)} yet. Ask again in a moment."
        raise Problem("behind", why, {"retry-after": "1"})
    return asking


CurrentCaller = Annotated[Caller, Depends(_asking)]
"""The request as an endpoint gets it, once this server knows what who asks has seen."""
