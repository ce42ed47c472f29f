"""Measure how long one player's text blocks another player's page.

Each text is said in a session and is the brief of a task, in games on a server in this process. Chromium opens the
pages of these games as their players, then the replays.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from browser.sessions import People, launched
from page import SIZE, Found
from playwright.sync_api import Page, sync_playwright
from remote import CAMPAIGN, EXAMPLES, Opened, RemoteServer, bounded, log_in

from sottovoce.server.http.settings import Settings

LONGEST = 65_536
STALL_MS = 500
"""How long a page can be busy without a break, including everything it does while it opens, without a GPU."""
TEXTS = {
    "short text": "# Sheet\n\nA *quiet* man.\n\n- one\n- two\n\n| a | b |\n|--|--|\n| 1 | 2 |\n",
    "4 kB of spaces in a table": f"# x\n\n|\n{' ' * 2_000}--{' ' * 2_000}x",
    "8 kB of spaces in a table": f"# x\n\n|\n{' ' * 4_000}--{' ' * 4_000}x",
    "60 kB of spaces in a heading": f"# {'a' + ' ' * 30_000}b#{' ' * 30_000}x",
    "30,000 table cells": f"# x\n\n|a|b|\n|--|--|\n{'|x' * 30_000}|",
    "10,000 table rows": "# x\n\n|a|b|\n|--|--|\n" + "|x|y|\n" * 10_000,
    "16,000 list items": "- x\n" * 16_000,
    "16,000 emphasized words": f"# x\n\n{'*a* ' * 16_000}",
    "20,000 paragraphs": "x\n\n" * 20_000,
    "32,000 lines": "x\n" * 32_000,
    "alternating Latin and Hebrew letters": "a\u05d0" * (LONGEST // 3),
    "alternating Latin and Devanagari letters": "a\u0915" * (LONGEST // 4),
}
WATCH = """
window.stall = 0;
let last = performance.now();
const look = () => {
    const now = performance.now();
    window.stall = Math.max(window.stall, now - last);
    last = now;
    setTimeout(look, 1);
};
look();
"""


class Pages(NamedTuple):
    """The longest milliseconds for which a page did nothing else: while it opened, and in its replay."""

    opened: float
    back: float


def texts_measured() -> Iterator[Found]:
    """Measure a row for each text and page."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sottovoce-bench-")))
        remote = stack.enter_context(RemoteServer(log_in(folder), settings(folder)))
        people = stack.enter_context(People(stack.enter_context(launched(stack.enter_context(sync_playwright())))))
        for name, text in TEXTS.items():
            said = text.strip()[:LONGEST]
            for what, game, seat in (
                ("session page", evening(remote, said), "human"),
                ("task board", work(remote, list(TEXTS).index(name)), "user"),
            ):
                pages = stalls(people, f"{remote.base}/games/{game.game}#{game.seats[seat]}")
                yield Found(f"{name}: {what}, opening", pages.opened, "ms", STALL_MS)
                yield Found(f"{name}: {what}, replay", pages.back, "ms", STALL_MS)


def settings(folder: Path) -> Settings:
    """Prepare a campaign, and for each text a folder with one task that has the text as its brief."""
    campaign = shutil.copytree(EXAMPLES / "campaigns" / CAMPAIGN, folder / CAMPAIGN)
    folders = {}
    for place, text in enumerate(TEXTS.values()):
        own = folders[f"work-{place}"] = folder / f"work-{place}"
        shutil.copytree(EXAMPLES / "delegation" / "village-paper", own)
        for brief in (own / "tasks").iterdir():
            brief.unlink()
        (own / "tasks" / "brief.md").write_bytes(text.encode()[:LONGEST])
    return Settings(bounds=bounded(), log_requests=False, places={"campaign": {CAMPAIGN: campaign}, "folder": folders})


def evening(remote: RemoteServer, text: str) -> Opened:
    """Play a session in which the human has said this text."""
    game = remote.open(
        ruleset="tabletop", campaign=CAMPAIGN, character="pim-tallow", agents={"human": "outside"}, seed="3"
    )
    path, token = f"/v1/games/{game.game}/turns", game.seats["human"]
    (turn,) = remote.get(path, token, wait=20)["turns"]
    answer = remote.ask("POST", f"{path}/{turn['turn']}", token, {"text": text})
    assert answer.json()["accepted"], answer.text
    remote.get(path, token, wait=20)
    return game


def work(remote: RemoteServer, place: int) -> Opened:
    """Start the task at this place in the list; it is the user's turn."""
    game = remote.open(ruleset="delegation", folder=f"work-{place}", agents={"user": "outside"}, seed="3")
    remote.get(f"/v1/games/{game.game}/turns", game.seats["user"], wait=20)
    return game


def stalls(people: People, address: str) -> Pages:
    """Measure how long this page is busy without a break."""
    page = people.context(viewport=SIZE).new_page()
    page.set_default_timeout(600_000)
    page.add_init_script(WATCH)
    page.goto(address)
    page.locator("main .box .row").first.wait_for()
    opened = settled(page)
    page.evaluate("window.stall = 0")
    page.get_by_role("button", name="Replay", exact=True).click()
    page.locator(".chair").first.wait_for()
    pages = Pages(opened, settled(page))
    page.close()
    return pages


def settled(page: Page) -> float:
    """Return the longest stall until the page has been idle for a moment."""
    page.wait_for_timeout(1_500)
    return float(page.evaluate("new Promise((done) => setTimeout(() => done(window.stall), 200))"))
