"""Decide what a batch of writes does. All backends use this; it touches no database.

A backend reads what `asked` names, while a lock keeps other writers out. `decide` gives each write its outcome and the
rows that the backend then stores in the same transaction. Writes of one batch see each other's changes. A faulty write
never makes another one fail.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Collection, Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple

import msgspec

from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.events import Recorded
from sottovoce.eventlog.envelope import SECRET_BYTES, origin_hash, to_micros
from sottovoce.eventlog.errors import DamagedLog, WriteRefused
from sottovoce.eventlog.links import NO_LINKS, FoundLinks, Ledger
from sottovoce.eventlog.log import (
    Appended,
    Conflict,
    Failed,
    LeaseLost,
    Outcome,
    Row,
    StoredHead,
    StoredLink,
    StoredReceipt,
    StoredTurn,
    TurnChange,
    Write,
)
from sottovoce.eventlog.registry import Registry
from sottovoce.eventlog.sealing import append_id, seal, seal_receipts

TurnKey = tuple[str, str, int]
"""A turn's game, seat and number."""


class ReadSet(NamedTuple):
    """What a batch needs to know: the heads of its games, which of its turns are open, which texts are stored.

    If it changes links, also the links of the `linked` games, which of the `digests` exist, and how many links have
    ended.
    """

    games: Collection[str]
    turns: Collection[TurnKey]
    texts: Collection[bytes]
    linked: Collection[str] = ()
    digests: Collection[bytes] = ()


class ReadResult(NamedTuple):
    """What the database holds of what was asked for.

    `earlier` has the events after the position that a write expects, as many as the write has. Only writes that come
    after others need it.
    """

    heads: Mapping[str, StoredHead]
    turns: Mapping[TurnKey, StoredTurn]
    texts: Collection[bytes]
    earlier: Callable[[Write], Sequence[Recorded]]
    links: FoundLinks = NO_LINKS


class Decision(msgspec.Struct):
    """The outcomes in the order of the writes, and what to store for those that are `Appended`.

    `texts` are in UTF-8, by digest. `links` are whole rows, new and changed, in the order in which to store them. A
    turn is in exactly one of `closed`, `changed` and `opened`, a head in one of `grown` and `begun`: each stands for
    one changed row.
    """

    outcomes: list[Outcome] = []
    events: list[Row] = []
    receipts: list[StoredReceipt] = []
    texts: dict[bytes, bytes] = {}
    closed: list[TurnKey] = []
    changed: list[StoredTurn] = []
    opened: list[StoredTurn] = []
    grown: list[StoredHead] = []
    begun: list[StoredHead] = []
    links: list[StoredLink] = []

    def compressed(self) -> list[tuple[bytes, bytes]]:
        """Return the texts as rows: digest and zlib stream."""
        return [(digest, zlib.compress(text)) for digest, text in self.texts.items()]


def asked(writes: Sequence[Write]) -> ReadSet:
    """Return what `decide` must know about these writes."""
    linked = [write for write in writes if write.links]
    return ReadSet(
        {write.game for write in writes},
        {(write.game, change.seat, change.turn) for write in writes for change in write.turns},
        {
            sha256(text.encode()).digest()
            for text in {text for write in writes for receipt in write.receipts for text in receipt.blocks}
        },
        {write.game for write in linked} if linked else (),
        {change.digest for write in linked for change in write.links if change.what == "issue"} if linked else (),
    )


def new_secret() -> bytes:
    """Return a secret for the salts of a new game."""
    return os.urandom(SECRET_BYTES)


def decide(
    registry: Registry, writes: Sequence[Write], found: ReadResult, secret: Callable[[], bytes] = new_secret
) -> Decision:
    """Decide the writes one after another.

    - A write with events is a `Conflict` if its game does not have the length it expects, unless its events are stored
      already under its append ID: then it gets those, at most as many as it has, and nothing is stored.
    - A write `after` another is also a `Conflict` if that one is not the last of its game in this batch.
    - A write that changes a turn is `LeaseLost` if the turn is not open or has another epoch.
    - A write that is invalid, or that opens an open turn, has `Failed`.
    - A write's link changes take effect as `LinkChange` says. A receipt records each effect.
    - All other writes are `Appended`: the head grows with their events and receipts.
    """
    decision = Decision()
    games: dict[str, _Game] = {}
    turns: dict[TurnKey, StoredTurn | None] = {}
    ledger: Ledger | None = None
    for write in writes:
        if write.links and ledger is None:
            ledger = Ledger(found.links)
        game = games.get(write.game)
        if game is None:
            head = found.heads.get(write.game)
            game = games[write.game] = _Game(head or StoredHead(write.game, secret=secret()), new=head is None)
        try:
            outcome = _outcome(registry, write, found, game, turns, ledger, decision)
        except SottovoceError as error:
            outcome = Failed(error)
        decision.outcomes.append(outcome)
    for game in games.values():
        if game.written:
            (decision.begun if game.new else decision.grown).append(game.head)
    for key, turn in turns.items():
        before = found.turns.get(key)
        if turn is None:
            if before is not None:
                decision.closed.append(key)
        elif before is None:
            decision.opened.append(turn)
        elif turn != before:
            decision.changed.append(turn)
    if ledger is not None:
        decision.links = ledger.changed()
    return decision


