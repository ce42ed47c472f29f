"""Bad input of every command: one line that says what to do, the right exit code, and nothing changed."""

from __future__ import annotations

import os
import re
import shlex
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from commands import SOTTOVOCE, Cli, Said
from patience import PATIENCE
from remote import EXAMPLES

from sottovoce.cli.place import Place, without_password

ON_LATEST = (
    ("show", "latest"),
    ("watch", "latest"),
    ("view", "latest"),
    ("replay", "latest"),
    ("transcript", "latest"),
    ("inbox", "latest"),
    ("send", "latest"),
    ("files", "latest", "--into", "somewhere"),
)
"""Commands that take --as."""

ON_A_GAME = (
    ("show", "{}"),
    ("watch", "{}"),
    ("resume", "{}"),
    ("view", "{}", "--as", "Ada"),
    ("replay", "{}"),
    ("transcript", "{}"),
    ("fork", "{}", "--at", "3"),
    ("export", "{}"),
    ("inbox", "{}", "--as", "Ada"),
    ("send", "{}", "--as", "Ada"),
    ("files", "{}", "--as", "Ada", "--into", "x"),
    ("audit", "who-knows", "{}"),
    ("audit", "who-saw", "{}", "1"),
    ("audit", "saw", "{}", "Ada"),
    ("audit", "how", "{}", "Ada", "1"),
    ("audit", "prompt", "{}", "Ada", "1"),
    ("audit", "leaks", "{}"),
    ("audit", "verify", "{}"),
)

ON_THE_LOG = (("games",), ("audit", "heads"), ("audit", "verify"), ("db", "check"), ("db", "rebuild"), *ON_A_GAME)

