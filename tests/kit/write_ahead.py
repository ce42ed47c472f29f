"""Logs whose processes died: killed with their write-ahead log in place, or cut off from power in the middle of a
commit."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random

NAME = "log.db"
SECTOR = 512
FRAME = 24 + 4096
HEADER = 32

_KILLED = """
import os, signal, sys
from random import Random
from datetime import UTC, datetime
from sottovoce.domain.audience import EVERYONE
from sottovoce.domain.events import Draft, ReplyAccepted
from sottovoce.eventlog import open_log
from sottovoce.eventlog.log import Receipt, Write
from sottovoce.eventlog.registry import registry_of

log, chance = open_log("sqlite:///" + sys.argv[1], registry=registry_of()), Random(int(sys.argv[2]))
lengths = {}
for number in range(int(sys.argv[3])):
    writes = []
    for game in chance.sample("abcdef", chance.randint(1, 4)):
        text = "x" * chance.randint(1, 1500)
        draft = Draft(ReplyAccepted(seat="Ada", turn=1, text=text), EVERYONE)
        receipt = Receipt("core.call-ended.v1", datetime.now(UTC), "Ada", {"call": str(number)})
        length = lengths.get(game, 0)
        lengths[game] = length + 1
        receipts = (receipt,) * chance.randint(0, 2)
        writes.append(Write(game, length, f"{game}{length}", datetime.now(UTC), (draft,), receipts=receipts))
    log.commit(writes)
os.kill(os.getpid(), signal.SIGKILL)
"""


def killed_log(folder: Path, seed: int = 1, commits: int = 24) -> Path:
    """Return a log with this many commits, all acknowledged, whose process was killed afterwards."""
    path = folder / NAME
    done = subprocess.run([sys.executable, "-c", _KILLED, str(path), str(seed), str(commits)], check=False)
    assert done.returncode == -signal.SIGKILL
    return path


def copied(path: Path, folder: Path) -> Path:
    """Copy a log with its other files into a folder, except those that only living processes share."""
    folder.mkdir(exist_ok=True)
    for file in path.parent.glob(f"{path.name}*"):
        if not file.name.endswith("-shm"):
            shutil.copy(file, folder)
    return folder / path.name


def flip(path: Path, bit: int) -> None:
    """Flip one bit of a file."""
    with path.open("r+b") as file:
        file.seek(bit // 8)
        (byte,) = file.read(1)
        file.seek(bit // 8)
        file.write(bytes([byte ^ 1 << bit % 8]))


@dataclass(frozen=True)
class Snapshot:
    """The files of a log at a moment at which nobody writes, and the lengths of its games."""

    files: Mapping[str, bytes]
    lengths: Mapping[str, int]

    @classmethod
    def of(cls, path: Path) -> Snapshot:
        """Read the current files."""
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            lengths = dict(connection.execute("SELECT game, length FROM heads"))
        files = {file.name.removeprefix(path.name): file.read_bytes() for file in path.parent.glob(f"{path.name}*")}
        return cls(files, lengths)


def cut_off(before: Snapshot, after: Snapshot, folder: Path, chance: Random) -> Path:
    """Return the log of a machine that lost power during the commit between the two: with everything synchronised
    before, and any sectors of what was written since.

    SQLite synchronises a new header of its write-ahead log before it writes a frame behind it, and all of that before
    it copies pages into the database.
    """
    folder.mkdir()
    old, new = before.files.get("-wal", b""), after.files["-wal"]
    synchronised = before.files[""] != after.files[""] or chance.random() < 0.2
    headed = new[:HEADER] + old[HEADER:]
    # The heads of a commit are written after it is synchronised, and nobody waits for them.
    known = after if synchronised else before
    files = {
        "": torn(before.files[""], after.files[""], chance),
        "-wal": new if synchronised else torn(headed, new, chance),
        ".heads": torn(chance.choice((b"", before.files[".heads"])), known.files[".heads"], chance),
    }
    for suffix, content in files.items():
        (folder / f"{NAME}{suffix}").write_bytes(content)
    return folder / NAME


def torn(old: bytes, new: bytes, chance: Random) -> bytes:
    """For each sector take either the old content or the new, and possibly shorten the file."""
    share = chance.choice((0.0, 0.1, 0.5, 0.9, 1.0))
    size = len(old) if len(old) > len(new) or chance.random() < 0.3 else len(new)
    old, new = old.ljust(size, b"\0")[:size], new.ljust(size, b"\0")[:size]
    parts = (
        new[place : place + SECTOR] if chance.random() < share else old[place : place + SECTOR]
        for place in range(0, size, SECTOR)
    )
    return b"".join(parts)
