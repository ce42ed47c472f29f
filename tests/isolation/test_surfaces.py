"""Through no command and no screen does a seat notice what it may not see."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from itertools import islice
from pathlib import Path

import pytest
from isolation import crafts
from isolation.leaks_of_screens import screen_leaks
from isolation.observe import Finding
from isolation.surfaces import SURFACES, Case, Shelves, cases, fitting
from isolation.system import System
from postgres import Databases, NoPostgres, databases
from sizes import sized

from domain.rulesets import RULESETS

PAIRS = sized(300, 5_000)
SHARE = PAIRS // len(RULESETS)
PARTS = sized(1, 10)
FEWEST = 150
"""Pairs in one part: with fewer, not every command would have its turn."""
ON_A_SERVER = sized(40, 1_000)
AT_ONCE = 12
"""Cases that share a pair of databases."""


def compared(
    ruleset: str, seed: int, folder: Path, server: Databases | None = None
) -> Iterator[tuple[str, Case, Finding | None]]:
    """Surface after surface and case after case, without end; on that server, or on files."""
    system = System(RULESETS[ruleset])
    found = cases(system, crafts()[ruleset], seed)
    batch = 0
    while True:
        batch += 1
        here = folder / str(batch)
        here.mkdir()
        filled = list(islice(found, AT_ONCE))
        with ExitStack() as stack:
            logs = [stack.enter_context(server.log()) for _ in range(2)] if server else ()
            shelves = Shelves(here, filled, system, logs)
            for case in filled:
                for surface in fitting(case):
                    yield surface.name, case, shelves.compare(surface, case)


@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("ruleset", sorted(RULESETS))
def test_no_command_shows_a_difference(ruleset: str, part: int, tmp_path: Path) -> None:
    names = set()
    for name, case, finding in islice(compared(ruleset, part, tmp_path), max(FEWEST, -(-SHARE // PARTS))):
        names.add(name)
        assert finding is None, f"{finding}\n  repeat: compared({ruleset!r}, {part}, folder), game {case.game}"
    assert names == {surface.name for surface in SURFACES}


@pytest.mark.parametrize("ruleset", sorted(RULESETS))
def test_no_command_shows_a_difference_on_postgresql(ruleset: str, tmp_path: Path) -> None:
    try:
        with databases() as server, closing(compared(ruleset, 77, tmp_path, server)) as pairs:
            for _, case, finding in islice(pairs, ON_A_SERVER):
                assert finding is None, f"{finding}\n  game {case.game}"
    except NoPostgres as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize("name", sorted(screen_leaks()))
def test_a_planted_leak_on_a_screen_is_found(name: str, tmp_path: Path) -> None:
    with screen_leaks()[name]():
        for number, (_, _, finding) in enumerate(islice(compared("mafia", 0, tmp_path), PAIRS), 1):
            if finding is not None:
                print(f"{name}: found after {number} pairs; {finding}")
                return
    pytest.fail(f"{name} survived {PAIRS} pairs")
