"""The head of a game, which must exist."""

from __future__ import annotations

from sottovoce.eventlog.log import EventLog, Head


def head_of(log: EventLog, game: str) -> Head:
    """Return the game's head. A game without one fails the test."""
    head = log.head(game)
    assert head is not None, f"{game} has no head"
    return head
