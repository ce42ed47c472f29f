"""Appends release the lock before they are flushed, and nobody is shown or told anything of them before that."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

import postgres
import psycopg
import pytest
from postgres import NoPostgres, Server, Standby, on
from sizes import sized

from sottovoce import eventlog
from sottovoce.eventlog import open_log
from sottovoce.eventlog.errors import LogBusy, LogError
from sottovoce.eventlog.log import Appended, Conflict, LeaseLost, LinkChange, Receipt, TurnChange, Write
from sottovoce.eventlog.postgres import log as module
from sottovoce.eventlog.postgres import reads, wakeups
from sottovoce.eventlog.postgres.batch import ORDER_LOCK
from sottovoce.eventlog.postgres.flush import FLUSH, settle
from sottovoce.eventlog.postgres.log import PostgresLog
from sottovoce.eventlog.postgres.reads import DurableReads
from sottovoce.eventlog.postgres.recorder import EventRecorder
from sottovoce.eventlog.postgres.sessions import Address
from sottovoce.eventlog.registry import Registry
from sottovoce.eventlog.verify import verify

AT = datetime(2026, 7, 1, 12, tzinfo=UTC)
TEXT = "You are Ada."
LINK = b"d" * 32
HANDED = Receipt("core.handed-over.v1", AT, "Ada", {"call": "c1"}, (TEXT,))
SOON = 10.0
"""Seconds within which an expected thing has happened."""


def until(condition: Callable[[], bool], seconds: float = SOON) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.003)


def number(url: str, statement: str) -> int:
    """Return a number, read without the log."""
    return int(str(on(url, f"SELECT {statement}")[0][0]))


def flushed(url: str) -> int:
    return number(url, "last_value FROM flushed")


def stored(url: str) -> int:
    return number(url, "count(*) FROM events")


def settled(log: PostgresLog) -> None:
    log._asking.run(settle)


@contextmanager
def opened(url: str, registry: Registry) -> Iterator[PostgresLog]:
    log = open_log(url, registry=registry)
    assert isinstance(log, PostgresLog)
    with closing(log):
        yield log


@pytest.fixture
def log(database: str, registry: Registry) -> Iterator[PostgresLog]:
    with opened(database, registry) as found:
        yield found


@pytest.fixture
def another(database: str, registry: Registry) -> Iterator[PostgresLog]:
    with opened(database, registry) as found:
        yield found


@pytest.fixture
def between(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Let this much time pass between the two commits of an append, on the server."""

    def stretched(seconds: float) -> None:
        begin, *rest = FLUSH
        monkeypatch.setattr(module, "FLUSH", (begin, (f"SELECT pg_sleep({seconds})", ()), *rest))

    return stretched


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """No reader and no listener flushes itself: they wait for the appending process."""
    monkeypatch.setattr(reads, "LATE", 60.0)
    monkeypatch.setattr(wakeups, "SLOW_POLL", 60.0)


def counted(log: PostgresLog) -> Any:
    with log.tables() as run:
        return run("SELECT count(*) FROM events")


READERS: dict[str, Callable[[PostgresLog], Any]] = {
    "events": lambda log: len(log.read("g")),
    "rows": lambda log: len(list(log.rows("g"))),
    "head": lambda log: log.head("g"),
    "receipts": lambda log: len(log.receipts("g")),
    "receipt rows": lambda log: len(list(log.receipt_rows("g"))),
    "open turns": lambda log: log.due("g"),
    "all open turns": lambda log: log.due(),
    "links": lambda log: log.links("g"),
    "a link": lambda log: log.link(LINK),
    "ended links": lambda log: log.links_ended(0),
    "how many links ended": lambda log: log.links_ended(None),
    "games": lambda log: log.games(),
    "newest": lambda log: log.newest(),
    "news": lambda log: log.news(1),
    "notifications": lambda log: len(log.notifications(1, ())),
    "tables": counted,
    "the library's events": lambda log: len(log.recorder.select_events("g")),
    "a text": lambda log: bool(log._text(sha256(TEXT.encode()).digest())),
}


