"""The page in a real browser: how long a game of more than 10,000 events takes to open, and what a step costs.

A server of its own process has the game; Chromium has the page as an auditor, as a seat and as the exported file, and
gets the keys and the pointer of somebody who steps through it, drags the line, and looks at one panel after another.
"""

from __future__ import annotations

import gzip
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from arrivals import arrivals
from browser.looks import settled
from browser.sessions import People, launched
from built import build_page
from page_game import PROMPTED, Game, long_games
from playwright.sync_api import Browser, Page, expect, sync_playwright
from serving import ROOT, served
from traces import Spread, Steps, Traced, Unrest

OPEN_MS, STEP_MS, LIVE_MS, CODE_KB, FONTS_KB = 1000, 5, 50, 150, 140
STEPS = 200
PAUSE_MS = 40
"""Between steps: somebody who holds a key down is about as fast."""
JUMP = 50
"""Entries that the pointer goes on at a time while it drags."""
MIDDLE = 3_000
"""The position from which it is stepped: some days are over, and facts and claims have come up."""
SIZE = {"width": 1440, "height": 1000}
SECOND = "Bram"
PANELS = ("Who knows what", "Who saw what", "Highlights", "Thoughts", "Prompts", "Log")
STOOD = """
window.stood = new Promise((done) => new MutationObserver((_, watch) => {
    if (document.querySelector('.table .seat') === null) return;
    watch.disconnect();
    requestAnimationFrame(() => setTimeout(() => done(performance.now())));
}).observe(document, { childList: true, subtree: true }));
"""
"""Notes when the table has been drawn, counted from the navigation."""


class Found(NamedTuple):
    """A row of the table."""

    what: str
    value: float
    unit: str
    target: float | None = None


def page_measured(rounds: int) -> Iterator[Found]:
    """All rows."""
    yield from sizes()
    with tempfile.TemporaryDirectory(prefix="sottovoce-bench-") as folder:
        url, file = f"sqlite:///{folder}/games.db", Path(folder, "game.html")
        over, running = long_games(url)
        transcript = ["transcript", over.id, "--auditor", "-o", str(file)]
        subprocess.run([sys.executable, "-m", "sottovoce", "--db", url, *transcript], cwd=ROOT, check=True)
        serve = ["-m", "sottovoce", "--db", url, "serve", "--port", "0", "--quiet"]
        with (
            served(serve, Path(folder, "serve.err")) as (_, link),
            sync_playwright() as playwright,
            launched(playwright) as browser,
        ):
            base = link.partition("/#")[0]
            yield Found("events of the game", over.events, "events")
            yield from looked_at(browser, base, file, over, rounds)
            for chair, token in (("a seat", running.seats[SECOND]), ("an auditor", running.auditor)):
                spread = arrivals(browser, base, running, token)
                yield from spread_rows(f"live, {chair}: from the network to the DOM", spread, LIVE_MS)


def sizes() -> Iterator[Found]:
    """What a browser loads before the page stands."""
    assets = list((build_page().folder / "assets").iterdir())
    code = [path for path in assets if path.suffix in (".js", ".css")]
    packed = sum(len(gzip.compress(path.read_bytes(), 9)) for path in code)
    yield Found("script and style, compressed", packed / 1000, "kB", CODE_KB)
    fonts = sum(path.stat().st_size for path in assets if path.suffix == ".woff2")
    yield Found("fonts", fonts / 1000, "kB", FONTS_KB)


def looked_at(browser: Browser, base: str, file: Path, game: Game, rounds: int) -> Iterator[Found]:
    """The game that is over, as whoever may see it."""
    at = f"{base}/games/{game.id}"
    addresses = {
        "auditor": f"{at}#{game.auditor}",
        "seat": f"{at}#{game.seats[PROMPTED]}",
        "exported file": file.as_uri(),
    }
    for who, address in addresses.items():
        times = [opened(browser, address) for _ in range(rounds)]
        yield Found(f"{who}: from navigation to the table", min(times), "ms", OPEN_MS)
    unrest = Unrest()
    for who, address in addresses.items():
        taken: dict[str, list[Steps]] = {}
        with looking(browser, address) as page:
            # All rows once, and all again: a minute in which the machine is slow then spoils one round of a row.
            for _ in range(rounds):
                for what, steps in stepped(browser, page, PANELS if who == "auditor" else PANELS[:1]):
                    unrest.sample(5)
                    taken.setdefault(what, []).append(steps)
        for what, each in taken.items():
            yield from step_rows(f"{who}, {what}", min(each, key=lambda steps: steps.worked.p95))
    yield Found("the same work meanwhile: its median to its least", unrest.factor, "times")


