"""`audit links`, what finds links that are not what was written, what mends them, and where they do not go."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path

from commands import Cli

from sottovoce.eventlog import open_log
from sottovoce.server.games import Games
from sottovoce.server.links import LinkKind, Links, digest_of


def with_links(sv: Cli, game: str) -> list[str]:
    """The tokens of a keeper, of Ada whose link was issued twice and claimed, and of an auditor whose link ended."""
    log = open_log(sv.url)
    games = Games(log)
    links = Links(games)

    async def work() -> list[str]:
        live = games.load(game)
        tokens = await links.issue_first(live, [(LinkKind.KEEPER, None), (LinkKind.SEAT, "Ada")])
        tokens.append(await links.issue(live, LinkKind.AUDITOR))
        tokens.append(await links.issue(live, LinkKind.SEAT, "Ada"))
        link = links.find(tokens[-1])
        assert link is not None
        await links.claim(link)
        await links.end(live, 3)
        return tokens

    try:
        return asyncio.run(work())
    finally:
        games.close()
        log.close()


def change(sv: Cli, statement: str) -> None:
    with closing(sqlite3.connect(sv.path, isolation_level=None)) as connection:
        connection.execute(statement)


def test_a_game_without_links_says_so(sv: Cli, over: str) -> None:
    assert sv("audit", "links", over).out == "This game has no links.\n"
    assert sv("audit", "links", over, "--json").out == ""


def test_links_are_listed_without_what_opens_anything(sv: Cli, over: str) -> None:
    tokens = with_links(sv, over)
    rows = sv("audit", "links", over, "--json").rows
    assert [list(row) for row in rows] == [["number", "kind", "seat", "issued", "claimed", "ended"]] * 4
    assert [(row["number"], row["kind"], row["seat"]) for row in rows] == [
        (1, "keeper", None),
        (2, "seat", "Ada"),
        (3, "auditor", None),
        (4, "seat", "Ada"),
    ]
    assert [bool(row["claimed"]) for row in rows] == [False, False, False, True]
    assert [bool(row["ended"]) for row in rows] == [False, True, True, False]
    assert rows[3]["issued"] == rows[1]["ended"]
    told = sv("audit", "links", over).out
    assert [line.split()[:3] for line in told.splitlines()[1:]] == [
        ["1", "keeper", "–"],
        ["2", "seat", "Ada"],
        ["3", "auditor", "–"],
        ["4", "seat", "Ada"],
    ]
    for token in tokens:
        for shown in (told, json.dumps(rows)):
            assert token[4:] not in shown
            assert digest_of(token).hex() not in shown


def test_links_change_nothing_that_is_shown_of_a_game(sv: Cli, over: str) -> None:
    shown = [
        ("show", over, "--json"),
        ("view", over, "--as", "Ada", "--json"),
        ("transcript", over),
        ("games", "--json"),
    ]
    before = [sv(*words).out for words in (*shown, ("audit", "saw", over, "Ada"), ("audit", "leaks", over))]
    with_links(sv, over)
    assert [sv(*words).out for words in (*shown, ("audit", "saw", over, "Ada"), ("audit", "leaks", over))] == before


def test_a_table_that_says_something_else_is_found_and_rebuilt(sv: Cli, over: str) -> None:
    with_links(sv, over)
    assert sv("audit", "verify", over).code == 0
    assert sv("db", "check").code == 0
    listed = sv("audit", "links", over).out
    change(sv, "UPDATE links SET ended = NULL, ending = NULL WHERE number = 3")
    told = "link 3 differs from its receipts (ended, ending); run: sottovoce db rebuild"
    said = sv("audit", "verify", over)
    assert (said.code, told in said.out) == (1, True)
    said = sv("audit", "links", over)
    assert (said.code, said.out, said.err.count("\n")) == (1, "", 1)
    assert told in said.err
    said = sv("db", "check")
    assert (said.code, said.out) == (1, f"Game {over}: {told}\n")
    said = sv("db", "rebuild")
    assert said.code == 0
    assert said.out.startswith("Rebuilt the links of 1 game.\n")
    assert sv("db", "check").code == 0
    assert sv("audit", "verify", over).code == 0
    assert sv("audit", "links", over).out == listed


def test_links_go_with_no_copy_of_a_game(sv: Cli, fresh: Cli, waiting: str, tmp_path: Path) -> None:
    tokens = with_links(sv, waiting)
    file = tmp_path / "game.jsonl"
    assert sv("export", waiting, "-o", file).code == 0
    forked = sv("fork", waiting, "--at", len(file.read_text().splitlines()), "--json").json["game"]
    assert sv("audit", "links", forked, "--json").out == ""
    assert all(digest_of(token).hex() not in file.read_text() for token in tokens)
    assert fresh("import", file).code == 0
    assert fresh("audit", "links", waiting, "--json").out == ""
    again = tmp_path / "again.jsonl"
    assert sv("export", waiting, "-o", again).code == 0
    assert sv("import", again).code == 0, "the same game is there already, and keeps its links"
    assert len(sv("audit", "links", waiting, "--json").rows) == 4
    log = open_log(fresh.url)
    assert [log.link(digest_of(token)) for token in tokens] == [None] * 4
    log.close()
