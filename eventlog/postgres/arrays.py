"""Columns of values as binary PostgreSQL arrays: one parameter holds a whole column of a batch.

For plain lists, psycopg chooses the array's type by content, so one statement would become many prepared ones.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from typing import Any

import psycopg
from psycopg.adapt import Dumper
from psycopg.pq import Format

_ABSENT = b"\xff\xff\xff\xff"
_HEADER = struct.Struct(">iiiii")
_NUMBER = struct.Struct(">iq")


class Texts(list[str | None]):
    """A column of type text."""


class Numbers(list[int | None]):
    """A column of type bigint."""


class Octets(list[bytes | None]):
    """A column of type bytea."""


class _Packed(dict[str | None, bytes]):
    """Texts in array form, each packed once, because the columns of a batch repeat values."""

    def __missing__(self, value: str | None) -> bytes:
        if value is None:
            packed = _ABSENT
        elif "\x00" in value:
            raise psycopg.DataError("a text in PostgreSQL holds no NUL")
        else:
            encoded = value.encode()
            packed = len(encoded).to_bytes(4, "big") + encoded
        self[value] = packed
        return packed


def _array(element: int, count: int, parts: Iterable[bytes]) -> bytes:
    return _HEADER.pack(int(count > 0), 1, element, count, 1)[: 20 if count else 12] + b"".join(parts)


class _TextsDumper(Dumper):
    format = Format.BINARY
    oid = 1009

    def dump(self, obj: Texts) -> bytes:
        return _array(25, len(obj), map(_Packed().__getitem__, obj))


class _NumbersDumper(Dumper):
    format = Format.BINARY
    oid = 1016

    def dump(self, obj: Numbers) -> bytes:
        pack = _NUMBER.pack
        return _array(20, len(obj), [_ABSENT if value is None else pack(8, value) for value in obj])


class _OctetsDumper(Dumper):
    format = Format.BINARY
    oid = 1001

    def dump(self, obj: Octets) -> bytes:
        parts = [_ABSENT if value is None else len(value).to_bytes(4, "big") + value for value in obj]
        return _array(17, len(obj), parts)


def register(connection: psycopg.Connection[Any]) -> None:
    """Register the three kinds of column with a connection."""
    connection.adapters.register_dumper(Texts, _TextsDumper)
    connection.adapters.register_dumper(Numbers, _NumbersDumper)
    connection.adapters.register_dumper(Octets, _OctetsDumper)
