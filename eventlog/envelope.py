"""The envelopes of events and receipts as bytes, and the hashes over them.

The envelope of an event consists of these fields, in this order and without gaps:

    1 byte                0x01, the version of this layout
    text                  game
    8 bytes               position
    8 bytes               at, in microseconds since 1970-01-01T00:00:00Z
    1 byte and 8 bytes    0x00 and zero without a cause, else 0x01 and its position
    text                  append id
    text                  stored name
    text                  actor
    text                  audience, as the JSON text that is stored
    the rest              body, as stored

The envelope of a receipt consists of:

    1 byte                0x01, the version of this layout
    text                  game
    8 bytes               number
    8 bytes               at, in microseconds since 1970-01-01T00:00:00Z
    text                  stored name
    text                  seat
    text                  the digests of its texts, as stored
    the rest              data, as the JSON text that is stored

Numbers are signed and big-endian. A text is its length in bytes as 4 bytes, then UTF-8. A missing text has the length
0xFFFFFFFF. So no two events share an envelope, and a program in any language can rebuild it.

    leaf of an event      SHA-256(0x00, the event's 16-byte salt, its envelope)
    leaf of a receipt     SHA-256(0x02, its envelope)
    running hash of n     32 zero bytes for n = 0, else SHA-256(0x01, running hash of n - 1, leaf n)
    origin of a game      SHA-256(0x04, text game, created and taken_over as 8 bytes each, the game's secret)
    hash of a head        SHA-256(0x05, number of events and of receipts as 8 bytes each, their two running hashes,
                          the game's origin)
    head without origin   SHA-256(0x03, the same without the origin): an older form of heads
    salt                  keyed BLAKE2b of 16 bytes: key the game's secret, message the position as 8 bytes

The salt makes leaves impossible to guess: a role has only five values, a salted leaf does not. Imported events keep
their salts. A receipt needs no salt because it contains the random name of its call.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from hashlib import blake2b, sha256
from typing import Any, Literal

from sottovoce.domain.audience import Audience

SALT_BYTES = 16
SECRET_BYTES = 32
START = bytes(32)
"""The running hash of zero events."""

_VERSION = b"\x01"
_ABSENT = b"\xff\xff\xff\xff"
_NUMBERS = struct.Struct(">qq?q")
_POSITION = struct.Struct(">q")
_PAIR = struct.Struct(">qq")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def _text(value: str | None) -> bytes:
    if value is None:
        return _ABSENT
    encoded = value.encode()
    return len(encoded).to_bytes(4, "big") + encoded


_repeated_text = lru_cache(maxsize=4096)(_text)


def envelope(
    game: str,
    position: int,
    append: str,
    name: str,
    at: int,
    actor: str | None,
    audience: str,
    cause: int | None,
    body: bytes,
) -> bytes:
    """Return the canonical bytes of one event.

    `at` is in microseconds since 1970 in UTC, `audience` the stored JSON text.
    """
    return b"".join(
        (
            _VERSION,
            _repeated_text(game),
            _NUMBERS.pack(position, at, cause is not None, cause or 0),
            _text(append),
            _labels(name, actor, audience),
            body,
        )
    )


class Leaves:
    """The salts and leaves of one append's events, one after another, equal to `salt_for` and `leaf_hash`.

    It prepares what the events share only once, because this is half the cost of an append. `running` is the running
    hash so far, starting from that of the earlier events.
    """

    __slots__ = ("_append", "_at", "_first", "_salts", "running")

    def __init__(self, secret: bytes, running: bytes, game: str, append: str, at: int) -> None:
        self.running = running
        self._salts = _salts_of(secret)
        self._first = _VERSION + _repeated_text(game)
        self._append = _text(append)
        self._at = at

    def of(
        self, position: int, name: str, actor: str | None, audience: str, cause: int | None, body: bytes
    ) -> tuple[bytes, bytes]:
        """Return the salt and the leaf of the event at `position`."""
        keyed = self._salts.copy()
        keyed.update(_POSITION.pack(position))
        salt: bytes = keyed.digest()
        numbers = _NUMBERS.pack(position, self._at, cause is not None, cause or 0)
        enveloped = (b"\x00", salt, self._first, numbers, self._append, _labels(name, actor, audience), body)
        leaf = sha256(b"".join(enveloped)).digest()
        self.running = sha256(b"\x01" + self.running + leaf).digest()
        return salt, leaf


@lru_cache(maxsize=4096)
def _labels(name: str, actor: str | None, audience: str) -> bytes:
    """Return the three texts that are adjacent in an envelope and the same for every event of a kind."""
    return _text(name) + _text(actor) + _text(audience)


def leaf_hash(salt: bytes, enveloped: bytes) -> bytes:
    """Return the hash of one event. Raises ValueError unless the salt has 16 bytes."""
    if len(salt) != SALT_BYTES:
        raise ValueError(f"a salt has {SALT_BYTES} bytes")
    return sha256(b"\x00" + salt + enveloped).digest()


def receipt_envelope(game: str, number: int, name: str, at: int, seat: str, data: str, blocks: bytes | None) -> bytes:
    """Return the canonical bytes of one receipt.

    `at` is in microseconds since 1970 in UTC, `data` the stored JSON text.
    """
    return b"".join(
        (
            _VERSION,
            _repeated_text(game),
            _PAIR.pack(number, at),
            _repeated_text(name),
            _repeated_text(seat),
            _ABSENT if blocks is None else len(blocks).to_bytes(4, "big") + blocks,
            data.encode(),
        )
    )


def receipt_leaf(enveloped: bytes) -> bytes:
    """Return the hash of one receipt."""
    return sha256(b"\x02" + enveloped).digest()


def origin_hash(game: str, secret: bytes, created: int, taken_over: int) -> bytes:
    """Return the hash over the fields of a head that never change. `created` is in microseconds since 1970 in UTC."""
    return sha256(b"\x04" + _text(game) + _PAIR.pack(created, taken_over) + secret).digest()


def head_hash(length: int, events: bytes, receipts: int, handed: bytes, origin: bytes | None = None) -> bytes:
    """Return the one hash over this many events and receipts, from their running hashes, and over the game's origin.

    Omit the origin for an old head, from before heads had one.
    """
    first, last = (b"\x03", b"") if origin is None else (b"\x05", origin)
    return sha256(first + _PAIR.pack(length, receipts) + events + handed + last).digest()


@lru_cache(maxsize=1024)
def _salts_of(secret: bytes) -> Any:
    """Return the keyed hash before any position. It is copied for each, because keying is half the work."""
    return blake2b(key=secret, digest_size=SALT_BYTES)


def salt_for(secret: bytes, position: int) -> bytes:
    """Return the salt of the event at `position` in the game with this secret."""
    salt = _salts_of(secret).copy()
    salt.update(_POSITION.pack(position))
    drawn: bytes = salt.digest()
    return drawn


def running_hash(before: bytes, leaves: Iterable[bytes]) -> bytes:
    """Return the running hash after some more leaves."""
    for leaf in leaves:
        before = sha256(b"\x01" + before + leaf).digest()
    return before


def to_micros(at: datetime) -> int:
    """Return microseconds since 1970 in UTC. Raises TypeError for a time without a zone."""
    return (at - _EPOCH) // _MICROSECOND


def from_micros(at: int) -> datetime:
    """Reverse `to_micros`, in UTC. Raises OverflowError beyond the years 1 to 9999."""
    return _EPOCH + timedelta(microseconds=at)


def audience_text(audience: Audience) -> str:
    """Return the JSON text that is stored for an audience."""
    return text_of_seats(audience.seats)


@lru_cache(maxsize=4096)
def text_of_seats(seats: frozenset[str] | None) -> str:
    """Return the JSON text that is stored for the audience of these seats."""
    value: Literal["everyone"] | list[str] = Audience(seats).to_json()
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@lru_cache(maxsize=4096)
def audience_from(text: str) -> Audience:
    """Reverse `audience_text`. Raises ValueError for anything else."""
    return Audience.from_json(json.loads(text))
