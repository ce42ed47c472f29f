"""Someone with the file and enough time tampers with it, with dropped triggers. `verify` finds it and says where."""

import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest
from postgres import Databases
from tampering import LENGTH, TAMPERINGS

from sottovoce.eventlog import open_log
from sottovoce.eventlog.envelope import START, envelope, leaf_hash, running_hash
from sottovoce.eventlog.errors import BadHead
from sottovoce.eventlog.heads import heads_text
from sottovoce.eventlog.kept import read_heads
from sottovoce.eventlog.log import EventLog, LinkChange, Receipt, Write
from sottovoce.eventlog.registry import Registry
from sottovoce.eventlog.verify import Problem, all_receipts, verify, verify_all
from sottovoce.server.links import attested

AT = datetime(2026, 7, 1, 12, 30, tzinfo=UTC)
SEEDS = 400
SEEDS_ON_POSTGRES = 96


def fill(log: EventLog, write: Callable[..., Write]) -> None:
    for expected in range(0, LENGTH, 3):
        log.commit([write("g", expected, count=3, cause=expected or None), write("other", expected, count=3)])


@pytest.fixture(scope="module")
def original(
    registry: Registry, write: Callable[..., Write], empty_log: Path, tmp_path_factory: pytest.TempPathFactory
) -> Any:
    """A log of two games, one of them written by several appends, without its protections."""
    path = shutil.copy(empty_log, tmp_path_factory.mktemp("original") / "log.db")
    log = open_log(f"sqlite:///{path}", registry=registry)
    fill(log, write)
    log.close()
    with closing(sqlite3.connect(path)) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
    return path


@pytest.fixture
def tampered(original: Path, tmp_path: Path, opened: Callable[..., EventLog]) -> Any:
    """Run SQL on a copy of the original, and return the copy as a log."""

    def tamper(*statements: Any) -> Any:
        path = shutil.copy(original, tmp_path / "tampered.db")
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA synchronous = OFF")
            for statement in statements:
                connection.execute(*statement)
            connection.commit()
        return opened(path)

    return tamper


def kept_head(log: EventLog, game: str = "g", length: int | None = None) -> str:
    rows = list(log.rows(game))[:length]
    return f"{len(rows)}:{running_hash(START, [row.hash for row in rows]).hex()}"


def test_an_untouched_log_is_fine(original: Path, opened: Callable[..., EventLog]) -> None:
    log = opened(original)
    for game in ("g", "other"):
        found = verify(log, game)
        assert (found.ok, found.events, found.problems) == (True, LENGTH, ())


class Busy:
    """A log that is written to before each reading: an event, a receipt, and for a while a link.

    `receipts_at` has the number of receipts at each reading of the head.
    """

    def __init__(self, log: EventLog, write: Callable[..., Write]) -> None:
        self._log, self._write = log, write
        self.grown = 0
        self.linked = 0
        self.receipts_at: list[int] = []

    def __getattr__(self, name: str) -> Any:
        if name in ("head", "rows", "receipts", "receipt_rows", "links"):
            self.grown += 1
            ended = Receipt("core.call-ended.v1", AT, "Ada", {"call": str(self.grown), "how": "accepted"})
            link = LinkChange("issue", "seat", "Ada", self.grown.to_bytes(32, "big"))
            links = (link,) if name == "links" and self.linked < 5 else ()
            self.linked += len(links)
            head = self._log.head("g")
            assert head is not None
            self._log.commit([self._write("g", head.length, receipts=(ended,), links=links)])
            if name == "head":
                self.receipts_at.append(head.receipts + 1)
        return getattr(self._log, name)


def test_a_game_that_is_played_meanwhile_is_whole(log: EventLog, write: Callable[..., Write]) -> None:
    fill(log, write)
    busy: Any = Busy(log, write)
    for _ in range(4):
        grown = busy.grown
        found = verify(busy, "g")
        assert (found.problems, found.events) == ((), LENGTH + grown + 1)
        looks = len(busy.receipts_at)
        assert len(all_receipts(busy, "g")) == busy.receipts_at[looks]
        assert len(attested(busy, "g")) > 0
    assert busy.linked == 5


