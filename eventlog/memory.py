"""The log in memory: the same contract in plain Python, for tests and benchmarks. Nothing survives the process."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from threading import RLock

from domain.errors import SottovoceError
from domain.events import Recorded
from eventlog.decoding import receipt_of
from eventlog.envelope import SECRET_BYTES, START, running_hash
from eventlog.log import (
    Appended,
    Conflict,
    Due,
    Failed,
    Head,
    LeaseLost,
    Outcome,
    RecordedReceipt,
    StoredReceipt,
    StoredRow,
    Write,
)
from eventlog.registry import Registry
from eventlog.sealing import Sealed, append_id, seal, seal_receipts
from eventlog.turns import Turns, changed


@dataclass(slots=True)
class _Game:
    secret: bytes = field(default_factory=lambda: os.urandom(SECRET_BYTES))
    hash: bytes = START
    sealed: list[Sealed] = field(default_factory=list)
    receipts: list[StoredReceipt] = field(default_factory=list)
    receipts_hash: bytes = START
    turns: Turns = field(default_factory=dict)


class MemoryLog:
    """An `EventLog` in this process's memory."""

    blocking = False

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._games: dict[str, _Game] = {}
        self._blocks: dict[bytes, bytes] = {}
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
        receipts, texts = seal_receipts(write, len(game.receipts) + 1)
        game.receipts += receipts
        game.receipts_hash = running_hash(game.receipts_hash, [row.hash for row in receipts])
        self._blocks |= texts
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

    def batches(self) -> dict[str, list[str]]:
        """See `EventLog.batches`; a log in memory is gone before it could be taken up, and keeps none."""
        return {}

    def head(self, game: str) -> Head | None:
        """See `EventLog.head`."""
        with self._lock:
            found = self._games.get(game)
            if found is None:
                return None
            return Head(len(found.sealed), found.hash, len(found.receipts), found.receipts_hash)

    def receipts(self, game: str, seat: str | None = None) -> list[RecordedReceipt]:
        """See `EventLog.receipts`."""
        with self._lock:
            return [receipt_of(row) for row in self._receipts(game) if seat in (None, row.seat)]

    def receipt_rows(self, game: str) -> Iterator[StoredReceipt]:
        """See `EventLog.receipt_rows`."""
        with self._lock:
            return iter(list(self._receipts(game)))

    def block(self, digest: str) -> str:
        """See `EventLog.block`."""
        with self._lock:
            try:
                return self._blocks[bytes.fromhex(digest)].decode()
            except ValueError:
                raise KeyError(digest) from None

    def flaws(self) -> list[str]:
        """See `EventLog.flaws`."""
        return []

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

    def _receipts(self, game: str) -> list[StoredReceipt]:
        found = self._games.get(game)
        return found.receipts if found else []

    def _turns(self, game: str) -> Turns:
        found = self._games.get(game)
        return found.turns if found else {}
