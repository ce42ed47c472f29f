"""The layout of a page: what sticks out, is cut off, overlaps, or is too small to press."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

LEAST = 24
"""Minimum pixels of a button in each direction (WCAG 2.2, 2.5.8)."""

_DRAWN = """
() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
"""

_FAULTS = Path(__file__).with_suffix(".js").read_text()


def ill_placed(page: Page) -> list[str]:
    """Return what is badly placed, as far as it can be measured; nothing if all is well."""
    page.evaluate(_DRAWN)
    found: list[str] = page.evaluate(_FAULTS, LEAST)
    return found
