"""`audit`: its shapes, its exit codes, and that a log changed behind the triggers is found and located."""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest
from commands import Cli

from sottovoce.eventlog.envelope import START, origin_hash, receipt_envelope, receipt_leaf, running_hash, to_micros


def test_who_saw_names_every_seat(sv: Cli, over: str) -> None:
    found = sv("audit", "who-saw", over, 3, "--json").json
    assert list(found) == ["event", "seats"]
    assert found["event"]["position"] == 3
    assert [list(seat) for seat in found["seats"]] == [["seat", "allowed", "handed"]] * 6
    assert {seat["seat"] for seat in found["seats"] if seat["allowed"]} == set(found["event"]["audience"])
    assert all(not seat["handed"] for seat in found["seats"] if not seat["allowed"])
    assert "for Ada, narrator" in sv("audit", "who-saw", over, 3).out


def test_who_knows_names_every_secret_and_since_when(sv: Cli, over: str) -> None:
    found = sv("audit", "who-knows", over, "--json").rows
    roles = [fact for fact in found if fact["fact"][0] == "role"]
    assert len({fact["fact"][1] for fact in roles}) == len(roles) == 5
    for fact in roles:
        seen = sv("audit", "who-saw", over, fact["position"], "--json").json
        first = {seat["seat"] for seat in seen["seats"] if seat["allowed"]}
        assert {seat for seat, since in fact["seats"].items() if since == fact["position"]} == first
    own = sv("audit", "who-knows", over, "--seat", "Ada").out
    assert re.search(r"Ada since \d+", own)
    assert not re.search(r"(?m)^ +(?!Ada)\S.* since \d+", own)
    assert sv("audit", "who-knows", over, "--seat", "Zed").code == 2


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
    assert "No prompt: this bot reads its view directly" in sv("audit", "prompt", over, "Ada", 1).out
    prompt = sv("inbox", waiting, "--as", "narrator", "--json").json["turns"][0]["prompt"]
    found = sv("audit", "prompt", waiting, "narrator", 1, "--json").json
    blocks = [text for block in found["handed"] for digest in block["blocks"] for text in [found["texts"][digest]]]
    assert "\n\n".join(blocks) == prompt, "the very bytes"


def test_prompt_tells_what_the_agent_had_in_mind(fresh: Cli) -> None:
    game = fresh.play("--names", "Ada,Bram,Cleo,Dirk,Edda", "--agents", "house", env={"SOTTOVOCE_PACE": "0"})
    turns = range(2, 5)
    minds = [fresh("audit", "prompt", game, "Ada", turn, "--json").json["handed"][0]["ended"]["mind"] for turn in turns]
    assert any(mind["suspicion"] for mind in minds)
    for turn, mind in zip(turns, minds, strict=True):
        out = fresh("audit", "prompt", game, "Ada", turn).out
        suspected = sorted(mind["suspicion"].items(), key=lambda one: -one[1])
        assert (f"--- Thoughts\n{mind['thoughts']}\n" in out) == bool(mind["thoughts"])
        told = [f"{name} {value:g}" for name, value in suspected]
        assert out.endswith(f"(below 0 means trust): {', '.join(told)}\n") == bool(told)


def test_thoughts_are_told_in_the_order_of_the_game_and_beside_its_events(fresh: Cli) -> None:
    game = fresh.play("--names", "Ada,Bram,Cleo,Dirk,Edda", "--agents", "house", env={"SOTTOVOCE_PACE": "0"})
    found = fresh("audit", "thoughts", game, "--json").rows
    assert [list(one) for one in found[:1]] == [
        ["position", "seat", "turn", "agent", "thoughts", "suspicion", "notes"],
    ]
    own = fresh("audit", "thoughts", game, "Ada", "--json").rows
    assert own == [one for one in found if one["seat"] == "Ada"]
    out = fresh("audit", "thoughts", game, "Ada").out
    first = own[0]
    assert out.startswith(f"Position {first['position']}: Ada, turn {first['turn']}\n")
    assert f"  thinks: {first['thoughts']}\n" in out
    assert re.search(r"  suspects: \w+ -?[\d.]+ \([+-][\d.]+\)", out), "how far it moved"
    replayed = fresh("replay", game, "--thoughts").out
    assert sum(line.startswith("    Ada thinks: ") for line in replayed.splitlines()) == sum(
        bool(one["thoughts"]) for one in own
    )
    assert " thinks: " not in fresh("replay", game).out


