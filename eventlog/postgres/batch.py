"""What many writes come to, decided in memory on what the database holds, and stored by one statement.

The state that the writes meet is read under the lock that every append takes, so nothing can change between the
decision and the statement: each write has its outcome before anything is written, and the batch costs two round trips
however many writes it has.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from typing import Any

from domain.errors import SottovoceError
from eventlog.decoding import due_of
from eventlog.envelope import SECRET_BYTES, START, running_hash, to_micros
from eventlog.log import Appended, Conflict, Due, Failed, LeaseLost, Outcome, Write
from eventlog.postgres.arrays import Numbers, Octets, Texts
from eventlog.registry import Registry
from eventlog.sealing import Sealed, append_id, seal, seal_receipts
from eventlog.turns import Turns, changed

ORDER_LOCK = 8317995080211656547
"""The advisory lock of all appends, which the trigger `events_order` takes too."""

CHANNEL = "sottovoce"
"""Where each commit is announced, with the highest id of its events, or nothing where it has none."""

COLUMNS = "game, position, append, name, at, actor, audience, cause, body, salt, hash"
DUE = "game, seat, turn, attempt, opened_at, expires, worker, epoch, leased_until"
RECEIPT = "game, number, name, at, seat, data, blocks, hash"

Statement = tuple[str, Sequence[Any]]
Row = tuple[Any, ...]

_KINDS = {"t": (Texts, "text"), "n": (Numbers, "bigint"), "o": (Octets, "bytea")}


@dataclass(frozen=True, slots=True)
class Part:
    """One clause of the statement that stores a batch; `columns` gives the kind of each of its arrays."""

    columns: str
    clause: str

    @property
    def sql(self) -> str:
        """The clause, with a parameter for each column."""
        arrays = ", ".join(f"%b::{_KINDS[kind][1]}[]" for kind in self.columns)
        return self.clause.format(given=f"unnest({arrays})")

    def values(self, rows: Sequence[Row]) -> list[Any]:
        """The parameters for these rows, at least one."""
        return [_KINDS[kind][0](column) for kind, column in zip(self.columns, zip(*rows, strict=True), strict=True)]


_HEAD = "game, length, hash, receipts, receipts_hash"
_THE_TURN = "turns.game = g.game AND turns.seat = g.seat AND turns.turn = g.turn"
PARTS = {
    "events": Part("tnttnttnooo", f"INSERT INTO events ({COLUMNS}) SELECT * FROM {{given}} RETURNING id"),
    "receipts": Part("tntnttoo", f"INSERT INTO receipts ({RECEIPT}) SELECT * FROM {{given}}"),
    "blocks": Part("oo", "INSERT INTO blocks (digest, text) SELECT * FROM {given}"),
    "closed": Part("ttn", f"DELETE FROM turns USING {{given}} AS g (game, seat, turn) WHERE {_THE_TURN}"),
    "changed": Part(
        "ttnnnntnn",
        "UPDATE turns SET attempt = g.attempt, opened_at = g.opened_at, expires = g.expires, worker = g.worker,"
        f" epoch = g.epoch, leased_until = g.leased_until FROM {{given}} AS g ({DUE}) WHERE {_THE_TURN}",
    ),
    "opened": Part("ttnnnntnn", f"INSERT INTO turns ({DUE}) SELECT * FROM {{given}}"),
    "grown": Part(
        "tnono",
        "UPDATE heads SET length = g.length, hash = g.hash, receipts = g.receipts, receipts_hash = g.receipts_hash"
        f" FROM {{given}} AS g ({_HEAD}) WHERE heads.game = g.game",
    ),
    "begun": Part("tnonoonn", f"INSERT INTO heads ({_HEAD}, secret, created, taken_over) SELECT * FROM {{given}}"),
}

_HEADS = "SELECT game, length, hash, secret, receipts, receipts_hash FROM heads WHERE game = ANY(%b::text[])"
_TURNS = f"""
    SELECT {DUE} FROM turns
    WHERE (game, seat, turn) IN (SELECT * FROM unnest(%b::text[], %b::text[], %b::bigint[]))
    ORDER BY id FOR UPDATE