WRONG_USAGE = (
    ("nonsense",),
    ("play",),
    ("play", "chess"),
    ("run",),
    ("run", "mafia"),
    ("audit",),
    ("db",),
    ("show",),
    ("show", "latest", "more"),
    ("show", "latest", "--as"),
    ("games", "--nonsense"),
    ("fork", "latest"),
    ("fork", "latest", "--at", "x"),
    ("fork", "latest", "--at", "30", "--seed", ""),
    ("view", "latest"),
    ("inbox", "latest"),
    ("inbox", "latest", "--as", "Ada", "--wait", "nan"),
    ("inbox", "latest", "--as", "Ada", "--wait", "-1"),
    ("inbox", "latest", "--as", "Ada", "--since", "-1"),
    ("send", "latest"),
    ("send", "latest", "--as", "Ada", "--turn", "0"),
    ("send", "latest", "--as", "Ada", "/no/such/file"),
    ("send", "latest", "--as", "Ada", "/"),
    ("import",),
    ("import", "/no/such/file"),
    ("import", "/"),
    ("import", "a\0b"),
    ("files", "latest", "--as", "Ada"),
    ("replay", "latest", "--speed", "0"),
    ("replay", "latest", "--speed", "nan"),
    ("replay", "latest", "--speed", "inf"),
    ("replay", "latest", "--from", "0"),
    ("replay", "latest", "--to", "100000"),
    ("replay", "latest", "--from", "9", "--to", "3"),
    ("show", "latest", "--as", "Ada", "--auditor"),
    ("watch", "latest", "--as", "Ada", "--auditor"),
    ("transcript", "latest", "--format", "pdf"),
    ("export", "latest", "--receipts", "-"),
    ("export", "latest", "-o", "one.jsonl", "--receipts", "one.jsonl"),
    ("export", "latest", "-o", "one.jsonl", "--receipts", "./one.jsonl"),
    ("inbox", "latest", "--as", "Ada", "--claim", "1e12"),
    ("games", "--limit", "0"),
    ("games", "--limit", "9223372036854775808"),
    ("view", "latest", "--as", "Ada", "--at", "0"),
    ("view", "latest", "--as", "Ada", "--at", "100000"),
    ("fork", "latest", "--at", "0"),
    ("fork", "latest", "--at", "100000"),
    ("fork", "latest", "--at", "3", "--seat", "Nobody=house"),
    ("fork", "latest", "--at", "3", "--seat", "Ada=wizard"),
    ("resume", "latest", "--seat", "Ada"),
    ("resume", "latest", "--seat", "Ada=wizard"),
    ("resume", "latest", "--seat", "Nobody=house"),
    ("audit", "who-saw", "latest", "0"),
    ("audit", "who-saw", "latest", "100000"),
    ("audit", "who-saw", "latest", "x"),
    ("audit", "saw", "latest", "Nobody"),
    ("audit", "saw", "latest", "Ada", "--at", "0"),
    ("audit", "how", "latest", "Ada", "0"),
    ("audit", "how", "latest", "Nobody", "1"),
    ("audit", "prompt", "latest", "Ada", "999"),
    ("audit", "prompt", "latest", "Nobody", "1"),
    ("audit", "verify", "latest", "--head", "nonsense"),
    ("audit", "verify", "--head", "1:" + "0" * 64),
    ("audit", "verify", "--heads", "/no/such/file"),
    ("audit", "verify", "--heads", "/"),
    ("audit", "verify", "--heads", "/dev/null"),
    ("audit", "verify", "--heads", "/etc/passwd"),
    ("audit", "verify", "latest", "--heads", "/dev/null", "--head", "1:" + "0" * 64),
    ("db", "upgrade", "--app-role", "player"),
    ("play", "mafia", "--players", "3"),
    ("play", "mafia", "--players", "41"),
    ("play", "mafia", "--players", "many"),
    ("play", "mafia", "--names", "Ada,,Bram,Cleo"),
    ("play", "mafia", "--names", "Ada,ada,Bram,Cleo"),
    ("play", "mafia", "--names", "Ada,narrator,Bram,Cleo"),
    ("play", "mafia", "--names", "Ada,Bram,Cleo"),
    ("play", "mafia", "--names", "Ada,Bram,Cleo,Dirk", "--players", "5"),
    ("play", "mafia", "--names", "Ada,Bram,Cleo,Dirk", "--seat", "Nobody=house"),
    ("play", "mafia", "--agents", "wizard"),
    ("play", "mafia", "--agents", ""),
    ("play", "mafia", "--agents", "scripted:"),
    ("play", "mafia", "--agents", "scripted:/no/such/file"),
    ("play", "mafia", "--seat", "=house"),
    ("play", "mafia", "--seat", "Ada=house", "--seat", "Ada=random"),
    ("play", "mafia", "--rule", "max_days"),
    ("play", "mafia", "--rule", "nonsense=1"),
    ("play", "mafia", "--rule", "max_attempts=0"),
    ("play", "mafia", "--rule", "max_days=1", "--rule", "max_days=2"),
    ("play", "mafia", "--rule", 'role_counts={"Mafia":9}'),
    ("play", "mafia", "--rule", 'role_counts={"Wolf":1}'),
    ("play", "mafia", "--rule", "role_counts=[[[["),
    ("play", "mafia", "--seed", " "),
    ("play", "mafia", "--seed", "a\nb"),
    ("play", "mafia", "--seed", "9" * 201),
    ("run", "mafia", "--games", "0"),
    ("run", "mafia", "--games", "2", "--jobs", "65"),
    ("run", "mafia", "--games", "2", "--seat", "Ada=human"),
    ("run", "mafia", "--games", "2", "--agents", "outside"),
    ("run", "mafia", "--games", "2", "--agents", "wizard"),
)

REFUSED = (
    ("send", "latest", "--as", "Ada", "--turn", "99"),
    ("send", "latest", "--as", "Ada"),
)
"""Refused with a reason, which the log keeps."""

FAILED = (
    ("files", "latest", "--as", "Ada", "--into", "x"),
    ("transcript", "latest", "-o", "/"),
    ("transcript", "latest", "-o", "/no/such/folder/file"),
    ("transcript", "latest", "-o", "/dev/full"),
    ("export", "latest", "-o", "/dev/full"),
    ("export", "latest", "-o", "/"),
    ("export", "latest", "--receipts", "/"),
    ("export", "latest", "-o", "a\0b"),
    ("import", "/dev/null"),
)


def one_line(said: Said, code: int) -> str:
    """The error of a command that ended with that code; it printed nothing else."""
    assert said.code == code, said
    assert said.err.startswith("sottovoce: "), said.err
    assert said.err.count("\n") == 1
    assert said.err.endswith("\n")
    assert said.err.rstrip("\n").isprintable()
    assert "Traceback" not in said.err
    assert "unexpected error" not in said.err
    assert len(said.err) > 25, "it says what to do"
    return said.err


@pytest.mark.parametrize("words", WRONG_USAGE, ids=" ".join)
def test_wrong_usage_and_unknown_names_are_one_line_and_exit_code_2(sv: Cli, words: tuple[str, ...]) -> None:
    before = sv.stored()
    said = sv(*words)
    one_line(said, 2)
    assert said.out == ""
    assert sv.stored() == before


