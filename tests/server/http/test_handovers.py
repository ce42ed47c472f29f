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
from far import PLAYERS, Far, Opened, log_in
from mcp_player import by_http, text_of
from patience import PATIENCE
from working import log_at

from sottovoce.eventlog.errors import DiskFull
from sottovoce.eventlog.log import RecordedReceipt
from sottovoce.eventlog.verify import verify
from sottovoce.projections.handovers import HANDED_AGAIN, HANDED_OVER
from sottovoce.server.games import now


@contextmanager
def served(url: str, **more: Any) -> Iterator[Far]:
    with Far(url, plays=False, **more) as far:
        yield far


def asked_first(far: Far) -> tuple[Opened, str]:
    """A game of outside seats, and the one that is asked first."""
    one = far.open(names=list(PLAYERS), agent="outside", seed="3")
    for seat, token in one.seats.items():
        if far.get(f"/v1/games/{one.game}", token)["waiting_for"] == [seat]:
            return one, seat
    raise AssertionError("nobody is asked")


def handed(far: Far, one: Opened, seat: str) -> list[RecordedReceipt]:
    with log_at(far.url) as log:
        return [receipt for receipt in log.receipts(one.game, seat) if receipt.data.get("by") in ("http", "mcp")]


POLLS = 40


def poll(far: Far, one: Opened, token: str, how: str) -> None:
    if how == "MCP look":

        async def looks() -> None:
            async with by_http(far.base, token) as client:
                found = {text_of(await client.call_tool("look", {"since": 0})) for _ in range(POLLS)}
            assert len(found) == 1

        asyncio.run(asyncio.wait_for(looks(), PATIENCE))
        return
    found = {far.ask("GET", f"/v1/games/{one.game}/{how}", token).content for _ in range(POLLS)}
    assert len(found) == 1


@pytest.mark.parametrize(("how", "rows"), [("view", 1), ("turns", 2), ("transcript", 1), ("MCP look", 1)])
def test_polling_is_one_row_with_a_count_and_a_last_time(tmp_path: Path, how: str, rows: int) -> None:
    with served(log_in(tmp_path)) as far:
        one, seat = asked_first(far)
        began = now()
        poll(far, one, one.seats[seat], how)
        first = handed(far, one, seat)
        assert [receipt.name for receipt in first] == [HANDED_OVER] * rows, "no more while the server goes on"
        ended = now()
    told = handed(far, one, seat)
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
    with log_at(far.url) as log:
        assert verify(log, one.game).ok
    who = json.loads(far.cli("audit", "who-saw", one.game, "1", "--json").out)
    times = [item["times"] for item in next(each for each in who["seats"] if each["seat"] == seat)["handed"]]
    assert times == [1] * rows + [POLLS - 1] * rows
    said = far.cli("audit", "who-saw", one.game, "1").out
    assert f"delivered at least {rows * POLLS} times" in said
    assert f'"times":{rows * POLLS}' in far.cli("audit", "saw", one.game, seat, "--json").out.splitlines()[0]
    assert far.cli("audit", "leaks", one.game).code == 0


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE receipts SET data = replace(data, '\"times\":39', '\"times\":38') WHERE name = 'core.handed-again.v1'",
        "UPDATE receipts SET at = at - 1 WHERE name = 'core.handed-again.v1'",
        "DELETE FROM receipts WHERE name = 'core.handed-again.v1'",
    ],
)
def test_a_changed_count_or_last_time_is_found(tmp_path: Path, change: str) -> None:
    with served(log_in(tmp_path)) as far:
        one, seat = asked_first(far)
        poll(far, one, one.seats[seat], "view")
    with closing(sqlite3.connect(far.cli.path, isolation_level=None)) as connection:
        for (trigger,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f'DROP TRIGGER "{trigger}"')
        assert connection.execute(change).rowcount == 1
    (again,) = [number for number, name in enumerate(names(far, one), 1) if name == HANDED_AGAIN] or [9]
    with log_at(far.url) as log:
        problems = verify(log, one.game).problems
    assert [problem.receipt for problem in problems][:1] == [again if "DELETE" not in change else problems[0].receipt]
    assert far.cli("audit", "who-saw", one.game, "1").code == 1


def counts(far: Far, one: Opened, seat: str) -> list[int]:
    return [receipt.data["times"] for receipt in handed(far, one, seat) if receipt.name == HANDED_AGAIN]


def names(far: Far, one: Opened) -> list[str]:
    with log_at(far.url) as log:
        return [row.name for row in log.receipt_rows(one.game)]


