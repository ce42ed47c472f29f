"""The lock next to a log's file, as another process meets it: each lock object opens the file itself."""

from __future__ import annotations

import time
from pathlib import Path
from threading import Event, Thread

import pytest
from patience import PATIENCE

from sottovoce.eventlog.errors import LogBusy
from sottovoce.eventlog.sqlite.lock import WriteLock


@pytest.fixture
def locks(tmp_path: Path) -> tuple[WriteLock, WriteLock]:
    """Two locks of which only one can be held, like those of two processes."""
    (tmp_path / "log.db").touch()
    return WriteLock(tmp_path / "log.db", 0.01), WriteLock(tmp_path / "log.db", 0.01)


def test_who_has_entered_twice_keeps_it_until_it_has_left_twice(locks: tuple[WriteLock, WriteLock]) -> None:
    one, other = locks
    for _ in range(2):
        with one:
            with one:
                assert not other.taken()
            assert not other.taken()
            with pytest.raises(LogBusy), other:
                pass
        with other:
            assert not one.taken()


def test_each_wait_for_the_lock_is_counted_once(tmp_path: Path) -> None:
    (tmp_path / "log.db").touch()
    one, other = WriteLock(tmp_path / "log.db", PATIENCE), WriteLock(tmp_path / "log.db", PATIENCE)
    taken = Event()

    def hold() -> None:
        with one, one:
            taken.set()
            time.sleep(0.06)

    holding = Thread(target=hold)
    holding.start()
    taken.wait()
    with other, other:
        pass
    holding.join()
    assert sum(one.waits.counts) == sum(other.waits.counts) == 1
    assert one.waits.total < 0.05 < other.waits.total


def test_who_could_not_take_it_has_nothing_to_leave(locks: tuple[WriteLock, WriteLock]) -> None:
    one, other = locks
    with one:
        assert not other.taken()
    with other:
        assert not one.taken()
    with one:
        assert not other.taken()
