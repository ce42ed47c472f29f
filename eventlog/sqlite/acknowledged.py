"""The heads that were last acknowledged, in a small file beside the log: what tells that SQLite read back less.

After each commit the heads that it changed are added, one line each, before anybody is told. The file is written
without waiting for the disk and synchronised at most once a second, so that an append costs no second synchronisation.
Every line is true for good, since a head only grows: one that a power loss takes away is missed, and does no harm.

    !GAME EVENTS+RECEIPTS:HEX CRC     a head that was acknowledged, and was not there when the log was opened
    @SALTS CRC                        the generation of the write-ahead log that the following lines belong to
    GAME EVENTS+RECEIPTS:HEX CRC      a head that was acknowledged

With a new generation, all that was in the one before is in the database, and the file begins again. Whoever has the log
open holds a shared lock on the file: who can lock it alone is the first after all others have closed the log or died.
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
"""The file is synchronised with the first commit after so long."""

PATIENCE = 2.0
"""Seconds for which another process may take to open or close the log."""

ACKNOWLEDGED = "the head that was last acknowledged"
LOST = "a head that was acknowledged and then lost"

Heads = Mapping[str, Sequence[Kept]]


class Acknowledged:
    """The file beside one log, which is made by the first to write. It does without where that is not allowed.

    `write_ahead` is where SQLite keeps the log's write-ahead log, which need not be beside the path that was given.
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
        """Lock the file so that nobody else opens or closes the log; False where somebody has it open.

        One who opens or closes it at this moment is waited for: if that one dies, this is the first. Where there is no
        file yet, only the log's write lock keeps others away.
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
        """Be one of those who have the log open, after having been alone."""
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
        """Make the file where there is none, with the rights that the log has. The log's write lock is held."""
        if self._file is not None:
            return
        with suppress(OSError):
            rights = self._database.stat().st_mode & 0o666
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT, rights)
            if os.fstat(self._file).st_uid == os.geteuid():
                os.fchmod(self._file, rights)
            fcntl.flock(self._file, fcntl.LOCK_SH)

    def note(self, heads: Iterable[StoredHead]) -> None:
        """Add the heads that a commit left behind. The log's write lock is held; what fails here is only missed."""
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
        """The heads that were acknowledged: lost ones, and the last of each game."""
        lost, _, latest = self._read()
        games = dict.fromkeys([*lost, *latest])
        return {game: [*lost.get(game, ()), *([latest[game]] if game in latest else ())] for game in games}

    @property
    def unsettled(self) -> bool:
        """Whether there is anything that an unclean end may have left: heads here, or frames in the write-ahead log."""
        return self._size() > 0 or self.waiting

    @property
    def waiting(self) -> bool:
        """Whether the write-ahead log holds anything."""
        try:
            return self.write_ahead.stat().st_size > 0
        except OSError:
            return False

    def lost(self) -> Heads:
        """Those that were lost."""
        return self._read()[0]

    def latest(self) -> Mapping[str, Kept]:
        """The last head of each game."""
        return self._read()[2]

    def lose(self, games: Mapping[str, Kept]) -> None:
        """Keep these for good, as lost."""
        if self._file is None or not self._writable or not games:
            return
        lost, salts, latest = self._read()
        found = {game: list(known) for game, known in lost.items()}
        for game, kept in games.items():
            found.setdefault(game, []).append(kept)
        with suppress(OSError):
            self._write(found, salts, {game: kept for game, kept in latest.items() if game not in games})

    def forget(self) -> None:
        """Begin again, since the database holds all that was acknowledged. Lost heads stay."""
        if self._file is not None and self._writable:
            lost, _, _ = self._read()
            with suppress(OSError):
                self._write(lost, b"", {})

    def close(self) -> None:
        """Let go of the file; it is left in place. Idempotent."""
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
        """The salts of the write-ahead log as it is now."""
        if self._wal is None:
            self._wal = os.open(self.write_ahead, os.O_RDONLY)
        return os.pread(self._wal, *SALTS)

    def _begin(self, salts: bytes) -> None:
        """Begin a generation, unless another process has."""
        lost, known, _ = self._read()
        if known != salts:
            self._write(lost, salts, {})
        self._salts = salts

    def _write(self, lost: Heads, salts: bytes, latest: Mapping[str, Kept]) -> None:
        """Write all of it again. Lost heads come first, where they are already: no moment is without them."""
        assert self._file is not None
        lines = [f"!{game} {_text(kept)}" for game, many in lost.items() for kept in many]
        lines += [f"@{salts.hex()}"] if salts else []
        lines += [f"{game} {_text(kept)}" for game, kept in latest.items()]
        text = b"".join(map(_checked, lines))
        os.pwrite(self._file, text, 0)
        os.ftruncate(self._file, len(text))
        os.fsync(self._file)

    def _read(self) -> tuple[dict[str, list[Kept]], bytes, dict[str, Kept]]:
        """The lost heads, the generation, and the last head of each game; lines that are not whole say nothing."""
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
