"""A write-ahead log as stored: what SQLite recovers from it, and whether it drops something that was synchronised.

SQLite reads frames until one does not match its checksum, which covers all frames before it. It takes everything after
that for the torn tail of an unacknowledged commit. A flipped bit looks the same. The difference: every commit is
synchronised before the next frame is written. So if a commit after the first bad frame is followed by a frame that
continues its checksum, the damaged data had reached the disk.

Frames of an earlier generation, behind those of this one, have other salts and are ignored. An undone or torn commit
never leaves more than one commit. The format: https://sqlite.org/fileformat2.html#walformat
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

SALTS = 8, 16
"""The length of a generation's salts, and their position in the file."""

_HEADER = struct.Struct(">8I")
_FRAME = struct.Struct(">6I")
_MAGIC = 0x377F0682
_VERSION = 3007000
_PAGE_SIZES = (4096, 8192, 16384, 32768, 65536, 2048, 1024, 512)
_MASK = 0xFFFFFFFF

Sums = tuple[int, int]
"""A running checksum."""


@dataclass(frozen=True, slots=True)
class Scan:
    """The content of a write-ahead log.

    SQLite recovers `recovered` frames: up to the last commit before the first bad frame. `dropped` frames come after
    them in the same generation. `damaged` says that some of these had been synchronised.
    """

    recovered: int = 0
    dropped: int = 0
    damaged: bool = False


class _Layout(NamedTuple):
    """The header's content: byte order of checksums, page size, salts and its own checksum."""

    order: str
    page_size: int
    salts: bytes
    sums: Sums


class _Frame(NamedTuple):
    """A frame: whether a commit ends with it, its salts, its checksum, and what that covers."""

    commit: bool
    salts: bytes
    sums: Sums
    covered: bytes

    @classmethod
    def of(cls, raw: bytes) -> _Frame:
        _, size, _, _, first, second = _FRAME.unpack_from(raw)
        return cls(size > 0, raw[8:16], (first, second), raw[:8] + raw[_FRAME.size :])


def scan(path: Path) -> Scan:
    """Scan the file, which nobody may write to meanwhile. Raises OSError if it can't be read."""
    with path.open("rb") as file:
        header = file.read(_HEADER.size)
        if len(header) < _HEADER.size:
            return Scan()
        order, page_size, sums = _read_header(header)
        made = _summed(header[:24], (0, 0), order)
        if made == sums and page_size in _PAGE_SIZES:
            layout = _Layout(order, page_size, header[16:24], sums)
            return _scanned(_frames(file, page_size), layout, {sums: False}, sound=True)
        for layout in _guesses(file, order, page_size, sums):
            ends = {sums: False, _summed(header[:24], (0, 0), layout.order): False}
            return _scanned(_frames(file, layout.page_size), layout, ends, sound=False)
        return Scan()


def _scanned(frames: Iterator[_Frame], layout: _Layout, ends: dict[Sums, bool], *, sound: bool) -> Scan:
    """`ends` are the checksums that the next frame can continue, each with whether it certainly belongs to a commit.

    After a bad frame there are two, because either its checksum or its content can be wrong.
    """
    recovered = read = last = 0
    committed = damaged = False
    for number, frame in enumerate(frames, 1):
        made = {end: _summed(frame.covered, end, layout.order) for end in ends}
        came = next((end for end, sums in made.items() if sums == frame.sums), None)
        if frame.salts != layout.salts:
            if not sound:
                break
            came = None
        if sound and came is not None:
            read = last = number
            recovered = number if frame.commit else recovered
            ends = {frame.sums: False}
        elif sound:
            sound = False
            ends = {frame.sums: False, **dict.fromkeys(made.values(), frame.commit)}
        else:
            committed = came is not None and (committed or ends[came])
            damaged = damaged or committed
            committed = committed or (came is not None and frame.commit)
            ends, last = {frame.sums: False}, number
    return Scan(recovered, max(last, read) - recovered, damaged)


def _read_header(header: bytes) -> tuple[str, int, Sums]:
    magic, _, page_size, _, _, _, first, second = _HEADER.unpack(header)
    return ">" if magic & 1 else "<", page_size, (first, second)


def _guesses(file: BinaryIO, order: str, page_size: int, sums: Sums) -> Iterator[_Layout]:
    """Return the layouts that would make the first frames of a file with a damaged header fit together."""
    for size in dict.fromkeys((page_size, *_PAGE_SIZES)):
        if size not in _PAGE_SIZES:
            continue
        for way in dict.fromkeys((order, "<", ">")):
            file.seek(_HEADER.size)
            frames = _frames(file, size)
            first, second = next(frames, None), next(frames, None)
            if first and second and _summed(second.covered, first.sums, way) == second.sums:
                file.seek(_HEADER.size)
                yield _Layout(way, size, first.salts, sums)


def _frames(file: BinaryIO, page_size: int) -> Iterator[_Frame]:
    size = _FRAME.size + page_size
    while len(raw := file.read(size)) == size:
        yield _Frame.of(raw)


def _summed(data: bytes, before: Sums, order: str) -> Sums:
    """Continue the checksum `before` over the data."""
    one, two = before
    words = iter(struct.unpack(f"{order}{len(data) // 4}I", data))
    for first, second in zip(words, words, strict=True):
        one = (one + first + two) & _MASK
        two = (two + second + one) & _MASK
    return one, two
