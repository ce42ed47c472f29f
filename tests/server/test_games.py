"""Commands, decided on the present state and appended, or decided again."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import timedelta
from threading import get_ident
from typing import Any

import pytest
from durability.checks import check_game
from heads import head_of
from msgspec.structs import replace
from playing import PLAYERS, opened, play, seen
from sizes import sized

from sottovoce.domain.commands import Expire, Fill, Reply, Say
from sottovoce.domain.draws import Seed
from sottovoce.domain.errors import SetupRefused, SottovoceError
from sottovoce.domain.events import (
    AttemptFailed,
    FallbackApplied,
    MessageRefused,
    Recorded,
    ReplyAccepted,
    SeatsFilled,
    TurnOpened,
)
from sottovoce.domain.turns import Turn
from sottovoce.eventlog.log import EventLog, Receipt, Write
from sottovoce.eventlog.verify import verify
from sottovoce.isolation.draws import generator
from sottovoce.server.games import Games, Late, Lease, end_of_append, now
from sottovoce.server.live import LiveGame, UnknownGame


def choice(turn: Turn) -> Any:
    return (turn.choices or ("I have nothing to say.",))[0]


def test_a_game_that_is_not_there_is_unknown(games: Games) -> None:
    with pytest.raises(UnknownGame):
        games.load("nothing")


def test_a_refused_opening_leaves_no_game(games: Games, log: EventLog) -> None:
    with pytest.raises(SetupRefused):
        asyncio.run(opened(games, PLAYERS[:3]))
    assert log.games() == []


def test_a_game_is_played_and_read_back(games: Games, log: EventLog) -> None:
    live = asyncio.run(play_one(games))
    assert live.state.over
    assert games.load(live.id).state == live.state
    assert check_game(log, live.id) == []
    assert log.due(live.id) == []


async def play_one(games: Games, **more: Any) -> Any:
    return await play(games, await opened(games, **more))


def test_the_same_seed_gives_every_seat_the_same_game(workers: Callable[..., Games], log: EventLog) -> None:
    one, other = (asyncio.run(play_one(workers(), seed=3)) for _ in range(2))
    for seat in one.state.seats:
        assert seen(one.recorded, seat) == seen(other.recorded, seat)


def test_a_command_on_an_old_state_is_decided_again(workers: Callable[..., Games], log: EventLog) -> None:
    async def story() -> None:
        first, second = workers(), workers()
        live = await opened(first)
        stale = second.load(live.id)
        (turn,) = live.state.turns.values()
        await first.submit(live, Reply(now(), turn.seat, turn.number, "Night falls."))
        assert stale.length < live.length
        late = await second.submit(stale, Reply(now(), turn.seat, turn.number, "Too late."))
        assert [type(item.event) for item in late] == [MessageRefused]
        assert stale.length == live.length + 1
        assert sum(isinstance(item.event, ReplyAccepted) for item in stale.recorded) == 1
        assert not verify(log, live.id).problems

    asyncio.run(story())


@pytest.mark.parametrize("texts", [("Night falls.", "x" * 70_000), ("x" * 70_000, "Night falls.")])
def test_one_append_id_for_two_texts_gives_all_that_came_of_the_first(
    workers: Callable[..., Games], log: EventLog, texts: tuple[str, str]
) -> None:
    """Whichever becomes more events, and though the second is decided on the old state."""

    async def story() -> None:
        first, second = workers(), workers()
        live = await opened(first)
        stale = second.load(live.id)
        (turn,) = live.state.turns.values()
        one, other = (Reply(now(), turn.seat, turn.number, text) for text in texts)
        came = await first.submit(live, one, append="a-key-of-16-char")
        appended = second.appended
        assert await second.submit(stale, other, append="a-key-of-16-char") == came
        assert (stale.length, second.appended) == (live.length, appended)
        assert log.read(live.id) == live.recorded

    asyncio.run(story())


def test_many_workers_answer_every_turn_once(workers: Callable[..., Games], log: EventLog) -> None:
    async def story() -> None:
        live = await opened(workers(), seed=2)
        crowd = [(games, games.load(live.id)) for games in (workers(), workers(), workers())]

        async def answer_all(games: Games, mine: Any, seed: int) -> None:
            draw = generator(seed)
            for _ in range(300):
                games.catch_up(mine)
                if mine.state.over:
                    return
                turn = draw.choice(list(mine.state.turns.values()))
                await asyncio.sleep(0)  # the others decide on the same state meanwhile
                await games.submit(mine, Reply(now(), turn.seat, turn.number, choice(turn)))

        await asyncio.gather(*(answer_all(*one, seed) for seed, one in enumerate(crowd)))
        assert check_game(log, live.id, sent=live.state.seats) == []
        recorded = log.read(live.id)
        refused = [item for item in recorded if isinstance(item.event, MessageRefused)]
        assert refused
        assert all(isinstance(item.event, MessageRefused) and "is closed" in item.event.message for item in refused)

    asyncio.run(story())


def test_a_reply_without_its_lease_is_late(workers: Callable[..., Games], log: EventLog) -> None:
    async def story() -> None:
        games = workers()
        live = await opened(games)
        (turn,) = live.state.turns.values()
        at = now()
        (mine,) = log.lease(live.id, [(turn.seat, turn.number)], "one", at, at + timedelta(seconds=1))
        (other,) = log.lease(live.id, [(turn.seat, turn.number)], "two", at + timedelta(seconds=2), at)
        before = live.length
        with pytest.raises(Late):
            await games.submit(
                live, Reply(now(), turn.seat, turn.number, "Mine."), lease=Lease(turn.seat, turn.number, mine.epoch)
            )
        assert head_of(log, live.id).length == before
        events = await games.submit(
            live, Reply(now(), turn.seat, turn.number, "Theirs."), lease=Lease(turn.seat, turn.number, other.epoch)
        )
        assert isinstance(events[0].event, ReplyAccepted)

    asyncio.run(story())


def test_what_follows_a_reply_is_caused_by_the_opening_of_its_turn(games: Games, log: EventLog) -> None:
    async def story() -> None:
        live = await opened(games)
        (turn,) = live.state.turns.values()
        asked = [item.position for item in live.recorded if isinstance(item.event, TurnOpened)]
        first, *rest = await games.submit(live, Reply(now(), turn.seat, turn.number, "Night falls."))
        assert [first.cause] == asked
        assert {item.cause for item in rest} == {first.position}

    asyncio.run(story())


def test_a_limit_that_ran_out_twice_counts_once(workers: Callable[..., Games], log: EventLog) -> None:
    async def story() -> None:
        one, two = workers(), workers()
        live = await opened(one, turn_seconds=5)
        other = two.load(live.id)
        (turn,) = live.state.turns.values()
        expire = Expire(now(), turn.seat, turn.number, 1)
        assert len(await one.submit(live, expire)) == 1
        assert await two.submit(other, expire) == []
        (due,) = log.due(live.id)
        assert (due.attempt, due.expires) == (2, expire.at + timedelta(seconds=5))

    asyncio.run(story())


def test_attempts_that_fail_end_in_the_fallback(games: Games, log: EventLog) -> None:
    async def story() -> None:
        live = await opened(games, max_attempts=2)
        (turn,) = live.state.turns.values()
        for _ in range(2):
            await games.submit(live, Reply(now(), turn.seat, turn.number, ""))
        kinds = [type(item.event) for item in live.recorded]
        assert (kinds.count(AttemptFailed), kinds.count(FallbackApplied)) == (2, 1)
        assert (turn.seat, turn.number) not in {(due.seat, due.turn) for due in log.due(live.id)}

    asyncio.run(story())


def test_an_unprompted_message_is_refused_and_changes_no_turn(games: Games, log: EventLog) -> None:
    async def story() -> None:
        live = await opened(games)
        before = log.due(live.id)
        (refused,) = await games.submit(live, Say(now(), "Ada", "Psst!"))
        assert isinstance(refused.event, MessageRefused)
        assert refused.audience.to_json() == ["Ada"]
        assert log.due(live.id) == before

    asyncio.run(story())


def test_games_share_their_transactions_and_keep_their_own_outcomes(
    log: EventLog, workers: Callable[..., Games], monkeypatch: pytest.MonkeyPatch
) -> None:
    if not log.blocking:
        pytest.skip("a log in memory waits for nothing, so there is nothing to share")

    async def story() -> None:
        games = workers()
        commits: list[int] = []
        commit, loop = log.commit, get_ident()

        def counted(writes: Sequence[Write]) -> Any:
            commits.append(len(writes))
            assert get_ident() == loop, "nobody else writes, so there is nothing to wait for elsewhere"
            return commit(writes)

        monkeypatch.setattr(log, "commit", counted)
        lives = await asyncio.gather(*(opened(games, seed=seed) for seed in range(8)))
        assert commits == [8]
        stale = games.load(lives[0].id)
        (turn,) = lives[0].state.turns.values()
        await games.submit(lives[0], Reply(now(), turn.seat, turn.number, "Night falls."))
        del commits[:]
        replies = [
            games.submit(live, Reply(now(), turn.seat, turn.number, "Night falls.")) for live in [stale, *lives[1:]]
        ]
        first, *others = await asyncio.gather(*replies)
        assert commits == [8, 1], "the conflict of one game is decided again by itself"
        assert isinstance(first[0].event, MessageRefused)
        assert all(isinstance(events[0].event, ReplyAccepted) for events in others)

    asyncio.run(story())


@pytest.mark.parametrize("slice_", [0.0, 60.0])
def test_the_one_game_of_a_process_is_stored_at_once_and_gives_way_now_and_then(
    log: EventLog, workers: Callable[..., Games], monkeypatch: pytest.MonkeyPatch, slice_: float
) -> None:
    if not log.blocking:
        pytest.skip("a log in memory waits for nothing, so there is nothing to share")
    monkeypatch.setattr("sottovoce.server.runner.SLICE", slice_)
    monkeypatch.setattr("sottovoce.server.runner.LONGEST", 1)

    async def story() -> None:
        games = workers()
        live = await opened(games)
        stored: list[tuple[int, int]] = []
        given_way = 0
        commit = log.commit

        def noted(writes: Sequence[Write]) -> Any:
            stored.append((len(writes), get_ident()))
            return commit(writes)

        async def standing_by() -> None:
            nonlocal given_way
            while True:
                await asyncio.sleep(0)
                given_way += 1

        monkeypatch.setattr(log, "commit", noted)
        beside = asyncio.create_task(standing_by())
        await play(games, live)
        beside.cancel()
        assert {thread for _, thread in stored} == {get_ident()}
        assert (given_way > len(stored) / 4) == (slice_ == 0)

    asyncio.run(story())


def test_who_waits_for_what_was_given_does_not_wait_for_what_others_give_after(
    log: EventLog, workers: Callable[..., Games]
) -> None:
    async def story() -> None:
        games = workers()
        lives = await asyncio.gather(*(opened(games, seed=seed) for seed in range(3)))
        data = {"call": "c", "turn": 1, "from": 1, "to": 1, "by": "view", "agent": "random"}

        async def writing(live: LiveGame) -> None:
            while True:
                await games.record(live.id, [Receipt("core.handed-over.v1", now(), "narrator", data)])
                await asyncio.sleep(0)

        busy = [asyncio.create_task(writing(live)) for live in lives[1:]]
        written = asyncio.create_task(games.record(lives[0].id, [Receipt("core.handed-over.v1", now(), "Ada", data)]))
        await asyncio.sleep(0)
        await asyncio.wait_for(games.settle(), 10)
        assert [receipt.seat for receipt in log.receipts(lives[0].id)] == ["Ada"]
        assert not any(task.done() for task in busy)
        for task in (written, *busy):
            task.cancel()
        await asyncio.gather(written, *busy, return_exceptions=True)

    asyncio.run(story())


def test_an_error_of_the_storage_reaches_everyone_who_waits_and_nobody_after(
    log: EventLog, workers: Callable[..., Games], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        games = workers()
        lives = await asyncio.gather(*(opened(games, seed=seed) for seed in range(3)))
        commit = log.commit

        def full(writes: Any) -> None:
            raise SottovoceError("full")

        monkeypatch.setattr(log, "commit", full)
        commands = [Reply(now(), "narrator", 1, "Night falls.") for _ in lives]
        failed = await asyncio.gather(*map(games.submit, lives, commands), return_exceptions=True)
        assert [str(error) for error in failed] == ["full"] * 3
        monkeypatch.setattr(log, "commit", commit)
        for live, command in zip(lives, commands, strict=True):
            assert isinstance((await games.submit(live, command))[0].event, ReplyAccepted)

    asyncio.run(story())


def test_a_defect_in_one_write_reaches_its_writer_alone(games: Games, log: EventLog) -> None:
    async def story() -> None:
        lives = await asyncio.gather(*(opened(games, seed=seed) for seed in range(3)))
        bad = Receipt("core.call-ended.v1", now(), "Ada", {"call": "c", "notes": {"no JSON": object()}})
        replies = [games.submit(live, Reply(now(), "narrator", 1, "Night falls.")) for live in lives[1:]]
        failed, *events = await asyncio.gather(games.record(lives[0].id, [bad]), *replies, return_exceptions=True)
        assert isinstance(failed, Exception)
        assert all(isinstance(appended, list) and isinstance(appended[0].event, ReplyAccepted) for appended in events)
        assert log.receipts(lives[0].id) == []
        assert all(verify(log, live.id).ok for live in lives)

    asyncio.run(story())


def test_a_commit_that_was_cut_off_with_its_loop_does_not_stop_the_next(games: Games, log: EventLog) -> None:
    live = asyncio.run(opened(games))

    async def leave() -> None:
        task = asyncio.create_task(games.submit(live, Reply(now(), "narrator", 1, "Night falls.")))
        await asyncio.sleep(0)
        task.cancel()

    asyncio.run(leave())

    async def go_on() -> Any:
        async with asyncio.timeout(5):
            return await games.submit(live, Say(now(), "Ada", "Is anybody there?"))

    assert asyncio.run(go_on())
    assert live.length == head_of(log, live.id).length
    assert verify(log, live.id).ok


def positions(recorded: Sequence[Recorded]) -> list[int]:
    """Every fifth position, so that all kinds of forks come, and those at both ends; every night all of them."""
    every = range(1, len(recorded) + 1)
    return sorted({*every[: sized(3, None)], *every[::5], *every[-3:]})


def known(recorded: Sequence[Recorded], seat: str) -> list[Any]:
    """What a seat of a fork has seen, apart from who has seen the secrets of the finished game."""
    return [each for each in seen(recorded, seat) if each[0] != "core.secrets-known.v1"]


def test_a_fork_at_any_position_keeps_the_past_to_the_byte_and_goes_on(games: Games, log: EventLog) -> None:
    async def story() -> None:
        parent = await play_one(games, seed=5)
        for position in positions(parent.recorded):
            end = end_of_append(parent.recorded, position)
            if end == 0:
                with pytest.raises(SottovoceError, match="No write is complete"):
                    await games.fork(parent, position)
                continue
            if end == parent.length:
                with pytest.raises(SottovoceError, match="over at position"):
                    await games.fork(parent, position)
                continue
            agents = {"Ada": "house"} if position % 2 else None
            seed = Seed.of(position) if position % 3 else None
            fork = await games.fork(parent, position, seed=seed, agents=agents)
            assert check_game(log, fork.id) == []
            past = fork.recorded[:end]
            for own, old in zip(past, parent.recorded, strict=False):
                assert replace(own, game="", salt=b"", hash=b"") == replace(old, game="", salt=b"", hash=b"")
                assert own.salt != old.salt
            for seat in parent.state.seats:
                assert known(fork.recorded, seat) == seen(parent.recorded[:end], seat), "each knows what it knew"
            state = games.load(fork.id).state
            assert state.turns.keys() == {(due.seat, due.turn) for due in log.due(fork.id)}
            assert state.seed == (seed if seed is not None else parent.state.seed)
            assert state.agents["Ada"] == ("house" if agents else "random")
            if position % 8 == 0:
                await play(games, fork)
                assert check_game(log, fork.id) == []
                if not agents and seed is None:
                    for seat in parent.state.seats:
                        assert known(fork.recorded, seat) == seen(parent.recorded, seat), "the same seed, the same end"

    asyncio.run(story())


def test_a_copy_is_one_append_or_none(games: Games, log: EventLog, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        parent = await play_one(games, seed=5)
        known = log.games()
        commits = []
        commit = log.commit

        def failing(writes: Any) -> Any:
            commits.append(writes)
            if len(commits) == 4:
                raise SottovoceError("full")
            return commit(writes)

        monkeypatch.setattr(log, "commit", failing)
        fork = await games.fork(parent, 40, agents={"Bram": "house"})
        assert len(commits) == 2, "the receipt of the old game, and the copy"
        names = [item.name for item in log.read(fork.id, end_of_append(parent.recorded, 40))]
        assert names == ["core.game-forked.v1", "core.secrets-known.v1", "core.seats-filled.v2"]
        with pytest.raises(SottovoceError):
            await games.fork(parent, 40)
        assert log.games() == [*known, fork.id]

    asyncio.run(story())


def test_seats_get_other_agents_in_the_log(games: Games, log: EventLog) -> None:
    async def story() -> None:
        live = await opened(games)
        await games.submit(live, Fill(now(), {"Ada": "outside", "Bram": "random"}))
        assert live.state.agents["Ada"] == "outside"
        assert await games.submit(live, Fill(now(), {"Ada": "outside"})) == [], "no change, no event"
        filled = [item.event for item in log.read(live.id) if isinstance(item.event, SeatsFilled)]
        assert filled[-1].agents == {"Ada": "outside"}

    asyncio.run(story())


def test_stored_events_open_the_turns_that_they_leave_open(games: Games, log: EventLog) -> None:
    async def story() -> None:
        parent = await opened(games, turn_seconds=30)
        events = [replace(item, game="copy", salt=b"", hash=b"") for item in parent.recorded]
        stored = await games.store(LiveGame("copy", parent.ruleset), events)
        (due,) = log.due("copy")
        assert {(due.seat, due.turn)} == stored.state.turns.keys()
        assert due.expires is not None
        assert due.expires > now()

    asyncio.run(story())
