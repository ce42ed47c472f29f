"""How long one player's text keeps another one's page from doing anything else.

Each text is said in an evening and is the brief of a task, in games on a server in this process; the pages of those
games are opened in Chromium as their players, and then looked back at.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from browser.sessions import People, launched
from far import CAMPAIGN, EXAMPLES, Far, Opened, bounded, log_in
from page import SIZE, Found
from playwright.sync_api import Page, sync_playwright

from sottovoce.server.http.settings import Settings

LONGEST = 65_536
STALL_MS = 500
"""What a page may be busy at a stretch, with all that it does as it opens, on a machine without a GPU."""
TEXTS = {
    "a short text": "# Sheet\n\nA *quiet* man.\n\n- one\n- two\n\n| a | b |\n|--|--|\n| 1 | 2 |\n",
    "4 kB: a table's line of spaces": f"# x\n\n|\n{' ' * 2_000}--{' ' * 2_000}x",
    "8 kB: a table's line of spaces": f"# x\n\n|\n{' ' * 4_000}--{' ' * 4_000}x",
    "a heading of spaces": f"# {'a' + ' ' * 30_000}b#{' ' * 30_000}x",
    "30,000 cells": f"# x\n\n|a|b|\n|--|--|\n{'|x' * 30_000}|",
    "10,000 rows": "# x\n\n|a|b|\n|--|--|\n" + "|x|y|\n" * 10_000,
    "16,000 items": "- x\n" * 16_000,
    "16,000 words set apart": f"# x\n\n{'*a* ' * 16_000}",
    "20,000 paragraphs": "x\n\n" * 20_000,
    "32,000 lines": "x\n" * 32_000,
    "Latin and Hebrew letters in turn": "a\u05d0" * (LONGEST // 3),
    "Latin and Devanagari letters in turn": "a\u0915" * (LONGEST // 4),
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
    """Milliseconds for which a page did nothing else, at most, as it opened and as it was looked back at."""

    opened: float
    back: float


def texts_measured() -> Iterator[Found]:
    """A row for each text and page."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sottovoce-bench-")))
        far = stack.enter_context(Far(log_in(folder), settings(folder)))
        people = stack.enter_context(People(stack.enter_context(launched(stack.enter_context(sync_playwright())))))
        for name, text in TEXTS.items():
            said = text.strip()[:LONGEST]
            for what, game, seat in (
                ("an evening", evening(far, said), "human"),
                ("a board", work(far, list(TEXTS).index(name)), "user"),
            ):
                pages = stalls(people, f"{far.base}/games/{game.game}#{game.seats[seat]}")
                yield Found(f"{name}: {what} opened", pages.opened, "ms", STALL_MS)
                yield Found(f"{name}: {what} looked back at", pages.back, "ms", STALL_MS)


def settings(folder: Path) -> Settings:
    """A campaign, and for each text a folder with one task, whose brief it is."""
    campaign = shutil.copytree(EXAMPLES / "campaigns" / CAMPAIGN, folder / CAMPAIGN)
    folders = {}
    for place, text in enumerate(TEXTS.values()):
        own = folders[f"work-{place}"] = folder / f"work-{place}"
        shutil.copytree(EXAMPLES / "delegation" / "village-paper", own)
        for brief in (own / "tasks").iterdir():
            brief.unlink()
        (own / "tasks" / "brief.md").write_bytes(text.encode()[:LONGEST])
    return Settings(bounds=bounded(), log_requests=False, campaigns={CAMPAIGN: campaign}, folders=folders)


def evening(far: Far, text: str) -> Opened:
    """A session in which its human has said that."""
    game = far.open(
        ruleset="tabletop", campaign=CAMPAIGN, character="pim-tallow", agents={"human": "outside"}, seed="3"
    )
    path, token = f"/v1/games/{game.game}/turns", game.seats["human"]
    (turn,) = far.get(path, token, wait=20)["turns"]
    answer = far.ask("POST", f"{path}/{turn['turn']}", token, {"text": text})
    assert answer.json()["accepted"], answer.text
    far.get(path, token, wait=20)
    return game


def work(far: Far, place: int) -> Opened:
    """Work with the brief of that place, whose user is asked."""
    game = far.open(ruleset="delegation", folder=f"work-{place}", agents={"user": "outside"}, seed="3")
    far.get(f"/v1/games/{game.game}/turns", game.seats["user"], wait=20)
    return game


def stalls(people: People, address: str) -> Pages:
    """How long that page is busy at a stretch."""
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
    """The longest stall until the page has been idle for a moment."""
    page.wait_for_timeout(1_500)
    return float(page.evaluate("new Promise((done) => setTimeout(() => done(window.stall), 200))"))
