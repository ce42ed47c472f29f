"""Draws: random choices that depend on the game's seed and on what is drawn, never on the order of replies.

A seed has two halves that share nothing: a secret of 256 bits, for whatever somebody at the table may not know, and a
public half, for what everybody sees anyway, such as names. So no search through seeds leads from what is seen to what
is not, unless a seed was given by hand that can be guessed.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from hashlib import blake2b
from typing import Annotated, Self, TypeVar

import msgspec

C = TypeVar("C")

SEED_BYTES = 48
"""Random bytes in a seed that was drawn: 32 of the secret, 16 of the public half."""

_DRAWN = re.compile(r"([0-9a-f]{64})-([0-9a-f]{32})")


class Seed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The source of a game's draws. `secret` is 32 bytes in hexadecimal digits.

    `text` makes the same seed again; None in logs that are older than secrets. `by_hand` says that a person gave the
    seed: anyone who knows or guesses it can repeat such a game.
    """

    secret: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]
    text: str | None = None
    by_hand: bool = False

    @classmethod
    def of(cls, text: object, *, by_hand: bool = True) -> Self:
        """The seed that a number or text stands for. One that was drawn before is the same seed again."""
        return cls(secret=_secret(str(text)).hex(), text=str(text), by_hand=by_hand)

    @classmethod
    def drawn(cls, bits: bytes) -> Self:
        """The seed made of `SEED_BYTES` random bytes."""
        return cls.of(f"{bits[:32].hex()}-{bits[32:SEED_BYTES].hex()}", by_hand=False)

    def numbered(self, number: int) -> Self:
        """The seed of one game of many."""
        text = self.text or self.secret
        drawn = _DRAWN.fullmatch(text)
        if drawn is None:
            return type(self).of(f"{text}/{number}", by_hand=self.by_hand)
        secret, public = (blake2b(b"%d" % number, key=bytes.fromhex(half)).digest() for half in drawn.groups())
        return type(self).of(f"{secret[:32].hex()}-{public[:16].hex()}", by_hand=self.by_hand)

    def public(self, *purpose: object) -> random.Random:
        """A generator for what everybody may know. It shares nothing with the secret of a seed that was drawn."""
        return stream(_public(self.text or self.secret), *purpose)


def stream(key: bytes, *purpose: object) -> random.Random:
    """A generator for one purpose, from a key of at most 64 bytes."""
    return random.Random(int.from_bytes(derived(key, *purpose), "big"))


def derived(key: bytes, *purpose: object) -> bytes:
    """32 bytes for one purpose, from which nobody can tell the key or what another purpose gets."""
    return blake2b("\x1f".join(map(str, purpose)).encode(), key=key, digest_size=32).digest()


def generator(seed: Seed, *purpose: object) -> random.Random:
    """A generator for one purpose, such as `("fallback", "Ada", 3)`; the same purpose always gives the same one."""
    return stream(bytes.fromhex(seed.secret), *purpose)


def pick(choices: Sequence[str], seed: Seed, *purpose: object) -> str:
    """One of `choices`, evenly."""
    return generator(seed, *purpose).choice(choices)


class Hands(dict[str, tuple[C, ...]]):
    """Dealt cards: each seat's hand, and in `rest` the cards that nobody was dealt, in the order in which they lie."""

    rest: tuple[C, ...]

    def __init__(self, seats: Sequence[str], each: int, shuffled: Sequence[C]) -> None:
        left = len(shuffled) - each * len(seats)
        super().__init__(
            (seat, tuple(shuffled[left + place * each : left + (place + 1) * each])) for place, seat in enumerate(seats)
        )
        self.rest = tuple(shuffled[:left])

    @property
    def cards(self) -> tuple[C, ...]:
        """Every card in the order in which they were shuffled: the rest, then hand by hand."""
        return (*self.rest, *(card for hand in self.values() for card in hand))


def dealt(deck: Sequence[C], seats: Sequence[str], each: int, seed: Seed, *purpose: object) -> Hands[C]:
    """The deck shuffled, and `each` cards of it for every seat."""
    shuffled = list(deck)
    generator(seed, *purpose).shuffle(shuffled)
    return Hands(seats, each, shuffled)


def _secret(text: str) -> bytes:
    drawn = _DRAWN.fullmatch(text)
    return bytes.fromhex(drawn[1]) if drawn else blake2b(text.encode(), digest_size=32, person=b"secret").digest()


def _public(text: str) -> bytes:
    drawn = _DRAWN.fullmatch(text)
    return bytes.fromhex(drawn[2]) if drawn else blake2b(text.encode(), digest_size=16, person=b"public").digest()