def test_thoughts_are_for_auditors(fresh: Cli, waiting: str, sv: Cli) -> None:
    for words in (("--as", "narrator"), ()):
        said = sv("replay", waiting, *words, "--thoughts")
        assert (said.code, said.out) == (2, "")
        assert "Only auditors see thoughts." in said.err
    assert sv("replay", waiting, "--auditor", "--thoughts").code == 0
    assert sv("audit", "thoughts", waiting).out == "No thoughts are recorded.\n"
    assert sv("audit", "thoughts", waiting, "Nobody").code == 2
    assert sv("replay", waiting, "--auditor", "--thoughts", "--json").code == 2


def test_leaks_are_findings_only_where_nobody_chose_to_tell(sv: Cli, over: str) -> None:
    said = sv("audit", "leaks", over)
    assert said.code == 0
    assert re.search(r"No leak found; \d+ notes?\.\n$", said.out)


def test_verify_agrees_and_prints_a_head_that_can_be_kept(sv: Cli, over: str) -> None:
    found = sv("audit", "verify", over, "--json").json
    assert list(found) == ["events", "receipts", "taken_over", "ok", "problems"]
    assert found["receipts"] > 0
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


def behind_the_triggers(sv: Cli, *statements: str) -> None:
    with closing(sqlite3.connect(sv.path, isolation_level=None)) as connection:
        for (trigger,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f'DROP TRIGGER "{trigger}"')
        for statement in statements:
            connection.execute(statement)


DELIVERIES = "name = 'core.called.v1' AND seat = 'Ada'"
CLAIMS = [("who-saw", 3), ("saw", "Ada"), ("prompt", "Ada", 1), ("leaks",)]


@pytest.mark.parametrize(
    "statement",
    [f"DELETE FROM receipts WHERE {DELIVERIES}", f"UPDATE receipts SET at = at - 86400000000 WHERE {DELIVERIES}"],
)
def test_nothing_is_claimed_from_receipts_that_were_tampered_with(
    sv: Cli, over: str, statement: str, tmp_path: Path
) -> None:
    behind_the_triggers(sv, statement)
    first = re.search(r"^receipt (\d+): (is missing|does not match its hash)", sv("audit", "verify", over).out, re.M)
    assert first is not None
    assert sv("audit", "verify", over).code == 1
    found = json.loads(sv("audit", "verify", over, "--json").out)
    assert int(first[1]) in {problem["receipt"] for problem in found["problems"]}
    for words in CLAIMS:
        said = sv("audit", words[0], over, *words[1:])
        assert (said.code, said.out) == (1, ""), words
        assert said.err == (
            f"sottovoce: The receipts of game {over} were changed (receipt {first[1]} {first[2]}); "
            f"run: sottovoce audit verify {over}\n"
        )
    said = sv("export", over, "-o", tmp_path / "events.jsonl", "--receipts", "-")
    assert (said.code, said.out) == (1, "")


def test_hand_overs_that_were_deleted_are_missed_by_the_check_of_the_database(sv: Cli, over: str) -> None:
    behind_the_triggers(sv, f"DELETE FROM receipts WHERE {DELIVERIES}")
    said = sv("db", "check")
    assert said.code == 1
    assert re.search(rf"Game {over} has \d+ receipts and a head of \d+; run: sottovoce audit verify {over}\n", said.out)


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        (
            "UPDATE blocks SET text = (SELECT text FROM blocks WHERE rowid = 2) WHERE rowid = 1",
            "is not what was delivered",
        ),
        ("UPDATE blocks SET text = x'00' WHERE rowid = 1", "is not what was delivered"),
        ("DELETE FROM blocks WHERE rowid = 1", "is missing"),
    ],
)
def test_a_prompt_that_is_not_the_one_of_its_name_is_not_shown(
    sv: Cli, waiting: str, statement: str, told: str, tmp_path: Path
) -> None:
    sv("inbox", waiting, "--as", "narrator", "--json")
    assert sv("audit", "prompt", waiting, "narrator", 1).code == 0
    behind_the_triggers(sv, statement)
    for words in (
        ("audit", "prompt", waiting, "narrator", 1),
        ("export", waiting, "--receipts", "-", "-o", tmp_path / "out.jsonl"),
    ):
        said = sv(*words)
        assert (said.code, said.out, said.err.count("\n")) == (1, "", 1), words
        assert re.search(rf"The text [0-9a-f]{{12}}… {told}; run: sottovoce audit verify", said.err)
    assert re.search(rf"^receipt 1: names a text that {told} ", sv("audit", "verify", waiting).out, re.M)


