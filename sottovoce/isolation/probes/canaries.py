"""Canaries: what must never reach a viewer, even if both worlds contain it.

A comparison only shows differences, not a secret that both worlds share. So every byte is searched for marks that the
viewer can't see anywhere, and for what nobody may see, such as a game's secret, other people's tokens, or the ID of
another game.
"""

from __future__ import annotations

import base64
import binascii
import gzip
import html
import re
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from urllib.parse import unquote_to_bytes

from sottovoce.domain.events import Recorded, SeatsFilled
from sottovoce.isolation.probes.marks import MARK, marks_in

DEEPEST = 3
"""How many layers of encoding to remove."""
LONG = re.compile(rb"sv[hkswa]_[a-z0-9_-]{43}|[0-9a-f]{64}")
"""Tokens, and numbers of 256 bits."""
_PACKED = re.compile(rb"[A-Za-z0-9+/_-]{16,}={0,2}")
_BASE32 = re.compile(rb"(?:[A-Z2-7]{20,}|[a-z2-7]{20,})")
_HEX = re.compile(rb"(?:[0-9a-fA-F]{2}){10,}")


class Forbidden:
    """What one viewer must never get: every mark except the `known` ones, and the `secrets`."""

    def __init__(self, known: Iterable[str], secrets: Iterable[str]) -> None:
        self.known = set(known)
        some = {secret.lower().encode() for secret in secrets if len(secret) > 5}
        self._long = frozenset(secret for secret in some if LONG.fullmatch(secret))
        self._secrets = tuple(sorted(some - self._long))
        self._raw = {bytes.fromhex(number.decode()): number for number in self._long if b"_" not in number}
        self._searched: set[bytes] = set()

    def found(self, told: bytes, said: Collection[str] = ()) -> str | None:
        """Return the first canary in some bytes, in any encoding, or None.

        What the viewer itself `said` may come back.
        """
        if told in self._searched:
            return None
        for plain in unwrapped(told):
            lower = plain.lower()
            there = [secret for secret in self._secrets if secret in lower]
            there += [word for word in LONG.findall(lower) if word in self._long]
            there += [number for raw, number in self._raw.items() if raw in plain]
            for secret in there:
                if not any(secret in each.lower().encode() for each in said):
                    return f"{secret.decode()!r} in {_around(lower, secret)}"
            if marks := _marks(lower) - self.known:
                heard = {each for text in said for each in marks_in(text)}
                for mark in sorted(marks - heard):
                    return f"{mark!r} in {_around(lower, mark.encode())}"
        self._searched.add(told)
        return None


@lru_cache(maxsize=4096)
def _marks(lower: bytes) -> frozenset[str]:
    return frozenset(MARK.findall(lower.decode("utf-8", "replace")))


def _around(whole: bytes, part: bytes) -> str:
    at = whole.find(part)
    return repr(whole[max(0, at - 50) : at + 60].decode("utf-8", "replace"))


@lru_cache(maxsize=512)
def unwrapped(told: bytes) -> tuple[bytes, ...]:
    """The bytes, and what they hold once unpacked: gzip, escapes, base64, base32, hex digits, one in another."""
    found: dict[bytes, None] = {told: None}
    layer = [told]
    for _ in range(DEEPEST):
        layer = [inner for outer in layer for inner in _inside(outer) if inner not in found]
        found.update(dict.fromkeys(layer))
    return tuple(found)


def _inside(outer: bytes) -> Iterator[bytes]:
    if outer[:2] == b"\x1f\x8b":
        try:
            yield gzip.decompress(outer)
        except (OSError, EOFError, zlib.error):
            return
        return
    if b"\\u" in outer:
        yield re.sub(rb"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)).encode("utf-8", "replace"), outer)
    if b"%" in outer:
        yield unquote_to_bytes(outer)
    if b"&#" in outer:
        yield html.unescape(outer.decode("utf-8", "replace")).encode("utf-8", "replace")
    for word in _PACKED.findall(outer):
        try:
            yield base64.b64decode(word.translate(bytes.maketrans(b"-_", b"+/")) + b"=" * (-len(word) % 4))
        except (binascii.Error, ValueError):
            continue
    for word in _BASE32.findall(outer):
        whole = word[: len(word) - len(word) % 8] if len(word) % 8 in (1, 3, 6) else word
        yield base64.b32decode(whole + b"=" * (-len(whole) % 8), casefold=True)
    for word in _HEX.findall(outer):
        yield bytes.fromhex(word.decode())


def marks_seen(log: Sequence[Recorded], audiences: Sequence[frozenset[str] | None], seat: str | None) -> set[str]:
    """Return the marks in what a seat, or the public, can see of a log."""
    found: set[str] = set()
    for item, seats in zip(log, audiences, strict=True):
        if seats is None or (seat is not None and seat in seats):
            found |= marks_in(item.event.encoded().decode())
    return found


def secrets_of(log: Sequence[Recorded]) -> list[str]:
    """Return what no player may get of a game: its seed, its agents, and its append IDs, which begin with the game's
    ID."""
    found: list[str] = []
    for item in log:
        if isinstance(item.event, SeatsFilled):
            found += item.event.agents.values()
            if item.event.seed is not None:
                found += [item.event.seed.secret, item.event.seed.text or ""]
    game = log[0].game
    return [secret for secret in (*found, f"{game}-") if secret not in ("outside", "random", "house")]
