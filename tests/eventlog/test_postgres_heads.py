"""In PostgreSQL only the owner can set a head to something that was not appended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import postgres
import psycopg
import pytest
from heads import head_of

from sottovoce import eventlog
from sottovoce.eventlog import open_log
from sottovoce.eventlog.envelope import START, running_hash
from sottovoce.eventlog.log import Appended, EventLog, Receipt, Write
from sottovoce.eventlog.registry import Registry
from sottovoce.eventlog.verify import verify

AT = datetime(2026, 7, 1, tzinfo=UTC)
RECEIPT = Receipt("core.call-ended.v1", AT, "Ada", {"call": "1", "how": "accepted"})
EVENT = "game, position, append, name, at, actor, audience, cause, body, salt, hash"
COPY = "append, name, at, actor, audience, cause, body, salt"
HEAD = "game, length, hash, secret, created, receipts, receipts_hash, taken_over, origin"
ZEROS, ONES, SECRET = (f"'\\x{byte * 32}'::bytea" for byte in ("00", "11", "22"))


def event(game: str, position: str, leaf: str) -> str:
    """Return one more event with the given leaf."""
    chosen = f"SELECT '{game}', {position}, {COPY}, {leaf} FROM events WHERE position = 1 LIMIT 1"
    return f"INSERT INTO events ({EVENT}) {chosen}"


def receipt(game: str, number: str, leaf: str) -> str:
    """Return one more receipt with the given leaf."""
    columns = "game, number, name, at, seat, data, blocks, hash"
    return f"INSERT INTO receipts ({columns}) VALUES ('{game}', {number}, 'n', 0, 'Ada', '{{}}', NULL, {leaf})"


def run(start: str, *leaves: str) -> str:
    """Return the running hash after some leaves, in SQL."""
    for leaf in leaves:
        start = f"sha256('\\x01'::bytea || ({start}) || ({leaf}))"
    return start


GROW = "UPDATE heads SET {} WHERE game = 'g'"
OTHER = "(SELECT hash FROM heads WHERE game = 'h')"
LAST = "(SELECT hash FROM events WHERE game = 'g' AND position = 3)"
ORIGIN = f"sha256('\\x0400000003'::bytea || 'new'::bytea || int8send(0) || int8send(0) || {SECRET})"
BEGIN = f"INSERT INTO heads ({HEAD}) VALUES ('new', {{}}, {SECRET}, 0, {{}}, {{}}, {ORIGIN})"

FALSE = {
    "another hash": [GROW.format(f"hash = {ONES}")],
    "the hash of another game": [GROW.format(f"hash = {OTHER}")],
    "no hash at all": [GROW.format(f"hash = {ZEROS}")],
    "an empty hash": [GROW.format("hash = ''")],
    "another hash of the receipts": [GROW.format(f"receipts_hash = {ONES}")],
    "the two hashes swapped": [GROW.format("hash = receipts_hash, receipts_hash = hash")],
    "a longer length": [GROW.format("length = length + 1")],
    "a longer length with a hash made up for it": [GROW.format(f"length = 4, hash = {run('hash', ONES)}")],
    "the last leaf counted twice": [GROW.format(f"length = 4, hash = {run('hash', LAST)}")],
    "more receipts": [GROW.format("receipts = receipts + 1")],
    "more receipts with a hash made up for them": [
        GROW.format(f"receipts = receipts + 1, receipts_hash = {run('receipts_hash', ONES)}")
    ],
    "an event and another leaf in the head": [
        event("g", "4", SECRET), GROW.format(f"length = 4, hash = {run('hash', ONES)}")
    ],
    "an event and the head's hash as it was": [event("g", "4", SECRET), GROW.format("length = 4")],
    "an event in the hash and not in the length": [
        event("g", "4", SECRET), GROW.format(f"hash = {run('hash', SECRET)}")
    ],
    "two events in one step, the other way round": [
        event("g", "4", SECRET), event("g", "5", ONES), GROW.format(f"length = 5, hash = {run('hash', ONES, SECRET)}")
    ],
    "two events, and a length of one": [
        event("g", "4", SECRET), event("g", "5", ONES), GROW.format(f"length = 4, hash = {run('hash', SECRET, ONES)}")
    ],
    "an event of another game": [
        event("h", "2", SECRET), GROW.format(f"length = 4, hash = {run('hash', SECRET)}")
    ],
    "a receipt and another leaf in the head": [
        receipt("g", "3", SECRET), GROW.format(f"receipts = 3, receipts_hash = {run('receipts_hash', ONES)}")
    ],
    "a true event beside a false receipt": [
        event("g", "4", SECRET), GROW.format(f"length = 4, hash = {run('hash', SECRET)}, receipts_hash = {ONES}")
    ],
    "one true head and one false in one statement": [
        event("g", "4", SECRET),
        f"UPDATE heads SET length = length + 1, hash = {run('hash', SECRET)}",
    ],
    "in one statement with the event": [
        f"WITH added AS ({event('g', '4', SECRET)} RETURNING 1) "
        + GROW.format(f"length = 4, hash = {run('hash', ONES)}")
    ],
    "in place of a conflict": [
        f"INSERT INTO heads ({HEAD}) SELECT {HEAD} FROM heads WHERE game = 'g'"
        f" ON CONFLICT (game) DO UPDATE SET hash = {ONES}"
    ],
    "by MERGE": [f"MERGE INTO heads USING (SELECT 1) AS x ON game = 'g' WHEN MATCHED THEN UPDATE SET hash = {ONES}"],
    "by MERGE, a new one": [
        "MERGE INTO heads USING (SELECT 1) AS x ON game = 'new' WHEN NOT MATCHED THEN "
        + BEGIN.format(f"2, {ONES}", f"0, {ZEROS}", "0").replace("INTO heads ", "")
    ],
    "a cursor": [
        "DECLARE c CURSOR FOR SELECT * FROM heads WHERE game = 'g' FOR UPDATE",
        "FETCH c",
        f"UPDATE heads SET hash = {ONES} WHERE CURRENT OF c",
    ],
    "a new game with a length": [BEGIN.format(f"3, {ZEROS}", f"0, {ZEROS}", "0")],
    "a new game with a hash": [BEGIN.format(f"0, {ONES}", f"0, {ZEROS}", "0")],
    "a new game with receipts": [BEGIN.format(f"0, {ZEROS}", f"2, {ONES}", "0")],
    "a new game with another secret than its origin's": [
        BEGIN.format(f"0, {ZEROS}", f"0, {ZEROS}", "0").replace(SECRET, ONES, 1)
    ],
    "a new game with an origin made up for it": [
        BEGIN.format(f"0, {ZEROS}", f"0, {ZEROS}", "0").replace(ORIGIN, ONES)
    ],
    "a new game with receipts from before": [BEGIN.format(f"0, {ZEROS}", f"0, {ZEROS}", "1")],
    "a new game with its event and another hash": [
        event("new", "1", SECRET), BEGIN.format(f"1, {ONES}", f"0, {ZEROS}", "0")
    ],
    "a temporary table in the place of the events": [
        "CREATE TEMPORARY TABLE events (LIKE public.events INCLUDING DEFAULTS)",
        event("g", "4", ONES).replace("FROM events", "FROM public.events"),
        GROW.format(f"length = 4, hash = {run('hash', ONES)}"),
    ],
    "another hash function": [
        "CREATE FUNCTION pg_temp.sha256(bytea) RETURNS bytea LANGUAGE sql AS $$ SELECT " + ONES + " $$",
        "SET search_path = pg_temp, public, pg_catalog",
        event("g", "4", SECRET),
        GROW.format(f"length = 4, hash = {ONES}"),
    ],
    "without triggers": ["SET session_replication_role = replica", GROW.format(f"hash = {ONES}")],
    "without the trigger": ["ALTER TABLE heads DISABLE TRIGGER heads_grow", GROW.format(f"hash = {ONES}")],
    "with the function replaced": [
        "CREATE OR REPLACE FUNCTION sottovoce_head_grows() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN RETURN NULL; END $$",
        GROW.format(f"hash = {ONES}"),
    ],
    "as the owner's role": ["SET ROLE postgres", GROW.format(f"hash = {ONES}")],
}  # fmt: skip
"""Every way to set a head to something that was not appended, with the application's rights."""