@pytest.mark.parametrize("words", ON_A_GAME, ids=" ".join)
@pytest.mark.parametrize(("name", "told"), [("nosuchgame", "no game 'nosuchgame'"), ("", "no game ''")])
def test_an_unknown_game(sv: Cli, words: tuple[str, ...], name: str, told: str) -> None:
    before = sv.stored()
    said = sv(*(word.format(name) for word in words))
    assert told in one_line(said, 2)
    assert "sottovoce games" in said.err
    assert sv.stored() == before


@pytest.mark.parametrize("words", ON_LATEST, ids=" ".join)
@pytest.mark.parametrize("seat", ["Nobody", "", "ad", "Ada\x1b[2J"])
def test_an_unknown_seat_names_the_seats_there_are(sv: Cli, words: tuple[str, ...], seat: str) -> None:
    said = sv(*words, "--as", seat)
    assert "Ada, Bram, Cleo, Dirk, narrator" in one_line(said, 2)


@pytest.mark.parametrize("words", REFUSED, ids=" ".join)
def test_a_refusal_says_why(sv: Cli, words: tuple[str, ...]) -> None:
    assert "Refused: " in one_line(sv(*words, stdin="Hello"), 1)


@pytest.mark.parametrize("words", FAILED, ids=" ".join)
def test_what_cannot_be_done_is_one_line_and_exit_code_1(
    sv: Cli, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = sv.stored()
    said = sv(*words)
    one_line(said, 1)
    assert said.out == ""
    assert sv.stored() == before


@pytest.mark.parametrize("beside", ["", "-wal", "-shm", ".lock"])
@pytest.mark.parametrize(
    "words",
    [
        ("export", "latest", "-o"),
        ("export", "latest", "--receipts"),
        ("transcript", "latest", "-o"),
        ("run", "mafia", "--games", "1", "--quiet", "--csv"),
    ],
    ids=" ".join,
)
def test_nothing_is_written_over_a_log(sv: Cli, words: tuple[str, ...], beside: str) -> None:
    before = sv.stored()
    assert "is a database, or belongs to one" in one_line(sv(*words, f"{sv.path}{beside}"), 2)
    assert sv.stored() == before


def test_a_pipe_is_written_to(sv: Cli, tmp_path: Path) -> None:
    """And not looked into first, which would wait for its other end."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command = [str(SOTTOVOCE), "--db", str(sv.path), "export", "latest", "-o", str(pipe)]
    with subprocess.Popen(command) as writing:
        read = subprocess.run(["cat", str(pipe)], capture_output=True, text=True, timeout=PATIENCE)
        assert writing.wait(PATIENCE) == 0
    assert read.stdout == sv("export", "latest").out


def test_a_file_that_cannot_be_written_is_named(sv: Cli) -> None:
    for words in (("export", "latest", "-o", "/dev/full"), ("transcript", "latest", "-o", "/dev/full")):
        assert "Cannot write /dev/full: No space left" in one_line(sv(*words), 1)


def test_a_session_goes_on_from_no_game_of_another_ruleset(sv: Cli) -> None:
    campaign = str(EXAMPLES / "campaigns" / "ten-past-four")
    said = sv("play", "tabletop", campaign, "--continue", "latest", "--quiet")
    assert "is a game of mafia, not a session" in one_line(said, 2)


PASSWORDS = [
    ("postgresql://ann:secret@host/games", "postgresql://ann:***@host/games"),
    ("postgresql://ann:se@cret@host/games", "postgresql://ann:***@host/games"),
    ("postgresql://host/games?user=ann&password=secret", "postgresql://host/games?user=ann&password=***"),
    ("postgresql://host/?PASSWORD=secret&sslpassword=secret#x", "postgresql://host/?PASSWORD=***&sslpassword=***#x"),
    ("postgresql://host/games", "postgresql://host/games"),
]


@pytest.mark.parametrize(("given", "shown"), PASSWORDS)
def test_a_password_is_not_printed(given: str, shown: str) -> None:
    assert without_password(given) == shown
    assert shown in Place(given, named=True).command("games")


@pytest.mark.parametrize("host", ["u:se@cret@127.0.0.1:1", "u:a/secret@127.0.0.1:1", "..", "a\u202eb"])
def test_a_host_that_cannot_be_is_one_that_cannot_be_reached(sv: Cli, host: str) -> None:
    said = sv("games", db=f"postgresql://{host}/games")
    assert "cret" not in one_line(said, 1)
    assert "can't be reached" in said.err or "is not a PostgreSQL address" in said.err


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_standard_stream_that_is_closed_is_as_one_that_is_empty(sv: Cli, closed: str) -> None:
    """Services start programs like that."""
    game = sv("games", "--json").rows[0]["game"]
    for words in ("games", "play mafia --agents random", f"send {game} --as Ada"):
        command = f"{shlex.quote(str(SOTTOVOCE))} --db {shlex.quote(str(sv.path))} {words} {closed}"
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=PATIENCE)
        assert "unexpected error" not in done.stderr, (words, done.stderr)
        assert done.returncode == (1 if words.startswith("send") else 0), (words, done.stderr)


def test_a_command_that_is_named_can_be_typed(sv: Cli) -> None:
    words = ("run", "mafia", "--games", "1", "--agents", "random", "--quiet", "--name", "a b")
    assert sv(*words).code == 0
    assert "sottovoce run --continue 'a b'" in one_line(sv(*words), 2)


def test_an_ambiguous_prefix_lists_what_it_may_mean(sv: Cli) -> None:
    ids = [row["game"] for row in sv("games", "--json").rows]
    twin = ids[0][:4] + "xxxxxx"
    with closing(sqlite3.connect(sv.path)) as connection, connection:
        columns = ", ".join(
            row[1] for row in connection.execute("PRAGMA table_info(heads)") if row[1] not in ("id", "game")
        )
        connection.execute(f"INSERT INTO heads (game, {columns}) SELECT ?, {columns} FROM heads LIMIT 1", (twin,))
    said = sv("show", ids[0][:4])
    assert f"{ids[0]}, {twin}" in one_line(said, 2)
    assert "Give more of the ID" in said.err


@pytest.mark.parametrize("words", ON_THE_LOG, ids=" ".join)
@pytest.mark.parametrize(
    ("db", "code", "told"),
    [
        ("postgresql://127.0.0.1:1/games", 1, "sottovoce: "),
        ("sqlite:////no/such/folder/games.db", 1, "no folder"),
        ("sqlite:////", 1, "folder"),
        ("sqlite:////dev/null", 1, "--db"),
        (f"sqlite:///{__file__}", 1, "not a database"),
        ("/no/such/folder/games.db", 1, "no folder"),
        ("sqlite:///", 2, "sqlite:///PATH"),
        ("memory:", 2, "--db PATH"),
        ("mysql://x\x1b[2J", 2, "sqlite:///PATH"),
    ],
)
def test_an_unreachable_database(words: tuple[str, ...], db: str, code: int, told: str) -> None:
    said = Cli(Path("unused.db"))(*(word.format("latest") for word in words), db=db)
    assert told in one_line(said, code)


@pytest.mark.parametrize("words", ON_THE_LOG, ids=" ".join)
def test_a_log_that_does_not_exist_is_not_made_by_looking(fresh: Cli, words: tuple[str, ...]) -> None:
    assert "There is no database" in one_line(fresh(*(word.format("latest") for word in words)), 1)
    assert not fresh.path.exists()


def test_no_games_yet_is_no_error(tmp_path: Path) -> None:
    sv = Cli(tmp_path / "empty.db")
    assert sv("db", "upgrade").code == 0
    assert sv("games").out == "No games yet. Start one with: sottovoce play mafia\n"
    assert sv("games", "--json").out == ""
    assert "Start one with" in one_line(sv("show", "latest"), 2)


def test_an_empty_db_option_is_told_and_an_empty_variable_is_none(tmp_path: Path, sv: Cli) -> None:
    one_line(sv("--db", "", "games"), 2)
    env = {**os.environ, "SOTTOVOCE_DB": "", "XDG_DATA_HOME": str(tmp_path), "HOME": str(tmp_path)}
    done = subprocess.run([SOTTOVOCE, "games"], env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "No games yet" in done.stdout


@pytest.mark.parametrize(
    "words", [("games",), ("export", "latest"), ("--help",), ("show", "latest"), ("replay", "latest")]
)
def test_a_full_disk_behind_standard_output(sv: Cli, words: tuple[str, ...]) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [SOTTOVOCE, "--db", sv.url, *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert re.fullmatch(r"sottovoce: Cannot write the output: .*\n", done.stderr)


def test_a_reader_that_leaves_early_is_no_error(sv: Cli, over: str) -> None:
    line = f"'{SOTTOVOCE}' --db '{sv.url}' export {over} | head -1"
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1
