"""What someone with the database and enough time could do to the rows of game `g`: statements, and the places they
change.

Places are positions of events and numbers of receipts.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from sottovoce.eventlog.log import StoredReceipt

LENGTH = 12
"""Events in each of the games `g` and `other`."""


def another(random_: Random, value: Any) -> Any:
    """Return another value of the same type."""
    if value is None:
        return random_.choice([0, 1, 5])
    if isinstance(value, int):
        return value + random_.choice([-1, 1, 1000])
    if isinstance(value, bytes):
        at = random_.randrange(len(value))
        return value[:at] + bytes([value[at] ^ random_.randrange(1, 256)]) + value[at + 1 :]
    changed = [value + " ", value[:-1], value.swapcase(), value + "\x00"]
    return random_.choice([candidate for candidate in changed if candidate != value])


def change_of(column: str) -> Any:
    def tamper(random_: Random, rows: Sequence[Any]) -> Any:
        p = random_.randint(1, LENGTH)
        value = another(random_, getattr(rows[p - 1], column))
        if column == "actor" and not isinstance(value, str):
            value = "Bram"
        return [(f"UPDATE events SET {column} = ? WHERE game = 'g' AND position = ?", (value, p))], {p}

    return tamper


def erasure_of(column: str) -> Any:
    def tamper(random_: Random, rows: Sequence[Any]) -> Any:
        p = random_.choice([row.position for row in rows if getattr(row, column) is not None])
        return [(f"UPDATE events SET {column} = NULL WHERE game = 'g' AND position = ?", (p,))], {p}

    return tamper


def swap_of(columns: Sequence[str]) -> Any:
    def tamper(random_: Random, rows: Sequence[Any]) -> Any:
        differing = [
            (a, b)
            for a in rows
            for b in rows
            if a.position < b.position and all(getattr(a, c) != getattr(b, c) for c in columns)
        ]
        a, b = random_.choice(differing)
        sets = ", ".join(f"{column} = ?" for column in columns)
        return [
            (
                f"UPDATE events SET {sets} WHERE game = 'g' AND position = ?",
                (*(getattr(x, c) for c in columns), y.position),
            )
            for x, y in ((a, b), (b, a))
        ], {a.position, b.position}

    return tamper


def swap_of_positions(random_: Random, rows: Sequence[Any]) -> Any:
    p, q = random_.sample(range(1, LENGTH + 1), 2)
    move = "UPDATE events SET position = ? WHERE game = 'g' AND position = ?"
    return [(move, (-1, p)), (move, (p, q)), (move, (q, -1))], {p, q}


def removal(random_: Random, rows: Sequence[Any]) -> Any:
    p = random_.randint(1, LENGTH)
    return [("DELETE FROM events WHERE game = 'g' AND position = ?", (p,))], {p}


def removal_of_the_last(random_: Random, rows: Sequence[Any]) -> Any:
    return [("DELETE FROM events WHERE game = 'g' AND position = ?", (LENGTH,))], {LENGTH}


def removal_that_closes_the_gap(random_: Random, rows: Sequence[Any]) -> Any:
    p = random_.randint(1, LENGTH - 1)
    closing_up = [
        ("UPDATE events SET position = ? WHERE game = 'g' AND position = ?", (q - 1, q))
        for q in range(p + 1, LENGTH + 1)
    ]
    return [("DELETE FROM events WHERE game = 'g' AND position = ?", (p,)), *closing_up], {p, LENGTH}


COPY = (
    "INSERT INTO events (game, position, append, name, at, actor, audience, cause, body, salt, hash) SELECT "
    "'g', ?, append, name, at, actor, audience, cause, body, salt, hash FROM events WHERE game = ? AND position = ?"
)


def addition_at_the_end(random_: Random, rows: Sequence[Any]) -> Any:
    return [(COPY, (LENGTH + 1, random_.choice(["g", "other"]), random_.randint(1, LENGTH)))], {LENGTH + 1}


def insertion(random_: Random, rows: Sequence[Any]) -> Any:
    p = random_.randint(1, LENGTH)
    room = [
        ("UPDATE events SET position = ? WHERE game = 'g' AND position = ?", (q + 1, q))
        for q in range(LENGTH, p - 1, -1)
    ]
    return [*room, (COPY, (p, "other", p))], {p, LENGTH + 1}


def replacement_from_another_game(random_: Random, rows: Sequence[Any]) -> Any:
    p = random_.randint(1, LENGTH)
    return [("DELETE FROM events WHERE game = 'g' AND position = ?", (p,)), (COPY, (p, "other", p))], {p}


TAMPERINGS = [
    *(change_of(c) for c in ("append", "name", "at", "actor", "audience", "cause", "body", "salt", "hash")),
    *(erasure_of(c) for c in ("actor", "cause")),
    *(swap_of(c) for c in (["body"], ["salt"], ["hash"], ["salt", "hash"], ["append"], ["audience"])),
    swap_of_positions,
    removal,
    removal_of_the_last,
    removal_that_closes_the_gap,
    addition_at_the_end,
    insertion,
    replacement_from_another_game,
]


Statements = list[tuple[str, tuple[Any, ...]]]
ReceiptTampering = Callable[[Random, Sequence[StoredReceipt]], tuple[Statements, set[int]]]

_WHERE = "WHERE game = 'g' AND number = ?"


def receipt_change_of(column: str) -> ReceiptTampering:
    def tamper(random_: Random, rows: Sequence[StoredReceipt]) -> tuple[Statements, set[int]]:
        row = random_.choice([row for row in rows if getattr(row, column) is not None])
        value = another(random_, getattr(row, column))
        return [(f"UPDATE receipts SET {column} = ? {_WHERE}", (value, row.number))], {row.number}

    return tamper


def erasure_of_texts(random_: Random, rows: Sequence[StoredReceipt]) -> tuple[Statements, set[int]]:
    row = random_.choice([row for row in rows if row.blocks is not None])
    return [(f"UPDATE receipts SET blocks = NULL {_WHERE}", (row.number,))], {row.number}


def swap_of_receipts(random_: Random, rows: Sequence[StoredReceipt]) -> tuple[Statements, set[int]]:
    p, q = random_.sample([row.number for row in rows], 2)
    move = f"UPDATE receipts SET number = ? {_WHERE}"
    return [(move, (-1, p)), (move, (p, q)), (move, (q, -1))], {p, q}


def removal_of_a_receipt(random_: Random, rows: Sequence[StoredReceipt]) -> tuple[Statements, set[int]]:
    row = random_.choice(rows)
    return [(f"DELETE FROM receipts {_WHERE}", (row.number,))], {row.number}


def removal_of_a_seats_receipts(random_: Random, rows: Sequence[StoredReceipt]) -> tuple[Statements, set[int]]:
    seat = random_.choice([row.seat for row in rows])
    gone = {row.number for row in rows if row.seat == seat}
    firsts = {number for number in gone if number - 1 not in gone}
    return [("DELETE FROM receipts WHERE game = 'g' AND seat = ?", (seat,))], firsts


def removal_of_the_last_receipt(random_: Random, rows: Sequence[StoredReceipt]) -> tuple[Statements, set[int]]:
    return [(f"DELETE FROM receipts {_WHERE}", (len(rows),))], {len(rows)}


def removal_that_closes_up(random_: Random, rows: Sequence[StoredReceipt]) -> tuple[Statements, set[int]]:
    p = random_.randint(1, len(rows) - 1)
    closing_up: Statements = [
        (f"UPDATE receipts SET number = ? {_WHERE}", (q - 1, q)) for q in range(p + 1, len(rows) + 1)
    ]
    return [(f"DELETE FROM receipts {_WHERE}", (p,)), *closing_up], {p, len(rows)}


def addition_of_a_receipt(random_: Random, rows: Sequence[StoredReceipt]) -> tuple[Statements, set[int]]:
    row = random_.choice(rows)
    copy = f"SELECT game, ?, name, at, seat, data, blocks, hash FROM receipts {_WHERE}"
    added = f"INSERT INTO receipts (game, number, name, at, seat, data, blocks, hash) {copy}"
    return [(added, (len(rows) + 1, row.number))], {len(rows) + 1}


def replacement_of_a_receipt(random_: Random, rows: Sequence[StoredReceipt]) -> tuple[Statements, set[int]]:
    row = random_.choice(rows)
    copy = "SELECT 'g', number, name, at, seat, data, blocks, hash FROM receipts WHERE game = 'other' AND number = ?"
    added = f"INSERT INTO receipts (game, number, name, at, seat, data, blocks, hash) {copy}"
    return [(f"DELETE FROM receipts {_WHERE}", (row.number,)), (added, (row.number,))], {row.number}


def _text_of(random_: Random, rows: Sequence[StoredReceipt]) -> tuple[bytes, set[int]]:
    digest = random_.choice(
        [row.blocks[i : i + 32] for row in rows if row.blocks for i in range(0, len(row.blocks), 32)]
    )
    return digest, {min(row.number for row in rows if row.blocks and digest in row.blocks)}


def change_of_a_text(random_: Random, rows: Sequence[StoredReceipt]) -> tuple[Statements, set[int]]:
    digest, numbers = _text_of(random_, rows)
    other = random_.choice([b"", b"x", zlib.compress(b"You are somebody else.")])
    return [("UPDATE blocks SET text = ? WHERE digest = ?", (other, digest))], numbers


def removal_of_a_text(random_: Random, rows: Sequence[StoredReceipt]) -> tuple[Statements, set[int]]:
    digest, numbers = _text_of(random_, rows)
    return [("DELETE FROM blocks WHERE digest = ?", (digest,))], numbers


RECEIPT_TAMPERINGS: list[ReceiptTampering] = [
    *(receipt_change_of(column) for column in ("name", "at", "seat", "data", "blocks", "hash")),
    erasure_of_texts,
    swap_of_receipts,
    removal_of_a_receipt,
    removal_of_a_seats_receipts,
    removal_of_the_last_receipt,
    removal_that_closes_up,
    addition_of_a_receipt,
    replacement_of_a_receipt,
    change_of_a_text,
    removal_of_a_text,
]
