"""Turn a write into the rows it adds: stored names, bodies, salts and hashes. The same for every backend."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC
from hashlib import sha256
from typing import NamedTuple

import msgspec

from sottovoce.domain.events import Recorded
from sottovoce.eventlog.envelope import (
    SALT_BYTES,
    START,
    Leaves,
    audience_text,
    envelope,
    leaf_hash,
    receipt_envelope,
    receipt_leaf,
    running_hash,
    salt_for,
    text_of_seats,
    to_micros,
)
from sottovoce.eventlog.errors import WriteRefused
from sottovoce.eventlog.log import Receipt, Row, StoredReceipt, StoredRow, Write
from sottovoce.eventlog.registry import Registry

_to_json = msgspec.json.Encoder().encode


class Sealed(NamedTuple):
    """Events about to be stored, as readers will see them and as rows, with the running hash."""

    events: tuple[Recorded, ...]
    rows: list[Row]
    running: bytes


def append_id(write: Write) -> str:
    """Return the append ID under which the first event of `write` is stored."""
    return write.stored[0].append if write.stored else write.append


def seal(registry: Registry, write: Write, secret: bytes, running: bytes = START) -> Sealed:
    """Give the events of `write` positions, salts and hashes, behind events with that running hash.

    Raises UnknownName for an event that no ruleset lists, DamagedLog for a stored body that does not fit its name, and
    WriteRefused for an invalid write.
    """
    if write.stored:
        return _seal_stored(registry, write, secret, running)
    if write.at.tzinfo is None:
        raise WriteRefused("A write's time needs a time zone")
    at = write.at if write.at.tzinfo is UTC else write.at.astimezone(UTC)
    micros = to_micros(at)
    game, append, cause = write.game, write.append, write.cause
    first = write.expected + 1
    encode = registry.encode
    leaves = Leaves(secret, running, game, append, micros)
    events: list[Recorded] = []
    rows: list[Row] = []
    for position, draft in enumerate(write.drafts, first):
        event, seen_by = draft.event, draft.audience
        body = encode(event)
        name, actor = event.stored_name, event.actor
        audience = text_of_seats(seen_by.seats)
        salt, leaf = leaves.of(position, name, actor, audience, cause, body)
        events.append(Recorded(game, position, append, name, at, actor, seen_by, cause, body, salt, leaf, event))
        rows.append((game, position, append, name, micros, actor, audience, cause, body, salt, leaf))
        cause = first
    return Sealed(tuple(events), rows, leaves.running)


def _seal_stored(registry: Registry, write: Write, secret: bytes, running: bytes) -> Sealed:
    if write.drafts:
        raise WriteRefused("A write has drafts or stored events, not both")
    events: list[Recorded] = []
    rows: list[Row] = []
    for position, given in enumerate(write.stored, write.expected + 1):
        if given.position != position:
            raise WriteRefused(f"Event {given.position} of {write.game} has the place of event {position}")
        if given.at.tzinfo is None:
            raise WriteRefused(f"The time of event {position} of {write.game} has no time zone")
        at = given.at.astimezone(UTC)
        salt = given.salt or salt_for(secret, position)
        if len(salt) != SALT_BYTES:
            raise WriteRefused(f"The salt of event {position} of {write.game} is not {SALT_BYTES} bytes long")
        row = row_of(given)._replace(game=write.game, salt=salt)
        row = row._replace(hash=leaf_hash(salt, envelope(*row[:9])))
        if given.salt and given.hash and given.hash != row.hash:
            raise WriteRefused(
                f"Event {position} of {write.game} does not match its hash, so it was changed on the way"
            )
        event = registry.decode(given.name, given.body)
        events.append(msgspec.structs.replace(given, game=write.game, at=at, salt=salt, hash=row.hash, event=event))
        rows.append(row)
    return Sealed(tuple(events), rows, running_hash(running, [row[10] for row in rows]))


def row_of(event: Recorded) -> StoredRow:
    """Return the event as its row."""
    return StoredRow(
        event.game,
        event.position,
        event.append,
        event.name,
        to_micros(event.at),
        event.actor,
        audience_text(event.audience),
        event.cause,
        event.body,
        event.salt,
        event.hash,
    )


def seal_receipts(
    game: str, receipts: Sequence[Receipt], first: int, running: bytes = START
) -> tuple[list[StoredReceipt], dict[bytes, bytes], bytes]:
    """Return the receipts, numbered from `first`, their texts in UTF-8 by digest, and the running hash including
    them."""
    rows = []
    texts: dict[bytes, bytes] = {}
    for number, receipt in enumerate(receipts, first):
        name, seat, blocks = receipt.name, receipt.seat, None
        if receipt.blocks:
            encoded = [block.encode() for block in receipt.blocks]
            digests = [sha256(text).digest() for text in encoded]
            texts.update(zip(digests, encoded, strict=True))
            blocks = b"".join(digests)
        micros = to_micros(receipt.at)
        data = _to_json(receipt.data).decode()
        leaf = receipt_leaf(receipt_envelope(game, number, name, micros, seat, data, blocks))
        running = running_hash(running, (leaf,))
        rows.append(StoredReceipt(game, number, name, micros, seat, data, blocks, leaf))
    return rows, texts, running