@pytest.fixture(scope="module")
def role(databases: postgres.Databases) -> Iterator[str]:
    """A role that can only log in."""
    name = f"sottovoce_heads_{databases.mark}"
    postgres.on(databases.url, f"CREATE ROLE {name} LOGIN PASSWORD 'app'")
    yield name
    postgres.on(databases.url, f"DROP ROLE {name}")


@pytest.fixture(scope="module")
def owner(databases: postgres.Databases, write: Callable[..., Write], role: str) -> Iterator[str]:
    """The owner's address of a log of two games."""
    with databases.log() as url:
        eventlog.upgrade(url, app_role=role)
        log = open_log(url)
        log.commit([write(count=3, receipts=(RECEIPT, RECEIPT)), write("h", receipts=(RECEIPT,))])
        log.close()
        yield url
        postgres.on(url, f"DROP OWNED BY {role}")


@pytest.fixture(scope="module")
def app(owner: str, role: str) -> str:
    """The application's address of it."""
    return postgres.as_role(owner, role, "app")


def heads(url: str) -> object:
    return postgres.on(url, "TABLE heads")


def carry_out(connection: psycopg.Connection[Any], way: str) -> None:
    for statement in FALSE[way]:
        connection.execute(statement.encode())


BY_RIGHT = {"without triggers", "without the trigger", "with the function replaced", "as the owner's role"}


