"""The library's own contract for recorders, run against ours."""

import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from uuid import uuid4

import pytest
from eventsourcing.persistence import IntegrityError, StoredEvent

import eventlog
from eventlog.datastore import LogDatastore
from eventlog.recorder import EventRecorder
from eventlog.verify import verify

# The library's test module also imports its AES cipher, for tests that are not used here and a package that is not
# needed here.
_cipher = ModuleType("eventsourcing.cipher")
_cipher.AESCipher = None
with pytest.MonkeyPatch.context() as patch:
    patch.setitem(sys.modules, "eventsourcing.cipher", _cipher)
    from eventsourcing.tests import persistence


class TestRecorderContract(persistence.ApplicationRecorderTestCase):
    """Without the trigger that demands contiguous positions: these tests start streams at 0 and leave gaps."""

    def setUp(self):
        self.folder = TemporaryDirectory()
        path = Path(self.folder.name) / "log.db"
        eventlog.upgrade(f"sqlite:///{path}")
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("DROP TRIGGER events_insert")
        self.datastore = LogDatastore(path)

    def tearDown(self):
        self.datastore.close()
        self.folder.cleanup()

    def create_recorder(self):
        return EventRecorder(self.datastore)

    def new_originator_id(self):
        return str(uuid4())


@pytest.fixture
def recorder(path):
    datastore = LogDatastore(path)
    yield EventRecorder(datastore)
    datastore.close()


def test_positions_go_on_from_the_last(recorder):
    recorder.insert_events([StoredEvent("g", 1, "a.b.v1", b"{}"), StoredEvent("g", 2, "a.b.v1", b"{}")])
    for position in (0, 1, 2, 4):
        with pytest.raises(IntegrityError):
            recorder.insert_events([StoredEvent("g", position, "a.b.v1", b"{}")])
    assert [stored.originator_version for stored in recorder.select_events("g", desc=True, limit=5)] == [2, 1]


def test_followers_see_what_the_log_appends(opened, path, write):
    log = opened(path)
    log.commit([write("a", count=2), write("b")])
    log.commit([write("a", expected=2)])
    seen = log.recorder.select_notifications(None, 10)
    assert [(found.id, found.originator_id, found.originator_version) for found in seen] == [
        (1, "a", 1),
        (2, "a", 2),
        (3, "b", 1),
        (4, "a", 3),
    ]
    assert [found.state for found in log.recorder.select_events("a")] == [recorded.body for recorded in log.read("a")]
    assert log.recorder.max_notification_id() == 4


def test_an_event_from_outside_the_log_is_beyond_the_head(opened, path, write):
    log = opened(path)
    log.commit([write(count=2)])
    log.recorder.insert_events([StoredEvent("g", 3, "core.hold-lifted.v1", b"{}")])
    assert [problem.what for problem in verify(log, "g").problems] == ["is beyond the head"]


def test_the_migrations_own_the_table(recorder):
    assert recorder.create_table_statements == []
    assert recorder.max_notification_id() is None
