"""Stretches: several answers in one commit, the same game as one by one, and nothing ahead of the log leaves."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

import delegating
import pytest
from durability.checks import check_game
from playing import PLAYERS, at_random, endings, opened, play, seen

from sottovoce.agents.agent import Agent, AgentUnreachable, CallRecord
from sottovoce.agents.house import HouseAgent
from sottovoce.agents.random_agent import RandomAgent
from sottovoce.domain.commands import Reply, Say
from sottovoce.domain.draws import Seed
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.events import Draft, MessageRefused, Recorded, ReplyAccepted
from sottovoce.domain.game import decided
from sottovoce.domain.rulesets import RULESETS
from sottovoce.domain.turns import Turn
from sottovoce.eventlog.errors import DiskFull
from sottovoce.eventlog.log import EventLog, Outcome, Receipt, Write
from sottovoce.projections.view import View
from sottovoce.server.decision_batch import LONGEST, DecisionBatch
from sottovoce.server.games import Games, Lease, now
from sottovoce.server.live import LiveGame, load

HOUSE: dict[str, Callable[[], Agent]] = {"random": RandomAgent, "house": HouseAgent}
TASK = {f"{delegating.TASK}.md": b"Build a house.\n\n- It has a door.\n"}
GAMES: dict[str, tuple[Sequence[str], Mapping[str, bytes]]] = {
    "mafia": (PLAYERS, {}),
    "delegation": (("planner", "executor", "reviewer"), TASK),
}


class AtOnce:
    """An agent of this process that answers at once, and may look at the game before it does."""

    by = "view"
    immediate = True

    def __init__(self, look: Callable[[Turn], None] = lambda turn: None) -> None:
        self._look = look

    async def act(self, view: View[Any], turn: Turn, random: Any, record: CallRecord) -> str:
        self._look(turn)
        return await RandomAgent().act(view, turn, random, record)


class Slow:
    """An agent that is asked in a task of its own."""

    by = "view"

    def __init__(self, look: Callable[[Turn], None]) -> None:
        self._look = look

    async def act(self, view: View[Any], turn: Turn, random: Any, record: CallRecord) -> str:
        self._look(turn)
        return str(await at_random(view, turn, random))


def counted(log: EventLog, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many events each commit brings, from here on."""
    commits: list[int] = []
    commit = log.commit

    def noted(writes: Sequence[Write]) -> list[Outcome]:
        commits.append(len(writes))
        return commit(writes)

    monkeypatch.setattr(log, "commit", noted)
    return commits


def told(events: Sequence[Recorded]) -> list[tuple[Any, ...]]:
    """What is the same in two games of one seed; `cause` and positions among it."""
    return [(item.position, item.name, item.actor, item.audience, item.cause, item.body) for item in events]


async def nothing(live: LiveGame, fresh: Sequence[Recorded]) -> None:
    """Somebody who looks on."""


@pytest.mark.parametrize("agent", HOUSE)
@pytest.mark.parametrize("ruleset", GAMES)
def test_a_game_in_stretches_is_the_game_one_by_one(
    workers: Callable[..., Games], log: EventLog, monkeypatch: pytest.MonkeyPatch, ruleset: str, agent: str
) -> None:
    players, files = GAMES[ruleset]
    seats = RULESETS[ruleset].seats_for(players)

    async def story() -> None:
        games: list[LiveGame] = []
        commits = counted(log, monkeypatch)
        numbers: list[int] = []
        for observe in (None, nothing):
            server = workers()
            live = await server.open(ruleset, seats, dict.fromkeys(seats, agent), Seed.of(9), {}, files=files)
            before = len(commits)
            await play(server, live, dict.fromkeys(seats, HOUSE[agent]()), observe=observe)
            numbers.append(len(commits) - before)
            games.append(live)
        one, other = games
        assert one.state.over
        assert numbers[0] < numbers[1] / 3, "several answers a commit, where nobody looks on"
        assert told(one.recorded[2:]) == told(other.recorded[2:])
        for seat in seats:
            assert seen(one.recorded, seat) == seen(other.recorded, seat)
            assert one.view(seat).entries == load(log, one.id).view(seat).entries
        calls = [
            [
                (receipt.name, receipt.seat, {**receipt.data, "call": "", "seconds": 0})
                for receipt in log.receipts(live.id)
            ]
            for live in games
        ]
        assert calls[0] == calls[1]
        assert len({receipt.data["call"] for receipt in log.receipts(one.id)}) == len(calls[0])
        assert one.recorded == log.read(one.id)
        assert check_game(log, one.id) == []

    asyncio.run(story())


