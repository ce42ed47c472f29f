"""Processes that create, claim and revoke links are killed by SIGKILL: table and receipts have all they
acknowledged."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from durability.links import Changing, check_links
from durability.rounds import UNDER_TEST, Rounds
from playing import opened
from sizes import sized

from sottovoce.eventlog import EventLog, open_log
from sottovoce.server.games import Games

ROUNDS = sized(2, 20)
SEATS = ("Ada", "Bram")


@contextmanager
def a_game(url: str) -> Iterator[tuple[EventLog, str]]:
    log = open_log(url)
    games = Games(log)
    try:
        yield log, asyncio.run(opened(games)).id
    finally:
        games.close()
        log.close()


@pytest.mark.parametrize("backend", ["rounds", "postgres_rounds"])
def test_links_whose_processes_were_killed_are_as_they_were_acknowledged(
    request: pytest.FixtureRequest, backend: str
) -> None:
    rounds: Rounds = request.getfixturevalue(backend)
    chance, (_, url) = random.Random(5), rounds.place()
    acknowledged: list[dict[str, str]] = []
    with a_game(url.replace(UNDER_TEST, "looking")) as (log, game):
        for number in range(1, ROUNDS + 1):
            changing = [Changing(url, game, seat) for seat in SEATS]
            try:
                for one in changing:
                    one.read(chance.randint(7, 20))
            finally:
                for one in changing:
                    one.kill()
                    acknowledged += one.acknowledged
            rounds.settle(url)
            assert check_links(log, game, acknowledged, number * len(SEATS)) == []
    assert {told["what"] for told in acknowledged} == {"issued", "claimed", "ended"}


def test_an_end_that_is_acknowledged_before_it_is_stored_is_caught(rounds: Rounds) -> None:
    _, url = rounds.place()
    with a_game(url) as (log, game):
        one = Changing(url, game, SEATS[0], faulty=True)
        try:
            one.read(7)
        finally:
            one.kill()
        assert one.acknowledged[-1]["what"] == "ended"
        findings = check_links(log, game, one.acknowledged, 1)
    assert len(findings) == 1
    assert findings[0].endswith("is not so")
