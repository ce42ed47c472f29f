"""A campaign folder's files as pieces, and what changed on disk since."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sottovoce import SetupRefused
from sottovoce.domain.paths import checked_path
from sottovoce.rulesets.tabletop.rules.documents.access import readers_of, sheets_in
from sottovoce.rulesets.tabletop.rules.documents.pieces import Piece, new_key
from sottovoce.rulesets.tabletop.rules.documents.secrecy import cut
from sottovoce.rulesets.tabletop.rules.names import GM, checked_roster


def roster_of(files: Mapping[str, bytes]) -> tuple[str, ...]:
    """The characters with a sheet under `party/`, sorted. SetupRefused without one, or for a bad name."""
    roster = checked_roster(sheets_in(tuple(files)))
    if not roster:
        raise SetupRefused("The campaign has no character sheet. Add one to its folder party/ as NAME.md.")
    return roster


def import_folder(
    files: Mapping[str, bytes], roster: Sequence[str], more: Mapping[str, Sequence[str]] | None = None
) -> tuple[Piece, ...]:
    """Return every file as pieces, in the order of their paths (F-005 to F-014, F-060, F-061).

    A file that is not UTF-8 text is one piece that only the GM has, kept byte for byte. `more` is as in `readers_of`.
    Raises SetupRefused for a path that leaves the folder.
    """
    pieces: list[Piece] = []
    for path in sorted(files):
        text = text_of(files[checked_path(path)])
        if text is None:
            pieces.append(_opaque(path, files[path]))
        else:
            pieces.extend(cut(path, text, readers_of(path, roster, more)))
    return tuple(pieces)


def text_of(content: bytes) -> str | None:
    """The content as text, a byte order mark included; None where it is none: not UTF-8, or with NUL characters."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def _opaque(path: str, content: bytes) -> Piece:
    text = base64.b64encode(content).decode("ascii")
    return Piece(new_key(path, None, text, (GM,), lambda key: False), path, None, text, (GM,), coding="base64")


@dataclass(frozen=True, slots=True)
class Differences:
    """Paths of files that are new, differ or are missing, each sorted."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.changed or self.gone)


def differences(imported: Mapping[str, bytes], now: Mapping[str, bytes]) -> Differences:
    """What changed on disk since the folder was imported (for a game that continues another)."""
    return Differences(
        added=tuple(sorted(now.keys() - imported.keys())),
        changed=tuple(sorted(path for path in now.keys() & imported.keys() if now[path] != imported[path])),
        gone=tuple(sorted(imported.keys() - now.keys())),
    )
