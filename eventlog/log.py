"""What a log is: the types that go in and out, and the protocol that every backend keeps.

A `Write` is all that one decision changes: its events, the turns it opens and closes, receipts and links. It is stored
whole or not at all. Many writes, of many games, may share one transaction; each succeeds or fails by itself.
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
    """An open turn, as the workers see it: whom to ask, since when, and when the present attempt's time runs out.

    `epoch` counts the leases and new attempts so far; `worker` holds a lease until `leased_until`, or is None.
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
        """Whether nobody has a lease at that time. One without an end, or longer than a lease can be, is none."""
        if self.worker is None or self.leased_until is None:
            return True
        return not at < self.leased_until <= at + longest_lease(self.worker)


class TurnChange(msgspec.Struct, frozen=True, gc=False):
    """What a write does to one turn's obligation: opens it, starts its next attempt, or closes it.

    With `epoch`, the change is made only if that is still the turn's epoch, else the whole write is `LeaseLost`; so it
    is, with or without an epoch, when the turn is not open. With `worker`, the turn is leased to it until
    `leased_until` in the same transaction, so that whoever opens a turn and will answer it needs no second one: an
    opened turn then has epoch 1 (else 0). A retry always takes the next epoch, which ends an earlier lease, and without
    `worker` leaves the turn to anybody.
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
    """What a write does to one link of its game. The log states it in a receipt of its own, in the same transaction.

    - `issue`: a new link, by the SHA-256 of its token, with the game's next number; the one that was there for the same
      kind and seat (empty where it is no seat's) has ended. Issuing what was issued before has no effect.
    - `claim`, `end`: of the link with that `number`. No effect where there is none or it has ended, nor is a link
      claimed twice.
    """

    what: Literal["issue", "claim", "end"]
    kind: str = ""
    seat: str = ""
    digest: bytes = b""
    number: int = 0


LINK_ISSUED: Final = "core.link-issued.v1"
LINK_CLAIMED: Final = "core.link-claimed.v1"
LINK_ENDED: Final = "core.link-ended.v1"
FORKED: Final = "core.forked.v1"


class Receipt(msgspec.Struct, frozen=True, gc=False):
    """A record of something handed to an agent, of how the call ended, of a link or a fork. Kept apart from the events.

    `blocks` are the texts handed over, each distinct one stored once and compressed; `data` is plain JSON.
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
    ]
    at: datetime
    seat: str
    data: dict[str, Any]
    blocks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordedReceipt:
    """A receipt as stored. `number` counts from 1 in one game; `blocks` are SHA-256 hex digests, in order.

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

    `append` is unique; a write repeated after a failure whose outcome was unknown is recognised by it and gives the
    first result. `cause` is the position that the first event reacts to; the others react to the first.
    `stored`, used by import and fork alone, gives ready events instead of drafts: names, times, actors, audiences,
    causes, bodies and append ids are kept as they are, and so are salts where they are not empty; where salt and hash
    are both given, the hash must fit. Their positions must follow `expected`.
    A write without events (receipts, a turn's next attempt) contends for no position: its `expected` is not looked at,
    and repeating it repeats its receipts.
    The receipts of `links` are made by the log, and follow those that are given.
    `after` is the append id of the write before it in the same batch, on whose events this one was decided: it is
    appended behind that one or not at all.
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
    """A link as it lies in the database; times are in microseconds since 1970 in UTC.

    `number` counts from 1 in one game. `ending` counts the links of all games that have ended, in the order of commits.
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
    """The write is durable. `links` are those that it changed, as it left them: ended ones, then the others."""

    events: tuple[Recorded, ...]
    links: tuple[StoredLink, ...] = ()


@dataclass(frozen=True, slots=True)
class Conflict:
    """Somebody else appended first: nothing was written; read on from `expected` and decide again."""

    length: int


