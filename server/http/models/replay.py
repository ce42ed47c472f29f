"""A viewer's whole record of a game, from which a replay is made."""

from __future__ import annotations

from pydantic import with_config

from sottovoce.domain.piece import CLOSED
from sottovoce.projections.exports import FullEvent
from sottovoce.projections.pieces import EntryJson
from sottovoce.projections.track import HeadJson


@with_config(CLOSED)
class PlacedEntry(EntryJson):
    """A seat's entry for an auditor: with its position in the log."""

    position: int


@with_config(CLOSED)
class Replay(HeadJson):
    """A viewer's whole replay of a game.

    `chairs` are the seats whose replays this link can get; `seq` is the last entry's number; `offices` are the seats
    named by what they do; `layout` is how the page sets the game; `started` is the first entry's time, or null.
    """

    entries: list[EntryJson | PlacedEntry | FullEvent]
