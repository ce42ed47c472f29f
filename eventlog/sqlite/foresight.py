"""Deciding writes before the file is locked, on what it held when this process last looked.

Rules, hashes and encoding are most of what a batch costs, and while they are at work nobody else need wait. What was
decided is stored only where the file still holds what it was decided on: each statement that changes a row names what
the row was (`sottovoce.eventlog.sqlite.batch.store`). So what is kept here may be old, and never makes anything wrong.
"""

from __future__ import annotations

from collections.abc import Sequence

from sottovoce.eventlog.decision import Decision, Found, TurnKey, asked, decide
from sottovoce.eventlog.log import Appended, StoredHead, StoredTurn, Write
from sottovoce.eventlog.registry import Registry
from sottovoce.eventlog.sqlite.batch import found
from sottovoce.eventlog.sqlite.datastore import LogDatastore

GAMES = 2_000
"""Of so many games it is kept what they were; then all are forgotten, and read again as they are written to."""


class Foresight:
    """The heads and open turns of games as this process last knew them. Safe to use from any thread."""

    def __init__(self, registry: Registry, datastore: LogDatastore) -> None:
        self._registry = registry
        self._datastore = datastore
        self._heads: dict[str, StoredHead] = {}
        self._turns: dict[TurnKey, StoredTurn] = {}

    def decide(self, writes: Sequence[Write]) -> tuple[Decision, Found] | None:
        """What becomes of the writes, and what that was decided on.

        None where it has to be decided under the lock: where links or texts are among them, which no row of a game
        tells of, and where one of them would not be appended.
        """
        for write in writes:
            if write.links or write.stored:
                return None
            for receipt in write.receipts:
                if receipt.blocks:
                    return None
        known = self._known(writes)
        decision = decide(self._registry, writes, known)
        if all(type(outcome) is Appended for outcome in decision.outcomes):
            return decision, known
        return None

    def learn(self, decision: Decision, known: Found) -> None:
        """Keep what the file holds after this was stored."""
        heads, turns = self._heads, self._turns
        if len(heads) > GAMES:
            heads.clear()
            turns.clear()
        heads.update(known.heads)
        turns.update(known.turns)
        heads.update((head.game, head) for head in decision.begun)
        heads.update((head.game, head) for head in decision.grown)
        turns.update((turn[:3], turn) for turn in decision.changed)
        turns.update((turn[:3], turn) for turn in decision.opened)
        for key in decision.closed:
            turns.pop(key, None)

    def _known(self, writes: Sequence[Write]) -> Found:
        """What is known of what these writes ask for. Games that others have written to meanwhile are read again."""
        heads, turns = self._heads, self._turns
        unknown = [
            write
            for write in writes
            if write.expected and ((head := heads.get(write.game)) is None or head.length < write.expected)
        ]
        if unknown:
            with self._datastore.read() as cursor:
                self.learn(Decision(), found(cursor, self._registry, asked(unknown)))
        keys = [(write.game, change.seat, change.turn) for write in writes for change in write.turns]
        return Found(
            {write.game: head for write in writes if (head := heads.get(write.game)) is not None},
            {key: turn for key in keys if (turn := turns.get(key)) is not None},
            (),
            _nothing,
        )


def _nothing(write: Write) -> tuple[()]:
    return ()
