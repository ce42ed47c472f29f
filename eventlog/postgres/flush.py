"""Release the append lock before the disk has the data, without showing anything to readers before it is durable.

An append commits twice. The first commit stores everything without waiting for the disk, so the next append gets the
lock. The second commit only writes a note to the write-ahead log, and waits. Then everything committed before it is on
the disk, and on the synchronous standbys if there are any. Only then is it published: the sequence `flushed` says up to
which number of `events_id_seq` everything is durable.

Every append draws such a number. It is the highest `id` of its events, if any, and is stored as `mark` in the heads of
its games. Numbers are drawn under the lock, so nothing up to a flushed number can be lost any more. A reader passes
rows on once their marks are flushed.
"""

from __future__ import annotations

from collections.abc import Sequence

from sottovoce.eventlog.postgres.batch import CHANNEL, ORDER_LOCK, Row, Statement
from sottovoce.eventlog.postgres.sessions import Connection, round_trip
from sottovoce.eventlog.recorder import Of

FLUSHED_LOCK = ORDER_LOCK + 2
"""The advisory lock for publishing: the next one after that of the appends."""

BEGIN: Statement = ("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", ())
COMMIT: Statement = ("COMMIT", ())
ORDERED: Statement = (
    "SELECT extract(epoch FROM clock_timestamp() - statement_timestamp())::float8"
    f" FROM pg_advisory_xact_lock({ORDER_LOCK})",
    (),
)
"""Takes the lock of all appends until the end of the transaction, and returns the seconds it waited."""

UNFLUSHED: Statement = ("SELECT set_config('synchronous_commit', 'off', true)", ())
"""Lets only this transaction's commit return before it is on the disk."""

# A transaction waits for the disk only if it has written something itself.
FLUSH: Sequence[Statement] = (BEGIN, ("SELECT pg_logical_emit_message(true, 'sottovoce', '')", ()), COMMIT)
"""An empty commit. When it returns, everything committed before it is durable."""

# Before the first number is drawn, `last_value` is the next one.
_DRAWN = "(SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM events_id_seq)"
_FLUSHED = "(SELECT last_value FROM flushed)"
_LONE: Statement = (f"SELECT pg_advisory_xact_lock({FLUSHED_LOCK})", ())
_TELL = f"SELECT setval('flushed', greatest(last_value, {{0}})), pg_notify('{CHANNEL}', {{0}}::text) FROM flushed"
_OWN: Statement = (_TELL.format("currval('events_id_seq')"), ())
_FINISHED: Statement = (
    f"SELECT CASE WHEN {_FLUSHED} < {_DRAWN} AND NOT pg_is_in_recovery()"
    f" AND pg_try_advisory_xact_lock_shared({ORDER_LOCK}) THEN {_DRAWN} END",
    (),
)
_BEYOND: Statement = (f"SELECT setval('flushed', {_DRAWN}) FROM flushed WHERE last_value > {_DRAWN}", ())
UPTO: Statement = (f"SELECT {_FLUSHED}", ())
"""Returns the number up to which everything is durable."""

ANNOUNCE: Sequence[Statement] = (BEGIN, UNFLUSHED, (f"SELECT pg_notify('{CHANNEL}', '')", ()), COMMIT)
"""Announces a change without a number.

PostgreSQL has one notification lock for the whole server, so no transaction that waits for the disk sends one.
"""

PUBLISH: Sequence[Statement] = (BEGIN, UNFLUSHED, _LONE, _OWN, COMMIT)
"""Publishes that everything up to this session's last number is flushed, and announces it."""

DRAWN: Statement = (f"SELECT {_DRAWN}", ())
"""The last number drawn. Under the lock, everything with this or a lower number is committed or never will be."""


def flush(connection: Connection, upto: int) -> None:
    """Make durable and publish everything up to this number. All of it must be committed."""
    round_trip(connection, [*FLUSH, BEGIN, UNFLUSHED, _LONE, (_TELL.format("%b::bigint"), (upto, upto)), COMMIT])


def settle(connection: Connection) -> int:
    """Make durable and publish everything committed so far, unless an append is running, which will do it. Return the
    number up to which everything is durable.

    Use it when an appending process seems to have died between its two commits.
    """
    (finished,) = row_of(connection, _FINISHED)
    if finished is not None:
        flush(connection, finished)
    return flushed(connection)


def flushed(connection: Connection) -> int:
    """Return the number up to which everything is durable."""
    upto: int = row_of(connection, UPTO)[0]
    return upto


def mend(connection: Connection) -> None:
    """Take back what was published beyond the last number drawn: a dump reads each sequence at a different moment."""
    round_trip(connection, [BEGIN, ORDERED, _LONE, _BEYOND, COMMIT])


def question(of: Of | None = None) -> Statement:
    """Query the highest mark of these games' rows (of all games if None), and the number up to which everything is
    flushed.

    On a standby everything is flushed, because a primary only sends what is on its disk.
    """
    if of is None:
        mark, values = _DRAWN, ()
    else:
        games = of.games.replace("?", "%b")
        highest = f"coalesce((SELECT max(mark) FROM heads WHERE game IN ({games})), 0)"
        mark, values = f"least({highest}, {_DRAWN})", tuple(of.values)
    return f"SELECT CASE WHEN pg_is_in_recovery() THEN 0 ELSE {mark} END, {_FLUSHED}", values


def row_of(connection: Connection, statement: Statement) -> Row:
    """Return the one row of a statement."""
    (cursor,) = round_trip(connection, [statement])
    row = cursor.fetchone()
    assert row is not None
    return row
