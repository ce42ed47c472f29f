"""What house players of Mafia hold for likely: exactly what the deals that they can still think of come to."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import permutations
from typing import Any

import pytest
from table import Table as GameTable

from sottovoce.agents.agent import seat_random
from sottovoce.agents.house import HouseAgent
from sottovoce.domain.draws import Seed
from sottovoce.rulesets.mafia.house.acts import KINDS, Act, acts
from sottovoce.rulesets.mafia.house.belief import Belief
from sottovoce.rulesets.mafia.house.likelihoods import CELLS, Row, Table, counted, table
from sottovoce.rulesets.mafia.house.memory import remember
from sottovoce.rulesets.mafia.house.seat import sit
from sottovoce.rulesets.mafia.rules import events

COUNTS = {"Mafia": 2, "Detective": 1, "Doctor": 1, "Jester": 1, "Villager": 1}
NAMES = ("Ada", "Bram", "Cleo", "Dirk", "Edda", "Finn")
DONE = [
    Act("accuses", False, "Ada", "Bram", True),
    Act("accuses", False, "Bram", "Cleo", False),
    Act("seconds", False, "Cleo", "Ada", False),
    Act("claims", False, "Dirk", None, True),
    Act("damns", True, "Dirk", "Bram", True),
    Act("contradicts", True, "Edda", None, False),
    Act("executes", True, "Finn", "Ada", False),
    Act("votes", True, "Finn", "Bram", True),
]


def deals(counts: Mapping[str, int], names: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """Every way to deal the roles."""
    deck = [role for role, number in counts.items() for _ in range(number)]
    for deal in set(permutations(deck)):
        yield dict(zip(names, deal, strict=True))


def by_hand(done: list[Act], by: Table, known: Mapping[str, str], not_mafia: set[str]) -> dict[str, dict[str, float]]:
    """The posterior, by going through all deals one by one."""
    found = {name: dict.fromkeys(COUNTS, 0.0) for name in NAMES}
    total = 0.0
    for deal in deals(COUNTS, NAMES):
        if any(deal[name] != role for name, role in known.items()) or any(deal[n] == "Mafia" for n in not_mafia):
            continue
        likely = 1.0
        for act in done:
            row = by.rows[act.kind, act.after]
            target = "Mafia" if act.target and deal[act.target] == "Mafia" else "other"
            rate = row.rate(act.kind, (deal[act.actor], target))
            likely *= (rate if act.done else 1 - rate) ** row.weight
        total += likely
        for name, role in deal.items():
            found[name][role] += likely
    return {name: {role: value / total for role, value in roles.items()} for name, roles in found.items()}


@pytest.mark.parametrize(
    ("known", "not_mafia"),
    [
        ({}, set()),
        ({"Finn": "Villager"}, set()),
        ({"Finn": "Doctor", "Ada": "Mafia"}, {"Cleo"}),
        ({"Edda": "Jester"}, {"Dirk"}),
        ({"Dirk": "Detective", "Bram": "Mafia"}, set()),
    ],
)
def test_a_belief_is_the_posterior_over_all_deals(known: dict[str, str], not_mafia: set[str]) -> None:
    held = Belief(NAMES, COUNTS, DONE, table(), known, not_mafia)
    truth = by_hand(DONE, table(), known, not_mafia)
    for name in NAMES:
        assert held.mafia[name] == pytest.approx(truth[name]["Mafia"], abs=1e-9)
        assert held.detective[name] == pytest.approx(truth[name]["Detective"], abs=1e-9)
        assert held.doctor[name] == pytest.approx(truth[name]["Doctor"], abs=1e-9)
        assert held.jester[name] == pytest.approx(truth[name]["Jester"], abs=1e-9)


def test_what_an_act_moved_is_the_difference_that_it_makes() -> None:
    villagers = {"Mafia": 2, "Villager": 4}
    held = Belief(NAMES, villagers, DONE, table(), {"Finn": "Villager"})
    for act in DONE:
        without = Belief(NAMES, villagers, [one for one in DONE if one != act], table(), {"Finn": "Villager"})
        for name in NAMES[:5]:
            odds = [math.log(one.mafia[name] / (1 - one.mafia[name])) for one in (held, without)]
            assert held.moved(act, name) == pytest.approx(odds[0] - odds[1], abs=1e-5)


def test_a_large_table_is_weighed_one_by_one_with_the_number_of_mafia_kept() -> None:
    names = tuple(f"P{number}" for number in range(24))
    counts = {"Mafia": 7, "Detective": 1, "Doctor": 1, "Jester": 1, "Villager": 14}
    done = [Act("seconds", False, one, "P3", False) for one in names[4:9]]
    done += [Act("claims", False, "P9", None, True), Act("damns", True, "P9", "P2", True)]
    held = Belief(names, counts, done, table(), {"P0": "Villager"}, {"P1", "P9"})
    assert sum(held.mafia.values()) == pytest.approx(7, abs=1e-6)
    assert held.mafia["P0"] == held.mafia["P1"] == held.mafia["P9"] == 0.0
    assert held.mafia["P2"] == max(held.mafia.values())
    assert held.detective["P9"] == max(held.detective.values())
    assert sum(held.detective.values()) == pytest.approx(1, abs=1e-6)


def test_facts_that_contradict_each_other_leave_the_numbers() -> None:
    known = {"Ada": "Detective", "Bram": "Detective", "Cleo": "Doctor", "Dirk": "Jester", "Edda": "Mafia"}
    held = Belief(NAMES, COUNTS, [], table(), known, {"Finn"})
    assert held.mafia["Edda"] == 1.0


def test_the_table_reads_back_as_it_was_written_and_knows_every_kind() -> None:
    assert Table.parse(table().text()).text() == table().text()
    assert {kind for kind, _ in table().rows} == set(KINDS)
    assert all(0 <= done <= chances for row in table().rows.values() for done, chances in row.cells.values())


def test_a_count_takes_each_act_by_the_roles_of_both() -> None:
    roles = {"Ada": "Mafia", "Bram": "Mafia", "Cleo": "Villager"}
    done = [Act("seconds", False, "Ada", "Bram", True), Act("seconds", False, "Cleo", "Ada", False)]
    done += [Act("doctor", False, "Cleo", None, True)]
    rows = counted([(done, roles)], {}).rows
    assert rows["seconds", False].cells["Mafia", "Mafia"] == [1, 1]
    assert rows["seconds", False].cells["Villager", "Mafia"] == [0, 1]
    assert rows["doctor", False].cells["Villager", "other"] == [1, 1]
    assert rows["doctor", False].cells["Mafia", "other"] == [0, 2]
    assert set(Row().cells) == set(CELLS)


def test_own_acts_and_the_secrets_of_others_do_not_enter_a_belief() -> None:
    """The belief of a Villager is made of what the others did in public, and of nothing else."""
    for seed in range(4):
        played = GameTable(8, seed, {}, HouseAgent()).play(60)
        roles: dict[str, Any] = played.state.roles
        for seat in played.state.living:
            if roles[seat] != "Villager":
                continue
            mind = sit(played.view(seat), seat_random(Seed.of(seed), seat, 1))
            public = remember(r.event for r in played.recorded if r.audience.includes(seat))
            night = {player for player, (_, how) in public.fallen.items() if how == "night"}
            others = [act for act in acts(public) if act.actor != seat]
            known = {**public.revealed, seat: "Villager"}
            dealt = {str(role): number for role, number in (mind.options.role_counts or {}).items()}
            held = Belief(public.players, dealt, others, table(), known, night)
            assert mind.belief.mafia == held.mafia
            assert mind.belief.mafia[seat] == 0.0


def test_beliefs_are_nearer_to_the_truth_than_knowing_nothing() -> None:
    loss = nothing = 0.0
    for seed in range(30):
        played = GameTable(8, 500 + seed, {}, HouseAgent()).play()
        roles: dict[str, Any] = played.state.roles
        happened = [r.event for r in played.recorded]
        last = max(at for at, event in enumerate(happened) if isinstance(event, events.SecondingClosed))
        public = remember(happened[:last])
        done = acts(public)
        night = {player for player, (_, how) in public.fallen.items() if how == "night"}
        for seat in public.living:
            if roles[seat] != "Villager":
                continue
            others = [player for player in public.living if player != seat]
            mine = [act for act in done if act.actor != seat]
            counts = {role: list(roles.values()).count(role) for role in COUNTS}
            held = Belief(public.players, counts, mine, table(), {**public.revealed, seat: "Villager"}, night)
            base = sum(roles[player] == "Mafia" for player in others) / len(others)
            for player in others:
                likely = min(0.995, max(0.005, held.mafia[player]))
                guilty = roles[player] == "Mafia"
                loss -= math.log(likely if guilty else 1 - likely)
                nothing -= math.log(base if guilty else 1 - base)
    assert loss < 0.95 * nothing
