"""The schema in PostgreSQL is what the migrations make, and `check` finds differences."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import postgres
import psycopg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from postgres import Databases
from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool

from sottovoce import eventlog
from sottovoce.eventlog import open_log
from sottovoce.eventlog.errors import (
    BadLogAddress,
    LogError,
    LogUnreachable,
    NewerSchema,
    NotALog,
    OlderSchema,
    WeakDurability,
)
from sottovoce.eventlog.log import Write
from sottovoce.eventlog.postgres.batch import ORDER_LOCK
from sottovoce.eventlog.postgres.schema import intended
from sottovoce.eventlog.postgres.sessions import Address, require_strong
from sottovoce.eventlog.registry import Registry
from sottovoce.eventlog.revisions import REVISIONS
from sottovoce.eventlog.schema import metadata

DESCRIBED = """
    SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns
    WHERE table_schema = current_schema() ORDER BY table_name, ordinal_position
"""
CONSTRAINTS = """
    SELECT conrelid::regclass::text, conname, contype::text, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = current_schema()::regnamespace AND contype <> 'n' ORDER BY 1, 2
"""


def engine_of(url: str) -> Any:
    return create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(url), poolclass=NullPool)


def findings(url: str) -> Any:
    """Return what `check` finds, except that the tests connect as superuser."""
    first, *others = eventlog.check(url)
    assert "superuser" in first
    assert "--app-role" in first
    return others


def test_the_schema_is_what_the_migrations_make(database: str, databases: Databases) -> None:
    engine = engine_of(database)
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    with databases.empty() as url:
        metadata.create_all(engine_of(url))
        for described in (DESCRIBED, CONSTRAINTS):
            made = [row for row in postgres.on(database, described) if row[0] != "alembic_version"]
            assert made == postgres.on(url, described)


def test_every_protection_is_always_on(database: str) -> None:
    triggers, functions = intended()
    present = postgres.on(database, "SELECT tgname, tgenabled::text FROM pg_trigger WHERE NOT tgisinternal")
    assert set(present) == {(name, "A") for name in triggers}
    assert len(triggers) == 18
    assert {row[0] for row in postgres.on(database, "SELECT proname FROM pg_proc WHERE proname LIKE 'sottovoce%'")} == {
        *functions
    }
    assert str(ORDER_LOCK) in functions["sottovoce_in_order"]


def test_an_empty_database_becomes_a_log_when_asked(
    databases: Databases, registry: Registry, write: Callable[..., Write]
) -> None:
    with databases.empty() as url:
        with pytest.raises(NotALog, match="is empty"):
            open_log(url, create=False, registry=registry)
        log = open_log(url, registry=registry)
        log.commit([write()])
        log.close()
        eventlog.upgrade(url)
        log = open_log(url, create=False, registry=registry)
        assert log.games() == ["g"]
        log.close()
        assert findings(url) == []


def test_an_older_or_newer_schema_is_refused(
    database: str, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    postgres.on(database, "UPDATE alembic_version SET version_num = '9999'")
    for use in (lambda: open_log(database), lambda: eventlog.upgrade(database), lambda: eventlog.check(database)):
        with pytest.raises(NewerSchema, match="schema 9999"):
            use()
    postgres.on(database, "UPDATE alembic_version SET version_num = '0001'")
    monkeypatch.setattr("sottovoce.eventlog.revisions.REVISIONS", (*REVISIONS, "later"))
    with pytest.raises(OlderSchema, match=r"db upgrade$"):
        open_log(database, registry=registry)


def test_another_database_is_not_a_log(databases: Databases) -> None:
    with databases.empty() as url:
        postgres.on(url, "CREATE TABLE songs (title text)")
        for use in (lambda: open_log(url), lambda: eventlog.upgrade(url), lambda: eventlog.check(url)):
            with pytest.raises(NotALog, match="not a Sottovoce database"):
                use()
        assert postgres.on(url, "SELECT relname FROM pg_class WHERE relname = 'events'") == []


def test_a_database_that_is_not_there_is_told(databases: Databases) -> None:
    with pytest.raises(LogUnreachable, match=r'database "nothing" does not exist') as caught:
        open_log(postgres.database(databases.url, "nothing"))
    assert "\n" not in str(caught.value)


def test_lost_protections_and_contradictions_are_found(
    database: str, registry: Registry, write: Callable[..., Write]
) -> None:
    log = open_log(database, registry=registry)
    log.commit([write(count=2), write("h")])
    log.close()
    assert findings(database) == []
    postgres.on(
        database,
        "DROP TRIGGER events_delete ON events",
        "ALTER TABLE events DISABLE TRIGGER events_update",
        "ALTER TABLE receipts ENABLE TRIGGER receipts_update",
        "DROP TRIGGER heads_update ON heads",
        "CREATE TRIGGER heads_update BEFORE UPDATE ON heads FOR EACH ROW WHEN (NEW.length < OLD.length)"
        " EXECUTE FUNCTION sottovoce_refuse('a head only grows')",
        "CREATE TRIGGER spy AFTER INSERT ON events FOR EACH ROW EXECUTE FUNCTION sottovoce_refuse('x')",
        "DROP TRIGGER blocks_update ON blocks",
        "CREATE OR REPLACE FUNCTION sottovoce_in_order() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
        "CREATE RULE quiet AS ON INSERT TO blocks DO INSTEAD NOTHING",
        "ALTER TABLE blocks SET UNLOGGED",
        "DROP SEQUENCE flushed",
        "ALTER TABLE turns ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE turns ADD COLUMN more text",
        "DELETE FROM events WHERE game = 'g' AND position = 2",
    )
    found = findings(database)
    assert "turns" in found[0]
    assert "more" in found[0]
    assert found[1:] == [
        "The trigger events_update is not always on; run: ALTER TABLE … ENABLE ALWAYS TRIGGER events_update",
        "The trigger events_delete is missing",
        "The trigger receipts_update is not always on; run: ALTER TABLE … ENABLE ALWAYS TRIGGER receipts_update",
        "The trigger blocks_update is missing",
        "The trigger heads_update differs from the migrations",
        "The trigger spy was added",
        "The sequence flushed is missing; make it with: CREATE SEQUENCE flushed MINVALUE 0 START 0",
        "The function sottovoce_in_order differs from the migrations",
        "The rule quiet on blocks was added",
        "The table blocks is unlogged, so a crash would lose it",
        "The table turns has row security, which hides rows",
        "Game g has 1 events and a head of 2; run: sottovoce audit verify g",
    ]


def test_the_owner_is_told_to_step_back(databases: Databases) -> None:
    name = f"sottovoce_owner_{databases.mark}"
    with databases.empty() as url:
        postgres.on(url, f"CREATE ROLE {name} LOGIN PASSWORD 'own'", f"GRANT CREATE ON SCHEMA public TO {name}")
        as_owner = postgres.as_role(url, name, "own")
        eventlog.upgrade(as_owner)
        (finding,) = eventlog.check(as_owner)
        assert finding.startswith(f"The role {name} owns the log")
        postgres.on(url, f"DROP OWNED BY {name}", f"DROP ROLE {name}")


def test_a_role_that_plays_may_use_what_a_later_migration_brings(databases: Databases) -> None:
    name = f"sottovoce_plays_{databases.mark}"
    with databases.log() as url:
        postgres.on(url, f"CREATE ROLE {name} LOGIN PASSWORD 'own'")
        eventlog.upgrade(url, name)
        postgres.on(
            url,
            "DROP TABLE tracking",
            "DROP TABLE game_seats",
            "DROP INDEX batches_game",
            "DROP TABLE links",
            "ALTER TABLE heads DROP COLUMN origin CASCADE",
            "DROP FUNCTION sottovoce_head_origin CASCADE",
            "CREATE TRIGGER heads_update BEFORE UPDATE ON heads FOR EACH ROW EXECUTE FUNCTION sottovoce_refuse()",
            "ALTER TABLE heads DROP COLUMN mark",
            "DROP SEQUENCE flushed",
            "UPDATE alembic_version SET version_num = '0004'",
        )
        with pytest.raises(OlderSchema):
            eventlog.open_log(url)
        eventlog.upgrade(url)
        log = eventlog.open_log(postgres.as_role(url, name, "own"))
        try:
            with log.tables(commit=True) as run:
                run("INSERT INTO tracking (application_name, notification_id) VALUES (?, ?)", ("test", 1))
            with log.tables() as run:
                assert run("SELECT application_name, notification_id FROM tracking") == [("test", 1)]
                assert run("SELECT * FROM game_summaries") == run("SELECT * FROM game_seats") == []
            assert (log.links("g"), log.rebuild(datetime.now(UTC)).links) == ([], 0)
        finally:
            log.close()
        assert postgres.on(url, "SELECT has_table_privilege('" + name + "', 'events', 'UPDATE')") == [(False,)]
        postgres.on(url, f"DROP OWNED BY {name}", f"DROP ROLE {name}")


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (("off", "on", "on", "UTF8"), "fsync off"),
        (("on", "off", "on", "UTF8"), "full_page_writes off"),
        (("on", "on", "off", "UTF8"), "synchronous_commit off"),
        (("on", "on", "local", "UTF8"), "synchronous_commit local"),
        (("on", "on", "remote_write", "UTF8"), "synchronous_commit remote_write"),
        (("off", "off", "on", "UTF8"), "fsync off and full_page_writes off"),
    ],
)
def test_a_server_that_may_lose_what_it_acknowledged_is_refused(settings: Any, told: Any) -> None:
    with pytest.raises(WeakDurability, match=told):
        require_strong("here", *settings)
    require_strong("here", "on", "on", "remote_apply", "UTF8")


def test_every_session_waits_for_the_disk_whatever_the_default_is(database: str, registry: Registry) -> None:
    name = database.rpartition("/")[2].partition("?")[0]
    for default, wanted in (("off", "on"), ("local", "on"), ("remote_apply", "remote_apply")):
        postgres.on(database, f"ALTER DATABASE {name} SET synchronous_commit = {default}")
        with Address(database).connect() as connection:
            assert connection.execute("SHOW synchronous_commit").fetchone() == (wanted,)


def test_a_database_of_another_encoding_is_refused() -> None:
    with pytest.raises(LogError, match="encoding LATIN1"):
        require_strong("here", "on", "on", "on", "LATIN1")


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://ada:secret@db.example:5433/games", "postgresql://db.example:5433/games"),
        ("postgresql+psycopg://ada:secret@db.example/games?sslmode=require", "postgresql://db.example/games"),
        ("postgres:///games?host=/run/postgresql", "postgresql:///games"),
    ],
)
def test_no_message_shows_a_password(url: str, shown: str) -> None:
    assert str(Address(url)) == shown


@pytest.mark.parametrize("url", ["postgresql://h/games?what=1", "postgresql:games"])
def test_an_address_that_is_none_is_wrong_usage(url: str) -> None:
    with pytest.raises(BadLogAddress) as caught:
        Address(url)
    assert caught.value.exit_code == 2
    assert "\n" not in str(caught.value)


def test_opening_a_log_needs_neither_alembic_nor_sqlalchemy(database: str, run: Callable[..., Any]) -> None:
    script = """
import json, sys
from sottovoce.eventlog import open_log
from sottovoce.eventlog.registry import registry_of
log = open_log(sys.argv[1], registry=registry_of())
log.version()
print(json.dumps(sorted(name for name in ("alembic", "sqlalchemy") if name in sys.modules)))
log.close()
"""
    assert run(script, database) == []
