"""Losses in a write-ahead log are reported, and nothing else is.

A killed process leaves everything it wrote. A power loss leaves what was synchronised, and any sectors of the rest.
Both are simulated on the files, so the report must tell a flipped bit from a torn commit.
"""

from __future__ import annotations

import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from random import Random
from threading import Barrier

import pytest
from commands import Cli
from heads import head_of
from patience import PATIENCE
from sizes import sized
from write_ahead import FRAME, HEADER, NAME, Snapshot, copied, cut_off, flip, killed_log

from sottovoce import eventlog
from sottovoce.domain.audience import EVERYONE
from sottovoce.domain.events import Draft, ReplyAccepted
from sottovoce.eventlog import open_log
from sottovoce.eventlog.errors import DamagedLog
from sottovoce.eventlog.log import Appended, EventLog, Write
from sottovoce.eventlog.sqlite.log import SqliteLog
from sottovoce.eventlog.sqlite.wal import Scan, scan
from sottovoce.eventlog.verify import verify, verify_all

FLIPS = sized(200, 2000)
POWER_LOSSES = sized(150, 1000)


def opened(path: Path) -> SqliteLog:
    log = open_log(f"sqlite:///{path}")
    assert isinstance(log, SqliteLog)
    return log


def lengths(log: EventLog) -> dict[str, int]:
    return {game: head.length for game, head in log.heads()}


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log whose process was killed with everything in its write-ahead log."""
    return killed_log(tmp_path_factory.mktemp("killed"))


@pytest.fixture(scope="module")
def whole(killed: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    """Return the lengths of its games, which nobody has damaged."""
    with closing(opened(copied(killed, tmp_path_factory.mktemp("whole")))) as log:
        assert log.notices == ()
        assert [game for game, found in verify_all(log) if not found.ok] == []
        return lengths(log)


def checkpointed(log: SqliteLog, mode: str) -> None:
    """Copy the write-ahead log's content into the database."""
    with log.datastore.locked(), closing(sqlite3.connect(log.path)) as connection:
        connection.execute(f"PRAGMA wal_checkpoint({mode})")


def journal_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def test_every_flip_in_a_write_ahead_log_is_told_and_so_is_what_is_missing(
    killed: Path, whole: dict[str, int], tmp_path: Path
) -> None:
    there = scan(journal_of(killed))
    assert (there.recovered > 50, there.dropped, there.damaged) == (True, 0, False)
    chance = Random(3)
    bits = (HEADER + there.recovered * FRAME) * 8
    places = [*range(0, HEADER * 8, 13), *(chance.randrange(bits) for _ in range(FLIPS))]
    for number, bit in enumerate(places):
        path = copied(killed, tmp_path / "one")
        flip(journal_of(path), bit)
        try:
            log = opened(path)
        except DamagedLog as error:  # nothing was left, and no log is created in its place
            told = str(error)
        else:
            with closing(log):
                (told,) = log.notices
                assert f"write-ahead log of {path} is damaged" in told
                lost = {game for game, length in whole.items() if lengths(log).get(game, 0) < length}
                if number % 10 == 0:
                    found = {game for game, one in verify_all(log) if game is not None and not one.ok}
                    assert found == lost != set()
        assert re.search(r"saved events of \d games? \(.*\) are lost; [^\n]*$", told), (bit, told)
        shutil.rmtree(path.parent)


def test_without_the_heads_beside_it_all_but_the_last_commits_are_found_by_the_frames(
    killed: Path, whole: dict[str, int], tmp_path: Path
) -> None:
    """A file that was not copied, or is old, loses only what it alone could show."""
    frames = scan(journal_of(killed)).recovered
    found = {}
    for frame in range(0, frames, 7):
        path = copied(killed, tmp_path / str(frame))
        path.with_name(f"{path.name}.heads").unlink()
        flip(journal_of(path), (HEADER + frame * FRAME + 2000) * 8)
        found[frame] = scan(journal_of(path)).damaged
        if frame > 21:  # otherwise there is no table yet
            with closing(opened(path)) as log:
                assert bool(log.notices) == found[frame]
                assert whole.keys() >= lengths(log).keys()
    assert all(found[frame] for frame in found if frame < frames - 30)
    assert not found[max(found)]


