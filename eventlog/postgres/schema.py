"""The schema of a log in PostgreSQL: upgrades, rights, and checks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

import psycopg
from psycopg.sql import SQL, Identifier

from sottovoce.eventlog.errors import NotALog, UnknownRole
from sottovoce.eventlog.log import Execute
from sottovoce.eventlog.postgres.failures import is_lost, log_error
from sottovoce.eventlog.postgres.sessions import Address, Connection, unreachable
from sottovoce.eventlog.rebuild import findings as follow_findings
from sottovoce.eventlog.registry import default_registry
from sottovoce.eventlog.revisions import REVISIONS, configuration, require_current, run_migrations

_MIGRATING = 8317995080211656548
"""The advisory lock for migrations: the next one after that of the appends."""

_RIGHTS = {
    "events": "SELECT, INSERT",
    "receipts": "SELECT, INSERT",
    "blocks": "SELECT, INSERT",
    "heads": "SELECT, INSERT, UPDATE",
    "turns": "SELECT, INSERT, UPDATE, DELETE",
    "links": "SELECT, INSERT, UPDATE, DELETE",
    "batches": "SELECT, INSERT, UPDATE",
    "game_summaries": "SELECT, INSERT, UPDATE, DELETE",
    "game_seats": "SELECT, INSERT, UPDATE, DELETE",
    "tracking": "SELECT, INSERT, UPDATE, DELETE",
    "alembic_version": "SELECT",
}
_SEQUENCE_RIGHTS = {
    "events_id_seq": "USAGE, SELECT",
    "heads_id_seq": "USAGE",
    "turns_id_seq": "USAGE",
    "flushed": "SELECT, UPDATE",
}
"""The application's rights. All other rights granted to it are revoked."""

# Only roles that got rights by name: not the owner, and not through another role or PUBLIC.
_APPLICATIONS = """
    SELECT DISTINCT grantee.rolname FROM pg_class AS log CROSS JOIN aclexplode(log.relacl) AS granted
    JOIN pg_roles AS grantee ON grantee.oid = granted.grantee
    WHERE log.oid = 'events'::regclass AND granted.privilege_type = 'INSERT' AND grantee.oid <> log.relowner
"""

_APPENDED = ("events", "receipts", "blocks")


@contextmanager
def opened(address: Address) -> Iterator[Connection]:
    """Yield a separate connection, and translate its errors."""
    try:
        with address.connect() as connection:
            yield connection
    except psycopg.Error as error:
        raise unreachable(address, error) if is_lost(error) else log_error(error, str(address)) from error


def stored_revision(connection: Connection, place: object) -> str | None:
    """Return the revision of the schema, or None if the database is empty.

    Raises NotALog if it contains something else.
    """
    found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
    tables = {name for (name,) in found}
    if not tables:
        return None
    if not {"alembic_version", "events", "heads"} <= tables:
        raise NotALog(f"{place} is not a Sottovoce database. Choose another database with --db")
    row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return str(row[0]) if row else None


def upgrade_database(address: Address, app_role: str | None = None) -> None:
    """Run the missing migrations in one transaction, and let `app_role` use the tables.

    Roles that the owner granted rights before get them for new tables too. Raises NewerSchema if the database is newer
    than this version, UnknownRole if the role does not exist.
    """
    with opened(address) as connection:
        connection.execute(f"SELECT pg_advisory_lock({_MIGRATING})")
        revision = stored_revision(connection, address)
        if revision is not None and revision not in REVISIONS:
            require_current(revision, address)
        known = [role for (role,) in connection.execute(_APPLICATIONS)] if revision is not None else []
        if revision != REVISIONS[-1]:
            _migrate(connection)
        for role in dict.fromkeys([*known, *filter(None, (app_role,))]):
            _grant(connection, role)


def _migrate(connection: Connection) -> None:
    from sqlalchemy import create_engine
    from sqlalchemy.exc import DBAPIError
    from sqlalchemy.pool import StaticPool

    connection.autocommit = False
    try:
        run_migrations(create_engine("postgresql+psycopg://", creator=lambda: connection, poolclass=StaticPool))
    except DBAPIError as error:
        raise error.orig or error from error
    finally:
        connection.rollback()
        connection.autocommit = True


def _grant(connection: Connection, role: str) -> None:
    if connection.execute("SELECT FROM pg_roles WHERE rolname = %s", (role,)).rowcount == 0:
        raise UnknownRole(f"The server has no role {role}; make it with: CREATE ROLE {role} LOGIN")
    schema = connection.execute("SELECT current_schema()").fetchone()
    named = Identifier(role)
    with connection.transaction():
        connection.execute(SQL("GRANT USAGE ON SCHEMA {} TO {}").format(Identifier(*(schema or ())), named))
        for table, rights in _RIGHTS.items():
            connection.execute(SQL("REVOKE ALL ON {} FROM PUBLIC, {}").format(Identifier(table), named))
            connection.execute(SQL("GRANT {} ON {} TO {}").format(SQL(rights), Identifier(table), named))
        for sequence, rights in _SEQUENCE_RIGHTS.items():
            connection.execute(SQL("REVOKE ALL ON SEQUENCE {} FROM PUBLIC, {}").format(Identifier(sequence), named))
            connection.execute(SQL("GRANT {} ON SEQUENCE {} TO {}").format(SQL(rights), Identifier(sequence), named))


