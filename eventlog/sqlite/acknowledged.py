"""The last acknowledged heads, in a small file next to the log. They show whether SQLite has lost commits.

Each commit adds the heads it changed, one line each, before anyone is told. The file is written without waiting for the
disk and synchronised at most once a second, so an append needs no second synchronisation. Every line stays true,
because a head only grows. A line lost in a power failure does no harm.

    !GAME EVENTS+RECEIPTS:HEX CRC     an acknowledged head that was missing when the log was opened
    @SALTS CRC                        the generation of the write-ahead log for the following lines
    GAME EVENTS+RECEIPTS:HEX CRC      an acknowledged head

When a generation begins, the database contains everything of the previous one, and the file starts over. Every process
that has the log open holds a shared lock on the file. A process that gets the exclusive lock is the first after all
others have closed the log or died.
"""

from __future__ import annotations

import fcntl
import os
import time
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from sottovoce.eventlog.envelope import head_hash
from sottovoce.eventlog.errors import BadHead
from sottovoce.eventlog.kept import Kept
from sottovoce.eventlog.log import StoredHead
from sottovoce.eventlog.sqlite.wal import SALTS

SYNC_SECONDS = 1.0
"""Seconds after which the next commit synchronises the file."""

PATIENCE = 2.0
"""Seconds that another process can take to open or close the log."""

ACKNOWLEDGED = "the head that was last acknowledged"
LOST = "a head that was acknowledged and then lost"

Heads = Mapping[str, Sequence[Kept]]


