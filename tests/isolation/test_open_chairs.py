"""After the end, a seat sees of other chairs only what the opening said; the host's link gets no other seat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from typing import Any

import pytest
from leaks.open_chairs import open_leaks
from remote import RemoteServer, log_in
from sizes import sized
from working import until

from sottovoce.domain.rulesets import RULESETS
from sottovoce.isolation.wire import compared
from sottovoce.isolation.wire.opened import opened_pairs

PAIRS = sized(250, 10_000)
MOST = 4_000
NAMES = ["Ada", "Bram", "Cleo", "Dirk", "Edda"]
QUICK = {"turn_seconds": 0.05, "max_attempts": 1, "max_days": 1, "max_speeches": 1}


@pytest.mark.spec("G-003", "G-004")
@pytest.mark.parametrize("ruleset", sorted(RULESETS))
def test_what_no_open_chair_saw_changes_no_look(ruleset: str) -> None:
    asked = Counter[str]()
    for pair in islice(opened_pairs(ruleset, 1), PAIRS):
        asked[pair.name] += 1
        assert pair.finding is None, f"{pair.finding}\n  repeat: opened_pairs({ruleset!r}, 1)"
    assert asked["open replay"] > PAIRS // 3
    assert asked.keys() >= {"open transcript", "open status", "open link", "closed replay"}


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemoteServer]:
    with RemoteServer(log_in(tmp_path_factory.mktemp("far"))) as server:
        yield server


def trespasses(remote: RemoteServer) -> list[str]:
    """Seats that a host's link, or a link made after the end, got into unseen."""
    one = remote.open(names=NAMES, own="Ada", agents={"Bram": "outside"}, options=QUICK)
    answer = remote.ask("POST", f"/v1/games/{one.game}/links", remote.host, {"kind": "seat", "seat": "Bram"})
    found = [] if answer.status_code == 422 else ["the host has Bram's seat"]
    until(lambda: remote.get(f"/v1/games/{one.game}", one.keeper)["status"] == "over")
    late = remote.issue(one.game, one.keeper, "seat", "Bram")
    answer = remote.ask("POST", f"/v1/games/{one.game}/again", late)
    return found if answer.status_code == 422 else [*found, "the keeper has Bram's seat in the next game"]


@pytest.mark.spec("G-006", "G-009")
def test_nobody_gets_into_a_seat_unseen(remote: RemoteServer) -> None:
    assert trespasses(remote) == []


@pytest.mark.parametrize("name", open_leaks())
def test_a_planted_leak_is_found(name: str, request: pytest.FixtureRequest) -> None:
    leak: Any = open_leaks()[name]
    if leak.found_by == "seats":
        with leak.patch():
            assert trespasses(request.getfixturevalue("remote"))
        return
    search = opened_pairs if leak.found_by == "looks" else compared
    with closing(search(leak.ruleset, 1, leak.patch)) as pairs:
        found = next((pair.finding for pair in islice(pairs, MOST) if pair.finding is not None), None)
    assert found is not None, f"{name} survived"
    assert not found.what.startswith("crashed"), found
    print(f"{name}: {found}")


def test_enough_leaks_are_planted() -> None:
    assert len(open_leaks()) >= 5
