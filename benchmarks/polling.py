"""Measure what reading adds to the log: bytes per poll, and bytes of a day in which one client polls again and again.

    python benchmarks/polling.py [--polls 500] [--seconds 10]

A game waits for a remote seat. Its link polls the view, its turns, or MCP (`look`, then `look` since the last number),
each in its own log. First it polls `--polls` times, a second apart, which gives the bytes per poll. Then it polls every
`--seconds` for a day by the server's clock, which the script sets. The script measures the file after its write-ahead
log was copied into it.
"""

from __future__ import annotations

import argparse
import asyncio
import sqlite3
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import httpx2

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

from sottovoce.eventlog import open_log  # noqa: E402
from sottovoce.server.games import Games  # noqa: E402
from sottovoce.server.http.app import build  # noqa: E402
from sottovoce.server.http.settings import Settings  # noqa: E402
from sottovoce.server.links import LinkKind, Links, digest_of, new_token  # noqa: E402
from sottovoce.server.live_games import LiveGames  # noqa: E402

DAY = 86_400
PLAYERS = ["Ada", "Bram", "Cleo", "Dirk", "Edda"]
TAKES = {"accept": "application/json, text/event-stream"}

Poll = Callable[["Client"], Awaitable[None]]


class Client:
    """One seat's link, and the server's clock."""

    def __init__(self, http: httpx2.AsyncClient, game: str) -> None:
        self.now = datetime(2026, 7, 1, 12, tzinfo=UTC)
        self._http, self._game = http, game

    async def view(self) -> None:
        """Get the whole view, without an ETag."""
        (await self._http.get(f"/v1/games/{self._game}/view")).raise_for_status()

    async def turns(self) -> None:
        """Get the open turn with its prompt, and all entries."""
        (await self._http.get(f"/v1/games/{self._game}/turns")).raise_for_status()

    async def look(self) -> None:
        """Call the MCP tool `look` for everything."""
        await self._tool("look", since=0)

    async def idle(self) -> None:
        """Call the same tool for new entries."""
        await self._tool("look", since=2)

    async def _tool(self, name: str, **given: Any) -> None:
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": given}}
        (await self._http.post("/mcp", json=call, headers=TAKES)).raise_for_status()


@asynccontextmanager
async def served(url: str) -> AsyncIterator[Client]:
    """Yield a client whose seat has a turn, on a server on this log."""
    log = open_log(url)
    client: Client | None = None
    games = Games(log, clock=lambda: datetime.now(UTC) if client is None else client.now)
    host = new_token(LinkKind.HOST)
    links = Links(games, digest_of(host))
    live_games = LiveGames(games, links)
    app = build(live_games, links, Settings(log_requests=False))
    working = asyncio.create_task(live_games.run())
    try:
        transport = httpx2.ASGITransport(app=app)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8642", timeout=60) as http:
            wanted = {"ruleset": "mafia", "names": PLAYERS, "agents": {"Ada": "outside"}, "agent": "house", "seed": "7"}
            answer = await http.post("/v1/games", json=wanted, headers={"authorization": f"Bearer {host}"})
            told = answer.raise_for_status().json()
            http.headers["authorization"] = f"Bearer {told['links']['seats']['Ada'].partition('#')[2]}"
            while not (await http.get(f"/v1/games/{told['game']}/turns", params={"wait": 5})).json()["turns"]:
                pass
            client = Client(http, told["game"])
            yield client
    finally:
        live_games.closing.set()
        await working
        await app.state.mcp.left()
        games.close()
        log.close()


class Cost(NamedTuple):
    """Bytes of the log, and rows of receipts."""

    bytes: int
    receipts: int


def counted(path: Path) -> Cost:
    """Measure the file, including its journal."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(FULL)")
        (free,) = connection.execute("PRAGMA freelist_count").fetchone()
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        (rows,) = connection.execute("SELECT count(*) FROM receipts").fetchone()
    return Cost((pages - free) * size, rows)


async def polled(poll: Poll, times: int, apart: float) -> Cost:
    """Return what this many polls add to a log, including the server's shutdown."""
    with tempfile.TemporaryDirectory(prefix="sottovoce-bench-") as folder:
        path = Path(folder, "games.db")
        async with served(f"sqlite:///{path}") as client:
            await poll(client)
            before = counted(path)
            for _ in range(times):
                client.now += timedelta(seconds=apart)
                await poll(client)
        after = counted(path)
    return Cost(after.bytes - before.bytes, after.receipts - before.receipts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--polls", type=int, default=500, help="polls for the bytes a poll (default 500)")
    parser.add_argument("--seconds", type=float, default=10, help="seconds between two polls of the day (default 10)")
    options = parser.parse_args()
    polls = {"view": Client.view, "turns": Client.turns, "MCP look": Client.look, "MCP look, nothing new": Client.idle}
    print(f"{'':<24}{'bytes a poll':>14}{'rows a poll':>14}{'kB a day':>12}{'rows a day':>12}")
    for name, poll in polls.items():
        few = asyncio.run(polled(poll, options.polls, 1))
        day = asyncio.run(polled(poll, int(DAY / options.seconds), options.seconds))
        a_poll, rows = few.bytes / options.polls, few.receipts / options.polls
        print(f"{name:<24}{a_poll:>14,.1f}{rows:>14.3f}{day.bytes / 1000:>12,.0f}{day.receipts:>12,}", flush=True)


if __name__ == "__main__":
    main()
