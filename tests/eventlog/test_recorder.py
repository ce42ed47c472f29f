"""The library's own contract for recorders, run on ours."""

import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any
from uuid import uuid4

import postgres
import pytest
from eventsourcing.persistence import IntegrityError, StoredEvent

from sottovoce import eventlog
from sottovoce.eventlog.log import Write
from sottovoce.eventlog.registry import Registry, registry_of
from sottovoce.eventlog.sqlite.datastore import LogDatastore
from sottovoce.eventlog.sqlite.recorder import EventRecorder
from sottovoce.eventlog.verify import verify

# The library's test module also imports its AES cipher, for tests that are not used here and need another package.
_cipher = ModuleType("eventsourcing.cipher")
_cipher.__dict__["AESCipher"] = None
with pytest.MonkeyPatch.context() as patch:
    patch.setitem(sys.modules, "eventsourcing.cipher", _cipher)
    from eventsourcing.tests import persistence


class SqliteRecorder:
    """Without the trigger for contiguous positions, because the library's tests start streams at 0 and leave gaps."""

    def setUp(self) -> None:
        self.folder = TemporaryDirectory()
        path = Path(self.folder.name) / "log.db"
        eventlog.upgrade(f"sqlite:///{path}")
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("DROP TRIGGER events_insert")
        self.datastore = LogDatastore(path)

    def tearDown(self) -> None:
        self.datastore.close()
        self.folder.cleanup()

    def create_recorder(self) -> Any:
        return EventRecorder(self.datastore)

    def new_originator_id(self) -> Any:
        return str(uuid4())


class PostgresRecorder:
    """Without that trigger, too."""

    @pytest.fixture(autouse=True)
    def _address(self, database: str) -> None:
        self.address = database

    def setUp(self) -> None:
        postgres.on(self.address, "DROP TRIGGER events_insert ON events")
        self.log: Any = eventlog.open_log(self.address, registry=registry_of())

    def tearDown(self) -> None:
        self.log.close()

    def create_recorder(self) -> Any:
        return self.log.recorder

    def new_originator_id(self) -> Any:
        return str(uuid4())


class TestSqliteRecorder(SqliteRecorder, persistence.ApplicationRecorderTestCase):
    pass


class TestSqliteOrder(SqliteRecorder, persistence.NonInterleavingNotificationIDsBaseCase):
    pass


class TestPostgresRecorder(PostgresRecorder, persistence.ApplicationRecorderTestCase):
    pass


class TestPostgresOrder(PostgresRecorder, persistence.NonInterleavingNotificationIDsBaseCase):
    pass


@pytest.fixture(params=["sqlite", "postgres"])
def stored(request: pytest.FixtureRequest, registry: Registry) -> Iterator[Any]:
    """Return a log that is stored on disk."""
    url = f"sqlite:///{request.getfixturevalue('path')}" if request.param == "sqlite" else None
    log = eventlog.open_log(url or request.getfixturevalue("database"), registry=registry)
    yield log
    log.close()


def test_positions_go_on_from_the_last(stored: Any) -> None:
    stored.recorder.insert_events([StoredEvent("g", 1, "a.b.v1", b"{}"), StoredEvent("g", 2, "a.b.v1", b"{}")])
    for positions in ([0], [1], [2], [4], [3, 5], [4, 3], [3, 3]):
        with pytest.raises(IntegrityError):
            stored.recorder.insert_events([StoredEvent("g", position, "a.b.v1", b"{}") for position in positions])
    assert [found.originator_version for found in stored.recorder.select_events("g", desc=True, limit=5)] == [2, 1]


def test_followers_see_what_the_log_appends(stored: Any, write: Callable[..., Write]) -> None:
    stored.commit([write("a", count=2), write("b")])
    stored.commit([write("a", expected=2)])
    seen = stored.recorder.select_notifications(None, 10)
    assert [(found.id, found.originator_id, found.originator_version) for found in seen] == [
        (1, "a", 1),
        (2, "a", 2),
        (3, "b", 1),
        (4, "a", 3),
    ]
    assert [found.state for found in stored.recorder.select_events("a")] == [event.body for event in stored.read("a")]
    assert stored.recorder.max_notification_id() == 4


def test_an_event_from_outside_the_log_is_beyond_the_head(stored: Any, write: Callable[..., Write]) -> None:
    stored.commit([write(count=2)])
    before = stored.version()
    stored.recorder.insert_events([StoredEvent("g", 3, "core.hold-lifted.v1", b"{}")])
    assert stored.version() != before
    assert [problem.what for problem in verify(stored, "g").problems] == ["is beyond the head"]


def test_the_migrations_own_the_table(path: Path) -> None:
    datastore = LogDatastore(path)
    recorder = EventRecorder(datastore)
    assert recorder.create_table_statements == []
    assert recorder.max_notification_id() is None
    datastore.close()