def test_exported_receipts_can_be_checked_by_anybody(sv: Cli, waiting: str, tmp_path: Path) -> None:
    sv("inbox", waiting, "--as", "narrator", "--json")
    lines = sv("export", waiting, "-o", tmp_path / "events.jsonl", "--receipts", "-").rows
    assert lines
    leaves = []
    for line in lines:
        digests = b"".join(hashlib.sha256(text.encode()).digest() for text in line["texts"])
        data = json.dumps(line["data"], ensure_ascii=False, separators=(",", ":"))
        at = to_micros(datetime.fromisoformat(line["at"]))
        enveloped = receipt_envelope(
            line["game"], line["number"], line["name"], at, line["seat"], data, digests or None
        )
        leaves.append(receipt_leaf(enveloped))
        assert line["hash"] == leaves[-1].hex()


def test_without_a_game_the_whole_log_is_verified(sv: Cli, over: str, waiting: str) -> None:
    said = sv("audit", "verify")
    assert said.code == 0
    *games, last = said.out.splitlines()
    assert [line.split()[1].rstrip(":") for line in games] == [row["game"] for row in sv("games", "--json").rows]
    assert all(" match the head " in line for line in games)
    assert last == f"{len(games)} games verified."
    assert said.err.splitlines()[-1] == f"{len(games)} of {len(games)} games", "progress"
    rows = sv("audit", "verify", "--json").rows
    assert [list(row) for row in rows] == [["game", "events", "receipts", "taken_over", "ok", "problems"]] * len(games)
    said = sv("audit", "verify", "--head", "0" * 64)
    assert said.code == 2
    assert said.err.startswith("sottovoce: --head belongs to one game. Give GAME as well")


def test_what_is_wrong_anywhere_is_located_in_the_whole_log(sv: Cli, over: str, waiting: str) -> None:
    columns = "name, at, seat, data, blocks, hash"
    copy = f"INSERT INTO receipts SELECT 'stray', 1, {columns} FROM receipts WHERE number = 1 LIMIT 1"
    behind_the_triggers(sv, f"UPDATE events SET actor = 'Eve' WHERE game = '{over}' AND position = 7", copy)
    said = sv("audit", "verify")
    assert said.code == 1
    assert f"game {over}, position 7: does not match its hash\n" in said.out
    assert f"\nGame {waiting}: " in said.out
    assert said.out.splitlines()[-1] == "storage: there are receipts of stray, but no such game"
    count = len(sv("games", "--json").rows)
    assert said.err.splitlines()[-1] == (
        f"sottovoce: 1 of {count} games do not verify, and there is 1 problem outside the games."
    )
    rows = [json.loads(line) for line in sv("audit", "verify", "--json").out.splitlines()]
    assert [row["game"] for row in rows if not row["ok"]] == [over, None]
    assert "receipts and a head of 0" in sv("db", "check").out