def test_a_loss_is_told_once_and_remembered_until_its_traces_are_removed(
    killed: Path, whole: dict[str, int], tmp_path: Path
) -> None:
    path = copied(killed, tmp_path / "one")
    there = scan(journal_of(path))
    damaged = journal_of(path)
    flip(damaged, (HEADER + (there.recovered - 20) * FRAME + 100) * 8)
    content = damaged.read_bytes()
    aside, heads = path.with_name(f"{NAME}-wal.damaged"), path.with_name(f"{NAME}.heads")
    with closing(opened(path)) as log:
        (notice,) = log.notices
        assert aside.read_bytes() == content
        assert aside.stat().st_mode & 0o777 == 0o600
        now = lengths(log)
        game = next(game for game in whole if now[game] < whole[game])
        assert f"{game}" in notice
        # Play continues from what is left.
        for length in range(now[game], whole[game] + 3):
            draft = Draft(ReplyAccepted(seat="Ada", turn=1, text="again"), EVERYONE)
            (outcome,) = log.commit([Write(game, length, f"new{length}", datetime.now(UTC), (draft,))])
            assert isinstance(outcome, Appended)
    for _ in range(2):
        with closing(opened(path)) as log:
            assert log.notices == ()
            problems = [problem.what for problem in verify(log, game).problems]
            assert problems
            assert all("a head that was acknowledged and then lost" in problem for problem in problems)
            assert len(log.flaws()) == 2
    found = eventlog.check(f"sqlite:///{path}")
    assert [f"{heads}" in found[0], f"{aside}" in found[1], len(found)] == [True, True, 2]
    aside.unlink()
    heads.unlink()
    assert eventlog.check(f"sqlite:///{path}") == []
    with closing(opened(path)) as log:
        assert verify(log, game).ok


def test_commands_tell_a_loss_on_stderr_and_go_on(killed: Path, tmp_path: Path) -> None:
    path = damaged_copy(killed, tmp_path / "one")
    sv = Cli(path)
    said = sv("audit", "heads")
    assert (said.code, said.out.count("\n")) == (0, 6)
    assert re.fullmatch(r"sottovoce: The write-ahead log of .* is damaged: .*; run: sottovoce audit verify\n", said.err)
    assert sv("audit", "heads").err == ""
    verified = sv("audit", "verify")
    assert verified.code == 1
    assert "(by a head that was acknowledged and then lost)" in verified.out
    assert "storage: a damaged write-ahead log was set aside" in verified.out
    assert sv("db", "check").code == 1


def test_a_write_ahead_log_that_is_gone_is_told(killed: Path, tmp_path: Path) -> None:
    path = copied(killed, tmp_path / "one")
    with closing(opened(path)) as log:
        log.commit([_write("a", head_of(log, "a").length)])
        checkpointed(log, "RESTART")
        log.commit([_write("a", head_of(log, "a").length)])
        left = copied(path, tmp_path / "two")
    journal_of(left).unlink()
    with closing(opened(left)) as log:
        (notice,) = log.notices
        assert notice == f"{left} was not closed, and saved events of 1 game (a) are lost; " + (
            "run: sottovoce audit verify"
        )
        assert [problem.what for problem in verify(log, "a").problems] == [
            "is missing (by a head that was acknowledged and then lost)"
        ]


def _write(game: str, length: int, text: str = "more") -> Write:
    draft = Draft(ReplyAccepted(seat="Ada", turn=1, text=text), EVERYONE)
    return Write(game, length, f"{game}-{length}-{text[:4]}", datetime.now(UTC), (draft,))