def opened(browser: Browser, address: str) -> float:
    """Milliseconds until the table is drawn, by the clock."""
    with looking(browser, address) as page:
        return float(page.evaluate("window.stood"))


@contextmanager
def looking(browser: Browser, address: str) -> Iterator[Page]:
    """A page in which the table stands, and nothing goes wrong."""
    with People(browser) as people:
        page = people.context(viewport=SIZE).new_page()
        page.add_init_script(STOOD)
        page.goto(address)
        page.evaluate("window.stood")
        yield page


def stepped(browser: Browser, page: Page, panels: Sequence[str]) -> Iterator[tuple[str, Steps]]:
    """Steps by key with each of the panels, from one chair and from two; and the line dragged."""
    everything = page.get_by_role("button", name="Auditor").count() > 0
    for chairs in (1, 2) if everything else (1,):
        pair = "&as=".join(("", PROMPTED, SECOND)) if chairs == 2 else ""
        name = ("one chair", "two chairs")[chairs - 1]
        for panel in (None, *panels, "Votes"):
            if not brought(page, f"#at={MIDDLE}{pair}", panel):
                continue
            yield f"{name}, {'no panel' if panel is None else panel}: a step", walked(browser, page)
        brought(page, f"#at={MIDDLE}{pair}", PANELS[0])
        yield f"{name}, dragged by {JUMP}", dragged(browser, page)


def brought(page: Page, moment: str, panel: str | None) -> bool:
    """Go to a moment and open a panel, or none; False where the page has no such panel."""
    for pressed in page.locator(".panels [aria-pressed=true]").all():
        pressed.click()
    page.evaluate("moment => { location.hash = moment }", moment)
    expect(page.locator(".chair")).to_have_count(2 if "&as=" in moment else 1)
    if panel is not None:
        button = page.locator(".panels").get_by_role("button", name=panel, exact=True)
        if not button.count():
            return False
        button.click()
    page.wait_for_load_state("networkidle")
    settled(page, 400)
    return True


def walked(browser: Browser, page: Page) -> Steps:
    """One step after another, by the key."""
    with Traced(browser, page, "keydown") as trace:
        for _ in range(STEPS):
            page.keyboard.press("ArrowRight")
            page.wait_for_timeout(PAUSE_MS)
    return trace.steps


def dragged(browser: Browser, page: Page) -> Steps:
    """The line under the pointer, from the left to the right."""
    line = page.get_by_role("slider", name="Timeline")
    box = line.bounding_box()
    assert box is not None
    count = int(line.get_attribute("aria-valuemax") or 0)
    width = (box["width"] - 16) / count * JUMP
    left, middle = box["x"] + 8, box["y"] + box["height"] / 2
    # Not by Playwright's mouse, which calls script of its own in the page with every move.
    devtools = page.context.new_cdp_session(page)

    def pointer(what: str, at: float, **more: Any) -> None:
        devtools.send("Input.dispatchMouseEvent", {"type": what, "x": at, "y": middle, "button": "left", **more})

    pointer("mouseMoved", left, button="none")
    pointer("mousePressed", left, clickCount=1)
    with Traced(browser, page, "pointermove") as trace:
        for step in range(min(STEPS, count // JUMP)):
            pointer("mouseMoved", left + step * width, buttons=1)
            page.wait_for_timeout(PAUSE_MS)
    pointer("mouseReleased", left, clickCount=1)
    devtools.detach()
    return trace.steps


def step_rows(what: str, steps: Steps) -> Iterator[Found]:
    """What steps cost, and beside it what the main thread did in all."""
    yield from spread_rows(what, steps.worked, STEP_MS)
    yield Found("its painting included, p95", steps.whole.p95, "ms")


def spread_rows(what: str, spread: Spread, target: float) -> Iterator[Found]:
    """Three rows, of which the 95th percentile has a target."""
    yield Found(f"{what}, p50", spread.p50, "ms")
    yield Found("p95", spread.p95, "ms", target)
    yield Found("the most", spread.most, "ms")
