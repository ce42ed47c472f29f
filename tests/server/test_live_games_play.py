"""What a hall does of its own: it plays agents, keeps limits, lets idle games go, and stops in good order."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest
from durability.checks import check_game
from playing import Doing, at_random, endings, never, opened, until
from running_games import answer, replies, running

from sottovoce.agents.agent import Agent
from sottovoce.domain.commands import Fill, Reply
from sottovoce.domain.events import FallbackApplied, ReplyAccepted, TurnOpened
from sottovoce.eventlog import EventLog
from sottovoce.rulesets.mafia.rules.events import NightResolved
from sottovoce.server.games import Games, now
from sottovoce.server.links import Links
from sottovoce.server.live import LiveGame
from sottovoce.server.live_games import GameFeed, LiveGames

Reopened = Callable[[], EventLog]
ALL_OUTSIDE = dict.fromkeys(("narrator", "Ada", "Bram", "Cleo", "Dirk", "Edda"), "outside")


def called(**agents: Agent) -> Callable[[str], Agent | None]:
    """Agents by their names, beside `random`."""
    return {"random": Doing(at_random), **agents}.get


async def unhurried(view: Any, turn: Any, random: Any) -> str:
    """What `random` says, a moment later: so nobody plays a whole game while others have no turn."""
    await asyncio.sleep(0.001)
    return await at_random(view, turn, random)


def test_a_game_is_played_with_a_seat_that_is_answered_through_the_hall(reopened: Reopened) -> None:
    async def story() -> None:
        log = reopened()
        async with running(log) as live_games:
            live = await opened(live_games.games, agents={"Ada": "outside"})
            table = live_games.host(live)
            async with live_games.using(live.id) as sat:
                assert sat is table
                await answer(live_games, table, "Ada")
        assert check_game(log, live.id, sent=["Ada"]) == []
        assert log.due(live.id) == []

    asyncio.run(story())


def test_a_game_that_nobody_sits_at_is_found_and_played(reopened: Reopened) -> None:
    async def story() -> None:
        log = reopened()
        games = Games(log)
        before = [(await opened(games, seed=seed)).id for seed in range(6)]
        games.close()
        async with running(log) as live_games:
            await until(lambda: all(over(log, game) for game in before))
            later = Games(reopened())
            live = await opened(later)
            await until(lambda: over(log, live.id))
            await until(lambda: not live_games._tables)
            later.close()
        for game in (*before, live.id):
            assert check_game(log, game) == []

    asyncio.run(story())


def over(log: EventLog, game: str) -> bool:
    return any(item.name == "mafia.game-ended.v1" for item in log.read(game))


def test_only_agents_that_are_allowed_are_called(reopened: Reopened) -> None:
    async def story() -> None:
        log = reopened()
        async with running(log) as live_games:
            agents = {"Ada": "openai:any", "Bram": "scripted:/nowhere.yaml", "Cleo": "files:/nowhere"}
            table = live_games.host(await opened(live_games.games, agents=agents))
            live = table.live
            async with live_games.using(live.id):
                await until(lambda: {turn.seat for turn in live.state.turns.values()} & set(agents))
                length = live.length
                await until(lambda: not live_games.plays and {due.worker for due in log.due(live.id)} <= {None})
                await live_games.submit(table, Fill(now(), dict.fromkeys(agents, "random")))
                assert live.length > length
                while not live.state.over:
                    await table.news(live.length)
        assert check_game(log, live.id) == []

    asyncio.run(story())


def test_turns_that_a_person_opens_for_agents_are_leased_with_the_reply(reopened: Reopened) -> None:
    async def story() -> None:
        log = reopened()
        async with running(log, allowed=called(slow=Doing(never))) as live_games:
            table = live_games.host(
                await opened(live_games.games, agents={**dict.fromkeys(ALL_OUTSIDE, "slow"), "narrator": "outside"})
            )
            async with live_games.using(table.live.id):
                events = await live_games.submit(table, Reply(now(), "narrator", 1, "Night falls."))
                asked = {item.event.seat for item in events if isinstance(item.event, TurnOpened)}
                assert asked
                leased = {
                    due.seat
                    for due in await live_games.call(log.due, table.live.id)
                    if due.worker == live_games.games.worker
                }
                assert leased == asked

    asyncio.run(story())


def test_a_seat_that_gets_another_agent_is_asked_anew_and_one_that_loses_it_is_free(reopened: Reopened) -> None:
    async def story() -> None:
        log = reopened()
        stuck = Doing(never)
        async with running(log, allowed=called(stuck=stuck)) as live_games:
            table = live_games.host(await opened(live_games.games, agents={"narrator": "stuck"}))
            live = table.live
            async with live_games.using(live.id):
                await until(lambda: stuck.asked)
                await live_games.submit(table, Fill(now(), {"narrator": "outside"}))
                await until(lambda: endings(log, live.id, "late", "narrator"))
                await until(lambda: {due.worker for due in log.due(live.id)} == {None})
                length = live.length
                await live_games.submit(table, Reply(now(), "narrator", 1, "Night falls."))
                assert live.length > length
                await live_games.submit(table, Fill(now(), {"narrator": "random"}))
                while not live.state.over:
                    await table.news(live.length)
        assert check_game(log, live.id, sent=["narrator"]) == []

    asyncio.run(story())


@pytest.mark.parametrize("here", [True, False], ids=["opened here", "opened elsewhere"])
def test_limits_run_out_and_nights_end_where_only_people_are_awaited(reopened: Reopened, here: bool) -> None:
    async def story() -> None:
        log = reopened()
        rules: dict[str, Any] = {"turn_seconds": 0.1, "night_seconds": 0.3, "max_attempts": 1, "max_days": 1}
        async with running(log) as live_games:
            games = live_games.games if here else Games(reopened())
            live = await opened(games, agents=ALL_OUTSIDE, **rules)
            if here:
                live_games.host(live)
            await until(lambda: over(log, live.id))
            if not here:
                games.close()
        recorded = log.read(live.id)
        assert any(isinstance(item.event, NightResolved) for item in recorded)
        assert any(isinstance(item.event, FallbackApplied) for item in recorded)
        assert not any(isinstance(item.event, ReplyAccepted) for item in recorded)
        assert check_game(log, live.id) == []

    asyncio.run(story())


def test_a_limit_that_is_long_costs_nothing_until_it_comes(reopened: Reopened) -> None:
    async def story() -> None:
        async with running(reopened()) as live_games:
            table = live_games.host(await opened(live_games.games, agents=ALL_OUTSIDE, turn_seconds=3600))
            await until(lambda: not live_games.plays and live_games._worker and len(live_games._worker._alarms))
            used = 1.0
            while used > 0.05:
                started = time.process_time()
                await asyncio.sleep(0.5)
                used = time.process_time() - started
            assert table.live.state.turns

    asyncio.run(story())


def test_a_game_leaves_memory_when_nobody_sits_or_plays_and_comes_back(
    reopened: Reopened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sottovoce.server.live_games.IDLE", 0.0)
    monkeypatch.setattr("sottovoce.server.live_games.TIDY", 0.01)

    async def story() -> None:
        log = reopened()
        stuck = Doing(never)
        async with running(log, allowed=called(stuck=stuck)) as live_games:
            live = await opened(live_games.games, agents={"narrator": "outside", "Ada": "outside"})
            live_games.host(live)
            await until(lambda: live_games.known(live.id) is None)
            visits = 0
            while not over(log, live.id):
                async with live_games.using(live.id) as table:
                    visits += 1
                    assert table.live is not live
                    await asyncio.sleep(0.03)
                    assert live_games.known(live.id) is table.live
                    for seat in ("narrator", "Ada"):
                        for reply in replies(table.live, seat):
                            await live_games.submit(table, reply)
                await until(lambda: live_games.known(live.id) is None)
            assert visits > 3
            played = live_games.host(await opened(live_games.games, agents={"narrator": "stuck"}))
            await until(lambda: stuck.asked)
            await asyncio.sleep(0.05)
            assert live_games.known(played.live.id) is played.live, "it is being played"
        assert check_game(log, live.id, sent=["narrator", "Ada"]) == []

    asyncio.run(story())


def test_who_sits_down_while_a_game_is_let_go_shares_it_with_all_others(
    reopened: Reopened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sottovoce.server.live_games.IDLE", 0.0)
    monkeypatch.setattr("sottovoce.server.live_games.TIDY", 0.0)

    async def story() -> None:
        log = reopened()
        async with running(log, allowed=called(random=Doing(unhurried))) as live_games:
            live = await opened(live_games.games, agents={"Ada": "outside", "narrator": "outside"})
            sat: dict[int, GameFeed] = {}
            rounds = 0

            async def come_and_go(number: int) -> None:
                for _ in range(number * 7):
                    await asyncio.sleep(0)
                async with live_games.using(live.id) as table:
                    assert live_games.known(live.id) is table.live
                    sat[id(table)] = table
                    for seat in ("Ada", "narrator"):
                        for reply in replies(table.live, seat):
                            await live_games.submit(table, reply)
                    for _ in range(number):
                        await asyncio.sleep(0)
                    assert live_games.known(live.id) is table.live

            while not over(log, live.id):
                await asyncio.gather(*(come_and_go(number) for number in range(5)))
                await until(lambda: live_games.known(live.id) is None)
                rounds += 1
            assert len(sat) >= rounds > 1
        assert check_game(log, live.id, sent=["Ada", "narrator"]) == []

    asyncio.run(story())


def test_only_so_many_games_are_kept_for_nobody(reopened: Reopened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sottovoce.server.live_games.KEPT", 3)
    monkeypatch.setattr("sottovoce.server.live_games.TIDY", 0.01)

    async def story() -> None:
        async with running(reopened(), plays=False) as live_games:
            tables = [live_games.host(await opened(live_games.games, seed=seed)) for seed in range(8)]
            async with live_games.using(tables[0].live.id):
                await until(lambda: len(live_games._tables) == 4)
                assert live_games.known(tables[0].live.id)
                assert [live_games.known(table.live.id) for table in tables[1:5]] == [None] * 4, "the oldest go first"

    asyncio.run(story())


def test_a_start_on_many_unfinished_games_has_few_of_them_in_memory(
    reopened: Reopened, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        log = reopened()
        games = Games(log)
        count = 60
        waiting = [(await opened(games, seed=seed, agents=ALL_OUTSIDE)).id for seed in range(count)]
        games.close()
        most = 0
        inside = 0

        class Counted(Games):
            def load(self, game: str) -> LiveGame:
                nonlocal inside
                inside += 1
                return super().load(game)

        async with running(log, Counted(log)) as live_games:
            assert live_games._worker is not None
            while len(live_games._worker._work_queue) < count:
                most = max(most, len(live_games._tables))
                if inside == 1:
                    async with live_games.using(waiting[-1]) as table:
                        assert table.live.state.turns
                await asyncio.sleep(0)
            assert most < count / 2
            await until(lambda: len(live_games._tables) <= 1)
            assert inside >= count

    asyncio.run(story())


def test_a_hall_that_stops_lets_appends_through_hands_leases_back_and_lets_nobody_wait(reopened: Reopened) -> None:
    async def story() -> None:
        log = reopened()
        games = Games(log)
        live_games = LiveGames(games, Links(games), allowed=called(stuck=Doing(never)))
        work = asyncio.create_task(live_games.run())
        agents = {**dict.fromkeys(ALL_OUTSIDE, "stuck"), "narrator": "outside"}
        table = live_games.host(await opened(games, agents=agents))
        stuck = live_games.host(await opened(games, seed=2, agents={"narrator": "stuck"}))
        await until(lambda: any(due.worker for due in log.due(stuck.live.id)))
        async with live_games.using(table.live.id):
            length = table.live.length
            waiting = [asyncio.create_task(table.news(10_000)) for _ in range(20)]
            sending = asyncio.create_task(live_games.submit(table, Reply(now(), "narrator", 1, "Night falls.")))
            await asyncio.sleep(0)
            live_games.closing.set()
            await work
            await asyncio.gather(*waiting)
            assert sending.done()
            assert len(await sending) == table.live.length - length > 0
            await table.news(10_000)
        assert log.read(table.live.id) == table.live.recorded
        for game in (table.live.id, stuck.live.id):
            assert log.due(game)
            assert {due.worker for due in log.due(game)} == {None}
            assert check_game(log, game, sent=["narrator"]) == []
        games.close()

    asyncio.run(story())


def test_a_hall_that_stopped_is_gone_on_with_by_the_next(reopened: Reopened) -> None:
    async def story() -> None:
        log = reopened()
        game: Any = None
        stops = 0
        while game is None or not over(log, game):
            async with running(reopened(), allowed=called(random=Doing(unhurried))) as live_games:
                if game is None:
                    game = (await opened(live_games.games, seed=7, agents={"Ada": "outside"})).id
                async with live_games.using(game) as table:
                    length = table.live.length
                    while table.live.length < length + 5 and not table.live.state.over:
                        seen = table.live.length
                        for reply in replies(table.live, "Ada"):
                            await live_games.submit(table, reply)
                        await table.news(seen)
                stops += 1
        assert stops > 1
        assert check_game(log, game, sent=["Ada"]) == []

    asyncio.run(story())


def test_a_hall_that_is_cut_off_while_it_stops_hands_its_leases_back_all_the_same(reopened: Reopened) -> None:
    async def story() -> None:
        log = reopened()
        games = Games(log)
        live_games = LiveGames(games, Links(games), allowed=called(stuck=Doing(never)))
        work = asyncio.create_task(live_games.run())
        table = live_games.host(await opened(games, agents=dict.fromkeys(ALL_OUTSIDE, "stuck")))
        await until(lambda: any(due.worker for due in log.due(table.live.id)))
        live_games.closing.set()
        while not work.done():
            work.cancel()
            await asyncio.sleep(0)
        assert {due.worker for due in log.due(table.live.id)} == {None}
        games.close()

    asyncio.run(story())


def test_nothing_is_played_or_leased_before_the_hall_runs_and_after_it_stopped(reopened: Reopened) -> None:
    async def story() -> None:
        log = reopened()
        games = Games(log)
        live_games = LiveGames(games, Links(games))
        table = live_games.host(await opened(games, agents={"narrator": "outside"}))
        async with live_games.using(table.live.id):
            await live_games.submit(table, Reply(now(), "narrator", 1, "Night falls."))
            assert live_games.plays == 0
            assert {due.worker for due in log.due(table.live.id)} == {None}
            work = asyncio.create_task(live_games.run())
            length = table.live.length
            await until(lambda: table.live.length > length)
            live_games.closing.set()
            await work
            for reply in replies(table.live, "narrator"):
                await live_games.submit(table, reply)
            assert live_games.plays == 0
            assert {due.worker for due in log.due(table.live.id)} <= {None}
        games.close()

    asyncio.run(story())
