"""The audit depends on receipts: every change to them, or to the texts they name, is found."""

from __future__ import annotations

import random
import shutil
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import postgres
import psycopg
import pytest
from alembic import command
from heads import head_of
from sizes import sized
from sqlalchemy import create_engine
from tampering import RECEIPT_TAMPERINGS, Statements

from sottovoce import eventlog
from sottovoce.eventlog import open_log
from sottovoce.eventlog.envelope import START, head_hash, origin_hash, receipt_envelope, receipt_leaf, running_hash
from sottovoce.eventlog.errors import DamagedLog
from sottovoce.eventlog.log import EventLog, Receipt, Write
from sottovoce.eventlog.registry import Registry
from sottovoce.eventlog.revisions import configuration
from sottovoce.eventlog.verify import Problem, Verification, all_receipts, text_of, verify, verify_all

AT = datetime(2026, 7, 1, 12, tzinfo=UTC)
WRITES = 6
SEEDS = sized(96, 1000)
SEEDS_ON_POSTGRES = sized(32, 320)

Tamper = Callable[[Statements], EventLog]


def fill(log: EventLog, write: Callable[..., Write]) -> None:
    """Write two games with two receipts per write: `g` in its own times, `other` at other times."""
    for expected in range(WRITES):
        for game, hours in (("g", 0), ("other", 1)):
            at = AT + timedelta(hours=hours, minutes=expected)
            seat = ("Ada", "Bram", "Cleo")[expected % 3]
            texts = (f"You are {seat}.", f"It is {game}, turn {expected}.")
            receipts = (
                Receipt("core.handed-over.v1", at, seat, {"call": f"{game}{expected}", "to": expected}, texts),
                Receipt("core.call-ended.v1", at, seat, {"call": f"{game}{expected}", "how": "accepted"}),
            )
            log.commit([write(game, expected, receipts=receipts)])


@pytest.fixture(scope="module")
def original(registry: Registry, write: Callable[..., Write], empty_log: Path, tmp_path_factory: Any) -> Path:
    """A file with the two games, without its protections."""
    path = Path(shutil.copy(empty_log, tmp_path_factory.mktemp("original") / "log.db"))
    log = open_log(f"sqlite:///{path}", registry=registry)
    fill(log, write)
    log.close()
    with closing(sqlite3.connect(path)) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
    return path


@pytest.fixture
def in_sqlite(original: Path, tmp_path: Path, opened: Callable[..., EventLog]) -> Tamper:
    def tamper(statements: Statements) -> EventLog:
        path = Path(shutil.copy(original, tmp_path / "tampered.db"))
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA synchronous = OFF")
            for statement, values in statements:
                connection.execute(statement, values)
            connection.commit()
        return opened(path)

    return tamper


@pytest.fixture(scope="module")
def in_postgres(databases: postgres.Databases, registry: Registry, write: Callable[..., Write]) -> Iterator[Tamper]:
    tables = ("events", "receipts", "blocks", "heads")
    with databases.log() as url:
        log = open_log(url, registry=registry)
        fill(log, write)
        with psycopg.connect(url, autocommit=True) as connection:
            for table, trigger in connection.execute(
                "SELECT tgrelid::regclass::text, tgname FROM pg_trigger WHERE NOT tgisinternal"
            ).fetchall():
                connection.execute(f"DROP TRIGGER {trigger} ON {table}".encode())
            for table in tables:
                connection.execute(f"CREATE TABLE original_{table} AS TABLE {table}".encode())

            def tamper(statements: Statements) -> EventLog:
                with connection.transaction():
                    for table in tables:
                        connection.execute(f"TRUNCATE {table}".encode())
                        connection.execute(f"INSERT INTO {table} SELECT * FROM original_{table}".encode())
                    for statement, values in statements:
                        connection.execute(statement.replace("?", "%s").encode(), values)
                return log

            yield tamper
        log.close()


@pytest.fixture(params=["sqlite", "postgres"])
def tampered(request: pytest.FixtureRequest) -> Tamper:
    """Run SQL with dropped triggers on the two original games, and return the log."""
    found: Tamper = request.getfixturevalue(f"in_{request.param}")
    return found


