"""Whether the server is up, for the person who runs it."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from sottovoce.server.http.callers import Open, Services
from sottovoce.server.http.metrics import CONTENT_TYPE
from sottovoce.server.http.models.health import Health
from sottovoce.server.http.openapi import answers
from sottovoce.server.http.problems import problem
from sottovoce.server.http.responses import json_answer
from sottovoce.server.links import LinkKind

COUNTS = {
    CONTENT_TYPE.partition(";")[0]: {
        "schema": {"type": "string"},
        "example": '# TYPE sottovoce_info gauge\nsottovoce_info{version="0.1.0"} 1.0\n',
    }
}

router = APIRouter(tags=["health"], route_class=Open)


@router.get("/health/live", **answers(model=Health, means="The process answers.", anyone=True))
async def live() -> Response:
    """Check that the process answers."""
    return json_answer(Health(ok=True))


@router.get("/health/ready", **answers(model=Health, means="Ready for requests.", anyone=True))
async def ready(request: Request) -> Response:
    """Check that the server is ready: its database answers, and it is not stopping."""
    services = request.app.state.services
    if services.live_games.closing.is_set():
        return problem("unavailable", "The server is stopping. Try again in a moment.")
    if not await services.readiness.look():
        return problem("unavailable", "The server can't use its database right now. Try again.")
    return json_answer(Health(ok=True))


@router.get("/metrics", **answers(content=COUNTS, means="Metrics in Prometheus format.", anyone=True))
async def metrics(request: Request) -> Response:
    """Show the server's metrics. With the host link all of them; otherwise only those that reveal no one's actions."""
    services: Services = request.app.state.services
    link = await services.link(request)
    text = request.app.state.metrics.text(host=link is not None and link.kind is LinkKind.HOST)
    return Response(text, headers={"content-type": CONTENT_TYPE})
