"""Several writers on one server, lost connections, and a killed server."""

import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import postgres
import psycopg
import pytest
from heads import head_of
from sizes import sized

from sottovoce import eventlog
from sottovoce.eventlog import open_log
from sottovoce.eventlog.errors import LogBusy, LogError, LogUnreachable, WeakDurability
from sottovoce.eventlog.log import Appended, Conflict, EventLog, Failed, LinkChange, Receipt, TurnChange, Write
from sottovoce.eventlog.postgres import log as module
from sottovoce.eventlog.postgres import reads, sessions, wakeups
from sottovoce.eventlog.postgres.batch import ORDER_LOCK
from sottovoce.eventlog.postgres.flush import UPTO
from sottovoce.eventlog.postgres.log import PostgresLog
from sottovoce.eventlog.postgres.sessions import Address
from sottovoce.eventlog.registry import Registry
from sottovoce.eventlog.verify import verify

AT = datetime(2026, 7, 1, 12, tzinfo=UTC)
LATER = AT + timedelta(hours=1)


@pytest.fixture
def log(database: str, registry: Registry) -> Iterator[Any]:
    opened = open_log(database, registry=registry)
    yield opened
    opened.close()


@pytest.fixture
def another(database: str, registry: Registry) -> Iterator[Any]:
    opened = open_log(database, registry=registry)
    yield opened
    opened.close()


