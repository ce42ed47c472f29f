"""Everything that a page shows and keeps, as comparable text."""

from __future__ import annotations

import json
from typing import Any

from playwright.sync_api import Page

QUIET = (400, 1200)
"""Milliseconds without a change after which a page counts as drawn; and the limit after which it counts as wrong."""

_SETTLED = """
(quiet) => new Promise((resolve) => {
    const done = () => { watch.disconnect(); resolve(); };
    const watch = new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(done, quiet); });
    let timer = setTimeout(done, quiet);
    watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
})
"""
# A page writes what it keeps over a reload when it is left, at the latest.
_SEEN = """
async (scripts) => (dispatchEvent(new Event('pagehide')), {
    address: location.pathname + location.search + location.hash,
    title: document.title,
    name: window.name,
    dom: (() => {
        if (scripts) return document.documentElement.outerHTML;
        const whole = document.documentElement.cloneNode(true);
        for (const script of whole.querySelectorAll('script')) script.replaceChildren();
        return whole.outerHTML;
    })(),
    fields: [...document.querySelectorAll('input, textarea, select')].map((field) => `${field.value} ${field.checked}`),
    open: [...document.querySelectorAll('dialog[open], details[open], :popover-open')].length,
    state: JSON.stringify(history.state),
    local: JSON.stringify({ ...localStorage }),
    session: JSON.stringify({ ...sessionStorage }),
    cookie: document.cookie,
    databases: JSON.stringify((await indexedDB.databases()).map((one) => one.name)),
    caches: JSON.stringify('caches' in window ? await caches.keys() : []),
})
"""


def settled(page: Page, quiet: int = QUIET[0]) -> None:
    """Wait until nothing has changed in the page for a while. Pending frames are drawn first."""
    page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
    page.evaluate(_SETTLED, quiet)


def look(page: Page, *, scripts: bool = True) -> dict[str, Any]:
    """Return what the page shows and keeps now, by kind; without its scripts if asked."""
    found: dict[str, Any] = page.evaluate(_SEEN, scripts)
    return found


def difference(one: dict[str, Any], other: dict[str, Any]) -> str | None:
    """Return where two looks differ, if they do."""
    for kind, mine in one.items():
        theirs = other[kind]
        if mine != theirs:
            return f"{kind}: {apart(*(text if isinstance(text, str) else json.dumps(text) for text in (mine, theirs)))}"
    return None


def apart(one: str, other: str) -> str:
    """Return the two texts around the place where they differ."""
    place = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    start = max(0, place - 80)
    return f"{one[start : place + 160]!r} against {other[start : place + 160]!r}"
