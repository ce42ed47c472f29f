"""Files to share, opened from disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Page, Request
from sizes import sized

from browser.looks import look, settled
from browser.promises import NOTHING
from browser.sessions import People
from browser.walks import FEW, STEPS, opened, walked


def file_opened(people: People, path: Path) -> Page:
    """Open the file with the clock stopped. Every request counts as a fault."""

    def asked(request: Request) -> None:
        if request.url.partition("#")[0] != path.as_uri() and not request.url.startswith("data:"):
            people.faults.found.append(f"asked: {request.url}")

    context = people.context(reduced_motion="reduce")
    context.on("request", asked)
    page = context.new_page()
    opened(page, path.as_uri())
    return page


def looks(page: Page) -> dict[str, dict[str, Any]]:
    """Return everything the file shows and keeps, by what was pressed last, except its scripts, which are checked to
    the byte."""
    found = {"as it came": _while_walking(page)}
    for name in walked(page, sized(FEW, STEPS)):
        settled(page, 20)
        found[name] = _while_walking(page)
    settled(page)
    return {**found, "in the end": look(page, scripts=False)}


def _while_walking(page: Page) -> dict[str, Any]:
    seen = look(page, scripts=False)
    # Browsers count how often these are written, so they come later.
    del seen["address"], seen["state"]
    return seen


def kept(page: Page) -> dict[str, Any]:
    """Return what a file keeps in the browser although it must not."""
    seen = look(page)
    return {kind: seen[kind] for kind, nothing in NOTHING.items() if seen[kind] != nothing}


def panels(page: Page) -> list[str]:
    """Return the panels that can be opened next to the table."""
    return page.get_by_role("tablist", name="Panels").get_by_role("tab").all_inner_texts()
