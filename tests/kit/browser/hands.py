"""A user who works a page only by keys, and checks where the focus is."""

from __future__ import annotations

from pathlib import Path
from typing import TypedDict, cast

from playwright.sync_api import Locator, Page

MOST = 600
"""No page has this many stops."""
NOWHERE = 4
"""The focus is nowhere this often in a row only if there are no stops."""

_STOP = Path(__file__).with_name("stop.js").read_text()
_LEFT_OUT = """
() => [...(document.querySelector('dialog[open]') ?? document).querySelectorAll(
        'a[href], button, input, select, textarea, summary, [tabindex="0"]')]
    .filter((it) => !it.disabled && it.tabIndex >= 0 && it.checkVisibility({ visibilityProperty: true }))
    .filter((it) => window.there.has(it) && !window.stops.has(it) && !(it.matches('[type=radio]:not(:checked)')))
    .map((it) => it.outerHTML.slice(0, 120))
"""


class Stop(TypedDict):
    """Where the focus is: in words, whether it was there before, and what is wrong."""

    name: str
    again: bool
    faults: list[str]


def stop(page: Page, *, anew: bool = False) -> Stop | None:
    """Return where the focus is, or None if it is nowhere."""
    return cast(Stop | None, page.evaluate(_STOP, anew))


def tab(page: Page, *, back: bool = False) -> None:
    """Go to the next stop, or back to the previous one."""
    page.keyboard.press("Shift+Tab" if back else "Tab")


def ill_reached(page: Page) -> list[str]:
    """Go through the whole page, or its open dialog. Return what is not reached, and where the focus is not visible."""
    page.evaluate("() => document.querySelector('dialog[open]') ?? (document.activeElement?.blur(), 0) ?? 0")
    wrong: list[str] = []
    nowhere = 0
    here = stop(page, anew=True)
    for _ in range(MOST):
        tab(page)
        here = stop(page)
        # Past the last stop, or where a stop disappeared when it was reached: continue from there.
        nowhere = nowhere + 1 if here is None else 0
        if here is None and nowhere < NOWHERE:
            continue
        if here is None or here["again"]:
            return wrong + [f"never reached: {left}" for left in page.evaluate(_LEFT_OUT)]
        wrong += [f"{fault}: {here['name']}" for fault in here["faults"]]
    return [*wrong, f"no end of stops; the last was {here}"]


def reach(page: Page, wanted: Locator, *, back: bool = False) -> None:
    """Press Tab until the focus is there. It is visible at every stop."""
    for _ in range(MOST):
        if wanted.evaluate("(it) => it === document.activeElement"):
            return
        tab(page, back=back)
        here = stop(page)
        assert here is None or not here["faults"], here
    raise AssertionError(f"{wanted} is not reached by keys; the last stop was {stop(page)}")


def press(page: Page, wanted: Locator, key: str = "Enter", *, back: bool = False) -> None:
    """Go there, and press that key."""
    reach(page, wanted, back=back)
    page.keyboard.press(key)
