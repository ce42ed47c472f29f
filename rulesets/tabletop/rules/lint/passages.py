"""Passages: what a text that players read repeats, word for word, of what is closed to them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from sottovoce.rulesets.tabletop.rules.documents import Piece
from sottovoce.rulesets.tabletop.rules.lint.ordinary import SMALL, is_calendar

Place = tuple[str, str | None]
"""A document and the heading of a section in it."""
Words = tuple[str, ...]

RUN = 6
"""Words in a row, out of what is marked as secret, that make a passage."""
SHORTEST = 3
"""Words of the shortest sentence that makes one as a whole."""
COPIED = 10
"""Words in a row that make one out of what is closed without a mark."""
SENTENCE = 8
"""Words of the shortest sentence that makes one as a whole out of that."""
TELLING = 2
"""How many words of a passage say something: no small word, and none that dates are made of."""

TOKEN = re.compile(r"[^\W\d_]+(?:(?:['’]|-(?=[A-ZÀ-Þ]))[^\W\d_]+)*")
_BREAK = re.compile(
    r"(?<![.!?…])[.!?…]++(?=[\s\"”’)*_\]]|$)|\n[ \t>]*\n|\n(?=[ \t>]*(?:[-*+#|]|\d{1,9}[.)]))|[|]|<!--|-->|\*\*"
    r"|^[ \t>]*(?:[-*+]|#{1,6})[ \t]",
    re.MULTILINE,
)


_HEADING = re.compile(r"^[ \t>]*#{1,6}[ \t].*$", re.MULTILINE)


@lru_cache(maxsize=32_768)
def stem(word: str) -> str:
    """The word as it is compared: without case, possessive and a plural's s."""
    bare = word.lower().replace("’", "'").removesuffix("'s").removesuffix("'")
    return bare[:-1] if len(bare) > 4 and bare.endswith("s") and not bare.endswith(("ss", "us", "is")) else bare


_PROGRAM = re.compile(r"[ \t>]*(?:```|~~~)[ \t]*(?:dataview|dataviewjs|button|meta-bind|tasks|query|leaflet|statblock)")
_FENCE = re.compile(r"[ \t>]*(?:```|~~~)")
_INLINE = re.compile(r"`(?:\$?= ?|VIEW\[|INPUT\[|BUTTON\[)[^`\n]{0,300}`|</?[a-zA-Z][^<>\n]{0,200}>")


def _without_programs(text: str) -> str:
    """The text without what a program fills in when a note is shown: notes out of one template share it."""
    if "`" not in text and "~" not in text and "<" not in text:
        return text
    kept: list[str] = []
    inside = False
    for line in text.split("\n"):
        if inside:
            inside = not _FENCE.match(line)
        elif _PROGRAM.match(line):
            inside = True
        else:
            kept.append(line if line.lstrip().startswith("<!--") else _INLINE.sub("", line))
    return "\n".join(kept)


def sentences(text: str) -> Iterator[list[str]]:
    """The words of each sentence, list item, cell or heading."""
    for sentence in _BREAK.split(_HEADING.sub("\\g<0>\n\n", _without_programs(text))):
        words = TOKEN.findall(sentence)
        if words:
            yield words


class Sources:
    """Runs of words and whole sentences out of closed text, and where they stand."""

    def __init__(self, run: int, shortest: int) -> None:
        self.run, self.shortest = run, shortest
        self.places: dict[Words, dict[Place, None]] = {}

    def add(self, piece: Piece) -> None:
        place = piece.document, piece.heading
        for words in sentences(piece.text):
            stems = tuple(map(stem, words))
            runs = [stems[at : at + self.run] for at in range(len(stems) - self.run + 1)]
            for run in runs or ([stems] if len(stems) >= self.shortest else []):
                self.places.setdefault(run, {})[place] = None

    def repeated(self, piece: Piece) -> Iterator[tuple[str, tuple[Place, ...]]]:
        """What the piece repeats, as it is written there, and out of which places."""
        for words in sentences(piece.text):
            stems = tuple(map(stem, words))
            at = 0
            while at < len(stems):
                end, places = self._longest(stems, at)
                if end > at and tells(stems[at:end]):
                    yield " ".join(words[at:end]), places
                at = max(end, at + 1)

    def _longest(self, stems: Words, at: int) -> tuple[int, tuple[Place, ...]]:
        """Where the passage that begins there ends, and its sources."""
        found = self.places.get(stems[at : at + self.run])
        if found is None or len(stems) - at < self.run:
            for length in range(min(self.run - 1, len(stems) - at), self.shortest - 1, -1):
                whole = self.places.get(stems[at : at + length])
                if whole is not None:
                    return at + length, tuple(whole)
            return at, ()
        end = at + self.run
        while end < len(stems) and stems[end - self.run + 1 : end + 1] in self.places:
            end += 1
        return end, tuple(found)


def tells(stems: Sequence[str]) -> bool:
    """Whether the words say enough for their repetition to mean something."""
    return sum(word not in SMALL and not is_calendar(word) for word in stems) >= TELLING


def passages(openly: Iterable[Piece], sources: Sources) -> Mapping[str, tuple[tuple[Place, ...], tuple[Place, ...]]]:
    """Each passage with the places where players read it and those that it is out of."""
    found: dict[str, tuple[dict[Place, None], tuple[Place, ...]]] = {}
    for piece in openly:
        for words, places in sources.repeated(piece):
            elsewhere = tuple(place for place in places if place != (piece.document, piece.heading))
            if elsewhere:
                found.setdefault(words, ({}, elsewhere))[0][piece.document, piece.heading] = None
    return {words: (tuple(openly_at), closed_at) for words, (openly_at, closed_at) in found.items()}
