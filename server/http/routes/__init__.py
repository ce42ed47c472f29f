"""The endpoints, one module a subject."""

from __future__ import annotations

from sottovoce.server.http.routes import again, audit, games, health, keeper, link, links, replay, turns, views

ROUTERS = (
    health.router,
    link.router,
    games.router,
    again.router,
    views.router,
    replay.router,
    turns.router,
    keeper.router,
    links.router,
    audit.router,
)
"""All of them, in the order in which the document tells them."""
