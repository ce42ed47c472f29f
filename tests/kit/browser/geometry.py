"""Where things lie on a page: what sticks out of it, is cut off, lies on something else, or is too small to be hit."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

LEAST = 24
"""Pixels that whatever is pressed has each way (WCAG 2.2, 2.5.8)."""

_DRAWN = """
() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
"""

_FAULTS = Path(__file__).with_suffix(".js").read_text()


def ill_placed(page: Page) -> list[str]:
    """What lies where it should not, as far as it can be measured; nothing if all is well."""
    page.evaluate(_DRAWN)
    found: list[str] = page.evaluate(_FAULTS, LEAST)
    return found
