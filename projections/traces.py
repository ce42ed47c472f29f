"""Find which facts a text may reveal without checking each fact: by the words that a fact leaves in a text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from sottovoce.domain.reading import plain
from sottovoce.domain.ruleset import Fact, Ruleset

GRAM: Final = 12
"""Characters of a trace by which it is found in a text."""

CHOICES: Final = 64
"""How many places in a trace are tried to find the key under which to file it."""


class Traces:
    """Facts by their traces (`Ruleset.trace`). What a text costs depends on its length and on what it mentions.

    A trace is filed under twelve of its characters: those used by the fewest earlier traces, so a phrase at the start
    of every text leads to none of them.
    """

    def __init__(self, ruleset: Ruleset[Any]) -> None:
        self._ruleset = ruleset
        self._facts: dict[str, dict[Fact, None]] = {}
        self._filed: dict[str, list[str]] = {}
        self._sizes: set[int] = set()

    def add(self, facts: Iterable[Fact]) -> None:
        """Add facts that a text may reveal from now on."""
        for fact in facts:
            trace = self._ruleset.trace(fact)
            if trace not in self._facts:
                self._facts[trace] = {}
                if trace:
                    self._file(trace)
            self._facts[trace][fact] = None

    def mentioned(self, text: str, wanted: Callable[[Fact], bool] = lambda fact: True) -> list[Fact]:
        """Return the facts that the text mentions, in order, of those that are wanted."""
        spoken = plain(text)
        found = [fact for trace in self._in(spoken) for fact in self._facts[trace]]
        found += self._facts.get("", ())
        return sorted(fact for fact in found if wanted(fact) and self._ruleset.mentions(fact, text))

    def _file(self, trace: str) -> None:
        size = min(GRAM, len(trace))
        last = len(trace) - size
        step = max(1, last // CHOICES)
        grams = {trace[start : start + size] for start in range(0, last + 1, step)}
        gram = min(sorted(grams), key=lambda gram: len(self._filed.get(gram, ())))
        self._filed.setdefault(gram, []).append(trace)
        self._sizes.add(size)

    def _in(self, spoken: str) -> Iterator[str]:
        filed = self._filed
        for size in self._sizes:
            grams = (spoken[start : start + size] for start in range(len(spoken) - size + 1))
            for gram in {gram for gram in grams if gram in filed}:
                yield from (trace for trace in filed[gram] if trace in spoken)