@pytest.fixture
def much(write: Callable[..., Write]) -> list[Write]:
    """An append that changes the result of every reader."""
    turns = (TurnChange("close", "Ada", 1), TurnChange("open", "Ada", 2))
    links = (LinkChange("issue", "spectator", "", b"e" * 32), LinkChange("end", number=1))
    return [write(expected=1, turns=turns, links=links, receipts=(HANDED,)), write("h")]


def begin(log: PostgresLog, write: Callable[..., Write]) -> None:
    first = write(turns=(TurnChange("open", "Ada", 1),), links=(LinkChange("issue", "keeper", "", LINK),))
    assert isinstance(log.commit([first])[0], Appended)


@pytest.mark.usefixtures("patient")
def test_no_reader_shows_what_is_not_flushed(
    database: str,
    log: PostgresLog,
    another: PostgresLog,
    write: Callable[..., Write],
    much: list[Write],
    between: Callable[[float], None],
) -> None:
    begin(log, write)
    before = {name: read(another) for name, read in READERS.items()}
    version, mark = another.version(), flushed(database)

    def shown(name: str) -> tuple[bool, bool]:
        """Return whether the reader's result has changed, and whether everything was flushed by then."""
        given = READERS[name](another)
        return given != before[name], flushed(database) > mark

    between(0.7)
    with ThreadPoolExecutor(len(READERS) + 1) as threads:
        appending = threads.submit(log.commit, much)
        until(lambda: stored(database) == 3)
        early = {name: threads.submit(shown, name) for name in READERS}
        assert flushed(database) == mark, "the rows are there for whoever looks past the log"
        assert another.version() == version
        assert another.newest() == 1
        assert another.news(1).lengths == {} or flushed(database) > mark
        answers = {name: answer.result() for name, answer in early.items()}
        assert [name for name, (fresh, durable) in answers.items() if fresh and not durable] == []
        assert all(isinstance(outcome, Appended) for outcome in appending.result())
        assert [name for name in READERS if not shown(name)[0]] == []
    until(lambda: another.version() != version)


