"""The hall's tables: one game in memory for all who sit at it, woken by every append, here and elsewhere."""

import asyncio
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from durability.checks import check_game
from durability.processes import sottovoce
from patience import PATIENCE
from playing import opened, play, until
from running_games import answer, replies, running

from sottovoce.domain.commands import Fill, Reply
from sottovoce.domain.rulesets import RULESETS
from sottovoce.eventlog import EventLog, open_log
from sottovoce.eventlog.sqlite.log import SqliteLog
from sottovoce.projections.perspective import FULL, PUBLIC, lines, of_seat
from sottovoce.projections.pieces import Teller
from sottovoce.projections.view import Entry
from sottovoce.server.games import Games, now
from sottovoce.server.links import LinkKind, Links, digest_of
from sottovoce.server.live import LiveGame, UnknownGame
from sottovoce.server.live_games import GameFeed, LiveGames

Reopened = Callable[[], EventLog]


def test_an_append_here_wakes_all_followers_without_a_look_at_the_log(reopened: Reopened) -> None:
    """The hall does not run: nothing follows the log or plays, so an append alone can wake them."""

    async def story() -> None:
        games = Games(reopened())
        live_games = LiveGames(games, Links(games))
        live = await opened(games, agents={"narrator": "outside"})
        table = live_games.host(live)
        assert table.live is live
        length = table.live.length
        async with asyncio.timeout(PATIENCE), live_games.using(table.live.id):
            followers = [asyncio.create_task(table.news(length)) for _ in range(50)]
            await asyncio.sleep(0)
            assert not any(follower.done() for follower in followers)
            (reply,) = replies(table.live, "narrator")
            await live_games.submit(table, reply)
            await asyncio.gather(*followers)
            assert table.live.length > length
            await table.news(length)
        games.close()

    asyncio.run(story())


def test_a_game_that_a_player_came_to_first_is_kept_for_who_opened_it(reopened: Reopened) -> None:
    async def story() -> None:
        games = Games(reopened())
        live_games = LiveGames(games, Links(games))
        live = await opened(games)
        async with live_games.lent(live.id) as played:
            assert live_games.host(live).live is played
        assert live_games.known(live.id) is played
        async with live_games.using(live.id) as table:
            assert table.live is played
        games.close()

    asyncio.run(story())


def test_a_chair_is_woken_for_what_it_sees_and_for_nothing_else() -> None:
    """A table to which the events of a finished game come one by one."""

    async def story() -> None:
        games = Games(open_log("memory:"))
        live = await opened(games)
        first = live.length
        await play(games, live)
        again = LiveGame(live.id, live.ruleset)
        again.take(live.recorded[:first])
        table = GameFeed(again, asyncio.Event(), games.think)
        chairs = (PUBLIC, FULL, *map(of_seat, live.state.seats))
        followers = {eyes: asyncio.create_task(table.news(first, eyes)) for eyes in chairs}
        seen = {eyes: len(lines(live.ruleset, again.recorded, eyes)[0]) for eyes in chairs}
        woken = slept = 0
        for item in live.recorded[first:]:
            again.take([item])
            for _ in range(5):
                await asyncio.sleep(0)
            for eyes, follower in followers.items():
                before, seen[eyes] = seen[eyes], len(lines(live.ruleset, again.recorded, eyes)[0])
                assert follower.done() == (seen[eyes] > before), (eyes, item)
                if follower.done():
                    followers[eyes], woken = asyncio.create_task(table.news(again.length, eyes)), woken + 1
                else:
                    slept += 1
        assert woken > 100
        assert slept > 100
        for follower in followers.values():
            follower.cancel()
        games.close()

    asyncio.run(story())


