"""The pictures of the page in `docs/pictures/`. `make pictures` takes them, from seeded games.

With the URL of a database that `make play-llm` left, and a position, only that of a model's thoughts is taken.
"""

from __future__ import annotations

import asyncio
import sys
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
from playwright.sync_api import Page, sync_playwright
from remote import CAMPAIGN, Opened, RemoteServer, log_in, places_in

from sottovoce.eventlog import open_log
from sottovoce.server.games import Games
from sottovoce.server.links import LinkKind, Links

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
def served() -> Iterator[RemoteServer]:
    """A server with a campaign and a folder of tasks."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with RemoteServer(log_in(folder), places_in(folder)) as remote:
            yield remote


def played(remote: RemoteServer, **wanted: Any) -> Opened:
    """A game that bots have played to its end."""
    one = remote.open(**wanted)
    while remote.get(f"/v1/games/{one.game}", one.keeper)["status"] != "over":
        time.sleep(0.1)
    return one


def shots(remote: RemoteServer) -> Iterator[Shot]:
    """Return every picture."""

    def at(one: Opened, token: str) -> str:
        return f"{remote.base}/games/{one.game}#{token}"

    mafia = played(remote, names=NAMES, agent="house", seed="9")
    auditor = at(mafia, remote.issue(mafia.game, mafia.keeper, "auditor"))
    yield Shot("replay-two-chairs", auditor, (1440, 1180), click=("chairs",))
    yield Shot("replay-two-chairs-360", auditor, PHONE, ("light",), click=("chairs",))
    yield Shot("replay-two-chairs-2560", auditor, VAST, ("light",), click=("chairs",))
    yield Shot("replay", auditor, click=("middle",))
    yield Shot("new-game", f"{remote.base}/#{remote.host}", click=("new",))
    yield Shot("new-game-360", f"{remote.base}/#{remote.host}", PHONE, ("light",), click=("new",))
    table = remote.open(names=NAMES, agents={"Ada": "outside"}, agent="house", seed="9")
    yield Shot("table", at(table, table.seats["Ada"]), click=("asked",))
    yield Shot("table-360", at(table, table.seats["Ada"]), PHONE, ("light", "dark"), click=("asked",))
    evening = remote.open(
        ruleset="tabletop", campaign=CAMPAIGN, character="pim-tallow", agents={"human": "outside"}, seed="3"
    )
    yield Shot("evening", at(evening, evening.seats["human"]), click=("asked",))
    work = remote.open(ruleset="delegation", folder="paper", agents={"user": "outside"}, seed="3")
    yield Shot("work", at(work, work.seats["user"]), click=("asked",))
    played(remote, names=["Ines", "Jan", "Kira", "Lev", "Mila", "Nils", "Olga"], agent="house", seed="11")
    played(remote, ruleset="delegation", folder="paper", agent="house", seed="5")
    remote.open(
        names=["Pia", "Quin", "Rosa", "Sven", "Thea", "Ugo"], agents={"Rosa": "outside"}, agent="house", seed="4"
    )
    yield Shot("games", f"{remote.base}/#{remote.host}")
    yield Shot("ended-link", f"{remote.base}/games/{mafia.game}#svs_{'x' * 43}", (1024, 640), ("light",))


def audited(url: str) -> str:
    """Return the address of the only game of a database, for an auditor, without its server."""
    games = Games(open_log(url))
    (game,) = games.log.games()
    token = asyncio.run(Links(games).issue(games.load(game), LinkKind.AUDITOR))
    games.close()
    games.log.close()
    return f"/games/{game}#{token}"


def thoughts(url: str, address: str, place: int) -> Iterator[Shot]:
    """Return the picture of what models thought by that position."""
    with RemoteServer(url, plays=False) as remote:
        yield Shot("thoughts", f"{remote.base}{address}", (1440, 1180), click=(f"at={place}", "thoughts"))


def prepared(page: Page, what: str) -> None:
    """Bring the page to what the picture shows."""
    match what:
        case "chairs":
            # The same session in two views, where people talk.
            page.evaluate("location.hash = '#at=230&as=Finn&as=Ada'")
        case "middle":
            page.evaluate("location.hash = '#at=160'")
        case place if place.startswith("at="):
            page.evaluate(f"location.hash = '#{place}'")
        case "thoughts":
            page.get_by_role("tab", name="Thoughts", exact=True).click()
            page.locator(".mind").first.wait_for()
            page.get_by_role("region", name="Thoughts").scroll_into_view_if_needed()
        case "new":
            page.get_by_role("button", name="New game").first.click()
        case "asked":
            page.locator(".answer.asked").wait_for()
            page.reload()  # a viewer who joins gets earlier events at once
            page.locator(".answer.asked").wait_for()


def main() -> None:
    """Write all of them."""
    build_page()
    FOLDER.mkdir(parents=True, exist_ok=True)
    url, place = sys.argv[1:3] if len(sys.argv) > 2 else ("", "0")
    address = audited(url) if url else ""
    with sync_playwright() as playwright, served() as remote, launched(playwright) as browser:
        wanted = thoughts(url, address, int(place)) if url else shots(remote)
        for shot in wanted:
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
