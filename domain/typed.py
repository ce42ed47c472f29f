"""Typed JSON in threads: one thread at a time works out a class for msgspec.

msgspec 0.22 works out a class at its first use, and keeps what it knows with the class before that is complete. A
second thread that meets it half-done crashes the process. Here a class is worked out under a lock, with the classes
of its fields; reading needs no lock then.
"""

from __future__ import annotations

import threading
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

_LOCK = threading.Lock()
_READY: set[type] = set()


def decoder_of(cls: type[T]) -> msgspec.json.Decoder[T]:
    """Return a decoder of JSON texts that hold a `cls`."""
    with _LOCK:
        decoder = msgspec.json.Decoder(cls)
        _READY.add(cls)
    return decoder


def decoded(text: bytes, cls: type[T]) -> T:
    """Return the `cls` that a JSON text holds. Raises ValueError where it holds none."""
    _make_ready(cls)
    return msgspec.json.decode(text, type=cls)


def converted(data: Any, cls: type[T]) -> T:
    """Return the `cls` that decoded JSON holds. Raises ValueError where it holds none."""
    _make_ready(cls)
    return msgspec.convert(data, cls)


def _make_ready(cls: type) -> None:
    if cls not in _READY:
        decoder_of(cls)
