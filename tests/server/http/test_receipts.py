"""Polling: the first time has a receipt before anything leaves, and all that follows is counted under the head."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from mcp_player import by_http, text_of
from patience import PATIENCE
from remote import PLAYERS, Opened, RemoteServer, log_in
from working import log_at

from sottovoce.eventlog.errors import DiskFull
from sottovoce.eventlog.log import RecordedReceipt
from sottovoce.eventlog.verify import verify
from sottovoce.projections.receipts import DELIVERED, HANDED_AGAIN
from sottovoce.server.games import now


@contextmanager
def served(url: str, **more: Any) -> Iterator[RemoteServer]:
    with RemoteServer(url, plays=False, **more) as remote:
        yield remote


def asked_first(remote: RemoteServer) -> tuple[Opened, str]:
    """A game of outside seats, and the one that is asked first."""
    one = remote.open(names=list(PLAYERS), agent="outside", seed="3")
    for seat, token in one.seats.items():
        if remote.get(f"/v1/games/{one.game}", token)["waiting_for"] == [seat]:
            return one, seat
    raise AssertionError("nobody is asked")


def handed(remote: RemoteServer, one: Opened, seat: str) -> list[RecordedReceipt]:
    with log_at(remote.url) as log:
        return [receipt for receipt in log.receipts(one.game, seat) if receipt.data.get("by") in ("http", "mcp")]


POLLS = 40


def poll(remote: RemoteServer, one: Opened, token: str, how: str) -> None:
    if how == "MCP look":

        async def looks() -> None:
            async with by_http(remote.base, token) as client:
                found = {text_of(await client.call_tool("look", {"since": 0})) for _ in range(POLLS)}
            assert len(found) == 1

        asyncio.run(asyncio.wait_for(looks(), PATIENCE))
        return
    found = {remote.ask("GET", f"/v1/games/{one.game}/{how}", token).content for _ in range(POLLS)}
    assert len(found) == 1


@pytest.mark.parametrize(("how", "rows"), [("view", 1), ("turns", 2), ("transcript", 1), ("MCP look", 1)])
def test_polling_is_one_row_with_a_count_and_a_last_time(tmp_path: Path, how: str, rows: int) -> None:
    with served(log_in(tmp_path)) as remote:
        one, seat = asked_first(remote)
        began = now()
        poll(remote, one, one.seats[seat], how)
        first = handed(remote, one, seat)
        assert [receipt.name for receipt in first] == [DELIVERED] * rows, "no more while the server goes on"
        ended = now()
    told = handed(remote, one, seat)
    assert told[:rows] == first
    assert [receipt.name for receipt in told[rows:]] == [HANDED_AGAIN] * rows
    for before, after in zip(first, told[rows:], strict=True):
        assert after.data["times"] == POLLS - 1
        assert began < datetime.fromisoformat(after.data["since"]) < after.at < ended
        own = ("call", "times", "since")
        assert {name: value for name, value in after.data.items() if name not in own} == {
            name: value for name, value in before.data.items() if name not in own
        }
        assert after.blocks == before.blocks
    with log_at(remote.url) as log:
        assert verify(log, one.game).ok
    who = json.loads(remote.cli("audit", "who-saw", one.game, "1", "--json").out)
    times = [item["times"] for item in next(each for each in who["seats"] if each["seat"] == seat)["handed"]]
    assert times == [1] * rows + [POLLS - 1] * rows
    said = remote.cli("audit", "who-saw", one.game, "1").out
    assert f"delivered at least {rows * POLLS} times" in said
    assert f'"times":{rows * POLLS}' in remote.cli("audit", "saw", one.game, seat, "--json").out.splitlines()[0]
    assert remote.cli("audit", "leaks", one.game).code == 0


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE receipts SET data = replace(data, '\"times\":39', '\"times\":38') WHERE name = 'core.handed-again.v1'",
        "UPDATE receipts SET at = at - 1 WHERE name = 'core.handed-again.v1'",
        "DELETE FROM receipts WHERE name = 'core.handed-again.v1'",
    ],
)
def test_a_changed_count_or_last_time_is_found(tmp_path: Path, change: str) -> None:
    with served(log_in(tmp_path)) as remote:
        one, seat = asked_first(remote)
        poll(remote, one, one.seats[seat], "view")
    with closing(sqlite3.connect(remote.cli.path, isolation_level=None)) as connection:
        for (trigger,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f'DROP TRIGGER "{trigger}"')
        assert connection.execute(change).rowcount == 1
    (again,) = [number for number, name in enumerate(names(remote, one), 1) if name == HANDED_AGAIN] or [9]
    with log_at(remote.url) as log:
        problems = verify(log, one.game).problems
    assert [problem.receipt for problem in problems][:1] == [again if "DELETE" not in change else problems[0].receipt]
    assert remote.cli("audit", "who-saw", one.game, "1").code == 1


def counts(remote: RemoteServer, one: Opened, seat: str) -> list[int]:
    return [receipt.data["times"] for receipt in handed(remote, one, seat) if receipt.name == HANDED_AGAIN]


def names(remote: RemoteServer, one: Opened) -> list[str]:
    with log_at(remote.url) as log:
        return [row.name for row in log.receipt_rows(one.game)]


def test_what_is_new_is_written_before_it_leaves_and_another_link_begins_anew(tmp_path: Path) -> None:
    with served(log_in(tmp_path)) as remote:
        one, seat = asked_first(remote)
        path, token = f"/v1/games/{one.game}", one.seats[seat]
        seq = remote.get(f"{path}/view", token)["seq"]
        remote.get(f"{path}/view", token)
        remote.get(f"{path}/view", token, after=1, limit=1)
        assert [receipt.data["to"] for receipt in handed(remote, one, seat)] == [seq]
        turn = remote.get(f"{path}/turns", token, since=seq)["turns"][0]["turn"]
        assert remote.ask("POST", f"{path}/turns/{turn}", token, {"text": "Night falls."}).status_code == 200
        grown = remote.get(f"{path}/view", token)["seq"]
        assert grown > seq
        assert [receipt.data["to"] for receipt in handed(remote, one, seat)] == [seq, seq, grown]
        again = remote.issue(one.game, one.keeper, "seat", seat)
        now_there = remote.get(f"{path}/view", again)["seq"]
        told = handed(remote, one, seat)
        assert [receipt.data["to"] for receipt in told] == [seq, seq, grown, now_there]
        assert len({receipt.data["link"] for receipt in told}) == 2
    counts = [receipt for receipt in handed(remote, one, seat) if receipt.name == HANDED_AGAIN]
    assert [(one.data["from"], one.data["to"], one.data.get("parts")) for one in counts] == [
        (1, seq, None),
        (2, 2, True),
    ]


def test_what_could_not_be_written_has_not_been_handed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with served(log_in(tmp_path)) as remote:
        one, seat = asked_first(remote)
        path, token = f"/v1/games/{one.game}/view", one.seats[seat]

        async def full(game: str, receipts: Any) -> None:
            raise DiskFull

        with monkeypatch.context() as patch:
            patch.setattr(remote.games, "record", full)
            assert [remote.ask("GET", path, token).status_code for _ in range(3)] == [503] * 3
        assert handed(remote, one, seat) == []
        remote.get(path, token)
        assert len(handed(remote, one, seat)) == 1
        # What is known goes on being told where nothing can be written, and is counted until it can.
        with monkeypatch.context() as patch:
            patch.setattr(remote.games, "record", full)
            remote.get(path, token)
            written = asyncio.run_coroutine_threadsafe(sealed(remote), remote.loop)
            written.result(PATIENCE)
        remote.get(path, token)
    assert counts(remote, one, seat) == [2]


async def sealed(remote: RemoteServer) -> None:
    """Have what is counted written, if it can be."""
    for farewell in remote.live_games.farewells:
        services: Any = getattr(farewell, "__self__", None)
        for reader, known in list(services._links.items()):
            await services._seal(reader, known)


def test_each_of_several_servers_counts_what_it_handed_over(tmp_path: Path) -> None:
    url = log_in(tmp_path)
    with served(url) as remote:
        one, seat = asked_first(remote)
        with served(url) as other:
            for server in (remote, other, remote, other, other):
                server.get(f"/v1/games/{one.game}/view", one.seats[seat])
    told = handed(remote, one, seat)
    assert [receipt.name for receipt in told] == [DELIVERED] * 2 + [HANDED_AGAIN] * 2
    assert sorted(receipt.data["times"] for receipt in told[2:]) == [1, 2]


def test_what_is_counted_is_written_when_its_time_has_come(tmp_path: Path) -> None:
    with served(log_in(tmp_path)) as remote:
        one, seat = asked_first(remote)
        later = timedelta()
        remote.games.clock = lambda: now() + later
        for minutes, written in ((0, []), (0.5, []), (1.1, []), (1.6, [3]), (2.2, [3]), (3.8, [3]), (4.0, [3, 3])):
            later = timedelta(minutes=minutes)
            remote.get(f"/v1/games/{one.game}/view", one.seats[seat])
            deadline = time.monotonic() + PATIENCE
            while (found := counts(remote, one, seat)) != written:
                assert found < written, minutes
                assert time.monotonic() < deadline, minutes
                time.sleep(0.01)


def test_inbox_asked_again_and_again_hands_over_the_same_once(tmp_path: Path) -> None:
    with served(log_in(tmp_path)) as remote:
        one, seat = asked_first(remote)
    found = {remote.cli("inbox", one.game, "--as", seat, "--json").out for _ in range(5)}
    assert len(found) == 1
    with log_at(remote.url) as log:
        told = [receipt for receipt in log.receipts(one.game, seat) if receipt.data.get("by") == "inbox"]
    assert [receipt.name for receipt in told] == [DELIVERED] * 2
