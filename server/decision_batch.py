"""A stretch of a game: decisions that one commit stores together, each taken on what the ones before it came to.

It is for agents within this process that answer at once. While it lasts the game here is ahead of the log, and nothing
of it leaves the process; what is not stored as it was decided is forgotten, as if nobody had been asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sottovoce.domain.events import Recorded
from sottovoce.eventlog.log import Appended, Outcome, TurnChange, Write
from sottovoce.server.live import LiveGame

LONGEST = 16
"""Decisions after which a stretch is stored. Who watches from another process sees them together, and a process that is
killed has them to do again."""


class DecisionBatch:
    """The writes of a batch, and the length of the game before them. Its user holds the game's lock."""

    def __init__(self, live: LiveGame) -> None:
        self.live = live
        self.start = live.length
        self.writes: list[Write] = []
        self.last = ""
        """The append id of the last write with events."""
        self._state = live.state

    def take(self, write: Write, state: Any, turns: Sequence[TurnChange] = ()) -> None:
        """Take the game on by one write, to the state that its events lead to."""
        self.writes.append(write)
        if write.drafts:
            self.last = write.append
            self.live.follow(_provisional(write), state)
        self.live.changed(turns)

    def settle(self, outcomes: Sequence[Outcome]) -> bool:
        """Replace the expected events with those that were stored.

        Returns False if not all were stored; the game is then as it was before the batch.
        """
        events: list[Recorded] = []
        for outcome in outcomes:
            if type(outcome) is not Appended:
                self.undo()
                return False
            events += outcome.events
        self.live.recorded[self.start :] = events
        return True

    def undo(self) -> None:
        """Have the game as it was before the stretch."""
        self.live.restore(self.start, self._state)


def _provisional(write: Write) -> list[Recorded]:
    """The events of the write, as far as a view looks at them: without causes, bodies, salts and hashes."""
    game, append, at = write.game, write.append, write.at
    events: list[Recorded] = []
    for position, draft in enumerate(write.drafts, write.expected + 1):
        event = draft.event
        name, actor = event.stored_name, event.actor
        events.append(Recorded(game, position, append, name, at, actor, draft.audience, None, b"", b"", b"", event))
    return events
