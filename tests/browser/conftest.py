"""The fixtures of tests in a browser.

Playwright's synchronous side keeps a running event loop in its thread, so it lives no longer than a module: tests
beside it run loops of their own.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from browser.sessions import People, launched
from patience import PATIENCE
from playwright.sync_api import Browser, Playwright, expect, sync_playwright

from projections.bundle import Bundle

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
