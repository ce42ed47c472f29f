"""Halls on real logs, as servers run them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from patience import PATIENCE
from playing import until

from sottovoce.domain.commands import Reply
from sottovoce.eventlog.log import EventLog
from sottovoce.server.games import Games, now
from sottovoce.server.links import Links
from sottovoce.server.live import LiveGame
from sottovoce.server.live_games import GameFeed, LiveGames


@asynccontextmanager
async def running(log: EventLog, games: Games | None = None, **more: Any) -> AsyncIterator[LiveGames]:
    """A hall that runs on a log, and stops at the end like a server's. It must have had nothing to complain about."""
    games = games or Games(log)
    said: list[str] = []
    live_games = LiveGames(games, Links(games), report=said.append, **more)
    work = asyncio.create_task(live_games.run())
    try:
        async with asyncio.timeout(PATIENCE):
            await until(lambda: live_games._following)
            yield live_games
    finally:
        live_games.closing.set()
        async with asyncio.timeout(PATIENCE):
            await work
        games.close()
    assert said == []


def replies(live: LiveGame, seat: str) -> Sequence[Reply]:
    """Reply to each open turn of a seat."""
    turns = live.view(seat).turns
    return [Reply(now(), seat, turn.number, turn.choices[0] if turn.choices else "Hm.") for turn in turns]


async def answer(live_games: LiveGames, table: GameFeed, *seats: str) -> None:
    """Answer every turn of the seats until the game is over."""
    while not table.live.state.over:
        length = table.live.length
        for seat in seats:
            for reply in replies(table.live, seat):
                await live_games.submit(table, reply)
        await table.news(length)
