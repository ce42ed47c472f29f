import re
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine
from sqlalchemy.schema import CreateTable

from sottovoce import eventlog, migrations
from sottovoce.eventlog.errors import LogMissing, NewerSchema, NotALog, OlderSchema
from sottovoce.eventlog.log import EventLog, LinkChange, Receipt, Write
from sottovoce.eventlog.revisions import REVISIONS
from sottovoce.eventlog.schema import metadata
from sottovoce.eventlog.sqlite.schema import INITIAL, first_script, migrate


def plain(sql: str) -> Any:
    return re.sub(r"\s+", " ", sql).strip()


def test_the_schema_is_what_the_migrations_make(path: Path) -> None:
    engine = create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
        rows = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master WHERE type = 'table'")
        made = {name: sql for name, sql in rows}  # noqa: C416
    engine.dispose()
    wanted = {name: plain(str(CreateTable(table).compile(engine))) for name, table in metadata.tables.items()}
    assert {name: plain(made[name]) for name in wanted} == wanted
    assert set(made) - set(wanted) <= {"alembic_version", "sqlite_sequence"}


def test_the_revisions_known_are_those_of_the_migrations() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    script = ScriptDirectory.from_config(config)
    assert tuple(reversed([revision.revision for revision in script.walk_revisions()])) == REVISIONS


def test_the_script_for_a_new_file_is_what_the_migrations_make() -> None:
    """`make golden` writes it. Texts are compared, because the database stores a schema as text."""
    assert first_script() == INITIAL.read_text(encoding="utf-8")
    with (
        closing(sqlite3.connect(":memory:", isolation_level=None)) as migrated,
        closing(sqlite3.connect(":memory:", isolation_level=None)) as scripted,
    ):
        migrate(migrated)
        scripted.executescript(INITIAL.read_text(encoding="utf-8"))
        told = [
            [list(made.execute("SELECT type, name, tbl_name, sql FROM sqlite_master")), list(made.iterdump())]
            for made in (migrated, scripted)
        ]
        assert told[0] == told[1]
        assert "events_delete" in str(told[0])


def test_a_new_log_is_made_without_a_word_and_for_its_owner_alone(tmp_path: Path, run: Callable[..., Any]) -> None:
    script = """
import json, sys
from sottovoce.eventlog import open_log
from sottovoce.eventlog.registry import registry_of
log = open_log("sqlite:///" + sys.argv[1], registry=registry_of())
print(json.dumps(log.games()))
log.close()
"""
    path = tmp_path / "odd name %20?#é.db"
    assert run(script, path) == []
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    modes = {found.name: stat.S_IMODE(found.stat().st_mode) for found in tmp_path.iterdir()}
    assert modes.keys() <= {path.name + suffix for suffix in ("", ".lock", ".heads", "-wal", "-shm")}
    assert set(modes.values()) == {0o600}


def test_opening_a_log_or_making_one_needs_neither_alembic_nor_sqlalchemy(path: Path, run: Callable[..., Any]) -> None:
    script = """
import json, sys
from sottovoce.eventlog import open_log
from sottovoce.eventlog.registry import registry_of
log = open_log("sqlite:///" + sys.argv[1], registry=registry_of())
print(json.dumps(sorted(name for name in ("alembic", "sqlalchemy") if name in sys.modules)))
log.close()
"""
    assert run(script, path) == []
    assert run(script, path.with_name("new.db")) == []


def test_an_empty_file_becomes_a_log(tmp_path: Path, opened: Callable[..., EventLog]) -> None:
    path = tmp_path / "log.db"
    path.touch()
    assert opened(path).games() == []


def test_upgrading_twice_changes_nothing(path: Path) -> None:
    before = path.read_bytes()
    eventlog.upgrade(f"sqlite:///{path}")
    assert path.read_bytes() == before


def revise(path: Path, revision: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (revision,))
        connection.commit()