@pytest.mark.usefixtures("patient")
def test_the_test_above_would_tell_of_readers_that_do_not_wait(
    database: str,
    log: PostgresLog,
    another: PostgresLog,
    write: Callable[..., Write],
    much: list[Write],
    between: Callable[[float], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(DurableReads, "_is_flushed", lambda self, seen: True)
    monkeypatch.setattr(DurableReads, "wait_on", lambda self, connection: None)
    monkeypatch.setattr(EventRecorder, "durable", "")
    begin(log, write)
    before = {name: read(another) for name, read in READERS.items()}
    mark = flushed(database)
    between(2.0)
    with ThreadPoolExecutor(1) as thread:
        appending = thread.submit(log.commit, much)
        until(lambda: stored(database) == 3)
        early = [name for name, read in READERS.items() if read(another) != before[name]]
        assert flushed(database) == mark
        assert early == list(READERS)
        appending.result()


@pytest.mark.usefixtures("patient")
def test_an_outcome_that_rests_on_what_others_appended_waits_for_their_flush(
    database: str, log: PostgresLog, another: PostgresLog, write: Callable[..., Write], between: Callable[[float], None]
) -> None:
    begin(log, write)
    mark = flushed(database)
    between(0.5)
    answer = write(expected=1, turns=(TurnChange("close", "Ada", 1),))
    with ThreadPoolExecutor(1) as thread:
        appending = thread.submit(log.commit, [answer])
        until(lambda: stored(database) == 2)
        late = write(drafts=(), turns=(TurnChange("close", "Ada", 1),))
        outcomes = another.commit([answer, write(expected=1, append="theirs"), late])
        assert flushed(database) > mark
        assert [type(outcome) for outcome in outcomes] == [Appended, Conflict, LeaseLost]
        assert outcomes[:1] == appending.result()


@pytest.mark.usefixtures("patient")
def test_the_next_append_waits_for_no_flush_and_neither_does_an_announcement(
    database: str, log: PostgresLog, another: PostgresLog, write: Callable[..., Write], between: Callable[[float], None]
) -> None:
    begin(log, write)
    mark = flushed(database)
    between(1.0)
    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(log.commit, [write(expected=1)])
        until(lambda: stored(database) == 2)
        second = threads.submit(another.commit, [write("h")])
        until(lambda: stored(database) == 3)
        on(database, "SET lock_timeout = '100ms'", f"SELECT pg_advisory_lock({ORDER_LOCK})", "NOTIFY sottovoce")
        assert flushed(database) == mark
        for appending in (first, second):
            assert isinstance(appending.result()[0], Appended)
    assert [event.position for event in log.read("g")] == [1, 2]
    assert flushed(database) == log.newest() == 3


@pytest.mark.usefixtures("patient")
def test_nothing_is_announced_before_it_is_flushed(
    database: str, log: PostgresLog, write: Callable[..., Write], between: Callable[[float], None]
) -> None:
    between(0.3)
    with psycopg.connect(database, autocommit=True) as listening, ThreadPoolExecutor(1) as thread:
        listening.execute("LISTEN sottovoce")
        appending = thread.submit(log.commit, [write()])
        (notice,) = listening.notifies(timeout=SOON, stop_after=1)
        assert int(notice.payload) == flushed(database) == 1
        appending.result()
        log.lease("g", [("Ada", 1)], "w", AT, AT + timedelta(hours=1))
        log.commit([write(count=0, receipts=(HANDED,))])
        (notice,) = listening.notifies(timeout=SOON, stop_after=1)
        assert int(notice.payload) == flushed(database) == 2, "an append without events bears a number of its own"


def left_by_the_dead(
    url: str, log: PostgresLog, writes: list[Write], between: Callable[[float], None], then: Callable[[], None]
) -> None:
    """Append and die between the two commits. `then` is what happens to the server at that moment."""
    between(60.0)
    before = stored(url)
    with ThreadPoolExecutor(1) as thread:
        appending = thread.submit(log.commit, writes)
        until(lambda: stored(url) > before)
        log._writing._closed.set()
        then()
        with pytest.raises(LogError):
            appending.result()


def cut(url: str) -> None:
    on(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(60.0)'")


@pytest.mark.parametrize("reader", ["events", "news", "all open turns", "ended links", "tables"])
def test_what_the_dead_left_unflushed_is_flushed_by_whoever_reads_it(
    database: str,
    log: PostgresLog,
    another: PostgresLog,
    write: Callable[..., Write],
    much: list[Write],
    between: Callable[[float], None],
    reader: str,
) -> None:
    begin(log, write)
    before = READERS[reader](another)
    mark = flushed(database)
    left_by_the_dead(database, log, much, between, lambda: cut(database))
    assert READERS[reader](another) != before
    assert flushed(database) == mark + 2


def test_what_the_dead_left_unflushed_is_flushed_and_told_by_whoever_listens(
    database: str,
    log: PostgresLog,
    another: PostgresLog,
    write: Callable[..., Write],
    between: Callable[[float], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(wakeups, "SLOW_POLL", 0.1)
    begin(log, write)
    version = another.version()
    left_by_the_dead(database, log, [write(expected=1)], between, lambda: cut(database))
    until(lambda: another.version() != version)
    assert another.news(1).lengths == {"g": 2}


def test_a_disk_that_takes_nothing_is_told_in_the_end(
    database: str, log: PostgresLog, another: PostgresLog, write: Callable[..., Write], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reads, "LATE", 0.01)
    monkeypatch.setattr(reads, "PATIENCE", 0.2)
    begin(log, write)
    with psycopg.connect(database) as holding:
        holding.execute(f"SELECT pg_advisory_xact_lock({ORDER_LOCK}), setval('events_id_seq', 9)")
        with pytest.raises(LogBusy, match="can't write to its disk"):
            another.games()
        assert len(another.read("g")) == 1, "nobody appends to this game"
    assert another.games() == ["g"]


def test_numbers_published_in_advance_by_a_dump_are_taken_back(
    database: str, log: PostgresLog, registry: Registry, write: Callable[..., Write], between: Callable[[float], None]
) -> None:
    """`pg_dump` reads each sequence at a different moment, so `flushed` can be ahead of the numbers drawn."""
    begin(log, write)
    on(database, "SELECT setval('flushed', 99)")
    with opened(database, registry) as after, ThreadPoolExecutor(1) as thread:
        between(0.3)
        appending = thread.submit(after.commit, [write(expected=1)])
        until(lambda: stored(database) == 2)
        assert flushed(database) == 1
        appending.result()
        assert flushed(database) == 2


# A server that is killed between the two commits


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    try:
        # With these settings, what is committed without waiting stays off the disk until the kill.
        found = Server({"wal_writer_delay": "10s", "wal_level": "replica", "max_wal_senders": "4"})
    except NoPostgres as missing:
        pytest.skip(str(missing))
    yield found
    found.stop()


@pytest.fixture
def place(server: Server) -> str:
    on(server.url, "DROP DATABASE IF EXISTS games WITH (FORCE)", "CREATE DATABASE games TEMPLATE template0")
    url = postgres.database(server.url, "games")
    eventlog.upgrade(url)
    return url


@pytest.mark.usefixtures("patient")
def test_what_is_lost_when_the_server_dies_between_the_commits_was_shown_to_nobody(
    server: Server,
    place: str,
    registry: Registry,
    write: Callable[..., Write],
    between: Callable[[float], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with opened(place, registry) as log, opened(place, registry) as another, ThreadPoolExecutor(2) as threads:
        begin(log, write)
        reading: Any = None

        def killed() -> None:
            nonlocal reading
            reading = [threads.submit(read, another) for read in (READERS["events"], READERS["news"])]
            time.sleep(0.1)
            assert stored(place) == 2, "past the log everybody can see it"
            monkeypatch.undo()  # what was published is lost too, and the next reader flushes
            server.kill()
            server.start()

        left_by_the_dead(place, log, [write(expected=1)], between, killed)
        assert stored(place) == 1
        assert [one.result() for one in reading] == [1, another.news(1)]


def test_a_writer_that_outlives_the_server_appends_again_what_was_lost(
    server: Server, place: str, registry: Registry, write: Callable[..., Write], between: Callable[[float], None]
) -> None:
    with opened(place, registry) as log, opened(place, registry) as another, ThreadPoolExecutor(1) as thread:
        begin(log, write)
        between(1.0)
        appending = thread.submit(log.commit, [write(expected=1, receipts=(HANDED,))])
        until(lambda: stored(place) == 2)
        server.kill()
        server.start()
        (outcome,) = appending.result()
        assert isinstance(outcome, Appended)
        assert tuple(another.read("g", 1)) == outcome.events
        assert len(another.receipts("g")) == 2
        assert verify(another, "g").ok
        server.kill()
        server.start()
        assert tuple(another.read("g", 1)) == outcome.events


def test_an_acknowledgement_lost_between_the_commits_is_given_only_for_what_is_on_the_disk(
    server: Server, place: str, registry: Registry, write: Callable[..., Write], between: Callable[[float], None]
) -> None:
    """The session is lost but not the server: what was committed is there, and is flushed before it counts."""
    with opened(place, registry) as log, ThreadPoolExecutor(1) as thread:
        begin(log, write)
        between(60.0)
        appending = thread.submit(log.commit, [write(expected=1)])
        until(lambda: stored(place) == 2)
        cut(place)
        assert isinstance(appending.result()[0], Appended)
        server.kill()
        server.start()
        assert len(log.read("g")) == 2


# A standby that takes over


@pytest.fixture
def standby(server: Server, place: str) -> Iterator[Standby]:
    """A standby of the server, which acknowledges only what the standby has."""
    found = Standby(server, {"hot_standby": "on"})
    on(server.url, "ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
    try:
        until(lambda: on(server.url, "SELECT sync_state FROM pg_stat_replication") == [("sync",)])
        yield found
    finally:
        found.stop()
        if not server.runs():
            server.start()
        on(server.url, "ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()")


def test_a_primary_that_dies_between_the_commits_has_shown_nothing_that_its_standby_lacks(
    server: Server,
    place: str,
    standby: Standby,
    registry: Registry,
    write: Callable[..., Write],
    between: Callable[[float], None],
) -> None:
    successor = postgres.database(standby.url, "games")
    with opened(place, registry) as log, opened(place, registry) as another, ThreadPoolExecutor(1) as thread:
        begin(log, write)
        with opened(successor, registry) as following:
            until(lambda: following.games() == ["g"])
            assert [event.position for event in following.read("g")] == [1], "a standby has what is flushed and no more"
            assert following.due() == log.due()
        another._asking._patience = 0.0
        shown: list[int] = []

        def looking() -> None:
            with suppress(LogError):
                while True:
                    shown.append(READERS["events"](another))

        def killed() -> None:
            looked = thread.submit(looking)
            time.sleep(0.05)
            server.kill()
            looked.result()

        left_by_the_dead(place, log, [write(expected=1)], between, killed)
    standby.promote()
    with opened(successor, registry) as after:
        until(lambda: on(successor, "SELECT pg_is_in_recovery()") == [(False,)])
        assert [event.position for event in after.read("g")] == [1]
        assert set(shown) <= {1}
        between(0.0)
        assert isinstance(after.commit([write(expected=1, append="anew")])[0], Appended)
        assert [event.position for _, event in after.notifications(0, ())] == [1, 2]
        assert verify(after, "g").ok


def test_a_standby_that_takes_over_at_any_moment_has_all_that_was_acknowledged_or_shown(
    server: Server, place: str, standby: Standby, registry: Registry, write: Callable[..., Write]
) -> None:
    """Run several processes' worth of writers and readers, with commits of 5 ms, and kill the server in the middle."""
    on(place, "ALTER DATABASE games SET commit_delay = 5000", "ALTER DATABASE games SET commit_siblings = 0")
    acknowledged: dict[tuple[str, int], bytes] = {}
    shown: dict[tuple[str, int], bytes] = {}
    unflushed: list[int] = []

    def writer(name: str) -> None:
        length = 0
        with closing(PostgresLog(Address(place), registry, patience=0.0)) as log, suppress(LogError):
            while True:
                (outcome,) = log.commit([write(name, length, count=2)])
                assert isinstance(outcome, Appended)
                length += 2
                acknowledged.update({(event.game, event.position): event.hash for event in outcome.events})

    def reader() -> None:
        after = 0
        with closing(PostgresLog(Address(place), registry, patience=0.0)) as log, suppress(LogError):
            while True:
                found = log.notifications(after, ())
                after = found[-1][0] if found else after
                told = [event for _, event in found]
                for game in log.games():
                    told += log.read(game)
                shown.update({(event.game, event.position): event.hash for event in told})

    def watcher() -> None:
        with suppress(psycopg.Error), psycopg.connect(place, autocommit=True) as connection:
            while True:
                row = connection.execute(
                    "SELECT (SELECT coalesce(max(id), 0) FROM events) - (SELECT last_value FROM flushed)"
                ).fetchone()
                assert row is not None
                unflushed.append(row[0])

    with ThreadPoolExecutor() as threads:
        working = [threads.submit(writer, f"game-{one}") for one in range(3)]
        working += [threads.submit(reader), threads.submit(reader), threads.submit(watcher)]
        until(lambda: len(shown) > sized(60, 600), 60)
        time.sleep(random.Random(len(shown)).random() / 20)
        server.kill()
        for one in working:
            one.result()
    standby.promote()
    successor = postgres.database(standby.url, "games")
    until(lambda: on(successor, "SELECT pg_is_in_recovery()") == [(False,)])
    with opened(successor, registry) as after:
        stored = {(event.game, event.position): event.hash for game in after.games() for event in after.read(game)}
        assert acknowledged.items() <= stored.items()
        assert shown.items() <= stored.items()
        assert all(verify(after, game).ok for game in after.games())
        assert len(after.notifications(0, ())) == len(stored)
    assert max(unflushed) > 0, "there was something to be seen too early"
