"""`db`: upgrade, check and rebuild, and schemas older and newer than this program."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from commands import Cli


def test_upgrade_makes_a_log_and_does_nothing_twice(fresh: Cli) -> None:
    for _ in range(2):
        assert fresh("db", "upgrade").out == "The schema is up to date.\n"
    assert fresh("db", "check").out == "Nothing is wrong.\n"


def test_check_finds_a_guard_that_is_gone(sv: Cli) -> None:
    with closing(sqlite3.connect(sv.path, isolation_level=None)) as connection:
        name = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchone()[0]
        connection.execute(f'DROP TRIGGER "{name}"')
    said = sv("db", "check")
    assert said.code == 1
    assert name in said.out
    assert said.err.startswith("sottovoce: 1 finding")


def test_rebuild_makes_the_same_list_anew(sv: Cli) -> None:
    before = sv("games", "--json").out
    assert sv("db", "rebuild").out == "3 games summarised anew.\n"
    assert sv("games", "--json").out == before


def test_check_finds_a_list_that_says_something_else_than_the_events(sv: Cli) -> None:
    assert sv("db", "rebuild").code == 0
    assert sv("db", "check").code == 0
    with closing(sqlite3.connect(sv.path, isolation_level=None)) as connection:
        connection.execute("UPDATE game_summaries SET status = 'void' WHERE opened = 1")
    said = sv("db", "check")
    assert said.code == 1
    assert "run: sottovoce db rebuild" in said.out
    assert sv("db", "rebuild").code == 0
    assert sv("db", "check").code == 0


def test_an_older_schema_is_to_be_upgraded_first(sv: Cli) -> None:
    set_revision(sv, None)
    for words in (("games",), ("show", "latest"), ("play", "mafia", "--agents", "random", "--quiet")):
        said = sv(*words)
        assert (said.code, said.out, said.err.count("\n")) == (1, "", 1)


def test_a_newer_schema_is_refused(sv: Cli) -> None:
    set_revision(sv, "9999")
    before = sv.stored()
    for words in (("games",), ("show", "latest"), ("db", "upgrade"), ("db", "rebuild")):
        said = sv(*words)
        assert (said.code, said.out, said.err.count("\n")) == (1, "", 1)
        assert "later version" in said.err
    assert sv.stored() == before


def set_revision(sv: Cli, revision: str | None) -> None:
    with closing(sqlite3.connect(sv.path, isolation_level=None)) as connection:
        connection.execute("DELETE FROM alembic_version")
        if revision is not None:
            connection.execute("INSERT INTO alembic_version VALUES (?)", (revision,))
