"""What agents do while they work, shown to the person who watches over them."""

from __future__ import annotations

import asyncio
import time
from functools import partial

from sottovoce.cli.play_screen import PlayScreen
from sottovoce.domain.safe_text import one_line
from sottovoce.server.live import Doing, Key, LiveGame

LOOK = 0.5
"""Seconds between looks."""
REST = 5.0
"""Seconds between lines about the same seat."""
LONG = 60.0
"""Seconds after which a seat that still does the same is told again."""


async def told_doing(live: LiveGame, screen: PlayScreen, overseer: str | None) -> None:
    """Show on the overseer's screen what each agent does, and for how long, until this is cancelled.

    Nothing is shown where the ruleset has no overseer or that screen is not here: who is asked may be a secret.
    """
    if overseer is None or overseer not in screen.screens or screen.quiet:
        return
    told: dict[Key, tuple[float, str]] = {}
    while True:
        await asyncio.sleep(LOOK)
        at = time.monotonic()
        for key, doing in list(live.doing.items()):
            last, step = told.get(key, (doing.began, ""))
            if at - last < (REST if doing.step != step else LONG):
                continue
            told[key] = at, doing.step
            screen.terminal.print(overseer, partial(screen.hint, told_line(doing, at)))


def told_line(doing: Doing, at: float) -> str:
    """The line about one call: who, on what, for how long, and what it does now."""
    about = f" ({doing.about})" if doing.about else ""
    return one_line(f"{doing.seat}{about}, {told_time(at - doing.began)}: {doing.step}")


def told_time(seconds: float) -> str:
    """Seconds as people say them, such as `1 min 20 s`."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
