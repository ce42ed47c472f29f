"""What every page promises of the link that it was opened with: it is kept in the history's state, and goes nowhere but
into the header of a request to its own server."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from playwright.sync_api import Page

from browser.looks import look, settled
from browser.switchboard import Exchange

NOTHING = {"local": "{}", "session": "{}", "cookie": "", "databases": "[]", "caches": "[]"}


def broken_promises(page: Page, wire: Sequence[Exchange], token: str) -> list[str]:
    """What the page keeps or sends that it may not; it is there a while already."""
    settled(page, 400)
    return [*_kept(page, token), *_sent(wire, token)]


def _kept(page: Page, token: str) -> Iterator[str]:
    seen = look(page)
    yield from (f"keeps: {kind} {seen[kind]}" for kind, nothing in NOTHING.items() if seen[kind] != nothing)
    for kind in ("address", "title", "dom", "fields", "name"):
        if token in str(seen[kind]):
            yield f"keeps: {kind} with the link's token"
    if page.evaluate("async () => (await navigator.serviceWorker?.getRegistrations())?.length ?? 0"):
        yield "keeps: a service worker"


def _sent(wire: Sequence[Exchange], token: str) -> Iterator[str]:
    assert any(token.encode() in exchange.headers.get(b"authorization", b"") for exchange in wire), "the link was used"
    for exchange in wire:
        rest = [value for name, value in exchange.headers.items() if name != b"authorization"]
        if any(token.encode() in text for text in (exchange.asked.encode(), exchange.body, *rest)):
            yield f"sends the link's token: {exchange.asked}"