def test_what_other_processes_append_is_taken_in(reopened: Reopened) -> None:
    async def story() -> None:
        elsewhere = Games(reopened())
        live = await opened(elsewhere, agents={"Ada": "outside"})
        async with running(reopened()) as live_games, live_games.using(live.id) as table:
            assert table.live is not live
            while not live.state.over:
                elsewhere.catch_up(live)
                for reply in replies(live, "Ada"):
                    await elsewhere.submit(live, reply)
                    await table.news(live.length - 1)
                    assert table.live.length >= live.length
                await asyncio.sleep(0.001)
            await until(lambda: table.live.state.over)
        assert check_game(elsewhere.log, live.id, sent=["Ada"]) == []
        elsewhere.close()

    asyncio.run(story())


@pytest.mark.parametrize("reopened", ["sqlite"], indirect=True)
def test_a_reply_that_another_process_sends_wakes_who_sits_here(reopened: Reopened, tmp_path: Path) -> None:
    async def story() -> None:
        log = reopened()
        assert isinstance(log, SqliteLog)
        url = f"sqlite:///{log.path}"
        async with running(log) as live_games:
            table = live_games.host(await opened(live_games.games, agents={"narrator": "outside"}))
            async with live_games.using(table.live.id):
                length = table.live.length
                text = tmp_path / "text"
                text.write_text("Night falls.")
                words = ("--db", url, "send", table.live.id, "--as", "narrator", "--turn", "1", str(text))
                sending = asyncio.create_task(asyncio.to_thread(sottovoce, *words))
                await table.news(length)
                code, _, err = await sending
                assert code == 0, err
                assert b"Night falls." in b"".join(table.told("Ada"))

    asyncio.run(story())


@pytest.mark.parametrize("reopened", ["sqlite", "postgres"], indirect=True)
def test_two_halls_share_a_game_and_their_followers_miss_nothing(reopened: Reopened) -> None:
    """Seats come in at either, agents are played by both, and every chair is told every entry, whole and in order."""

    async def story() -> None:
        one, other = reopened(), reopened()
        got: dict[tuple[int, str | None, int], list[bytes]] = {}
        games = Games(one)
        live = await opened(games, agents={"Ada": "outside", "Bram": "outside"})
        games.close()

        async def follow(live_games: LiveGames, number: int, seat: str | None, times: int) -> None:
            mine = got[number, seat, times] = []
            async with live_games.using(live.id) as table:
                while not table.live.state.over:
                    length = table.live.length
                    mine += table.told(seat)[len(mine) :]
                    await table.news(length)
                mine += table.told(seat)[len(mine) :]

        async def sit(live_games: LiveGames, seat: str) -> None:
            async with live_games.using(live.id) as table:
                await answer(live_games, table, seat)

        async with running(one) as here, running(other) as there:
            await asyncio.gather(
                sit(here, "Ada"),
                sit(there, "Bram"),
                *(
                    follow(live_games, number, seat, times)
                    for number, live_games in enumerate((here, there))
                    for seat in (None, *live.state.seats)
                    for times in range(4)
                ),
            )
        assert check_game(one, live.id, sent=["Ada", "Bram"]) == []
        recorded = one.read(live.id)
        for (_, seat, _), entries in got.items():
            seen, _ = lines(live.ruleset, recorded, PUBLIC if seat is None else of_seat(seat))
            assert [json.loads(entry)["seq"] for entry in entries] == list(range(1, len(seen) + 1))
            assert [json.loads(entry)["name"] for entry in entries] == [line.event.stored_name for line in seen]

    asyncio.run(story())


def test_a_game_is_read_once_for_all_who_come_at_the_same_time(reopened: Reopened) -> None:
    async def story() -> None:
        elsewhere = Games(reopened())
        game = (await opened(elsewhere, agents={"narrator": "outside"})).id
        loaded: list[str] = []

        class Counted(Games):
            def load(self, game: str) -> LiveGame:
                loaded.append(game)
                return super().load(game)

        games = Counted(reopened())
        live_games = LiveGames(games, Links(games))

        async def come() -> GameFeed:
            async with live_games.using(game) as table:
                await asyncio.sleep(0)
                return table

        coming = [asyncio.create_task(come()) for _ in range(20)]
        await asyncio.sleep(0)
        coming.pop(0).cancel()
        tables = await asyncio.gather(*coming)
        assert len({id(table) for table in tables}) == 1
        assert loaded == [game]
        for _ in range(2):
            with pytest.raises(UnknownGame):
                async with live_games.using("nosuchgame"):
                    pass
        games.close()
        elsewhere.close()

    asyncio.run(story())


