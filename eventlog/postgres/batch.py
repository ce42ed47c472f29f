"""Read what a batch of writes needs from PostgreSQL, and store the decision with one statement.

The state is read under the lock that every append takes, so it can't change between the decision and the statement. A
batch costs two round trips, however many writes it has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sottovoce.domain.events import Recorded
from sottovoce.eventlog.decision import Decision, ReadResult, ReadSet
from sottovoce.eventlog.decoding import EVENT, HEAD, RECEIPT, TURN
from sottovoce.eventlog.links import LINK, NO_LINKS, FoundLinks, by_game
from sottovoce.eventlog.log import StoredHead, StoredRow, StoredTurn, Write
from sottovoce.eventlog.postgres.arrays import Numbers, Octets, Texts

ORDER_LOCK = 8317995080211656547
"""The advisory lock of all appends. The trigger `events_order` takes it too."""

CHANNEL = "sottovoce"
"""The channel that announces each commit once it is flushed, with the number up to which everything is, or without
one."""


Statement = tuple[str, Sequence[Any]]
Row = tuple[Any, ...]

_KINDS = {"t": (Texts, "text"), "n": (Numbers, "bigint"), "o": (Octets, "bytea")}


@dataclass(frozen=True, slots=True)
class Part:
    """One clause of the statement that stores a batch. `columns` gives the kind of each of its arrays."""

    columns: str
    clause: str

    @property
    def sql(self) -> str:
        """Return the clause, with a parameter for each column."""
        arrays = ", ".join(f"%b::{_KINDS[kind][1]}[]" for kind in self.columns)
        return self.clause.format(given=f"unnest({arrays})")

    def values(self, rows: Sequence[Row]) -> list[Any]:
        """Return the parameters for these rows (at least one)."""
        return [_KINDS[kind][0](column) for kind, column in zip(self.columns, zip(*rows, strict=True), strict=True)]


_MARK = "(SELECT mark FROM drawn)"
_THE_TURN = "turns.game = g.game AND turns.seat = g.seat AND turns.turn = g.turn"
PARTS = {
    "events": Part("tnttnttnooo", f"INSERT INTO events ({EVENT}) SELECT * FROM {{given}} RETURNING id"),
    "receipts": Part("tntnttoo", f"INSERT INTO receipts ({RECEIPT}) SELECT * FROM {{given}}"),
    "texts": Part("oo", "INSERT INTO blocks (digest, text) SELECT * FROM {given}"),
    "closed": Part("ttn", f"DELETE FROM turns USING {{given}} AS g (game, seat, turn) WHERE {_THE_TURN}"),
    "changed": Part(
        "ttnnnntnn",
        "UPDATE turns SET attempt = g.attempt, opened_at = g.opened_at, expires = g.expires, worker = g.worker,"
        f" epoch = g.epoch, leased_until = g.leased_until FROM {{given}} AS g ({TURN}) WHERE {_THE_TURN}",
    ),
    "opened": Part("ttnnnntnn", f"INSERT INTO turns ({TURN}) SELECT * FROM {{given}}"),
    "grown": Part(
        "tnono",
        "UPDATE heads SET length = g.length, hash = g.hash, receipts = g.receipts, receipts_hash = g.receipts_hash,"
        f" mark = {_MARK} FROM {{given}} AS g (game, length, hash, receipts, receipts_hash) WHERE heads.game = g.game",
    ),
    "links": Part(
        "tnttonnnn",
        f"INSERT INTO links ({LINK}) SELECT * FROM {{given}} ON CONFLICT (digest) DO UPDATE"
        " SET claimed = excluded.claimed, ended = excluded.ended, ending = excluded.ending",
    ),
    "begun": Part(
        "tnonoono", f"INSERT INTO heads ({HEAD}, taken_over, mark) SELECT g.*, 0, {_MARK} FROM {{given}} AS g"
    ),
}

_HEADS = f"SELECT {HEAD} FROM heads WHERE game = ANY(%b::text[])"
_TURNS = f"""
    SELECT {TURN} FROM turns
    WHERE (game, seat, turn) IN (SELECT * FROM unnest(%b::text[], %b::text[], %b::bigint[]))
    ORDER BY id FOR UPDATE
