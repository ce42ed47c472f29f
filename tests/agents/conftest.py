"""Games played by the house, each played once for all the tests that look at it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from table import Table

from sottovoce.agents.house import HouseAgent

Played = Callable[..., Table]


@pytest.fixture(scope="session")
def played() -> Played:
    """`played(players, seed, **options)`: a game that the house has played to the end in every seat."""
    games: dict[str, Table] = {}

    def play(players: int = 8, seed: int = 0, **options: Any) -> Table:
        key = json.dumps([players, seed, options], sort_keys=True)
        if key not in games:
            games[key] = Table(players, seed, options, HouseAgent()).play()
        return games[key]

    return play
