"""What every page promises about its link: it is kept only in the history's state, sent only in the header of
requests to its own server, and used only for what it opens."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import cache

from commands import ROOT
from playwright.sync_api import Page

from browser.looks import look, settled
from browser.switchboard import Exchange
from sottovoce.isolation.wire.pairs import Allowed
from sottovoce.server.links import LinkKind

NOTHING = {"local": "{}", "session": "{}", "cookie": "", "databases": "[]", "caches": "[]"}
FOR_AUDITORS = ("Auditor", "All seats", "Prompts", "Who saw what")
"""Buttons for what only an auditor, or a reader of the full file, can see."""


def broken_promises(page: Page, wire: Sequence[Exchange], token: str, kind: LinkKind = LinkKind.SEAT) -> list[str]:
    """What the page keeps, sends, asks or offers that a link of that kind may not; it is there a while already."""
    settled(page, 400)
    return [*_kept(page, token), *_sent(wire, token), *overreach(page, wire, kind)]


def overreach(page: Page, wire: Sequence[Exchange], kind: LinkKind) -> Iterator[str]:
    """What was asked that a link of that kind does not open, and what leads there."""
    for exchange in wire:
        method, _, address = exchange.asked.partition(" ")
        path, _, query = address.partition("?")
        if not path.startswith("/v1/"):
            continue
        others = path.endswith("/replay") and query and kind is not LinkKind.AUDITOR
        if others or exchange.status in (401, 403) or not _allowed().may(_operation(f"{method} {path}"), kind.value):
            yield f"asks what a {kind.value} may not: {exchange.asked}, {exchange.status}"
    if kind is not LinkKind.AUDITOR:
        offered = [name for role in ("button", "tab") for name in page.get_by_role(role).all_inner_texts()]
        yield from (f"offers what a {kind.value} may not have: {name}" for name in FOR_AUDITORS if name in offered)


@cache
def _allowed() -> Allowed:
    return Allowed.of(json.loads((ROOT / "docs" / "openapi.json").read_text()))


def _operation(asked: str) -> str:
    """Return the operation of the API for this request."""
    for name in _allowed().kinds:
        pattern = re.sub(r"\\{(\w+)\\}", lambda place: ".+" if place[1] == "path" else "[^/]+", re.escape(name))
        if re.fullmatch(pattern, asked):
            return name
    raise LookupError(f"there is no such operation: {asked}")


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
