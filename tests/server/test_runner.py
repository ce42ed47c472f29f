"""The reactor of one game: calls, limits, leases, and agents that misbehave."""

import asyncio
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from durability.checks import check_game
from heads import head_of
from patience import PATIENCE
from playing import Doing, at_random, endings, never, opened, play, runner, until

from sottovoce.agents.agent import AgentFailed
from sottovoce.agents.random_agent import RandomAgent
from sottovoce.domain.commands import Fill, Reply
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.events import AttemptFailed, FallbackApplied, ReplyAccepted
from sottovoce.domain.game import Game, withdraw_and_hold
from sottovoce.domain.rulesets import RULESETS
from sottovoce.domain.turns import Turn
from sottovoce.eventlog.log import EventLog
from sottovoce.projections.receipts import DELIVERIES
from sottovoce.projections.view import View
from sottovoce.rulesets.mafia.rules import MAFIA
from sottovoce.server.games import Games, now
from sottovoce.server.live import LiveGame
from sottovoce.server.liveness import worker_name


def closings(live: LiveGame, seat: str, kind: type[Any]) -> list[Any]:
    return [item.event for item in live.recorded if isinstance(item.event, kind) and item.event.seat == seat]


def test_an_agent_that_is_slow_holds_nobody_up_but_its_own_turns(games: Games, log: EventLog) -> None:
    async def story() -> None:
        running = most = 0

        async def slow(view: View[Any], turn: Turn, random: Random) -> Any:
            nonlocal running, most
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.002)
            running -= 1
            return await at_random(view, turn, random)

        live = await opened(games)
        await play(games, live, dict.fromkeys(live.state.players, Doing(slow)))
        assert most >= 3, "a ballot is asked at once"
        assert check_game(log, live.id) == []

    asyncio.run(story())


@pytest.mark.parametrize("nonsense", ["", "🂠" * 100_000, "\x00\x1b[2J\ud800", "no idea", None, 7, b"yes", ["yes"]])
def test_nonsense_is_refused_until_the_attempts_run_out(games: Games, log: EventLog, nonsense: Any) -> None:
    async def story() -> None:
        async def garbage(view: View[Any], turn: Turn, random: Random) -> Any:
            return nonsense

        live = await opened(games, max_attempts=2, max_days=2)
        agent = Doing(garbage)
        await play(games, live, {"Ada": agent})
        assert live.state.over
        assert check_game(log, live.id) == []
        assert {attempt for _, attempt in agent.asked} <= {1, 2}
        for turn, attempt in agent.asked:
            if attempt == 2:
                assert any(event.turn == turn for event in closings(live, "Ada", AttemptFailed))

    asyncio.run(story())


@pytest.mark.parametrize(
    "error", [ValueError("no\nnumber"), AgentFailed("out of words"), OSError(5, "gone"), TimeoutError()]
)
def test_an_agent_that_raises_falls_back_and_the_receipt_says_why(
    games: Games, log: EventLog, error: BaseException
) -> None:
    async def story() -> None:
        async def raising(view: View[Any], turn: Turn, random: Random) -> None:
            raise error

        live = await opened(games, max_attempts=2)
        await play(games, live, {"narrator": Doing(raising)})
        fallbacks = closings(live, "narrator", FallbackApplied)
        assert fallbacks
        assert {event.reason for event in fallbacks} == {"failed"}, "an agent that fails was not too slow"
        assert not closings(live, "narrator", ReplyAccepted)
        assert all(str(error) in data["notes"]["error"] for data in endings(log, live.id, "failed"))
        assert len(endings(log, live.id, "failed")) == 2 * len(fallbacks)
        assert check_game(log, live.id) == []

    asyncio.run(story())


def test_an_error_that_concerns_the_game_ends_the_calls_and_hands_back_the_leases(games: Games, log: EventLog) -> None:
    async def story() -> None:
        class Left(SottovoceError):
            """The player left."""

        async def leaving(view: View[Any], turn: Turn, random: Random) -> None:
            await asyncio.sleep(0.01)
            raise Left

        live = await opened(games)
        others = dict.fromkeys(live.state.players, Doing(never))
        with pytest.raises(Left):
            await play(games, live, {**others, "narrator": Doing(leaving)})
        assert len(endings(log, live.id, "lost")) == 1
        assert {due.worker for due in log.due(live.id)} == {None}
        await play(games, live)
        assert live.state.over
        assert check_game(log, live.id) == []

    asyncio.run(story())


def test_an_agent_that_hangs_is_left_at_its_limit(games: Games, log: EventLog) -> None:
    async def story() -> None:
        live = await opened(games, turn_seconds=0.02, max_attempts=2, max_days=1)
        hanging = Doing(never)
        await play(games, live, {"Ada": hanging})
        assert live.state.over
        fallbacks = closings(live, "Ada", FallbackApplied)
        assert [event.reason for event in fallbacks] == ["timeout"] * len(fallbacks)
        assert 0 < len(hanging.asked) <= 2 * len(fallbacks)
        assert len(endings(log, live.id, "late", "Ada")) == len(hanging.asked)
        assert check_game(log, live.id) == []

    asyncio.run(story())


