"""Games on real logs, played by the server in the test's own process."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from house_invariants import broken
from patience import PATIENCE

from sottovoce.agents.agent import Agent, CallRecord
from sottovoce.agents.house import HouseAgent
from sottovoce.agents.random_agent import RandomAgent
from sottovoce.domain.draws import Seed
from sottovoce.domain.events import Recorded
from sottovoce.domain.rulesets import RULESETS
from sottovoce.domain.turns import Turn
from sottovoce.eventlog.log import EventLog
from sottovoce.projections.receipts import ENDINGS
from sottovoce.projections.view import View
from sottovoce.server.games import Games
from sottovoce.server.live import LiveGame
from sottovoce.server.runner import Runner

PLAYERS = ("Ada", "Bram", "Cleo", "Dirk", "Edda")

Act = Callable[[View[Any], Turn, Any], Awaitable[Any]]


class Doing:
    """An agent that does what a coroutine function of (view, turn, random) does."""

    by = "view"

    def __init__(self, act: Act) -> None:
        self._act = act
        self.asked: list[tuple[int, int]] = []

    async def act(self, view: View[Any], turn: Turn, random: Any, record: CallRecord) -> str:
        self.asked.append((turn.number, turn.attempt))
        reply: str = await self._act(view, turn, random)
        return reply


async def at_random(view: View[Any], turn: Turn, random: Any) -> str:
    """Reply like `random`."""
    return await RandomAgent().act(view, turn, random, CallRecord())


async def never(view: View[Any], turn: Turn, random: Any) -> str:
    """Never reply."""
    await asyncio.Event().wait()
    raise AssertionError


async def opened(
    games: Games, players: Sequence[str] = PLAYERS, seed: int = 1, agents: Mapping[str, str] | None = None, **rules: Any
) -> LiveGame:
    """Open a new game of Mafia, with `random` in every seat that `agents` does not name."""
    seats = RULESETS["mafia"].seats_for(players)
    return await games.open("mafia", seats, {**dict.fromkeys(seats, "random"), **(agents or {})}, Seed.of(seed), rules)


def runner(games: Games, live: LiveGame, agents: Mapping[str, Agent | None] | None = None, **more: Any) -> Runner:
    """Return a runner with `random` in every seat that `agents` does not name."""
    return Runner(games, live, {**dict.fromkeys(live.state.seats, RandomAgent()), **(agents or {})}, **more)


async def play(
    games: Games,
    live: LiveGame,
    agents: Mapping[str, Agent | None] | None = None,
    seconds: float = PATIENCE,
    **more: Any,
) -> LiveGame:
    """Play to the end, within that time. House players of Mafia must keep the rules of `house_invariants`."""
    await asyncio.wait_for(runner(games, live, agents, **more).run(), seconds)
    house = {seat for seat, agent in (agents or {}).items() if isinstance(agent, HouseAgent)}
    if house and live.ruleset.name == "mafia":
        breaches = broken([item.event for item in games.log.read(live.id)], house)
        assert not breaches, breaches[0]
    return live


async def until(true: Callable[[], Any], seconds: float = PATIENCE) -> None:
    """Wait until a condition holds."""
    async with asyncio.timeout(seconds):
        while not true():
            await asyncio.sleep(0.002)


def seen(recorded: Sequence[Recorded], seat: str) -> list[tuple[str, bytes]]:
    """Return names and data of what a seat has seen."""
    return [(item.name, item.body) for item in recorded if item.audience.includes(seat)]


def endings(log: EventLog, game: str, how: str, seat: str | None = None) -> list[dict[str, Any]]:
    """Return the data of the calls (of a seat) that ended this way."""
    return [
        receipt.data for receipt in log.receipts(game, seat) if receipt.name in ENDINGS and receipt.data["how"] == how
    ]
