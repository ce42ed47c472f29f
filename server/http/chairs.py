"""Who asks: the chair that a token opens, and what may be done from it.

A token that is wrong, ended or missing gets one answer, and so does a game that is not there or not this token's: the
same status, the same bytes, and the same work before them.
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
from sottovoce.server.hall import Hall
from sottovoce.server.http.bounds import Allowance, Bodies, Streams
from sottovoce.server.http.handovers import HandOvers
from sottovoce.server.http.problems import UNAUTHORIZED, UNKNOWN, Problem
from sottovoce.server.http.readiness import Readiness
from sottovoce.server.http.seen import SEEN, Seen
from sottovoce.server.http.settings import Settings
from sottovoce.server.links import Kind, Link, Links

ARTICLES = {Kind.AUDITOR: "an"}


@dataclass(frozen=True, slots=True)
class Chair:
    """What a token opens."""

    link: Link

    @property
    def kind(self) -> Kind:
        """What may be done from it."""
        return self.link.kind

    @property
    def game(self) -> str | None:
        """The one game that it opens; None for the host."""
        return self.link.game or None

    @property
    def seat(self) -> str | None:
        """The seat whose chair it is, if it is one's."""
        return self.link.seat

    @property
    def perspective(self) -> Perspective:
        """Whose eyes it sees the game with: a keeper sees what everybody does."""
        if self.seat is not None:
            return of_seat(self.seat)
        return FULL if self.kind is Kind.AUDITOR else PUBLIC


@dataclass(frozen=True, slots=True)
class Office:
    """What answers: the hall and its links, as set. `bundle` is the page in the browser, where it is built."""

    hall: Hall
    links: Links
    settings: Settings
    handovers: HandOvers
    replies: Allowance
    streams: Streams
    bodies: Bodies
    readiness: Readiness
    bundle: Bundle | None

    @classmethod
    def of(cls, hall: Hall, links: Links, settings: Settings) -> Office:
        """The office of one process."""
        bounds = settings.bounds
        replies, streams = Allowance(bounds.replies_per_minute), Streams(settings)
        bodies = Bodies(bounds.bodies_per_token)
        page = bundle() if settings.page is None else Bundle.read(settings.page)
        readiness, handovers = Readiness(hall), HandOvers(hall.games)
        hall.farewells.append(handovers.close)
        return cls(hall, links, settings, handovers, replies, streams, bodies, readiness, page)

    async def chair(self, request: Request) -> Chair:
        """The chair that a request's Authorization header opens; 401 where it opens none."""
        link = await self.link(request)
        if link is None:
            raise Problem("unauthorized", UNAUTHORIZED, {"www-authenticate": "Bearer"})
        return Chair(link)

    def open_stream(self, chair: Chair, request: Request) -> Callable[[], None]:
        """Count a stream that a chair opens; what counts it out again. Raises Problem where there are too many."""
        return self.streams.enter(chair.link, request.client.host if request.client else "")

    async def link(self, request: Request) -> Link | None:
        """The link whose token a request carries, if it is in force."""
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        return await self.hall.call(self.links.find, token.strip() if scheme.lower() == "bearer" else "")


@dataclass(frozen=True, slots=True)
class Asking:
    """One request that has been let in."""

    office: Office
    chair: Chair

    @property
    def hall(self) -> Hall:
        """The hall that answers."""
        return self.office.hall

    @property
    def game(self) -> str:
        """The game that is asked about, which is the chair's own."""
        assert self.chair.game is not None, "every caller except a host has a game, and a host asks about no game"
        return self.chair.game

    @property
    def seat(self) -> str:
        """The seat that asks, where only seats may."""
        assert self.chair.seat is not None, "only a seat's link was let in"
        return self.chair.seat

    @property
    def seen(self) -> int | None:
        """How many entries of its game the chair has; None where it has no game, or one that cannot be read."""
        live = None if self.chair.game is None else self.hall.known(self.chair.game)
        return None if live is None else live.seen(self.chair.perspective)

    def told(self) -> dict[str, str]:
        """The header that says so."""
        seen = self.seen
        return {} if seen is None else {SEEN: str(seen)}

    @asynccontextmanager
    async def sitting(self) -> AsyncIterator[None]:
        """The chair's game stays in memory until it has been answered. What is wrong with it, the endpoint says."""
        async with AsyncExitStack() as stack:
            if self.chair.game is not None:
                with suppress(SottovoceError):
                    await stack.enter_async_context(self.hall.sitting(self.chair.game))
            yield

    async def reach(self, seen: int) -> bool:
        """Know so many entries of the chair's, which who asks has seen here or elsewhere; whether the log has them."""
        if self.seen is None or self.seen >= seen:
            return True
        async with self.hall.sitting(self.game) as table:
            await self.hall.catch_up(table)
        return self.seen >= seen


def opened_by(*kinds: Kind) -> dict[str, Any]:
    """What an endpoint says of who may ask: read by `Guarded`, and stated in the OpenAPI document."""
    return {"security": [{kind.value: []} for kind in kinds or tuple(Kind)]}


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
        known = {field.alias for field in self.dependant.query_params}

        async def checked(request: Request) -> Response:
            _check_query(request, known)
            return await handle(request)

        return checked


class Guarded(Open):
    """An endpoint that lets in those who may ask before anything else of the request is looked at."""

    def get_route_handler(self) -> Handler:
        """The endpoint's handler behind its guard."""
        handle = super().get_route_handler()
        kinds = [Kind(kind) for entry in (self.openapi_extra or {})["security"] for kind in entry]

        async def guarded(request: Request) -> Response:
            office: Office = request.app.state.office
            chair = await office.chair(request)
            game = request.path_params.get("game")
            if game is not None and game != chair.game:
                raise Problem("unknown", UNKNOWN)
            if chair.kind not in kinds:
                raise Problem("forbidden", f"{_named(chair.kind)} can't do this. Use {_or(kinds)}.")
            request.state.asking = asking = Asking(office, chair)
            if has_body(request):
                try:
                    whole = await office.bodies.whole(chair.link.digest, request.receive)
                except ClientDisconnect:
                    return Unheard()
                request = Request(request.scope, whole)
            async with asking.sitting():
                answer = await handle(request)
                answer.headers.update(asking.told())
                return answer

        return guarded


def _named(kind: Kind) -> str:
    return f"{ARTICLES.get(kind, 'a').capitalize()} {kind.value} link"


def _or(kinds: Collection[Kind]) -> str:
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


async def _asking(request: Request, seen: Seen = "") -> Asking:
    asking: Asking = request.state.asking
    if seen and not await asking.reach(int(seen)):
        why = f"This server does not have entry {int(seen)} yet. Ask again in a moment."
        raise Problem("behind", why, {"retry-after": "1"})
    return asking


Asked = Annotated[Asking, Depends(_asking)]
"""The request as an endpoint gets it, once this server knows what who asks has seen."""
