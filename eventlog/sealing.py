"""From a write to the rows that it adds: stored names, bodies, salts and hashes. The same for every backend."""

from __future__ import annotations

from datetime import UTC
from hashlib import sha256
from typing import NamedTuple

from pydantic_core import to_json

from domain.events import Recorded
from eventlog.envelope import (
    SALT_BYTES,
    audience_text,
    envelope,
    leaf_hash,
    receipt_envelope,
    receipt_leaf,
    salt_for,
    to_micros,
)
from eventlog.errors import WriteRefused
from eventlog.log import StoredReceipt, StoredRow, Write
from eventlog.recording import recorded
from eventlog.registry import Registry


class Sealed(NamedTuple):
    """An event about to be stored, as its readers will see it and as its row."""

    event: Recorded
    row: StoredRow


def append_id(write: Write) -> str:
    """The append id that the first event of `write` is stored with."""
    return write.stored[0].append if write.stored else write.append


def seal(registry: Registry, write: Write, secret: bytes) -> list[Sealed]:
    """The events of `write` with positions, salts and hashes.

    Raises UnknownName for an event that no ruleset lists, DamagedLog for a stored body that does not fit its name, and
    WriteRefused for a write that cannot be meant.
    """
    if write.stored:
        return _seal_stored(registry, write, secret)
    if write.at.tzinfo is None:
        raise WriteRefused("A write's time needs a time zone")
    at = write.at.astimezone(UTC)
    micros = to_micros(at)
    game, append, cause = write.game, write.append, write.cause
    first = write.expected + 1
    sealed = []
    for position, draft in enumerate(write.drafts, first):
        event = draft.event
        body = registry.encode(event)
        name = event.stored_name
        actor = event.actor
        audience = audience_text(draft.audience)
        salt = salt_for(secret, position)
        leaf = leaf_hash(salt, envelope(game, position, append, name, micros, actor, audience, cause, body))
        sealed.append(
            Sealed(
                recorded(game, position, append, name, at, actor, draft.audience, cause, body, salt, leaf, event),
                StoredRow(game, position, append, name, micros, actor, audience, cause, body, salt, leaf),
            )
        )
        cause = first
    return sealed


def _seal_stored(registry: Registry, write: Write, secret: bytes) -> list[Sealed]:
    if write.drafts:
        raise WriteRefused("A write has drafts or stored events, not both")
    sealed = []
    for position, given in enumerate(write.stored, write.expected + 1):
        if given.position != position:
            raise WriteRefused(f"Event {given.position} of {write.game} stands where {position} is due")
        if given.at.tzinfo is None:
            raise WriteRefused(f"The time of event {position} of {write.game} has no time zone")
        at = given.at.astimezone(UTC)
        salt = given.salt or salt_for(secret, position)
        if len(salt) != SALT_BYTES:
            raise WriteRefused(f"The salt of event {position} of {write.game} is not {SALT_BYTES} bytes long")
        row = StoredRow(
            game=write.game,
            position=position,
            append=given.append,
            name=given.name,
            at=to_micros(at),
            actor=given.actor,
            audience=audience_text(given.audience),
            cause=given.cause,
            body=given.body,
            salt=salt,
            hash=b"",
        )
        leaf = leaf_hash(salt, envelope(*row[:9]))
        if given.salt and given.hash and given.hash != leaf:
            raise WriteRefused(f"Event {position} of {write.game} does not match its hash; it was changed on the way")
        event = Recorded(
            write.game,
            position,
            given.append,
            given.name,
            at,
            given.actor,
            given.audience,
            given.cause,
            given.body,
            salt,
            leaf,
            registry.decode(given.name, given.body),
        )
        sealed.append(Sealed(event, row._replace(hash=leaf)))
    return sealed


def seal_receipts(write: Write, first: int) -> tuple[list[StoredReceipt], dict[bytes, bytes]]:
    """The receipts of `write`, numbered from `first`, and the texts that they name, in UTF-8 by their digests."""
    rows = []
    texts: dict[bytes, bytes] = {}
    game = write.game
    for number, (name, at, seat, given, handed) in enumerate(write.receipts, first):
        blocks = None
        if handed:
            encoded = [block.encode() for block in handed]
            digests = [sha256(text).digest() for text in encoded]
            texts.update(zip(digests, encoded, strict=True))
            blocks = b"".join(digests)
        micros = to_micros(at)
        data = to_json(given).decode()
        leaf = receipt_leaf(receipt_envelope(game, number, name, micros, seat, data, blocks))
        rows.append(StoredReceipt(game, number, name, micros, seat, data, blocks, leaf))
    return rows, texts