def test_what_is_new_is_written_before_it_leaves_and_another_link_begins_anew(tmp_path: Path) -> None:
    with served(log_in(tmp_path)) as far:
        one, seat = asked_first(far)
        path, token = f"/v1/games/{one.game}", one.seats[seat]
        seq = far.get(f"{path}/view", token)["seq"]
        far.get(f"{path}/view", token)
        far.get(f"{path}/view", token, after=1, limit=1)
        assert [receipt.data["to"] for receipt in handed(far, one, seat)] == [seq]
        turn = far.get(f"{path}/turns", token, since=seq)["turns"][0]["turn"]
        assert far.ask("POST", f"{path}/turns/{turn}", token, {"text": "Night falls."}).status_code == 200
        grown = far.get(f"{path}/view", token)["seq"]
        assert grown > seq
        assert [receipt.data["to"] for receipt in handed(far, one, seat)] == [seq, seq, grown]
        again = far.issue(one.game, one.keeper, "seat", seat)
        now_there = far.get(f"{path}/view", again)["seq"]
        told = handed(far, one, seat)
        assert [receipt.data["to"] for receipt in told] == [seq, seq, grown, now_there]
        assert len({receipt.data["link"] for receipt in told}) == 2
    counts = [receipt for receipt in handed(far, one, seat) if receipt.name == HANDED_AGAIN]
    assert [(one.data["from"], one.data["to"], one.data.get("parts")) for one in counts] == [
        (1, seq, None),
        (2, 2, True),
    ]


def test_what_could_not_be_written_has_not_been_handed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with served(log_in(tmp_path)) as far:
        one, seat = asked_first(far)
        path, token = f"/v1/games/{one.game}/view", one.seats[seat]

        async def full(game: str, receipts: Any) -> None:
            raise DiskFull

        with monkeypatch.context() as patch:
            patch.setattr(far.games, "record", full)
            assert [far.ask("GET", path, token).status_code for _ in range(3)] == [503] * 3
        assert handed(far, one, seat) == []
        far.get(path, token)
        assert len(handed(far, one, seat)) == 1
        # What is known goes on being told where nothing can be written, and is counted until it can.
        with monkeypatch.context() as patch:
            patch.setattr(far.games, "record", full)
            far.get(path, token)
            written = asyncio.run_coroutine_threadsafe(sealed(far), far.loop)
            written.result(PATIENCE)
        far.get(path, token)
    assert counts(far, one, seat) == [2]


async def sealed(far: Far) -> None:
    """Have what is counted written, if it can be."""
    for farewell in far.hall.farewells:
        office: Any = getattr(farewell, "__self__", None)
        for reader, known in list(office._links.items()):
            await office._seal(reader, known)


def test_each_of_several_servers_counts_what_it_handed_over(tmp_path: Path) -> None:
    url = log_in(tmp_path)
    with served(url) as far:
        one, seat = asked_first(far)
        with served(url) as other:
            for server in (far, other, far, other, other):
                server.get(f"/v1/games/{one.game}/view", one.seats[seat])
    told = handed(far, one, seat)
    assert [receipt.name for receipt in told] == [HANDED_OVER] * 2 + [HANDED_AGAIN] * 2
    assert sorted(receipt.data["times"] for receipt in told[2:]) == [1, 2]


def test_what_is_counted_is_written_when_its_time_has_come(tmp_path: Path) -> None:
    with served(log_in(tmp_path)) as far:
        one, seat = asked_first(far)
        later = timedelta()
        far.games.clock = lambda: now() + later
        for minutes, written in ((0, []), (0.5, []), (1.1, []), (1.6, [3]), (2.2, [3]), (3.8, [3]), (4.0, [3, 3])):
            later = timedelta(minutes=minutes)
            far.get(f"/v1/games/{one.game}/view", one.seats[seat])
            deadline = time.monotonic() + PATIENCE
            while (found := counts(far, one, seat)) != written:
                assert found < written, minutes
                assert time.monotonic() < deadline, minutes
                time.sleep(0.01)


def test_inbox_asked_again_and_again_hands_over_the_same_once(tmp_path: Path) -> None:
    with served(log_in(tmp_path)) as far:
        one, seat = asked_first(far)
    found = {far.cli("inbox", one.game, "--as", seat, "--json").out for _ in range(5)}
    assert len(found) == 1
    with log_at(far.url) as log:
        told = [receipt for receipt in log.receipts(one.game, seat) if receipt.data.get("by") == "inbox"]
    assert [receipt.name for receipt in told] == [HANDED_OVER] * 2
