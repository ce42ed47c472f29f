"""How the log is doing, as one process sees it: what it appends, how long it waits, and which turns nobody sees to."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from sottovoce.domain.errors import SottovoceError
from sottovoce.eventlog.log import TurnCounts
from sottovoce.server.games import Games
from sottovoce.server.work_queue import Followed


class Look(NamedTuple):
    """One look at the log. `behind` is how many events a follower has not looked at; None without a follower.

    `since` is how many seconds ago it last looked.
    """

    turns: TurnCounts
    behind: int | None
    since: float | None


class Pulse:
    """Looks at the log for monitoring. `followed` says how far this process follows the log, if it does.

    `playing` gives how many games this process is playing.
    """

    def __init__(
        self, games: Games, followed: Callable[[], Followed | None], playing: Callable[[], int] = lambda: 0
    ) -> None:
        self.games = games
        self.playing = playing
        self._followed = followed

    def look(self) -> Look | None:
        """What the log holds now, or None if it cannot be asked. It may wait for the log."""
        log, followed = self.games.log, self._followed()
        try:
            turns = log.turn_counts(self.games.clock())
            if followed is None:
                return Look(turns, None, None)
            return Look(turns, max(0, log.newest() - followed.event), time.monotonic() - followed.looked)
        except SottovoceError:
            return None
