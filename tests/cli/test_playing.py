"""`play`, `resume`, `fork` and `run`: with people behind pipes, with scripts, with odd names, and what they print."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import shlex
import signal
import subprocess
import time
from pathlib import Path

import pytest
import yaml
from commands import SOTTOVOCE, Cli

SHORT = ("--rule", "max_days=1", "--rule", "max_speeches=1")
NAMES = "Ada,Bram,Cleo,Dirk"


def sentences(text: str) -> list[str]:
    """The commands printed after `Try next:`."""
    return [line.strip() for line in text.split("Try next:\n")[1].splitlines() if line.strip()]


def test_play_ends_with_the_winner_the_id_and_commands_to_go_on_with(fresh: Cli) -> None:
    said = fresh("play", "mafia", "--names", NAMES, "--agents", "random", "--seed", 1, *SHORT)
    assert said.code == 0
    assert "\x1b" not in said.out
    assert re.search(r"\n(The winner is: \w+|The game is a draw)\. This was game [a-z0-9]{10}\.\n", said.out)
    assert len(sentences(said.out)) == 3


@pytest.mark.parametrize("named", [True, False])
def test_the_commands_printed_work_as_they_are_printed(tmp_path: Path, named: bool) -> None:
    folder = tmp_path / "it's a folder"
    folder.mkdir()
    url = f"sqlite:///{folder}/the log.db"
    env = {**os.environ, "SOTTOVOCE_DB": url}
    names = 'Jean "Luc",O\'Brien,Zoë $HOME,Dirk'
    place = ["--db", url] if named else []
    if named:
        del env["SOTTOVOCE_DB"]
    sv = Cli(folder / "the log.db")
    words = ("play", "mafia", "--names", names, "--agents", "random", "--seed", 1, *SHORT)
    with contextlib.chdir(folder):
        played = sv(*place, *words)
    for line in sentences(played.out)[0 if named else 2 :]:
        done = subprocess.run(line, shell=True, env=env, cwd=folder, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), line
        assert done.stdout


def test_the_same_seed_plays_the_same_game(fresh: Cli) -> None:
    games = [fresh.play(*SHORT, seed=8) for _ in range(2)]
    told = [[(row["name"], row["data"]) for row in fresh("replay", game, "--json").rows] for game in games]
    assert told[0] == told[1]
    other = fresh.play(*SHORT, seed=9)
    assert [(row["name"], row["data"]) for row in fresh("replay", other, "--json").rows] != told[0]


def test_quiet_and_json_print_the_result_alone(fresh: Cli) -> None:
    words = ("play", "mafia", "--names", NAMES, "--agents", "random", "--seed", 1, *SHORT)
    assert fresh(*words, "--quiet").out.startswith("\n")
    assert len(fresh(*words, "--quiet").out.splitlines()) == 7
    found = fresh(*words, "--json").json
    assert list(found) == ["game", "status", "winner", "fallbacks"]


def test_seats_may_have_spaces_quotes_and_letters_of_any_kind(fresh: Cli) -> None:
    names = ["Jean Luc", "O'Brien", 'Zoë "Z"', "李雷", "Rosé 🌹"]
    game = fresh.play("--names", ",".join(names), *SHORT)
    assert fresh("show", game, "--json").json["seats"] == [*names, "narrator"]
    for name in names:
        assert fresh("view", game, "--as", name, "--json").rows
        assert fresh("audit", "saw", game, name).code == 0


def test_a_person_behind_a_pipe_plays_a_seat(fresh: Cli) -> None:
    stdin = "I know who I am.\n" + "1\n" * 60
    said = fresh(
        *("play", "mafia", "--names", NAMES, "--agents", "random", "--seat", "Ada=human", "--seed", 3, *SHORT),
        stdin=stdin,
    )
    assert said.code == 0, said.err
    assert "\x1b" not in said.out + said.err
    replies = [row for row in fresh("view", "latest", "--as", "Ada", "--json").rows if "reply-accepted" in row["name"]]
    assert replies[0]["data"]["text"] == "I know who I am."
    for other in ("Bram", "Cleo", "Dirk"):
        role = next(row for row in fresh("replay", "latest", "--json").rows if row["data"].get("player") == other)
        assert f"{other} is {role['data']['role']}." not in said.out.split("is over")[0]


def test_two_people_share_a_pipe(fresh: Cli) -> None:
    said = fresh(
        *("play", "mafia", "--names", NAMES, "--agents", "random", "--seed", 3, *SHORT),
        *("--seat", "Ada=human", "--seat", "Bram=human"),
        stdin="1\n" * 400,
    )
    assert said.code == 0, said.err
    for seat in ("Ada", "Bram"):
        assert any("reply-accepted" in row["name"] for row in fresh("view", "latest", "--as", seat, "--json").rows)


def test_input_that_ends_leaves_the_game_open_to_be_resumed(fresh: Cli) -> None:
    words = ("play", "mafia", "--names", NAMES, "--agents", "random", "--seat", "Ada=human", "--seed", 3, *SHORT)
    said = fresh(*words, stdin="")
    assert said.code in (0, 1)
    match = re.search(r"Game (\w+) is not over\. To continue: (.*)\n", said.err)
    assert match, said.err
    assert shlex.split(match[2])[-2:] == ["resume", match[1]]
    assert fresh("show", match[1], "--json").json["status"] == "open"
    resumed = fresh("resume", match[1], "--seat", "Ada=random", "--json")
    assert {**resumed.json, "winner": "", "fallbacks": 0} == {
        "game": match[1],
        "status": "over",
        "winner": "",
        "fallbacks": 0,
    }
    again = fresh("resume", match[1])
    assert (again.code, "is over." in again.out) == (0, True)
    assert fresh("resume", match[1], "--json").json["status"] == "over"


def test_scripted_seats_play_from_a_file(fresh: Cli, tmp_path: Path) -> None:
    script = tmp_path / "ada's script.yaml"
    script.write_text(yaml.safe_dump({"role": ["As written."], "speech": ["From the page."]}))
    game = fresh.play("--names", NAMES, "--seat", f"Ada=scripted:{script}", *SHORT, "--rule", "max_attempts=1")
    views = fresh("view", game, "--as", "Ada", "--json").rows
    assert "As written." in [row["data"].get("text") for row in views]
    assert any("fallback-applied" in row["name"] for row in views), "the script runs out"
    script.write_text("just: text")
    said = fresh("play", "mafia", "--names", NAMES, "--seat", f"Ada=scripted:{script}")
    assert (said.code, said.err.count("\n")) == (2, 1)


def test_an_interrupt_says_how_to_go_on_and_ends_with_130(fresh: Cli) -> None:
    words = [SOTTOVOCE, "--db", fresh.url, "play", "mafia", "--names", NAMES, "--agents", "random"]
    with subprocess.Popen(
        [*words, "--seat", "Ada=outside"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as playing:
        assert playing.stderr is not None
        assert "Seats played by outside programs: Ada. In another terminal: " in playing.stderr.readline()
        assert playing.stderr.readline().startswith("With night_seconds=0 the length of a night can show")
        time.sleep(0.5)
        playing.send_signal(signal.SIGINT)
        told = playing.stderr.read()
    assert playing.returncode == 130
    assert "is not over. To continue: " in told
    assert "Traceback" not in told


def test_a_fork_knows_what_was_known_and_is_played_on(sv: Cli, over: str) -> None:
    found = sv("fork", over, "--at", 40, "--seed", 7, "--seat", "Ada=random", "--json").json
    assert list(found) == ["game", "parent"]
    assert found["parent"] == over
    past = sv("view", over, "--as", "Ada", "--json").rows
    kept = sv("view", found["game"], "--as", "Ada", "--json").rows
    *kept, known = kept
    assert kept == past[: len(kept)]
    assert known["name"] == "core.secrets-known.v1", "the game was over, and some have seen its secrets"
    assert sv("resume", found["game"], "--json").json["status"] == "over"
    told = sv("fork", over, "--at", 40).out
    assert re.fullmatch(rf"Game (\w+) is a fork of game {over}\. To continue: .* resume \1\n", told)


def test_run_counts_many_games(fresh: Cli) -> None:
    words = ("run", "mafia", "--games", 3, "--agents", "random", "--seed", 1, "--players", 4, *SHORT)
    found = fresh(*words, "--json", "--quiet")
    assert found.err == ""
    assert list(found.json) == [
        *("games", "winners", "decisions", "events", "fallbacks", "refusals", "tokens", "cost", "seconds"),
        *("voided", "held", "open", "stood_in", "failures", "substitutes", "seats", "seed", "batch", "planned"),
    ]
    assert found.json["games"] == sum(found.json["winners"].values()) == 3
    assert len(fresh("games", "--all", "--json").rows) == 3
    told = fresh(*words)
    assert told.err.endswith("3 of 3 games\n")
    assert re.search(r"^seed +1$", told.out, re.M)
    again = fresh(*words, "--json", "--quiet").json
    assert again["winners"] == found.json["winners"]


def test_run_in_two_processes_plays_the_same_games(fresh: Cli) -> None:
    words = (
        "run",
        "mafia",
        "--games",
        2,
        "--agents",
        "random",
        "--seed",
        1,
        "--players",
        4,
        *SHORT,
        "--json",
        "--quiet",
    )
    one = fresh(*words).json
    url = [SOTTOVOCE, "--db", fresh.url]
    two = subprocess.run([*url, *map(str, words), "--jobs", "2"], capture_output=True, text=True, check=True)
    both = json.loads(two.stdout)
    other = ("seconds", "batch")
    assert {key: both[key] for key in both if key not in other} == {key: one[key] for key in one if key not in other}


def test_a_screen_has_colours_only_on_a_terminal(sv: Cli, over: str) -> None:
    words = [SOTTOVOCE, "--db", sv.url, "replay", over, "--as", "Ada"]
    env = {key: value for key, value in os.environ.items() if key != "NO_COLOR"} | {"TERM": "xterm-256color"}
    piped = subprocess.run(words, env=env, capture_output=True, check=True).stdout
    assert b"\x1b" not in piped
    ours, theirs = pty.openpty()
    with subprocess.Popen(words, env=env, stdout=theirs, stdin=subprocess.DEVNULL) as shown:
        os.close(theirs)
        seen = b""
        try:
            while chunk := os.read(ours, 65536):
                seen += chunk
        except OSError:
            pass
    os.close(ours)
    assert shown.returncode == 0
    assert b"\x1b[" in seen


def test_watch_follows_a_game_from_another_process_to_its_end(sv: Cli, waiting: str) -> None:
    words = [SOTTOVOCE, "--db", sv.url, "watch", waiting, "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as watching:
        assert watching.stdout is not None
        told = [json.loads(watching.stdout.readline())]
        seats = ("--seat", "Ada=random", "--seat", "narrator=random")
        assert sv("resume", waiting, *seats, "--json").json["status"] == "over"
        told += [json.loads(line) for line in watching.stdout]
    assert watching.returncode == 0
    assert told[-1]["name"] == "mafia.game-ended.v1"
    assert all(list(entry) == ["seq", "name", "at", "actor", "data", "piece", "marks"] for entry in told), (
        "the public view throughout"
    )
    assert [entry["seq"] for entry in told] == list(range(1, len(told) + 1))
