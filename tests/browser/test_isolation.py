"""A page gets nothing but its chair's view: in the DOM, in what it keeps, on the wire, and in its memory."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browser.canaries import planted
from browser.looks import settled
from browser.memory import found_in_memory
from browser.promises import FOR_AUDITORS, broken_promises, overreach
from browser.sessions import People, launched
from browser.switchboard import Switchboard, setting
from browser.walks import look_back, pressed
from browser.worlds import CASES, Worlds, case_of
from leaks.page import page_leaks
from playwright.sync_api import Browser, Playwright
from sizes import sized

from sottovoce.isolation.wire.world import token
from sottovoce.projections.perspective import seats_of
from sottovoce.server.links import LinkKind

LEAKY = "mafia, a seat whose worlds end differently"
ALL_IN_MEMORY = [name for name in CASES if "late" not in name and "looked on" not in name] + ["mafia, looked on"]
ONE_OF_EACH = ["mafia, a seat that is asked", "tabletop, a character", "delegation, its user"]
COMPARED = sized(ONE_OF_EACH, list(CASES))
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
            Worlds(browser, board).open(people, case, LinkKind.AUDITOR)
            assert found_in_memory(browser, canaries)


@pytest.mark.parametrize("name", [LEAKY, "tabletop, a character", "delegation, its user"])
def test_a_page_keeps_and_sends_nothing_that_opens_a_chair(browser: Browser, board: Switchboard, name: str) -> None:
    case = case_of(name)
    with board.serving(setting(case.game, case.ruleset, case.seat, case.first)), People(browser) as people:
        page = Worlds(browser, board).visit(people, case)
        assert broken_promises(page, board.wire, token(LinkKind.SEAT, case.seat or "")) == []


LOOKED_INTO = sized(
    [
        ("mafia, a seat late in the game", LinkKind.SEAT),
        ("tabletop, a character", LinkKind.SEAT),
        ("delegation, looked on", LinkKind.SPECTATOR),
        ("mafia, looked on", LinkKind.KEEPER),
    ],
    [
        (name, kind)
        for name in CASES
        if "looked" not in name
        for kind in (LinkKind.SEAT, LinkKind.SPECTATOR, LinkKind.KEEPER)
    ],
)


@pytest.mark.parametrize(("name", "kind"), LOOKED_INTO)
def test_no_button_and_no_address_leads_to_what_only_an_auditor_may_see(
    browser: Browser, board: Switchboard, name: str, kind: LinkKind
) -> None:
    case = case_of(name)
    with board.serving(setting(case.game, case.ruleset, case.seat, case.first)), People(browser) as people:
        page = Worlds(browser, board).open(people, case, None if kind is LinkKind.SEAT else kind)
        assert {"Who knows what", "Highlights", "Log"} <= set(pressed(page))
        look_back(page)
        before = len(board.wire)
        for place in ("as=*", f"at=3&as={seats_of(case.first)[-1]}", "as=", "as=*&as="):
            page.evaluate("(place) => { location.hash = place; }", place)
            settled(page, 20)
        assert list(overreach(page, board.wire, kind)) == []
        assert not [one.asked for one in board.wire[before:] if "/replay" in one.asked]


def test_an_auditor_s_page_leads_there(browser: Browser, board: Switchboard) -> None:
    """By the same search."""
    case = case_of(LEAKY)
    with board.serving(setting(case.game, case.ruleset, case.seat, case.first)), People(browser) as people:
        page = Worlds(browser, board).open(people, case, LinkKind.AUDITOR)
        assert set(FOR_AUDITORS) <= set(pressed(page))
        assert list(overreach(page, board.wire, LinkKind.AUDITOR)) == []
        told = " ".join(overreach(page, board.wire, LinkKind.SPECTATOR))
        assert all(name in told for name in (*FOR_AUDITORS, "/receipts", "/replay?as="))


@pytest.mark.parametrize("name", page_leaks())
def test_a_planted_leak_of_the_page_is_caught(browser: Browser, board: Switchboard, name: str) -> None:
    leak = page_leaks()[name]
    case = case_of(LEAKY)
    worlds = Worlds(browser, board, leak.patch, leak.prepare)
    if leak.shows.startswith(("keeps", "sends", "asks", "offers")):
        world = setting(case.game, case.ruleset, case.seat, case.first)
        with leak.patch(), board.serving(world), People(browser) as people:
            people.faults.expect("status of 40[03]")
            page = worlds.open(people, case)
            if leak.shows == "offers":
                look_back(page)
            found = ", ".join(broken_promises(page, board.wire, token(LinkKind.SEAT, case.seat or "")))
    else:
        found = worlds.once(case, steps=()) or ""
    assert found, f"{name} survived"
    assert leak.shows in found
    print(f"{name}: {found}")


def test_enough_leaks_are_planted() -> None:
    assert len(page_leaks()) >= 15
