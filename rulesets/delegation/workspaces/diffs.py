"""What differs between two commits, as far as the log keeps it (D-065)."""

from __future__ import annotations

import hashlib
import re

from sottovoce.rulesets.delegation.rules.evidence import ChangedFile, Difference
from sottovoce.rulesets.delegation.workspaces.git import DIFF, Repository

READ_WHOLE = 8 << 20
"""Bytes of a diff that are read at once to choose from; of a longer one each file is read by itself."""
MOST_FILES = 2000
"""Changed files that are listed."""
TRIED = 200
"""Files of a very long diff that are read by themselves, the smallest first."""


def difference(repository: Repository, before: str, after: str, most: int) -> Difference:
    """The files with their lines, and at most `most` bytes of the diff: whole files, the smallest first."""
    files = _files(repository, before, after)
    digest, size, kept = hashlib.sha256(), 0, bytearray()
    for part in repository.stream("diff", *DIFF, before, after):
        digest.update(part)
        size += len(part)
        if size <= READ_WHOLE:
            kept += part
    if size <= most:
        text, whole = bytes(kept), True
    elif size <= READ_WHOLE:
        text, whole = _fitting(bytes(kept), most), False
    else:
        text, whole = _by_file(repository, before, after, files, most), False
    shown = text.decode("utf-8", "replace").replace("\0", "\ufffd")
    return Difference(tuple(files[:MOST_FILES]), size, digest.hexdigest(), shown, whole)


def _files(repository: Repository, before: str, after: str) -> list[ChangedFile]:
    out = repository.run("diff", "--numstat", "-z", *DIFF, before, after).decode("utf-8", "replace")
    parts = out.split("\0")
    files = []
    place = 0
    while place < len(parts) and parts[place]:
        added, removed, name = parts[place].split("\t", 2)
        old = None
        if not name:
            old, name = parts[place + 1], parts[place + 2]
            place += 2
        place += 1
        binary = added == "-"
        files.append(ChangedFile(name, old, None if binary else int(added), None if binary else int(removed)))
    return files


def _fitting(diff: bytes, most: int) -> bytes:
    """The parts of whole files that fit, so that no part is torn; in the order that they had."""
    parts = re.split(rb"(?m)^(?=diff --git )", diff)[1:]
    room, chosen = most, set()
    for place in sorted(range(len(parts)), key=lambda place: len(parts[place])):
        if len(parts[place]) > room:
            break
        room -= len(parts[place])
        chosen.add(place)
    return b"".join(part for place, part in enumerate(parts) if place in chosen)


def _by_file(repository: Repository, before: str, after: str, files: list[ChangedFile], most: int) -> bytes:
    smallest = sorted(files, key=lambda file: (file.added or 0) + (file.removed or 0))[:TRIED]
    kept = b""
    for file in smallest:
        names = [f":(top,literal){path}" for path in filter(None, (file.old, file.path))]
        part = bytearray()
        for data in repository.stream("diff", *DIFF, before, after, "--", *names):
            part += data
            if len(kept) + len(part) > most:
                break
        if len(kept) + len(part) <= most:
            kept += bytes(part)
    return kept