def test_every_tampering_with_receipts_is_found_and_located(tampered: Tamper, request: pytest.FixtureRequest) -> None:
    log = tampered([])
    rows = list(log.receipt_rows("g"))
    assert len(rows) == 2 * WRITES
    for game in ("g", "other"):
        found = verify(log, game)
        assert (found.ok, found.receipts, found.taken_over) == (True, 2 * WRITES, 0)
    log.close() if "sqlite" in request.node.name else None
    for seed in range(SEEDS if "sqlite" in request.node.name else SEEDS_ON_POSTGRES):
        tampering = RECEIPT_TAMPERINGS[seed % len(RECEIPT_TAMPERINGS)]
        statements, numbers = tampering(random.Random(seed), rows)
        try:
            log = tampered(statements)
        except (psycopg.DataError, psycopg.IntegrityError):
            assert "\\x00" in repr(statements)
            continue
        found = verify(log, "g")
        assert numbers <= {problem.receipt for problem in found.problems}, (seed, statements, found)
        assert all(problem.position is None for problem in found.problems)
        if "blocks SET text" in statements[0][0] or "FROM blocks" in statements[0][0]:
            digests = [digest for receipt in log.receipts("g") for digest in receipt.blocks]
            with pytest.raises(DamagedLog, match=r"is missing|is not what was delivered"):
                [text_of(log, digest) for digest in digests]
        else:
            assert verify(log, "other").ok, (seed, statements)
            with pytest.raises(DamagedLog, match="receipt"):
                all_receipts(log, "g")
        if "sqlite" in request.node.name:
            log.close()


def test_a_receipt_with_its_hash_mended_does_not_lead_to_the_head(tampered: Tamper) -> None:
    row = list(tampered([]).receipt_rows("g"))[2]
    forged = row._replace(at=row.at + 86_400_000_000)
    leaf = receipt_leaf(receipt_envelope(*forged[:7]))
    log = tampered([("UPDATE receipts SET at = ?, hash = ? WHERE game = 'g' AND number = 3", (forged.at, leaf))])
    assert verify(log, "g").problems == (Problem(None, "the receipts do not match the head"),)
    with pytest.raises(DamagedLog, match="the receipts do not match the head"):
        all_receipts(log, "g")


def test_only_a_head_kept_elsewhere_tells_when_the_head_is_mended_too(tampered: Tamper) -> None:
    log = tampered([])
    kept, rows = str(head_of(log, "g")), list(log.receipt_rows("g"))
    leaves = [row.hash for row in rows[:-2]]
    log = tampered(
        [
            ("DELETE FROM receipts WHERE game = 'g' AND number > ?", (len(leaves),)),
            (
                "UPDATE heads SET receipts = ?, receipts_hash = ? WHERE game = 'g'",
                (len(leaves), running_hash(START, leaves)),
            ),
        ]
    )
    assert verify(log, "g").ok
    assert verify(log, "g", kept).problems == (
        Problem(None, "is missing, and so is everything up to 12 (by the head you gave)", 11),
    )
    assert not verify(log, "g", kept.partition(":")[2]).ok


def test_a_head_of_any_lengths_is_recognised_and_so_is_one_over_the_events_alone(tampered: Tamper) -> None:
    log = tampered([])
    events, receipts = list(log.rows("g")), list(log.receipt_rows("g"))
    for length in range(WRITES + 1):
        event_hash = running_hash(START, [row.hash for row in events[:length]])
        for count in (0, length, 2 * length, len(receipts)):
            digest = head_hash(length, event_hash, count, running_hash(START, [row.hash for row in receipts[:count]]))
            for head in (f"{length}+{count}:{digest.hex()}", digest.hex()):
                assert verify(log, "g", head).ok, head
                assert (length, count) == (0, 0) or not verify(log, "other", head).ok, head
            assert not verify(log, "g", f"{length}:{digest.hex()}").ok
        for head in (f"{length}:{event_hash.hex()}", event_hash.hex()):
            assert verify(log, "g", head).ok


ORIGINAL = {"secret": b"x" * 32, "created": 7, "taken_over": 2, "origin": b"x" * 32}
"""The fields of a head that never change, and a forged value for each."""


@pytest.mark.parametrize("field", ORIGINAL)
def test_a_change_of_what_never_changes_in_a_head_is_found(tampered: Tamper, field: str) -> None:
    assert verify(tampered([]), "g").ok
    log = tampered([(f"UPDATE heads SET {field} = ? WHERE game = 'g'", (ORIGINAL[field],))])
    told = "the head's secret, time of creation or number taken over was changed"
    assert verify(log, "g").problems == (Problem(None, told),)
    assert verify(log, "other").ok


