"""Programs in seats, across real processes: stubs of coding agents do delegated work, and nothing stays behind."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import working
from commands import ROOT, SOTTOVOCE, Cli
from durability.processes import gone
from patience import PATIENCE
from remote import PLAYERS, RemoteServer, log_in
from working import log_at, until

STUB = f"{sys.executable} {ROOT / 'tests' / 'kit' / 'coding_agent.py'}"
EXAMPLE = ROOT / "examples" / "delegation" / "village-paper"
PROGRAM = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "programs.md").read_text(encoding="utf-8"), re.DOTALL)[0]
GAME = (
    "--seed",
    "1",
    "--names",
    "Ada,Bram,Cleo,Dirk",
    "--agents",
    "random",
    "--rule",
    "max_days=1",
    "--rule",
    "max_speeches=1",
)


@pytest.fixture
def sv(tmp_path: Path) -> Cli:
    return Cli(tmp_path / "games.db")


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    """A copy of the example."""
    return Path(shutil.copytree(EXAMPLE, tmp_path / "paper", ignore=shutil.ignore_patterns(".*")))


def receipts(sv: Cli, tmp_path: Path, game: str = "latest") -> list[dict[str, Any]]:
    sv("export", game, "-o", tmp_path / "events", "--receipts", tmp_path / "receipts")
    return [json.loads(line) for line in (tmp_path / "receipts").read_text().splitlines()]


def test_three_stubs_of_coding_agents_work_the_example_to_its_end(sv: Cli, paper: Path, tmp_path: Path) -> None:
    (tmp_path / "count").mkdir()
    seats = {
        "planner": f"command:{STUB} slow",
        "executor": f"command:{STUB} crashing {tmp_path / 'count'}",
        "reviewer": f"command:{STUB} quick",
    }
    words = [word for seat, agent in seats.items() for word in ("--seat", f"{seat}={agent}")]
    played = sv("play", "delegation", paper, *words, "--json").json
    assert (played["status"], played["fallbacks"]) == ("over", 0)
    sent = [
        row["data"]["message"] for row in sv("export", "latest").rows if row["name"] == "delegation.message-sent.v1"
    ]
    assert [one["action"] for one in sent].count("closeout_delivered") == 2
    assert {one["from_session_id"] for one in sent} == set(seats)
    ended = [row for row in receipts(sv, tmp_path) if row["name"] == "core.call-ended.v1"]
    notes = [row["data"]["notes"] for row in ended if row["seat"] in seats]
    crashed = [note for note in notes if note["exit"]]
    assert len(crashed) == 1, "the crashing one has crashed, and was asked again only after the user resumed the task"
    rows = sv("export", "latest").rows
    (why,) = [row["data"]["why"] for row in rows if row["name"] == "delegation.program-failed.v1"]
    assert why == f"{Path(sys.executable).name} ended with exit code 1: Error: the session was lost"
    assert [row["data"]["task_id"] for row in rows if row["name"] == "delegation.task-held.v1"] == [
        row["data"]["task_id"] for row in rows if row["name"] == "delegation.task-resumed.v1"
    ]
    assert all((note["exit"], note["stderr"]) == (1, "Error: the session was lost") for note in crashed)
    assert {note["stderr"] for note in notes if "slow" in note["command"]} == {"Thinking …\nReading …\nWriting …"}
    assert [step for _, step in next(note["steps"] for note in notes if "slow" in note["command"])] == [
        "Thinking …",
        "Reading …",
        "Writing …",
    ]
    assert sv("audit", "verify", "latest").code == 0
    assert sv("audit", "leaks", "latest").code == 0
    assert sv("audit", "prompt", "latest", "executor", "1").out.rstrip().endswith('"note": text, "to": text}.')


def test_the_program_in_the_docs_plays_a_seat(sv: Cli, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(PROGRAM, encoding="utf-8")
    seat = f"Ada=command:{sys.executable} {tmp_path}/bot.py"
    assert sv("play", "mafia", *GAME, "--seat", seat, "--json").json["status"] == "over"
    said = sv("view", "latest", "--as", "Ada", "--json").rows
    replies = [row["data"]["text"] for row in said if row["name"] == "core.reply-accepted.v1"]
    assert "I have nothing to hide." in replies
    assert any("I have watched them." in reply for reply in replies)
    assert not [row for row in said if row["name"] == "core.attempt-failed.v1"]


def test_a_program_holds_a_seat_at_a_far_table(tmp_path: Path) -> None:
    """Nothing but the seat's view comes to this machine, and the program reads the prompt made of it."""
    (tmp_path / "bot.py").write_text(PROGRAM, encoding="utf-8")
    with RemoteServer(log_in(tmp_path)) as remote:
        rules = {"max_days": 1, "max_speeches": 1}
        game = remote.open(names=list(PLAYERS), agents={"Ada": "outside"}, agent="house", seed="5", options=rules)
        link = f"{remote.base}/games/{game.game}#{game.seats['Ada']}"
        ended = subprocess.run(
            [SOTTOVOCE, "agent", "--as", f"command:{sys.executable} {tmp_path}/bot.py", "--json"],
            env=os.environ | {"SOTTOVOCE_LINK": link},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr
        told = json.loads(ended.stdout)
    assert (told["status"], told["refused"], told["failed"]) == ("over", 0, 0)
    assert told["accepted"] >= 1


def test_a_program_that_is_not_there_stops_everything_before_the_game(sv: Cli) -> None:
    said = sv("play", "mafia", *GAME, "--seat", "Ada=command:no-such-program --fast")
    assert said.code == 2
    assert said.err.count("\n") == 1
    assert "There is no program 'no-such-program'" in said.err
    assert not sv.path.exists()


def test_a_game_is_resumed_with_a_program_only_where_somebody_names_it(sv: Cli, tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\necho 'I have nothing to hide.'\n")
    program.chmod(0o755)
    command = f"command:{program}"
    game = sv("play", "mafia", *GAME, "--seat", f"Ada={command}", "--json").json["game"]
    fork = sv("fork", game, "--at", "8", "--json").json["game"]
    refused = sv("resume", fork, "--json")
    assert refused.code == 2
    assert f"the program '{program}', which is not allowed on this computer" in refused.err
    allowed = sv("resume", fork, "--json", env={"SOTTOVOCE_COMMANDS": str(program)})
    assert allowed.json["status"] == "over"
    again = sv("fork", game, "--at", "8", "--json").json["game"]
    assert sv("resume", again, "--seat", f"Ada={command}", "--json").json["status"] == "over"
    handed = [row["data"] for row in receipts(sv, tmp_path, again) if row["name"] == "core.handed-over.v1"]
    assert {one["agent"] for one in handed if one["by"] == "prompt"} == {command}


def test_a_worker_runs_no_program_but_those_that_it_was_told_of(sv: Cli, tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\necho 'I have nothing to hide.'\n")
    program.chmod(0o755)
    opened = subprocess.Popen(
        [SOTTOVOCE, "run", "mafia", *GAME, "--seat", f"Ada=command:{program}", "--games", "1", "--jobs", "0", "--json"],
        env=os.environ | {"SOTTOVOCE_DB": sv.url},
        stdout=subprocess.PIPE,
        text=True,
    )
    with opened, working.working(sv.url, tmp_path) as crew:
        try:
            until(sv.path.exists)
            with log_at(sv.url) as log:
                until(lambda: log.due())
                worker = crew.start()
                until(lambda: any("is not allowed on this computer" in line for line in crew.said(worker)))
                crew.stop(worker)
            assert not (tmp_path / "ran").exists()
            told = os.environ | {"SOTTOVOCE_DB": sv.url, "SOTTOVOCE_COMMANDS": str(program)}
            with subprocess.Popen([SOTTOVOCE, "worker"], env=told, stderr=subprocess.DEVNULL) as second:
                try:
                    out, _ = opened.communicate(timeout=PATIENCE)
                finally:
                    second.kill()
        finally:
            opened.kill()
    assert json.loads(out)["games"] == 1
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("end", "codes"),
    [
        (lambda process: process.send_signal(signal.SIGINT), {130}),
        (lambda process: process.terminate(), {130}),
        (lambda process: process.kill(), {-signal.SIGKILL}),
    ],
    ids=["Ctrl-C", "SIGTERM", "SIGKILL"],
)
def test_nothing_that_a_program_started_outlives_the_game_that_is_ended(
    sv: Cli, tmp_path: Path, end: Callable[[subprocess.Popen[str]], None], codes: set[int]
) -> None:
    script = f"sleep 1000 & echo $! > {tmp_path}/inner; echo $$ > {tmp_path}/x; mv {tmp_path}/x {tmp_path}/outer; wait"
    seat = f"narrator=command:sh -c {shlex.quote(script)}"
    playing = subprocess.Popen(
        [SOTTOVOCE, "--db", sv.url, "play", "mafia", *GAME, "--seat", seat, "--json"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with playing:
        try:
            until((tmp_path / "outer").exists)
            end(playing)
            playing.communicate(timeout=PATIENCE)
        finally:
            playing.kill()
    assert playing.returncode in codes
    started = [int((tmp_path / name).read_text()) for name in ("inner", "outer")]
    until(lambda: all(map(gone, started)))