def test_a_later_attempt_has_its_own_time(games: Games, log: EventLog) -> None:
    """What is left of an earlier attempt's limit does nothing: two attempts may take longer together than one may."""

    async def story() -> None:
        live = await opened(games, turn_seconds=4, max_attempts=2, max_days=1)

        async def slow_at_first(view: View[Any], turn: Turn, random: Random) -> Any:
            if turn.number > 1:
                return await at_random(view, turn, random)
            await asyncio.sleep(2.2)
            return "" if turn.attempt == 1 else "Night falls."

        narrator = Doing(slow_at_first)
        await play(games, live, {"narrator": narrator})
        assert narrator.asked[:2] == [(1, 1), (1, 2)]
        assert [event.attempt for event in closings(live, "narrator", AttemptFailed) if event.turn == 1] == [1]
        assert closings(live, "narrator", ReplyAccepted)[0].turn == 1
        assert not [event for event in closings(live, "narrator", FallbackApplied) if event.turn == 1]
        assert check_game(log, live.id) == []

    asyncio.run(story())


def test_a_seat_that_nobody_fills_falls_back_at_its_limit(games: Games, log: EventLog) -> None:
    async def story() -> None:
        live = await opened(games, turn_seconds=0.02, max_attempts=1, max_days=1, agents={"Ada": "outside"})
        await play(games, live, {"Ada": None})
        assert live.state.over
        assert closings(live, "Ada", FallbackApplied)
        assert not [receipt for receipt in log.receipts(live.id) if receipt.seat == "Ada"]
        assert check_game(log, live.id) == []

    asyncio.run(story())


def test_limits_that_are_kept_change_nothing(workers: Callable[..., Games], log: EventLog) -> None:
    async def story() -> None:
        free, limited = workers(), workers()
        one, other = await opened(free, seed=4), await opened(limited, seed=4, turn_seconds=60)
        await play(free, one)
        await play(limited, other)
        names = [[item.name for item in live.recorded if item.audience.includes("Ada")] for live in (one, other)]
        assert names[0] == names[1]

    asyncio.run(story())


def test_the_night_is_waited_out(games: Games, log: EventLog) -> None:
    async def story() -> None:
        started = time.monotonic()
        live = await opened(games, night_seconds=0.25, max_days=1)
        await play(games, live)
        nights = sum(item.name == "mafia.dawn-held.v1" for item in live.recorded)
        assert nights >= 1
        assert time.monotonic() - started >= 0.25 * nights
        assert check_game(log, live.id) == []

    asyncio.run(story())


def test_replies_from_outside_are_noticed(workers: Callable[..., Games], log: EventLog) -> None:
    async def story() -> None:
        server, client = workers(), workers()
        live = await opened(server, agents={"Ada": "outside"})
        playing = asyncio.create_task(play(server, live, {"Ada": None}, follow=True))
        mine = client.load(live.id)
        waited = []
        while not playing.done():
            client.catch_up(mine)
            for turn in mine.view("Ada").turns:
                sent = time.monotonic()
                await client.submit(mine, Reply(now(), "Ada", turn.number, (turn.choices or ("Hm.",))[0]))
                await until(lambda: live.length >= mine.length)
                waited.append(time.monotonic() - sent)
            await asyncio.sleep(0.001)
        await playing
        assert live.state.over
        assert min(waited) < 0.5
        assert check_game(log, live.id) == []

    asyncio.run(story())


def test_a_turn_answered_by_another_process_ends_the_call(workers: Callable[..., Games], log: EventLog) -> None:
    async def story() -> None:
        server, client = workers(), workers()
        live = await opened(server)
        playing = asyncio.create_task(play(server, live, {"narrator": Doing(never)}))
        await until(lambda: log.due(live.id)[0].worker)
        mine = client.load(live.id)
        await client.submit(mine, Reply(now(), "narrator", 1, "Night falls."))
        await until(lambda: endings(log, live.id, "late"))
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
        assert check_game(log, live.id, sent=["narrator"]) == []

    asyncio.run(story())


def test_a_reply_that_comes_after_another_leaves_a_receipt_and_no_event(
    workers: Callable[..., Games], log: EventLog
) -> None:
    async def story() -> None:
        server, client = workers(), workers()
        live = await opened(server, max_days=1)

        def answer_elsewhere() -> None:
            mine = client.load(live.id)
            asyncio.run(client.submit(mine, Reply(now(), "narrator", 1, "Night falls.")))

        async def overtaken(view: View[Any], turn: Turn, random: Random) -> Any:
            if turn.number > 1:
                return await at_random(view, turn, random)
            other = threading.Thread(target=answer_elsewhere)
            other.start()
            other.join()
            return "Mine comes too late."

        await play(server, live, {"narrator": Doing(overtaken)})
        (late,) = endings(log, live.id, "late")
        handed = [
            receipt.data["call"]
            for receipt in log.receipts(live.id, "narrator")
            if receipt.name in DELIVERIES and receipt.data["turn"] == 1
        ]
        assert [late["call"]] == handed
        assert not [item for item in live.recorded if b"too late" in item.body]
        assert check_game(log, live.id, sent=["narrator"]) == []

    asyncio.run(story())


