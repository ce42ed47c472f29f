"""Names as people and models write them: found in a text, whichever way they are spelled.

Case, invisible characters, curly apostrophes and typographic hyphens make no difference (`plain`). A missing accent
makes none where only one of the names can be meant. In a script without spaces between words, such as Chinese or Thai,
a name may stand right next to other letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from sottovoce.domain.reading import normal, plain

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Thai, Lao, Burmese, Khmer, Japanese and Chinese: letters of words that no space divides."""
_KOREAN = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"
"""Korean has spaces before a word, and writes particles right behind it."""
_BEGINS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_ENDS_UNSPACED = re.compile(f"[{_UNSPACED}{_KOREAN}]")
_ACCENTS = re.compile("[\u0300-\u036f]")
_ACCENTED = re.compile("[\u00c0-\u024f\u0300-\u036f\u0370-\u052f\u1e00-\u1fff]")
_STROKES = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ŧ": "t", "ı": "i", "æ": "ae", "œ": "oe"})


def bare(text: str) -> str:
    """A `plain` text without the accents of its Latin, Greek and Cyrillic letters."""
    if _ACCENTED.search(text) is None:
        return text
    return normal(_ACCENTS.sub("", normal(text, "NFKD")), "NFC").translate(_STROKES)


def any_of(words: Iterable[str]) -> str:
    """A pattern of any of these `plain` words, standing by itself; the first one that fits, so give the longest first.

    An underscore next to a word is emphasis, not a letter.
    """
    edges = {word: _edges(word) for word in words if word}
    if len({*edges.values()}) == 1:
        before, after = next(iter(edges.values()))
        return f"{before}(?:{'|'.join(map(re.escape, edges))}){after}"
    return "|".join(f"{before}{re.escape(word)}{after}" for word, (before, after) in edges.items()) or "(?!)"


def pattern_of(words: Iterable[str]) -> re.Pattern[str]:
    """The same, compiled."""
    return re.compile(f"{any_of(words)}")


def _edges(word: str) -> tuple[str, str]:
    """What may not stand before a word and behind it."""
    before = "" if _BEGINS_UNSPACED.match(word) else rf"(?<![^\W_{_UNSPACED}])"
    after = "(?![0-9])" if _ENDS_UNSPACED.match(word[-1]) else rf"(?![^\W_{_UNSPACED}{_KOREAN}])"
    return before, after


@lru_cache(maxsize=4096)
def whole(name: str) -> re.Pattern[str]:
    """The name as whole words in a `plain` text."""
    return pattern_of((plain(name),))


@lru_cache(maxsize=1024)
def _by_bare(names: tuple[str, ...]) -> Mapping[str, re.Pattern[str]]:
    """Each of the names as whole words in a `bare` text, if no other name is the same there."""
    spelled: dict[str, set[str]] = {}
    for name in names:
        spelled.setdefault(bare(plain(name)), set()).add(plain(name))
    return {name: pattern_of((word,)) for name in names if len(spelled[word := bare(plain(name))]) == 1}


def named(text: str, names: Iterable[str]) -> list[str]:
    """Those of `names` that the text mentions as whole words, in order of first mention.

    Longer names are matched first, so that "Ann Lee" does not mention "Ann", and "Player 10" not "Player 1".
    """
    rest = plain(text)
    words = longest_first(names)
    if _accents_matter(rest, words):
        found = _named_in_either(rest, words)
        return sorted(found, key=found.__getitem__)
    found = {}
    for name in words:
        pattern = whole(name)
        match = pattern.search(rest)
        if match:
            found[name] = match.start()
            rest = pattern.sub(lambda hit: "\x00" * len(hit.group()), rest)
    return sorted(found, key=found.__getitem__)


def _named_in_either(text: str, words: Sequence[str]) -> dict[str, int]:
    """Where names are first mentioned in a `plain` text, with or without their accents."""
    without = [bare(char) for char in text]
    places = [place for place, chars in enumerate(without) for _ in chars]
    readings = (
        (text, range(len(text)), {name: whole(name) for name in words}),
        (
            "".join(without),
            places,
            _by_bare(tuple(words)),
        ),
    )
    taken = bytearray(len(text))
    found: dict[str, int] = {}
    for name in words:
        for read, origin, patterns in readings:
            for hit in patterns[name].finditer(read) if name in patterns else ():
                start, end = origin[hit.start()], origin[hit.end() - 1] + 1
                if not any(taken[start:end]):
                    taken[start:end] = b"\x01" * (end - start)
                    found[name] = min(start, found.get(name, start))
    return found


def _accents_matter(text: str, names: Sequence[str]) -> bool:
    accented = not text.isascii() and _ACCENTED.search(text) is not None
    return accented or any(not name.isascii() and _ACCENTED.search(name) is not None for name in names)


def first_of(text: str, names: Sequence[str]) -> tuple[str, str] | None:
    """The first of the names that a `plain` text begins with, and what follows it; the exact spellings come first."""
    for name in names:
        if match := whole(name).match(text):
            return name, text[match.end() :]
    if _accents_matter(text, names):
        text = bare(text)
        for name, pattern in _by_bare(tuple(names)).items():
            if match := pattern.match(text):
                return name, text[match.end() :]
    return None


def the_one(text: str, names: Iterable[str]) -> str | None:
    """The one of the names that a text is, however it is spelled; None if it fits no name, or several."""
    among = list(names)
    if text in among:
        return text
    for spelled in (plain, lambda name: bare(plain(name))):
        meant = [name for name in among if spelled(name) == spelled(text)]
        if meant:
            return meant[0] if len(meant) == 1 else None
    return None


@lru_cache(maxsize=256)
def roster(names: tuple[str, ...]) -> tuple[re.Pattern[str], Mapping[str, str]]:
    """A pattern of every name in a `plain` text, the longest first, and whose name each spelling is."""
    spelled = {plain(name): name for name in names}
    spellings = dict(spelled)
    for name in _by_bare(names):
        spellings.setdefault(bare(plain(name)), name)
    return pattern_of(longest_first(spellings)), spellings


def longest_first(names: Iterable[str]) -> list[str]:
    """The names in the order in which they are looked for, so that none is found within a longer one."""
    return sorted(names, key=lambda name: (-len(name), name))
