"""Links to games that are already in a log, for tests: created next to the server that serves them."""

from __future__ import annotations

import asyncio

from sottovoce.eventlog import open_log
from sottovoce.server.games import Games
from sottovoce.server.links import LinkKind, Links
from sottovoce.server.live import load


def link_to(base: str, url: str, game: str, kind: LinkKind, seat: str | None = None) -> str:
    """A new link to that game of the log at `url`, by the server at `base`."""
    log = open_log(url)
    games = Games(log)
    try:
        token = asyncio.run(Links(games).issue(load(log, game), kind, seat))
    finally:
        games.close()
        log.close()
    return f"{base}/games/{game}#{token}"
