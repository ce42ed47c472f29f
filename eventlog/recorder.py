"""The `eventsourcing` library's recorder over the table `events`, for the library's own followers and for the log.

What it selects is the same in both databases, told by statements with `?` for each value; inserting is each one's own.
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
# By id alone: to go through the games in their order would be to go through all events there are.
_NEWS = """
    WITH fresh AS MATERIALIZED (SELECT game, position, id FROM events WHERE id > ?{durable})
    SELECT game, max(position), max(id) FROM fresh GROUP BY game
"""


class Of(NamedTuple):
    """Of which games rows are: a list of ids or a query for them, with `?` for each of the values."""

    games: str
    values: Sequence[Any]

    @classmethod
    def game(cls, game: str) -> Of:
        """Of one game."""
        return cls("?", (game,))


class RowRecorder(ApplicationRecorder):
    """Games are originators, positions their versions, stored names the topics, and bodies the states.

    An event inserted through the library has no decision behind it: it gets an empty envelope, seen by nobody, and does
    not move the game's head, so that `audit verify` reports it.
    """

    durable = ""
    """A condition on an event's id for those that may be shown, where not all that are there may be."""

    @abstractmethod
    def _fetch(self, statement: str, values: Sequence[Any] = (), of: Of | None = None) -> list[Any]:
        """The rows that a statement gives, which are of these games, or of any."""

    def _fetch_durable(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """The rows that a statement gives which bears the condition `durable`."""
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
        """The bodies of one game at positions gt < p <= lte."""
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
        """Events of all games in the order of their commits, numbered upwards; the numbers may have gaps.

        An id once passed is never filled in later: the lock that every insertion takes is held until the commit.
        """
        bounds = [("id >= ?" if inclusive_of_start else "id > ?", start), ("id <= ?", stop)]
        among = [(f"name IN ({','.join('?' * len(topics))})", topics)] if topics else []
        statement, values = _selecting(f"id, {EVENT}", bounds + among, "id", limit, self.durable)
        return [EventNotification.of(row) for row in self._fetch_durable(statement, values)]

    def select_rows(self, game: str, after: int, upto: int) -> list[Any]:
        """The rows of one game at positions after < p <= upto: what the log decodes."""
        return self._fetch(SELECT, (game, after, upto), Of.game(game))

    def select_news(self, after: int) -> list[Any]:
        """The games that were appended to since that id, with their last position and id, and no event of them."""
        return self._fetch_durable(_NEWS.format(durable=self.durable), (after,))

    def max_notification_id(self) -> Any:  # of its recorders the library says `int`, and `int | None`
        """The highest id, None where there are no events."""
        return self._fetch_durable(f"SELECT max(id) FROM events WHERE true{self.durable}")[0][0]

    def subscribe(self, gt: int | None = None, topics: Sequence[str] = ()) -> NoReturn:
        """Not offered: follow with `select_notifications`, whenever the log's `version` has changed."""
        raise NotImplementedError(self.subscribe.__doc__)


def _selecting(
    columns: str, bounds: Sequence[tuple[str, Any]], order: str, limit: int | None, also: str = ""
) -> tuple[str, list[Any]]:
    """The statement that selects events within those of the bounds that are given, and its values."""
    given = [(clause, bound) for clause, bound in bounds if bound is not None]
    where = " AND ".join(clause for clause, _ in given) or "true"
    values = [value for _, bound in given for value in (bound if isinstance(bound, list | tuple) else [bound])]
    statement = f"SELECT {columns} FROM events WHERE {where}{also} ORDER BY {order} LIMIT ?"
    return statement, [*values, NO_LIMIT if limit is None else limit]
