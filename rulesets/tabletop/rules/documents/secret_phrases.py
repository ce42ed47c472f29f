"""Whether a text repeats what its hearer has no access to: eight words in a row out of closed sources (T-063).

What it compares with folds from events.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from sottovoce import Refused
from sottovoce.domain.reading import normal
from sottovoce.rulesets.tabletop.rules.documents.access import STORY_STATE, is_recap, owner_of
from sottovoce.rulesets.tabletop.rules.documents.pieces import Piece
from sottovoce.rulesets.tabletop.rules.names import GM

RUN = 8
"""How many consecutive words make a repetition."""

_WORD = re.compile(r"[^\W_]+(?:['’‘ʼ´`][^\W_]+)*")
_APOSTROPHE = re.compile("['’‘ʼ´`]")
_BARE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\ufe00-\ufe0f]")

Since = tuple[int, frozenset[str]]
"""From the source with that number on, everybody who has access to a run."""


class _Index:
    """Sources in order, and the runs in those of them that were looked at so far."""

    def __init__(self) -> None:
        self.sources: list[tuple[str, frozenset[str], Heard | None]] = []
        self.looked_at = 0
        self.runs: dict[int, tuple[Since, ...]] = {}

    def up_to(self, length: int) -> dict[int, tuple[Since, ...]]:
        """The runs, of that many sources at least."""
        for number in range(self.looked_at, length):
            text, readers, besides = self.sources[number]
            new = ((number, readers),)
            for run in dict.fromkeys(runs_in(text)):
                if besides is not None and besides.holds(run):
                    continue
                known = self.runs.get(run)
                if known is None:
                    self.runs[run] = new
                elif not readers <= known[-1][1]:
                    self.runs[run] = (*known, (number, _union(known[-1][1], readers)))
        self.looked_at = max(self.looked_at, length)
        return self.runs

    def branch(self, length: int) -> _Index:
        """An index of the first sources, to which others may be added."""
        branch = _Index()
        branch.sources = self.sources[:length]
        branch.looked_at = min(self.looked_at, length)
        branch.runs = self.runs.copy()
        for text, _, _ in self.sources[length : self.looked_at]:
            for run in runs_in(text):
                earlier = tuple(since for since in branch.runs.pop(run, ()) if since[0] < length)
                if earlier:
                    branch.runs[run] = earlier
        return branch


class Heard:
    """The runs of eight words in everything that `author` has access to, and who else has: all readers of any source.

    It is immutable. `adding` gives a larger one; the two share one index, in which each sees its own sources alone, and
    which is made when somebody first asks: most that fold a session never do.
    """

    __slots__ = ("_index", "_length", "author")

    def __init__(self, author: str = GM) -> None:
        self.author = author
        self._index = _Index()
        self._length = 0

    def adding(self, text: str, readers: Iterable[str], besides: Heard | None = None) -> Heard:
        """Return the index with one more source. A source that the author cannot read is left out: a refusal must not
        give it away.

        Runs of words that are in `besides` too are left out: a refusal must not follow from the author's own words.
        """
        seats = frozenset(readers)
        if self.author not in seats:
            return self
        latest = self._length and len(self._index.sources) == self._length
        more = Heard(self.author)
        more._index = self._index if latest else self._index.branch(self._length)
        more._index.sources.append((text, seats, besides))
        more._length = self._length + 1
        return more

    def readers_of(self, run: int) -> frozenset[str] | None:
        """Who has access to the run with that number; None where no source has it."""
        known = self._index.up_to(self._length).get(run, ())
        return next((readers for number, readers in reversed(known) if number < self._length), None)

    def holds(self, run: int) -> bool:
        """Whether a run with that number is in any source."""
        return self.readers_of(run) is not None

    def repeats(self, body: str, seat: str) -> str | None:
        """The body's first run of eight or more words that only sources closed to `seat` have; None without one."""
        text = _plain(body)
        words = list(_WORD.finditer(text))
        having = [self.readers_of(run) for run in _runs(_number(word[0]) for word in words)]
        closed = [readers is not None and seat not in readers for readers in having]
        if True not in closed:
            return None
        first = closed.index(True)
        after = closed.index(False, first) if False in closed[first:] else len(closed)
        return text[words[first].start() : words[after + RUN - 2].end()]

    def keep_closed(self, seat: str, text: str, what: str) -> None:
        """Refused where the text repeats what is closed to the seat (T-063): the author learns nothing."""
        found = self.repeats(text, seat)
        if found is not None:
            shown = found if len(found) <= 120 else f"{found[:120]} […]"
            raise Refused(f'{what} repeats words that {seat} has no access to: "{shown}". Tell only what {seat} knows.')

    def runs(self) -> dict[int, frozenset[str]]:
        """Every run's number, and who has access to it."""
        known = ((run, self.readers_of(run)) for run in self._index.up_to(self._length))
        return {run: readers for run, readers in known if readers is not None}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Heard):
            return NotImplemented
        return self is other or (self.author == other.author and self.runs() == other.runs())

    def __hash__(self) -> int:
        return hash((self.author, frozenset(self.runs().items())))

    def __repr__(self) -> str:
        return f"Heard({self.author!r}, {self._length} sources)"


def is_source(piece: Piece, roster: Sequence[str]) -> bool:
    """Return whether to add the piece to the index (T-063).

    These are the story state, the files of the characters, everything marked as secret in any file, and everything that
    a character reads. The GM can read out the rest, such as the description of a place. A recap says again what its
    character was told.
    """
    if piece.coding != "text" or is_recap(piece.document, roster):
        return False
    ours = piece.document == STORY_STATE or piece.secret or owner_of(piece.document, roster) is not None
    return ours or any(name in piece.readers for name in roster)


@lru_cache(maxsize=4096)
def _union(one: frozenset[str], other: frozenset[str]) -> frozenset[str]:
    """One object for each set, as there are many runs and few sets."""
    return one | other


def _plain(text: str) -> str:
    """The text without typographic variants."""
    return text if text.isascii() else normal(_BARE.sub("", text))


@lru_cache(maxsize=65_536)
def _number(word: str) -> int:
    """A number for the word as it is compared: case folded, without apostrophes; the same in every process."""
    bare = _APOSTROPHE.sub("", word).casefold()
    return int.from_bytes(hashlib.blake2b(bare.encode("utf-8", "surrogatepass"), digest_size=7).digest(), "big")


def numbered(text: str) -> list[tuple[int, int, int]]:
    """Each word of the text as its number, and where it begins and ends in the text without typographic variants."""
    return [(_number(word[0]), word.start(), word.end()) for word in _WORD.finditer(_plain(text))]


def runs_in(text: str) -> list[int]:
    """The number of each run of eight words, in order: the run that begins with the first word, with the second, ..."""
    return _runs(_number(word) for word in _WORD.findall(_plain(text)))


def _runs(words: Iterable[int]) -> list[int]:
    """The number of each run, made of its words' numbers. Numbers hash alike in every process."""
    numbers = list(words)
    return [hash(run) for run in zip(*(numbers[first:] for first in range(RUN)), strict=False)]