def run_all(*works: Callable[[], None]) -> None:
    """Run them in threads, and raise what any of them raises."""
    failures = []

    def guarded(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def follow(recorder: Any, start: Any, stop: Any) -> Any:
    """Return the IDs seen by a reader that continues from the last ID, until `stop` is set and nothing is left."""
    seen: list[int] = []
    while True:
        ended = stop.is_set()
        found = recorder.select_notifications(seen[-1] if seen else start, 100, inclusive_of_start=False)
        seen += [notification.id for notification in found]
        if ended and not found:
            return seen


def test_eight_writers_and_a_follower_that_misses_nothing(
    database: str, registry: Registry, write: Callable[..., Write]
) -> None:
    writers, rounds, count = 8, 125, 5
    started, stop = threading.Event(), threading.Event()
    seen, first = [], []

    def writer(number: int) -> Any:
        def work() -> None:
            own = open_log(database, registry=registry)
            shared = 0
            for index in range(rounds):
                if index == rounds // 2:
                    started.set()
                game = f"game-{number}"
                outcomes = own.commit(
                    [write(game, index * count, count), write("shared", shared, append=f"{number}-{index}")]
                )
                assert isinstance(outcomes[0], Appended)
                shared = outcomes[1].length if isinstance(outcomes[1], Conflict) else shared + 1
            own.close()

        return work

    def follower() -> None:
        started.wait(60)
        own = open_log(database, registry=registry)
        assert isinstance(own, PostgresLog)
        first.append(own.recorder.max_notification_id())
        seen.extend(follow(own.recorder, first[0], stop))
        own.close()

    following = threading.Thread(target=follower)
    following.start()
    try:
        run_all(*(writer(number) for number in range(writers)))
    finally:
        started.set()
        stop.set()
        following.join()
    whole = open_log(database, registry=registry)
    ids = [row[0] for row in postgres.on(database, f"SELECT id FROM events WHERE id > {first[0]} ORDER BY id")]
    assert seen == ids
    assert len(ids) > 500
    assert {game: head_of(whole, game).length for game in whole.games() if game != "shared"} == {
        f"game-{number}": rounds * count for number in range(writers)
    }
    assert all(verify(whole, game).ok for game in whole.games())
    whole.close()


RAW = """
    INSERT INTO events (game, position, append, name, at, audience, body, salt, hash)
    VALUES (%s, %s, 'a', 'n', 0, '[]', '', decode(repeat('00', 16), 'hex'), decode(repeat('00', 32), 'hex'))
"""


@pytest.mark.parametrize("ordered", [True, False])
def test_it_is_the_lock_that_keeps_late_commits_from_being_passed_over(
    database: str, log: PostgresLog, ordered: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even slow writers with plain SQL are kept in order. Without the trigger, the follower misses some."""
    monkeypatch.setattr(reads, "LATE", 0.0)  # they don't publish, so the follower does
    if not ordered:
        postgres.on(database, "DROP TRIGGER events_order ON events")
    stop = threading.Event()
    seen = []

    def writer(number: int) -> Any:
        def work() -> None:
            random_ = random.Random(number)
            with psycopg.connect(database) as connection:
                for position in range(1, 26):
                    connection.execute(RAW, (f"game-{number}", position))
                    time.sleep(random_.random() / 100)
                    connection.commit()

        return work

    following = threading.Thread(target=lambda: seen.extend(follow(log.recorder, 0, stop)))
    following.start()
    try:
        run_all(*(writer(number) for number in range(8)))
    finally:
        stop.set()
        following.join()
    missed = 8 * 25 - len(seen)
    assert missed == 0 if ordered else missed > 0


def until(condition: Callable[[], bool], seconds: float = 10.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


OF_THE_LOG = "FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'sottovoce'"


def listeners(database: str) -> Any:
    listening = f"query IN ('LISTEN sottovoce', '{UPTO[0]}')"
    return [pid for (pid,) in postgres.on(database, f"SELECT pid {OF_THE_LOG} AND {listening}")]


@pytest.fixture
def seldom(monkeypatch: pytest.MonkeyPatch) -> None:
    """No slow poll finds unannounced changes before the test times out."""
    monkeypatch.setattr(wakeups, "SLOW_POLL", 60.0)


@pytest.mark.usefixtures("seldom")
def test_a_commit_elsewhere_is_noticed_at_once_and_counted_once(
    log: EventLog, another: EventLog, write: Callable[..., Write]
) -> None:
    before = log.version()
    another.commit([write(turns=(TurnChange("open", "Ada", 1),))])
    until(lambda: log.version() != before)
    for change in (
        lambda: another.lease("g", [("Ada", 1)], "w", AT, LATER),
        lambda: another.renew("w", LATER),
        lambda: another.release("g", "Ada", 1, 1),
        lambda: another.commit([write(drafts=(), receipts=(Receipt("core.call-ended.v1", AT, "Ada", {}),))]),
    ):
        before = log.version()
        change()
        until(lambda: log.version() != before)  # noqa: B023
        time.sleep(0.05)
        assert log.version() == before + 1


def test_asking_for_the_version_is_cheap(log: EventLog) -> None:
    log.version()
    before = time.thread_time()
    for _ in range(1000):
        log.version()
    assert time.thread_time() - before < 0.02, "the server is not asked"


@pytest.mark.usefixtures("seldom")
def test_a_listener_that_was_cut_off_listens_again(
    database: str, log: PostgresLog, another: EventLog, write: Callable[..., Write]
) -> None:
    log.version()
    for expected in range(3):
        cut = listeners(database)
        assert len(cut) == 1
        postgres.on(database, f"SELECT pg_terminate_backend({cut[0]})")
        until(lambda: listeners(database) not in ([], cut))  # noqa: B023
        time.sleep(0.05)
        before = log.version()
        another.commit([write(expected=expected)])
        until(lambda: log.version() != before)  # noqa: B023


def test_what_is_appended_while_nobody_listens_is_noticed(
    database: str, log: PostgresLog, another: EventLog, write: Callable[..., Write]
) -> None:
    before = log.version()
    postgres.on(database, f"SELECT pg_terminate_backend({listeners(database)[0]})")
    another.commit([write()])
    until(lambda: log.version() != before)


def test_what_nobody_announced_is_noticed_by_the_slow_look(
    database: str, log: PostgresLog, another: EventLog, write: Callable[..., Write], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wakeups, "SLOW_POLL", 0.1)
    another.commit([write()])
    before = log.version()
    postgres.on(
        database,
        "INSERT INTO events (game, position, append, name, at, audience, body, salt, hash) SELECT"
        " game, 2, append, name, at, audience, body, salt, hash FROM events",
    )
    until(lambda: log.version() != before)
    again = log.version()
    time.sleep(0.3)
    assert log.version() == again


def test_the_end_of_a_link_that_nobody_announced_is_noticed_too(
    database: str, log: PostgresLog, another: EventLog, write: Callable[..., Write], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wakeups, "SLOW_POLL", 0.1)
    another.commit([write(links=(LinkChange("issue", "keeper", "", b"d" * 32),))])
    before = log.version()
    postgres.on(database, "UPDATE links SET ended = 1, ending = 1")
    until(lambda: log.version() != before)
    assert log.links_ended(0) == (1, [b"d" * 32])


@pytest.mark.usefixtures("seldom")
def test_closing_ends_the_thread_and_every_connection(database: str, registry: Registry) -> None:
    opened = open_log(database, registry=registry)
    opened.version()
    opened.games()
    opened.lease("g", [("Ada", 1)], "w", AT, LATER)
    before = time.monotonic()
    opened.close()
    assert time.monotonic() - before < 20
    assert not [thread for thread in threading.enumerate() if thread.name == "sottovoce-listen"]
    until(lambda: postgres.on(database, f"SELECT count(*) {OF_THE_LOG}") == [(0,)])
    for use in (lambda: opened.read("g"), lambda: opened.renew("w", LATER)):
        with pytest.raises(LogError, match="was closed"):
            use()


def cut_off(monkeypatch: pytest.MonkeyPatch, times: int = 1, *, after: bool) -> None:
    """Lose the connection at the next commits, before or after the server has them."""
    real, left = sessions.round_trip, [times]

    def round_trip(connection: Any, statements: Any) -> Any:
        if ("COMMIT", ()) not in statements or not left[0]:
            return real(connection, statements)
        left[0] -= 1
        if after:
            real(connection, statements)
        connection.close()
        raise psycopg.OperationalError("the connection was cut")

    monkeypatch.setattr(module, "round_trip", round_trip)


@pytest.mark.parametrize("after", [False, True])
def test_a_commit_whose_answer_was_lost_is_stored_once(
    log: EventLog, another: EventLog, write: Callable[..., Write], monkeypatch: pytest.MonkeyPatch, after: bool
) -> None:
    another.commit([write()])
    receipt = Receipt("core.handed-over.v1", AT, "Ada", {"call": "c1"}, ("You are Ada.",))
    events = write(expected=1, count=2, receipts=(receipt,), turns=(TurnChange("open", "Ada", 1),))
    late = write(append="late")
    cut_off(monkeypatch, after=after)
    appended, conflict = log.commit([events, late])
    assert isinstance(appended, Appended)
    assert conflict == Conflict(3)
    assert tuple(another.read("g", after=1)) == appended.events
    assert len(another.receipts("g")) == 1
    assert len(another.due("g")) == 1
    assert verify(another, "g").ok


@pytest.mark.parametrize("after", [False, True])
def test_a_receipt_whose_answer_was_lost_is_stored_once(
    log: EventLog, write: Callable[..., Write], monkeypatch: pytest.MonkeyPatch, after: bool
) -> None:
    log.commit([write()])
    cut_off(monkeypatch, 1, after=after)
    receipt = Receipt("core.call-ended.v1", AT, "Ada", {"call": "c1"})
    assert log.commit([write(drafts=(), receipts=(receipt,))]) == [Appended(())]
    assert len(log.receipts("g")) == 1


@pytest.mark.parametrize("after", [False, True])
def test_a_link_whose_issue_was_not_heard_of_is_issued_once(
    log: EventLog, write: Callable[..., Write], monkeypatch: pytest.MonkeyPatch, after: bool
) -> None:
    log.commit([write()])
    cut_off(monkeypatch, 1, after=after)
    (outcome,) = log.commit([write(count=0, links=(LinkChange("issue", "keeper", "", b"d" * 32),))])
    assert isinstance(outcome, Appended)
    assert list(outcome.links) == log.links("g") == [log.link(b"d" * 32)]
    assert len(log.receipts("g")) == 1


def test_somebody_who_comes_in_between_gets_the_place(
    log: EventLog, another: EventLog, write: Callable[..., Write], monkeypatch: pytest.MonkeyPatch
) -> None:
    log.commit([write()])
    real = PostgresLog._stored

    def together(self: PostgresLog, connection: Any, writes: Any, doubtful: Any) -> None:
        monkeypatch.setattr(PostgresLog, "_stored", real)
        connection.close()
        assert isinstance(another.commit([write(expected=1, append="theirs")])[0], Appended)
        raise psycopg.OperationalError("the connection was cut")

    monkeypatch.setattr(PostgresLog, "_stored", together)
    assert log.commit([write(expected=1, append="ours")]) == [Conflict(2)]


def test_connections_that_the_server_ends_are_made_anew(
    database: str, log: PostgresLog, write: Callable[..., Write]
) -> None:
    end = f"SELECT pg_terminate_backend(pid) {OF_THE_LOG}"
    for expected in range(3):
        assert isinstance(log.commit([write(expected=expected)])[0], Appended)
        assert len(log.read("g")) == expected + 1
        postgres.on(database, end)


def test_a_row_that_the_database_refuses_fails_its_write_alone(
    database: str, log: PostgresLog, write: Callable[..., Write]
) -> None:
    log.commit([write("a"), write("b")])
    postgres.on(database, "DROP TRIGGER events_delete ON events", "DELETE FROM events WHERE game = 'b'")
    nul = write("c", turns=(TurnChange("open", "Ada\x00", 1),))
    outcomes = log.commit([write("a", 1), write("b", 1), nul, write("d")])
    assert [type(outcome).__name__ for outcome in outcomes] == ["Appended", "Failed", "Failed", "Appended"]
    assert isinstance(outcomes[1], Failed)
    assert "run: sottovoce audit verify b" in str(outcomes[1].error)
    assert log.games() == ["a", "b", "d"]


def test_the_wait_for_the_lock_is_measured_by_the_server(
    database: str, log: PostgresLog, write: Callable[..., Write]
) -> None:
    log.commit([write()])
    assert log.waits.total < 0.2
    with psycopg.connect(database) as other:
        other.execute(f"SELECT pg_advisory_xact_lock({ORDER_LOCK})")
        threading.Timer(0.25, other.rollback).start()
        log.commit([write(expected=1, append="b")])
    assert sum(log.waits.counts) == 2
    assert log.waits.total > 0.2


def test_a_lock_held_for_too_long_is_told(database: str, log: PostgresLog, write: Callable[..., Write]) -> None:
    with psycopg.connect(database) as connection:
        connection.execute(f"SELECT pg_advisory_xact_lock({ORDER_LOCK})")
        log._writing.run(lambda own: own.execute("SET lock_timeout = '100ms'"))
        with pytest.raises(LogBusy, match="locked"):
            log.commit([write()])
        assert log.read("g") == []
    assert isinstance(log.commit([write()])[0], Appended)


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    """A server to kill."""
    try:
        # With these settings, what is committed without waiting stays off the disk until the kill.
        found = postgres.Server({"wal_writer_delay": "10s"})
    except postgres.NoPostgres as missing:
        pytest.skip(str(missing))
    yield found
    found.stop()


@pytest.fixture
def on_server(server: Any) -> Any:
    postgres.on(server.url, "DROP DATABASE IF EXISTS killed WITH (FORCE)", "CREATE DATABASE killed TEMPLATE template0")
    url = postgres.database(server.url, "killed")
    eventlog.upgrade(url)
    return url


def test_a_server_that_is_gone_is_told_in_bounded_time_and_found_again(
    server: Any, on_server: str, registry: Registry, write: Callable[..., Write]
) -> None:
    log = PostgresLog(Address(on_server), registry, patience=0.3)
    log.commit([write()])
    version = log.version()
    server.kill()
    for use in (lambda: log.read("g"), lambda: log.commit([write(expected=1)]), lambda: log.renew("w", LATER)):
        before = time.monotonic()
        with pytest.raises(LogUnreachable, match="can't be reached") as caught:
            use()
        assert time.monotonic() - before < 10
        assert caught.value.exit_code == 1
        assert "\n" not in str(caught.value)
    server.start()
    assert isinstance(log.commit([write(expected=1)])[0], Appended)
    until(lambda: log.version() > version + 1)
    assert [recorded.position for recorded in log.read("g")] == [1, 2]
    log.close()


def test_weak_settings_are_refused_at_the_door(server: Any, on_server: str) -> None:
    for setting in ("fsync", "full_page_writes"):
        postgres.on(server.url, f"ALTER SYSTEM SET {setting} = off", "SELECT pg_reload_conf()")
        until(lambda: postgres.on(server.url, f"SHOW {setting}") == [("off",)])  # noqa: B023
        for use in (open_log, eventlog.upgrade, eventlog.check):
            with pytest.raises(WeakDurability, match=f"{setting} off"):
                use(on_server)
        postgres.on(server.url, f"ALTER SYSTEM RESET {setting}", "SELECT pg_reload_conf()")
        until(lambda: postgres.on(server.url, f"SHOW {setting}") == [("on",)])  # noqa: B023


def test_nothing_acknowledged_is_lost_when_the_server_is_killed(
    server: Any, on_server: str, registry: Registry, write: Callable[..., Write]
) -> None:
    """Half of the kills hit the server, half a connection's process, which takes all others down with it."""
    kills, writers = sized(2, 20), 4
    stop = threading.Event()
    acknowledged = {}

    def writer(number: int) -> Any:
        def work() -> None:
            log, length = PostgresLog(Address(on_server), registry), 0
            game = f"game-{number}"
            while not stop.is_set():
                receipt = Receipt("core.call-ended.v1", AT, "Ada", {"call": f"{number}-{length}"})
                (outcome,) = log.commit([write(game, length, count=2, receipts=(receipt,))])
                assert isinstance(outcome, Appended), outcome
                length += 2
                acknowledged.update({(event.game, event.position): event.hash for event in outcome.events})
            log.close()

        return work

    def killer() -> None:
        random_ = random.Random(7)
        try:
            for number in range(kills):
                before = len(acknowledged)
                until(lambda: len(acknowledged) > before + 20, 30)  # noqa: B023
                time.sleep(random_.random() / 10)
                if number % 2:
                    sql = "SELECT pid FROM pg_stat_activity WHERE datname = 'killed' AND query <> '' LIMIT 1"
                    os.kill(int(str(postgres.on(server.url, sql)[0][0])), signal.SIGKILL)
                else:
                    server.kill()
                    server.start()
            before = len(acknowledged)
            until(lambda: len(acknowledged) > before + 20, 30)
        finally:
            stop.set()

    run_all(killer, *(writer(number) for number in range(writers)))
    log = open_log(on_server, registry=registry)
    stored = {(event.game, event.position): event.hash for game in log.games() for event in log.read(game)}
    assert stored == acknowledged
    assert all(verify(log, game).ok for game in log.games())
    for game in log.games():
        calls = [receipt.data["call"] for receipt in log.receipts(game)]
        assert len(calls) == len(set(calls)) == head_of(log, game).length // 2
    log.close()


def test_the_kills_would_tell_of_commits_that_do_not_wait(
    server: Any, on_server: str, registry: Registry, write: Callable[..., Write], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "_SETTINGS", sessions._SETTINGS.replace("ELSE 'on' END", "ELSE 'off' END"))
    monkeypatch.setattr(sessions, "require_strong", lambda *_: None)
    log = PostgresLog(Address(on_server), registry)
    for expected in range(20):
        assert isinstance(log.commit([write(expected=expected)])[0], Appended)
    server.kill()
    server.start()
    assert len(log.read("g")) < 20
    log.close()