@pytest.mark.parametrize("field", ["secret", "created", "taken_over"])
def test_a_head_kept_elsewhere_tells_when_its_hash_is_mended_too(tampered: Tamper, field: str) -> None:
    log = tampered([])
    kept = head_of(log, "g")
    given = {"secret": b"s" * 32, "created": 1, "taken_over": 0}
    sets = "UPDATE heads SET secret = ?, created = ?, taken_over = ?, origin = ? WHERE game = 'g'"

    def as_if(fields: dict[str, Any]) -> EventLog:
        values = (fields["secret"], fields["created"], fields["taken_over"])
        return tampered([(sets, (*values, origin_hash("g", *values)))])

    log = as_if(given)
    kept = head_of(log, "g")
    assert verify(log, "g", str(kept)).ok
    log = as_if({**given, field: ORIGINAL[field]})
    assert verify(log, "g").ok, "its own head agrees"
    what = f"events 1 to {WRITES} and receipts 1 to {2 * WRITES} do not match the head you gave"
    assert verify(log, "g", str(kept)).problems == (Problem(None, what),)
    assert not verify(log, "g", str(kept).partition(":")[2]).ok
    before = head_hash(kept.length, kept.hash, kept.receipts, kept.receipts_hash)
    assert verify(log, "g", f"{kept.length}+{kept.receipts}:{before.hex()}").ok, "a head of before covers no origin"


GARBAGE = [None, 0, -5, 3, 2**63 - 1, 1.5, "", "x", "[]", "\x00", b"", b"\xff\xfe", b"\x00" * 32, b"1" * 16]
LOOSE: Statements = [
    (statement, ())
    for table in ("receipts", "heads", "blocks")
    for statement in (
        f"CREATE TABLE loose AS SELECT * FROM {table}",
        f"DROP TABLE {table}",
        f"ALTER TABLE loose RENAME TO {table}",
    )
]


@pytest.mark.parametrize("seed", range(40))
def test_no_garbage_makes_it_fail(in_sqlite: Tamper, seed: int) -> None:
    random_ = random.Random(seed)
    changes: Statements = [
        (
            f"UPDATE receipts SET {random_.choice(['number', 'name', 'at', 'seat', 'data', 'blocks', 'hash'])} = "
            f"{random_.choice(['?', 'CAST(? AS TEXT)'])} WHERE rowid = ?",
            (random_.choice(GARBAGE), random_.randint(1, 4 * WRITES)),
        )
        for _ in range(12)
    ]
    column = random_.choice(["receipts", "receipts_hash", "taken_over", "secret", "created", "origin"])
    head = (f"UPDATE heads SET {column} = ? WHERE game = 'g'", (random_.choice(GARBAGE),))
    text = ("UPDATE blocks SET text = ? WHERE rowid = 2", (random_.choice(GARBAGE),))
    log = in_sqlite([*LOOSE, *changes, head, text])
    assert not verify(log, "g").ok
    assert not verify(log, "g", "3+2:" + "0" * 64).ok
    with pytest.raises(DamagedLog):
        all_receipts(log, "g")


# The schema of the first version: the content of a log of that time.
EVENT = (
    "INSERT INTO events (game, position, append, name, at, actor, audience, cause, body, salt, hash) "
    "VALUES (?,?,?,?,?,?,?,?,?,?,?)"
)
RECEIPT = "INSERT INTO receipts (game, number, name, at, seat, data, blocks) VALUES (?,?,?,?,?,?,?)"
HEAD = "INSERT INTO heads (game, length, hash, secret, created, receipts) VALUES (?,?,?,?,?,?)"
BLOCK = "INSERT INTO blocks (digest, text) VALUES (?,?)"


def as_the_first_schema_had_it(log: EventLog) -> Statements:
    """Return the statements that store the content of `log` in a log of the first schema."""
    statements: Statements = []
    for game in log.games():
        receipts = list(log.receipt_rows(game))
        head = head_of(log, game)
        statements += [(EVENT, tuple(row)) for row in log.rows(game)]
        statements += [(RECEIPT, row[:7]) for row in receipts]
        statements.append((HEAD, (game, head.length, head.hash, b"s" * 32, 1, head.receipts)))
    texts = {digest for game in log.games() for receipt in log.receipts(game) for digest in receipt.blocks}
    return statements + [(BLOCK, (bytes.fromhex(d), zlib.compress(log.block(d).encode()))) for d in texts]


