"""Storage that is full, forbidden, broken or weak: writing is refused in one line, reading continues."""

import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from sottovoce.eventlog import open_log
from sottovoce.eventlog.errors import (
    AccessDenied,
    BadLogAddress,
    DamagedLog,
    DiskFull,
    LogBusy,
    LogError,
    LogMissing,
    LogUnreachable,
    WeakDurability,
)
from sottovoce.eventlog.log import Appended, Failed, Write
from sottovoce.eventlog.registry import Registry
from sottovoce.eventlog.sqlite.datastore import LogDatastore, require_durable
from sottovoce.eventlog.sqlite.log import SqliteLog
from sottovoce.eventlog.verify import verify


def test_a_full_disk_refuses_writes_and_serves_reads(
    path: Path, opened: Callable[..., SqliteLog], write: Callable[..., Write]
) -> None:
    log = opened(path)
    log.commit([write(count=3)])
    with log.datastore.write() as cursor:
        pages = cursor.execute("PRAGMA page_count").fetchone()[0]
        cursor.execute(f"PRAGMA max_page_count = {pages}")
    big = write(expected=3, count=500)
    for _ in range(2):
        with pytest.raises(DiskFull, match="Free some space and try again"):
            log.commit([write("other"), big])
        assert len(log.read("g")) == 3
        assert log.games() == ["g"]
    with log.datastore.write() as cursor:
        cursor.execute("PRAGMA max_page_count = 1000000")
    assert [type(outcome) for outcome in log.commit([write("other"), big])] == [Appended, Appended]
    assert verify(log, "g").ok


LIMITED = """
import json, resource, sys
from datetime import UTC, datetime
from sottovoce.domain.audience import EVERYONE
from sottovoce.domain.events import Draft, ReplyAccepted
from sottovoce.eventlog import open_log
from sottovoce.eventlog.errors import DiskFailed, DiskFull
from sottovoce.eventlog.log import Write
from sottovoce.eventlog.registry import registry_of
from sottovoce.eventlog.verify import verify

log = open_log("sqlite:///" + sys.argv[1], registry=registry_of())

def write(expected):
    reply = ReplyAccepted(seat="Ada", turn=1, text="x" * 1000)
    return Write("g", expected, f"a{expected}", datetime.now(UTC), (Draft(reply, EVERYONE),))

log.commit([write(0)])
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, hard))
length, refusals = 1, []
while len(refusals) < 3:
    try:
        log.commit([write(length)])
        length += 1
    except (DiskFailed, DiskFull) as error:
        refusals.append(str(error))
        assert len(log.read("g")) == length
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
for expected in range(length, length + 5):
    log.commit([write(expected)])
fine = verify(log, "g").ok
log.close()
print(json.dumps([length > 10, len(refusals), fine]))
"""


def test_a_file_that_may_not_grow_refuses_writes_until_it_may(path: Path, run: Callable[..., Any]) -> None:
    assert run(LIMITED, path) == [True, 3, True]


FORBIDDEN = """
import json, os, sys
from datetime import UTC, datetime
from sottovoce.domain.audience import EVERYONE
from sottovoce.domain.events import Draft, HoldLifted
from sottovoce.eventlog import check, open_log
from sottovoce.eventlog.errors import SottovoceError
from sottovoce.eventlog.log import Write
from sottovoce.eventlog.registry import registry_of
import sottovoce.eventlog.sqlite.datastore
from sottovoce import eventlog
import sottovoce.eventlog.sqlite.log
import sottovoce.eventlog.sqlite.schema

write = Write("g", 2, "b", datetime.now(UTC), (Draft(HoldLifted(), EVERYONE),))
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
try:
    log = open_log("sqlite:///" + sys.argv[1], registry=registry_of())
    read = len(log.read("g"))
    log.version()
except SottovoceError as error:
    print(json.dumps(["open", type(error).__name__, str(error)]))
    sys.exit()
try:
    log.commit([write])
    print(json.dumps(["written", read]))
except SottovoceError as error:
    print(json.dumps([read, type(error).__name__, len(log.read("g"))]))
log.close()
"""


