"""The envelopes of events and receipts as bytes, and the hashes over them.

The envelope of an event is, in this order and with nothing between:

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

and that of a receipt:

    1 byte                0x01, the version of this layout
    text                  game
    8 bytes               number
    8 bytes               at, in microseconds since 1970-01-01T00:00:00Z
    text                  stored name
    text                  seat
    text                  the digests of its texts, as stored
    the rest              data, as the JSON text that is stored

Numbers are signed and big-endian. A text is its length in bytes as 4 bytes, then UTF-8; no text at all is the length
0xFFFFFFFF. So no two events share an envelope, and any language can rebuild it.

    leaf of an event      SHA-256(0x00, the event's 16-byte salt, its envelope)
    leaf of a receipt     SHA-256(0x02, its envelope)
    running hash of n     32 zero bytes for n = 0, else SHA-256(0x01, running hash of n - 1, leaf n)
    origin of a game      SHA-256(0x04, text game, created and taken_over as 8 bytes each, the game's secret)
    hash of a head        SHA-256(0x05, number of events and of receipts as 8 bytes each, their two running hashes,
                          the game's origin)
    one without origin    SHA-256(0x03, the same without the origin), as heads were before they had one
    salt                  keyed BLAKE2b of 16 bytes: key the game's secret, message the position as 8 bytes

The salt keeps a leaf from being guessed: a role has five values, a salted leaf has not. Imported events keep the salts
they came with. A receipt needs none: it holds the random name of its call.
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
"""The running hash of no events."""

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
    """The canonical bytes of one event. `at` is in microseconds since 1970 in UTC, `audience` the stored JSON text."""
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
    """The salts and leaves of the events of one append, one after another, as `salt_for` and `leaf_hash` give them.

    What the events share is laid out once: half of an event's way into the log is this. `running` is the running hash
    so far, which begins with that of the events before.
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
        """The salt and the leaf of the event at `position`."""
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
    """The three texts that stand together in an envelope, and come again with every event of a kind."""
    return _text(name) + _text(actor) + _text(audience)


def leaf_hash(salt: bytes, enveloped: bytes) -> bytes:
    """The hash of one event; ValueError unless the salt has 16 bytes."""
    if len(salt) != SALT_BYTES:
        raise ValueError(f"a salt has {SALT_BYTES} bytes")
    return sha256(b"\x00" + salt + enveloped).digest()


def receipt_envelope(game: str, number: int, name: str, at: int, seat: str, data: str, blocks: bytes | None) -> bytes:
    """The canonical bytes of one receipt. `at` is in microseconds since 1970 in UTC, `data` the stored JSON text."""
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
    """The hash of one receipt."""
    return sha256(b"\x02" + enveloped).digest()


def origin_hash(game: str, secret: bytes, created: int, taken_over: int) -> bytes:
    """The hash over the fields of a head that never change. `created` is in microseconds since 1970 in UTC."""
    return sha256(b"\x04" + _text(game) + _PAIR.pack(created, taken_over) + secret).digest()


def head_hash(length: int, events: bytes, receipts: int, handed: bytes, origin: bytes | None = None) -> bytes:
    """The one hash over so many events and receipts, from their running hashes, and over the game's origin.

    Without an origin, as heads were that were kept before there was one.
    """
    first, last = (b"\x03", b"") if origin is None else (b"\x05", origin)
    return sha256(first + _PAIR.pack(length, receipts) + events + handed + last).digest()


@lru_cache(maxsize=1024)
def _salts_of(secret: bytes) -> Any:
    """The keyed hash before any position: copied for each, since keying it is half the work."""
    return blake2b(key=secret, digest_size=SALT_BYTES)


def salt_for(secret: bytes, position: int) -> bytes:
    """The salt of the event at `position` of the game that has this secret."""
    salt = _salts_of(secret).copy()
    salt.update(_POSITION.pack(position))
    drawn: bytes = salt.digest()
    return drawn


def running_hash(before: bytes, leaves: Iterable[bytes]) -> bytes:
    """The running hash after some more leaves."""
    for leaf in leaves:
        before = sha256(b"\x01" + before + leaf).digest()
    return before


def to_micros(at: datetime) -> int:
    """Microseconds since 1970 in UTC; TypeError for a time without a zone."""
    return (at - _EPOCH) // _MICROSECOND


def from_micros(at: int) -> datetime:
    """The reverse of `to_micros`, in UTC; OverflowError beyond the years 1 to 9999."""
    return _EPOCH + timedelta(microseconds=at)


def audience_text(audience: Audience) -> str:
    """The JSON text stored for an audience."""
    return text_of_seats(audience.seats)


@lru_cache(maxsize=4096)
def text_of_seats(seats: frozenset[str] | None) -> str:
    """The JSON text stored for the audience of these seats."""
    value: Literal["everyone"] | list[str] = Audience(seats).to_json()
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@lru_cache(maxsize=4096)
def audience_from(text: str) -> Audience:
    """The reverse of `audience_text`; ValueError for anything else."""
    return Audience.from_json(json.loads(text))