def findings(address: Address, at: datetime) -> list[str]:
    """Return what is wrong with a log's database at that time, one line each.

    Checks the connecting role, the schema, the protections, and what follows from the events.
    """
    with opened(address) as connection:
        require_current(stored_revision(connection, address), address, str(address))
        found = [*_powers(connection), *_differences(connection), *_unprotected(connection)]
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")  # read everything below at one moment
        run: Execute = lambda statement, values=(): connection.execute(  # noqa: E731
            statement.replace("?", "%s").encode(), values or None
        ).fetchall()
        found += follow_findings(run, default_registry(), at)
        connection.execute("ROLLBACK")
        return found


def _powers(connection: Connection) -> Iterator[str]:
    """Return what the connecting role could do to the log other than append."""
    way_out = "connect as a role that can only append: sottovoce db upgrade --app-role ROLE"
    role, superuser = connection.execute(
        "SELECT rolname, rolsuper FROM pg_roles WHERE rolname = current_user"
    ).fetchone() or ("", False)
    if superuser:
        yield f"The role {role} is a superuser and could change events; {way_out}"
        return
    owned = connection.execute(
        "SELECT relname FROM pg_class WHERE relname = ANY(%s) AND relnamespace = current_schema()::regnamespace"
        " AND pg_has_role(relowner, 'MEMBER') ORDER BY relname",
        (list(_RIGHTS),),
    ).fetchall()
    if owned:
        yield f"The role {role} owns the log and could drop its protections; {way_out}"
        return
    for table in _APPENDED:
        for right in ("UPDATE", "DELETE", "TRUNCATE", "TRIGGER"):
            row = connection.execute("SELECT has_table_privilege(%s, %s)", (table, right)).fetchone()
            if row and row[0]:
                yield f"The role {role} has the right {right} on {table}; run: sottovoce db upgrade --app-role {role}"


def _differences(connection: Connection) -> Iterator[str]:
    """Return where the tables differ from `eventlog.schema`."""
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext
    from sqlalchemy import create_engine
    from sqlalchemy.pool import StaticPool

    from sottovoce.eventlog.schema import metadata

    engine = create_engine("postgresql+psycopg://", creator=lambda: connection, poolclass=StaticPool)
    with engine.connect() as made:
        for difference in compare_metadata(MigrationContext.configure(made, opts={"compare_type": True}), metadata):
            yield f"The schema differs: {difference}"


def _unprotected(connection: Connection) -> Iterator[str]:
    """Return triggers and their functions that differ from the migrations, and anything added."""
    triggers, functions = intended()
    present = {
        name: (definition, enabled)
        for name, definition, enabled in connection.execute(
            "SELECT tgname, pg_get_triggerdef(oid, true), tgenabled::text FROM pg_trigger"
            " WHERE NOT tgisinternal AND tgrelid = ANY(%s::regclass[])",
            (list(_RIGHTS),),
        )
    }
    for name, definition in triggers.items():
        if name not in present:
            yield f"The trigger {name} is missing"
        elif _essence(present[name][0]) != definition:
            yield f"The trigger {name} differs from the migrations"
        elif present[name][1] != "A":
            yield f"The trigger {name} is not always on; run: ALTER TABLE … ENABLE ALWAYS TRIGGER {name}"
    yield from (f"The trigger {name} was added" for name in present if name not in triggers)
    sources: dict[str, str] = dict(
        connection.execute(
            "SELECT proname, prosrc FROM pg_proc WHERE proname LIKE 'sottovoce\\_%' AND proconfig IS NOT NULL"
            " AND NOT prosecdef AND pronamespace = current_schema()::regnamespace"
        ).fetchall()
    )
    if connection.execute("SELECT to_regclass('flushed')").fetchone() == (None,):
        yield "The sequence flushed is missing; make it with: CREATE SEQUENCE flushed MINVALUE 0 START 0"
    for name, source in functions.items():
        if name not in sources or _essence(sources[name]) != source:
            yield f"The function {name} differs from the migrations"
    for name, table in connection.execute(
        "SELECT rulename, tablename FROM pg_rules WHERE schemaname = current_schema() AND tablename = ANY(%s)",
        (list(_RIGHTS),),
    ):
        yield f"The rule {name} on {table} was added"
    for table, unlogged in connection.execute(
        "SELECT relname, relpersistence = 'u' FROM pg_class WHERE oid = ANY(%s::regclass[])"
        " AND (relpersistence <> 'p' OR relrowsecurity)",
        (list(_RIGHTS),),
    ):
        why = "is unlogged, so a crash would lose it" if unlogged else "has row security, which hides rows"
        yield f"The table {table} {why}"


_FUNCTION = re.compile(r"CREATE FUNCTION (\w+)\(\).*?AS \$\$(.*)\$\$", re.DOTALL)
_TRIGGER = re.compile(r"CREATE TRIGGER (\w+) ")


def intended() -> tuple[dict[str, str], dict[str, str]]:
    """Return a normalized form of every trigger and function that the migrations create, by name."""
    from alembic.script import ScriptDirectory

    triggers, functions = {}, {}
    for revision in reversed(list(ScriptDirectory.from_config(configuration()).walk_revisions())):
        for statement in getattr(revision.module, "TRIGGERS", {}).get("postgresql", ()):
            if found := _FUNCTION.search(statement):
                functions[found[1]] = _essence(found[2])
            elif found := _TRIGGER.search(statement):
                triggers[found[1]] = _essence(statement)
    return triggers, functions


def _essence(definition: str) -> str:
    """Normalize what PostgreSQL writes in its own way: space, case and parentheses."""
    return re.sub(r"[\s()]+", "", definition).lower()
