"""Texts that may take a pattern or a function more time than their length justifies.

They repeat parts of the pattern, separately, in sequence or alternating, followed by something that does not match.
`growth` says whether the time grows faster than the text.
"""

from __future__ import annotations

import re
import signal
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from random import Random
from re import _constants as code
from re import _parser
from typing import Any

Attack = Callable[[int], str]
"""Returns a text of about that many characters; the same kind of text for every length."""
Run = Callable[[str], object]

COMMON = " \t\n\r\u2028\xa0aAxzé0_-–.,:;!?'\"`*#>|<=/()[]{}@$~\\’”\x00\ue000\ue001"
ENDS = ("", "x", "\x00", "!", "\n", "\u2028x", " x", "\nx", "#", "|")
LENGTHS = (16, 64, 256, 1024, 4096)
LONG = 0.004
"""Seconds of processor time above which a second look is worthwhile: a hundred times what such a text should take."""
LINEAR = 2.8
"""The limit of growth: a text of twice the length takes twice as long, or four times if each part is compared with
each other."""
ENDLESS = 1.0
"""Seconds after which the test gives up on such a short text."""


class _Endless(BaseException):
    """It takes too long."""


def growth(run: Run, attack: Attack, long: float = LONG, lengths: Sequence[int] = LENGTHS) -> str | None:
    """Return what is wrong with the growth of the time, if anything. Call it in the main thread."""
    for length in lengths:
        whole = attack(length)
        first = _took(run, whole)
        if first < long:
            continue
        if first >= ENDLESS:
            return f"no end for {len(whole)} characters: {_shown(whole)}"
        half = attack(length // 2)
        before = min(_took(run, half) for _ in range(5))
        after = min(first, *(_took(run, whole) for _ in range(1 if first > 0.1 else 4)))
        times = after / max(before, 1e-6) * 2 * len(half) / max(len(whole), 1)
        if after < long or times <= LINEAR or not _grows_on(run, attack(length * 2), whole, after):
            continue
        took = f"{times:.1f} times as long for twice of {len(half)} characters ({after * 1000:.0f} ms)"
        return f"{took}: {_shown(half)}"
    return None


def _grows_on(run: Run, twice: str, whole: str, before: float) -> bool:
    """Return whether a text of twice the length takes as much longer again: one look alone may be chance."""
    after = min(_took(run, twice) for _ in range(1 if before > 0.1 else 3))
    return after >= ENDLESS or after / before * 2 * len(whole) / max(len(twice), 1) > LINEAR


def _shown(text: str) -> str:
    return repr(f"{text[:40]}…{text[-20:]}")


def _took(run: Run, text: str) -> float:
    """Return seconds of processor time, hardly affected by other load."""
    began = time.thread_time()
    try:
        with _limited():
            run(text)
    except _Endless:
        return ENDLESS
    return time.thread_time() - began


@contextmanager
def _limited() -> Iterator[None]:
    """Limit the time. The matcher checks for signals now and then."""

    def stop(*_: object) -> None:
        raise _Endless

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, ENDLESS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def attacks_on(pattern: re.Pattern[str], many: int) -> Iterator[Attack]:
    """Return attacks made from the parts of a pattern."""
    tree = _parser.parse(pattern.pattern, pattern.flags)
    signs = sorted(_signs(tree)) or [" "]
    pool = list(dict.fromkeys((*COMMON, *signs)))

    def sample(random: Random, each: int) -> str:
        favourite = " " if random.random() < 0.3 else random.choice(random.choice((pool, signs)))
        return _Sampler(random, pool, favourite, each).of(tree)

    seed = zlib.crc32(pattern.pattern.encode("utf-8", "surrogatepass"))
    return (_attack(seed + number, pool, signs, sample) for number in range(many))


def attacks_of(parts: Sequence[str], many: int) -> Iterator[Attack]:
    """Return attacks on a text parser, made from parts that mean something to it."""

    def sample(random: Random, each: int) -> str:
        one, other = random.choice(parts), random.choice(parts)
        count = max(1, each // max(1, len(one)))
        return one * count + other + one * count

    return (_attack(number, parts, parts, sample) for number in range(many))


def _attack(seed: int, pool: Sequence[str], signs: Sequence[str], sample: Callable[[Random, int], str]) -> Attack:
    plan = Random(seed)
    kind, share = seed % 5, plan.random()
    favourite = " " if plan.random() < 0.3 else plan.choice(plan.choice((pool, signs)))
    first, second, end = plan.choice(signs), plan.choice(signs), plan.choice(ENDS)

    def repeated(text: str, length: int) -> str:
        return text * max(1, length // max(1, len(text)))

    def beginning(text: str) -> str:
        return text[: int(len(text) * share) + 1] or favourite

    def attack(length: int) -> str:
        random = Random(seed + 1)
        match kind:
            case 0:
                text = sample(random, length // 2)
                return text[: len(text) - int(share * 8)] + end
            case 1:
                return repeated(beginning(sample(random, 1)), length) + end
            case 2:
                return beginning(sample(random, 1)) + repeated(favourite, length) + end
            case 3:
                half = repeated(favourite, length // 2)
                return first + half + second * 2 + half + end
            case _:
                turn = beginning(sample(random, 1)) + favourite
                return repeated(turn, length // 2) + first + repeated(favourite, length // 2) + end

    return attack


_REPEATS = (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT)
_CATEGORIES = {
    code.CATEGORY_DIGIT: r"\d",
    code.CATEGORY_NOT_DIGIT: r"\D",
    code.CATEGORY_SPACE: r"\s",
    code.CATEGORY_NOT_SPACE: r"\S",
    code.CATEGORY_WORD: r"\w",
    code.CATEGORY_NOT_WORD: r"\W",
}


def _signs(tree: Any) -> set[str]:
    """Return the characters that a pattern names."""
    found: set[str] = set()
    for operation, value in tree:
        if operation in (code.LITERAL, code.NOT_LITERAL):
            found.add(chr(value))
        elif operation is code.RANGE:
            found.add(chr(value[0]))
        elif operation is code.IN:
            found |= _signs(value)
        elif operation is code.BRANCH:
            found = found.union(*map(_signs, value[1]))
        elif operation is code.SUBPATTERN:
            found |= _signs(value[3])
        elif operation in _REPEATS:
            found |= _signs(value[2])
        elif operation in (code.ASSERT, code.ASSERT_NOT):
            found |= _signs(value[1])
        elif operation is code.ATOMIC_GROUP:
            found |= _signs(value)
    return found


class _Sampler:
    """Texts that a pattern matches, or nearly. Endless repetitions have `each` characters."""

    def __init__(self, random: Random, pool: Sequence[str], favourite: str, each: int) -> None:
        self._random, self._pool, self._favourite, self._each = random, pool, favourite, each

    def of(self, tree: Any) -> str:
        return "".join(self._one(operation, value) for operation, value in tree)

    def _one(self, operation: Any, value: Any) -> str:
        if operation is code.LITERAL:
            return chr(value)
        if operation is code.NOT_LITERAL:
            return self._any(lambda char: ord(char) != value)
        if operation is code.ANY:
            return self._any(lambda char: char != "\n")
        if operation is code.IN:
            return self._any(lambda char: _holds(value, char)) or next(iter(_signs(value)), "")
        if operation is code.BRANCH:
            return self.of(self._random.choice(value[1]))
        if operation is code.SUBPATTERN:
            return self.of(value[3])
        if operation is code.ATOMIC_GROUP:
            return self.of(value)
        if operation in _REPEATS:
            return self._repeated(*value)
        return ""

    def _repeated(self, least: int, most: int, tree: Any) -> str:
        if most is code.MAXREPEAT and self._random.random() < 0.7:
            one = self.of(tree)
            return one * max(1, self._each // max(1, len(one)))
        count = min(most, least + self._random.choice((0, 0, 1, 2)))
        return "".join(self.of(tree) for _ in range(min(count, 12)))

    def _any(self, fits: Callable[[str], bool]) -> str:
        if fits(self._favourite) and self._random.random() < 0.85:
            return self._favourite
        found = [char for char in self._pool if fits(char)]
        return self._random.choice(found) if found else ""


def _holds(items: Any, char: str) -> bool:
    """Return whether a set of characters contains it."""
    negated = held = False
    for operation, value in items:
        if operation is code.NEGATE:
            negated = True
        elif operation is code.LITERAL:
            held |= ord(char) == value
        elif operation is code.RANGE:
            held |= value[0] <= ord(char) <= value[1]
        elif operation is code.CATEGORY:
            held |= re.match(_CATEGORIES[value], char) is not None
    return held != negated
