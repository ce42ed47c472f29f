"""Nothing in PostgreSQL changes what was appended: not the owner with plain SQL, and not the application at all."""

import itertools
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import postgres
import psycopg
import pytest
from postgres import Databases

from sottovoce import eventlog
from sottovoce.eventlog import open_log
from sottovoce.eventlog.errors import AccessDenied, UnknownRole
from sottovoce.eventlog.log import Appended, LinkChange, Receipt, TurnChange, Write
from sottovoce.eventlog.registry import Registry
from sottovoce.eventlog.verify import verify

AT = datetime(2026, 7, 1, tzinfo=UTC)
VALUES = "game, position, append, name, at, actor, audience, cause, body, salt, hash"
COPY = "append, name, at, actor, audience, cause, body, salt, hash FROM events WHERE position = 2"

BY_ANYBODY = [
    "UPDATE events SET body = '\\x00'",
    "UPDATE events SET body = body WHERE position = 2",
    "UPDATE ONLY events SET position = 9 WHERE position = 3",
    "DELETE FROM events",
    "DELETE FROM events WHERE position = 3",
    "TRUNCATE events",
    "TRUNCATE events, receipts, blocks, heads RESTART IDENTITY CASCADE",
    f"INSERT INTO events ({VALUES}) SELECT game, position, {COPY} ON CONFLICT (game, position) DO UPDATE SET body = ''",
    f"INSERT INTO events ({VALUES}) SELECT game, position, {COPY}",
    f"INSERT INTO events ({VALUES}) SELECT game, 5, {COPY}",
    f"INSERT INTO events ({VALUES}) SELECT game, 0, {COPY}",
    f"INSERT INTO events ({VALUES}) SELECT game, -1, {COPY}",
    f"INSERT INTO events ({VALUES}) SELECT 'new', 2, {COPY}",
    f"INSERT INTO events ({VALUES}) SELECT game, NULL, {COPY}",
    f"INSERT INTO events ({VALUES}) SELECT NULL, 1, {COPY}",
    f"INSERT INTO events (id, {VALUES}) SELECT id, game, 4, {COPY}",
    "MERGE INTO events USING (SELECT 1 AS p) AS x ON position = x.p WHEN MATCHED THEN DELETE",
    "MERGE INTO events USING (SELECT 1 AS p) AS x ON position = x.p WHEN MATCHED THEN UPDATE SET body = ''",
    "WITH gone AS (DELETE FROM events WHERE position = 3 RETURNING *) SELECT count(*) FROM gone",
    "UPDATE receipts SET data = '{}'",
    "DELETE FROM receipts",
    "TRUNCATE receipts",
    "INSERT INTO receipts (game, number, name, at, seat, data) VALUES ('g', 5, 'n', 0, 'Ada', '{}')",
    "INSERT INTO receipts (game, number, name, at, seat, data) VALUES ('g', 1, 'n', 0, 'Ada', '{}')"
    " ON CONFLICT (game, number) DO UPDATE SET data = '{}'",
    "UPDATE blocks SET text = '\\x00'",
    "DELETE FROM blocks",
    "TRUNCATE blocks",
    "INSERT INTO blocks (digest, text) SELECT digest, '' FROM blocks ON CONFLICT (digest) DO UPDATE SET text = ''",
    "DELETE FROM heads",
    "TRUNCATE heads",
    "UPDATE heads SET length = length - 1",
    "UPDATE heads SET receipts = 0",
    "UPDATE heads SET secret = '\\x00'",
    "UPDATE heads SET game = 'other'",
    "UPDATE heads SET id = id + 1",
]

BY_THE_APPLICATION = [
    *(f"DROP TABLE {table} CASCADE" for table in ("events", "receipts", "blocks")),
    *(f"ALTER TABLE {table} DISABLE TRIGGER ALL" for table in ("events", "receipts", "blocks")),
    "ALTER TABLE events RENAME TO old_events",
    "ALTER TABLE events ADD COLUMN more text",
    "ALTER TABLE events SET UNLOGGED",
    "ALTER TABLE events OWNER TO current_user",
    "DROP TRIGGER events_update ON events",
    "DROP FUNCTION sottovoce_refuse() CASCADE",
    "CREATE OR REPLACE FUNCTION sottovoce_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$",
    "CREATE RULE nothing AS ON INSERT TO events DO INSTEAD NOTHING",
    "CREATE TRIGGER nothing BEFORE INSERT ON events FOR EACH ROW EXECUTE FUNCTION sottovoce_refuse('x')",
    "DROP INDEX events_game_position",
    "SELECT setval('events_id_seq', 1)",
    "SET session_replication_role = replica",
    "SELECT * FROM events FOR UPDATE",
    "UPDATE alembic_version SET version_num = '9999'",
    "CREATE TABLE public.more (x int)",
]

ROLES = itertools.count(1)


@pytest.fixture(scope="module")
def role(databases: Databases) -> Iterator[Any]:
    """A role that can only log in."""
    name = f"sottovoce_app_{databases.mark}_{next(ROLES)}"
    postgres.on(databases.url, f"CREATE ROLE {name} LOGIN PASSWORD 'app'")
    yield name
    postgres.on(databases.url, f"DROP ROLE {name}")


