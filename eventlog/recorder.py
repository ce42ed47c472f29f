"""The `eventsourcing` library's recorder over the table `events`, for the library's own followers and for the log.

Selecting is the same for both databases, with `?` for each value. Inserting differs.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn
from uuid import UUID

from eventsourcing.persistence import ApplicationRecorder, StoredEvent

from sottovoce.eventlog.decoding import EVENT, NO_LIMIT
from sottovoce.eventlog.notification import EventNotification

SELECT = f"SELECT {EVENT} FROM events WHERE game = ? AND position > ? AND position <= ? ORDER BY position"
_LIBRARY = "game, position, name, body"
# Filter only by ID: going through the games in order would read all events.
_NEWS = """
    WITH fresh AS MATERIALIZED (SELECT game, position, id FROM events WHERE id > ?{durable})
    SELECT game, max(position), max(id) FROM fresh GROUP BY game
"""


class Of(NamedTuple):
    """The games to select: a list of IDs, or a query for them, with `?` for each value."""

    games: str
    values: Sequence[Any]

    @classmethod
    def game(cls, game: str) -> Of:
        """Select one game."""
        return cls("?", (game,))


class RowRecorder(ApplicationRecorder):
    """Games are originators, positions their versions, stored names the topics, and bodies the states.

    An event inserted through the library comes from no decision. It gets an empty envelope that nobody sees and does
    not move the game's head, so `audit verify` reports it.
    """

    durable = ""
    """A condition on an event's ID for the events that can be shown, if not all of them can."""

    @abstractmethod
    def _fetch(self, statement: str, values: Sequence[Any] = (), of: Of | None = None) -> list[Any]:
        """Return the rows of a statement, which belong to these games, or to any."""

    def _fetch_durable(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """Return the rows of a statement that contains the condition `durable`."""
        return self._fetch(statement, values)

    def select_events(
        self,
        originator_id: UUID | str,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Sequence[StoredEvent]:
        """Return the bodies of one game at positions gt < p <= lte."""
        bounds = [("game = ?", str(originator_id)), ("position > ?", gt), ("position <= ?", lte)]
        statement, values = _selecting(_LIBRARY, bounds, "position DESC" if desc else "position", limit)
        return [StoredEvent(*row) for row in self._fetch(statement, values, Of.game(str(originator_id)))]

    def select_notifications(
        self,
        start: int | None,
        limit: int,
        stop: int | None = None,
        topics: Sequence[str] = (),
        *,
        inclusive_of_start: bool = True,
    ) -> Sequence[EventNotification]:
        """Return events of all games in commit order, with growing numbers that can have gaps.

        A gap is never filled later, because the lock that every insertion takes is held until the commit.
        """
        bounds = [("id >= ?" if inclusive_of_start else "id > ?", start), ("id <= ?", stop)]
        among = [(f"name IN ({','.join('?' * len(topics))})", topics)] if topics else []
        statement, values = _selecting(f"id, {EVENT}", bounds + among, "id", limit, self.durable)
        return [EventNotification.of(row) for row in self._fetch_durable(statement, values)]

    def select_rows(self, game: str, after: int, upto: int) -> list[Any]:
        """Return the rows of one game at positions after < p <= upto, which the log decodes."""
        return self._fetch(SELECT, (game, after, upto), Of.game(game))

    def select_news(self, after: int) -> list[Any]:
        """Return the games with new events since that ID, with their last position and ID, without the events."""
        return self._fetch_durable(_NEWS.format(durable=self.durable), (after,))

    def max_notification_id(self) -> Any:  # the library declares both `int` and `int | None`
        """Return the highest ID, or None without events."""
        return self._fetch_durable(f"SELECT max(id) FROM events WHERE true{self.durable}")[0][0]

    def subscribe(self, gt: int | None = None, topics: Sequence[str] = ()) -> NoReturn:
        """Not supported. Follow with `select_notifications` whenever the log's `version` has changed."""
        raise NotImplementedError(self.subscribe.__doc__)


def _selecting(
    columns: str, bounds: Sequence[tuple[str, Any]], order: str, limit: int | None, also: str = ""
) -> tuple[str, list[Any]]:
    """Return the statement that selects events within the given bounds, and its values."""
    given = [(clause, bound) for clause, bound in bounds if bound is not None]
    where = " AND ".join(clause for clause, _ in given) or "true"
    values = [value for _, bound in given for value in (bound if isinstance(bound, list | tuple) else [bound])]
    statement = f"SELECT {columns} FROM events WHERE {where}{also} ORDER BY {order} LIMIT ?"
    return statement, [*values, NO_LIMIT if limit is None else limit]
