"""What a hall does of its own: it plays agents, keeps limits, lets idle games go, and stops in good order."""

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest
from durability.checks import check_game
from halls import answer, replies, running
from playing import Doing, at_random, endings, never, opened, until

from sottovoce.agents.agent import Agent
from sottovoce.domain.commands import Fill, Reply
from sottovoce.domain.events import FallbackApplied, ReplyAccepted, TurnOpened
from sottovoce.eventlog import EventLog
from sottovoce.rulesets.mafia.rules.events import NightResolved
from sottovoce.server.games import Games, now
from sottovoce.server.hall import Hall, Table
from sottovoce.server.links import Links
from sottovoce.server.live import LiveGame

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
        async with running(log) as hall:
            live = await opened(hall.games, agents={"Ada": "outside"})
            table = hall.host(live)
            async with hall.sitting(live.id) as sat:
                assert sat is table
                await answer(hall, table, "Ada")
        assert check_game(log, live.id, sent=["Ada"]) == []
        assert log.due(live.id) == []

    asyncio.run(story())


def test_a_game_that_nobody_sits_at_is_found_and_played(reopened: Reopened) -> None:
    async def story() -> None:
        log = reopened()
        games = Games(log)
        before = [(await opened(games, seed=seed)).id for seed in range(6)]
        games.close()
        async with running(log) as hall:
            await until(lambda: all(over(log, game) for game in before))
            later = Games(reopened())
            live = await opened(later)
            await until(lambda: over(log, live.id))
            await until(lambda: not hall._tables)
            later.close()
        for game in (*before, live.id):
            assert check_game(log, game) == []

    asyncio.run(story())


def over(log: EventLog, game: str) -> bool:
    return any(item.name == "mafia.game-ended.v1" for item in log.read(game))


def test_only_agents_that_are_allowed_are_called(reopened: Reopened) -> None:
    async def story() -> None:
        log = reopened()
        async with running(log) as hall:
            agents = {"Ada": "openai:any", "Bram": "scripted:/nowhere.yaml", "Cleo": "files:/nowhere"}
            table = hall.host(await opened(hall.games, agents=agents))
            live = table.live
            async with hall.sitting(live.id):
                await until(lambda: {turn.seat for turn in live.state.turns.values()} & set(agents))
                length = live.length
                await until(lambda: not hall.plays and {due.worker for due in log.due(live.id)} <= {None})
                await hall.submit(table, Fill(now(), dict.fromkeys(agents, "random")))
                assert live.length > length
                while not live.state.over:
                    await table.news(live.length)
        assert check_game(log, live.id) == []

    asyncio.run(story())


def test_turns_that_a_person_opens_for_agents_are_leased_with_the_reply(reopened: Reopened) -> None:
    async def story() -> None:
        log = reopened()
        async with running(log, allowed=called(slow=Doing(never))) as hall:
            table = hall.host(
                await opened(hall.games, agents={**dict.fromkeys(ALL_OUTSIDE, "slow"), "narrator": "outside"})
            )
            async with hall.sitting(table.live.id):
                events = await hall.submit(table, Reply(now(), "narrator", 1, "Night falls."))
                asked = {item.event.seat for item in events if isinstance(item.event, TurnOpened)}
                assert asked
                leased = {
                    due.seat for due in await hall.call(log.due, table.live.id) if due.worker == hall.games.worker
                }
                assert leased == asked

    asyncio.run(story())


def test_a_seat_that_gets_another_agent_is_asked_anew_and_one_that_loses_it_is_free(reopened: Reopened) -> None:
    async def story() -> None:
        log = reopened()
        stuck = Doing(never)
        async with running(log, allowed=called(stuck=stuck)) as hall:
            table = hall.host(await opened(hall.games, agents={"narrator": "stuck"}))
            live = table.live
            async with hall.sitting(live.id):
                await until(lambda: stuck.asked)
                await hall.submit(table, Fill(now(), {"narrator": "outside"}))
                await until(lambda: endings(log, live.id, "late", "narrator"))
                await until(lambda: {due.worker for due in log.due(live.id)} == {None})
                length = live.length
                await hall.submit(table, Reply(now(), "narrator", 1, "Night falls."))
                assert live.length > length
                await hall.submit(table, Fill(now(), {"narrator": "random"}))
                while not live.state.over:
                    await table.news(live.length)
        assert check_game(log, live.id, sent=["narrator"]) == []

    asyncio.run(story())


