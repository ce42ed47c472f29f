"""Read what other processes may have just appended, and return nothing that is not on the disk yet."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from sottovoce.eventlog.errors import LogBusy
from sottovoce.eventlog.postgres.batch import Row
from sottovoce.eventlog.postgres.flush import flushed, question, row_of, settle
from sottovoce.eventlog.postgres.sessions import PATIENCE, Connection, Session, round_trip
from sottovoce.eventlog.postgres.wakeups import Wakeups
from sottovoce.eventlog.recorder import Of

LATE = 0.1
"""Seconds after which a reader flushes itself, because the appending process may have died."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.001, 0.016
"""Seconds between checks whether something is flushed, when no announcement arrives."""


class _Seen(NamedTuple):
    """Rows, the number of the connection they came from, and what `question` returned after them."""

    rows: list[Row]
    made: int
    mark: int
    flushed: int


class DurableReads:
    """Durable reads on one session. If something is not durable yet, it waits and lets others use the session
    meanwhile.

    Raises LogBusy if the server can't flush anything for `PATIENCE` seconds.
    """

    def __init__(self, asking: Session, wakeups: Wakeups) -> None:
        self._asking = asking
        self._wakeups = wakeups

    def fetch(self, statement: str, values: Sequence[Any] = (), of: Of | None = None) -> list[Row]:
        """Return the rows of a statement, which belong to these games, or to any."""
        while True:
            seen = self._seen(statement, values, of)
            if self._is_flushed(seen):
                return seen.rows

    def fetch_durable(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        """Return the rows of a statement that reads only what is flushed.

        If there are none, wait for what is not flushed yet and ask once more.
        """
        seen = self._seen(statement, values, None)
        if seen.rows or seen.flushed >= seen.mark:
            return seen.rows
        self._is_flushed(seen)
        return self._seen(statement, values, None).rows

    def wait(self, of: Of) -> None:
        """Return once everything committed to these games by now is durable."""
        self.fetch("SELECT 1", (), of)

    def wait_on(self, connection: Connection) -> None:
        """Return once everything that this other connection may have seen by now is durable."""
        mark, upto = row_of(connection, question())
        if upto < mark:
            self._until(mark, lambda: flushed(connection))

    def _seen(self, statement: str, values: Sequence[Any], of: Of | None) -> _Seen:
        asked = (statement.replace("?", "%b"), values)

        def work(connection: Connection) -> _Seen:
            rows, about = round_trip(connection, [asked, question(of)])
            mark, upto = about.fetchall()[0]
            return _Seen(rows.fetchall(), self._asking.made, mark, upto)

        return self._asking.run(work)

    def _is_flushed(self, seen: _Seen) -> bool:
        """Wait until what was seen is flushed.

        Return False if that can't be known any more, because the connection was lost and another may lead to a server
        that never had it.
        """

        def work(connection: Connection) -> int | None:
            return flushed(connection) if self._asking.made == seen.made else None

        return seen.flushed >= seen.mark or self._until(seen.mark, lambda: self._asking.run(work))

    def _until(self, mark: int, asked: Callable[[], int | None]) -> bool:
        began = time.monotonic()
        late, pause = began + LATE, _FIRST_PAUSE
        while True:
            self._wakeups.wait(mark, pause)
            upto = asked()
            if upto is None or upto >= mark:
                return upto is not None
            pause = min(2 * pause, _LONGEST_PAUSE)
            if (now := time.monotonic()) > late:
                if now > began + PATIENCE:
                    raise LogBusy(f"{self._asking.address} can't write to its disk. Check the server and try again")
                self._asking.run(settle)
                late = time.monotonic() + LATE
