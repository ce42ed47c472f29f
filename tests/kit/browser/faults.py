"""Faults in a page: errors, violations of its policy, and requests to any server but its own."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Request, WebError

REPORT = """
addEventListener('securitypolicyviolation', (event) =>
    console.error(`the policy forbids: ${event.effectiveDirective} ${event.blockedURI} ${event.sample}`));
"""


@dataclass
class Faults:
    """The faults in a context's pages. Those that a test causes itself are `expected`."""

    found: list[str] = field(default_factory=list)
    _expected: list[re.Pattern[str]] = field(default_factory=list)

    def expect(self, pattern: str) -> None:
        """Expect matching faults, which the test causes itself, such as calls to a server that it stopped."""
        self._expected.append(re.compile(pattern))

    def watch(self, context: BrowserContext) -> None:
        """Record every fault in the context from now on."""
        context.add_init_script(REPORT)
        context.on("console", self._said)
        context.on("weberror", self._raised)
        context.on("request", self._asked)

    @property
    def unexpected(self) -> list[str]:
        """Return the faults that nobody expected."""
        return [fault for fault in self.found if not any(pattern.search(fault) for pattern in self._expected)]

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning", "assert"):
            where = message.location.get("url", "")
            self.found.append(f"{message.type}: {message.text} ({where})")

    def _raised(self, error: WebError) -> None:
        self.found.append(f"uncaught: {error.error}")

    def _asked(self, request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme in ("http", "https", "ws", "wss") and address.hostname not in ("127.0.0.1", "localhost"):
            self.found.append(f"asked elsewhere: {request.url}")
