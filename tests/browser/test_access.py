"""Every page can be used by whoever comes: axe finds nothing serious; all can be seen, hit, and reached by keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from browser.geometry import ill_placed
from browser.hands import ill_reached
from browser.looks import settled
from browser.node import MODULES
from browser.sessions import People
from browser.switchboard import Switchboard, setting
from browser.walks import opened
from browser.worlds import Chosen, case_of
from playwright.sync_api import Browser, Page
from sizes import NIGHTLY

from sottovoce.isolation.wire.world import token
from sottovoce.server.links import LinkKind

AXE = (MODULES / "axe-core" / "axe.min.js").read_text
SERIOUS = ("serious", "critical")
TABLES = {
    "mafia": "mafia, a seat late in the game",
    "tabletop": "tabletop, a character",
    "delegation": "delegation, its user",
}
"""A seat's page of each ruleset."""

SIZES = ((360, 740), (768, 1024), (1280, 800), (2560, 1300))
LOOKS = (("light", 360), ("dark", 1280), ("light", 1280))[: None if NIGHTLY else 2]
"""What axe looks at; where things lie is looked at in both lights and at every size."""


@pytest.fixture(scope="module")
def board() -> Iterator[Switchboard]:
    with Switchboard() as running:
        yield running


def faults(page: Page) -> list[str]:
    """What axe holds to be serious or worse."""
    found: dict[str, Any] = page.evaluate(
        f"async () => {{ {AXE()}; return await axe.run(document, {{ resultTypes: ['violations'] }}); }}"
    )
    assert found["passes"], "axe has looked"
    return [
        f"{one['id']} ({one['help']}): {[node['target'] for node in one['nodes']][:3]}"
        for one in found["violations"]
        if one["impact"] in SERIOUS
    ]


def pages(people: People, board: Switchboard, case: Chosen, *, all_of_them: bool) -> Iterator[tuple[str, Page]]:
    """A seat's table and its record; an auditor's replay with every panel, the keeper's, the games and a new one, an
    ended link."""
    page = people.context(reduced_motion="reduce").new_page()
    opened(page, board.address(case.game, LinkKind.SEAT, case.seat))
    yield "table", page
    page.get_by_role("button", name="Replay", exact=True).click()
    yield "record", page
    if not all_of_them:
        return
    opened(page, board.address(case.game, LinkKind.AUDITOR))
    yield "auditor", page
    page.keyboard.press("v")
    yield "votes", page
    for panel in ("Who saw what", "Log", "Highlights"):
        page.get_by_role("tab", name=panel, exact=True).click()
        yield panel, page
    for key, what in (("s", "a second chair"), ("?", "keys")):
        page.keyboard.press(key)
        yield what, page
    opened(page, board.address(case.game, LinkKind.KEEPER))
    page.get_by_role("button", name="Manage").click()
    page.get_by_role("heading", name="Links").wait_for()
    yield "keeper", page
    opened(page, f"{board.base}/#{token(LinkKind.HOST)}")
    yield "first screen", page
    page.get_by_role("button", name="All games").click()
    yield "games", page
    page.get_by_role("button", name="New game").first.click()
    for fold in page.locator("form summary").all():
        fold.click()
    yield "new game", page
    opened(page, f"{board.base}/games/{case.game}#svs_{'x' * 43}")
    yield "ended link", page


def walked(what: str) -> Sequence[tuple[int, int]]:
    """At which sizes a page is gone through by keys; in an ordinary run a seat's own alone, at a phone's size.

    Of the record only the rows in sight are there: test_keys.py goes through it.
    """
    if what == "Log":
        return ()
    return SIZES if NIGHTLY else SIZES[:1] if what in ("table", "record") else ()


@pytest.mark.parametrize("name", TABLES)
def test_every_page_is_open_to_whoever_comes(browser: Browser, board: Switchboard, name: str) -> None:
    case = case_of(TABLES[name])
    told: dict[str, list[str]] = {}
    with board.serving(setting(case.game, case.ruleset, case.seat, case.first)), People(browser) as people:
        people.faults.expect("status of 401")
        for what, page in pages(people, board, case, all_of_them=name == "mafia" or NIGHTLY):
            settled(page)
            for width, height in SIZES:
                page.set_viewport_size({"width": width, "height": height})
                for scheme in ("light", "dark"):
                    page.emulate_media(color_scheme=scheme)
                    found = ill_placed(page)
                    if (scheme, width) in LOOKS:
                        found += faults(page)
                    if found:
                        told[f"{what}, {scheme}, {width}"] = found
            for width, height in walked(what):
                page.set_viewport_size({"width": width, "height": height})
                settled(page)
                if found := ill_reached(page):
                    told[f"{what}, by keys, {width}"] = found
    assert told == {}, told


def test_axe_finds_what_is_wrong(browser: Browser, board: Switchboard) -> None:
    case = case_of(TABLES["mafia"])
    with board.serving(setting(case.game, case.ruleset, case.seat, case.first)), People(browser) as people:
        page = people.page()
        opened(page, board.address(case.game, LinkKind.SEAT, case.seat))
        settled(page)
        page.evaluate("document.querySelector('main').append(document.createElement('button'))")
        assert any(fault.startswith("button-name") for fault in faults(page))


WRONG = {
    "seats on one another": "const [one, other] = document.querySelectorAll('.ring li');"
    " one.style.transform = other.style.transform",
    "too small": "document.querySelector('header .light').style.cssText = 'min-height: 0; height: 12px'",
    "on one another": "document.querySelector('header .light').style.cssText = 'margin-inline-start: -38px'",
    "beside the page": "document.querySelector('header .light').style.cssText = 'position: absolute; left: -20px'",
    "covered": "const veil = document.createElement('i'); document.querySelector('header').append(veil);"
    " veil.style.cssText = 'position: absolute; inset: 0; height: 60px'",
    "cut off": "const word = document.querySelector('header h1');"
    " word.style.cssText = 'width: 10px; overflow: hidden; white-space: nowrap'",
    "the page is": "document.querySelector('main').style.width = '3000px'",
}
"""A fault of each kind, by how it begins."""


def test_what_is_ill_placed_is_found(browser: Browser, board: Switchboard) -> None:
    case = case_of(TABLES["mafia"])
    with board.serving(setting(case.game, case.ruleset, case.seat, case.first)), People(browser) as people:
        page = people.context(reduced_motion="reduce").new_page()
        opened(page, board.address(case.game, LinkKind.SEAT, case.seat))
        assert ill_placed(page) == []
        for fault, deed in WRONG.items():
            page.evaluate(f"() => {{ {deed} }}")
            assert any(one.startswith(fault) for one in ill_placed(page)), fault


def test_what_keys_do_not_reach_is_found(browser: Browser, board: Switchboard) -> None:
    case = case_of(TABLES["mafia"])
    with board.serving(setting(case.game, case.ruleset, case.seat, case.first)), People(browser) as people:
        page = people.context(reduced_motion="reduce").new_page()
        opened(page, board.address(case.game, LinkKind.SEAT, case.seat))
        assert ill_reached(page) == []
        page.evaluate("document.querySelector('header .light').style.outline = 'none'")
        assert [fault for fault in ill_reached(page) if fault.startswith("no frame: button «Theme")]
        page.evaluate("document.querySelector('main').setAttribute('inert', '')")
        assert [fault for fault in ill_reached(page) if fault.startswith("never reached: <textarea")]
        page.evaluate("addEventListener('keydown', (event) => event.key === 'Tab' && event.preventDefault())")
        assert [fault for fault in ill_reached(page) if fault.startswith('never reached: <button class="plain')]