@pytest.mark.parametrize("rules", [{}, {"turn_seconds": 600}], ids=["no limit", "a limit"])
@pytest.mark.parametrize("waiting", ["person", "outside", "elsewhere"])
def test_waiting_costs_next_to_nothing(
    workers: Callable[..., Games], log: EventLog, waiting: str, rules: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sottovoce.server.runner.LIVELY", 0.1)

    async def story() -> None:
        games = workers()
        live = await opened(games, **rules)
        if waiting == "elsewhere":
            log.lease(live.id, [("narrator", 1)], worker_name(), now(), now() + timedelta(minutes=9))
        agent = {"person": Doing(never), "outside": None, "elsewhere": RandomAgent()}[waiting]
        statements: list[str] = []

        def counted(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
            def call(*given: Any) -> Any:
                statements.append(name)
                return original(*given)

            return call

        for name in ("commit", "lease", "read"):
            original = getattr(log, name)
            setattr(log, name, counted(name, original))
        playing = asyncio.create_task(play(games, live, {"narrator": agent}, follow=True))
        deadline = time.monotonic() + PATIENCE
        used = 1.0
        while statements or used >= 0.02:
            assert time.monotonic() < deadline, "nothing is written or read while nothing happens"
            del statements[:]
            started = time.process_time()
            await asyncio.sleep(0.5)
            used = time.process_time() - started
        assert not playing.done()
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)

    asyncio.run(story())


def test_an_answer_that_is_being_appended_is_not_cut_off(
    workers: Callable[..., Games], log: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        games = workers()
        live = await opened(games)
        commit = log.commit

        def slow(writes: Any) -> Any:
            time.sleep(0.05)
            return commit(writes)

        monkeypatch.setattr(log, "commit", slow)
        monkeypatch.setattr("sottovoce.server.runner.LONGEST", 1)
        playing = asyncio.create_task(play(games, live))
        await until(lambda: len(endings(log, live.id, "accepted")) >= 2)
        await asyncio.sleep(0.02)
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
        assert check_game(log, live.id) == []
        assert {due.worker for due in log.due(live.id)} == {None}
        calls = {receipt.data["call"] for receipt in log.receipts(live.id)}
        assert len(endings(log, live.id, "accepted")) == sum(
            isinstance(item.event, ReplyAccepted) for item in log.read(live.id)
        )
        assert calls

    asyncio.run(story())


def test_everything_is_shown_once_and_in_order(workers: Callable[..., Games], log: EventLog) -> None:
    async def story() -> None:
        server, client = workers(), workers()
        live = await opened(server, agents={"Ada": "outside"})
        shown: list[Any] = []

        async def observe(game: str, fresh: Any) -> None:
            shown.extend(item.position for item in fresh)
            await asyncio.sleep(0.001)

        async def visit() -> None:
            mine = client.load(live.id)
            while not live.state.over:
                client.catch_up(mine)
                for turn in mine.view("Ada").turns:
                    await client.submit(mine, Reply(now(), "Ada", turn.number, (turn.choices or ("Hm.",))[0]))
                await asyncio.sleep(0.001)

        visiting = asyncio.create_task(visit())
        await play(server, live, {"Ada": None}, follow=True, observe=observe)
        await visiting
        assert shown == list(range(1, live.length + 1))

    asyncio.run(story())


def test_a_runner_of_a_game_that_is_over_ends(games: Games, log: EventLog) -> None:
    async def story() -> None:
        live = await play(games, await opened(games))
        length = live.length
        await runner(games, live).run()
        assert head_of(log, live.id).length == length

    asyncio.run(story())


def test_a_hold_stops_the_game_until_it_is_lifted(
    workers: Callable[..., Games], log: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    def hold(deciding: Game[Any], turn: Turn, reason: Any) -> None:
        withdraw_and_hold(deciding, turn, "Nobody can stand in.")

    monkeypatch.setitem(RULESETS, "mafia", MAFIA.but(fallback=hold))

    async def story() -> None:
        games = workers()
        live = await opened(games, max_attempts=1, seed=3)

        async def failing(view: View[Any], turn: Turn, random: Random) -> Any:
            if turn.number == 2:
                raise AgentFailed("No words.")
            return await at_random(view, turn, random)

        await play(games, live, {"narrator": Doing(failing)})
        assert live.state.hold.waiting_for == "narrator"
        assert not live.state.over
        assert check_game(log, live.id) == []
        length = live.length
        await play(games, live)
        assert live.length == length, "a hold is not lifted by itself"
        later = workers()
        resumed = later.load(live.id)
        await later.submit(resumed, Fill(now()))
        assert resumed.state.hold is None
        await play(later, resumed)
        assert resumed.state.over
        assert check_game(log, live.id) == []

    asyncio.run(story())
