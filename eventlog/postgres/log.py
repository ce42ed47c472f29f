"""A log in a PostgreSQL database, for any number of processes on any number of machines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Any

import psycopg

from sottovoce.domain.events import Recorded
from sottovoce.eventlog.decision import Decision, asked, decide, refused
from sottovoce.eventlog.decoding import EVENT, TURN, decoded, due_of
from sottovoce.eventlog.durations import Durations
from sottovoce.eventlog.envelope import to_micros
from sottovoce.eventlog.errors import AccessDenied, DamagedLog, LogError, WriteRefused
from sottovoce.eventlog.heads import is_lost, made
from sottovoce.eventlog.kept import Kept
from sottovoce.eventlog.leases import FREE, free_at
from sottovoce.eventlog.log import (
    Due,
    Execute,
    Failed,
    Mended,
    Outcome,
    StoredReceipt,
    StoredRow,
    Write,
)
from sottovoce.eventlog.postgres.arrays import Numbers, Texts
from sottovoce.eventlog.postgres.batch import Row, found, questions, storing, witness
from sottovoce.eventlog.postgres.failures import is_refusal
from sottovoce.eventlog.postgres.flush import (
    ANNOUNCE,
    BEGIN,
    COMMIT,
    DRAWN,
    FLUSH,
    ORDERED,
    PUBLISH,
    UNFLUSHED,
    flush,
    mend,
)
from sottovoce.eventlog.postgres.reads import DurableReads
from sottovoce.eventlog.postgres.recorder import EventRecorder
from sottovoce.eventlog.postgres.schema import opened
from sottovoce.eventlog.postgres.sessions import PATIENCE, Address, Connection, Session, fetched, round_trip
from sottovoce.eventlog.postgres.wakeups import Wakeups
from sottovoce.eventlog.rebuild import mended
from sottovoce.eventlog.recorder import SELECT, Of
from sottovoce.eventlog.registry import Registry
from sottovoce.eventlog.sql_log import SELECT_RECEIPTS, SqlLog

_SELECT_RAW = f"SELECT {EVENT} FROM events WHERE game = %b ORDER BY id"
_STRAYS = "SELECT DISTINCT game FROM {table} WHERE game NOT IN (SELECT game FROM heads) ORDER BY game"
_HEAD_GUARDS = "SELECT tgname FROM pg_trigger WHERE tgrelid = 'heads'::regclass AND NOT tgisinternal"
_LEASE = f"""
    WITH free AS (
        SELECT id FROM turns
        WHERE game = %b AND (seat, turn) IN (SELECT * FROM unnest(%b::text[], %b::bigint[]))
            AND ({FREE.replace("?", "%b")} OR worker = %b AND leased_until = %b)
        ORDER BY id FOR UPDATE SKIP LOCKED
    ), leased AS (
        UPDATE turns SET worker = %b, leased_until = %b, epoch = epoch + 1 WHERE id IN (SELECT id FROM free)
        RETURNING {TURN}
    )
    SELECT {TURN} FROM leased
"""
_RELEASE = """
    UPDATE turns SET worker = NULL, leased_until = NULL
    WHERE game = %b AND seat = %b AND turn = %b AND epoch = %b AND worker IS NOT NULL RETURNING id
"""
_RENEW = """
    WITH held AS (
        SELECT id FROM turns WHERE worker = %b ORDER BY id FOR UPDATE
    )
    UPDATE turns SET leased_until = %b WHERE id IN (SELECT id FROM held) RETURNING id