def test_a_stretch_has_an_end(games: Games, log: EventLog, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story() -> None:
        live = await opened(games)
        commits = counted(log, monkeypatch)
        await play(games, live)
        assert max(commits) >= LONGEST
        # All who are asked at once answer once more, whoever of them is the one too many.
        assert max(commits) < LONGEST + len(live.state.seats)
        assert games.appended == live.length

    asyncio.run(story())


def test_who_is_asked_outside_a_stretch_is_asked_on_what_is_stored(games: Games, log: EventLog) -> None:
    async def story() -> None:
        live = await opened(games)
        lengths: list[tuple[int, int]] = []
        await play(games, live, {"Ada": Slow(lambda turn: lengths.append((len(log.read(live.id)), live.length)))})
        assert len(lengths) > 2
        assert all(stored == known for stored, known in lengths)
        assert check_game(log, live.id) == []

    asyncio.run(story())


def test_who_is_given_a_prompt_is_given_it_on_what_is_stored(games: Games, log: EventLog) -> None:
    class Prompted(AtOnce):
        by = "prompt"

        def blocks(self, view: View[Any], turn: Turn) -> tuple[str, ...]:
            return ("It is your turn.",)

    async def story() -> None:
        live = await opened(games)
        lengths: list[tuple[int, int]] = []
        ada = Prompted(lambda turn: lengths.append((len(log.read(live.id)), live.length)))
        await play(games, live, {"Ada": ada})
        assert len(lengths) > 2
        assert all(stored == known for stored, known in lengths)
        assert check_game(log, live.id) == []

    asyncio.run(story())


def test_nobody_is_asked_in_a_stretch_once_the_game_is_held(games: Games, log: EventLog) -> None:
    async def story() -> None:
        live = await opened(games)
        asked: list[int] = []

        def fail(turn: Turn) -> None:
            asked.append(turn.number)
            if len(asked) == 9:
                raise AgentUnreachable("nobody is there")

        await play(games, live, dict.fromkeys(live.state.seats, AtOnce(fail)))
        assert live.state.hold is not None
        assert live.state.turns
        assert len(asked) == 9
        assert live.recorded == log.read(live.id)

    asyncio.run(story())


def test_a_game_is_as_it_was_before_the_stretch(games: Games, log: EventLog) -> None:
    async def story() -> None:
        live = await opened(games)
        (turn,) = live.state.turns.values()
        live.leased.clear()
        before = load(log, live.id)
        stretch = DecisionBatch(live)
        lease = Lease(turn.seat, turn.number, 1)
        command = Reply(now(), turn.seat, turn.number, "Night falls.")
        games.foresee(stretch, command, lease=lease, preleased=live.state.seats, ended=ended)
        first, opening = stretch.last, next(iter(live.state.turns))
        assert live.length > before.length
        assert live.leased
        assert live.appended(first)
        assert live.opening_position(*opening) is not None
        assert log.read(live.id) == before.recorded
        assert live.public().seq > before.public().seq
        speak(log, live.id, 1)
        assert not await games.store_stretch(stretch)
        assert live.recorded == log.read(live.id) == load(log, live.id).recorded
        assert live.state == load(log, live.id).state
        assert live.leased == {}
        assert not live.appended(first)
        assert live.opening_position(*opening) is None
        assert live.public().entries == load(log, live.id).public().entries
        assert games.appended == before.length

    asyncio.run(story())


def ended(drafts: Sequence[Draft]) -> Receipt:
    data = {"call": "c", "turn": 1, "from": 1, "to": 1, "by": "view", "agent": "random", "how": "accepted"}
    return Receipt("core.called.v1", now(), "narrator", data)


def test_who_looks_on_sees_what_is_stored_and_each_answer_by_itself(games: Games, log: EventLog) -> None:
    async def story() -> None:
        live = await opened(games)
        shown: list[int] = []

        async def observe(live: LiveGame, fresh: Sequence[Recorded]) -> None:
            assert log.read(live.id)[-len(fresh) :] == list(fresh)
            shown.append(sum(isinstance(item.event, ReplyAccepted) for item in fresh))

        await play(games, live, observe=observe)
        assert max(shown) < LONGEST / 2

    asyncio.run(story())


def intruding(log: EventLog, game: str, monkeypatch: pytest.MonkeyPatch, intrude: Callable[[int], None]) -> list[int]:
    """Does something before each of the first three stretches is stored; how long each of those was."""
    monkeypatch.setattr("sottovoce.server.runner.CAUTION", 0.0)
    commit = log.commit
    lengths: list[int] = []
    at_it = False

    def late(writes: Sequence[Write]) -> list[Outcome]:
        nonlocal at_it
        if len(writes) > LONGEST / 2 and len(lengths) < 3 and not at_it:
            lengths.append(len(writes))
            at_it = True
            intrude(len(lengths))
            at_it = False
        return commit(writes)

    monkeypatch.setattr(log, "commit", late)
    return lengths


def speak(log: EventLog, game: str, number: int) -> None:
    """Ada says something, from another process."""
    live = load(log, game)
    drafts, _ = decided(live.ruleset, live.state, Say(now(), "Ada", f"Am I heard? {number}"))
    log.commit([Write(game, live.length, f"said-{number}", now(), drafts)])


def same(one: LiveGame, other: LiveGame) -> bool:
    """Whether nothing but refused messages and positions tells the games from each other."""
    parts = [
        [(item.name, item.actor, item.audience, item.body) for item in live.recorded[2:] if not refused(item)]
        for live in (one, other)
    ]
    return parts[0] == parts[1]


def refused(item: Recorded) -> bool:
    return isinstance(item.event, MessageRefused)


def test_a_stretch_is_forgotten_where_somebody_appended_something_in_between(
    workers: Callable[..., Games], log: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        undisturbed = await play(games := workers(), await opened(games))
        live = await opened(games)

        lengths = intruding(log, live.id, monkeypatch, lambda number: speak(log, live.id, number))
        await play(games, live)
        assert len(lengths) == 3
        assert sum(refused(item) for item in live.recorded) == 3
        assert same(live, undisturbed)
        assert live.recorded == log.read(live.id)
        assert check_game(log, live.id, sent={"Ada"}) == []
        assert not endings(log, live.id, "late")

    asyncio.run(story())


def test_a_stretch_is_forgotten_where_another_worker_took_a_turn_over(
    workers: Callable[..., Games], log: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sottovoce.server.runner.TAKEOVER", 0.01)

    async def story() -> None:
        undisturbed = await play(games := workers(), await opened(games))
        live = await opened(games)

        def take_over(number: int) -> None:
            for due in log.due(live.id):
                assert log.release(live.id, due.seat, due.turn, due.epoch)
                log.lease(live.id, [(due.seat, due.turn)], "another", now(), now() + timedelta(seconds=0.05))

        lengths = intruding(log, live.id, monkeypatch, take_over)
        await play(games, live)
        assert len(lengths) == 3
        assert same(live, undisturbed)
        assert live.recorded == log.read(live.id)
        assert check_game(log, live.id) == []

    asyncio.run(story())


def test_after_somebody_came_between_answers_are_stored_one_by_one_for_a_while(
    games: Games, log: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        live = await opened(games)
        lengths = intruding(log, live.id, monkeypatch, lambda number: speak(log, live.id, number))
        monkeypatch.setattr("sottovoce.server.runner.CAUTION", 3600.0)
        commits = counted(log, monkeypatch)
        await play(games, live)
        assert len(lengths) == 1
        assert [number for number in commits if number > 1] == lengths

    asyncio.run(story())


@pytest.mark.parametrize("aside", [False, True])
def test_an_error_of_the_storage_leaves_the_game_as_the_log_has_it(
    games: Games, log: EventLog, monkeypatch: pytest.MonkeyPatch, aside: bool
) -> None:
    if aside:
        games.keep_aside(1)

    async def story() -> None:
        live = await opened(games)
        commit = log.commit

        def full(writes: Sequence[Write]) -> list[Outcome]:
            if len(writes) > LONGEST / 2:
                raise DiskFull("full")
            return commit(writes)

        monkeypatch.setattr(log, "commit", full)
        with pytest.raises(DiskFull):
            await play(games, live)
        assert live.recorded == log.read(live.id)
        assert live.state == load(log, live.id).state
        assert live.view("Ada").entries == load(log, live.id).view("Ada").entries
        assert {due.worker for due in log.due(live.id)} == {None}
        monkeypatch.setattr(log, "commit", commit)
        await play(games, live)
        assert live.state.over
        assert live.recorded == log.read(live.id)
        assert check_game(log, live.id) == []

    asyncio.run(story())


def test_a_stretch_that_is_cut_off_while_it_is_stored_is_stored_or_not(
    games: Games, log: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    games.keep_aside(1)

    async def story() -> None:
        live = await opened(games)
        commit, begun = log.commit, asyncio.Event()
        loop = asyncio.get_running_loop()

        def slow(writes: Sequence[Write]) -> list[Outcome]:
            if len(writes) > LONGEST / 2:
                loop.call_soon_threadsafe(begun.set)
                time.sleep(0.05)
            return commit(writes)

        monkeypatch.setattr(log, "commit", slow)
        playing = asyncio.create_task(play(games, live))
        await begun.wait()
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
        assert log.read(live.id)[: live.length] == live.recorded
        assert {due.worker for due in log.due(live.id)} <= {None}
        await play(games, live)
        assert live.state.over
        assert live.recorded == log.read(live.id)
        assert check_game(log, live.id) == []

    asyncio.run(story())


def test_an_error_within_a_stretch_leaves_what_was_answered_before_it(games: Games, log: EventLog) -> None:
    class Left(SottovoceError):
        """The player left."""

    async def story() -> None:
        live = await opened(games)
        asked: list[int] = []

        def leave(turn: Turn) -> None:
            asked.append(turn.number)
            if len(asked) == 5:
                raise Left

        agent = AtOnce(leave)
        with pytest.raises(Left):
            await play(games, live, dict.fromkeys(live.state.seats, agent))
        *_, last = log.receipts(live.id)
        assert last.data["how"] == "lost"
        assert len(endings(log, live.id, "accepted")) == 4
        assert live.recorded == log.read(live.id)
        assert {due.worker for due in log.due(live.id)} == {None}
        await play(games, live)
        assert check_game(log, live.id) == []

    asyncio.run(story())
