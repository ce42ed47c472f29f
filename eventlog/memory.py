"""The log in memory: the same contract in plain Python, for tests and benchmarks. Nothing survives the process."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from threading import RLock

from pydantic_core import from_json, to_json

from domain.errors import SottovoceError
from domain.events import Recorded
from eventlog.envelope import SECRET_BYTES, START, running_hash
from eventlog.log import (
    Appended,
    Conflict,
    Due,
    Failed,
    Head,
    LeaseLost,
    Outcome,
    Receipt,
    RecordedReceipt,
    StoredRow,
    Write,
)
from eventlog.registry import Registry
from eventlog.sealing import Sealed, append_id, seal
from eventlog.turns import Turns, changed

_Kept = tuple[Receipt, bytes, tuple[str, ...]]
"""A receipt, its data as it was then, and the digests of its blocks."""


@dataclass(slots=True)
class _Game:
    secret: bytes = field(default_factory=lambda: os.urandom(SECRET_BYTES))
    hash: bytes = START
    sealed: list[Sealed] = field(default_factory=list)
    receipts: list[_Kept] = field(default_factory=list)
    turns: Turns = field(default_factory=dict)


class MemoryLog:
    """An `EventLog` in this process's memory."""

    blocking = False

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._games: dict[str, _Game] = {}
        self._blocks: dict[str, str] = {}
        self._version = 0
        self._lock = RLock()

    def commit(self, writes: Sequence[Write]) -> list[Outcome]:
        """See `EventLog.commit`."""
        with self._lock:
            return [self._attempt(write) for write in writes]

    def _attempt(self, write: Write) -> Outcome:
        try:
            return self._write(write)
        except SottovoceError as error:
            return Failed(error)

    def _write(self, write: Write) -> Outcome:
        game = self._games.get(write.game) or _Game()
        if write.expected != len(game.sealed) and (write.drafts or write.stored):
            earlier = [event for event, _ in game.sealed[write.expected :]][: len(write.stored or write.drafts)]
            if earlier and earlier[0].append == append_id(write):
                return Appended(tuple(earlier))
            return Conflict(len(game.sealed))
        sealed = seal(self._registry, write, game.secret)
        turns = changed(game.turns, write) if write.turns else game.turns
        if isinstance(turns, LeaseLost):
            return turns
        game.turns = turns
        game.sealed += sealed
        game.hash = running_hash(game.hash, [event.hash for event, _ in sealed])
        for receipt in write.receipts:
            digests = tuple(sha256(block.encode()).hexdigest() for block in receipt.blocks)
            self._blocks.update(zip(digests, receipt.blocks, strict=True))
            game.receipts.append((receipt, to_json(receipt.data), digests))
        self._games[write.game] = game
        self._version += 1
        return Appended(tuple(event for event, _ in sealed))

    def read(self, game: str, after: int = 0, upto: int | None = None) -> list[Recorded]:
        """See `EventLog.read`."""
        with self._lock:
            return [event for event, _ in self._sealed(game)[after:upto]]

    def rows(self, game: str) -> Iterator[StoredRow]:
        """See `EventLog.rows`."""
        with self._lock:
            return iter([row for _, row in self._sealed(game)])

    def games(self) -> list[str]:
        """See `EventLog.games`."""
        with self._lock:
            return list(self._games)

    def head(self, game: str) -> Head | None:
        """See `EventLog.head`."""
        with self._lock:
            found = self._games.get(game)
            return Head(len(found.sealed), found.hash) if found else None

    def receipts(self, game: str, seat: str | None = None) -> list[RecordedReceipt]:
        """See `EventLog.receipts`."""
        with self._lock:
            found = self._games.get(game)
            kept = found.receipts if found else []
            return [
                RecordedReceipt(game, number, *_plain(receipt), from_json(data), digests)
                for number, (receipt, data, digests) in enumerate(kept, 1)
                if seat in (None, receipt.seat)
            ]

    def block(self, digest: str) -> str:
        """See `EventLog.block`."""
        with self._lock:
            return self._blocks[digest]

    def due(self, game: str | None = None) -> list[Due]:
        """See `EventLog.due`."""
        with self._lock:
            games = self._games.values() if game is None else [self._games[game]] if game in self._games else []
            return sorted((turn for found in games for turn in found.turns.values()), key=lambda turn: turn.opened_at)

    def lease(
        self, game: str, turns: Sequence[tuple[str, int]], worker: str, at: datetime, until: datetime
    ) -> list[Due]:
        """See `EventLog.lease`."""
        leased = []
        with self._lock:
            open_turns = self._turns(game)
            for key in turns:
                turn = open_turns.get(key)
                if turn and (turn.worker is None or turn.leased_until is None or turn.leased_until <= at):
                    turn = replace(turn, worker=worker, epoch=turn.epoch + 1, leased_until=until.astimezone(UTC))
                    open_turns[key] = turn
                    leased.append(turn)
            self._version += bool(leased)
        return leased

    def release(self, game: str, seat: str, turn: int, epoch: int) -> bool:
        """See `EventLog.release`."""
        with self._lock:
            turns = self._turns(game)
            held = turns.get((seat, turn))
            if held is None or held.worker is None or held.epoch != epoch:
                return False
            turns[seat, turn] = replace(held, worker=None, leased_until=None)
            self._version += 1
            return True

    def renew(self, worker: str, until: datetime) -> int:
        """See `EventLog.renew`."""
        with self._lock:
            held = [
                (game.turns, key)
                for game in self._games.values()
                for key, turn in game.turns.items()
                if turn.worker == worker
            ]
            for turns, key in held:
                turns[key] = replace(turns[key], leased_until=until.astimezone(UTC))
            self._version += bool(held)
        return len(held)

    def version(self) -> int:
        """See `EventLog.version`."""
        return self._version

    def close(self) -> None:
        """See `EventLog.close`."""

    def _sealed(self, game: str) -> list[Sealed]:
        found = self._games.get(game)
        return found.sealed if found else []

    def _turns(self, game: str) -> Turns:
        found = self._games.get(game)
        return found.turns if found else {}


def _plain(receipt: Receipt) -> tuple[str, datetime, str]:
    return receipt.name, receipt.at.astimezone(UTC), receipt.seat