class Acknowledged:
    """The file next to one log. The first writer creates it; without the right to do so, it is skipped.

    `write_ahead` is the path of SQLite's write-ahead log, which may not be next to the given path.
    """

    def __init__(self, database: Path) -> None:
        real = database.resolve()
        self.path = real.with_name(real.name + ".heads")
        self.write_ahead = real.with_name(real.name + "-wal")
        self._database = real
        self._writable = True
        self._file = self._opened()
        self._wal: int | None = None
        self._salts = b""
        self._synced = 0.0

    def alone(self) -> bool:
        """Lock the file so that no other process opens or closes the log. Return False if another has it open.

        It waits for a process that is opening or closing the log; if that dies, this process is the first. Without a
        file, only the log's write lock keeps others out.
        """
        if self._file is None:
            return not self.path.exists()
        give_up = time.monotonic() + PATIENCE
        while not (alone := self._locked(fcntl.LOCK_EX)) and not self._locked(fcntl.LOCK_SH):
            if time.monotonic() > give_up:
                break
            time.sleep(0.002)
        return alone

    def share(self) -> None:
        """Change the exclusive lock into a shared one."""
        give_up = time.monotonic() + PATIENCE
        while self._file is not None and not self._locked(fcntl.LOCK_SH) and time.monotonic() < give_up:
            time.sleep(0.002)

    def _locked(self, how: int) -> bool:
        assert self._file is not None
        try:
            fcntl.flock(self._file, how | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

    def make(self) -> None:
        """Create the file if it is missing, with the log's permissions. The caller holds the log's write lock."""
        if self._file is not None:
            return
        with suppress(OSError):
            rights = self._database.stat().st_mode & 0o666
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT, rights)
            if os.fstat(self._file).st_uid == os.geteuid():
                os.fchmod(self._file, rights)
            fcntl.flock(self._file, fcntl.LOCK_SH)

    def note(self, heads: Iterable[StoredHead]) -> None:
        """Add the heads of a commit. The caller holds the log's write lock. A failure here is harmless."""
        if self._file is None or not self._writable:
            return
        with suppress(OSError):
            if (salts := self._generation()) != self._salts:
                self._begin(salts)
            os.lseek(self._file, 0, os.SEEK_END)
            os.write(self._file, b"".join(map(_line, heads)))
            now = time.monotonic()
            if now - self._synced >= SYNC_SECONDS:
                os.fsync(self._file)
                self._synced = now

    def read(self) -> Heads:
        """Read the acknowledged heads: lost ones, and the last of each game."""
        lost, _, latest = self._read()
        games = dict.fromkeys([*lost, *latest])
        return {game: [*lost.get(game, ()), *([latest[game]] if game in latest else ())] for game in games}

    @property
    def unsettled(self) -> bool:
        """Return whether an unclean end may have left something: heads here, or frames in the write-ahead log."""
        return self._size() > 0 or self.waiting

    @property
    def waiting(self) -> bool:
        """Return whether the write-ahead log is not empty."""
        try:
            return self.write_ahead.stat().st_size > 0
        except OSError:
            return False

    def lost(self) -> Heads:
        """Return the lost heads."""
        return self._read()[0]

    def latest(self) -> Mapping[str, Kept]:
        """Return the last head of each game."""
        return self._read()[2]

    def lose(self, games: Mapping[str, Kept]) -> None:
        """Record these heads as lost, permanently."""
        if self._file is None or not self._writable or not games:
            return
        lost, salts, latest = self._read()
        found = {game: list(known) for game, known in lost.items()}
        for game, kept in games.items():
            found.setdefault(game, []).append(kept)
        with suppress(OSError):
            self._write(found, salts, {game: kept for game, kept in latest.items() if game not in games})

    def forget(self) -> None:
        """Start over, because the database contains everything acknowledged. Lost heads stay."""
        if self._file is not None and self._writable:
            lost, _, _ = self._read()
            with suppress(OSError):
                self._write(lost, b"", {})

    def close(self) -> None:
        """Release the file, which stays in place. Idempotent."""
        for file in (self._wal, self._file):
            if file is not None:
                os.close(file)
        self._wal = self._file = None

    def _opened(self) -> int | None:
        for rights in (os.O_RDWR, os.O_RDONLY):
            with suppress(OSError):
                file = os.open(self.path, rights)
                self._writable = rights == os.O_RDWR
                return file
        return None

    def _generation(self) -> bytes:
        """Return the current salts of the write-ahead log."""
        if self._wal is None:
            self._wal = os.open(self.write_ahead, os.O_RDONLY)
        return os.pread(self._wal, *SALTS)

    def _begin(self, salts: bytes) -> None:
        """Start a generation, unless another process has."""
        lost, known, _ = self._read()
        if known != salts:
            self._write(lost, salts, {})
        self._salts = salts

    def _write(self, lost: Heads, salts: bytes, latest: Mapping[str, Kept]) -> None:
        """Write everything again. Lost heads come first, where they already are, so that they are never missing."""
        assert self._file is not None
        lines = [f"!{game} {_text(kept)}" for game, many in lost.items() for kept in many]
        lines += [f"@{salts.hex()}"] if salts else []
        lines += [f"{game} {_text(kept)}" for game, kept in latest.items()]
        text = b"".join(map(_checked, lines))
        os.pwrite(self._file, text, 0)
        os.ftruncate(self._file, len(text))
        os.fsync(self._file)

    def _read(self) -> tuple[dict[str, list[Kept]], bytes, dict[str, Kept]]:
        """Read the lost heads, the generation, and the last head of each game. Ignore incomplete lines."""
        lost: dict[str, list[Kept]] = {}
        latest: dict[str, Kept] = {}
        salts = b""
        for line in self._lines():
            game, _, head = line.partition(" ")
            with suppress(BadHead, ValueError):
                if line.startswith("@"):
                    salts = bytes.fromhex(line[1:])
                elif line.startswith("!"):
                    lost.setdefault(game[1:], []).append(Kept.of(head, LOST))
                else:
                    kept = Kept.of(head, ACKNOWLEDGED)
                    if (known := latest.get(game)) is None or _further(kept, known):
                        latest[game] = kept
        return lost, salts, latest

    def _lines(self) -> Iterable[str]:
        if self._file is None:
            return
        try:
            raw = os.pread(self._file, self._size(), 0)
        except OSError:
            return
        for line in raw.decode("utf-8", "replace").split("\n"):
            text, _, check = line.rpartition(" ")
            if check == _check(text):
                yield text

    def _size(self) -> int:
        return 0 if self._file is None else os.fstat(self._file).st_size


def _line(head: StoredHead) -> bytes:
    game, length, running, receipts, handed, _, _, origin = head
    digest = head_hash(length, running, receipts, handed, origin).hex()
    return _checked(f"{game} {length}+{receipts}:{digest}")


def _text(kept: Kept) -> str:
    return f"{kept.events}+{kept.receipts}:{kept.digest.hex()}"


def _further(one: Kept, other: Kept) -> bool:
    return ((one.events or 0), (one.receipts or 0)) > ((other.events or 0), (other.receipts or 0))


def _checked(text: str) -> bytes:
    return f"{text} {_check(text)}\n".encode()


def _check(text: str) -> str:
    return f"{zlib.crc32(text.encode()):08x}"