@pytest.mark.parametrize("here", [True, False], ids=["opened here", "opened elsewhere"])
def test_limits_run_out_and_nights_end_where_only_people_are_awaited(reopened: Reopened, here: bool) -> None:
    async def story() -> None:
        log = reopened()
        rules: dict[str, Any] = {"turn_seconds": 0.1, "night_seconds": 0.3, "max_attempts": 1, "max_days": 1}
        async with running(log) as hall:
            games = hall.games if here else Games(reopened())
            live = await opened(games, agents=ALL_OUTSIDE, **rules)
            if here:
                hall.host(live)
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
        async with running(reopened()) as hall:
            table = hall.host(await opened(hall.games, agents=ALL_OUTSIDE, turn_seconds=3600))
            await until(lambda: not hall.plays and hall._worker and len(hall._worker._alarms))
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
    monkeypatch.setattr("sottovoce.server.hall.IDLE", 0.0)
    monkeypatch.setattr("sottovoce.server.hall.TIDY", 0.01)

    async def story() -> None:
        log = reopened()
        stuck = Doing(never)
        async with running(log, allowed=called(stuck=stuck)) as hall:
            live = await opened(hall.games, agents={"narrator": "outside", "Ada": "outside"})
            hall.host(live)
            await until(lambda: hall.known(live.id) is None)
            visits = 0
            while not over(log, live.id):
                async with hall.sitting(live.id) as table:
                    visits += 1
                    assert table.live is not live
                    await asyncio.sleep(0.03)
                    assert hall.known(live.id) is table.live
                    for seat in ("narrator", "Ada"):
                        for reply in replies(table.live, seat):
                            await hall.submit(table, reply)
                await until(lambda: hall.known(live.id) is None)
            assert visits > 3
            played = hall.host(await opened(hall.games, agents={"narrator": "stuck"}))
            await until(lambda: stuck.asked)
            await asyncio.sleep(0.05)
            assert hall.known(played.live.id) is played.live, "it is being played"
        assert check_game(log, live.id, sent=["narrator", "Ada"]) == []

    asyncio.run(story())


