"""`play` and `run` are killed by SIGKILL at random moments, then resumed.

A killed process loses its memory, so this finds acknowledgements that came too early, transactions cut in two, and
leases or turns left behind. But the operating system survives and keeps every written page, so this can't tell
`synchronous=FULL` from a weaker setting; opening a log refuses a weaker one, which is tested there. For kills of a
PostgreSQL server itself, see `tests/eventlog/test_postgres_server.py`.
"""

import random
from typing import Any

import pytest
from durability.rounds import SESSIONS, SETUPS, Rounds, tallied
from sizes import sized

KILLS = sized(10, 200)
POSTGRES_KILLS = sized(4, 100)
SESSION_KILLS = sized(5, 100)
SEED = sized(1, 2)


@pytest.mark.parametrize(("backend", "least"), [("rounds", KILLS), ("postgres_rounds", POSTGRES_KILLS)])
def test_killed_games_are_resumed_and_end_as_if_nothing_had_happened(
    request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str], backend: str, least: int
) -> None:
    rounds, chance = request.getfixturevalue(backend), random.Random(SEED)
    # A cold start takes seconds, so most rounds are forked from one process that has imported everything.
    games = [setup for setup in SETUPS if setup not in SESSIONS]
    order = ["run, two jobs", *[setup for setup in games if setup != "run, two jobs"] * 4]
    played = _killed(rounds, chance, order, least)
    with capsys.disabled():
        print(f"\n{tallied(played)}")


def test_killed_sessions_are_resumed_and_end(rounds: Rounds, capsys: pytest.CaptureFixture[str]) -> None:
    played = _killed(rounds, random.Random(SEED), list(SESSIONS), SESSION_KILLS)
    with capsys.disabled():
        print(f"\n{tallied(played)}")


def _killed(rounds: Rounds, chance: Any, order: Any, least: int) -> Any:
    """Play rounds of these setups until there were this many kills."""
    played: list[Any] = []
    while sum(len(done.kills) for done in played) < least:
        number = len(played)
        done = rounds.play(order[number % len(order)], chance, cold=number % 10 == 5)
        assert not done.findings, (SEED, number, done)
        played.append(done)
        assert number < 3 * least, tallied(played)
    return played
