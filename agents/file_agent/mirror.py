"""A seat's documents as files, and what an outside program changes in those that its seat may write.

What the program and the game both know of a file is remembered. A file that differs from it was changed by the program:
where its seat may write, that is an edit, to be sent with the next answer; elsewhere the file is put back.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sottovoce.agents.file_agent.memory import Mark, Memory, mark_of
from sottovoce.agents.folder import delete_file, parent, read_file, write_file

LARGEST = 4_000_000
"""Bytes of the largest file that is compared; a larger one counts as changed beyond use."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One change to a file: a new text, a text that was added at its end, or the file's removal.

    `after` is the content as it now is, None where it is gone.
    """

    path: str
    operation: Literal["set", "append", "remove"]
    text: str
    after: bytes | None


@dataclass(frozen=True, slots=True)
class Access:
    """What a seat may change: `paths` in the order in which edits are sent; `grows` says which of them only grow."""

    paths: Sequence[str] = ()
    grows: Callable[[str], bool] = lambda path: False


def refresh(top: int, memory: Memory, documents: Mapping[str, bytes], access: Access) -> list[str]:
    """Bring the folder up to date with the documents; a line for each change of the program's that was put back.

    Edits that were not sent yet stay, and files that are on their way to the game are left alone.
    """
    put_back, offered, there = [], memory.offered(), _in_tmp(top)
    for path in sorted({*memory.written, *documents}):
        if path in offered:
            continue
        content, known, now = documents.get(path), memory.written.get(path), _content(top, path)
        if content is None:
            _withdraw(top, path, _edit(path, memory.written.pop(path), now, access, there))
            continue
        before = known or mark_of(content)
        edit = _edit(path, before, now, access, there)
        if edit is None or (edit.operation == "remove" and known != mark_of(content)):
            if now != content:
                write_file(top, path, content)
            if now is not None and mark_of(now) not in (before, mark_of(content)):
                put_back.append(f"{path} was changed and has been put back: {_why_not(path, access)}.")
        elif edit.operation == "append" and now != content + edit.text.encode():
            write_file(top, path, content + edit.text.encode())
        memory.written[path] = mark_of(content)
    return put_back


def _withdraw(top: int, path: str, edit: Edit | None) -> None:
    """Delete the file of a document that is gone, except what the program added to it meanwhile."""
    if edit is None or edit.operation == "remove":
        delete_file(top, path)
    elif edit.operation == "append":
        write_file(top, path, edit.text.encode())


def _why_not(path: str, access: Access) -> str:
    if path not in access.paths:
        return "it is not yours to write"
    return "it only grows, add at its end" if access.grows(path) else "it is too long, or nothing was written"


def edits(top: int, memory: Memory, access: Access) -> Sequence[Edit]:
    """What the program has changed and may, removals first."""
    found: list[Edit] = []
    offered, there = memory.offered(), _in_tmp(top)
    for path in access.paths:
        if path not in offered:
            edit = _edit(path, memory.written.get(path), _content(top, path), access, there)
            found += [edit] if edit is not None else []
    return sorted(found, key=lambda edit: edit.operation != "remove")


def _edit(
    path: str, known: Mark | None, now: bytes | None, access: Access, there: frozenset[str] | None
) -> Edit | None:
    """What was done to the file since program and game agreed on it; None where nothing was, or nothing allowed.

    A file that is gone was removed if it lay in `tmp/` and that is still there.
    """
    if path not in access.paths:
        return None
    if now is None:
        removed = known is not None and path.startswith("tmp/") and there is not None and path not in there
        return Edit(path, "remove", "", None) if removed else None
    if len(now) > LARGEST or (known is not None and mark_of(now) == known):
        return None
    if known is not None and mark_of(now[: known[0]]) == known:
        added = _text(now[known[0] :])
        return Edit(path, "append", added, now) if added.strip() else None
    if known is not None and access.grows(path):
        return None
    text = _text(now)
    if not text.strip():
        return None
    return Edit(path, "append" if access.grows(path) else "set", text, now)


def _in_tmp(top: int) -> frozenset[str] | None:
    """The paths of what lies in `tmp/`; None where there is no such folder."""
    try:
        with parent(top, "tmp/x") as (folder, _):
            return frozenset(f"tmp/{name}" for name in os.listdir(folder))
    except OSError:
        return None


def _content(top: int, path: str) -> bytes | None:
    """What the file holds; None where no ordinary file that can be read is there."""
    try:
        return read_file(top, path, LARGEST)
    except OSError:
        return None


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace").removeprefix("\ufeff")
