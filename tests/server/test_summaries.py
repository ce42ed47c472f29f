"""The list of games: followed from the events, asked by what is wanted, and never the source of anything."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playing import PLAYERS

from sottovoce.agents.random_agent import RandomAgent
from sottovoce.domain.commands import Halt
from sottovoce.domain.draws import Seed
from sottovoce.domain.rulesets import RULESETS
from sottovoce.eventlog import EventLog, open_log
from sottovoce.eventlog.errors import DiskFull, ReadOnlyLog
from sottovoce.projections.summary import Summary, summary
from sottovoce.server import summaries
from sottovoce.server.batches import Batch, keep, names
from sottovoce.server.games import Games
from sottovoce.server.plan import Plan
from sottovoce.server.runner import Runner
from sottovoce.server.summaries import BatchLine, Wanted, findings, listed, rebuild, unfinished

SEATS = (*PLAYERS, "narrator")
PLAIN: dict[str, Any] = {"max_days": 2}


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EventLog]:
    if request.param == "postgres":
        with request.getfixturevalue("databases").log() as url, closing(open_log(url)) as found:
            yield found
    else:
        with closing(open_log("memory:" if request.param == "memory" else f"sqlite:///{tmp_path / 'log.db'}")) as found:
            yield found


def opened(games: Games, number: int, agent: str = "random", game: str | None = None) -> str:
    """A game that is begun and no more."""
    agents = dict.fromkeys(SEATS, "random") | {SEATS[0]: agent}
    return asyncio.run(games.open("mafia", SEATS, agents, Seed.of(number), PLAIN, game=game)).id


def played(games: Games, number: int, **more: Any) -> str:
    """A game that is over."""
    game = opened(games, number, **more)
    live = games.load(game)
    asyncio.run(Runner(games, live, dict.fromkeys(SEATS, RandomAgent())).run())
    return game


def found(log: EventLog, **wanted: Any) -> list[str]:
    lines, _ = listed(log, Wanted(**wanted))
    return [line.game if isinstance(line, Summary) else line.name for line in lines]


def folded(log: EventLog) -> list[Summary]:
    """What the list has to say, from the whole logs."""
    return [summary(RULESETS["mafia"], log.read(game)) for game in log.games()]


def test_the_list_says_what_the_events_say_whenever_it_is_read(log: EventLog, games: Games) -> None:
    assert listed(log, Wanted()) == ([], False)
    first = opened(games, 1)
    assert listed(log, Wanted())[0] == folded(log)
    played(games, 2)
    assert listed(log, Wanted())[0] == folded(log)
    asyncio.run(Runner(games, games.load(first), dict.fromkeys(SEATS, RandomAgent())).run())
    assert listed(log, Wanted())[0] == folded(log)
    assert [one.status for one in folded(log)] == ["over", "over"]


@pytest.mark.parametrize("at_once", [1, 2, 7])
def test_it_is_followed_in_any_number_of_steps(
    log: EventLog, games: Games, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(summaries, "AT_ONCE", at_once)
    for number in range(3):
        played(games, number)
    opened(games, 4)
    assert listed(log, Wanted())[0] == folded(log)


def test_a_game_that_was_broken_off_is_void_and_goes_on_no_more(log: EventLog, games: Games) -> None:
    live = games.load(opened(games, 1))
    asyncio.run(games.submit(live, Halt(games.clock(), *next(iter(live.state.turns)))))
    assert listed(log, Wanted())[0] == folded(log)
    asyncio.run(games.submit(live, Halt(games.clock(), void=True)))
    assert listed(log, Wanted())[0] == folded(log)
    assert [one.status for one in folded(log)] == ["void"]
    assert unfinished(log) == ([], log.newest())


def test_each_question_finds_its_games(log: EventLog, games: Games) -> None:
    over = [played(games, number) for number in range(4)]
    open_, mine = opened(games, 8), opened(games, 9, agent="human")
    winners = {one.game: one.winner for one in folded(log)}
    won = [game for game in over if winners[game] == "town"]
    assert found(log) == [*over, open_, mine]
    assert found(log, finished=False) == [open_, mine]
    assert found(log, finished=True) == over
    assert found(log, person=True) == [mine]
    assert found(log, winner="town") == won
    assert found(log, winner="town", finished=False) == []
    assert found(log, ruleset="mafia", seat=SEATS[0]) == [*over, open_, mine]
    assert found(log, seat="nobody") == found(log, ruleset="delegation") == []
    assert found(log, seat=SEATS[1], person=True, finished=False) == [mine]


def test_the_newest_are_listed_and_older_ones_told_of(log: EventLog, games: Games) -> None:
    ids = [opened(games, number) for number in range(4)]
    assert listed(log, Wanted(limit=4))[1] is False
    assert found(log, limit=3) == ids[1:]
    assert listed(log, Wanted(limit=3))[1] is True
    assert found(log, seat=SEATS[0], limit=1) == ids[3:]


def test_a_batch_is_one_line_where_its_first_game_stands(log: EventLog, games: Games) -> None:
    before = opened(games, 1)
    plans = [Plan("mafia", SEATS, dict.fromkeys(SEATS, "random"), Seed.of(n), PLAIN, {}, f"batched{n}") for n in "abc"]
    keep(log, Batch("trial", Seed.of(1), "void", plans))
    assert names(log) == ["trial"]
    first = played(games, 2, game="batcheda")
    after = opened(games, 3)
    second = opened(games, 4, game="batchedb")
    lines, _ = listed(log, Wanted())
    assert [line.game if isinstance(line, Summary) else line.name for line in lines] == [before, "trial", after]
    line = lines[1]
    assert isinstance(line, BatchLine)
    assert (line.games, line.counts) == (3, {"open": 1, "held": 0, "over": 1, "void": 0})
    assert found(log, limit=2) == ["trial", after]
    assert found(log, batch="trial") == [first, second]
    assert found(log, every=True) == [before, first, after, second]
    assert found(log, finished=True) == []
    assert found(log, finished=True, every=True) == [first]


def test_workers_are_told_of_what_is_not_over_and_no_more(log: EventLog, games: Games) -> None:
    played(games, 1)
    open_ = opened(games, 2)
    assert unfinished(log) == ([open_], log.newest())
    news = log.news(log.newest())
    assert (news.newest, news.lengths) == (log.newest(), {})
    before = log.newest()
    another = opened(games, 3)
    assert log.news(before).lengths == {another: games.load(another).length}


def test_made_anew_it_is_the_same(log: EventLog, games: Games) -> None:
    played(games, 1)
    opened(games, 2, agent="human")
    before = found(log), found(log, person=True), found(log, seat=SEATS[0])
    assert rebuild(log) == 2
    assert (found(log), found(log, person=True), found(log, seat=SEATS[0])) == before


def test_a_line_that_was_changed_is_found_and_mended(log: EventLog, games: Games) -> None:
    game, other = played(games, 1), played(games, 2)
    found(log)
    assert findings(log) == []
    with log.tables(commit=True) as run:
        run("UPDATE game_summaries SET winner = 'nobody' WHERE game = ?", (game,))
        run("DELETE FROM game_summaries WHERE game = ?", (other,))
    assert findings(log) == [
        f"The list of games is not as the events have it for game {one}; run: sottovoce db rebuild"
        for one in (game, other)
    ]
    rebuild(log)
    assert findings(log) == []


@pytest.mark.parametrize("trouble", [ReadOnlyLog, DiskFull])
def test_where_nothing_can_be_written_the_list_is_right_all_the_same(
    log: EventLog, games: Games, monkeypatch: pytest.MonkeyPatch, trouble: type[Exception]
) -> None:
    plans = [Plan("mafia", SEATS, dict.fromkeys(SEATS, "random"), Seed.of(1), PLAIN, {}, "batched")]
    keep(log, Batch("trial", Seed.of(1), "void", plans))
    played(games, 1)
    found(log)
    played(games, 2, game="batched")
    last = opened(games, 3, agent="human")
    tables: Callable[..., Any] = log.tables

    def refusing(*, commit: bool = False) -> Any:
        if commit:
            raise trouble
        return tables()

    monkeypatch.setattr(log, "tables", refusing)
    assert listed(log, Wanted(every=True))[0] == folded(log)
    assert found(log)[1:] == ["trial", last]
    assert found(log, person=True) == [last]
    monkeypatch.undo()
    assert findings(log) == []
    assert listed(log, replace(Wanted(), every=True))[0] == folded(log)