"""


class PostgresLog(SqlLog):
    """An `EventLog` in a database whose schema is up to date.

    Commits use a separate connection, so reading and leasing never wait for one. `version` uses a third, with a
    listening thread. A lost connection is replaced. After `patience` seconds without one, LogUnreachable is raised.
    Readers get what other processes have just appended once it is durable (`sottovoce.eventlog.postgres.flush`).
    """

    blocking = True
    notices: Sequence[str] = ()

    def __init__(self, address: Address, registry: Registry, patience: float = PATIENCE) -> None:
        self.address = address
        self._registry = registry
        self._writing = Session(address, patience)
        self._asking = Session(address, patience)
        self.waits = Durations()
        self._wakeups = Wakeups(address, self._writing, self._asking)
        self._reads = DurableReads(self._asking, self._wakeups)
        self.recorder = EventRecorder(self._writing, self._reads, self._wakeups.saw)
        self._mended = 0
        self._untold = False

    def commit(self, writes: Sequence[Write]) -> list[Outcome]:
        """See `EventLog.commit`."""
        if not writes:
            return []
        doubtful: list[Decision] = []
        stored = True

        def work(connection: Connection) -> list[Outcome]:
            nonlocal stored
            if doubtful and self._was_stored(connection, doubtful[-1]):
                return doubtful[-1].outcomes
            doubtful.clear()
            if self._mended != self._writing.made:
                mend(connection)
                self._mended = self._writing.made
            try:
                outcomes, stored = self._stored(connection, writes, doubtful)
            except (psycopg.Error, UnicodeError) as error:
                if not is_refusal(error):
                    raise
                doubtful.clear()
                connection.execute("ROLLBACK")
                outcomes, stored = self._one_by_one(connection, writes)
            return outcomes

        outcomes = self._writing.run(work)
        if not stored:
            # They depend on other processes' appends, which may not be on the disk yet.
            self._reads.wait(Of("SELECT unnest(?::text[])", (Texts({write.game for write in writes}),)))
        return outcomes

    def commit_at_once(self, writes: Sequence[Write]) -> None:
        """See `EventLog.commit_at_once`. It must always wait for the server."""

    def _stored(
        self, connection: Connection, writes: Sequence[Write], doubtful: list[Decision]
    ) -> tuple[list[Outcome], bool]:
        """Return the outcomes, and whether anything was stored."""
        decision = self._decided(connection, writes, begin=True)
        statement = storing(decision)
        if statement is None:
            return decision.outcomes, False
        doubtful.append(decision)
        stored, *committed = round_trip(connection, [statement, COMMIT, *FLUSH, *PUBLISH])
        return self._acknowledged(decision.outcomes, committed, stored), True

    def _one_by_one(self, connection: Connection, writes: Sequence[Write]) -> tuple[list[Outcome], bool]:
        """Do the same one by one when the database refuses a row of some write: that write fails, the others
        continue."""
        round_trip(connection, [BEGIN, UNFLUSHED, ORDERED])
        outcomes: list[Outcome] = []
        stored: psycopg.Cursor[Row] | None = None
        for write in writes:
            connection.execute("SAVEPOINT one_write")
            try:
                decision = self._decided(connection, [write], begin=False)
                statement = storing(decision)
                if statement is not None:
                    (stored,) = round_trip(connection, [statement])
                outcomes += decision.outcomes
            except (psycopg.Error, UnicodeError) as error:
                if not is_refusal(error):
                    raise
                connection.execute("ROLLBACK TO one_write")
                outcomes.append(_refused(write, error))
            connection.execute("RELEASE one_write")
        if stored is None:
            return outcomes, False
        return self._acknowledged(outcomes, round_trip(connection, [COMMIT, *FLUSH, *PUBLISH]), stored), True

    def _decided(self, connection: Connection, writes: Sequence[Write], *, begin: bool) -> Decision:
        """Decide the writes. The locks on what the decision depends on are held until the transaction ends."""
        opening = [BEGIN, UNFLUSHED, ORDERED] if begin else []
        wanted = asked(writes)
        answers = round_trip(connection, [*opening, *questions(wanted)])
        if opening:
            self.waits.add(answers[len(opening) - 1].fetchall()[0][0])
            del answers[: len(opening)]

        def earlier(write: Write) -> list[Recorded]:
            upto = write.expected + len(write.stored or write.drafts)
            return decoded(self._registry, fetched(connection, SELECT, (write.game, write.expected, upto)))

        return decide(self._registry, writes, found(wanted, [answer.fetchall() for answer in answers], earlier))

    def _acknowledged(
        self, outcomes: list[Outcome], committed: Sequence[psycopg.Cursor[Row]], stored: psycopg.Cursor[Row]
    ) -> list[Outcome]:
        """Return the outcomes, once the first commit has stored them and the second has flushed them to the disk."""
        for cursor in (committed[0], committed[len(FLUSH)]):
            if cursor.statusmessage != "COMMIT":
                raise DamagedLog(f"{self.address} did not commit what it had accepted; run: sottovoce db check")
        row = stored.fetchone()
        self._wakeups.saw(row[0] if row else None)
        return outcomes

    def _was_stored(self, connection: Connection, decision: Decision) -> bool:
        """Return whether it was stored although the connection was lost before the answer. If so, it is durable now.

        It asks under the lock, so a server that is still working on it has finished.
        """
        question = witness(decision)
        if question is None:
            return False
        *_, drawn, answer = round_trip(connection, [BEGIN, ORDERED, DRAWN, question])
        if answer.rowcount != 1:
            connection.execute("ROLLBACK")
            return False
        ((mark,),) = drawn.fetchall()
        connection.execute("ROLLBACK")
        flush(connection, mark)
        self._wakeups.saw(mark)
        return True

    def acknowledged(self) -> Mapping[str, Sequence[Kept]]:
        """See `EventLog.acknowledged`. A server's log has no file next to it; save heads elsewhere."""
        return {}

    def rows(self, game: str) -> Iterator[StoredRow]:
        """See `EventLog.rows`."""
        return map(StoredRow._make, self._fetch(_SELECT_RAW, (game,), Of.game(game)))

    def games(self, beginning: str = "", limit: int | None = None) -> list[str]:
        """See `EventLog.games`."""
        found = self._fetch(
            "SELECT game FROM heads WHERE starts_with(game, %b) ORDER BY id LIMIT %b", (beginning, limit)
        )
        return [game for (game,) in found]

    @contextmanager
    def tables(self, *, commit: bool = False) -> Iterator[Execute]:
        """See `EventLog.tables`. It uses a separate connection, because changes can take a while."""
        with self._transaction() as (connection, run):

            def run_durably(statement: str, values: Sequence[Any] = ()) -> list[Row]:
                rows = run(statement, values)
                if rows:
                    self._reads.wait_on(connection)
                return rows

            yield run_durably

    @contextmanager
    def _transaction(self) -> Iterator[tuple[Connection, Callable[..., list[Row]]]]:
        with opened(self.address) as connection, connection.transaction():
            yield (
                connection,
                lambda statement, values=(): _rows(connection.execute(statement.replace("?", "%s"), values)),
            )

    def receipt_rows(self, game: str) -> Iterator[StoredReceipt]:
        """See `EventLog.receipt_rows`."""
        return map(StoredReceipt._make, self._fetch(f"{SELECT_RECEIPTS} ORDER BY number", (game,), Of.game(game)))

    def rebuild(self, at: datetime) -> Mended:
        """See `EventLog.rebuild`. Nobody can append or lease meanwhile."""
        with self._transaction() as (_, run):
            run(ORDERED[0])
            run("LOCK TABLE turns IN SHARE ROW EXCLUSIVE MODE")
            count = mended(run, self._registry, at)
        self._announce()
        return count

    def rebuild_head(self, game: str) -> None:
        """See `EventLog.rebuild_head`. Only the owner of the log can change a head; others get AccessDenied."""
        try:
            with self._transaction() as (_, run):
                run(ORDERED[0])
                if is_lost(run, game):
                    made(run, game)
                    return
                run("ALTER TABLE heads DISABLE TRIGGER USER")
                made(run, game)
                for (name,) in run(_HEAD_GUARDS):
                    run(f'ALTER TABLE heads ENABLE ALWAYS TRIGGER "{name}"')
        except AccessDenied:
            raise AccessDenied("Only the owner of the database can set a head. Use its role in --db") from None

    def flaws(self) -> list[str]:
        """See `EventLog.flaws`."""
        return [
            f"there are {table} of {game}, but no such game"
            for table in ("events", "receipts", "links")
            for (game,) in self._fetch(_STRAYS.format(table=table))
        ]

    def lease(
        self, game: str, turns: Sequence[tuple[str, int]], worker: str, at: datetime, until: datetime
    ) -> list[Due]:
        """See `EventLog.lease`."""
        if not turns:
            return []
        seats, numbers = zip(*turns, strict=True)
        now, end = to_micros(at), to_micros(until)
        tries = 0

        def work(connection: Connection) -> list[Row]:
            nonlocal tries
            tries += 1
            # A try whose answer was lost may have succeeded. Then this worker has the lease, and takes it once more.
            again = worker if tries > 1 else None
            values = (game, Texts(seats), Numbers(numbers), *free_at(now), again, end, worker, end)
            return fetched(connection, _LEASE, values)

        leased = {(due.seat, due.turn): due for due in (due_of(row) for row in self._changing(work))}
        return [leased[key] for key in dict.fromkeys(turns) if key in leased]

    def release(self, game: str, seat: str, turn: int, epoch: int) -> bool:
        """See `EventLog.release`."""
        return bool(self._changing(lambda connection: fetched(connection, _RELEASE, (game, seat, turn, epoch))))

    def renew(self, worker: str, until: datetime) -> int:
        """See `EventLog.renew`."""
        return len(self._changing(lambda connection: fetched(connection, _RENEW, (worker, to_micros(until)))))

    def version(self) -> int:
        """See `EventLog.version`."""
        return self._wakeups.number()

    def close(self) -> None:
        """See `EventLog.close`."""
        self._wakeups.close()
        self._writing.close()
        self._asking.close()

    def _changing(self, work: Callable[[Connection], list[Row]]) -> list[Row]:
        """Do work that commits by itself, and announce it if it returns rows."""
        rows = self._asking.run(work)
        if rows:
            self._wakeups.saw()
            self._announce()
        return rows

    def _announce(self) -> None:
        """Announce a change without a mark. Several waiting changes share one announcement."""
        self._untold = True

        def tell(connection: Connection) -> None:
            if self._untold:
                self._untold = False
                round_trip(connection, ANNOUNCE)

        with suppress(LogError):  # The change is committed; a process that misses this will look after a while
            self._asking.run(tell)

    def _fetch(self, statement: str, values: Sequence[Any] = (), of: Of | None = None) -> list[Row]:
        return self._reads.fetch(statement, values, of)

    def _text(self, digest: bytes) -> bytes | None:
        found = self._fetch("SELECT text FROM blocks WHERE digest = ?", (digest,))
        return found[0][0] if found else None


def _rows(cursor: psycopg.Cursor[Row]) -> list[Row]:
    return [] if cursor.description is None else cursor.fetchall()


def _refused(write: Write, error: Exception) -> Failed:
    if isinstance(error, psycopg.IntegrityError):
        return refused(write.game, error.diag.message_primary or error)
    return Failed(WriteRefused(f"Game {write.game} could not be written: {error}"))
