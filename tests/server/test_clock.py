"""The clock may be set back: times within a game do not run backwards, and limits take as long as they say."""

import asyncio
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest
from durability.checks import check_game
from msgspec.structs import replace
from patience import PATIENCE
from playing import PLAYERS, Doing, at_random, never, opened, play, until

from sottovoce.agents.random_agent import RandomAgent
from sottovoce.domain.commands import Hold
from sottovoce.domain.events import FallbackApplied, Recorded
from sottovoce.domain.turns import Turn
from sottovoce.eventlog.log import EventLog
from sottovoce.projections.audit import leaks
from sottovoce.projections.perspective import FULL, PUBLIC
from sottovoce.projections.summary import show
from sottovoce.projections.view import View
from sottovoce.server.games import Games, now
from sottovoce.server.ids import fresh_id
from sottovoce.server.live import LiveGame
from sottovoce.server.runner import Runner
from sottovoce.server.summaries import Wanted, listed
from sottovoce.server.worker import Worker

HOUR = timedelta(hours=1)
LONG = timedelta(minutes=10)
"""More than any of these games takes, and less than the clock is set back by."""

Workers = Callable[..., Games]


class Clock:
    """The real clock, set back at some moment."""

    def __init__(self) -> None:
        self.back = timedelta(0)

    def __call__(self) -> datetime:
        return now() - self.back


def setting_back(clock: Clock, after: int) -> Doing:
    """A player that sets the clock back by an hour in its so manyth turn."""

    async def act(view: View[Any], turn: Turn, random: Random) -> Any:
        if turn.number == after:
            clock.back = HOUR
        return await at_random(view, turn, random)

    return Doing(act)


def in_order(log: EventLog, game: str) -> Sequence[Recorded]:
    """The events of a game, whose times do not run backwards and do not jump."""
    recorded = log.read(game)
    times = [item.at for item in recorded]
    assert times == sorted(times)
    assert times[-1] - times[0] < LONG
    assert check_game(log, game) == []
    return recorded


def test_times_do_not_run_backwards_in_a_game(workers: Workers, log: EventLog) -> None:
    clock = Clock()
    games = workers(clock=clock)

    async def story() -> LiveGame:
        live = await opened(games, max_days=2)
        return await play(games, live, {"Ada": setting_back(clock, 1)})

    live = asyncio.run(story())
    assert clock.back
    recorded = in_order(log, live.id)
    assert recorded[0].at < recorded[-1].at
    found = leaks(live.ruleset, recorded, log.receipts(live.id)).findings
    assert "receipt before event" not in {finding.kind for finding in found}
    ((line,), _) = listed(log, Wanted())
    assert (line.to_json()["ended"] or "") > line.to_json()["started"]


def test_neither_do_they_where_another_process_goes_on_by_a_clock_that_is_behind(
    workers: Workers, log: EventLog
) -> None:
    behind = Clock()
    behind.back = HOUR
    first, second = workers(), workers(clock=behind)

    async def story() -> LiveGame:
        live = await opened(first, max_days=1)
        other = second.load(live.id)
        await second.submit(other, Hold(second.clock()))
        assert other.recorded[-1].at >= live.recorded[-1].at
        await first.submit(live, Hold(first.clock()))
        return live

    in_order(log, asyncio.run(story()).id)


@pytest.mark.parametrize("rules", [{"turn_seconds": 0.1, "max_attempts": 2}, {"night_seconds": 0.3}])
def test_limits_and_nights_are_as_long_as_ever(workers: Workers, log: EventLog, rules: dict[str, Any]) -> None:
    clock = Clock()
    games = workers(clock=clock)

    async def story() -> LiveGame:
        live = await opened(games, max_days=1, **rules)
        silent = {"Ada": Doing(never)} if "turn_seconds" in rules else {}
        return await play(games, live, {**silent, "narrator": setting_back(clock, 1)})

    live = asyncio.run(story())
    assert clock.back
    assert live.state.over
    fallbacks = [item for item in in_order(log, live.id) if isinstance(item.event, FallbackApplied)]
    assert bool(fallbacks) == ("turn_seconds" in rules)


def test_a_limit_that_nobody_plays_runs_out_in_time(
    workers: Workers, log: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker has left the game and set its alarm by the time the clock is set back."""
    clock = Clock()
    games = workers(clock=clock)

    async def story() -> str:
        live = await opened(games, agents=dict.fromkeys(PLAYERS, "outside"), turn_seconds=1.0, max_attempts=1)
        stop = asyncio.Event()
        worker = Worker(games, lambda line: None)
        working = asyncio.create_task(worker.run(stop))
        await until(lambda: not worker.under_way and len(worker._alarms) and log.due(live.id))
        clock.back = HOUR
        started = time.monotonic()
        await until(lambda: any(isinstance(item.event, FallbackApplied) for item in log.read(live.id)))
        assert time.monotonic() - started < PATIENCE
        stop.set()
        await working
        return live.id

    in_order(log, asyncio.run(story()))


def test_a_deadline_is_shown_by_the_clock_of_whoever_reads_it(workers: Workers) -> None:
    clock = Clock()
    games = workers(clock=clock)

    async def story() -> None:
        live = await opened(games, agents={"narrator": "outside"}, turn_seconds=60)
        clock.back = HOUR
        at = games.now(live)
        assert at >= live.recorded[-1].at
        shown = games.by_the_clock(live, at + timedelta(seconds=60))
        assert shown is not None
        assert abs(shown - clock() - timedelta(seconds=60)) < timedelta(seconds=30)
        clock.back = timedelta(0)
        assert games.now(live) - now() < timedelta(seconds=1)

    asyncio.run(story())


def test_a_lease_from_before_the_clock_was_set_back_holds_nobody_up(workers: Workers, log: EventLog) -> None:
    clock = Clock()
    clock.back = HOUR
    games = workers(clock=clock)

    async def story() -> None:
        live = await opened(workers())
        assert log.lease(live.id, [("narrator", 1)], "elsewhere:1:2:3", now(), now() + timedelta(minutes=1))
        other = games.load(live.id)
        await asyncio.wait_for(Runner(games, other, dict.fromkeys(live.state.seats, RandomAgent())).run(), PATIENCE)
        assert other.state.over

    asyncio.run(story())


def test_no_game_ends_before_it_began_whatever_times_a_log_holds(workers: Workers, log: EventLog) -> None:
    """A log from elsewhere may hold times that run backwards."""
    games = workers()

    async def story() -> LiveGame:
        live = await play(games, await opened(games, max_days=1))
        backwards = [
            replace(item, game="backwards", at=item.at - number * HOUR, salt=b"", hash=b"", append=fresh_id())
            for number, item in enumerate(live.recorded)
        ]
        return await games.store(LiveGame("backwards", live.ruleset), backwards)

    live = asyncio.run(story())
    lines, _ = listed(log, Wanted())
    (line,) = [line.to_json() for line in lines if line.to_json()["game"] == "backwards"]
    assert line["ended"] == line["started"]
    for eyes in (FULL, PUBLIC):
        told = show(live.ruleset, live.recorded, eyes).summary
        assert told.ended is not None
        assert told.ended >= told.started