def test_who_sits_down_while_a_game_is_let_go_shares_it_with_all_others(
    reopened: Reopened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sottovoce.server.hall.IDLE", 0.0)
    monkeypatch.setattr("sottovoce.server.hall.TIDY", 0.0)

    async def story() -> None:
        log = reopened()
        async with running(log, allowed=called(random=Doing(unhurried))) as hall:
            live = await opened(hall.games, agents={"Ada": "outside", "narrator": "outside"})
            sat: dict[int, Table] = {}
            rounds = 0

            async def come_and_go(number: int) -> None:
                for _ in range(number * 7):
                    await asyncio.sleep(0)
                async with hall.sitting(live.id) as table:
                    assert hall.known(live.id) is table.live
                    sat[id(table)] = table
                    for seat in ("Ada", "narrator"):
                        for reply in replies(table.live, seat):
                            await hall.submit(table, reply)
                    for _ in range(number):
                        await asyncio.sleep(0)
                    assert hall.known(live.id) is table.live

            while not over(log, live.id):
                await asyncio.gather(*(come_and_go(number) for number in range(5)))
                await until(lambda: hall.known(live.id) is None)
                rounds += 1
            assert len(sat) >= rounds > 1
        assert check_game(log, live.id, sent=["Ada", "narrator"]) == []

    asyncio.run(story())


def test_only_so_many_games_are_kept_for_nobody(reopened: Reopened, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sottovoce.server.hall.KEPT", 3)
    monkeypatch.setattr("sottovoce.server.hall.TIDY", 0.01)

    async def story() -> None:
        async with running(reopened(), plays=False) as hall:
            tables = [hall.host(await opened(hall.games, seed=seed)) for seed in range(8)]
            async with hall.sitting(tables[0].live.id):
                await until(lambda: len(hall._tables) == 4)
                assert hall.known(tables[0].live.id)
                assert [hall.known(table.live.id) for table in tables[1:5]] == [None] * 4, "the oldest go first"

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

        async with running(log, Counted(log)) as hall:
            assert hall._worker is not None
            while len(hall._worker._survey) < count:
                most = max(most, len(hall._tables))
                if inside == 1:
                    async with hall.sitting(waiting[-1]) as table:
                        assert table.live.state.turns
                await asyncio.sleep(0)
            assert most < count / 2
            await until(lambda: len(hall._tables) <= 1)
            assert inside >= count

    asyncio.run(story())


def test_a_hall_that_stops_lets_appends_through_hands_leases_back_and_lets_nobody_wait(reopened: Reopened) -> None:
    async def story() -> None:
        log = reopened()
        games = Games(log)
        hall = Hall(games, Links(games), allowed=called(stuck=Doing(never)))
        work = asyncio.create_task(hall.run())
        agents = {**dict.fromkeys(ALL_OUTSIDE, "stuck"), "narrator": "outside"}
        table = hall.host(await opened(games, agents=agents))
        stuck = hall.host(await opened(games, seed=2, agents={"narrator": "stuck"}))
        await until(lambda: any(due.worker for due in log.due(stuck.live.id)))
        async with hall.sitting(table.live.id):
            length = table.live.length
            waiting = [asyncio.create_task(table.news(10_000)) for _ in range(20)]
            sending = asyncio.create_task(hall.submit(table, Reply(now(), "narrator", 1, "Night falls.")))
            await asyncio.sleep(0)
            hall.closing.set()
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
            async with running(reopened(), allowed=called(random=Doing(unhurried))) as hall:
                if game is None:
                    game = (await opened(hall.games, seed=7, agents={"Ada": "outside"})).id
                async with hall.sitting(game) as table:
                    length = table.live.length
                    while table.live.length < length + 5 and not table.live.state.over:
                        seen = table.live.length
                        for reply in replies(table.live, "Ada"):
                            await hall.submit(table, reply)
                        await table.news(seen)
                stops += 1
        assert stops > 1
        assert check_game(log, game, sent=["Ada"]) == []

    asyncio.run(story())


def test_a_hall_that_is_cut_off_while_it_stops_hands_its_leases_back_all_the_same(reopened: Reopened) -> None:
    async def story() -> None:
        log = reopened()
        games = Games(log)
        hall = Hall(games, Links(games), allowed=called(stuck=Doing(never)))
        work = asyncio.create_task(hall.run())
        table = hall.host(await opened(games, agents=dict.fromkeys(ALL_OUTSIDE, "stuck")))
        await until(lambda: any(due.worker for due in log.due(table.live.id)))
        hall.closing.set()
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
        hall = Hall(games, Links(games))
        table = hall.host(await opened(games, agents={"narrator": "outside"}))
        async with hall.sitting(table.live.id):
            await hall.submit(table, Reply(now(), "narrator", 1, "Night falls."))
            assert hall.plays == 0
            assert {due.worker for due in log.due(table.live.id)} == {None}
            work = asyncio.create_task(hall.run())
            length = table.live.length
            await until(lambda: table.live.length > length)
            hall.closing.set()
            await work
            for reply in replies(table.live, "narrator"):
                await hall.submit(table, reply)
            assert hall.plays == 0
            assert {due.worker for due in log.due(table.live.id)} <= {None}
        games.close()

    asyncio.run(story())
