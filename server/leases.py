"""Leases on a game's open turns: the holder of a lease can call the agent. All functions ask the log and can block."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import NamedTuple

from sottovoce.domain.turns import NOTHING
from sottovoce.server.games import Games
from sottovoce.server.live import Key
from sottovoce.server.liveness import surely_dead


class Taken(NamedTuple):
    """The epochs of the turns that are this worker's now, and the turns that have no row: closed, or damaged.

    `left` are those that another worker let go of without a word, with the last time at which it is known to have
    lived.
    """

    epochs: dict[Key, int]
    absent: frozenset[Key]
    left: Mapping[Key, datetime] = NOTHING


def taken(games: Games, game: str, keys: Collection[Key]) -> Taken:
    """Lease those of the turns that no living worker holds."""
    at, log = games.clock(), games.log
    epochs: dict[Key, int] = {}
    free = []
    left: dict[Key, datetime] = {}
    absent = set(keys)
    for due in log.due(game):
        key = (due.seat, due.turn)
        if key not in absent:
            continue
        absent.remove(key)
        if due.worker == games.worker:
            epochs[key] = due.epoch
        elif due.is_free(at) or (surely_dead(due.worker or "") and log.release(game, due.seat, due.turn, due.epoch)):
            free.append(key)
            if due.worker is not None and due.leased_until is not None:
                left[key] = due.leased_until - games.lease
    if free:
        for due in log.lease(game, free, games.worker, at, at + games.lease):
            epochs[due.seat, due.turn] = due.epoch
    return Taken(epochs, frozenset(absent), left)


def handed_back(games: Games, game: str) -> None:
    """Let others have the turns of the game that this worker holds."""
    for due in games.log.due(game):
        if due.worker == games.worker:
            games.log.release(game, due.seat, due.turn, due.epoch)
