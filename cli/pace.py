"""How fast a game is shown at a terminal, and how the reader can hurry it (ADR 0006)."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import suppress

JUMP = "\n"
"""The key that jumps: Enter."""


def pause_after(characters: int) -> float:
    """Seconds to rest after an event of that many characters, so that a game can be read as it happens (ADR 0006)."""
    if not sys.stdout.isatty():
        return 0.0
    try:
        scale = float(os.environ.get("SOTTOVOCE_PACE", "1"))
    except ValueError:
        scale = 1.0
    return max(0.0, min(0.25 + characters * 0.012, 3.0) * scale)


class Pace:
    """The rests between what is told. Any key ends those of the present matter, Enter all until the next question."""

    def __init__(self) -> None:
        self._hurried = False
        self._jumping = False
        self._pressed = asyncio.Event()

    def pressed(self, keys: str) -> None:
        """Take note of keys that were pressed while nothing was asked."""
        self._hurried = True
        self._jumping = self._jumping or JUMP in keys
        self._pressed.set()

    def turn_page(self) -> None:
        """What was told is told: the next takes its time again, unless Enter was pressed."""
        self._hurried = False
        self._pressed.clear()

    def asked(self) -> None:
        """Somebody was asked: whatever is told next takes its time again."""
        self._jumping = False
        self.turn_page()

    async def rest(self, seconds: float) -> None:
        """Wait so long, unless somebody is in a hurry."""
        if self._hurried or self._jumping:
            await asyncio.sleep(0)
            return
        with suppress(TimeoutError):
            await asyncio.wait_for(self._pressed.wait(), seconds)