@dataclass(frozen=True, slots=True)
class LeaseLost:
    """The turn is closed or leased to somebody else: nothing was written."""

    seat: str
    turn: int


@dataclass(frozen=True, slots=True)
class Failed:
    """The write is wrong in itself, or its game's rows contradict its head: nothing was written, others go on."""

    error: SottovoceError


Outcome = Appended | Conflict | LeaseLost | Failed


@dataclass(frozen=True, slots=True)
class Head:
    """A game's length and the running hash over its events' leaves; the same of its receipts.

    The first `taken_over` receipts were there before receipts stood under a head. What befell them until the log was
    upgraded, nothing tells. `origin` is the hash over what never changes: the game, the secret of its salts, when it
    was created, and `taken_over`; `original` says whether they still have that hash. `str()` is the head as it is kept
    elsewhere: EVENTS+RECEIPTS:HEX, one hash over all of it.
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
        """The head that lies in the database like this, in whatever state."""
        try:
            made = origin_hash(stored.game, stored.secret, stored.created or 0, taken_over)
        except (TypeError, struct.error):
            made = None
        return cls(*stored[1:5], taken_over, stored.origin, made == stored.origin)

    def __str__(self) -> str:
        digest = head_hash(self.length, self.hash, self.receipts, self.receipts_hash, self.origin)
        return f"{self.length}+{self.receipts}:{digest.hex()}"


class StoredRow(NamedTuple):
    """An event as it lies in the database, undecoded and unchecked: where somebody tampered, a field may hold anything.

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
"""The columns of a `StoredRow`, in its order: a bare tuple is made several times as fast."""


