"""`audit`: its shapes, its exit codes, and that a log changed behind the triggers is found and located."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing

import pytest
from commands import Cli


def test_who_saw_names_every_seat(sv: Cli, over: str) -> None:
    found = sv("audit", "who-saw", over, 3, "--json").json
    assert list(found) == ["event", "seats"]
    assert found["event"]["position"] == 3
    assert [list(seat) for seat in found["seats"]] == [["seat", "allowed", "handed"]] * 6
    assert {seat["seat"] for seat in found["seats"] if seat["allowed"]} == set(found["event"]["audience"])
    assert all(not seat["handed"] for seat in found["seats"] if not seat["allowed"])
    assert "for Ada, narrator" in sv("audit", "who-saw", over, 3).out


def test_saw_has_its_columns_named(sv: Cli, over: str) -> None:
    lines = sv("audit", "saw", over, "Ada").out.splitlines()
    assert lines[0].split("  ")[0] == "position"
    assert not any("core.turn-opened" in line for line in lines), "in plain words"
    assert len(sv("audit", "saw", over, "Ada", "--at", 3, "--json").rows) == 2


def test_how_tells_the_ways_to_know(sv: Cli, over: str) -> None:
    assert "saw it directly" in sv("audit", "how", over, "Ada", 3).out
    found = sv("audit", "how", over, "Ada", 4, "--json").json
    assert found["seat"] == "Ada"
    assert found["verdict"] in ("rule", "words", "unfounded", "impossible")


def test_prompt_shows_what_was_handed_over(sv: Cli, over: str, waiting: str) -> None:
    assert "No text left this process" in sv("audit", "prompt", over, "Ada", 1).out
    prompt = sv("inbox", waiting, "--as", "narrator", "--json").json["turns"][0]["prompt"]
    found = sv("audit", "prompt", waiting, "narrator", 1, "--json").json
    blocks = [text for block in found["handed"] for digest in block["blocks"] for text in [found["texts"][digest]]]
    assert "\n\n".join(blocks) == prompt, "the very bytes"


def test_leaks_are_findings_only_where_nobody_chose_to_tell(sv: Cli, over: str) -> None:
    said = sv("audit", "leaks", over)
    assert said.code == 0
    assert re.search(r"No leak found; \d+ notes?\.\n$", said.out)


def test_verify_agrees_and_prints_a_head_that_can_be_kept(sv: Cli, over: str) -> None:
    assert list(sv("audit", "verify", over, "--json").json) == ["events", "ok", "problems"]
    head = sv("audit", "verify", over).out.split()[-1]
    assert sv("audit", "verify", over, "--head", head).code == 0
    length, _, digest = head.partition(":")
    wrong = f"{length}:{digest[::-1]}"
    said = sv("audit", "verify", over, "--head", wrong)
    assert (said.code, said.err.count("\n")) == (1, 1)


TAMPERINGS = {
    "changed": (["UPDATE events SET body = CAST(replace(CAST(body AS TEXT), 'Ada', 'Abe') AS BLOB) WHERE {at} 3"], 3),
    "swapped": (
        [
            "UPDATE events SET position = -1 WHERE {at} 12",
            "UPDATE events SET position = 12 WHERE {at} 13",
            "UPDATE events SET position = 13 WHERE {at} -1",
        ],
        12,
    ),
    "removed": (["DELETE FROM events WHERE {at} 20"], 20),
    "the last one removed": (["DELETE FROM events WHERE {at} {last}"], -1),
    "inserted": (
        [
            "INSERT INTO events (game, position, append, name, at, actor, audience, cause, body, salt, hash) "
            "SELECT game, {last} + 1, append, name, at, actor, audience, cause, body, salt, hash "
            "FROM events WHERE {at} {last}"
        ],
        -2,
    ),
    "audience widened": (["UPDATE events SET audience = '*' WHERE {at} 3"], 3),
}


@pytest.mark.parametrize("how", TAMPERINGS)
def test_verify_finds_and_locates_what_was_done_behind_the_triggers(sv: Cli, over: str, how: str) -> None:
    statements, where = TAMPERINGS[how]
    with closing(sqlite3.connect(sv.path, isolation_level=None)) as connection:
        for (trigger,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f'DROP TRIGGER "{trigger}"')
        last = connection.execute("SELECT max(position) FROM events WHERE game = ?", (over,)).fetchone()[0]
        for statement in statements:
            connection.execute(statement.format(at=f"game = '{over}' AND position =", last=last))
    said = sv("audit", "verify", over)
    assert said.code == 1
    assert said.err == f"sottovoce: Game {over} does not verify: {said.out.count(chr(10))} problem" + (
        "s.\n" if said.out.count("\n") > 1 else ".\n"
    )
    located = {-1: last, -2: last + 1}.get(where, where)
    assert f"position {located}: " in said.out
    found = sv("audit", "verify", over, "--json")
    assert found.code == 1
    assert '"ok":false' in found.out


@pytest.mark.parametrize("gone", [1, 9, "last"])
def test_the_other_commands_send_to_verify_where_events_are_missing(sv: Cli, over: str, gone: object) -> None:
    with closing(sqlite3.connect(sv.path, isolation_level=None)) as connection:
        for (trigger,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f'DROP TRIGGER "{trigger}"')
        connection.execute("DELETE FROM game_summaries")
        where = "(SELECT max(position) FROM events WHERE game = :game)" if gone == "last" else str(gone)
        connection.execute(f"DELETE FROM events WHERE game = :game AND position = {where}", {"game": over})
    for words in (("show", over), ("replay", over), ("export", over), ("transcript", over), ("audit", "leaks", over)):
        said = sv(*words)
        assert (said.code, said.out) == (1, ""), words
        assert f"run: sottovoce audit verify {over}" in said.err
        assert said.err.count("\n") == 1
    assert "Traceback" not in sv("games").err
    assert "unexpected" not in sv("games").err
