"""Leases on a game's open turns: whoever holds one may call the agent. All of this asks the log, and may wait."""

from __future__ import annotations

from collections.abc import Container

from server.games import Games
from server.live import Key
from server.liveness import surely_dead


def taken(games: Games, game: str, keys: Container[Key]) -> dict[Key, int]:
    """Lease those of the turns that no living worker holds; the epochs of all that are this worker's now."""
    at, log = games.clock(), games.log
    epochs: dict[Key, int] = {}
    free = []
    for due in log.due(game):
        key = (due.seat, due.turn)
        if key not in keys:
            continue
        if due.worker == games.worker:
            epochs[key] = due.epoch
        elif (
            due.worker is None
            or (due.leased_until is not None and due.leased_until <= at)
            or (surely_dead(due.worker) and log.release(game, due.seat, due.turn, due.epoch))
        ):
            free.append(key)
    if free:
        for due in log.lease(game, free, games.worker, at, at + games.lease):
            epochs[due.seat, due.turn] = due.epoch
    return epochs


def handed_back(games: Games, game: str) -> None:
    """Let others have the turns of the game that this worker holds."""
    for due in games.log.due(game):
        if due.worker == games.worker:
            games.log.release(game, due.seat, due.turn, due.epoch)