@pytest.mark.parametrize("part", range(4))
def test_every_tampering_is_found_and_located(
    original: Path, tampered: Callable[..., Any], opened: Callable[..., EventLog], part: int
) -> None:
    rows = list(opened(original).rows("g"))
    for seed in range(part, SEEDS, 4):
        statements, places = TAMPERINGS[seed % len(TAMPERINGS)](random.Random(seed), rows)
        log = tampered(*statements)
        located = {problem.position for problem in verify(log, "g").problems}
        assert places <= located, (seed, statements)
        assert verify(log, "other").ok
        log.close()


@pytest.fixture(scope="module")
def in_postgres(databases: Databases, registry: Registry, write: Callable[..., Write]) -> Iterator[Any]:
    """The same two games in PostgreSQL, without protections, and a way to tamper with their original state."""
    tables = ("events", "heads")
    with databases.log() as url:
        log = open_log(url, registry=registry)
        fill(log, write)
        with psycopg.connect(url, autocommit=True) as connection:
            for table, trigger in connection.execute(
                "SELECT tgrelid::regclass::text, tgname FROM pg_trigger WHERE NOT tgisinternal"
            ).fetchall():
                connection.execute(f"DROP TRIGGER {trigger} ON {table}")
            for table in tables:
                connection.execute(f"CREATE TABLE original_{table} AS TABLE {table}")

            def tamper(*statements: Any) -> Any:
                with connection.transaction():
                    for table in tables:
                        connection.execute(f"TRUNCATE {table}")
                        connection.execute(f"INSERT INTO {table} SELECT * FROM original_{table}")
                    for statement, *values in statements:
                        connection.execute(statement.replace("?", "%s"), *values)
                return log

            yield tamper
        log.close()


def test_every_tampering_in_postgres_is_found_and_located(in_postgres: Callable[..., Any]) -> None:
    rows = list(in_postgres().rows("g"))
    assert verify(in_postgres(), "g").ok
    for seed in range(SEEDS_ON_POSTGRES):
        statements, places = TAMPERINGS[seed % len(TAMPERINGS)](random.Random(seed), rows)
        try:
            log = in_postgres(*statements)
        except psycopg.DataError:
            assert "\\x00" in repr(statements)
            continue
        located = {problem.position for problem in verify(log, "g").problems}
        assert places <= located, (seed, statements)
        assert verify(log, "other").ok


GARBAGE_IN_POSTGRES: dict[str, list[Any]] = {
    "bigint": [None, 0, -5, 3, 2**63 - 1],
    "text": [None, "", "x", "everyone"],
    "bytea": [None, b"", b"\xff\xfe", b"\x00" * 32, b"1" * 16],
}


@pytest.mark.parametrize("seed", range(20))
def test_no_garbage_in_postgres_makes_it_fail(in_postgres: Callable[..., Any], seed: int) -> None:
    random_ = random.Random(seed)
    kinds = {"body": "bytea", "salt": "bytea", "hash": "bytea", "position": "bigint", "at": "bigint", "cause": "bigint"}
    loose = [
        *(f"ALTER TABLE events ALTER {column} DROP NOT NULL" for column in COLUMNS),
        *(f"ALTER TABLE heads ALTER {column} DROP NOT NULL" for column in ("length", "hash")),
        *(f"ALTER TABLE events DROP CONSTRAINT IF EXISTS events_{name}" for name in ("salt_length", "hash_length")),
        "ALTER TABLE events DROP CONSTRAINT IF EXISTS events_game_position",
    ]
    changes = []
    for _ in range(20):
        column = random_.choice(COLUMNS)
        value = random_.choice(GARBAGE_IN_POSTGRES[kinds.get(column, "text")])
        changes.append((f"UPDATE events SET {column} = ? WHERE id = ?", (value, random_.randint(1, 2 * LENGTH))))
    log = in_postgres(*((statement,) for statement in loose), *changes, ("UPDATE heads SET length = NULL",))
    assert not verify(log, "g").ok
    assert not verify(log, "g", "3:" + "0" * 64).ok


