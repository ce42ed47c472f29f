"""Documents as pieces of exact text with one audience each, and their fold.

The same functions serve the full log and any seat's view. A reader's order of pieces follows from the pieces it has
alone: a piece is put directly after one that all its readers see, or at the end, and keeps its place when rewritten.
So the pieces somebody may read stand in the same order whatever lies between them.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Self

from sottovoce import NOTHING, Growing

Coding = Literal["text", "base64"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of one document that is read by the same seats throughout.

    `key` is stable within a game. `document` is the path inside the campaign folder. `heading` is the title of the
    section it belongs to and `level` that heading's, None and 0 before the first one; `opens` says that the piece
    begins with the heading's own line. `readers` are sorted. `secret` marks what F-060 keeps for the GM inside a
    document. `coding` is `base64` where the file is no text, and then `text` is its bytes in that coding.
    """

    key: str
    document: str
    heading: str | None
    text: str
    readers: tuple[str, ...]
    level: int = 0
    opens: bool = False
    secret: bool = False
    coding: Coding = "text"

    def content(self) -> bytes:
        """The very bytes of this stretch."""
        return base64.b64decode(self.text) if self.coding == "base64" else self.text.encode("utf-8")


class Pieces(Growing[Piece]):
    """The pieces of one document in order, each found by its key. Adding one at the end takes the same time always."""

    __slots__ = ("_places",)

    def __init__(self, pieces: Sequence[Piece] = ()) -> None:
        super().__init__(pieces)
        self._places = {piece.key: place for place, piece in enumerate(self._items)}

    def and_then(self, item: Piece) -> Self:
        """These pieces and a new one, whose key none of them has."""
        longer = super().and_then(item)
        shared = longer._items is self._items
        longer._places = self._places if shared else {piece.key: place for place, piece in enumerate(self)}
        longer._places[item.key] = self._length
        return longer

    def place_of(self, key: str) -> int | None:
        """Where the piece with that key stands; None without one."""
        place = self._places.get(key)
        return None if place is None or place >= self._length else place

    def has(self, key: str) -> bool:
        """Whether one of the pieces has that key."""
        return self.place_of(key) is not None


NO_PIECES = Pieces()

Documents = Mapping[str, Pieces]
"""The pieces known here by document."""

NO_DOCUMENTS: Documents = NOTHING


def new_key(
    document: str, heading: str | None, text: str, readers: Sequence[str], taken: Callable[[str], bool], alike: int = 0
) -> str:
    """A key for a new piece.

    It is made of what every reader of the piece can see. Among pieces alike in all of it, which have the same readers,
    it counts, from `alike`; so that a key says nothing about pieces its holder lacks.
    """
    while True:
        parts = "\x1f".join((document, ",".join(readers), heading or "", str(alike), text))
        key = hashlib.blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        if not taken(key):
            return key
        alike += 1


def with_piece(documents: Documents, piece: Piece, after: str | None = None) -> Documents:
    """The documents with the piece written: in its old place, or new behind the piece with the key `after`, or last.

    Total: where `after` is unknown, the piece comes last.
    """
    pieces = documents.get(piece.document, NO_PIECES)
    old = pieces.place_of(piece.key)
    before = None if after is None else pieces.place_of(after)
    if old is not None:
        pieces = Pieces((*pieces[:old], piece, *pieces[old + 1 :]))
    elif before is None or before + 1 == len(pieces):
        pieces = pieces.and_then(piece)
    else:
        pieces = Pieces((*pieces[: before + 1], piece, *pieces[before + 1 :]))
    return {**documents, piece.document: pieces}


def without_piece(documents: Documents, document: str, key: str) -> Documents:
    """The documents without that piece; a document without pieces is gone. Total: an unknown key changes nothing."""
    pieces = documents.get(document, NO_PIECES)
    if not pieces.has(key):
        return documents
    rest = Pieces([piece for piece in pieces if piece.key != key])
    others = {path: kept for path, kept in documents.items() if path != document}
    return {**documents, document: rest} if rest else others


def folded(pieces: Iterable[Piece]) -> Documents:
    """The documents made of these pieces, in this order."""
    lists: dict[str, list[Piece]] = {}
    for piece in pieces:
        lists.setdefault(piece.document, []).append(piece)
    return {path: Pieces(found) for path, found in lists.items()}


def readable_by(documents: Documents, seat: str) -> Documents:
    """Those pieces that the seat may read, as its own fold has them. For auditors and tests: views are folded."""
    return folded(piece for pieces in documents.values() for piece in pieces if seat in piece.readers)


def rebuild(pieces: Iterable[Piece]) -> str:
    """The text of one document made of these pieces; nothing marks where others have more."""
    return "".join(piece.text if piece.coding == "text" else "" for piece in pieces)


def rebuilt(documents: Documents) -> dict[str, bytes]:
    """Every document as the bytes of a file, by path in sorted order: a reader who has all pieces has the original."""
    return {path: b"".join(piece.content() for piece in documents[path]) for path in sorted(documents)}