@pytest.mark.parametrize("reopened", ["sqlite", "postgres"], indirect=True)
def test_what_is_appended_while_a_game_is_read_is_not_passed_over(reopened: Reopened) -> None:
    async def story() -> None:
        elsewhere = Games(reopened())
        live = await opened(elsewhere, agents={"narrator": "outside"})
        read, go_on = threading.Event(), threading.Event()

        class Slow(Games):
            def load(self, game: str) -> LiveGame:
                found = super().load(game)
                read.set()
                assert go_on.wait(PATIENCE)
                return found

        log = reopened()
        async with running(log, Slow(log), plays=False) as live_games:

            async def come() -> int:
                async with live_games.using(live.id) as table:
                    before = table.live.length
                    await table.news(before)
                    return before

            coming = asyncio.create_task(come())
            await until(read.is_set)
            before = live.length
            (reply,) = replies(live, "narrator")
            await elsewhere.submit(live, reply)
            await until(lambda: live_games._grown[live.id] == live.length)
            go_on.set()
            assert await coming == before
        elsewhere.close()

    asyncio.run(story())


def test_events_that_are_known_are_passed_over_whoever_reads_them() -> None:
    async def story() -> None:
        games = Games(open_log("memory:"))
        live = await opened(games)
        recorded = games.log.read(live.id)
        again = LiveGame(live.id, RULESETS["mafia"])
        assert again.take(recorded[:3]) == recorded[:3]
        assert again.take(recorded[1:]) == recorded[3:]
        assert again.take(recorded) == []
        assert again.recorded == recorded
        assert again.state == live.state
        games.close()

    asyncio.run(story())


def test_entries_are_those_of_the_chairs_view_each_with_its_piece(reopened: Reopened) -> None:
    async def story() -> None:
        async with running(reopened()) as live_games:
            live = await opened(live_games.games)
            told: dict[str | None, list[bytes]] = {}
            async with live_games.using(live.id) as table:
                while not table.live.state.over:
                    for seat in (None, *live.state.seats):
                        told[seat] = list(table.told(seat))
                    await table.news(table.live.length)
                for seat in (None, *live.state.seats):
                    seen, _ = lines(live.ruleset, table.live.recorded, PUBLIC if seat is None else of_seat(seat))
                    teller = Teller(live.ruleset, seat)
                    wanted = [teller.to_json(Entry(line.number, line.at, line.event)) for line in seen]
                    entries = table.told(seat)
                    assert [json.loads(entry) for entry in entries] == wanted
                    assert entries[: len(told[seat])] == told[seat]
                full = [json.loads(entry) for entry in table.told(None, auditor=True)]
                assert [entry["position"] for entry in full] == list(range(1, table.live.length + 1))
                assert any(entry["piece"] for entry in full)

    asyncio.run(story())


def test_who_holds_a_link_is_told_that_it_ended_here_and_elsewhere(reopened: Reopened) -> None:
    async def story() -> None:
        async with running(reopened(), plays=False) as here, running(reopened(), plays=False) as there:
            live = await opened(here.games, agents={"Ada": "outside"})
            token = await here.links.issue(live, LinkKind.SEAT, "Ada")
            other = await here.links.issue(live, LinkKind.SEAT, "Bram")
            ends = [live_games.ended(digest_of(token)) for live_games in (here, there)]
            kept = [live_games.ended(digest_of(other)) for live_games in (here, there)]
            await asyncio.sleep(0.05)
            assert not any(event.is_set() for event in ends)
            await there.links.issue(live, LinkKind.SEAT, "Ada")
            await asyncio.gather(*(event.wait() for event in ends))
            assert not any(event.is_set() for event in kept)
            del ends
            assert here.ended(digest_of(token)).is_set(), "who comes a moment late is told too"

    asyncio.run(story())


