"""A file to share holds what its chair may see and nothing else: in its bytes, in the page it is, and in its memory."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from browser.canaries import planted
from browser.files import file_opened, kept, looks, panels
from browser.looks import difference
from browser.memory import found_in_memory
from browser.sessions import People, launched
from browser.worlds import CASES
from leaks.files import BYTES, file_leaks, looked_for_on_disk, spoilt
from playwright.sync_api import Playwright
from shared_file import SharedFile, apart
from sizes import sized

from sottovoce.domain.rulesets import RULESETS
from sottovoce.extras import craft_of
from sottovoce.isolation.cases import batch_of
from sottovoce.isolation.games import play
from sottovoce.isolation.system import System
from sottovoce.projections.bundle import Bundle

BATCHES = sized(1, 10)
ONE_OF_EACH = ["mafia, a seat late in the game", "tabletop, a character", "delegation, its user"]
LOOKED_AT = sized(ONE_OF_EACH, list(CASES))
OVER = 2
"""The seed of a game of the kit that comes to its end, whatever its rules."""
RULES = ("mafia", "tabletop", "delegation")
WHOLE = [(ruleset, number) for ruleset in RULES for number in range(sized(1, 4))]
A_CHAIRS = ["Who knows what", "Highlights", "Log"]


@pytest.mark.parametrize("batch", range(BATCHES))
@pytest.mark.parametrize("ruleset", RULES)
def test_two_worlds_that_a_chair_cannot_tell_apart_are_one_file(
    built_page: Bundle, tmp_path: Path, ruleset: str, batch: int
) -> None:
    """To the byte, though they are kept under ids that differ."""
    file = SharedFile(tmp_path, built_page)
    cases = batch_of(ruleset, 1, batch)
    assert len(cases) >= 8
    for case in cases:
        assert apart(*file.both(case)) is None, case.how


@pytest.mark.parametrize("name", LOOKED_AT)
def test_the_file_of_two_worlds_is_one_page_with_nothing_hidden_in_its_memory(
    playwright: Playwright, built_page: Bundle, tmp_path: Path, name: str
) -> None:
    """Whatever is opened in it. It keeps nothing, and asks nobody."""
    case = batch_of(CASES[name][0], 1, 0)[CASES[name][1]]
    (first, one), (second, other) = (planted(log, case.seat) for log in (case.first, case.second))
    canaries = {**one, **other}
    assert canaries
    file = SharedFile(tmp_path, built_page)
    seen = []
    with launched(playwright) as browser, People(browser) as people:
        for content in file.both(replace(case, first=first, second=second)):
            file.path.write_bytes(content)
            page = file_opened(people, file.path)
            assert [one for one in panels(page) if one != "Thoughts"] == A_CHAIRS
            assert page.get_by_role("navigation", name="View as").count() == 0
            seen.append(looks(page))
            assert kept(page) == {}
        for step, shown in seen[0].items():
            assert difference(shown, seen[1][step]) is None, step
        assert len({shown["dom"] for shown in seen[0].values()}) > 5, "there was something to walk through"
        assert {canaries[word] for word in found_in_memory(browser, canaries)} == set()


@pytest.mark.parametrize(("ruleset", "number"), WHOLE)
def test_what_is_hidden_lies_in_the_memory_of_the_file_of_everything(
    playwright: Playwright, built_page: Bundle, tmp_path: Path, ruleset: str, number: int
) -> None:
    """By the same search, once the game is over and anybody may have it; and by then not in a chair's file either."""
    game = play(System(RULESETS[ruleset]), craft_of(ruleset), OVER)
    seat = game.seats[number % len(game.seats)]
    log, canaries = planted(game.log, seat)
    file = SharedFile(tmp_path, built_page)
    own = file.written(log, "--as", seat)
    assert own == file.written(game.log, "--as", seat)
    assert not any(word.encode() in own for word in canaries)
    file.written(log)
    with launched(playwright) as browser, People(browser) as people:
        page = file_opened(people, file.path)
        assert set(A_CHAIRS) | {"Who saw what"} <= set(panels(page))
        assert "Prompts" not in panels(page), "what was handed to agents is in no file"
        assert found_in_memory(browser, canaries) == set(canaries) != set()


@pytest.mark.parametrize("name", [name for name, leak in file_leaks().items() if leak.shows == BYTES])
def test_a_planted_leak_in_what_is_written_is_caught(tmp_path: Path, name: str) -> None:
    pairs, finding = looked_for_on_disk(name, tmp_path)
    assert finding is not None, f"{name} survived {pairs} pairs"
    print(f"{name}: found after {pairs} pairs; {finding}")


@pytest.mark.parametrize("name", [name for name, leak in file_leaks().items() if leak.shows != BYTES])
def test_a_planted_leak_in_what_a_file_does_is_caught(
    people: People, built_page: Bundle, tmp_path: Path, name: str
) -> None:
    leak = file_leaks()[name]
    ruleset, number = CASES[ONE_OF_EACH[0]]
    file = SharedFile(tmp_path, spoilt(built_page, leak.script))
    file.both(batch_of(ruleset, 1, 0)[number])
    people.faults.expect(leak.shows)
    people.faults.expect("Refused to|violates|Failed to|asked.*: https")
    page = file_opened(people, file.path)
    found = [*kept(page), *people.faults.found]
    assert any(leak.shows in one for one in found), f"{name} survived"
    print(f"{name}: {found}")


def test_enough_leaks_are_planted() -> None:
    assert len(file_leaks()) >= 15
