"""Every page can be used by whoever comes: axe finds nothing serious, in both themes and on a phone's width."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from browser.looks import settled
from browser.node import MODULES
from browser.sessions import People
from browser.switchboard import Switchboard, setting
from browser.walks import opened
from browser.worlds import case_of
from playwright.sync_api import Browser, Page
from sizes import NIGHTLY

from server.links import Kind
from sottovoce.isolation.wire.world import token

AXE = (MODULES / "axe-core" / "axe.min.js").read_text
SERIOUS = ("serious", "critical")
TABLES = {
    "mafia": "mafia, a seat late in the game",
    "tabletop": "tabletop, a character",
    "delegation": "delegation, its user",
}
"""A seat's page of each ruleset."""

LOOKS = (("light", 1280), ("dark", 1280), ("light", 360))


@pytest.fixture(scope="module")
def board() -> Iterator[Switchboard]:
    with Switchboard() as running:
        yield running


def faults(page: Page) -> list[str]:
    """What axe holds to be serious or worse."""
    settled(page)
    found: dict[str, Any] = page.evaluate(
        f"async () => {{ {AXE()}; return await axe.run(document, {{ resultTypes: ['violations'] }}); }}"
    )
    assert found["passes"], "axe has looked"
    return [
        f"{one['id']} ({one['help']}): {[node['target'] for node in one['nodes']][:3]}"
        for one in found["violations"]
        if one["impact"] in SERIOUS
    ]


@pytest.mark.parametrize("name", TABLES)
def test_every_page_is_open_to_whoever_comes(browser: Browser, board: Switchboard, name: str) -> None:
    """A seat's table and its record, an auditor's replay with every panel, the games and a new one, an ended link."""
    case = case_of(TABLES[name])
    told: dict[str, list[str]] = {}
    with board.serving(setting(case.game, case.ruleset, case.seat, case.first)):
        for scheme, width in LOOKS if name == "mafia" or NIGHTLY else LOOKS[1:]:
            with People(browser) as people:
                people.faults.expect("status of 401")
                page = people.context(
                    color_scheme=scheme, viewport={"width": width, "height": 800}, reduced_motion="reduce"
                ).new_page()

                def look(what: str, page: Page = page, way: str = f"{scheme}, {width}") -> None:
                    if found := faults(page):
                        told[f"{what}, {way}"] = found

                opened(page, board.address(case.game, Kind.SEAT, case.seat))
                look("table")
                page.get_by_role("button", name="Look back").click()
                look("record")
                if name == "mafia" and (width > 360 or NIGHTLY):
                    page = page.context.new_page()
                    opened(page, board.address(case.game, Kind.AUDITOR))
                    look("auditor", page)
                    for panel in ("Who saw what", "Highlights", "All that was told"):
                        page.get_by_role("button", name=panel, exact=True).click()
                        look(panel, page)
                    opened(page, f"{board.base}/#{token(Kind.HOST)}")
                    look("games", page)
                    page.get_by_role("button", name="New game").first.click()
                    look("new game", page)
                    opened(page, f"{board.base}/games/{case.game}#svs_{'x' * 43}")
                    look("ended link", page)
    assert told == {}


def test_axe_finds_what_is_wrong(browser: Browser, board: Switchboard) -> None:
    case = case_of(TABLES["mafia"])
    with board.serving(setting(case.game, case.ruleset, case.seat, case.first)), People(browser) as people:
        page = people.page()
        opened(page, board.address(case.game, Kind.SEAT, case.seat))
        page.evaluate("document.querySelector('main').append(document.createElement('button'))")
        assert any(fault.startswith("button-name") for fault in faults(page))
