"""Whether a text repeats what its hearer has no access to: eight words in a row out of closed sources (T-063).

The index folds from events. It is persistent: adding a text shares all older segments, and segments merge when they are
of a like size, so that there are never more than about as many as the number of doublings of its size.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from domain.rulesets.tabletop.access import STORY_STATE, owner_of
from domain.rulesets.tabletop.names import GM
from domain.rulesets.tabletop.pieces import Piece

RUN = 8
"""How many consecutive words make a repetition."""

_WORD = re.compile(r"[^\W_]+(?:['’‘ʼ´`][^\W_]+)*")
_APOSTROPHE = re.compile("['’‘ʼ´`]")
_BARE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\ufe00-\ufe0f]")

Segment = Mapping[int, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Heard:
    """The runs of eight words in everything that `author` has access to, and who else has: all readers of any source.

    `segments` shrink in size from first to last; each maps a run's number to readers.
    """

    author: str = GM
    segments: tuple[Segment, ...] = ()

    def adding(self, text: str, readers: Iterable[str], besides: Heard | None = None) -> Heard:
        """With one more source. One that the author does not read is left out: it must not tell on others.

        Runs that stand in `besides` too are left out: words of the author's own are nobody's secret for being repeated.
        """
        seats = frozenset(readers)
        if self.author not in seats:
            return self
        runs = _runs(_number(word) for word in _WORD.findall(_plain(text)))
        if besides is not None:
            runs = [number for number in runs if not besides.holds(number)]
        if not runs:
            return self
        segments = list(self.segments)
        newest: dict[int, frozenset[str]] = dict.fromkeys(runs, seats)
        while segments and len(segments[-1]) <= 2 * len(newest):
            newest = _merged(segments.pop(), newest)
        return Heard(self.author, (*segments, newest))

    def holds(self, number: int) -> bool:
        """Whether a run with that number is in any source."""
        return any(number in segment for segment in self.segments)

    def repeats(self, body: str, seat: str) -> str | None:
        """The body's first run of eight or more words that only sources closed to `seat` have; None without one."""
        text = _plain(body)
        words = list(_WORD.finditer(text))
        closed = [self._closed(number, seat) for number in _runs(_number(word[0]) for word in words)]
        if True not in closed:
            return None
        first = closed.index(True)
        after = closed.index(False, first) if False in closed[first:] else len(closed)
        return text[words[first].start() : words[after + RUN - 2].end()]

    def _closed(self, number: int, seat: str) -> bool:
        known = False
        for segment in self.segments:
            readers = segment.get(number)
            if readers is not None:
                if seat in readers:
                    return False
                known = True
        return known


def is_source(piece: Piece, roster: Sequence[str]) -> bool:
    """Whether the piece is to be added to the index (T-063).

    These are the story state, the files of the characters, what is marked as secret in any file, and everything that a
    character reads. What lies beside them, such as the description of a place, is the GM's to read out.
    """
    if piece.coding != "text":
        return False
    ours = piece.document == STORY_STATE or piece.secret or owner_of(piece.document, roster) is not None
    return ours or any(name in piece.readers for name in roster)


def _merged(older: Segment, newer: Mapping[int, frozenset[str]]) -> dict[int, frozenset[str]]:
    if older.keys().isdisjoint(newer):
        return {**older, **newer}
    merged = dict(older)
    for number, readers in newer.items():
        known = merged.get(number)
        merged[number] = readers if known is None or known <= readers else _union(known, readers)
    return merged


@lru_cache(maxsize=4096)
def _union(one: frozenset[str], other: frozenset[str]) -> frozenset[str]:
    """One object for each set, as there are many runs and few sets."""
    return one | other


def _plain(text: str) -> str:
    """The text without typographic variants."""
    return text if text.isascii() else unicodedata.normalize("NFKC", _BARE.sub("", text))


@lru_cache(maxsize=65_536)
def _number(word: str) -> int:
    """A number for the word as it is compared: case folded, without apostrophes; the same in every process."""
    bare = _APOSTROPHE.sub("", word).casefold()
    return int.from_bytes(hashlib.blake2b(bare.encode("utf-8", "surrogatepass"), digest_size=7).digest(), "big")


def _runs(words: Iterable[int]) -> list[int]:
    """The number of each run, made of its words' numbers. Numbers hash alike in every process."""
    numbers = list(words)
    return [hash(run) for run in zip(*(numbers[first:] for first in range(RUN)), strict=False)]