@pytest.fixture
def shared(empty_log: Path, opened: Callable[..., SqliteLog], write: Callable[..., Write]) -> Iterator[Any]:
    """A log of one game in a folder that an ordinary user can enter."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "log.db"
        path.write_bytes(empty_log.read_bytes())
        log = opened(path)
        log.commit([write(count=2)])
        log.close()
        for found in folder.iterdir():
            found.chmod(0o666)
        folder.chmod(0o777)
        yield path
        folder.chmod(0o777)


def test_a_file_that_may_be_written_is_written(shared: Path, run: Callable[..., Any]) -> None:
    assert run(FORBIDDEN, shared) == ["written", 2]


def test_a_read_only_file_is_read(shared: Path, run: Callable[..., Any]) -> None:
    shared.chmod(0o444)
    assert run(FORBIDDEN, shared) == [2, "ReadOnlyLog", 2]


def test_a_read_only_folder_is_read(shared: Path, run: Callable[..., Any]) -> None:
    shared.with_name("log.db.lock").unlink(missing_ok=True)
    shared.chmod(0o444)
    shared.parent.chmod(0o555)
    assert run(FORBIDDEN, shared) == [2, "ReadOnlyLog", 2]


def test_a_file_that_may_not_be_read_is_told(shared: Path, run: Callable[..., Any]) -> None:
    shared.chmod(0)
    if os.geteuid() != 0:
        shared.parent.chmod(0o555)
    stage, kind, message = run(FORBIDDEN, shared)
    assert (stage, kind) == ("open", AccessDenied.__name__)
    assert "You need the right" in message


def test_a_folder_that_may_not_be_written_takes_no_new_log(shared: Path, run: Callable[..., Any]) -> None:
    shared.parent.chmod(0o555)
    stage, kind, _ = run(FORBIDDEN, shared.with_name("new.db"))
    assert (stage, kind) == ("open", AccessDenied.__name__)


def test_a_file_locked_by_another_program_is_told(path: Path, write: Callable[..., Write], registry: Registry) -> None:
    datastore = LogDatastore(path, lock_timeout=0.1)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LogBusy, match="Close it and try again"), datastore.write():
            pass
        other.execute("ROLLBACK")
    with datastore.write():
        pass
    datastore.close()


def test_a_log_that_was_removed_meanwhile_is_told(path: Path, opened: Callable[..., SqliteLog]) -> None:
    log = opened(path)
    path.unlink()
    with pytest.raises(LogMissing):
        list(log.rows("g"))


def test_a_closed_log_says_so(path: Path, opened: Callable[..., SqliteLog]) -> None:
    log = opened(path)
    log.close()
    with pytest.raises(LogError, match="was closed"):
        log.read("g")
    with pytest.raises(LogError, match="was closed"):
        log.lease("g", [("Ada", 1)], "w", *2 * [datetime.now(UTC)])


@pytest.mark.parametrize("setting", ["synchronous = NORMAL", "synchronous = OFF"])
def test_weaker_synchronisation_is_refused(path: Path, setting: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA {setting}")
        with pytest.raises(WeakDurability, match="can lose saved games"):
            require_durable(connection, "wal", path)


@pytest.mark.parametrize("mode", ["delete", "memory", "off"])
def test_another_journal_is_refused(path: Path, mode: str) -> None:
    with closing(sqlite3.connect(path)) as connection, pytest.raises(WeakDurability, match=f"journal mode {mode}"):
        require_durable(connection, mode, path)


def test_a_log_left_in_another_journal_mode_is_brought_back(
    path: Path, opened: Callable[..., SqliteLog], write: Callable[..., Write]
) -> None:
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA journal_mode = DELETE").fetchone() == ("delete",)
    log = opened(path)
    log.commit([write()])
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_the_writer_syncs_every_commit(path: Path, opened: Callable[..., SqliteLog]) -> None:
    log = opened(path)
    with log.datastore.write() as cursor:
        assert cursor.execute("PRAGMA synchronous").fetchone() == (2,)
        assert cursor.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_game_that_contradicts_its_head_fails_alone(
    path: Path, opened: Callable[..., SqliteLog], write: Callable[..., Write]
) -> None:
    log = opened(path)
    log.commit([write(count=3), write("other")])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TRIGGER events_delete")
        connection.execute("DELETE FROM events WHERE game = 'g' AND position = 3")
        connection.commit()
    broken, fine = log.commit([write(expected=3), write("other", expected=1)])
    assert isinstance(broken, Failed)
    assert isinstance(broken.error, DamagedLog)
    assert "run: sottovoce audit verify" in str(broken.error)
    assert isinstance(fine, Appended)


@pytest.mark.parametrize(
    ("column", "value"),
    [("body", b"{"), ("audience", "[1]"), ("audience", "nobody"), ("at", 2**62), ("name", "test.unknown.v1")],
)
def test_an_event_that_cannot_be_read_is_told_with_its_position(
    path: Path, opened: Callable[..., SqliteLog], write: Callable[..., Write], column: str, value: Any
) -> None:
    from sottovoce.domain.errors import SottovoceError

    log = opened(path)
    log.commit([write(count=3)])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TRIGGER events_update")
        connection.execute(f"UPDATE events SET {column} = ? WHERE position = 2", (value,))
        connection.commit()
    with pytest.raises(SottovoceError, match=r"Event 2 of game g cannot be read|test\.unknown\.v1"):
        log.read("g")
    assert [problem.position for problem in verify(log, "g").problems] == [2]


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("postgresql://127.0.0.1:1/games", LogUnreachable),
        ("postgresql+psycopg://127.0.0.1:1/games?connect_timeout=1", LogUnreachable),
        ("postgresql://localhost:port/games?nothing=1", BadLogAddress),
        ("postgresql:games", BadLogAddress),
        ("sqlite:///", BadLogAddress),
        ("games.db", BadLogAddress),
        ("", BadLogAddress),
    ],
)
def test_an_address_that_names_no_log_is_told(url: str, kind: type[BadLogAddress], registry: Registry) -> None:
    with pytest.raises(kind) as caught:
        open_log(url, registry=registry)
    assert "\n" not in str(caught.value)


def test_a_decision_takes_at_most_two_kilobytes(
    path: Path, opened: Callable[..., SqliteLog], write: Callable[..., Write]
) -> None:
    from sottovoce.eventlog.log import Receipt, TurnChange

    at = datetime(2026, 7, 1, tzinfo=UTC)
    receipts = tuple(
        Receipt(name, at, "Ada", {"turn": 1, "upto": 100}) for name in ("core.handed-over.v1", "core.call-ended.v1")
    )
    games, rounds = [f"game-{number:08d}" for number in range(16)], 60
    log = opened(path)
    before = path.stat().st_size
    for i in range(rounds):
        turns = (*((TurnChange("close", "Ada", i),) if i else ()), TurnChange("open", "Ada", i + 1))
        log.commit([write(game, 3 * i, count=3, turns=turns, receipts=receipts) for game in games])
    log.close()
    assert (path.stat().st_size - before) / (rounds * len(games)) < 2048
