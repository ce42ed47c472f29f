"""Columns of values as PostgreSQL arrays in binary: one parameter carries a whole column of a batch.

psycopg's own lists would choose an array's type by what is in it, so that one statement became many prepared ones.
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


def _array(element: int, count: int, parts: Iterable[bytes]) -> bytes:
    return _HEADER.pack(int(count > 0), 1, element, count, 1)[: 20 if count else 12] + b"".join(parts)


class _TextsDumper(Dumper):
    format = Format.BINARY
    oid = 1009

    def dump(self, obj: Texts) -> bytes:
        return _array(25, len(obj), [_text(value) for value in obj])


class _NumbersDumper(Dumper):
    format = Format.BINARY
    oid = 1016

    def dump(self, obj: Numbers) -> bytes:
        return _array(20, len(obj), [_ABSENT if value is None else _NUMBER.pack(8, value) for value in obj])


class _OctetsDumper(Dumper):
    format = Format.BINARY
    oid = 1001

    def dump(self, obj: Octets) -> bytes:
        return _array(17, len(obj), [_octets(value) for value in obj])


def _octets(value: bytes | None) -> bytes:
    return _ABSENT if value is None else len(value).to_bytes(4, "big") + value


def _text(value: str | None) -> bytes:
    if value is None:
        return _ABSENT
    if "\x00" in value:
        raise psycopg.DataError("a text in PostgreSQL holds no NUL")
    return _octets(value.encode())


def register(connection: psycopg.Connection[Any]) -> None:
    """Teach a connection the three kinds of column."""
    connection.adapters.register_dumper(Texts, _TextsDumper)
    connection.adapters.register_dumper(Numbers, _NumbersDumper)
    connection.adapters.register_dumper(Octets, _OctetsDumper)
