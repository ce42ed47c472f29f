"""The schema of a log in a SQLite file: upgrades and checks."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

from sottovoce.eventlog.errors import NotALog
from sottovoce.eventlog.log import Execute
from sottovoce.eventlog.rebuild import findings as follow_findings
from sottovoce.eventlog.registry import default_registry
from sottovoce.eventlog.revisions import REVISIONS, require_current, run_migrations
from sottovoce.eventlog.sqlite.datastore import LogDatastore
from sottovoce.eventlog.sqlite.inspection import flaws
from sottovoce.eventlog.sqlite.losses import require_none, told_later

INITIAL = Path(__file__).with_name("initial_schema.sql")
"""The result of all migrations on an empty file, in one script; without it a new log takes a second.

`make golden` writes it from the migrations, which decide, and a test requires that the two agree.
"""


def stored_revision(connection: sqlite3.Connection, path: Path) -> str | None:
    """Return the revision of the schema in this file, or None if it is empty.

    Raises NotALog if it contains something else.
    """
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not tables:
        return None
    if not {"alembic_version", "events", "heads"} <= tables:
        raise NotALog(f"{path} is not a Sottovoce database. Choose another database with --db")
    found = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    return str(found[0]) if found else None


def upgrade_file(datastore: LogDatastore) -> None:
    """Run the missing migrations in one transaction. Raises NewerSchema if the file is newer than this version."""
    with datastore.alone() as connection:
        revision = stored_revision(connection, datastore.path)
        if revision is not None and revision not in REVISIONS:
            require_current(revision, datastore.path)
        if revision is None:
            require_none(datastore.path, datastore.acknowledged)
            connection.executescript(f"BEGIN IMMEDIATE;\n{INITIAL.read_text(encoding='utf-8')}COMMIT;")
        elif revision != REVISIONS[-1]:
            migrate(connection)


def migrate(connection: sqlite3.Connection) -> None:
    """Run the migrations on a connection in autocommit mode, in one transaction. Prints nothing."""
    from sqlalchemy import create_engine, event
    from sqlalchemy.pool import StaticPool

    engine = create_engine("sqlite://", creator=lambda: connection, poolclass=StaticPool)
    # In autocommit mode sqlite3 opens no transaction by itself; without one, a killed migration stays half done.
    event.listen(engine, "begin", lambda opened: opened.exec_driver_sql("BEGIN IMMEDIATE"))
    run_migrations(engine)


def first_script() -> str:
    """Return what `INITIAL` must contain, according to the migrations."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as model:
        migrate(model)
        rows = model.execute(
            "SELECT sql FROM sqlite_master WHERE sql NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
        )
        return "".join(f"{text};\n" for (text,) in rows) + (
            f"INSERT INTO alembic_version (version_num) VALUES ('{REVISIONS[-1]}');\n"
        )


def findings(datastore: LogDatastore, at: datetime) -> list[str]:
    """Return what is wrong with a log's file at that time, one line each.

    Checks its pages, its schema, its protections, and what follows from the events.
    """
    with datastore.raw() as connection:
        require_current(stored_revision(connection, datastore.path), datastore.path)
        found = [f"{datastore.path}: {line}" for line in flaws(connection)]
        found += datastore.notices or [f"{datastore.path}: {line}" for line in told_later(datastore.acknowledged)]
        try:
            found += _differences(connection)
            connection.execute("BEGIN")  # read everything below at one moment
            run: Execute = lambda statement, values=(): connection.execute(statement, values).fetchall()  # noqa: E731
            found += follow_findings(run, default_registry(), at)
        except (sqlite3.DatabaseError, UnicodeDecodeError):
            if not found:
                raise
        mode = connection.execute("PRAGMA journal_mode").fetchone()[0]
    if mode != "wal":
        found.append(f"{datastore.path} has journal mode {mode} instead of wal. The next write fixes that")
    return found


def _differences(connection: sqlite3.Connection) -> list[str]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as model:
        migrate(model)
        wanted = _objects(model)
    present = _objects(connection)
    return [
        f"The {kind} {name} {'is missing' if (kind, name) not in present else 'differs from the migrations'}"
        for (kind, name), made in wanted.items()
        if present.get((kind, name)) != made
    ] + [f"The trigger {name} was added" for kind, name in present if kind == "trigger" and (kind, name) not in wanted]


def _objects(connection: sqlite3.Connection) -> dict[tuple[str, str], tuple[str, str | None]]:
    """Return the objects of the schema by kind and name, with their table, and their SQL if they have any."""
    rows = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY rowid")
    return {(kind, name): (table, text) for kind, name, table, text in rows}
