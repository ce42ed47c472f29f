"""The hall: one game in memory for all who sit at it, woken by every append, here and elsewhere."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from durability.checks import check_game
from patience import PATIENCE
from playing import opened, until
from postgres import Databases

from domain.commands import Reply
from eventlog import EventLog, open_log
from projections.pieces import Teller
from server.games import Games, now
from server.hall import Hall, Table
from server.live import LiveGame, UnknownGame


class NoLinks:
    """No link ever ends."""

    def ended_since(self, revision: int) -> tuple[int, list[bytes]]:
        return revision, []


@asynccontextmanager
async def running(log: EventLog, **more: Any) -> AsyncIterator[Hall]:
    """A hall on a log, stopped at the end as a server stops it."""
    games = Games(log)
    said: list[str] = []
    hall = Hall(games, NoLinks(), report=said.append, **more)
    work = asyncio.create_task(hall.run())
    try:
        yield hall
    finally:
        hall.closing.set()
        async with asyncio.timeout(PATIENCE):
            await work
        games.close()
    assert said == []


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def reopened(request: pytest.FixtureRequest, empty_log: Path, tmp_path: Path) -> Iterator[Callable[[], EventLog]]:
    """Opens one log as often as processes would."""
    made: list[EventLog] = []
    if request.param == "memory":
        made.append(open_log("memory:"))
        yield lambda: made[0]
    elif request.param == "sqlite":
        url = f"sqlite:///{shutil.copy(empty_log, tmp_path / 'log.db')}"

        def another() -> EventLog:
            made.append(open_log(url))
            return made[-1]

        yield another
    else:
        found: Databases = request.getfixturevalue("databases")
        with found.log() as url:

            def once_more() -> EventLog:
                made.append(open_log(url))
                return made[-1]

            yield once_more
            for log in made:
                log.close()
            made.clear()
    for log in made:
        log.close()


async def answer(hall: Hall, table: Table, seat: str) -> None:
    """Answer every turn of a seat until the game is over."""
    while not table.live.state.over:
        length = table.live.length
        for turn in table.live.view(seat).turns:
            reply = Reply(now(), seat, turn.number, (turn.choices or ("Hm.",))[0])
            await hall.submit(table, reply)
        await table.news(length)


def test_a_game_is_played_to_its_end_with_a_seat_that_is_answered_through_the_hall(
    reopened: Callable[[], EventLog],
) -> None:
    async def story() -> None:
        async with running(reopened()) as hall:
            live = await opened(hall.games, agents={"Ada": "outside"})
            hall.host(live)
            async with asyncio.timeout(PATIENCE), hall.sitting(live.id) as table:
                assert table.live is live
                await answer(hall, table, "Ada")
        assert check_game(hall.games.log, live.id, sent=["Ada"]) == []
        assert hall.games.log.due(live.id) == []

    asyncio.run(story())


def test_what_is_appended_by_another_process_is_taken_in_and_played_on(reopened: Callable[[], EventLog]) -> None:
    async def story() -> None:
        elsewhere = Games(reopened())
        live = await opened(elsewhere, agents={"Ada": "outside"})
        async with running(reopened()) as hall, asyncio.timeout(PATIENCE), hall.sitting(live.id) as table:
            while not live.state.over:
                elsewhere.catch_up(live)
                for turn in live.view("Ada").turns:
                    await elsewhere.submit(live, Reply(now(), "Ada", turn.number, (turn.choices or ("Hm.",))[0]))
                    await table.news(live.length - 1)
                    assert table.live.length >= live.length
                await asyncio.sleep(0.001)
            assert table.live is not live
            await until(lambda: table.live.state.over)
        assert check_game(elsewhere.log, live.id, sent=["Ada"]) == []
        elsewhere.close()

    asyncio.run(story())


def test_a_game_is_read_once_for_all_who_come_at_the_same_time(
    reopened: Callable[[], EventLog], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        elsewhere = Games(reopened())
        game = (await opened(elsewhere, agents={"narrator": "outside"})).id
        loaded: list[str] = []

        class Counted(Games):
            def load(self, game: str) -> LiveGame:
                loaded.append(game)
                return super().load(game)

        hall = Hall(Counted(reopened()), NoLinks())

        async def come() -> Table:
            async with hall.sitting(game) as table:
                await asyncio.sleep(0)
                return table

        tables = await asyncio.gather(*(come() for _ in range(20)))
        assert len({id(table) for table in tables}) == 1
        assert loaded == [game]
        with pytest.raises(UnknownGame):
            async with hall.sitting("nosuchgame"):
                pass
        hall.games.close()
        elsewhere.close()

    asyncio.run(story())


def test_entries_are_those_of_the_chairs_view_each_with_its_piece(reopened: Callable[[], EventLog]) -> None:
    import json

    from projections.view import public_view, view

    async def story() -> None:
        async with running(reopened()) as hall:
            live = await opened(hall.games)
            table = hall.host(live)
            told: dict[Any, list[bytes]] = {}
            async with asyncio.timeout(PATIENCE), hall.sitting(live.id):
                while not live.state.over:
                    for seat in (None, *live.state.seats):
                        told[seat] = list(table.told(seat))
                    await table.news(live.length)
            for seat in (None, *live.state.seats):
                teller = Teller(live.ruleset, seat)
                seen = (
                    public_view(live.ruleset, live.recorded)
                    if seat is None
                    else view(live.ruleset, live.recorded, seat)
                )
                entries = table.told(seat)
                assert [json.loads(entry) for entry in entries] == [teller.to_json(entry) for entry in seen.entries]
                assert entries[: len(told[seat])] == told[seat]
            positions = [json.loads(entry)["position"] for entry in table.told(None, auditor=True)]
            assert positions == list(range(1, live.length + 1))

    asyncio.run(story())
