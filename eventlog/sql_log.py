"""What the logs in a database have in common: reading."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from sottovoce.domain.events import Recorded
from sottovoce.eventlog.decoding import HEAD, NO_LIMIT, RECEIPT, TURN, decoded, due_of, noted, receipt_of, text_of
from sottovoce.eventlog.envelope import to_micros
from sottovoce.eventlog.leases import FREE, free_at
from sottovoce.eventlog.links import LINK
from sottovoce.eventlog.log import Due, Head, News, RecordedReceipt, StoredHead, StoredLink, TurnCounts
from sottovoce.eventlog.recorder import Of, RowRecorder
from sottovoce.eventlog.registry import Registry

_SELECT_HEAD = f"SELECT {HEAD}, taken_over FROM heads WHERE game = ?"
_SELECT_HEADS = f"SELECT {HEAD}, taken_over FROM heads ORDER BY id"
SELECT_RECEIPTS = f"SELECT {RECEIPT} FROM receipts WHERE game = ?"
_SELECT_LINK = f"SELECT {LINK} FROM links WHERE digest = ? AND ended IS NULL"
_SELECT_LINKS = f"SELECT {LINK} FROM links WHERE game = ? ORDER BY number"
_SELECT_ENDINGS = "SELECT coalesce(max(ending), 0) FROM links"
_LINKED = "SELECT game FROM links WHERE digest = ?"
_ENDED = "SELECT game FROM links WHERE ending > ?"
_SELECT_ENDED = "SELECT ending, digest FROM links WHERE ending > ? ORDER BY ending"

_COUNT_TURNS = f"""
    SELECT count(*), count(CASE WHEN expires <= ? THEN 1 END), count(worker),
        count(CASE WHEN worker IS NOT NULL AND {FREE} THEN 1 END)
    FROM turns
"""


class SqlLog(ABC):
    """The reading half of an `EventLog` in a database, with statements that use `?` for each value."""

    recorder: RowRecorder
    _registry: Registry

    @abstractmethod
    def _fetch(self, statement: str, values: Sequence[Any] = (), of: Of | None = None) -> list[Any]:
        """Return the rows of a statement, which belong to these games, or to any."""

    @abstractmethod
    def _text(self, digest: bytes) -> bytes | None:
        """Return the compressed text with that digest."""

    def read(self, game: str, after: int = 0, upto: int | None = None) -> list[Recorded]:
        """See `EventLog.read`."""
        return decoded(self._registry, self.recorder.select_rows(game, after, NO_LIMIT if upto is None else upto))

    def notifications(
        self, after: int, names: Sequence[str], upto: int | None = None, limit: int = NO_LIMIT
    ) -> list[tuple[int, Recorded]]:
        """See `EventLog.notifications`."""
        found = self.recorder.select_notifications(after, limit, upto, names, inclusive_of_start=False)
        return noted(self._registry, found)

    def newest(self) -> int:
        """See `EventLog.newest`."""
        return self.recorder.max_notification_id() or 0

    def news(self, after: int) -> News:
        """See `EventLog.news`."""
        return News.of(after, self.recorder.select_news(after))

    def head(self, game: str) -> Head | None:
        """See `EventLog.head`."""
        found = self._fetch(_SELECT_HEAD, (game,), Of.game(game))
        return Head.of(StoredHead._make(found[0][:-1]), found[0][-1]) if found else None

    def heads(self) -> Iterator[tuple[str, Head]]:
        """See `EventLog.heads`."""
        for row in self._fetch(_SELECT_HEADS):
            yield row[0], Head.of(StoredHead._make(row[:-1]), row[-1])

    def receipts(self, game: str, seat: str | None = None) -> list[RecordedReceipt]:
        """See `EventLog.receipts`."""
        one, values = ("", (game,)) if seat is None else (" AND seat = ?", (game, seat))
        found = self._fetch(f"{SELECT_RECEIPTS}{one} ORDER BY number", values, Of.game(game))
        return [receipt_of(row) for row in found]

    def link(self, digest: bytes) -> StoredLink | None:
        """See `EventLog.link`."""
        found = self._fetch(_SELECT_LINK, (digest,), Of(_LINKED, (digest,)))
        return StoredLink._make(found[0]) if found else None

    def links(self, game: str) -> list[StoredLink]:
        """See `EventLog.links`."""
        return [StoredLink._make(row) for row in self._fetch(_SELECT_LINKS, (game,), Of.game(game))]

    def links_ended(self, after: int | None) -> tuple[int, list[bytes]]:
        """See `EventLog.links_ended`.

        Ended links are counted under the lock of all appends, which is held until the commit.
        """
        if after is None:
            return self._fetch(_SELECT_ENDINGS)[0][0], []
        found = self._fetch(_SELECT_ENDED, (after,), Of(_ENDED, (after,)))
        return found[-1][0] if found else after, [digest for _, digest in found]

    def block(self, digest: str) -> str:
        """See `EventLog.block`."""
        try:
            compressed = self._text(bytes.fromhex(digest))
        except ValueError:
            compressed = None
        if compressed is None:
            raise KeyError(digest)
        return text_of(digest, compressed)

    def turn_counts(self, at: datetime) -> TurnCounts:
        """See `EventLog.turn_counts`."""
        now = to_micros(at)
        return TurnCounts._make(self._fetch(_COUNT_TURNS, (now, *free_at(now)))[0])

    def due(self, game: str | None = None) -> list[Due]:
        """See `EventLog.due`."""
        where, of = ("", None) if game is None else (" WHERE game = ?", Of.game(game))
        statement = f"SELECT {TURN} FROM turns{where} ORDER BY opened_at, id"
        return [due_of(row) for row in self._fetch(statement, of.values if of else (), of)]
