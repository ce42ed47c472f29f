"""The application: every endpoint, and every error as a problem document."""

from __future__ import annotations

from asyncio import to_thread
from functools import cache
from importlib.metadata import version

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route

from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.safe_text import one_line
from sottovoce.eventlog.errors import DamagedLog, LogError
from sottovoce.projections.exports import compact
from sottovoce.server.http.callers import Services
from sottovoce.server.http.mcp_endpoint import McpEndpoint
from sottovoce.server.http.metrics import Metrics
from sottovoce.server.http.openapi import describe
from sottovoce.server.http.page import page_router
from sottovoce.server.http.problems import INTERNAL, NO_ROUTE, UNKNOWN, Problem, problem
from sottovoce.server.http.routes import ROUTERS
from sottovoce.server.http.settings import Settings
from sottovoce.server.links import Links
from sottovoce.server.live import UnknownGame
from sottovoce.server.live_games import LiveGames

METHODS = ("DELETE", "GET", "HEAD", "PATCH", "POST", "PUT")

ABOUT = """Games in which each seat sees its own view and nothing else.

Every request carries `Authorization: Bearer TOKEN`, the part of a link behind its `#`. A token gets
only what its holder can see. Errors are problem documents (RFC 9457). Lists and views are paged: pass `next` as
`after` to get the next page.
"""


def build(live_games: LiveGames, links: Links, settings: Settings) -> FastAPI:
    """The application over a hall and its links. Its `state.metrics` are what `/metrics` shows."""
    app = FastAPI(
        title="Sottovoce",
        version=version("sottovoce"),
        summary="A game server for games with hidden information.",
        description=ABOUT,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: f"{route.tags[0]}_{route.name}",
        exception_handlers={
            Problem: _problem,
            RequestValidationError: _invalid,
            HTTPException: _http,
            SottovoceError: _refused,
            Exception: _failed,
        },
    )
    app.state.services = services = Services.of(live_games, links, settings)
    app.state.metrics = metrics = Metrics()
    metrics.gauge("streams", "Open streams.", lambda: len(services.streams))
    for router in ROUTERS:
        app.include_router(router)
    app.include_router(page_router(services.bundle, metrics, live_games.report))
    app.state.mcp = McpEndpoint(services)
    app.router.routes.append(Route("/mcp", app.state.mcp))
    app.openapi = lambda: describe(app)  # type: ignore[method-assign]

    @cache
    def described() -> bytes:
        return compact(app.openapi()).encode()

    @app.get("/openapi.json", include_in_schema=False, tags=["health"])
    async def document() -> Response:
        # It takes a third of a second to make, once, for which nobody else is to wait.
        return Response(await to_thread(described), media_type="application/json")

    return app


async def _problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, Problem)
    answer, asking = error.response(), getattr(request.state, "asking", None)
    if asking is not None:
        answer.headers.update(asking.seen_header())
    return answer


async def _invalid(request: Request, error: Exception) -> Response:
    """The first thing that was wrong with what was sent."""
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:]) or str(first["loc"][0])
    return problem("invalid", one_line(f"{where}: {first['msg']}."))


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        allowed = _allowed(request)
        return problem("method", f"This address takes {allowed} only.", {"allow": allowed})
    if error.status_code == 404:
        return problem("unknown", NO_ROUTE)
    return problem("invalid", one_line(str(error.detail)))


def _allowed(request: Request) -> str:
    """The methods that an address takes: the framework names those of its first route alone."""
    routes = request.app.routes

    def taken(method: str) -> bool:
        return any(route.matches({**request.scope, "method": method})[0] is Match.FULL for route in routes)

    return ", ".join(filter(taken, METHODS))


async def _refused(request: Request, error: Exception) -> Response:
    """What the command line says in one line."""
    if isinstance(error, DamagedLog):
        return problem("internal", INTERNAL)
    if isinstance(error, LogError) and error.exit_code == 1:
        return problem("unavailable", "The server can't use its database right now. Try again.")
    if isinstance(error, UnknownGame):
        return problem("unknown", UNKNOWN)
    assert isinstance(error, SottovoceError)
    return problem("refused" if error.exit_code == 1 else "invalid", one_line(str(error)))


async def _failed(request: Request, error: Exception) -> Response:
    return problem("internal", INTERNAL)
