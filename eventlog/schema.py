"""The tables of a log, for both backends. The migrations create them, and a test requires that the two agree.

Times are in microseconds since 1970 in UTC. Triggers in the migrations make `events`, `receipts` and `blocks`
append-only. `heads` only grows. The other tables follow from the events and the receipts, except `batches`, and can
change freely.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    text,
)

metadata = MetaData()

_Number = BigInteger().with_variant(Integer, "sqlite")

events = Table(
    "events",
    metadata,
    Column("id", _Number, primary_key=True, autoincrement=True),
    Column("game", Text, nullable=False),
    Column("position", _Number, nullable=False),
    Column("append", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("at", _Number, nullable=False),
    Column("actor", Text),
    Column("audience", Text, nullable=False),
    Column("cause", _Number),
    Column("body", LargeBinary, nullable=False),
    Column("salt", LargeBinary, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    UniqueConstraint("game", "position", name="events_game_position"),
    CheckConstraint("length(salt) = 16", name="events_salt_length"),
    CheckConstraint("length(hash) = 32", name="events_hash_length"),
    sqlite_autoincrement=True,
    sqlite_strict=True,
)
"""One row per event. `id` numbers the events of all games in commit order."""

receipts = Table(
    "receipts",
    metadata,
    Column("game", Text, nullable=False),
    Column("number", _Number, nullable=False),
    Column("name", Text, nullable=False),
    Column("at", _Number, nullable=False),
    Column("seat", Text, nullable=False),
    Column("data", Text, nullable=False),
    Column("blocks", LargeBinary),
    Column("hash", LargeBinary, nullable=False),
    PrimaryKeyConstraint("game", "number", name="receipts_game_number"),
    CheckConstraint("length(hash) = 32", name="receipts_hash_length"),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)
"""Deliveries and how calls ended. `blocks` has the SHA-256 digests of the texts, one after another."""

blocks = Table(
    "blocks",
    metadata,
    Column("digest", LargeBinary, primary_key=True, nullable=False),
    Column("text", LargeBinary, nullable=False),
    sqlite_strict=True,
)
"""Delivered texts, each once: the SHA-256 of its UTF-8 and its zlib stream."""

heads = Table(
    "heads",
    metadata,
    Column("id", _Number, primary_key=True, autoincrement=True),
    Column("game", Text, nullable=False),
    Column("length", _Number, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    Column("secret", LargeBinary, nullable=False),
    Column("created", _Number, nullable=False),
    Column("receipts", _Number, nullable=False),
    Column("receipts_hash", LargeBinary, nullable=False),
    Column("taken_over", _Number, nullable=False),
    Column("origin", LargeBinary, nullable=False),
    Column("mark", _Number),
    UniqueConstraint("game", name="heads_game"),
    CheckConstraint("length(origin) = 32", name="heads_origin_length"),
    sqlite_strict=True,
)
"""A game's length and running hash, the secret of its salts, its creation time; length and running hash of its
receipts.

The first `taken_over` receipts are older than the upgrade that put receipts under the head. `origin` is the hash over
what never changes: `game`, `secret`, `created` and `taken_over`. On PostgreSQL `mark` is the number of the last append
to the game, and the sequence `flushed` says up to which number everything is on the disk. SQLite needs neither.
"""

turns = Table(
    "turns",
    metadata,
    Column("id", _Number, primary_key=True, autoincrement=True),
    Column("game", Text, nullable=False),
    Column("seat", Text, nullable=False),
    Column("turn", _Number, nullable=False),
    Column("attempt", _Number, nullable=False),
    Column("opened_at", _Number, nullable=False),
    Column("expires", _Number),
    Column("worker", Text),
    Column("epoch", _Number, nullable=False),
    Column("leased_until", _Number),
    UniqueConstraint("game", "seat", "turn", name="turns_game_seat_turn"),
    sqlite_strict=True,
)
"""The open turns, and the worker that has the lease on each."""

links = Table(
    "links",
    metadata,
    Column("digest", LargeBinary, nullable=False),
    Column("game", Text, nullable=False),
    Column("number", _Number, nullable=False),
    Column("kind", Text, nullable=False),
    Column("seat", Text, nullable=False),
    Column("issued", _Number, nullable=False),
    Column("claimed", _Number),
    Column("ended", _Number),
    Column("ending", _Number),
    PrimaryKeyConstraint("digest", name="links_digest"),
    UniqueConstraint("game", "number", name="links_game_number"),
    UniqueConstraint("ending", name="links_ending"),
    CheckConstraint("length(digest) = 32", name="links_digest_length"),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)
"""The links, each by the SHA-256 of its token. All of it follows from the receipts, except `ending`.

`number` counts the links of a game. `seat` is empty if a link is not for a seat. `ending` counts the ended links of all
games in commit order.
"""

Index(
    "links_live",
    *(links.columns[name] for name in ("game", "kind", "seat")),
    unique=True,
    sqlite_where=text("ended IS NULL"),
    postgresql_where=text("ended IS NULL"),
)

game_summaries = Table(
    "game_summaries",
    metadata,
    Column("game", Text, primary_key=True, nullable=False),
    Column("opened", _Number, nullable=False),
    Column("ruleset", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("started", Text, nullable=False),
    Column("ended", Text),
    Column("winner", Text),
    Column("fallbacks", _Number, nullable=False),
    Column("finished", _Number, nullable=False),
    Column("person", _Number, nullable=False),
    Column("batch", Text),
    sqlite_strict=True,
)
"""A read model with one row per game. `opened` is the ID of the game's first event and the order of games.

`finished` is 1 once the game is over or aborted. `person` is 1 if a person at a terminal ever had a seat, else 0.
"""

for column in ("opened", "finished", "ruleset", "winner", "person", "batch"):
    columns = dict.fromkeys((column, "opened"))
    Index(f"game_summaries_{column}", *(game_summaries.columns[name] for name in columns))

game_seats = Table(
    "game_seats",
    metadata,
    Column("seat", Text, nullable=False),
    Column("opened", _Number, nullable=False),
    Column("game", Text, nullable=False),
    PrimaryKeyConstraint("seat", "opened", name="game_seats_seat_opened"),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)
"""A read model: the seats of every game by name."""

tracking = Table(
    "tracking",
    metadata,
    Column("application_name", Text, primary_key=True, nullable=False),
    Column("notification_id", _Number, nullable=False),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)
"""How far each read model has followed the events, as the library stores it."""

batches = Table(
    "batches",
    metadata,
    Column("name", Text, nullable=False),
    Column("number", _Number, nullable=False),
    Column("game", Text),
    Column("plan", Text, nullable=False),
    PrimaryKeyConstraint("name", "number", name="batches_name_number"),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)
"""The batches. Row 0 of each is what its games share; each further row is one game's plan and ID, as JSON."""

Index("game_summaries_status", game_summaries.columns.batch, game_summaries.columns.status)
Index("batches_game", batches.columns.game)

plain = (game_summaries, game_seats, tracking, batches)
"""The tables next to the events: what follows from the events, and what is still to be played."""
