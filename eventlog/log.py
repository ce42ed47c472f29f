"""The log's interface: the types that go in and out, and the protocol of every backend.

A `Write` has everything that one decision changes: events, opened and closed turns, receipts and links. It is stored
completely or not at all. Many writes of many games can share one transaction. Each succeeds or fails independently.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Protocol

import msgspec

from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.events import Draft, Recorded
from sottovoce.eventlog.durations import Durations
from sottovoce.eventlog.envelope import START, head_hash, origin_hash
from sottovoce.eventlog.leases import longest_lease

if TYPE_CHECKING:
    from sottovoce.eventlog.kept import Kept


@dataclass(frozen=True, slots=True)
class Due:
    """An open turn as workers see it: whom to ask, since when, and when the current attempt times out.

    `epoch` counts the leases and new attempts so far. `worker` holds a lease until `leased_until`, or is None.
    """

    game: str
    seat: str
    turn: int
    attempt: int
    opened_at: datetime
    expires: datetime | None = None
    worker: str | None = None
    epoch: int = 0
    leased_until: datetime | None = None

    def is_free(self, at: datetime) -> bool:
        """Return whether nobody has a lease at that time.

        A lease without an end, or longer than allowed, does not count.
        """
        if self.worker is None or self.leased_until is None:
            return True
        return not at < self.leased_until <= at + longest_lease(self.worker)


class TurnChange(msgspec.Struct, frozen=True, gc=False):
    """How a write changes one turn: opens it, starts its next attempt, or closes it.

    With `epoch`, the change happens only if the turn still has that epoch; otherwise the whole write is `LeaseLost`.
    The write is also `LeaseLost`, with or without an epoch, if the turn is not open.

    With `worker`, the same transaction leases the turn to that worker until `leased_until`, so a process that opens a
    turn and will answer it needs no second transaction. An opened turn then has epoch 1, otherwise 0. A retry always
    takes the next epoch, which ends an earlier lease. Without `worker` a retry leaves the turn to anyone.
    """

    what: Literal["open", "retry", "close"]
    seat: str
    turn: int
    attempt: int = 1
    expires: datetime | None = None
    epoch: int | None = None
    worker: str | None = None
    leased_until: datetime | None = None


class LinkChange(msgspec.Struct, frozen=True, gc=False):
    """How a write changes one link of its game. The log records it in a receipt, in the same transaction.

    - `issue`: creates a link with this SHA-256 of its token and the game's next number. The previous link of the same
      kind and seat (empty if it is not for a seat) ends. Creating the same link again has no effect.
      With `for_holder` the receipt says that the person whose seat it is asked for it.
    - `claim`, `end`: changes the link with that `number`. No effect if it does not exist or has ended. A link is never
      claimed twice.
    """

    what: Literal["issue", "claim", "end"]
    kind: str = ""
    seat: str = ""
    digest: bytes = b""
    number: int = 0
    for_holder: bool = False


LINK_ISSUED: Final = "core.link-issued.v1"
LINK_CLAIMED: Final = "core.link-claimed.v1"
LINK_ENDED: Final = "core.link-ended.v1"
PLAYED_AGAIN: Final = "core.played-again.v1"
FORKED: Final = "core.forked.v1"


class Receipt(msgspec.Struct, frozen=True, gc=False):
    """A record of a delivery to an agent, of the end of a call, of a link or of a fork. It is separate from the events.

    `blocks` are the delivered texts; each distinct one is stored once, compressed. `data` is plain JSON.
    """

    name: Literal[
        "core.handed-over.v1",
        "core.handed-again.v1",
        "core.call-ended.v1",
        "core.called.v1",
        "core.link-issued.v1",
        "core.link-claimed.v1",
        "core.link-ended.v1",
        "core.forked.v1",
        "core.played-again.v1",
        "core.budget-set.v1",
        "core.budget-warned.v1",
    ]
    at: datetime
    seat: str
    data: dict[str, Any]
    blocks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordedReceipt:
    """A stored receipt. `number` counts from 1 in each game. `blocks` are SHA-256 hex digests, in order.

    `hash` is its leaf.
    """

    game: str
    number: int
    name: str
    at: datetime
    seat: str
    data: dict[str, Any]
    blocks: tuple[str, ...]
    hash: bytes


class Write(msgspec.Struct, frozen=True, gc=False):
    """One decision's changes to one game, appended after position `expected` (0 for a new game).

    `append` is unique. If a write is repeated after a failure with an unknown outcome, it is recognised by `append` and
    gets the first result. `cause` is the position that the first event reacts to; the others react to the first.

    `stored` has complete events instead of drafts; only import and fork use it. Names, times, actors, audiences,
    causes, bodies and append IDs stay the same, and so do salts that are not empty. If both salt and hash are given,
    the hash must match. The positions must follow `expected`.

    A write without events (receipts, a turn's next attempt) competes for no position: its `expected` is ignored, and
    repeating it repeats its receipts.

    The log adds the receipts of `links` after the given ones.

    `after` is the append ID of the earlier write in the same batch on whose events this one was decided. This write is
    appended behind it or not at all.
    """

    game: str
    expected: int
    append: str
    at: datetime
    drafts: tuple[Draft, ...] = ()
    cause: int | None = None
    turns: tuple[TurnChange, ...] = ()
    receipts: tuple[Receipt, ...] = ()
    stored: tuple[Recorded, ...] = ()
    links: tuple[LinkChange, ...] = ()
    after: str = ""


class StoredLink(NamedTuple):
    """A link as stored in the database; times are in microseconds since 1970 in UTC.

    `number` counts from 1 in each game. `ending` counts the links of all games that have ended, in the order of
    commits.
    """

    game: str
    number: int
    kind: str
    seat: str
    digest: bytes
    issued: int
    claimed: int | None = None
    ended: int | None = None
    ending: int | None = None


class Appended(msgspec.Struct, frozen=True, gc=False):
    """The write is durable. `links` are the links it changed, in their new state: ended ones, then the others."""

    events: tuple[Recorded, ...]
    links: tuple[StoredLink, ...] = ()


@dataclass(frozen=True, slots=True)
class Conflict:
    """Another write appended first. Nothing was written. Read from `expected` and decide again."""

    length: int


@dataclass(frozen=True, slots=True)
class LeaseLost:
    """The turn is closed or leased to another worker. Nothing was written."""

    seat: str
    turn: int


@dataclass(frozen=True, slots=True)
class Failed:
    """The write is invalid, or its game's rows contradict its head.

    Nothing was written; other writes are not affected.
    """

    error: SottovoceError


Outcome = Appended | Conflict | LeaseLost | Failed


@dataclass(frozen=True, slots=True)
class Head:
    """A game's length and the running hash over its events' leaves, and the same for its receipts.

    The first `taken_over` receipts are older than the upgrade that put receipts under the head, so changes to them
    before the upgrade can't be detected. `origin` is the hash over what never changes: the game, the secret of its
    salts, its creation time and `taken_over`. `original` says whether these still have that hash. `str()` is the head
    as users save it: EVENTS+RECEIPTS:HEX, one hash over everything.
    """

    length: int
    hash: bytes
    receipts: int = 0
    receipts_hash: bytes = START
    taken_over: int = 0
    origin: bytes = b""
    original: bool = True

    @classmethod
    def of(cls, stored: StoredHead, taken_over: int = 0) -> Head:
        """Build the head from its database row, even if damaged."""
        try:
            made = origin_hash(stored.game, stored.secret, stored.created or 0, taken_over)
        except (TypeError, struct.error):
            made = None
        return cls(*stored[1:5], taken_over, stored.origin, made == stored.origin)

    def __str__(self) -> str:
        digest = head_hash(self.length, self.hash, self.receipts, self.receipts_hash, self.origin)
        return f"{self.length}+{self.receipts}:{digest.hex()}"


class StoredRow(NamedTuple):
    """An event as stored, undecoded and unchecked. After tampering, a field can contain anything.

    `at` is in microseconds since 1970 in UTC, `audience` is JSON text.
    """

    game: str
    position: int
    append: str
    name: str
    at: int
    actor: str | None
    audience: str
    cause: int | None
    body: bytes
    salt: bytes
    hash: bytes


Row = tuple[str, int, str, str, int, str | None, str, int | None, bytes, bytes, bytes]
"""The columns of a `StoredRow` in its order. Creating a plain tuple is several times as fast."""


class StoredReceipt(NamedTuple):
    """A receipt as stored, undecoded and unchecked.

    `at` is in microseconds since 1970 in UTC, `data` is JSON text, `blocks` are digests of 32 bytes one after another.
    """

    game: str
    number: int
    name: str
    at: int
    seat: str
    data: str
    blocks: bytes | None
    hash: bytes


class StoredTurn(NamedTuple):
    """An open turn as stored: a `Due` with its times in microseconds since 1970 in UTC."""

    game: str
    seat: str
    turn: int
    attempt: int
    opened_at: int
    expires: int | None
    worker: str | None
    epoch: int
    leased_until: int | None


class StoredHead(NamedTuple):
    """A head as stored, with the secret of the game's salts, the game's creation time, and the hash over these."""

    game: str
    length: int = 0
    hash: bytes = START
    receipts: int = 0
    receipts_hash: bytes = START
    secret: bytes = b""
    created: int | None = None
    origin: bytes = b""


Execute = Callable[..., Sequence[tuple[Any, ...]]]
"""Runs a statement with its values and returns its rows."""


class News(NamedTuple):
    """The highest ID of an event, and the length of each game with new events."""

    newest: int
    lengths: dict[str, int]

    @classmethod
    def of(cls, after: int, rows: Iterable[tuple[str, int, int]]) -> News:
        """Build from games, each with its last position and that event's ID."""
        found = list(rows)
        return cls(max((row[2] for row in found), default=after), {row[0]: row[1] for row in found})


class TurnCounts(NamedTuple):
    """Counts of turns: open, past their limit, leased, with an expired lease."""

    open: int = 0
    overdue: int = 0
    leased: int = 0
    lapsed: int = 0


class Mended(NamedTuple):
    """In how many games links or open turns were wrong and have been rebuilt."""

    links: int = 0
    turns: int = 0


class EventLog(Protocol):
    """An append-only log of games. Synchronous, and safe to call from any thread.

    Every method can raise one of `eventlog.errors`, such as `DiskFull` or `ReadOnlyLog`. After an error from `commit`
    nothing is acknowledged, and you can commit the same writes again.
    """

    @property
    def notices(self) -> Sequence[str]:
        """Return what was found lost when the log was opened, one line each, for the operator."""

    @property
    def waits(self) -> Durations:
        """Return how long this process waited for other writers, each time."""

    @property
    def blocking(self) -> bool:
        """Return whether `commit` waits for a disk or a server, so that an event loop should call it in a thread."""

    def commit(self, writes: Sequence[Write]) -> list[Outcome]:
        """Store the writes in one durable transaction, each in a savepoint, and return their outcomes in order."""

    def commit_at_once(self, writes: Sequence[Write]) -> list[Outcome] | None:
        """Do the same if no other writer is in the way; otherwise do nothing and return None."""

    def read(self, game: str, after: int = 0, upto: int | None = None) -> list[Recorded]:
        """Return the decoded events at positions after < p <= upto."""

    def rows(self, game: str) -> Iterator[StoredRow]:
        """Return a game's rows in storage order, even if damaged."""

    def games(self, beginning: str = "", limit: int | None = None) -> list[str]:
        """Return the IDs of all games with this prefix, or of the oldest `limit`, oldest first."""

    def notifications(
        self, after: int, names: Sequence[str], upto: int | None = None, limit: int = ...
    ) -> list[tuple[int, Recorded]]:
        """Return events of all games in commit order, each with its ID, at after < id <= upto.

        With names, return only events stored under one of them. IDs have gaps, which are never filled later.
        """

    def newest(self) -> int:
        """Return the ID of the latest event, or 0."""

    def news(self, after: int) -> News:
        """Summarize what was appended since that ID, for callers that need to know which games to check."""

    def tables(self, *, commit: bool = False) -> AbstractContextManager[Execute]:
        """Open the plain tables next to the events for one transaction: to read, or with `commit` to change atomically.

        The function runs a statement, with `?` for each value, and returns its rows.
        """

    def head(self, game: str) -> Head | None:
        """Return the game's head, or None if it has none."""

    def heads(self) -> Iterator[tuple[str, Head]]:
        """Return the heads of all games, all of one moment, oldest first."""

    def acknowledged(self) -> Mapping[str, Sequence[Kept]]:
        """Return the heads known, outside the log, to have been acknowledged, by game. Not every game has one."""

    def receipts(self, game: str, seat: str | None = None) -> list[RecordedReceipt]:
        """Return the receipts of a game, in order."""

    def receipt_rows(self, game: str) -> Iterator[StoredReceipt]:
        """Return the rows of a game's receipts by number, even if damaged."""

    def block(self, digest: str) -> str:
        """Return the text of a stored block.

        Raises KeyError if there is none, DamagedLog if it does not match its digest.
        """

    def link(self, digest: bytes) -> StoredLink | None:
        """Return the link whose token has this SHA-256, or None if there is none or it has ended."""

    def links(self, game: str) -> list[StoredLink]:
        """Return all links of a game by number, including ended ones."""

    def links_ended(self, after: int | None) -> tuple[int, list[bytes]]:
        """Return how many links of all games have ended, and the digests of those that ended after the first `after`.

        With None, return only the number. A link that is committed late is never skipped.
        """

    def rebuild(self, at: datetime) -> Mended:
        """Rebuild the links from the receipts, and the open turns from the events, as of that time."""

    def rebuild_head(self, game: str) -> None:
        """Rebuild a lost or different head from the game's rows.

        Afterwards only a head saved elsewhere can show that rows were changed or removed. Raises DamagedLog if the rows
        are damaged or missing.
        """

    def flaws(self) -> list[str]:
        """Return what is wrong with the storage around the games, one line each."""

    def due(self, game: str | None = None) -> list[Due]:
        """Return the open turns of a game, or of all games, oldest first."""

    def turn_counts(self, at: datetime) -> TurnCounts:
        """Count the open turns of all games by state at that time."""

    def lease(
        self, game: str, turns: Sequence[tuple[str, int]], worker: str, at: datetime, until: datetime
    ) -> list[Due]:
        """Lease those of the given open turns that are free at `at`. Each gets a new epoch. Return those leased."""

    def release(self, game: str, seat: str, turn: int, epoch: int) -> bool:
        """Release a lease. Return False if it was no longer held."""

    def renew(self, worker: str, until: datetime) -> int:
        """Extend every lease the worker holds, including expired ones that nobody took. Return how many."""

    def version(self) -> int:
        """Return a number that changes when any process commits anything. Cheap enough to poll every 10 ms."""

    def close(self) -> None:
        """Close the database. Idempotent."""