def without_triggers(path: Path, *statements: str) -> None:
    """Run statements on a log behind its triggers."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for (trigger,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f'DROP TRIGGER "{trigger}"')
        for statement in statements:
            connection.execute(statement)


def test_heads_of_all_games_are_kept_one_line_each(fresh: Cli, tmp_path: Path) -> None:
    games = [fresh.play("--players", 5, "--agents", "random", "--quiet") for _ in range(2)]
    kept = tmp_path / "heads.txt"
    assert fresh("audit", "heads", "-o", kept).code == 0
    lines = kept.read_text().splitlines()
    assert lines == fresh("audit", "heads").out.splitlines()
    heads = [fresh("audit", "verify", game).out.split()[-1] for game in games]
    assert lines == [f"{game} {head}" for game, head in zip(games, heads, strict=True)]
    later = fresh.play("--players", 5, "--agents", "random", "--quiet")
    said = fresh("audit", "verify", "--heads", kept)
    assert (said.code, said.out.splitlines()[-1]) == (0, "3 games verified. The saved heads of 2 games agree.")
    kept.write_text("# a note\n\n" + kept.read_text() + fresh("audit", "heads").out)
    found = [(row["game"], row["kept"]) for row in fresh("audit", "verify", "--heads", kept, "--json").rows]
    assert found == [(game, "agrees") for game in (*games, later)]


def test_games_that_changed_went_back_or_disappeared_are_named(fresh: Cli, tmp_path: Path) -> None:
    """By somebody who mends the heads in the log too, so that nothing in it disagrees."""
    whole, changed, shorter, gone = (fresh.play("--players", 5, "--agents", "random", "--quiet") for _ in range(4))
    kept = tmp_path / "heads.txt"
    assert fresh("audit", "heads", "-o", kept).code == 0
    lines = kept.read_text()
    short = running_hash(START, [bytes.fromhex(row["hash"]) for row in fresh("export", shorter).rows[:9]]).hex()
    created, secret = 7, "33" * 32
    origin = origin_hash(changed, bytes.fromhex(secret), created, 0).hex()
    without_triggers(
        fresh.path,
        f"UPDATE heads SET secret = x'{secret}', created = {created}, origin = x'{origin}' WHERE game = '{changed}'",
        f"DELETE FROM events WHERE game = '{shorter}' AND position > 9",
        f"DELETE FROM receipts WHERE game = '{shorter}'",
        f"UPDATE heads SET length = 9, hash = x'{short}', receipts = 0, receipts_hash = zeroblob(32)"
        f" WHERE game = '{shorter}'",
        *(f"DELETE FROM {table} WHERE game = '{gone}'" for table in ("events", "receipts", "heads", "turns")),
    )
    assert fresh("audit", "verify").code == 0, "the log agrees with itself"
    said = fresh("audit", "verify", "--heads", kept)
    told = f"Since the heads were saved, changed: {changed}; went back: {shorter}; disappeared: {gone}.\n"
    assert (said.code, said.err.splitlines()[-1] + "\n") == (1, f"sottovoce: 3 of 4 games do not verify. {told}")
    printed = fresh("audit", "verify", "--heads", kept, "--json")
    assert printed.code == 1
    found = {row["game"]: row for row in map(json.loads, printed.out.splitlines())}
    assert {game: row["kept"] for game, row in found.items()} == {
        whole: "agrees",
        changed: "changed",
        shorter: "went back",
        gone: "disappeared",
    }
    assert [game for game, row in found.items() if row["ok"]] == [whole]
    assert found[shorter]["problems"][0]["position"] == 10
    assert "by the head in line 3 of" in found[shorter]["problems"][0]["what"]
    for game in (changed, shorter, gone):
        assert fresh("audit", "verify", game, "--heads", kept).code == 1
    assert fresh("audit", "verify", whole, "--heads", "-", stdin=lines).code == 0


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{game} 12", "Line 2 of {file} is not GAME EVENTS+RECEIPTS:HEX"),
        ("{head}", "Line 2 of {file} is not GAME EVENTS+RECEIPTS:HEX"),
        ("\xff\xfe {head} more", "Line 2 of {file} is not GAME EVENTS+RECEIPTS:HEX"),
    ],
)
def test_a_line_that_is_no_head_is_told_by_its_number(sv: Cli, over: str, tmp_path: Path, line: str, told: str) -> None:
    good = next(row for row in sv("audit", "heads").out.splitlines() if row.startswith(over))
    file = tmp_path / "heads.txt"
    file.write_text(f"{good}\n{line.format(game=over, head=good.split()[1])}\n", encoding="latin-1")
    said = sv("audit", "verify", "--heads", file)
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert told.format(file=file) in said.err


def test_a_head_that_is_not_there_is_told(sv: Cli, over: str, tmp_path: Path) -> None:
    file = tmp_path / "heads.txt"
    file.write_text("")
    assert "There is no head in" in sv("audit", "verify", "--heads", file).err
    file.write_text("another 1+1:" + "0" * 64)
    said = sv("audit", "verify", over, "--heads", file)
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert f"{file} has no head for game {over}" in said.err


def test_no_head_that_was_changed_is_written_down_to_be_kept(fresh: Cli, tmp_path: Path) -> None:
    game = fresh.play("--players", 5, "--agents", "random", "--quiet")
    file = tmp_path / "heads.txt"
    file.write_text("as it was")
    without_triggers(fresh.path, "UPDATE heads SET created = created + 1")
    said = fresh("audit", "heads", "-o", file)
    told = f"sottovoce: The head of game {game} was changed; run: sottovoce audit verify {game}\n"
    assert (said.code, said.err, file.read_text()) == (1, told, "as it was")
