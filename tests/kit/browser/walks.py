"""Everything that someone can make a page show, one look after another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from playwright.sync_api import Page

from browser.looks import settled
from sottovoce.isolation.cases import SOME_TIME

KEYS = (
    *("Home", "ArrowRight", "ArrowRight", "j", "End", "ArrowLeft", "k", "Shift+ArrowLeft", "p", "n"),
    *("w", "v", "s", "1", "2", "0", "x", "t", "?", "Escape"),
)
"""Keys of the replay. On a page that does not know a key, nothing happens."""

Step = tuple[str, Callable[[Page], Any]]


def _press(key: str) -> Step:
    return f"key {key}", lambda page: page.keyboard.press(key)


def look_back(page: Page) -> None:
    """Open a seat's own record from the table."""
    button = page.get_by_role("button", name="Replay", exact=True)
    if button.count():
        button.click()


def _panel(name: str) -> Step:
    def toggle(page: Page) -> None:
        button = page.get_by_role("tab", name=name, exact=True)
        if button.count():
            button.first.click()

    return f"panel {name}", toggle


PANELS = ("Highlights", "Log", "Who knows what", "Thoughts", "Who saw what")
FEW: tuple[Step, ...] = (
    *(_press(key) for key in ("Home", "j", "n", "End", "k", "2", "v", "?", "Escape")),
    *(_panel(name) for name in PANELS),
)
"""One step of each kind, in a replay."""
STEPS: tuple[Step, ...] = (
    ("look back", look_back),
    *(_press(key) for key in KEYS),
    *(_panel(name) for name in PANELS),
)


def opened(page: Page, address: str) -> None:
    """Open the address with the clock stopped."""
    page.clock.set_fixed_time(SOME_TIME)
    page.goto(address)
    page.locator("main, h1").first.wait_for()
    settled(page)


def walked(page: Page, steps: Sequence[Step]) -> Iterator[str]:
    """Yield the name of each step, once it is done."""
    for name, step in steps:
        step(page)
        yield name


_PRESS = """
(done) => {
    const dialog = document.querySelector('dialog[open]');
    const said = '.answer, [aria-label="Actions"], dialog section';
    const fresh = [...(dialog ?? document).querySelectorAll('button, summary')].flatMap((button) => {
        const name = (button.getAttribute('aria-label') ?? button.innerText).trim().replaceAll(/\\d+/g, '#');
        const led = button.disabled || button.offsetParent === null || button.closest(said) || done.includes(name);
        return led ? [] : [{ name, button }];
    });
    const { name, button } = fresh.find(({ name }) => !/^Replay$|^Back to|back to the/.test(name)) ?? fresh[0] ?? {};
    if (button === undefined) dialog?.close();
    button?.click();
    return name ?? (dialog === null ? null : 'Close');
}
"""


def pressed(page: Page, then: Callable[[Page], Any] = lambda page: settled(page, 20)) -> list[str]:
    """Press one of each kind of button that leads somewhere, and those that appear then. Return their names. Call
    `then` after each.

    Skip what says something for a seat or manages a game. Press what leaves the page last.
    """
    done: list[str] = []
    while (name := page.evaluate(_PRESS, done)) is not None:
        done.append(name)
        then(page)
    return done
