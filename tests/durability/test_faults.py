"""Tests of the harness itself: every planted fault is caught, and nothing is found without one."""

import random
from itertools import cycle
from typing import Any

import pytest
from durability.faults import BY_KILLS, FAULTS
from durability.processes import Zygote
from durability.rounds import Rounds
from durability.stale import stale_worker
from sizes import sized

KILLS = sized(20, 200)


@pytest.mark.parametrize("fault", BY_KILLS)
def test_a_planted_fault_is_caught_within_the_kills_of_one_run(rounds: Rounds, fault: Any) -> None:
    chance, kills = random.Random(7), 0
    setups = cycle(("play", "run"))
    while kills < KILLS:
        done = rounds.play(next(setups), chance, fault=fault)
        kills += len(done.kills)
        if done.findings:
            print(f"{fault}: {done.findings[:2]} after {kills} kills")
            return
    raise AssertionError(f"{fault} was not caught by {kills} kills")


@pytest.mark.parametrize("answered", [False, True], ids=["while the other asks", "after the other answered"])
def test_a_worker_that_lost_its_lease_is_not_heard(
    rounds: Rounds, workers: tuple[Zygote, Zygote], answered: bool
) -> None:
    assert stale_worker(*rounds.place(), workers, answered=answered) == []


@pytest.mark.parametrize(
    ("fault", "answered", "finding"),
    [
        ("complete_without_the_lease_check", False, "had lost its lease"),
        ("answer_a_closed_turn", True, "was closed 2 times"),
    ],
)
def test_a_planted_fault_of_two_workers_is_caught(
    rounds: Rounds, workers: tuple[Zygote, Zygote], fault: Any, answered: bool, finding: str
) -> None:
    findings = stale_worker(*rounds.place(), workers, answered=answered, fault=fault)
    assert any(finding in found for found in findings), findings


def test_every_fault_is_planted_somewhere() -> None:
    assert set(FAULTS) == {*BY_KILLS, "complete_without_the_lease_check", "answer_a_closed_turn"}