@pytest.fixture(params=["sqlite", "postgres"])
def first_schema(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, Callable[[Statements], None]]]:
    """Yield the address of an empty log of the first schema, and a way to run statements on it."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path / 'first.db'}"
        upgrade_to_first(url)

        def run(statements: Statements) -> None:
            with closing(sqlite3.connect(tmp_path / "first.db")) as connection:
                for statement, values in statements:
                    connection.execute(statement, values)
                connection.commit()

        yield url, run
        return
    databases: postgres.Databases = request.getfixturevalue("databases")
    with databases.empty() as url:
        upgrade_to_first(url.replace("postgresql://", "postgresql+psycopg://"))

        def run_there(statements: Statements) -> None:
            with psycopg.connect(url) as connection:
                for statement, values in statements:
                    connection.execute(statement.replace("?", "%s").encode(), values)

        yield url, run_there


def upgrade_to_first(url: str) -> None:
    engine = create_engine(url)
    with engine.begin() as connection:
        config = configuration()
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
    engine.dispose()


def test_receipts_of_the_first_schema_are_taken_under_the_head(
    first_schema: tuple[str, Callable[[Statements], None]], registry: Registry, write: Callable[..., Write]
) -> None:
    url, run = first_schema
    model = open_log("memory:", registry=registry)
    fill(model, write)
    model.commit([write("silent")])
    run(as_the_first_schema_had_it(model))
    eventlog.upgrade(url)
    log = open_log(url, registry=registry)
    assert log.games() == model.games()
    for game in ("g", "other", "silent"):
        assert list(log.rows(game)) == list(model.rows(game))
        assert list(log.receipt_rows(game)) == list(model.receipt_rows(game))
        head, before = head_of(log, game), head_of(model, game)
        assert (head.length, head.hash, head.receipts, head.receipts_hash) == (
            *(before.length, before.hash),
            *(before.receipts, before.receipts_hash),
        )
        assert head.original
        assert head.taken_over == head.receipts == before.receipts
        found = verify(log, game, f"{before.length}:{before.hash.hex()}")
        assert (found.ok, found.taken_over) == (True, before.receipts), "a head of that time still counts"
    assert [
        finding for finding in eventlog.check(url) if "owns the log" not in finding and "superuser" not in finding
    ] == []
    receipt = Receipt("core.handed-over.v1", AT, "Ada", {}, ("Another text.",))
    log.commit([write("g", WRITES, receipts=(receipt,))])
    found = verify(log, "g")
    assert (found.ok, found.receipts, found.taken_over) == (True, 13, 12)
    log.close()
    for statement in ("UPDATE receipts SET seat = 'Bram'", "DELETE FROM receipts", "UPDATE heads SET taken_over = 13"):
        with pytest.raises((sqlite3.IntegrityError, psycopg.IntegrityError)):
            run([(statement, ())])


def test_receipts_that_were_gone_before_the_upgrade_are_found_after_it(
    first_schema: tuple[str, Callable[[Statements], None]], registry: Registry, write: Callable[..., Write]
) -> None:
    url, run = first_schema
    model = open_log("memory:", registry=registry)
    fill(model, write)
    stored = as_the_first_schema_had_it(model)
    run([(statement, values) for statement, values in stored if statement != RECEIPT or values[:2] < ("g", 9)])
    eventlog.upgrade(url)
    log = open_log(url, registry=registry)
    assert verify(log, "g").problems == (Problem(None, "is missing, and so is everything up to 12", 9),)
    log.close()


def test_rows_of_no_game_are_a_flaw_of_the_storage(tampered: Tamper) -> None:
    log = tampered([])
    assert log.flaws() == []
    assert list(verify_all(log))[-1] == (None, Verification(0, ()))
    copy = "SELECT 'stray', number, name, at, seat, data, blocks, hash FROM receipts WHERE game = 'g' AND number = 1"
    columns = "append, name, at, actor, audience, cause, body, salt, hash"
    log = tampered(
        [
            (f"INSERT INTO receipts {copy}", ()),
            (
                f"INSERT INTO events (game, position, {columns}) SELECT 'lost', 1, {columns} FROM events "
                "WHERE game = 'g' AND position = 1",
                (),
            ),
        ]
    )
    assert log.flaws() == [
        "there are events of lost, but no such game",
        "there are receipts of stray, but no such game",
    ]
    assert [(game, found.ok) for game, found in verify_all(log)] == [("g", True), ("other", True), (None, False)]