class _Game:
    """A game after the writes so far: its head, the events that they appended after `start`, and the append ID of
    the last one."""

    __slots__ = ("events", "head", "last", "new", "start", "written")

    def __init__(self, head: StoredHead, new: bool) -> None:
        self.head = head
        self.new = new
        self.start = head.length
        self.events: list[Recorded] = []
        self.last = ""
        self.written = False


def _outcome(
    registry: Registry,
    write: Write,
    found: ReadResult,
    game: _Game,
    turns: dict[TurnKey, StoredTurn | None],
    ledger: Ledger | None,
    decision: Decision,
) -> Outcome:
    head = game.head
    if write.after and write.after != game.last:
        return Conflict(head.length)
    if write.expected != head.length and (write.drafts or write.stored):
        if (repeated := _repeated(write, found, game)) is None:
            return Conflict(head.length)
        game.last = write.append
        return repeated
    changes: dict[TurnKey, StoredTurn | None] = {}
    for change in write.turns:
        key, what = (write.game, change.seat, change.turn), change.what
        held = changes[key] if key in changes else turns[key] if key in turns else found.turns.get(key)
        if what == "open":
            if held is not None:
                raise DamagedLog(f"Game {write.game} already has turn {change.turn} of {change.seat} open")
            changes[key] = _opened(write, change, to_micros(write.at), int(change.worker is not None))
        elif held is None or (change.epoch is not None and change.epoch != held.epoch):
            return LeaseLost(change.seat, change.turn)
        else:
            changes[key] = None if what == "close" else _opened(write, change, held.opened_at, held.epoch + 1)
    events, rows, running = seal(registry, write, head.secret, head.hash)
    links: tuple[StoredLink, ...] = ()
    given = write.receipts
    if write.links and ledger is not None:
        if not head.length and not write.drafts and not write.stored:
            raise WriteRefused(f"There is no game {write.game} for this link")
        links, facts = ledger.change(write)
        if not (facts or given or write.turns or write.drafts or write.stored):
            return Appended(())
        given += facts
    receipts, texts, handed = seal_receipts(write.game, given, head.receipts + 1, head.receipts_hash)
    # From here on nothing can fail: the whole write counts.
    turns |= changes
    if links and ledger is not None:
        ledger.take(links)
    game.written = True
    if events:
        game.last = write.append
    game.events += events
    created, origin = head.created, head.origin
    if created is None:
        created = to_micros(write.at)
        origin = origin_hash(head.game, head.secret, created, 0)
    game.head = StoredHead(
        head.game,
        head.length + len(rows),
        running,
        head.receipts + len(receipts),
        handed,
        head.secret,
        created,
        origin,
    )
    decision.events += rows
    decision.receipts += receipts
    if texts:
        decision.texts |= {digest: text for digest, text in texts.items() if digest not in found.texts}
    return Appended(events, links)


def _repeated(write: Write, found: ReadResult, game: _Game) -> Appended | None:
    """Return the first result of a write that was stored before, in this batch or earlier, or None if it was not."""
    if write.expected < game.start:
        events = found.earlier(write)
    else:
        first = write.expected - game.start
        events = game.events[first : first + len(write.stored or write.drafts)]
    append = append_id(write)
    if not events or events[0].append != append:
        return None
    return Appended(tuple(event for event in events if write.stored or event.append == append))


def _opened(write: Write, change: TurnChange, opened_at: int, epoch: int) -> StoredTurn:
    return StoredTurn(
        write.game,
        change.seat,
        change.turn,
        change.attempt,
        opened_at,
        None if change.expires is None else to_micros(change.expires),
        change.worker,
        epoch,
        None if change.leased_until is None else to_micros(change.leased_until),
    )


def refused(game: str, why: object) -> Failed:
    """Return the outcome of a write whose rows the storage refuses because they contradict stored rows."""
    return Failed(DamagedLog(f"Game {game} could not be written ({why}); run: sottovoce audit verify {game}"))
