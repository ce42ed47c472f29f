"""Measure the page in a real browser: how long a game of more than 10,000 events takes to open, and what a step costs.

A server in its own process has the game. Chromium opens the page as an auditor, as a seat and as the exported file. It
gets the key presses and pointer moves of a user who steps through the game, drags the timeline and opens one panel
after another.
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
"""Pause between steps: about the speed of a held key."""
JUMP = 50
"""Entries that the pointer moves at a time while it drags."""
MIDDLE = 3_000
"""The position where stepping starts: some days are over, and facts and claims have come up."""
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
    """Measure all rows."""
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
            for chair, token in (("seat", running.seats[SECOND]), ("auditor", running.auditor)):
                spread = arrivals(browser, base, running, token)
                yield from spread_rows(f"live, {chair}: network to DOM", spread, LIVE_MS)


def sizes() -> Iterator[Found]:
    """Return the sizes of what a browser loads before it shows the page."""
    assets = list((build_page().folder / "assets").iterdir())
    code = [path for path in assets if path.suffix in (".js", ".css")]
    packed = sum(len(gzip.compress(path.read_bytes(), 9)) for path in code)
    yield Found("script and style, compressed", packed / 1000, "kB", CODE_KB)
    fonts = sum(path.stat().st_size for path in assets if path.suffix == ".woff2")
    yield Found("fonts", fonts / 1000, "kB", FONTS_KB)


def looked_at(browser: Browser, base: str, file: Path, game: Game, rounds: int) -> Iterator[Found]:
    """Measure the finished game as each viewer."""
    at = f"{base}/games/{game.id}"
    addresses = {
        "auditor": f"{at}#{game.auditor}",
        "seat": f"{at}#{game.seats[PROMPTED]}",
        "exported file": file.as_uri(),
    }
    for who, address in addresses.items():
        times = [opened(browser, address) for _ in range(rounds)]
        yield Found(f"{who}: navigation to table drawn", min(times), "ms", OPEN_MS)
    unrest = Unrest()
    for who, address in addresses.items():
        taken: dict[str, list[Steps]] = {}
        with looking(browser, address) as page:
            # Measure all rows once, then all again, so that one slow minute spoils only one round of a row.
            for _ in range(rounds):
                for what, steps in stepped(browser, page, PANELS if who == "auditor" else PANELS[:1]):
                    unrest.sample(5)
                    taken.setdefault(what, []).append(steps)
        for what, each in taken.items():
            yield from step_rows(f"{who}, {what}", min(each, key=lambda steps: steps.worked.p95))
    yield Found("machine noise: median to minimum of the same work", unrest.factor, "times")


def opened(browser: Browser, address: str) -> float:
    """Return wall-clock milliseconds until the table is drawn."""
    with looking(browser, address) as page:
        return float(page.evaluate("window.stood"))


@contextmanager
def looking(browser: Browser, address: str) -> Iterator[Page]:
    """Yield a page with its table drawn, and check that nothing goes wrong."""
    with People(browser) as people:
        page = people.context(viewport=SIZE).new_page()
        page.add_init_script(STOOD)
        page.goto(address)
        page.evaluate("window.stood")
        yield page


def stepped(browser: Browser, page: Page, panels: Sequence[str]) -> Iterator[tuple[str, Steps]]:
    """Step by key with each panel, in one view and in two; then drag the timeline."""
    everything = page.get_by_role("button", name="Auditor").count() > 0
    for chairs in (1, 2) if everything else (1,):
        pair = "&as=".join(("", PROMPTED, SECOND)) if chairs == 2 else ""
        name = ("one view", "two views")[chairs - 1]
        for panel in (*panels, "Votes"):
            if not brought(page, f"#at={MIDDLE}{pair}", panel):
                continue
            yield f"{name}, {panel}: step", walked(browser, page)
        brought(page, f"#at={MIDDLE}{pair}", PANELS[0])
        yield f"{name}, drag by {JUMP}", dragged(browser, page)


def brought(page: Page, moment: str, panel: str) -> bool:
    """Go to a moment and open a panel, or show the votes. Return False if the page does not have the panel."""
    votes = page.get_by_role("switch", name="Votes")
    if (votes.get_attribute("aria-checked") == "true") != (panel == "Votes"):
        votes.click()
    page.evaluate("moment => { location.hash = moment }", moment)
    expect(page.locator(".chair")).to_have_count(2 if "&as=" in moment else 1)
    if panel != "Votes":
        tab = page.get_by_role("tab", name=panel, exact=True)
        if not tab.count():
            return False
        tab.click()
    page.wait_for_load_state("networkidle")
    settled(page, 400)
    return True


def walked(browser: Browser, page: Page) -> Steps:
    """Step again and again by key."""
    with Traced(browser, page, "keydown") as trace:
        for _ in range(STEPS):
            page.keyboard.press("ArrowRight")
            page.wait_for_timeout(PAUSE_MS)
    return trace.steps


def dragged(browser: Browser, page: Page) -> Steps:
    """Drag the timeline with the pointer from left to right."""
    line = page.get_by_role("slider", name="Timeline")
    box = line.bounding_box()
    assert box is not None
    count = int(line.get_attribute("aria-valuemax") or 0)
    width = (box["width"] - 16) / count * JUMP
    left, middle = box["x"] + 8, box["y"] + box["height"] / 2
    # Don't use Playwright's mouse: it runs its own script in the page with every move.
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
    """Return the rows for the cost of steps, and for everything the main thread did."""
    yield from spread_rows(what, steps.worked, STEP_MS)
    yield Found("p95 with painting", steps.whole.p95, "ms")


def spread_rows(what: str, spread: Spread, target: float) -> Iterator[Found]:
    """Return three rows; the 95th percentile has a target."""
    yield Found(f"{what}, p50", spread.p50, "ms")
    yield Found("p95", spread.p95, "ms", target)
    yield Found("max", spread.most, "ms")
