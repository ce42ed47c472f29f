"""Differences on the same deals: which test fits depends on the design, not on how the games happened to end."""

from __future__ import annotations

from typing import Any

import pytest

from sottovoce.experiments.counting import differences
from sottovoce.experiments.designs import Experiment
from sottovoce.experiments.file import ExperimentFile
from sottovoce.experiments.outcomes import Calls, GameRecord, SeatRecord

FILE: dict[str, Any] = {
    "name": "trial",
    "ruleset": "mafia",
    "agents": {"house": "house", "random": "random"},
    "seed": 1,
    "stop": {"games": 20},
}


def seat(label: str, won: bool) -> SeatRecord:
    return SeatRecord(label, label, label, "Villager", "town", won, 1, 0, 0, 0, {}, Calls(), {})


def game(number: int, deal: int, *seats: SeatRecord) -> GameRecord:
    return GameRecord(number, deal, "x", str(number), "over", "town", 1, 1, seats)


@pytest.mark.parametrize(("games", "method"), [(1, "exact McNemar, Newcombe"), (2, "bootstrap over deals")])
def test_mcnemars_test_is_for_one_game_each_on_a_deal(games: int, method: str) -> None:
    """With two games each, their mean can be 0 or 1 in every deal by chance."""
    records: list[GameRecord] = []
    for deal in range(6):
        for _ in range(games):
            records.append(game(len(records), deal, seat("house", won=deal != 0)))
            records.append(game(len(records), deal, seat("random", won=deal == 1)))
    found = {one.where: one for one in differences(Experiment(ExperimentFile.model_validate(FILE)), records)}
    assert {one.method for one in found.values() if one.where != "all sides"} == {method}
    assert (found["town"].p is None) == (games > 1)
    assert found["town"].estimate.value == pytest.approx(4 / 6)