def test_a_caller_that_is_cut_off_does_not_cut_off_the_append(reopened: Reopened) -> None:
    async def story() -> None:
        async with running(reopened()) as live_games:
            table = live_games.host(await opened(live_games.games, agents={"narrator": "outside"}))
            async with live_games.using(table.live.id):
                length = table.live.length
                sending = asyncio.create_task(live_games.submit(table, Reply(now(), "narrator", 1, "Night falls.")))
                await asyncio.sleep(0)
                sending.cancel()
                await table.news(length)
                assert b"Night falls." in b"".join(table.told("Ada"))

    asyncio.run(story())


def test_nothing_that_waits_for_the_log_is_done_in_the_loop(
    reopened: Reopened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With limits, seats from outside and appends from elsewhere: whatever the log is asked, a thread asks it."""

    async def story() -> None:
        log, elsewhere = reopened(), Games(reopened())
        if not log.blocking:
            pytest.skip("a log in memory waits for nothing")
        mine = threading.get_ident()
        called: set[str] = set()

        def counted(name: str) -> None:
            original = getattr(log, name)

            def call(*given: Any, **named: Any) -> Any:
                called.add(name)
                assert threading.get_ident() != mine, name
                return original(*given, **named)

            monkeypatch.setattr(log, name, call)

        given = await opened(elsewhere, agents={"Ada": "outside", "Bram": "outside"}, turn_seconds=60)
        for name in ("commit", "commit_at_once", "due", "head", "lease", "links_ended", "news", "read", "release"):
            counted(name)
        counted("version")
        async with running(log) as live_games:
            async with live_games.using(given.id) as table:

                async def bram() -> None:
                    while not given.state.over:
                        elsewhere.catch_up(given)
                        for reply in replies(given, "Bram"):
                            await elsewhere.submit(given, reply)
                        await asyncio.sleep(0.002)

                await asyncio.gather(answer(live_games, table, "Ada"), bram())
            table = live_games.host(await opened(live_games.games, agents={"narrator": "outside"}))
            await live_games.submit(table, Fill(now(), {"narrator": "random"}))
            async with live_games.using(table.live.id):
                while not table.live.state.over:
                    await table.news(table.live.length)
        assert called >= {"commit", "due", "head", "lease", "links_ended", "news", "read", "version"}
        assert "commit_at_once" not in called
        elsewhere.close()

    asyncio.run(story())


@pytest.mark.parametrize("chair", [None, "Ada", "auditor"])
def test_what_is_prepared_is_what_is_told_and_others_go_on_meanwhile(
    monkeypatch: pytest.MonkeyPatch, chair: str | None
) -> None:
    monkeypatch.setattr("sottovoce.server.game_feed.BITE", 5)

    async def story() -> None:
        games = Games(open_log("memory:"))
        live = await play(games, await opened(games))
        whole, bit_by_bit = (LiveGames(games, Links(games)).host(live) for _ in range(2))
        seat, auditor = (None, True) if chair == "auditor" else (chair, False)
        wanted = whole.told(seat, auditor=auditor)
        turns = 0

        async def others() -> None:
            nonlocal turns
            while not preparing.done():
                turns += 1
                await asyncio.sleep(0)

        preparing = asyncio.create_task(bit_by_bit.prepare(seat, auditor=auditor))
        await others()
        assert turns > len(wanted) / 5
        assert bit_by_bit.told(seat, auditor=auditor) == wanted
        games.close()

    asyncio.run(story())
