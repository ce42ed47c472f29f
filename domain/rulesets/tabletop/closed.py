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

_MODULUS = (1 << 61) - 1
_BASE = 1_315_423_911
_OLDEST = pow(_BASE, RUN - 1, _MODULUS)
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
        numbers = (number for number, _, _ in _runs(_words(text)[1]))
        runs = dict.fromkeys(number for number in numbers if besides is None or not besides.holds(number))
        if self.author not in seats or not runs:
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
        text, words = _words(body)
        first: tuple[int, int] | None = None
        for number, start, end in _runs(words):
            if self._closed(number, seat):
                first = (first[0] if first else start, end)
            elif first:
                break
        return None if first is None else text[words[first[0]][1] : words[first[1]][2]]

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
    merged = dict(older)
    for number, readers in newer.items():
        known = merged.get(number)
        merged[number] = readers if known is None or known <= readers else _union(known, readers)
    return merged


@lru_cache(maxsize=4096)
def _union(one: frozenset[str], other: frozenset[str]) -> frozenset[str]:
    """One object for each set, as there are many runs and few sets."""
    return one | other


def _words(text: str) -> tuple[str, list[tuple[int, int, int]]]:
    """The text without typographic variants, and each word's number and place in it."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _BARE.sub("", text))
    return text, [(_number(match[0]), match.start(), match.end()) for match in _WORD.finditer(text)]


@lru_cache(maxsize=65_536)
def _number(word: str) -> int:
    """A number for the word as it is compared: case folded, without apostrophes; the same in every process."""
    bare = _APOSTROPHE.sub("", word).casefold()
    return int.from_bytes(hashlib.blake2b(bare.encode("utf-8", "surrogatepass"), digest_size=7).digest(), "big")


def _runs(words: list[tuple[int, int, int]]) -> Iterable[tuple[int, int, int]]:
    """Each run's number, and the index of its first and last word."""
    number = 0
    for index, (word, _, _) in enumerate(words):
        if index >= RUN:
            number = (number - words[index - RUN][0] * _OLDEST) % _MODULUS
        number = (number * _BASE + word) % _MODULUS
        if index >= RUN - 1:
            yield number, index - RUN + 1, index
