"""How the log is doing, as whoever watches over a process is told."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from playing import opened, play, until

from sottovoce.domain.commands import Hold
from sottovoce.eventlog import open_log
from sottovoce.eventlog.durations import BOUNDS, Durations
from sottovoce.eventlog.errors import DiskFull
from sottovoce.eventlog.log import EventLog, TurnCounts
from sottovoce.server.games import Games, now
from sottovoce.server.http.metrics_endpoint import LogCounts
from sottovoce.server.links import Links
from sottovoce.server.live_games import LiveGames
from sottovoce.server.pulse import Look, Pulse
from sottovoce.server.work_queue import Followed
from sottovoce.server.worker import Worker


def told(pulse: Pulse) -> dict[str, float]:
    """The metrics, by name and labels."""
    return {
        " ".join((sample.name, *sample.labels.values())): sample.value
        for metric in LogCounts(pulse).collect()
        for sample in metric.samples
    }


def test_durations_are_counted_by_the_first_bound_that_they_do_not_pass() -> None:
    durations = Durations()
    for seconds in (0.0, BOUNDS[0], BOUNDS[0] + 0.0001, 99.0):
        durations.add(seconds)
    assert (durations.counts[0], durations.counts[1], durations.counts[-1]) == (2, 1, 1)
    assert durations.total == pytest.approx(99.0 + 2 * BOUNDS[0] + 0.0001)


@pytest.fixture
def file(empty_log: Path, tmp_path: Path) -> str:
    (tmp_path / "log.db").write_bytes(empty_log.read_bytes())
    return f"sqlite:///{tmp_path / 'log.db'}"


@pytest.fixture
def stored(file: str) -> Iterator[EventLog]:
    with closing(open_log(file)) as log:
        yield log


def test_appends_are_counted_by_how_they_ended(stored: EventLog, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(Games(stored)) as games, closing(Games(stored)) as other:
        pulse = Pulse(games, lambda: None)

        async def story() -> None:
            live = await opened(games, max_days=1)
            behind = other.load(live.id)
            await other.submit(behind, Hold(now()))
            await games.submit(live, Hold(now()))
            monkeypatch.setattr(stored, "commit", full)
            monkeypatch.setattr(stored, "commit_at_once", full)
            with pytest.raises(DiskFull):
                await games.change_links(live.id, ())

        def full(writes: Any) -> Any:
            raise DiskFull

        asyncio.run(story())
        counts = told(pulse)
    assert counts["sottovoce_appends_total appended"] >= 1
    assert counts["sottovoce_appends_total conflict"] == 1
    assert counts["sottovoce_appends_total error"] == 1
    assert counts["sottovoce_commit_seconds_count"] >= 2
    assert counts["sottovoce_events_appended_total"] == games.appended
    assert counts["sottovoce_lock_wait_seconds_count"] >= 3


def test_overdue_turns_and_lapsed_leases_are_those_that_nobody_sees_to(stored: EventLog) -> None:
    with closing(Games(stored)) as games:
        live = asyncio.run(opened(games, turn_seconds=0.01))
        key = [(due.seat, due.turn) for due in stored.due(live.id)]
        stored.lease(live.id, key[:1], "elsewhere:1:2:3", now(), now() + timedelta(seconds=0.01))
        at = now() + timedelta(seconds=1)
        games.clock = lambda: at
        assert Pulse(games, lambda: None).look() == Look(TurnCounts(len(key), len(key), 1, 1), None, None)


def test_a_follower_that_lags_is_told_by_how_much(file: str, stored: EventLog) -> None:
    async def story() -> None:
        with closing(open_log(file)) as elsewhere, closing(Games(elsewhere)) as others, closing(Games(stored)) as games:
            live_games = LiveGames(games, Links(games), plays=False)
            assert live_games.followed is None
            running = asyncio.create_task(live_games.run())
            await until(lambda: live_games.followed)
            live = await opened(others)
            await until(lambda: told(live_games.pulse)["sottovoce_follower_lag_events"] == 0)
            assert told(live_games.pulse)["sottovoce_follower_look_age_seconds"] >= 0
            stale = Pulse(games, lambda: Followed(live.length - 3, 0.0))
            assert told(stale)["sottovoce_follower_lag_events"] == 3
            live_games.closing.set()
            await running

    asyncio.run(story())


def test_a_worker_tells_how_far_it_has_looked_and_what_it_plays(workers: Callable[..., Games], log: EventLog) -> None:
    async def story() -> None:
        games = workers()
        live = await opened(games, agents={"narrator": "outside"})
        worker = Worker(games, lambda line: None)
        pulse = Pulse(games, lambda: worker.followed, lambda: worker.under_way)
        assert "sottovoce_follower_lag_events" not in told(pulse)
        stop = asyncio.Event()
        working = asyncio.create_task(worker.run(stop))
        await until(lambda: worker.followed is not None and worker.followed.event >= live.length)
        assert told(pulse)["sottovoce_follower_lag_events"] == 0
        assert told(pulse)["sottovoce_games_playing"] == worker.under_way
        stop.set()
        await working

    asyncio.run(story())


def test_a_log_that_cannot_be_asked_is_down_and_counts_go_on(
    games: Games, log: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    asyncio.run(play(games, asyncio.run(opened(games, max_days=1))))

    def broken(at: Any) -> Any:
        raise DiskFull

    monkeypatch.setattr(log, "turn_counts", broken)
    counts = told(Pulse(games, lambda: None))
    assert counts["sottovoce_log_up"] == 0
    assert counts["sottovoce_events_appended_total"] == games.appended > 0
    assert "sottovoce_turns_open" not in counts
