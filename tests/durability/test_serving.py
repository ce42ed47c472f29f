"""Servers are killed by SIGKILL under load: no acknowledged reply and no frame of any seat is lost or doubled."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from durability.far_faults import FAR_FAULTS
from durability.processes import Cold
from durability.remote import Evening, Serving, check_evening
from durability.rounds import Rounds
from sizes import sized

KILLS = sized(4, 100)
SQLITE_KILLS = sized(2, 30)

FOUND = {
    "acknowledge_before_the_append": "acknowledged .* is in the log 0 times",
    "skip_after_a_reconnect": r"got frame (\d+) after (?!\1\b)",
    "repeat_after_a_reconnect": r"got frame (\d+) after \1\b",
}
"""What finds each planted fault."""


@contextmanager
def served(
    rounds: Rounds, servers: int, workers: int, chance: random.Random, fault: str | None = None
) -> Iterator[tuple[str, Evening]]:
    """Play at this many servers. Without workers, they play the other seats themselves."""
    folder, url = rounds.place()
    started: list[Serving] = []
    with ExitStack() as stack:
        for number in range(servers):
            own = Path(folder, str(number))
            own.mkdir()
            server = Serving(url, own, plays=not workers, fault=fault)
            started.append(server)
            stack.callback(server.close)
        for _ in range(workers):
            stack.enter_context(Cold(["--db", url, "worker"]))
        yield url, Evening(started, chance, faulty=fault is not None)


def survived(url: str, evening: Evening, kills: int, capsys: pytest.CaptureFixture[str]) -> None:
    asyncio.run(evening.play(kills))
    assert check_evening(url, evening) == []
    assert evening.kills == kills
    frames, connections = sum(len(seat.frames) for seat in evening.seats), sum(s.connections for s in evening.seats)
    assert connections > len(evening.seats), "no stream was cut"
    with capsys.disabled():
        print(
            f"\n{kills} kills in {len({seat.game for seat in evening.seats})} games: {evening.acknowledged} "
            f"acknowledged replies, {frames} frames over {connections} connections of {len(evening.seats)} seats"
        )


def test_two_servers_and_two_workers_on_postgresql_lose_nothing(
    postgres_rounds: Rounds, capsys: pytest.CaptureFixture[str]
) -> None:
    with served(postgres_rounds, 2, 2, random.Random(11)) as (url, evening):
        survived(url, evening, KILLS, capsys)


def test_one_server_on_sqlite_loses_nothing(rounds: Rounds, capsys: pytest.CaptureFixture[str]) -> None:
    with served(rounds, 1, 0, random.Random(12)) as (url, evening):
        survived(url, evening, SQLITE_KILLS, capsys)


@pytest.mark.parametrize("fault", FAR_FAULTS)
def test_a_planted_fault_is_caught(rounds: Rounds, fault: str) -> None:
    with served(rounds, 1, 0, random.Random(13), fault) as (url, evening):
        asyncio.run(evening.play(1))
        findings = check_evening(url, evening)
    assert any(re.search(FOUND[fault], found) for found in findings), findings
