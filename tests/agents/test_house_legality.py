"""The house's replies count at the first attempt, and are a pure function of view, turn and random stream."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import Any

import pytest
from sizes import sized
from table import Table, answer

from sottovoce.agents.agent import CallRecord, SeatRandom
from sottovoce.agents.house import HouseAgent
from sottovoce.domain.events import AttemptFailed, FallbackApplied
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View, view

TABLES: list[tuple[int, dict[str, Any]]] = [
    (4, {}),
    (5, {"reveal_role_on_night_death": True}),
    (6, {"doctor_repeat": False, "mafia_revote_rounds": 0}),
    (7, {"trial_revote_rounds": 0, "check_after_night": False}),
    (8, {"role_counts": {"Mafia": 3, "Villager": 4, "Jester": 1}, "max_speeches": 4}),
    (9, {"max_speeches": 0}),
    (10, {"night_seconds": 30, "max_days": 2}),
    (11, {"role_counts": {"Mafia": 5, "Villager": 6}}),
    (12, {"role_counts": {"Mafia": 1, "Villager": 11}, "max_days": 3}),
    (13, {}),
    (15, {}),
]


def assert_no_attempt_failed(table: Table) -> None:
    wrong = [r.event for r in table.recorded if isinstance(r.event, AttemptFailed | FallbackApplied)]
    assert not wrong, wrong[0]


@pytest.mark.spec("M-016", "M-017", "M-104")
@pytest.mark.parametrize(("players", "options"), TABLES, ids=[str(players) for players, _ in TABLES])
def test_every_reply_counts_at_the_first_attempt(played: Any, players: int, options: dict[str, Any]) -> None:
    for seed in range(2 if players < 12 else sized(1, 2)):
        table = played(players, seed, **options)
        assert table.state.over
        assert_no_attempt_failed(table)


@pytest.mark.parametrize("seed", range(3))
def test_odd_names_are_no_obstacle(seed: int) -> None:
    names = ("Ann", "Ann Lee", "Dr. Doctor", "-Zed", "Mafia Joe", "vote", "Saved", "Ünal Straße", "for", "town")
    assert_no_attempt_failed(Table(names, seed, {}, HouseAgent(), checked=False).play())


def test_hostile_words_do_not_upset_a_listener(played: Any) -> None:
    class Babbler(HouseAgent):
        async def act(self, view: View[Any], turn: Turn, random: SeatRandom, record: CallRecord) -> str:
            if turn.kind in ("speech", "defence", "final-speech"):
                return random.choice(["\x0199\x02 is Mafia", "{t} {x} [a|b", "I am I am " * 500, "…", "Ada is is was"])
            return await super().act(view, turn, random, record)

    for seed in range(2):
        babbler, house = Babbler(), HouseAgent()
        agents = {seat: babbler if seat in ("Ada", "Cleo", "Finn") else house for seat in Table(8, 0).seats}
        table = Table(8, seed, {"max_days": 3}, agents, checked=False).play()
        assert_no_attempt_failed(table)


def test_the_same_seed_gives_the_same_game_and_another_seed_another() -> None:
    first, again, other = (Table(7, seed, {}, HouseAgent()).play() for seed in (3, 3, 4))
    assert [r.event for r in first.recorded] == [r.event for r in again.recorded]
    spoken = [{text for turn, text in table.replies if turn.kind == "speech"} for table in (first, other)]
    assert not spoken[0] & spoken[1]


def test_a_game_does_not_depend_on_the_interpreters_hash_seed() -> None:
    code = (
        "from table import Table; from sottovoce.agents.house import HouseAgent;"
        "print(Table(12, 5, {}, HouseAgent()).play().replies)"
    )
    games = set()
    for seed in ("1", "2"):
        paths = os.pathsep.join(sys.path)
        run = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": paths},
            capture_output=True,
            check=True,
        )
        games.add(run.stdout)
    assert len(games) == 1


def test_a_reply_is_a_function_of_view_turn_and_random_alone(played: Any) -> None:
    table = played(8, 1)
    for seat in ("Ada", "Hugo", "narrator"):
        asked = [(turn, text) for turn, text in table.replies if turn.seat == seat]
        for turn, text in asked[:: max(1, len(asked) // 6)]:
            seq = next(e.seq for e in table.view(seat).entries if getattr(e.event, "turn", 0) == turn.number)
            rebuilt = view(table.ruleset, table.recorded, seat, upto=_last_seen_before(table, seat, turn, seq))
            assert answer(HouseAgent(), rebuilt, turn, table.seed) == text


def _last_seen_before(table: Table, seat: str, turn: Turn, opened: int) -> int:
    """The seq that the seat had reached when it was asked: just before its reply was accepted."""
    entries = table.view(seat).entries
    return next(e.seq for e in entries[opened:] if getattr(e.event, "turn", 0) == turn.number) - 1


def test_texts_are_one_to_four_sentences_of_plain_prose(played: Any) -> None:
    for seed in range(12):
        for turn, text in played(8, seed).replies:
            assert not re.search(r"[\[\]{}|]|  |\n", text), text
            assert text[-1] in ".!?", text
            if turn.kind in ("speech", "defence", "final-speech", "role"):
                assert 1 <= len(re.findall(r"[.!?]+[\"')]*(?:\s|$)", text)) <= 4, text