def rewritten(original: Path, opened: Callable[..., EventLog], position: int) -> Any:
    """Return the statements of someone who also corrects the hash of the event they changed."""
    row = list(opened(original).rows("g"))[position - 1]
    forged = row._replace(body=b'{"seat":"Ada","turn":1,"choice":null,"text":"I never said that."}')
    leaf = leaf_hash(forged.salt, envelope(*forged[:9]))
    where = "WHERE game = 'g' AND position = ?"
    return [(f"UPDATE events SET body = ?, hash = ? {where}", (forged.body, leaf, position))], leaf


def test_a_change_with_its_hash_mended_does_not_lead_to_the_head(
    original: Path, opened: Callable[..., EventLog], tampered: Callable[..., Any]
) -> None:
    statements, _ = rewritten(original, opened, 5)
    assert verify(tampered(*statements), "g").problems == (Problem(None, "the events do not match the head"),)


def test_only_a_head_kept_elsewhere_tells_when_the_head_is_mended_too(
    original: Path, opened: Callable[..., EventLog], tampered: Callable[..., Any]
) -> None:
    kept, earlier = kept_head(opened(original)), kept_head(opened(original), length=4)
    statements, leaf = rewritten(original, opened, 5)
    leaves = [row.hash for row in opened(original).rows("g")]
    leaves[4] = leaf
    log = tampered(*statements, ("UPDATE heads SET hash = ? WHERE game = 'g'", (running_hash(START, leaves),)))
    assert verify(log, "g").ok
    assert [problem.what for problem in verify(log, "g", kept).problems] == [
        f"events 1 to {LENGTH} do not match the head you gave"
    ]
    assert verify(log, "g", earlier).ok


def test_a_game_cut_short_together_with_its_head_is_found_by_a_head_kept_elsewhere(
    original: Path, opened: Callable[..., EventLog], tampered: Callable[..., Any]
) -> None:
    kept, earlier = kept_head(opened(original)), kept_head(opened(original), length=9)
    leaves = [row.hash for row in opened(original).rows("g")][:9]
    log = tampered(
        ("DELETE FROM events WHERE game = 'g' AND position > 9",),
        ("UPDATE heads SET length = 9, hash = ? WHERE game = 'g'", (running_hash(START, leaves),)),
    )
    assert verify(log, "g").ok
    assert verify(log, "g", earlier).ok
    (problem,) = verify(log, "g", kept).problems
    assert problem == Problem(10, f"is missing, and so is everything up to {LENGTH} (by the head you gave)")
    assert not verify(log, "g", kept.split(":")[1]).ok


def test_a_head_of_any_length_is_recognised(original: Path, opened: Callable[..., EventLog]) -> None:
    log = opened(original)
    for length in range(LENGTH + 1):
        kept = kept_head(log, length=length)
        assert verify(log, "g", kept).ok
        assert verify(log, "g", kept.split(":")[1].upper()).ok
        wrong = kept_head(log, "other", length=length)
        assert verify(log, "g", wrong).ok == (length == 0)


@pytest.mark.parametrize(
    "head", ["", "12", "12:", "12:abc", ":" + "0" * 64, "x:" + "0" * 64, "-1:" + "0" * 64, "0" * 63]
)
def test_a_head_of_another_form_is_wrong_usage(original: Path, opened: Callable[..., EventLog], head: str) -> None:
    with pytest.raises(BadHead) as caught:
        verify(opened(original), "g", head)
    assert caught.value.exit_code == 2


