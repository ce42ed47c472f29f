"""Who may answer a turn: leases, their renewal, and how they pass to another worker."""

import asyncio
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest
from durability.checks import check_game
from patience import PATIENCE
from playing import Doing, at_random, endings, never, opened, play, seen, until

from sottovoce.domain.turns import Turn
from sottovoce.eventlog.errors import DiskFull
from sottovoce.eventlog.log import EventLog
from sottovoce.projections.view import View
from sottovoce.server.games import Games, now
from sottovoce.server.liveness import worker_name

SHORT = timedelta(seconds=0.3)


def leased_until(log: EventLog, game: str) -> datetime:
    until = log.due(game)[0].leased_until
    assert until is not None
    return until


def test_a_dead_workers_turns_are_taken_over_at_once(workers: Callable[..., Games], log: EventLog) -> None:
    async def story() -> None:
        live = await opened(workers())
        host, pid, _, nonce = worker_name().rsplit(":", 3)
        dead = f"{host}:{pid}:1:{nonce}"
        later = now() + timedelta(minutes=9)
        assert log.lease(live.id, [("narrator", 1)], dead, now(), later)
        games = workers()
        started = time.monotonic()
        await play(games, games.load(live.id))
        assert time.monotonic() - started < PATIENCE
        assert check_game(log, live.id) == []

    asyncio.run(story())


@pytest.mark.parametrize("holder", ["living", "elsewhere"])
def test_another_workers_turns_are_taken_over_once_their_lease_has_lapsed(
    workers: Callable[..., Games], log: EventLog, holder: str
) -> None:
    async def story() -> None:
        name = worker_name() if holder == "living" else "another-host:1:1:abc"
        games = workers()
        live = await opened(games)
        until_then = now() + timedelta(seconds=0.6)
        assert log.lease(live.id, [("narrator", 1)], name, now(), until_then)
        agent = Doing(at_random)
        asked_at = []

        async def noting(view: View[Any], turn: Turn, random: Random) -> Any:
            asked_at.append(now())
            return await at_random(view, turn, random)

        await play(games, live, {"narrator": Doing(noting)})
        assert asked_at[0] >= until_then
        assert not agent.asked
        assert check_game(log, live.id) == []

    asyncio.run(story())


def test_a_living_worker_keeps_its_turns_however_long_they_take(workers: Callable[..., Games], log: EventLog) -> None:
    async def story() -> None:
        lease = timedelta(seconds=1)
        thinker, resumer = workers(lease=lease), workers(lease=lease)
        live = await opened(thinker)
        other = resumer.load(live.id)

        async def ponder(view: View[Any], turn: Turn, random: Random) -> Any:
            if turn.number == 1:
                await asyncio.sleep(3 * lease.total_seconds())
            return await at_random(view, turn, random)

        thinking, waiting = Doing(ponder), Doing(at_random)
        await asyncio.gather(play(thinker, live, {"narrator": thinking}), play(resumer, other, {"narrator": waiting}))
        assert thinking.asked[0] == (1, 1)
        assert (1, 1) not in waiting.asked
        assert not endings(log, live.id, "late")
        assert live.state.over
        assert other.state.over
        assert check_game(log, live.id) == []

    asyncio.run(story())


def test_leases_are_renewed_only_while_something_is_played(
    workers: Callable[..., Games], log: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        games = workers(lease=SHORT)
        live = await opened(games)
        playing = asyncio.create_task(play(games, live, {"narrator": Doing(never)}))
        await until(lambda: log.due(live.id)[0].worker)
        first = leased_until(log, live.id)
        await until(lambda: leased_until(log, live.id) > first)
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
        assert log.due(live.id)[0].worker is None
        renewals: list[Any] = []
        monkeypatch.setattr(log, "renew", lambda *given: renewals.append(given))
        await asyncio.sleep(SHORT.total_seconds())
        assert renewals == []

    asyncio.run(story())


def test_a_renewal_that_fails_is_tried_again(
    workers: Callable[..., Games], log: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        games = workers(lease=SHORT)
        live = await opened(games)
        renew = log.renew
        failures: list[Any] = []

        def failing(*given: Any) -> Any:
            if len(failures) < 2:
                failures.append(given)
                raise DiskFull
            return renew(*given)

        monkeypatch.setattr(log, "renew", failing)
        playing = asyncio.create_task(play(games, live, {"narrator": Doing(never)}))
        await until(lambda: len(failures) == 2)
        before = leased_until(log, live.id)
        await until(lambda: leased_until(log, live.id) > before)
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)

    asyncio.run(story())


def test_two_workers_share_a_game_and_ask_for_each_turn_once(workers: Callable[..., Games], log: EventLog) -> None:
    async def story() -> None:
        one, other = workers(), workers()
        live, same = await opened(one, seed=6), None
        same = other.load(live.id)
        here, there = Doing(at_random), Doing(at_random)
        seats = live.state.seats
        await asyncio.gather(
            play(one, live, dict.fromkeys(seats, here)), play(other, same, dict.fromkeys(seats, there))
        )
        alone = workers()
        wanted = await play(alone, await opened(alone, seed=6))
        for seat in seats:
            assert seen(live.recorded, seat) == seen(wanted.recorded, seat)
        assert check_game(log, live.id) == []
        assert not endings(log, live.id, "late")

    asyncio.run(story())