def test_an_older_schema_is_refused_with_the_way_out(
    path: Path, opened: Callable[..., EventLog], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sottovoce.eventlog.revisions.REVISIONS", (*REVISIONS, "later"))
    with pytest.raises(OlderSchema, match=r"run: sottovoce --db sqlite:///.* db upgrade"):
        opened(path)


def test_a_log_from_before_there_were_links_takes_some_once_it_is_upgraded(
    path: Path, opened: Callable[..., EventLog], write: Callable[..., Write]
) -> None:
    url = f"sqlite:///{path}"
    before = eventlog.open_log(url)
    before.commit([write(count=2)])
    before.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE links")
        connection.execute("ALTER TABLE heads DROP COLUMN mark")
        connection.commit()
    revise(path, "0005")
    with pytest.raises(OlderSchema):
        opened(path)
    eventlog.upgrade(url)
    log = opened(path)
    assert (log.links("g"), log.links_ended(None), log.rebuild(datetime.now(UTC)).links) == ([], (0, []), 0)
    link = LinkChange("issue", "keeper", "", b"d" * 32)
    log.commit([write(expected=2, links=(link,))])
    found = log.link(b"d" * 32)
    assert found is not None
    assert log.links("g") == [found]
    assert eventlog.check(url) == []


def test_a_newer_schema_is_refused(path: Path, opened: Callable[..., EventLog]) -> None:
    revise(path, "9999")
    for use in (lambda: opened(path), lambda: eventlog.upgrade(f"sqlite:///{path}"), lambda: check(path)):
        with pytest.raises(NewerSchema, match="schema 9999"):
            use()


def test_a_database_that_is_something_else_is_not_upgraded(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE turns (x)")
    with pytest.raises(NotALog):
        eventlog.upgrade(f"sqlite:///{path}")
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("turns",)]


@pytest.mark.parametrize("content", [b"not a database at all, but long enough to be looked at" * 40, b"x"])
def test_another_file_is_not_a_log(tmp_path: Path, opened: Callable[..., EventLog], content: bytes) -> None:
    path = tmp_path / "log.db"
    path.write_bytes(content)
    with pytest.raises(NotALog):
        opened(path)
    assert path.read_bytes() == content


def test_another_database_is_not_a_log(tmp_path: Path, opened: Callable[..., EventLog]) -> None:
    path = tmp_path / "log.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE songs (title)")
    for create in (True, False):
        with pytest.raises(NotALog, match="not a Sottovoce database"):
            opened(path, create=create)


def test_a_folder_is_not_a_log(tmp_path: Path, opened: Callable[..., EventLog]) -> None:
    with pytest.raises(NotALog, match="is a folder"):
        opened(tmp_path)


def test_a_log_that_is_not_there_is_not_made_unasked(tmp_path: Path, opened: Callable[..., EventLog]) -> None:
    with pytest.raises(LogMissing, match="There is no database at"):
        opened(tmp_path / "log.db", create=False)
    with pytest.raises(LogMissing, match="There is no folder"):
        opened(tmp_path / "nowhere" / "log.db")
    (tmp_path / "empty.db").touch()
    with pytest.raises(NotALog, match="is empty"):
        opened(tmp_path / "empty.db", create=False)
    assert [found.name for found in tmp_path.iterdir()] == ["empty.db"]


def check(path: Path) -> Any:
    return eventlog.check(f"sqlite:///{path}")


def test_a_good_log_has_no_findings(path: Path, opened: Callable[..., EventLog], write: Callable[..., Write]) -> None:
    opened(path).commit([write(), write("h", count=3)])
    assert check(path) == []
    assert eventlog.check("memory:") == []


def test_lost_protections_and_contradictions_are_found(
    path: Path, opened: Callable[..., EventLog], write: Callable[..., Write]
) -> None:
    receipt = Receipt("core.call-ended.v1", datetime(2026, 7, 1, tzinfo=UTC), "Ada", {})
    opened(path).commit([write(count=2, receipts=(receipt,)), write("h", receipts=(receipt,))])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TRIGGER events_delete")
        connection.execute("DROP TRIGGER receipts_update")
        connection.execute("CREATE TRIGGER receipts_update BEFORE UPDATE ON receipts BEGIN SELECT 1; END")
        connection.execute("CREATE TRIGGER spy AFTER INSERT ON events BEGIN SELECT 1; END")
        connection.execute("DELETE FROM events WHERE game = 'g' AND position = 2")
        wanted = "SELECT sql FROM sqlite_master WHERE name = 'receipts_delete'"
        (protection,) = connection.execute(wanted).fetchone()
        connection.execute("DROP TRIGGER receipts_delete")
        connection.execute("DELETE FROM receipts WHERE game = 'h'")
        connection.execute(protection)
        connection.commit()
    assert check(path) == [
        "The trigger events_delete is missing",
        "The trigger receipts_update differs from the migrations",
        "The trigger spy was added",
        "Game g has 1 events and a head of 2; run: sottovoce audit verify g",
        "Game h has 0 receipts and a head of 1; run: sottovoce audit verify h",
    ]