def test_no_power_loss_is_taken_for_damage(killed: Path, tmp_path: Path) -> None:
    chance = Random(5)
    path = copied(killed, tmp_path / "powered")
    happened = {"torn": 0, "whole": 0}
    round_ = 0
    while sum(happened.values()) < POWER_LOSSES:
        round_ += 1
        snapshots: list[Snapshot] = []
        with closing(opened(path)) as log:
            assert log.notices == ()
            for _ in range(8):
                if chance.random() < 0.3:
                    checkpointed(log, chance.choice(("PASSIVE", "RESTART")))
                    snapshots.append(Snapshot.of(path))
                games = chance.sample("abcdef", chance.randint(1, 4))
                now = lengths(log)
                log.commit([_write(game, now[game], "x" * chance.randint(1, 6000)) for game in games])
                snapshots.append(Snapshot.of(path))
            for before, after in pairwise(snapshots):
                for _ in range(3):
                    lost = cut_off(before, after, tmp_path / f"{round_}-{sum(happened.values())}", chance)
                    with closing(opened(lost)) as found:
                        assert found.notices == (), (round_, happened)
                        assert [game for game, one in verify_all(found) if not one.ok] == []
                        now = lengths(found)
                    assert all(now[game] >= length for game, length in before.lengths.items())
                    happened["whole" if now == after.lengths else "torn"] += 1
                    if chance.random() > 0.1:
                        shutil.rmtree(lost.parent)
        # Continue with the rest of an unacknowledged commit, including its torn frames.
        path = cut_off(snapshots[-2], snapshots[-1], tmp_path / f"next{round_}", chance)
    assert min(happened.values()) > POWER_LOSSES // 5, happened


def damaged_copy(killed: Path, folder: Path) -> Path:
    """A copy of the log with a flipped bit near the end of its write-ahead log."""
    path = copied(killed, folder)
    flip(journal_of(path), (HEADER + (scan(journal_of(path)).recovered - 3) * FRAME + 100) * 8)
    return path


def test_of_several_that_open_a_log_at_once_one_tells_what_is_lost(killed: Path, tmp_path: Path) -> None:
    for number in range(5):
        path = damaged_copy(killed, tmp_path / str(number))
        ready, held = Barrier(4), Barrier(4)

        def notices(path: Path = path, ready: Barrier = ready, held: Barrier = held) -> int:
            ready.wait(PATIENCE)
            with closing(opened(path)) as log:
                held.wait(PATIENCE)
                return len(log.notices)

        with ThreadPoolExecutor(4) as pool:
            told = [pool.submit(notices) for _ in range(4)]
            assert sum(one.result(PATIENCE) for one in told) == 1


DYING = """
import os, signal, sys, time
from sottovoce.eventlog import open_log
from sottovoce.eventlog.sqlite import losses

def scanned(acknowledged):
    print("looking", flush=True)
    time.sleep(0.2)
    os.kill(os.getpid(), signal.SIGKILL)

losses.scanned = scanned
open_log("sqlite:///" + sys.argv[1])
"""


def test_where_the_first_to_open_a_log_dies_of_it_the_next_tells_what_is_lost(killed: Path, tmp_path: Path) -> None:
    path = damaged_copy(killed, tmp_path / "one")
    with subprocess.Popen([sys.executable, "-c", DYING, str(path)], stdout=subprocess.PIPE) as dying:
        assert dying.stdout is not None
        assert dying.stdout.readline() == b"looking\n"
        with closing(opened(path)) as log:
            assert len(log.notices) == 1
    assert dying.returncode == -signal.SIGKILL


def test_a_log_that_is_closed_or_shared_has_lost_nothing(killed: Path, tmp_path: Path) -> None:
    path = copied(killed, tmp_path / "one")
    heads = path.with_name(f"{NAME}.heads")
    for number in range(5):
        with closing(opened(path)) as one, closing(opened(path)) as two:
            for log in (one, two, one):
                log.commit([_write("a", head_of(log, "a").length, f"{number}")])
                assert log.notices == ()
            assert heads.read_bytes()
        assert heads.read_bytes() == b"", "all of it is in the database"
    assert scan(journal_of(path)) == Scan() if journal_of(path).exists() else True
