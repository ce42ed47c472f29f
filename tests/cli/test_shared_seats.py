"""Several programs on one seat: each claims a turn of its own, and a claim that is not used lapses."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import time
from pathlib import Path

import pytest
from commands import ROOT, SOTTOVOCE, Cli
from patience import PATIENCE

from sottovoce.domain.draws import Seed
from sottovoce.eventlog import open_log
from sottovoce.server.games import Games

BY_SHELL = ROOT / "examples" / "delegation" / "by-shell.sh"
TASKS = tuple(f"20260101-120{number}-task-{number}" for number in range(3))
SEATS = ("planner", "executor", "reviewer", "user")


@pytest.fixture
def sv(tmp_path: Path) -> Cli:
    return Cli(tmp_path / "games.db")


@pytest.fixture
def waiting(sv: Cli, tmp_path: Path) -> str:
    """A game in which the planner is asked about three tasks at once, and every seat is filled from outside."""
    log = open_log(sv.url)
    games = Games(log)
    files = {f"{task}.md": b"Do it." for task in TASKS}
    opening = games.open(
        "delegation", SEATS, dict.fromkeys(SEATS, "outside"), Seed.of(1), {}, files=files, folder=str(tmp_path)
    )
    live = asyncio.run(opening)
    games.close()
    log.close()
    return live.id


def claim(sv: Cli, game: str, seconds: float = 60, seat: str = "planner", *more: object) -> list[int]:
    found = sv("inbox", game, "--as", seat, "--claim", seconds, *more, "--json").json
    return [turn["turn"] for turn in found["turns"]]


def test_each_turn_names_its_task_and_its_file(sv: Cli, waiting: str) -> None:
    turns = sv("inbox", waiting, "--as", "planner", "--json").json["turns"]
    assert [turn["task"] for turn in turns] == list(TASKS)
    assert turns[1]["artifact"] == f".agent-artifacts/{TASKS[1]}/delegate-task-{TASKS[1]}.md"
    told = sv("inbox", waiting, "--as", "planner").out
    assert f"Task: {TASKS[2]}\nArtifact: .agent-artifacts/{TASKS[2]}/delegate-task-{TASKS[2]}.md\n" in told
    text = "execute_delegate_task\n\n# Task\n\nReviewer: reviewer\n"
    for seat, number, answer in (
        *(("planner", 1, text), ("executor", 1, "review_requested\n\n# R\n")),
        ("reviewer", 1, "stop_recommended\n\n# R\n"),
    ):
        assert sv("send", waiting, "--as", seat, "--turn", number, stdin=answer).code == 0
    decide = sv("inbox", waiting, "--as", "user", "--json").json["turns"][0]
    assert (decide["kind"], decide["task"], decide["artifact"]) == ("decide", TASKS[0], None)


def test_programs_on_one_seat_claim_different_turns(sv: Cli, waiting: str) -> None:
    words = [SOTTOVOCE, "--db", sv.url, "inbox", waiting, "--as", "planner", "--claim", "60", "--json"]
    at_once = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    found = [json.loads(program.communicate(timeout=PATIENCE)[0]) for program in at_once]
    assert sorted([turn["turn"] for turn in each["turns"]] for each in found) == [[], [1], [2], [3]]
    shown = sv("inbox", waiting, "--as", "planner", "--json").json["turns"]
    assert len(shown) == 3, "who only looks sees them all"
    assert all(turn["claimed_until"] for turn in shown)


def test_a_claim_that_is_not_used_lapses(sv: Cli, waiting: str) -> None:
    assert [claim(sv, waiting, PATIENCE), claim(sv, waiting, PATIENCE), claim(sv, waiting, 1)] == [[1], [2], [3]]
    assert claim(sv, waiting, PATIENCE, "planner", "--wait", PATIENCE) == [3], "the one that lapsed"
    assert "Claimed by you until" not in sv("inbox", waiting, "--as", "planner", "--claim", 60).out, "now none is free"


def test_a_claim_is_no_lock_and_ends_with_the_attempt(sv: Cli, waiting: str) -> None:
    """Nobody has to say who they are to send: whoever answers a turn first has answered it."""
    assert claim(sv, waiting) == [1]
    assert sv("send", waiting, "--as", "planner", "--turn", 1, stdin="I do not know.").code == 1
    assert claim(sv, waiting) == [1], "a refused answer gives the turn back"
    text = "execute_delegate_task\n\n# Task\n\nReviewer: reviewer\n"
    assert sv("send", waiting, "--as", "planner", "--turn", 1, stdin=text).code == 0
    assert claim(sv, waiting) == [2]
    assert claim(sv, waiting, 60, "executor") == [1]


def test_only_what_was_claimed_is_handed_over(sv: Cli, waiting: str) -> None:
    assert claim(sv, waiting) == [1]
    assert "YOUR TURN 1." in sv("audit", "prompt", waiting, "planner", 1).out
    assert "YOUR TURN 2." not in sv("audit", "prompt", waiting, "planner", 2).out


@pytest.mark.parametrize("seconds", ["0", "-1", "x", "inf"])
def test_a_claim_has_a_length(sv: Cli, waiting: str, seconds: str) -> None:
    said = sv("inbox", waiting, "--as", "planner", "--claim", seconds)
    assert said.code == 2
    assert len(said.err.splitlines()) == 1


def test_the_end_is_said(sv: Cli, waiting: str) -> None:
    assert sv("inbox", waiting, "--as", "executor", "--json").json["over"] is False
    for task in TASKS:
        assert sv("send", waiting, "--as", "user", stdin=f"abandon {task}").code == 0
    assert sv("inbox", waiting, "--as", "executor", "--json").json["over"] is True
    assert sv("inbox", waiting, "--as", "executor", "--since", 99, "--wait", 20).out == "The game is over.\n"


def test_shell_programs_share_the_work_to_its_end(sv: Cli, tmp_path: Path) -> None:
    """Four programs, two of them on one seat, with nothing but `inbox` and `send`."""
    folder = tmp_path / "work"
    (folder / "tasks").mkdir(parents=True)
    for number in range(2):
        (folder / "tasks" / f"task-{number}.md").write_text("Do it.")
    seats = [word for seat in ("planner", "executor", "reviewer") for word in ("--seat", f"{seat}=outside")]
    words = [SOTTOVOCE, "--db", sv.url, "play", "delegation", str(folder), *seats, "--json"]
    env = os.environ | {"SOTTOVOCE_DB": sv.url, "PATH": f"{Path(SOTTOVOCE).parent}:{os.environ['PATH']}"}
    playing = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    programs: list[subprocess.Popen[str]] = []
    try:
        until = time.monotonic() + PATIENCE
        while not (sv.path.exists() and sv("games", "--json").out):
            assert time.monotonic() < until
            time.sleep(0.2)
        for seat in ("planner", "executor", "executor", "reviewer"):
            command = ["sh", str(BY_SHELL), "latest", seat]
            programs.append(
                subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)
            )
        out, _ = playing.communicate(timeout=PATIENCE)
        told = [program.communicate(timeout=PATIENCE) for program in programs]
    finally:
        for process in (playing, *programs):
            if process.poll() is None:
                process.kill()
                process.communicate()
    assert '"status":"over"' in out
    assert [program.returncode for program in programs] == [0, 0, 0, 0], told
    lines = [line for stdout, _ in told for line in stdout.splitlines()]
    assert len(lines) == 2 * 8, "each task is delegated, done twice, reviewed twice, closed, merged and put down"
    assert not [row for row in sv("export", "latest").rows if row["name"] == "core.attempt-failed.v1"]
    assert sv("audit", "leaks", "latest").code == 0
