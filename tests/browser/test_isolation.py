"""A page gets nothing but its chair's view: in the DOM, in what it keeps, on the wire, and in its memory."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browser.canaries import planted
from browser.memory import found_in_memory
from browser.promises import broken_promises
from browser.sessions import People, launched
from browser.switchboard import Switchboard, setting
from browser.worlds import CASES, Worlds, case_of
from leaks.page import page_leaks
from playwright.sync_api import Browser, Playwright
from sizes import sized

from server.links import Kind
from sottovoce.isolation.wire.world import token

LEAKY = "mafia, a seat late in the game"
ALL_IN_MEMORY = [name for name in CASES if "late" not in name and "looked on" not in name] + ["mafia, looked on"]
ONE_OF_EACH = ["mafia, a seat that is asked", "tabletop, a character", "delegation, its user"]
COMPARED = sized([*ONE_OF_EACH, "mafia, looked on"], list(CASES))
IN_MEMORY = sized(ONE_OF_EACH, ALL_IN_MEMORY)
"""A page takes seconds for a case: an ordinary run looks at one of each ruleset, a nightly one at all."""


@pytest.fixture(scope="module")
def board() -> Iterator[Switchboard]:
    with Switchboard() as running:
        yield running


@pytest.mark.parametrize("name", COMPARED)
def test_two_worlds_that_a_chair_cannot_tell_apart_are_one_page(
    browser: Browser, board: Switchboard, name: str
) -> None:
    assert Worlds(browser, board).compared(case_of(name)) is None


@pytest.mark.parametrize("name", IN_MEMORY)
def test_nothing_hidden_lies_in_the_memory_of_a_page(playwright: Playwright, board: Switchboard, name: str) -> None:
    """The same words are there, by the same search, where an auditor looks."""
    case = case_of(name)
    log, canaries = planted(case.first, case.seat)
    assert canaries
    with board.serving(setting(case.game, case.ruleset, case.seat, log)):
        with launched(playwright) as browser, People(browser) as people:
            Worlds(browser, board).visit(people, case)
            assert {canaries[word] for word in found_in_memory(browser, canaries)} == set()
        with launched(playwright) as browser, People(browser) as people:
            Worlds(browser, board).open(people, case, Kind.AUDITOR)
            assert found_in_memory(browser, canaries)


@pytest.mark.parametrize("name", [LEAKY, "tabletop, a character", "delegation, its user"])
def test_a_page_keeps_and_sends_nothing_that_opens_a_chair(browser: Browser, board: Switchboard, name: str) -> None:
    case = case_of(name)
    with board.serving(setting(case.game, case.ruleset, case.seat, case.first)), People(browser) as people:
        page = Worlds(browser, board).visit(people, case)
        assert broken_promises(page, board.wire, token(Kind.SEAT, case.seat or "")) == []


@pytest.mark.parametrize("name", page_leaks())
def test_a_planted_leak_of_the_page_is_caught(browser: Browser, board: Switchboard, name: str) -> None:
    leak = page_leaks()[name]
    case = case_of(LEAKY)
    worlds = Worlds(browser, board, leak.patch, leak.prepare)
    if leak.shows.startswith(("keeps", "sends")):
        with board.serving(setting(case.game, case.ruleset, case.seat, case.first)), People(browser) as people:
            page = worlds.open(people, case)
            found = ", ".join(broken_promises(page, board.wire, token(Kind.SEAT, case.seat or "")))
    else:
        found = worlds.once(case, steps=()) or ""
    assert found, f"{name} survived"
    assert leak.shows in found
    print(f"{name}: {found}")


def test_enough_leaks_are_planted() -> None:
    assert len(page_leaks()) >= 15
