"""Deal cards evenly: none comes again before all other available cards have come."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from typing import Generic, TypeVar

C = TypeVar("C", bound=Hashable)


class Deck(Generic[C]):
    """Deals those of the currently available cards that were dealt least, from the suits that were dealt least."""

    def __init__(self, rng: random.Random, suit: Callable[[C], Hashable] = lambda card: None) -> None:
        self._rng, self._suit = rng, suit
        self._dealt = Counter[C]()
        self._suits = Counter[Hashable]()

    def deal(self, cards: Iterable[C], most: int) -> list[C]:
        """Return this many of the cards, in any order."""
        rng, suits = self._rng, self._suits
        left: dict[Hashable, list[C]] = {}
        for card in sorted(dict.fromkeys(cards), key=lambda card: (-self._dealt[card], rng.random())):
            left.setdefault(self._suit(card), []).append(card)
        chosen: list[C] = []
        while left and len(chosen) < most:
            suit = min(left, key=lambda one: (suits[one], rng.random()))
            chosen.append(left[suit].pop())
            suits[suit] += 1
            if not left[suit]:
                del left[suit]
        self._dealt.update(chosen)
        return chosen