@pytest.mark.parametrize("way", FALSE)
def test_no_false_head_is_taken_from_the_application(owner: str, app: str, registry: Registry, way: str) -> None:
    before = heads(owner)
    with psycopg.connect(app) as connection, pytest.raises(psycopg.Error) as refused:
        carry_out(connection, way)
    if way in BY_RIGHT:
        assert isinstance(refused.value, psycopg.errors.InsufficientPrivilege)
    else:
        assert refused.value.diag.message_primary == "a head follows from what was appended"
    assert heads(owner) == before
    log = open_log(app, registry=registry)
    assert [verify(log, game).ok for game in ("g", "h")] == [True, True]
    log.close()


def test_without_the_triggers_every_way_would_set_a_false_head(
    databases: postgres.Databases, write: Callable[..., Write], registry: Registry
) -> None:
    with databases.log() as url:
        log = open_log(url, registry=registry)
        log.commit([write(count=3, receipts=(RECEIPT, RECEIPT)), write("h", receipts=(RECEIPT,))])
        log.close()
        before = postgres.on(url, "TABLE heads")
        postgres.on(url, *(f"DROP TRIGGER heads_{name} ON heads" for name in ("grow", "begin", "origin")))
        for way in FALSE.keys() - BY_RIGHT:
            with psycopg.connect(url) as connection:
                carry_out(connection, way)
                assert connection.execute("TABLE public.heads").fetchall() != before, way
                connection.rollback()


TRUE = {
    "an event, then the head": [event("g", "4", SECRET), GROW.format(f"length = 4, hash = {run('hash', SECRET)}")],
    "two events and a receipt, then the head": [
        event("g", "4", SECRET), event("g", "5", ONES), receipt("g", "3", ONES),
        GROW.format(
            f"length = 5, hash = {run('hash', SECRET, ONES)},"
            f" receipts = 3, receipts_hash = {run('receipts_hash', ONES)}"
        ),
    ],
    "the head as it is": [GROW.format("hash = hash")],
    "a new game without anything": [BEGIN.format(f"0, {ZEROS}", f"0, {ZEROS}", "0")],
    "a new game": [event("new", "1", SECRET), BEGIN.format(f"1, {run(ZEROS, SECRET)}", f"0, {ZEROS}", "0")],
}  # fmt: skip


@pytest.mark.parametrize("way", TRUE)
def test_a_true_head_is_taken(app: str, way: str) -> None:
    with psycopg.connect(app) as connection:
        for statement in TRUE[way]:
            connection.execute(statement.encode())
        connection.rollback()


def test_the_log_itself_sets_true_heads_for_many_games_at_once(
    app: str, owner: str, registry: Registry, write: Callable[..., Write]
) -> None:
    log: EventLog = open_log(app, registry=registry)
    games = [f"many-{number}" for number in range(40)]
    for expected in range(3):
        writes = [write(game, 2 * expected, count=2, receipts=(RECEIPT,) * (expected + 1)) for game in games]
        assert all(isinstance(outcome, Appended) for outcome in log.commit(writes))
    for game in games:
        head = head_of(log, game)
        assert (head.length, head.receipts) == (6, 6)
        assert head.hash == running_hash(START, [row.hash for row in log.rows(game)])
        assert verify(log, game).ok
    log.close()
