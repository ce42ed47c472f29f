"""What a write does to the open turns of its game, as a pure function."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC

from eventlog.errors import DamagedLog
from eventlog.log import Due, LeaseLost, TurnChange, Write

Turns = dict[tuple[str, int], Due]
"""Open turns by seat and number."""


def changed(turns: Turns, write: Write) -> Turns | LeaseLost:
    """The open turns after the write; DamagedLog where it opens one that is open."""
    turns = dict(turns)
    for change in write.turns:
        key = (change.seat, change.turn)
        held = turns.get(key)
        if change.what == "open":
            if held is not None:
                raise DamagedLog(f"Game {write.game} already has turn {change.turn} of {change.seat} open")
            turns[key] = _opened(write, change)
        elif held is None or change.epoch not in (None, held.epoch):
            return LeaseLost(change.seat, change.turn)
        elif change.what == "retry":
            turns[key] = replace(_opened(write, change), opened_at=held.opened_at, epoch=held.epoch + 1)
        else:
            del turns[key]
    return turns


def _opened(write: Write, change: TurnChange) -> Due:
    return Due(
        game=write.game,
        seat=change.seat,
        turn=change.turn,
        attempt=change.attempt,
        opened_at=write.at.astimezone(UTC),
        expires=change.expires and change.expires.astimezone(UTC),
        worker=change.worker,
        epoch=int(change.worker is not None),
        leased_until=change.leased_until and change.leased_until.astimezone(UTC),
    )
