"""Which games of a log need a worker, as far as the log alone can say: its open turns, and what was appended since."""

from __future__ import annotations

import time
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from sottovoce.eventlog.errors import DamagedLog, UnknownName
from sottovoce.eventlog.log import Due
from sottovoce.server.games import Games
from sottovoce.server.live import LiveGame
from sottovoce.server.liveness import surely_dead
from sottovoce.server.summaries import unfinished

Turn = tuple[str, int, int]
"""A turn as it was left: seat, number and attempt."""


class Followed(NamedTuple):
    """Up to which event somebody has looked, and when, by `time.monotonic`."""

    event: int
    looked: float


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A game as its worker left it: its length, the turns that are not for it, and when the rules wake it up."""

    length: int
    turns: frozenset[Turn]
    wakes_at: datetime | None
    held: bool

    @classmethod
    def of(cls, live: LiveGame, seats: Container[str], wakes_at: datetime | None) -> Snapshot:
        """As it is now, where the agents of these seats are called here."""
        held, turns = live.state.hold is not None, live.state.turns.values()
        others = frozenset((turn.seat, turn.number, turn.attempt) for turn in turns if held or turn.seat not in seats)
        return cls(live.length, others, None if held or live.state.over else wakes_at, held)


class WorkQueue:
    """Looks through a log for one worker. `look` may be called from another thread than all else, once at a time.

    `called` gives the seats of a game whose agents the worker calls, or None where only loading the game would tell.
    """

    def __init__(self, games: Games, called: Callable[[str], Container[str] | None]) -> None:
        self._games = games
        self._called = called
        self._left: dict[str, Snapshot] = {}
        self._moved: dict[str, int] = {}
        self._ended: list[str] = []
        self._followed: int | None = None
        self.followed: Followed | None = None
        """Up to which event it has looked, and when; None before its first look."""

    def leave(self, game: str, left: Snapshot, *, over: bool) -> None:
        """Remember how a game was left; one that is over is forgotten."""
        self._left[game] = left
        self._moved.pop(game, None)
        if over:
            self._ended.append(game)

    def __len__(self) -> int:
        """How many games are remembered."""
        return len(self._left)

    def look(self) -> list[str]:
        """The games that need a worker now, those with the oldest open turns first."""
        at = self._games.clock()
        due: dict[str, list[Due]] = {}
        for item in self._games.log.due():
            due.setdefault(item.game, []).append(item)
        needed = [game for game, items in due.items() if self._calls_for_work(game, items, at)]
        needed += [game for game, left in [*self._left.items()] if left.wakes_at is not None and left.wakes_at <= at]
        self._follow()
        moved = [*self._moved.items()]
        return [*needed, *(game for game, length in moved if self._changed(game, length, due.get(game, ())))]

    def _calls_for_work(self, game: str, items: Sequence[Due], at: datetime) -> bool:
        """Whether a limit has run out, or a turn that this worker may answer is leased by nobody living."""
        left, called = self._left.get(game), self._called(game)
        for due in items:
            known = left is not None and _turn(due) in left.turns
            if due.expires is not None and due.expires <= at and not (known and left is not None and left.held):
                return True
            if not known and (called is None or due.seat in called) and _free(due, at, self._games.worker):
                return True
        return False

    def _follow(self) -> None:
        """Note which games were appended to since the last look; at the first, which are not over."""
        log = self._games.log
        ended, self._ended = self._ended, []
        if self._followed is None:
            try:
                found, self._followed = unfinished(log)
            except (DamagedLog, UnknownName):  # in one game of many: then each is looked at by itself
                self._followed = log.newest()
                found = log.games()[::-1]
            self._moved = dict.fromkeys(found, 0)
        news = log.news(self._followed)
        self._followed = news.newest
        self.followed = Followed(news.newest, time.monotonic())
        for game, length in news.lengths.items():
            left = self._left.get(game)
            if left is None or length > left.length:
                self._moved[game] = length
        for game in ended:
            self._left.pop(game, None)
            self._moved.pop(game, None)

    def _changed(self, game: str, length: int, items: Sequence[Due]) -> bool:
        """Whether a game without turns for workers is unknown, or another one than when it was left."""
        left = self._left.get(game)
        if left is None:
            return not items
        return length > left.length and all(_turn(due) in left.turns for due in items)


def _turn(due: Due) -> Turn:
    return due.seat, due.turn, due.attempt


def _free(due: Due, at: datetime, worker: str) -> bool:
    """Whether nobody living holds the turn."""
    if due.worker == worker:
        return True
    return due.is_free(at) or surely_dead(due.worker or "")
