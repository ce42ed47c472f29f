"""Browsers with viewers, each in a separate context."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import Any, Self

from patience import PATIENCE
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect

from browser.chromium import ARGUMENTS, chromium
from browser.faults import Faults

expect.set_options(timeout=PATIENCE * 1000)


@contextmanager
def launched(playwright: Playwright) -> Iterator[Browser]:
    """A separate browser."""
    ready = chromium()
    browser = playwright.chromium.launch(
        executable_path=ready.executable,
        args=list(ARGUMENTS),
        env={**os.environ, "LD_LIBRARY_PATH": str(ready.libraries)},
        timeout=PATIENCE * 1000,
    )
    try:
        yield browser
    finally:
        browser.close()


class People:
    """Opens pages in separate contexts. At the end, there must be no fault in any of them."""

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.faults = Faults()
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()
        if error is None:
            assert not self.faults.unexpected, self.faults.unexpected
        elif self.faults.unexpected:
            error.add_note(f"in the pages: {self.faults.unexpected}")

    def context(self, **wanted: Any) -> BrowserContext:
        """Return a browser profile that shares nothing with the others."""
        context = self.browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **wanted})
        self._stack.callback(context.close)
        context.set_default_timeout(PATIENCE * 1000)
        self.faults.watch(context)
        return context

    def page(self, address: str = "", **wanted: Any) -> Page:
        """Return a new viewer's page at that address."""
        page = self.context(**wanted).new_page()
        if address:
            page.goto(address)
        return page
