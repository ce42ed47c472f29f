"""Decode stored rows into recorded events, receipts and turns. This is the hot path of every rebuild."""

from __future__ import annotations

import gc
import json
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from hashlib import sha256
from typing import Any

from sottovoce.domain.events import Recorded
from sottovoce.eventlog.envelope import audience_from, from_micros
from sottovoce.eventlog.errors import DamagedLog
from sottovoce.eventlog.log import Due, RecordedReceipt, StoredHead, StoredReceipt, StoredRow, StoredTurn
from sottovoce.eventlog.notification import EventNotification
from sottovoce.eventlog.registry import Registry, reason

NO_LIMIT = 2**63 - 1
EVENT = ", ".join(StoredRow._fields)
RECEIPT = ", ".join(StoredReceipt._fields)
TURN = ", ".join(StoredTurn._fields)
HEAD = ", ".join(StoredHead._fields)
"""The columns of each kind of row, as statements name them."""
_MANY = 1000
_DIGEST_BYTES = 32


def decoded(registry: Registry, rows: Sequence[tuple[Any, ...]]) -> list[Recorded]:
    """Decode rows into recorded events. Raises UnknownName or DamagedLog for an unreadable one."""
    with _collector_paused() if len(rows) > _MANY else nullcontext():
        return _decoded(registry, rows)


def _decoded(registry: Registry, rows: Sequence[tuple[Any, ...]]) -> list[Recorded]:
    decoders = registry.decoders
    events: list[Recorded] = []
    add = events.append
    micros, when = 0, from_micros(0)
    try:
        for game, position, append, name, at, actor, audience, cause, body, salt, leaf in rows:
            if at != micros:
                micros, when = at, from_micros(at)
            event = decoders[name](body)
            seen_by = audience_from(audience)
            add(Recorded(game, position, append, name, when, actor, seen_by, cause, body, salt, leaf, event))
    except (ValueError, TypeError, LookupError, OverflowError) as error:
        game, position, name = (rows[len(events)][column] for column in (0, 1, 3))
        if name not in decoders:
            registry.decode(name, b"")
        raise DamagedLog(
            f"Event {position} of game {game} cannot be read ({reason(error)}); run: sottovoce audit verify {game}"
        ) from error
    return events


def receipt_of(row: tuple[Any, ...]) -> RecordedReceipt:
    """Decode a receipt from its columns in the order of `StoredReceipt`. Raises DamagedLog if it is unreadable."""
    game, number, name, at, seat, data, blocks, leaf = row
    try:
        return RecordedReceipt(
            game=game,
            number=number,
            name=name,
            at=from_micros(at),
            seat=seat,
            data=json.loads(data),
            blocks=digests_of(blocks),
            hash=leaf,
        )
    except (ValueError, TypeError, OverflowError, AttributeError) as error:
        raise DamagedLog(
            f"Receipt {number} of game {game} cannot be read ({reason(error)}); run: sottovoce audit verify {game}"
        ) from error


def digests_of(blocks: bytes | None) -> tuple[str, ...]:
    """Return the digests of a receipt in hexadecimal. They are stored one after another."""
    digests = blocks or b""
    return tuple(digests[i : i + _DIGEST_BYTES].hex() for i in range(0, len(digests), _DIGEST_BYTES))


def text_of(digest: str, compressed: bytes) -> str:
    """Return the text of a block. Raises DamagedLog if its bytes do not match its digest."""
    try:
        text = zlib.decompress(compressed)
    except (zlib.error, TypeError):
        text = b""
    if sha256(text).hexdigest() != digest.lower():
        raise DamagedLog(f"The text {digest[:12]}… is not what was delivered; run: sottovoce audit verify")
    return text.decode()


def due_of(row: tuple[Any, ...]) -> Due:
    """Return an open turn from its columns in the order of `Due`."""
    game, seat, turn, attempt, opened_at, expires, worker, epoch, leased_until = row
    return Due(
        game=game,
        seat=seat,
        turn=turn,
        attempt=attempt,
        opened_at=from_micros(opened_at),
        expires=None if expires is None else from_micros(expires),
        worker=worker,
        epoch=epoch,
        leased_until=None if leased_until is None else from_micros(leased_until),
    )


def noted(registry: Registry, found: Sequence[EventNotification]) -> list[tuple[int, Recorded]]:
    """Decode notifications into events, each with its ID."""
    return list(zip([one.id for one in found], decoded(registry, [one.row for one in found]), strict=True))


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Pause the cyclic garbage collector: in a long read it finds nothing and takes half of the time."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
