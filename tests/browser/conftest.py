"""The fixtures of tests in a browser.

Playwright's synchronous side keeps a running event loop in its thread, so it lives no longer than a module: tests
beside it run loops of their own.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browser.sessions import People, launched
from browser.switchboard import Switchboard
from patience import PATIENCE
from playwright.sync_api import Browser, Playwright, expect, sync_playwright
from remote import RemoteServer, log_in, places_in

from sottovoce.projections.bundle import Bundle

expect.set_options(timeout=PATIENCE * 1000)


@pytest.fixture(scope="module")
def playwright(built_page: Bundle) -> Iterator[Playwright]:
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="module")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """One browser for the tests of a module; each opens contexts of its own."""
    with launched(playwright) as running:
        yield running


@pytest.fixture
def people(browser: Browser) -> Iterator[People]:
    """Pages in which nothing may go wrong."""
    with People(browser) as some:
        yield some


@pytest.fixture(scope="module")
def board() -> Iterator[Switchboard]:
    with Switchboard() as running:
        yield running


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemoteServer]:
    """A server that calls no agents, so that games stand where they are."""
    folder = tmp_path_factory.mktemp("far")
    with RemoteServer(log_in(folder), places_in(folder), plays=False) as server:
        yield server
