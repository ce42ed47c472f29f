"""Which table each page of an SQLite file belongs to, and which of its bytes are used, from only the file format."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

_INTERIOR = {2: "index", 5: "table"}
_LEAF = {10: "index", 13: "table"}


@dataclass(frozen=True)
class Page:
    """A page: its table (or index), and the offsets within it that are used."""

    owner: str
    used: frozenset[int]


def pages(path: Path) -> dict[int, Page]:
    """Return the pages of a file at rest that belong to a table or an index, by their numbers from 1.

    An index has the name of its table. Free pages and unused bytes are left out.
    """
    with closing(sqlite3.connect(path)) as connection:
        size: int = connection.execute("PRAGMA page_size").fetchone()[0]
        roots = connection.execute("SELECT tbl_name, rootpage FROM sqlite_master WHERE rootpage > 0").fetchall()
    data = path.read_bytes()
    found: dict[int, Page] = {}
    for owner, root in [("sqlite_master", 1), *roots]:
        _walk(data, size, owner, root, found)
    return found


def _walk(data: bytes, size: int, owner: str, number: int, found: dict[int, Page]) -> None:
    page = data[(number - 1) * size : number * size]
    start = 100 if number == 1 else 0
    kind = page[start]
    interior = kind in _INTERIOR
    header = 12 if interior else 8
    count = int.from_bytes(page[start + 3 : start + 5], "big")
    used = set(range(start + header + 2 * count))
    for index in range(count):
        at = start + header + 2 * index
        cell = int.from_bytes(page[at : at + 2], "big")
        end = cell
        if interior:
            _walk(data, size, owner, int.from_bytes(page[cell : cell + 4], "big"), found)
            end += 4
        length = 0
        if kind != 5:
            length, end = _varint(page, end)
        if kind in (5, 13):
            _, end = _varint(page, end)
        if kind != 5:
            local = _local(length, size, kind == 13)
            end += local
            if local < length:
                _overflow(data, size, owner, int.from_bytes(page[end : end + 4], "big"), length - local, found)
                end += 4
        used |= set(range(cell, end))
    if interior:
        _walk(data, size, owner, int.from_bytes(page[start + 8 : start + 12], "big"), found)
    found[number] = Page(owner, frozenset(used))


def _overflow(data: bytes, size: int, owner: str, number: int, left: int, found: dict[int, Page]) -> None:
    while number:
        held = min(left, size - 4)
        found[number] = Page(owner, frozenset(range(4 + held)))
        left -= held
        number = int.from_bytes(data[(number - 1) * size : (number - 1) * size + 4], "big")


def _local(length: int, size: int, leaf_of_a_table: bool) -> int:
    """Return how much of a cell's payload is in its page."""
    most = size - 35 if leaf_of_a_table else (size - 12) * 64 // 255 - 23
    if length <= most:
        return length
    least = (size - 12) * 32 // 255 - 23
    local = least + (length - least) % (size - 4)
    return local if local <= most else least


def _varint(page: bytes, at: int) -> tuple[int, int]:
    value = 0
    for index in range(8):
        byte = page[at + index]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, at + index + 1
    return value << 8 | page[at + 8], at + 9