"""
_BLOCKS = "SELECT digest FROM blocks WHERE digest = ANY(%b::bytea[])"
_EVENTS_WITNESS = "SELECT FROM events WHERE game = %b AND position = %b AND hash = %b"
_RECEIPT_WITNESS = "SELECT FROM receipts WHERE game = %b AND number = %b AND hash = %b"


@lru_cache(maxsize=256)
def _storing(names: tuple[str, ...]) -> str:
    highest = "(SELECT max(id) FROM events_part)" if "events" in names else "NULL::bigint"
    clauses = ", ".join(f"{name}_part AS ({PARTS[name].sql})" for name in names)
    return (
        f"WITH {clauses} SELECT highest, pg_notify('{CHANNEL}', coalesce(highest::text, ''))"
        f" FROM (SELECT {highest} AS highest) AS told"
    )


@dataclass(slots=True)
class _Game:
    """A game as the writes so far leave it; `new` where the database has no head for it.

    `start` and `before` are the length and the turns that the writes concern as they were found; `created` counts only
    for a new game.
    """

    length: int = 0
    hash: bytes = START
    secret: bytes = b""
    receipts: int = 0
    receipts_hash: bytes = START
    start: int = 0
    new: bool = False
    created: int = 0
    written: bool = False
    before: Turns = field(default_factory=dict)
    turns: Turns = field(default_factory=dict)
    sealed: list[Sealed] = field(default_factory=list)


class Batch:
    """The writes' outcomes, and the rows that they add.

    `unresolved` are the writes that meet events of a game which might be their own from an earlier try: the caller
    looks them up.
    """

    def __init__(self, registry: Registry, writes: Sequence[Write]) -> None:
        self._registry = registry
        self._writes = writes
        self._games: dict[str, _Game] = {}
        self._known: set[bytes] = set()
        self._rows: dict[str, list[Row]] = {name: [] for name in PARTS}
        handed = {block for write in writes for receipt in write.receipts for block in receipt.blocks}
        self._digests = [sha256(block.encode()).digest() for block in handed]
        self.outcomes: list[Outcome] = []
        self.unresolved: list[int] = []

    def questions(self) -> list[Statement]:
        """The statements whose results `decide` needs, in this order."""
        turns = list({(write.game, change.seat, change.turn) for write in self._writes for change in write.turns})
        asked: list[Statement] = [(_HEADS, [Texts({write.game for write in self._writes})])]
        if turns:
            games, seats, numbers = zip(*turns, strict=True)
            asked.append((_TURNS, [Texts(games), Texts(seats), Numbers(numbers)]))
        if self._digests:
            asked.append((_BLOCKS, [Octets(self._digests)]))
        return asked

    def decide(self, answers: Sequence[Iterable[Row]]) -> None:
        """Give every write its outcome."""
        given = iter(answers)
        for game, length, hash_, secret, receipts, receipts_hash in next(given):
            self._games[game] = _Game(length, hash_, secret, receipts, receipts_hash, start=length)
        for write in self._writes:
            if write.game not in self._games:
                self._games[write.game] = _Game(secret=os.urandom(SECRET_BYTES), new=True)
        if any(write.turns for write in self._writes):
            for row in next(given):
                due = due_of(row)
                self._games[due.game].before[due.seat, due.turn] = due
        if self._digests:
            self._known = {digest for (digest,) in next(given)}
        for found in self._games.values():
            found.turns = found.before
        for index, write in enumerate(self._writes):
            self.outcomes.append(self._attempt(index, write))

    def _attempt(self, index: int, write: Write) -> Outcome:
        try:
            return self._write(index, write)
        except SottovoceError as error:
            return Failed(error)

    def _write(self, index: int, write: Write) -> Outcome:
        game = self._games[write.game]
        if write.expected != game.length and (write.drafts or write.stored):
            return self._earlier(index, write, game)
        turns = changed(game.turns, write) if write.turns else game.turns
        if isinstance(turns, LeaseLost):
            return turns
        sealed = seal(self._registry, write, game.secret)
        receipts, texts = seal_receipts(write, game.receipts + 1)
        if not game.written:
            game.created = to_micros(write.at)
        game.turns = turns
        game.written = True
        game.length += len(sealed)
        game.hash = running_hash(game.hash, [row.hash for _, row in sealed])
        game.receipts += len(receipts)
        game.receipts_hash = running_hash(game.receipts_hash, [row.hash for row in receipts])
        game.sealed += sealed
        self._rows["events"] += [row for _, row in sealed]
        self._rows["receipts"] += receipts
        for digest, text in texts.items():
            if digest not in self._known:
                self._known.add(digest)
                self._rows["blocks"].append((digest, zlib.compress(text)))
        return Appended(tuple(event for event, _ in sealed))

    def _earlier(self, index: int, write: Write, game: _Game) -> Outcome:
        """What a write gets that comes after others: its own events, where it is the repetition of one of them."""
        if write.expected < game.start:
            self.unresolved.append(index)
        elif write.expected < game.length:
            count = len(write.stored or write.drafts)
            events = [event for event, _ in game.sealed[write.expected - game.start :][:count]]
            if events[0].append == append_id(write):
                return Appended(tuple(events))
        return Conflict(game.length)

    def storing(self) -> Statement | None:
        """The statement that stores everything, announces it, and gives the highest id; None for nothing to store."""
        rows = self._rows
        for name, game in self._games.items():
            if not game.written:
                continue
            head = (name, game.length, game.hash, game.receipts, game.receipts_hash)
            if game.new:
                rows["begun"].append((*head, game.secret, game.created, 0))
            else:
                rows["grown"].append(head)
            rows["closed"] += [(name, *key) for key in game.before if key not in game.turns]
            for key, turn in game.turns.items():
                before = game.before.get(key)
                if before != turn:
                    rows["opened" if before is None else "changed"].append(_row(turn))
        names = tuple(name for name in PARTS if rows[name])
        if not names:
            return None
        return _storing(names), [value for name in names for value in PARTS[name].values(rows[name])]

    def witness(self) -> Statement | None:
        """A question that has an answer if and only if this batch was stored; None where nothing tells."""
        if self._rows["events"]:
            row = self._rows["events"][0]
            return _EVENTS_WITNESS, [row[0], row[1], row[-1]]
        if self._rows["receipts"]:
            row = self._rows["receipts"][0]
            return _RECEIPT_WITNESS, [row[0], row[1], row[-1]]
        return None


def _row(turn: Due) -> Row:
    return (
        turn.game,
        turn.seat,
        turn.turn,
        turn.attempt,
        to_micros(turn.opened_at),
        None if turn.expires is None else to_micros(turn.expires),
        turn.worker,
        turn.epoch,
        None if turn.leased_until is None else to_micros(turn.leased_until),
    )