"""
_BLOCKS = "SELECT digest FROM blocks WHERE digest = ANY(%b::bytea[])"
_LINKS = f"SELECT {LINK} FROM links WHERE game = ANY(%b::text[])"
_DIGESTS = "SELECT digest FROM links WHERE digest = ANY(%b::bytea[])"
_ENDINGS = "SELECT coalesce(max(ending), 0) FROM links"
_EVENTS_WITNESS = "SELECT FROM events WHERE game = %b AND position = %b AND hash = %b"
_RECEIPT_WITNESS = "SELECT FROM receipts WHERE game = %b AND number = %b AND hash = %b"


@lru_cache(maxsize=256)
def _storing(names: tuple[str, ...]) -> str:
    clauses = {name: f"{name}_part AS ({PARTS[name].sql})" for name in names}
    # If it has events, they have drawn numbers already.
    mark = "max(id) AS mark FROM events_part" if "events" in names else "nextval('events_id_seq') AS mark"
    drawn = [*filter(None, (clauses.pop("events", None),)), f"drawn AS MATERIALIZED (SELECT {mark})"]
    return f"WITH {', '.join([*drawn, *clauses.values()])} SELECT mark FROM drawn"


def questions(asked: ReadSet) -> list[Statement]:
    """Return the statements whose results `found` takes, in this order."""
    statements: list[Statement] = [(_HEADS, [Texts(asked.games)])]
    if asked.turns:
        games, seats, numbers = zip(*asked.turns, strict=True)
        statements.append((_TURNS, [Texts(games), Texts(seats), Numbers(numbers)]))
    if asked.texts:
        statements.append((_BLOCKS, [Octets(asked.texts)]))
    if asked.linked:
        statements += [(_LINKS, [Texts(asked.linked)]), (_DIGESTS, [Octets(asked.digests)]), (_ENDINGS, [])]
    return statements


def found(
    asked: ReadSet, answers: Sequence[Iterable[Row]], earlier: Callable[[Write], Sequence[Recorded]]
) -> ReadResult:
    """Build what the database holds of what was asked for, from the results of `questions`."""
    given = iter(answers)
    return ReadResult(
        heads={row[0]: StoredHead._make(row) for row in next(given)},
        turns={row[:3]: StoredTurn._make(row) for row in next(given)} if asked.turns else {},
        texts={digest for (digest,) in next(given)} if asked.texts else (),
        earlier=earlier,
        links=_links(*given) if asked.linked else NO_LINKS,
    )


def _links(links: Iterable[Row], digests: Iterable[Row], ended: Iterable[Row]) -> FoundLinks:
    ((endings,),) = ended
    return FoundLinks(by_game(links), {digest for (digest,) in digests}, endings)


def storing(decision: Decision) -> Statement | None:
    """Return the statement that stores everything and returns its number, or None if there is nothing to store."""
    rows: dict[str, Sequence[Row]] = {
        "events": decision.events,
        "receipts": decision.receipts,
        "texts": decision.compressed(),
        "closed": decision.closed,
        "changed": decision.changed,
        "opened": decision.opened,
        "grown": [head[:5] for head in decision.grown],
        "links": decision.links,
        "begun": decision.begun,
    }
    names = tuple(name for name in PARTS if rows[name])
    if not names:
        return None
    return _storing(names), [value for name in names for value in PARTS[name].values(rows[name])]


def witness(decision: Decision) -> Statement | None:
    """Return a query that has a row if and only if this was stored, or None if no query can show it."""
    if decision.events:
        row = StoredRow._make(decision.events[0])
        return _EVENTS_WITNESS, [row.game, row.position, row.hash]
    if decision.receipts:
        receipt = decision.receipts[0]
        return _RECEIPT_WITNESS, [receipt.game, receipt.number, receipt.hash]
    return None
