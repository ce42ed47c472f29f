"""Several processes on one file."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from heads import head_of

from sottovoce.eventlog.errors import LogBusy
from sottovoce.eventlog.log import Appended, Conflict, Write
from sottovoce.eventlog.sqlite.datastore import LogDatastore
from sottovoce.eventlog.sqlite.log import SqliteLog
from sottovoce.eventlog.verify import verify

PREPARE = """
import json, sys, time
from datetime import UTC, datetime
from sottovoce.domain.audience import EVERYONE
from sottovoce.domain.events import Draft, HoldLifted
from sottovoce.eventlog import open_log
from sottovoce.eventlog.log import Appended, Conflict, Write
from sottovoce.eventlog.registry import registry_of
log = open_log("sqlite:///" + sys.argv[1], registry=registry_of())
name = sys.argv[2]
def write(game, expected, append):
    drafts = (Draft(HoldLifted(), EVERYONE), Draft(HoldLifted(), EVERYONE))
    return Write(game, expected, append, datetime.now(UTC), drafts)
"""

CONTEND = (
    PREPARE
    + """
done = conflicts = 0
length = 0
while done < int(sys.argv[3]):
    both = [write(name, 2 * done, f"{name}-{done}"), write("shared", length, f"{name}-shared-{done}")]
    own, shared = log.commit(both)
    assert isinstance(own, Appended), own
    done += 1
    while isinstance(shared, Conflict):
        conflicts += 1
        length = len(log.read("shared"))
        (shared,) = log.commit([write("shared", length, f"{name}-shared-{done}-{conflicts}")])
    assert isinstance(shared, Appended), shared
    length += 2
log.close()
print(json.dumps(conflicts))
"""
)


def start(script: str, *arguments: object) -> Any:
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-c", script, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_many_processes_write_to_one_file_without_error(path: Path, opened: Callable[..., SqliteLog]) -> None:
    names, rounds = ["a", "b", "c", "d"], 30
    processes = [start(CONTEND, path, name, rounds) for name in names]
    for process in processes:
        out, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, "")
        assert json.loads(out) >= 0
    log = opened(path)
    assert {game: head_of(log, game).length for game in log.games()} == {
        **dict.fromkeys(names, 2 * rounds),
        "shared": 2 * rounds * len(names),
    }
    assert all(verify(log, game).ok for game in log.games())
    ids = [found.id for found in log.recorder.select_notifications(None, 10_000)]
    assert ids == list(range(1, 4 * rounds * len(names) + 1))


def test_processes_that_start_together_make_one_log(tmp_path: Path, opened: Callable[..., SqliteLog]) -> None:
    path = tmp_path / "new.db"
    processes = [start(CONTEND, path, name, 2) for name in "abc"]
    for process in processes:
        _, err = process.communicate(timeout=60)
        assert (process.returncode, err) == (0, "")
    log = opened(path)
    assert {game: head_of(log, game).length for game in log.games()} == {"a": 4, "b": 4, "c": 4, "shared": 12}


def test_a_process_notices_what_another_appends(
    path: Path, opened: Callable[..., SqliteLog], run: Callable[..., Any]
) -> None:
    log = opened(path)
    before = log.version()
    run(PREPARE + "log.commit([write('g', 0, 'a')]); log.close(); print(0)", path, "other")
    assert log.version() != before
    assert [recorded.position for recorded in log.read("g")] == [1, 2]


def test_reading_goes_on_while_another_process_writes(
    path: Path, opened: Callable[..., SqliteLog], write: Callable[..., Write]
) -> None:
    log = opened(path)
    log.commit([write()])
    hold = PREPARE + "log.datastore.write().__enter__(); print('in', flush=True); time.sleep(60)"
    process = start(hold, path, "holder")
    try:
        assert process.stdout.readline() == "in\n"
        before = time.monotonic()
        assert len(log.read("g")) == 1
        assert head_of(log, "g").length == 1
        assert time.monotonic() - before < 20
    finally:
        process.kill()
        process.communicate()


HALF = (
    PREPARE
    + """
from sottovoce.eventlog.sqlite.batch import insert_rows
from sottovoce.eventlog.sealing import seal
transaction = log.datastore.write()
cursor = transaction.__enter__()
insert_rows(cursor, seal(registry_of(), write("g", 1, "half"), b"x" * 32).rows)
print("in", flush=True)
time.sleep(60)
"""
)


def test_a_process_killed_in_mid_transaction_leaves_neither_lock_nor_event(
    path: Path, opened: Callable[..., SqliteLog], write: Callable[..., Write]
) -> None:
    log = opened(path)
    log.commit([write()])
    process = start(HALF, path, "victim")
    assert process.stdout.readline() == "in\n"
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    before = time.monotonic()
    assert [type(outcome) for outcome in log.commit([write(expected=1)])] == [Appended]
    assert time.monotonic() - before < 20, "it waits thirty for a lock"
    assert len(log.read("g")) == 2
    assert verify(log, "g").ok


def test_what_would_wait_for_another_writer_is_not_written_at_once(
    path: Path, opened: Callable[..., SqliteLog], write: Callable[..., Write]
) -> None:
    log, other = opened(path), opened(path)
    with other.datastore.write():
        assert log.commit_at_once([write()]) is None
    assert log.head("g") is None
    assert [type(outcome) for outcome in log.commit_at_once([write()]) or ()] == [Appended]
    assert isinstance(other.commit([write("g", 1)])[0], Appended)


def test_a_lock_held_for_too_long_is_told(
    path: Path, opened: Callable[..., SqliteLog], write: Callable[..., Write]
) -> None:
    log = opened(path)
    log.commit([write()])
    log.datastore.close()
    holder, waiting = LogDatastore(path), LogDatastore(path, lock_timeout=0.1)
    with holder.write(), pytest.raises(LogBusy, match=r"kept .* locked for 0\.1 s"), waiting.write():
        pass
    with waiting.write() as cursor:
        assert cursor.execute("SELECT count(*) FROM events").fetchone() == (1,)
    holder.close()
    waiting.close()


def test_threads_share_one_log(path: Path, opened: Callable[..., SqliteLog], write: Callable[..., Write]) -> None:
    log = opened(path)
    outcomes = []

    def work(game: str) -> None:
        for expected in range(20):
            outcomes.extend(log.commit([write(game, expected)]))
            assert len(log.read(game)) == expected + 1

    threads = [threading.Thread(target=work, args=(game,)) for game in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [type(outcome) for outcome in outcomes] == [Appended] * 80


def test_two_logs_on_one_file_follow_each_other(
    path: Path, opened: Callable[..., SqliteLog], write: Callable[..., Write]
) -> None:
    one, two = opened(path), opened(path)
    one.commit([write()])
    assert [type(outcome) for outcome in two.commit([write(append="late")])] == [Conflict]
    two.commit([write(expected=1)])
    assert one.read("g") == two.read("g")
    assert one.head("g") == two.head("g")
