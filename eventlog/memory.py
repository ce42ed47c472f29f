"""A log in memory for tests and benchmarks: the same contract in plain Python. Nothing survives the process."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from threading import RLock
from typing import Any

from sottovoce.domain.events import Recorded
from sottovoce.eventlog.decision import ReadResult, TurnKey, decide
from sottovoce.eventlog.decoding import NO_LIMIT, due_of, receipt_of
from sottovoce.eventlog.durations import Durations
from sottovoce.eventlog.envelope import to_micros
from sottovoce.eventlog.kept import Kept
from sottovoce.eventlog.links import FoundLinks
from sottovoce.eventlog.log import (
    Appended,
    Due,
    Execute,
    Head,
    Mended,
    News,
    Outcome,
    RecordedReceipt,
    StoredHead,
    StoredLink,
    StoredReceipt,
    StoredRow,
    StoredTurn,
    TurnCounts,
    Write,
)
from sottovoce.eventlog.registry import Registry
from sottovoce.eventlog.sealing import row_of


@dataclass(slots=True)
class _Game:
    events: list[Recorded] = field(default_factory=list)
    receipts: list[StoredReceipt] = field(default_factory=list)


def plain_tables() -> sqlite3.Connection:
    """Return an in-memory SQLite database with the plain tables, as the migrations create them."""
    from sqlalchemy import create_engine
    from sqlalchemy.pool import StaticPool

    from sottovoce.eventlog.schema import metadata, plain

    made = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    metadata.create_all(create_engine("sqlite://", creator=lambda: made, poolclass=StaticPool), plain)
    return made


class MemoryLog:
    """An `EventLog` in this process's memory."""

    blocking = False
    notices: Sequence[str] = ()

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._games: dict[str, _Game] = {}
        self._heads: dict[str, StoredHead] = {}
        self._turns: dict[TurnKey, StoredTurn] = {}
        self._texts: dict[bytes, bytes] = {}
        self._links: dict[str, dict[int, StoredLink]] = {}
        self._digests: dict[bytes, StoredLink] = {}
        links = FoundLinks(self._links, self._digests, 0)
        self._found = ReadResult(self._heads, self._turns, self._texts, self._earlier, links)
        self._order: list[Recorded] = []
        self._tables: Any = None
        self._version = 0
        self._lock = RLock()
        self.waits = Durations()

    def commit(self, writes: Sequence[Write]) -> list[Outcome]:
        """See `EventLog.commit`."""
        with self._lock:
            decision = decide(self._registry, writes, self._found)
            games, heads, turns = self._games, self._heads, self._turns
            for head in decision.begun:
                games[head.game] = _Game()
                heads[head.game] = head
            for head in decision.grown:
                heads[head.game] = head
            for write, outcome in zip(writes, decision.outcomes, strict=True):
                if type(outcome) is Appended and outcome.events:
                    known = games[write.game].events
                    fresh = outcome.events[max(0, len(known) - write.expected) :]
                    known += fresh
                    self._order += fresh
            for receipt in decision.receipts:
                games[receipt.game].receipts.append(receipt)
            for turn in decision.changed:
                turns[turn[:3]] = turn
            for turn in decision.opened:
                turns[turn[:3]] = turn
            for key in decision.closed:
                del turns[key]
            if decision.links:
                self._keep(decision.links)
            if decision.texts:
                self._texts |= decision.texts
            self._version += bool(decision.begun or decision.grown)
            return decision.outcomes

    commit_at_once = commit

    def _keep(self, links: Sequence[StoredLink]) -> None:
        endings = self._found.links.ended
        for link in links:
            self._links.setdefault(link.game, {})[link.number] = self._digests[link.digest] = link
            endings = max(endings, link.ending or 0)
        self._found = self._found._replace(links=FoundLinks(self._links, self._digests, endings))

    def _earlier(self, write: Write) -> Sequence[Recorded]:
        return self._games[write.game].events[write.expected :][: len(write.stored or write.drafts)]

    def read(self, game: str, after: int = 0, upto: int | None = None) -> list[Recorded]:
        """See `EventLog.read`."""
        with self._lock:
            return self._game(game).events[after:upto]

    def rows(self, game: str) -> Iterator[StoredRow]:
        """See `EventLog.rows`."""
        with self._lock:
            return iter([row_of(event) for event in self._game(game).events])

    def games(self, beginning: str = "", limit: int | None = None) -> list[str]:
        """See `EventLog.games`."""
        with self._lock:
            return [game for game in self._games if game.startswith(beginning)][:limit]

    def notifications(
        self, after: int, names: Sequence[str], upto: int | None = None, limit: int = NO_LIMIT
    ) -> list[tuple[int, Recorded]]:
        """See `EventLog.notifications`."""
        with self._lock:
            numbered = enumerate(self._order[after:upto], after + 1)
            return [(id_, event) for id_, event in numbered if not names or event.name in names][:limit]

    def newest(self) -> int:
        """See `EventLog.newest`."""
        return len(self._order)

    def news(self, after: int) -> News:
        """See `EventLog.news`."""
        with self._lock:
            numbered = enumerate(self._order[after:], after + 1)
            return News.of(after, [(event.game, event.position, id_) for id_, event in numbered])

    @contextmanager
    def tables(self, *, commit: bool = False) -> Iterator[Execute]:
        """See `EventLog.tables`."""
        with self._lock:
            if self._tables is None:
                self._tables = plain_tables()
            yield lambda statement, values=(): self._tables.execute(statement, values).fetchall()

    def head(self, game: str) -> Head | None:
        """See `EventLog.head`."""
        found = self._heads.get(game)
        return None if found is None else Head.of(found)

    def heads(self) -> Iterator[tuple[str, Head]]:
        """See `EventLog.heads`."""
        with self._lock:
            return iter([(game, Head.of(head)) for game, head in self._heads.items()])

    def acknowledged(self) -> Mapping[str, Sequence[Kept]]:
        """See `EventLog.acknowledged`. There is no file next to this log."""
        return {}

    def receipts(self, game: str, seat: str | None = None) -> list[RecordedReceipt]:
        """See `EventLog.receipts`."""
        with self._lock:
            return [receipt_of(row) for row in self._game(game).receipts if seat in (None, row.seat)]

    def receipt_rows(self, game: str) -> Iterator[StoredReceipt]:
        """See `EventLog.receipt_rows`."""
        with self._lock:
            return iter(list(self._game(game).receipts))

    def block(self, digest: str) -> str:
        """See `EventLog.block`."""
        with self._lock:
            try:
                return self._texts[bytes.fromhex(digest)].decode()
            except ValueError:
                raise KeyError(digest) from None

    def link(self, digest: bytes) -> StoredLink | None:
        """See `EventLog.link`."""
        found = self._digests.get(digest)
        return None if found is None or found.ended is not None else found

    def links(self, game: str) -> list[StoredLink]:
        """See `EventLog.links`."""
        with self._lock:
            return list(self._links.get(game, {}).values())

    def links_ended(self, after: int | None) -> tuple[int, list[bytes]]:
        """See `EventLog.links_ended`."""
        with self._lock:
            endings = self._found.links.ended
            if after is None or after >= endings:
                return endings, []
            ended = [(link.ending or 0, digest) for digest, link in self._digests.items()]
            return endings, [digest for ending, digest in sorted(ended) if ending > after]

    def rebuild(self, at: datetime) -> Mended:
        """See `EventLog.rebuild`. Only the log itself changes these."""
        return Mended()

    def rebuild_head(self, game: str) -> None:
        """See `EventLog.rebuild_head`."""

    def flaws(self) -> list[str]:
        """See `EventLog.flaws`."""
        return []

    def due(self, game: str | None = None) -> list[Due]:
        """See `EventLog.due`."""
        with self._lock:
            turns = [turn for turn in self._turns.values() if game in (None, turn.game)]
        return [due_of(turn) for turn in sorted(turns, key=lambda turn: turn.opened_at)]

    def turn_counts(self, at: datetime) -> TurnCounts:
        """See `EventLog.turn_counts`."""
        turns = self.due()
        leased = [due for due in turns if due.worker is not None]
        overdue = sum(due.expires is not None and due.expires <= at for due in turns)
        return TurnCounts(len(turns), overdue, len(leased), sum(due.is_free(at) for due in leased))

    def lease(
        self, game: str, turns: Sequence[tuple[str, int]], worker: str, at: datetime, until: datetime
    ) -> list[Due]:
        """See `EventLog.lease`."""
        end = to_micros(until)
        leased = []
        with self._lock:
            for seat, number in turns:
                turn = self._turns.get((game, seat, number))
                if turn and due_of(turn).is_free(at):
                    leased.append(self._set(turn._replace(worker=worker, epoch=turn.epoch + 1, leased_until=end)))
        return [due_of(turn) for turn in leased]

    def release(self, game: str, seat: str, turn: int, epoch: int) -> bool:
        """See `EventLog.release`."""
        with self._lock:
            held = self._turns.get((game, seat, turn))
            if held is None or held.worker is None or held.epoch != epoch:
                return False
            self._set(held._replace(worker=None, leased_until=None))
            return True

    def renew(self, worker: str, until: datetime) -> int:
        """See `EventLog.renew`."""
        with self._lock:
            held = [turn for turn in self._turns.values() if turn.worker == worker]
            for turn in held:
                self._set(turn._replace(leased_until=to_micros(until)))
            return len(held)

    def version(self) -> int:
        """See `EventLog.version`."""
        return self._version

    def close(self) -> None:
        """See `EventLog.close`."""
        with self._lock:
            if self._tables is not None:
                self._tables.close()
                self._tables = None

    def _game(self, game: str) -> _Game:
        return self._games.get(game) or _Game()

    def _set(self, turn: StoredTurn) -> StoredTurn:
        self._turns[turn[:3]] = turn
        self._version += 1
        return turn
