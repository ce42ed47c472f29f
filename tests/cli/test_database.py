"""`db`: upgrade, check and rebuild, and schemas older and newer than this program."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from commands import Cli


def test_upgrade_makes_a_log_and_does_nothing_twice(fresh: Cli) -> None:
    for _ in range(2):
        assert fresh("db", "upgrade").out == "The schema is up to date.\n"
    assert fresh("db", "check").out == "No problems found.\n"


def test_check_finds_a_guard_that_is_gone(sv: Cli) -> None:
    with closing(sqlite3.connect(sv.path, isolation_level=None)) as connection:
        name = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchone()[0]
        connection.execute(f'DROP TRIGGER "{name}"')
    said = sv("db", "check")
    assert said.code == 1
    assert name in said.out
    assert said.err.startswith("sottovoce: 1 finding")


def test_rebuild_makes_the_same_list_again(sv: Cli) -> None:
    before = sv("games", "--json").out
    assert sv("db", "rebuild").out == "Rebuilt the list of 3 games.\n"
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


def tamper(sv: Cli, statement: str) -> None:
    """Change the file behind the back of its guards."""
    with closing(sqlite3.connect(sv.path, isolation_level=None)) as connection:
        guards = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in guards:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(statement)
        for _, made in guards:
            connection.execute(made)


def test_check_names_open_turns_without_a_row_and_rebuild_restores_them(sv: Cli) -> None:
    tamper(sv, "DELETE FROM turns WHERE seat = 'narrator'")
    said = sv("db", "check")
    assert said.code == 1
    lines = said.out.splitlines()
    assert lines
    assert all(line.endswith("of narrator is open and has no row; run: sottovoce db rebuild") for line in lines)
    games = "1 game" if len(lines) == 1 else f"{len(lines)} games"
    assert sv("db", "rebuild").out == f"Rebuilt the open turns of {games}.\nRebuilt the list of 3 games.\n"
    assert sv("db", "check").out == "No problems found.\n"


def test_a_head_is_replaced_only_if_you_name_its_game(sv: Cli) -> None:
    game = sv("games", "--json").rows[0]["game"]
    tamper(sv, "UPDATE heads SET hash = zeroblob(32) WHERE id = 1")
    for words in ((), ("--head", game)):
        said = sv("db", "check")
        assert said.out == f"Game {game} has events that do not match its head; run: sottovoce audit verify {game}\n"
        said = sv("db", "rebuild", *words)
    assert said.out.startswith(f"The head of game {game} is now ")
    assert sv("db", "check").out == "No problems found.\n"


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
