"""The pictures of the page in `docs/pictures/`, made anew by `make pictures`. The games are seeded."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from browser.looks import settled
from browser.sessions import People, launched
from built import build_page
from commands import ROOT
from far import CAMPAIGN, Far, Opened, log_in, places_in
from playwright.sync_api import Page, sync_playwright

FOLDER = ROOT / "docs" / "pictures"
NAMES = ["Ada", "Bram", "Cleo", "Dirk", "Edda", "Finn", "Gus", "Hedy"]
WIDE, PHONE, VAST = (1440, 900), (360, 740), (2560, 1300)


class Shot(NamedTuple):
    """A picture: its name, the page's address, its size, and what is done before it is taken."""

    name: str
    address: str
    size: tuple[int, int] = WIDE
    schemes: tuple[str, ...] = ("light", "dark")
    click: tuple[str, ...] = ()


@contextmanager
def served() -> Iterator[Far]:
    """A server with a campaign and a folder of tasks."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with Far(log_in(folder), places_in(folder)) as far:
            yield far


def played(far: Far, **wanted: Any) -> Opened:
    """A game that the house has played to its end."""
    one = far.open(**wanted)
    while far.get(f"/v1/games/{one.game}", one.keeper)["status"] != "over":
        time.sleep(0.1)
    return one


def shots(far: Far) -> Iterator[Shot]:
    """Every picture."""

    def at(one: Opened, token: str) -> str:
        return f"{far.base}/games/{one.game}#{token}"

    mafia = played(far, names=NAMES, agent="house", seed="9")
    auditor = at(mafia, far.issue(mafia.game, mafia.keeper, "auditor"))
    yield Shot("replay-two-chairs", auditor, (1440, 1180), click=("chairs",))
    yield Shot("replay-two-chairs-360", auditor, PHONE, ("light",), click=("chairs",))
    yield Shot("replay-two-chairs-2560", auditor, VAST, ("light",), click=("chairs",))
    yield Shot("replay", auditor, click=("middle",))
    yield Shot("new-game", f"{far.base}/#{far.host}", click=("new",))
    yield Shot("new-game-360", f"{far.base}/#{far.host}", PHONE, ("light",), click=("new",))
    table = far.open(names=NAMES, agents={"Ada": "outside"}, agent="house", seed="9")
    yield Shot("table", at(table, table.seats["Ada"]), click=("asked",))
    yield Shot("table-360", at(table, table.seats["Ada"]), PHONE, ("light", "dark"), click=("asked",))
    evening = far.open(
        ruleset="tabletop", campaign=CAMPAIGN, character="pim-tallow", agents={"human": "outside"}, seed="3"
    )
    yield Shot("evening", at(evening, evening.seats["human"]), click=("asked",))
    work = far.open(ruleset="delegation", folder="paper", agents={"user": "outside"}, seed="3")
    yield Shot("work", at(work, work.seats["user"]), click=("asked",))
    played(far, names=["Ines", "Jan", "Kira", "Lev", "Mila", "Nils", "Olga"], agent="house", seed="11")
    played(far, ruleset="delegation", folder="paper", agent="house", seed="5")
    far.open(names=["Pia", "Quin", "Rosa", "Sven", "Thea", "Ugo"], agents={"Rosa": "outside"}, agent="house", seed="4")
    yield Shot("games", f"{far.base}/#{far.host}")
    yield Shot("ended-link", f"{far.base}/games/{mafia.game}#svs_{'x' * 43}", (1024, 640), ("light",))


def prepared(page: Page, what: str) -> None:
    """Bring the page to what the picture shows."""
    match what:
        case "chairs":
            # The same evening from two chairs, where it has come to words.
            page.evaluate("location.hash = '#at=230&as=Finn&as=Ada'")
        case "middle":
            page.evaluate("location.hash = '#at=160'")
        case "new":
            page.get_by_role("button", name="New game").first.click()
        case "asked":
            page.locator(".answer.asked").wait_for()
            page.reload()  # who comes to a table is told at once what was
            page.locator(".answer.asked").wait_for()


def main() -> None:
    """Write them all."""
    build_page()
    FOLDER.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright, served() as far, launched(playwright) as browser:
        for shot in shots(far):
            for scheme in shot.schemes:
                with People(browser) as people:
                    people.faults.expect("status of 401")
                    width, height = shot.size
                    page = people.context(
                        viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
                    ).new_page()
                    page.goto(shot.address)
                    page.locator("main").first.wait_for()
                    for what in shot.click:
                        settled(page)
                        prepared(page, what)
                    settled(page, 800)
                    name = shot.name if shot.schemes == ("light",) else f"{shot.name}-{scheme}"
                    page.screenshot(path=FOLDER / f"{name}.png", animations="disabled", caret="hide")
                    print(f"{name}.png")


if __name__ == "__main__":
    main()
