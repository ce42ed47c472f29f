"""Appends let go of their lock before they are on the disk; here is what keeps anybody from being shown them earlier.

Whoever appends commits twice: first all that it appends, without waiting for the disk, which lets the next one have the
lock; then nothing but a note in the write-ahead log, and waits. With that everything is on the disk that was committed
before it, on the synchronous standbys too where the server has any. Only then is it published: the sequence `flushed`
says up to which number of `events_id_seq` all is durable.

Every append draws such a number, which is the highest `id` of its events if it has any, and leaves it as `mark` in the
heads of its games. Since numbers are drawn under the lock, nothing before a flushed one can be lost any more. What is
read is handed on once the marks it bears are flushed.
"""

from __future__ import annotations

from collections.abc import Sequence

from sottovoce.eventlog.postgres.batch import CHANNEL, ORDER_LOCK, Row, Statement
from sottovoce.eventlog.postgres.sessions import Connection, round_trip
from sottovoce.eventlog.recorder import Of

FLUSHED_LOCK = ORDER_LOCK + 2
"""The advisory lock of whoever publishes: the second after that of the appends."""

BEGIN: Statement = ("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", ())
COMMIT: Statement = ("COMMIT", ())
ORDERED: Statement = (
    "SELECT extract(epoch FROM clock_timestamp() - statement_timestamp())::float8"
    f" FROM pg_advisory_xact_lock({ORDER_LOCK})",
    (),
)
"""Takes the lock of all appends until the end of the transaction, and gives the seconds that it waited."""

UNFLUSHED: Statement = ("SELECT set_config('synchronous_commit', 'off', true)", ())
"""Lets the commit of this transaction alone return before it is on the disk."""

# A transaction waits for the disk only where it has written something itself.
FLUSH: Sequence[Statement] = (BEGIN, ("SELECT pg_logical_emit_message(true, 'sottovoce', '')", ()), COMMIT)
"""A commit of nothing: once it returns, all is durable that was committed before it."""

# Before the first number is drawn, `last_value` is the one to come.
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
"""Up to which number everything is durable."""

ANNOUNCE: Sequence[Statement] = (BEGIN, UNFLUSHED, (f"SELECT pg_notify('{CHANNEL}', '')", ()), COMMIT)
"""Tells everybody of a change that bears no number. Notifications have a lock of their own for the whole server, so
none is sent by a transaction that waits for the disk."""

PUBLISH: Sequence[Statement] = (BEGIN, UNFLUSHED, _LONE, _OWN, COMMIT)
"""Says that everything up to the number that this session drew last is flushed, and tells everybody."""

DRAWN: Statement = (f"SELECT {_DRAWN}", ())
"""The number that was drawn last. Under the lock, all that bear it or a lower one are committed or will never be."""


def flush(connection: Connection, upto: int) -> None:
    """Make durable and publish what bears a number up to that one, all of which must have been committed."""
    round_trip(connection, [*FLUSH, BEGIN, UNFLUSHED, _LONE, (_TELL.format("%b::bigint"), (upto, upto)), COMMIT])


def settle(connection: Connection) -> int:
    """Make durable and publish what was committed and is not yet, unless somebody is appending, who then will; up to
    which number everything is durable.

    For where whoever appended seems to have died between the two commits.
    """
    (finished,) = row_of(connection, _FINISHED)
    if finished is not None:
        flush(connection, finished)
    return flushed(connection)


def flushed(connection: Connection) -> int:
    """Up to which number everything is durable."""
    upto: int = row_of(connection, UPTO)[0]
    return upto


def mend(connection: Connection) -> None:
    """Take back what was published beyond the last number drawn: a dump has each sequence as of another moment."""
    round_trip(connection, [BEGIN, ORDERED, _LONE, _BEYOND, COMMIT])


def question(of: Of | None = None) -> Statement:
    """The highest mark that rows of these games may bear, of any if None, and up to which number all is flushed.

    On a standby everything is flushed: a primary sends nothing that is not on its own disk.
    """
    if of is None:
        mark, values = _DRAWN, ()
    else:
        games = of.games.replace("?", "%b")
        highest = f"coalesce((SELECT max(mark) FROM heads WHERE game IN ({games})), 0)"
        mark, values = f"least({highest}, {_DRAWN})", tuple(of.values)
    return f"SELECT CASE WHEN pg_is_in_recovery() THEN 0 ELSE {mark} END, {_FLUSHED}", values


def row_of(connection: Connection, statement: Statement) -> Row:
    """The one row of a statement."""
    (cursor,) = round_trip(connection, [statement])
    row = cursor.fetchone()
    assert row is not None
    return row
