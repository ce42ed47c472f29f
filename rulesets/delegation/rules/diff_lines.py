"""The lines of a diff as git writes it: of which file, on which side, and under which number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Side = Literal["new", "old"]
"""The code as the diff leaves it, or as it was before."""
How = Literal["same", "new", "gone"]

_FILE = re.compile(r"^(?=diff --git )", re.MULTILINE)
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ESCAPED = re.compile(r"\\([0-7]{3}|.)")
_SIGNS = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13}
_HOW: dict[str, How] = {" ": "same", "+": "new", "-": "gone", "": "same"}


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line: whether it came or went, its number before and after (None where it is not there), and its text."""

    how: How
    old: int | None
    new: int | None
    text: str

    def number(self, side: Side) -> int | None:
        """Its number on a side; None where it is not there."""
        return self.new if side == "new" else self.old


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that follow each other, with the line that git writes above them."""

    head: str
    lines: tuple[DiffLine, ...]
    old: range
    """The numbers that they have before."""
    new: range


@dataclass(frozen=True, slots=True)
class FileDiff:
    """What changed in a file. `old` is its path before; they differ if it was renamed. A binary file has no hunks."""

    path: str
    old: str
    hunks: tuple[Hunk, ...]
    head: tuple[str, ...] = ()
    """The lines that git writes above the hunks."""

    def shown(self, side: Side) -> dict[int, str]:
        """The lines of a side that the diff shows, by number."""
        lines = (line for hunk in self.hunks for line in hunk.lines)
        return {number: line.text for line in lines if (number := line.number(side)) is not None}

    def after(self, line: int) -> int | None:
        """The number that a line of the old side has on the new one; None where it is gone."""
        moved = 0
        for hunk in self.hunks:
            if line < hunk.old.start:
                break
            if line in hunk.old:
                return next((one.new for one in hunk.lines if one.old == line), None)
            moved = hunk.new.stop - hunk.old.stop
        return line + moved


@lru_cache(maxsize=32)
def files_of(diff: str) -> tuple[FileDiff, ...]:
    """The files of a diff, in its order."""
    return tuple(_file(part) for part in _FILE.split(diff) if part.startswith("diff --git "))


def _file(part: str) -> FileDiff:
    lines = part.split("\n")
    first = next((place for place, line in enumerate(lines) if line.startswith("@@ ")), len(lines))
    head = tuple(line for line in lines[:first] if line)
    old, new = _paths(head)
    return FileDiff(new, old, tuple(_hunks(lines[first:])), head)


def _paths(head: tuple[str, ...]) -> tuple[str, str]:
    """The paths before and after. Those of the first line cannot be told apart where they have spaces."""
    named = {
        key: _unquoted(line[len(key) :])
        for line in head
        for key in ("rename from ", "rename to ", "--- ", "+++ ")
        if line.startswith(key)
    }
    old, new = (named.get(key, "")[2:].removesuffix("\t") for key in ("--- ", "+++ "))
    if named.get("--- ") == "/dev/null":
        old = new
    if named.get("+++ ") == "/dev/null":
        new = old
    if "rename to " in named:
        return named.get("rename from ", ""), named["rename to "]
    if new:
        return old, new
    both = head[0].removeprefix("diff --git ")
    if both.startswith('"'):
        both = _unquoted(both[: (len(both) - 1) // 2])
        return both[2:], both[2:]
    same = both[(len(both) + 1) // 2 :][2:]
    return same, same


def _unquoted(name: str) -> str:
    """A path as it is; git writes one with unusual signs between quotation marks, its bytes as octal numbers."""
    if not name.startswith('"'):
        return name.removesuffix("\t")
    inner = name[1:].rpartition('"')[0] if name.count('"') > 1 else name[1:]
    found, place = bytearray(), 0
    for escaped in _ESCAPED.finditer(inner):
        found += inner[place : escaped.start()].encode()
        sign = escaped[1]
        found.append(int(sign, 8) & 255 if len(sign) == 3 else _SIGNS.get(sign, ord(sign) & 255))
        place = escaped.end()
    return (found + inner[place:].encode()).decode("utf-8", "replace")


def _hunks(lines: list[str]) -> Iterator[Hunk]:
    """The hunks of a file. Their own counts say where each ends, since a line of code can look like the head of one."""
    place = 0
    while place < len(lines):
        head = _HUNK.match(lines[place])
        if head is None:
            place += 1
            continue
        old, olds, new, news = (1 if number is None else int(number) for number in head.groups())
        old, new = old + (not olds), new + (not news)  # without lines, git names the one before
        before, after = range(old, old + olds), range(new, new + news)
        at, place = place, place + 1
        found: list[DiffLine] = []
        while place < len(lines) and (old < before.stop or new < after.stop):
            line = lines[place]
            place += 1
            how = _HOW.get(line[:1])
            if how is None:  # such as "\ No newline at end of file"
                continue
            found.append(DiffLine(how, None if how == "new" else old, None if how == "gone" else new, line[1:]))
            old += how != "new"
            new += how != "gone"
        yield Hunk(lines[at], tuple(found), before, after)