@pytest.fixture(scope="module")
def filled(databases: Databases, write: Callable[..., Write], role: str) -> Iterator[Any]:
    """The owner's address of a log with something in every table, with rights for the role."""
    with databases.log() as url:
        eventlog.upgrade(url, app_role=role)
        log = open_log(url)
        receipts = (
            Receipt("core.handed-over.v1", AT, "Ada", {}, ("You are Ada.",)),
            Receipt("core.call-ended.v1", AT, "Ada", {}),
        )
        log.commit([write(count=3, receipts=receipts, turns=(TurnChange("open", "Ada", 1),))])
        log.close()
        yield url
        postgres.on(url, f"DROP OWNED BY {role}")


@pytest.fixture(scope="module")
def app(filled: str, role: str) -> Any:
    """The application's address of the same log."""
    return postgres.as_role(filled, role, "app")


def everything(url: str) -> Any:
    return [postgres.on(url, f"TABLE {table}") for table in ("events", "receipts", "blocks", "heads")]


@pytest.mark.parametrize("attempt", BY_ANYBODY)
def test_the_owner_changes_nothing_by_sql(filled: str, attempt: Any) -> None:
    before = everything(filled)
    for settings in ([], ["SET session_replication_role = replica"]):
        with pytest.raises(psycopg.IntegrityError):
            postgres.on(filled, *settings, attempt)
    assert everything(filled) == before


@pytest.mark.parametrize("attempt", [*BY_ANYBODY, *BY_THE_APPLICATION])
def test_the_application_changes_nothing_at_all(filled: str, app: str, attempt: Any) -> None:
    before = everything(filled)
    with pytest.raises((psycopg.IntegrityError, psycopg.errors.InsufficientPrivilege)):
        postgres.on(app, attempt)
    assert everything(filled) == before


def test_a_temporary_table_does_not_deceive_the_triggers(app: str, filled: str) -> None:
    before = everything(filled)
    deceit = f"INSERT INTO pg_temp.events SELECT id, game, 4, {COPY.replace('events', 'public.events')}"
    with pytest.raises(psycopg.IntegrityError):
        postgres.on(
            app,
            "CREATE TEMPORARY TABLE events (LIKE public.events)",
            deceit,
            f"INSERT INTO public.events ({VALUES}) SELECT game, 5, {COPY.replace('events', 'public.events')}",
        )
    assert everything(filled) == before


def test_the_application_can_do_all_that_a_log_does(
    databases: Databases, write: Callable[..., Write], role: str, registry: Registry
) -> None:
    later = AT + timedelta(hours=1)
    with databases.log() as url:
        eventlog.upgrade(url, app_role=role)
        log = open_log(postgres.as_role(url, role, "app"), registry=registry)
        receipt = Receipt("core.handed-over.v1", AT, "Ada", {}, ("You are Ada.",))
        turns = (TurnChange("open", "Ada", 1), TurnChange("open", "Bram", 1))
        (appended,) = log.commit([write(count=2, receipts=(receipt,), turns=turns)])
        assert isinstance(appended, Appended)
        assert len(log.lease("g", [("Ada", 1)], "w", AT, later)) == 1
        assert log.renew("w", later) == 1
        assert log.release("g", "Ada", 1, 1)
        changes = (TurnChange("close", "Ada", 1), TurnChange("retry", "Bram", 1, 2))
        assert isinstance(log.commit([write(expected=2, turns=changes)])[0], Appended)
        assert len(log.due()) == 1
        assert log.block(log.receipts("g")[0].blocks[0]) == "You are Ada."
        assert log.version() > 0
        for change in (LinkChange("issue", "seat", "Ada", b"d" * 32), LinkChange("claim", number=1)):
            assert isinstance(log.commit([write(count=0, links=(change,))])[0], Appended)
        assert log.link(b"d" * 32) is not None
        assert isinstance(log.commit([write(count=0, links=(LinkChange("end", number=1),))])[0], Appended)
        assert log.links_ended(0) == (1, [b"d" * 32])
        with log.tables(commit=True) as change_by_hand:
            change_by_hand("UPDATE links SET kind = 'auditor'")
        assert log.rebuild(AT).links == 1
        assert verify(log, "g").ok
        log.close()
        postgres.on(url, f"DROP OWNED BY {role}")


def test_only_what_was_granted_is_there_for_a_role(databases: Databases, role: str) -> None:
    with databases.log() as url, pytest.raises(AccessDenied, match="db upgrade --app-role"):
        open_log(postgres.as_role(url, role, "app"))


def test_a_role_without_rights_makes_no_log(databases: Databases, role: str) -> None:
    with databases.empty() as url, pytest.raises(AccessDenied, match=r"permission denied for schema public"):
        open_log(postgres.as_role(url, role, "app"))


def test_granting_again_takes_back_what_was_added(databases: Databases, role: str) -> None:
    with databases.log() as url:
        eventlog.upgrade(url, app_role=role)
        postgres.on(url, f"GRANT ALL ON events, receipts, blocks TO {role}", "GRANT UPDATE ON events TO PUBLIC")
        assert len(eventlog.check(postgres.as_role(url, role, "app"))) == 12
        eventlog.upgrade(url, app_role=role)
        assert eventlog.check(postgres.as_role(url, role, "app")) == []
        postgres.on(url, f"DROP OWNED BY {role}")


def test_a_role_that_is_not_there_is_wrong_usage(databases: Databases) -> None:
    with databases.log() as url, pytest.raises(UnknownRole, match="CREATE ROLE nobody_such LOGIN") as caught:
        eventlog.upgrade(url, app_role="nobody_such")
    assert caught.value.exit_code == 2
