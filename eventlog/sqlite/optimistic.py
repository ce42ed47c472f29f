"""Decide writes before the file is locked, based on what this process last knew.

Rules, hashes and encoding are most of a batch's cost, and no other process should wait for them. A decision is stored
only if the file still contains what it was based on: each statement that changes a row names the row's old content
(`sottovoce.eventlog.sqlite.batch.store`). So old knowledge here never causes an error.
"""

from __future__ import annotations

from collections.abc import Sequence

from sottovoce.eventlog.decision import Decision, ReadResult, TurnKey, asked, decide
from sottovoce.eventlog.log import Appended, StoredHead, StoredTurn, Write
from sottovoce.eventlog.registry import Registry
from sottovoce.eventlog.sqlite.batch import found
from sottovoce.eventlog.sqlite.datastore import LogDatastore

GAMES = 2_000
"""How many games to remember. Beyond that all are forgotten, and read again when they are written to."""


class OptimisticDecider:
    """The heads and open turns of games as this process last knew them. Safe to use from any thread."""

    def __init__(self, registry: Registry, datastore: LogDatastore) -> None:
        self._registry = registry
        self._datastore = datastore
        self._heads: dict[str, StoredHead] = {}
        self._turns: dict[TurnKey, StoredTurn] = {}

    def decide(self, writes: Sequence[Write]) -> tuple[Decision, ReadResult] | None:
        """Decide the writes. Return the decision and what it was based on.

        Return None if it must be decided under the lock: if the writes contain links or texts, which a game's rows
        don't show, or if one of them would not be appended.
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

    def learn(self, decision: Decision, known: ReadResult) -> None:
        """Remember what the file contains after this was stored."""
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

    def _known(self, writes: Sequence[Write]) -> ReadResult:
        """Return what is known of what these writes need. Games that other processes have written to are read again."""
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
        return ReadResult(
            {write.game: head for write in writes if (head := heads.get(write.game)) is not None},
            {key: turn for key in keys if (turn := turns.get(key)) is not None},
            (),
            _nothing,
        )


def _nothing(write: Write) -> tuple[()]:
    return ()