class StoredReceipt(NamedTuple):
    """A receipt as it lies in the database, undecoded and unchecked.

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
    """An open turn as it lies in the database: a `Due` with its times in microseconds since 1970 in UTC."""

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
    """A head as it lies in the database: with the secret of the game's salts, when the game was created, and the hash
    over these.
    """

    game: str
    length: int = 0
    hash: bytes = START
    receipts: int = 0
    receipts_hash: bytes = START
    secret: bytes = b""
    created: int | None = None
    origin: bytes = b""


Execute = Callable[..., Sequence[tuple[Any, ...]]]
"""Runs a statement with its values, and gives its rows."""


class News(NamedTuple):
    """The highest id of an event, and how long each game is that was appended to."""

    newest: int
    lengths: dict[str, int]

    @classmethod
    def of(cls, after: int, rows: Iterable[tuple[str, int, int]]) -> News:
        """From games, each with its last position and the id of that."""
        found = list(rows)
        return cls(max((row[2] for row in found), default=after), {row[0]: row[1] for row in found})


class TurnCounts(NamedTuple):
    """Open turns: how many there are, are past their limit, are leased, and have a lease that has lapsed."""

    open: int = 0
    overdue: int = 0
    leased: int = 0
    lapsed: int = 0


class Mended(NamedTuple):
    """In how many games something was not what it follows from: links, open turns."""

    links: int = 0
    turns: int = 0


class EventLog(Protocol):
    """An append-only log of games. Synchronous, and safe to call from any thread.

    Every method may raise one of `eventlog.errors`, `DiskFull` and `ReadOnlyLog` among them; after an error from
    `commit` nothing is acknowledged, and the same writes may be given again.
    """

    @property
    def notices(self) -> Sequence[str]:
        """What was found to be lost when the log was opened, each in one line for whoever operates it."""

    @property
    def waits(self) -> Durations:
        """How long this process waited for others to let it write, each time."""

    @property
    def blocking(self) -> bool:
        """Whether `commit` waits for a disk or a server, so that an event loop had better call it from a thread."""

    def commit(self, writes: Sequence[Write]) -> list[Outcome]:
        """Store the writes in one durable transaction, a savepoint around each, and give each its outcome in order."""

    def commit_at_once(self, writes: Sequence[Write]) -> list[Outcome] | None:
        """The same where it need not wait for another writer; None, and nothing done, where it would."""

    def read(self, game: str, after: int = 0, upto: int | None = None) -> list[Recorded]:
        """The events at positions after < p <= upto, decoded."""

    def rows(self, game: str) -> Iterator[StoredRow]:
        """The rows of a game in storage order, whatever state they are in."""

    def games(self, beginning: str = "", limit: int | None = None) -> list[str]:
        """The ids of all games that begin so, or of the oldest `limit` of them, oldest first."""

    def notifications(
        self, after: int, names: Sequence[str], upto: int | None = None, limit: int = ...
    ) -> list[tuple[int, Recorded]]:
        """Events of all games in the order of their commits, each with its id, at after < id <= upto.

        Only those stored under one of the names, or all where there is none. Ids have gaps, and none is filled later.
        """

    def newest(self) -> int:
        """The id of the last event of all, 0 where there is none."""

    def news(self, after: int) -> News:
        """What was appended since that id, in short: for who has to know which games to look at, and not why."""

    def tables(self, *, commit: bool = False) -> AbstractContextManager[Execute]:
        """The plain tables beside the events, for one transaction: to read, or with `commit` to change as a whole.

        The function runs a statement, with `?` for each value, and gives its rows.
        """

    def head(self, game: str) -> Head | None:
        """The game's head, or None where it has none."""

    def heads(self) -> Iterator[tuple[str, Head]]:
        """The heads of all games, all of one moment, oldest first."""

    def acknowledged(self) -> Mapping[str, Sequence[Kept]]:
        """The heads that are known, beside the log, to have been acknowledged, by game. Not of every game."""

    def receipts(self, game: str, seat: str | None = None) -> list[RecordedReceipt]:
        """The receipts of a game, in order."""

    def receipt_rows(self, game: str) -> Iterator[StoredReceipt]:
        """The rows of a game's receipts in order of their numbers, whatever state they are in."""

    def block(self, digest: str) -> str:
        """The text of a stored block; KeyError if there is none, DamagedLog if it is not the text of that digest."""

    def link(self, digest: bytes) -> StoredLink | None:
        """The link whose token has this SHA-256; None where there is none, and where it has ended."""

    def links(self, game: str) -> list[StoredLink]:
        """All links of a game by their numbers, ended ones included."""

    def links_ended(self, after: int | None) -> tuple[int, list[bytes]]:
        """How many links of all games have ended, and the digests of those that did since there were `after`.

        With None, only how many. None that is committed late is ever passed over.
        """

    def rebuild(self, at: datetime) -> Mended:
        """Make the links what the receipts say, and the open turns what the events say at that time."""

    def rebuild_head(self, game: str) -> None:
        """Make a head what the game's rows lead to, where it is lost or says otherwise.

        Afterwards nothing but a head kept elsewhere tells that rows were changed or removed. DamagedLog where the rows
        are not whole in themselves, or there are none.
        """

    def flaws(self) -> list[str]:
        """What is wrong with the storage beside its games, each in one line."""

    def due(self, game: str | None = None) -> list[Due]:
        """The open turns of a game, or of all games, oldest first."""

    def turn_counts(self, at: datetime) -> TurnCounts:
        """How the open turns of all games stand at that time."""

    def lease(
        self, game: str, turns: Sequence[tuple[str, int]], worker: str, at: datetime, until: datetime
    ) -> list[Due]:
        """Lease those of the open turns given that nobody holds at `at`; each gets a new epoch. Gives those leased."""

    def release(self, game: str, seat: str, turn: int, epoch: int) -> bool:
        """Hand a lease back; False if it was no longer held."""

    def renew(self, worker: str, until: datetime) -> int:
        """Prolong every lease that the worker holds, lapsed ones that nobody took over included; how many."""

    def version(self) -> int:
        """A number that changes when any process commits anything; cheap enough to poll every 10 ms."""

    def close(self) -> None:
        """Release the database. Idempotent."""
