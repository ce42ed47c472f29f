"""Leases on a game's open turns: the holder of a lease can call the agent. All functions ask the log and can block."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from sottovoce.server.games import Games
from sottovoce.server.live import Key
from sottovoce.server.liveness import surely_dead


class Taken(NamedTuple):
    """The epochs of the turns that are this worker's now, and the turns that have no row: closed, or damaged."""

    epochs: dict[Key, int]
    absent: frozenset[Key]


def taken(games: Games, game: str, keys: Collection[Key]) -> Taken:
    """Lease those of the turns that no living worker holds."""
    at, log = games.clock(), games.log
    epochs: dict[Key, int] = {}
    free = []
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
    if free:
        for due in log.lease(game, free, games.worker, at, at + games.lease):
            epochs[due.seat, due.turn] = due.epoch
    return Taken(epochs, frozenset(absent))


def handed_back(games: Games, game: str) -> None:
    """Let others have the turns of the game that this worker holds."""
    for due in games.log.due(game):
        if due.worker == games.worker:
            games.log.release(game, due.seat, due.turn, due.epoch)