def test_a_lost_head_is_found(tampered: Callable[..., Any]) -> None:
    log = tampered(("DELETE FROM heads WHERE game = 'g'",))
    assert verify(log, "g").problems == (Problem(None, "the game has no head"),)


def test_a_game_without_events_is_found(tampered: Callable[..., Any]) -> None:
    log = tampered(("DELETE FROM events WHERE game = 'g'",))
    assert verify(log, "g").problems == (Problem(1, f"is missing, and so is everything up to {LENGTH}"),)


def test_a_game_that_nobody_played_has_no_head(original: Path, opened: Callable[..., EventLog]) -> None:
    assert verify(opened(original), "nobody").problems == (Problem(None, "the game has no head"),)


GARBAGE = [None, 0, -5, 3, 2**63 - 1, 1.5, "", "x", "\x00", b"", b"\xff\xfe", b"\x00" * 32, b"1" * 16]
LOOSE = [
    (statement,)
    for table in ("events", "heads")
    for statement in (
        f"CREATE TABLE loose AS SELECT * FROM {table}",
        f"DROP TABLE {table}",
        f"ALTER TABLE loose RENAME TO {table}",
    )
]
COLUMNS = ("position", "append", "name", "at", "actor", "audience", "cause", "body", "salt", "hash")


@pytest.mark.parametrize("seed", range(60))
def test_no_garbage_makes_it_fail(tampered: Callable[..., Any], seed: int) -> None:
    random_ = random.Random(seed)
    changes = [
        (
            f"UPDATE events SET {random_.choice(COLUMNS)} = {random_.choice(['?', 'CAST(? AS TEXT)'])} WHERE rowid = ?",
            (random_.choice(GARBAGE), random_.randint(1, 2 * LENGTH)),
        )
        for _ in range(20)
    ]
    head = (f"UPDATE heads SET {random_.choice(['length', 'hash'])} = ?", (random_.choice(GARBAGE),))
    log = tampered(*LOOSE, *changes, head)
    assert not verify(log, "g").ok
    assert not verify(log, "g", "3:" + "0" * 64).ok


def test_an_event_stored_out_of_order_is_told(tampered: Callable[..., Any]) -> None:
    swap = "UPDATE events SET id = ? WHERE id = ?"
    log = tampered((swap, (-1, 1)), (swap, (1, 3)), (swap, (3, -1)))
    assert [problem.what for problem in verify(log, "g").problems] == ["comes after later events"] * 2


def test_every_game_is_held_against_the_heads_that_were_kept(log: EventLog, write: Callable[..., Write]) -> None:
    fill(log, write)
    lines = list(heads_text(log))
    assert lines == [f"{game} {head}\n" for game, head in log.heads()]
    assert [(game, str(head)) for game, head in log.heads()] == [(game, str(log.head(game))) for game in log.games()]
    ended = Receipt("core.call-ended.v1", AT, "Ada", {"call": "1", "how": "accepted"})
    log.commit([write("g", LENGTH, receipts=(ended,)), write("later")])
    lines += [*heads_text(log), f"gone 3+0:{'1' * 64}\n"]
    lines += [f"other {LENGTH + 1}+0:{'1' * 64}\n"]
    found = dict(verify_all(log, read_heads(lines, "here")))
    fates = {game: one.fate for game, one in found.items()}
    assert fates == {"g": "agrees", "other": "went back", "later": "agrees", "gone": "disappeared", None: None}
    assert found["other"].problems == (Problem(LENGTH + 1, "is missing (by the head in line 7 of here)"),)
    assert found["gone"].problems == (Problem(None, "the game is gone (by the head in line 6 of here)"),)
    swapped = [line.replace("g ", "other ", 1) for line in lines[:1]]
    found = dict(verify_all(log, read_heads(swapped, "here")))
    assert {game: one.fate for game, one in found.items()} == {"g": None, "other": "changed", "later": None, None: None}
