"""Agents of `acp:` in seats, across real processes: whole games, restarts, forks, and what they are told."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from commands import ROOT, SOTTOVOCE, Cli
from durability.processes import gone
from patience import PATIENCE
from remote import PLAYERS, RemoteServer, log_in
from working import until

STUB = f"{sys.executable} {ROOT / 'tests' / 'kit' / 'acp_agent.py'}"
EXAMPLE = ROOT / "examples" / "delegation" / "village-paper"
GAME = ("--seed", "1", "--names", "Ada,Bram,Cleo,Dirk", "--agents", "random", "--rule", "max_days=1")


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Homes of seats in a folder of their own; no sandbox, so that stubs write what they heard where tests read it."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("SOTTOVOCE_ACP_SANDBOX", "off")


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


def heard(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


def seats(log: Path, *names: str, manners: str = "") -> list[str]:
    return [word for name in names for word in ("--seat", f"{name}=acp:{STUB} log={log} {manners}".strip())]


def test_a_game_of_mafia_where_each_prompt_is_the_receipted_text_of_one_seat(sv: Cli, tmp_path: Path) -> None:
    log = tmp_path / "log"
    played = sv("play", "mafia", *GAME, *seats(log, "Ada", "Bram", "narrator"), "--json")
    assert (played.json["status"], played.json["fallbacks"]) == ("over", 0)
    rows = receipts(sv, tmp_path)
    told = [row for row in rows if row["name"] == "core.handed-over.v1" and row["data"]["by"] == "prompt"]
    prompts = heard(log)
    assert sorted(one["prompt"] for one in prompts) == sorted("\n\n".join(row["texts"]) for row in told)
    sessions = defaultdict[str, set[str]](set)
    for row in told:
        sessions[row["seat"]] |= {one["session"] for one in prompts if one["prompt"] == "\n\n".join(row["texts"])}
    assert sorted(sessions) == ["Ada", "Bram", "narrator"]
    assert all(len(own) == 1 for own in sessions.values()), "one session for each seat"
    assert len(set.union(*sessions.values())) == 3
    ended = [row["data"] for row in rows if row["name"] == "core.call-ended.v1" and row["data"]["notes"].get("steps")]
    assert len(ended) == len(prompts)
    assert {one["mind"]["thoughts"].splitlines()[0] for one in ended} == {"I weigh what I know."}
    assert sv("audit", "verify", "latest").code == 0
    assert sv("audit", "leaks", "latest").code == 0
    assert not list((tmp_path / "state" / "sottovoce" / "acp").iterdir()), "nothing stays of a game that is over"


def test_without_a_sandbox_the_keeper_is_told_so(sv: Cli, tmp_path: Path) -> None:
    played = sv("play", "mafia", *GAME, "--rule", "max_speeches=1", *seats(tmp_path / "log", "Ada"))
    assert "Agents of acp: run without a sandbox: SOTTOVOCE_ACP_SANDBOX or agents.toml says off." in played.err


def test_two_tasks_have_a_session_each_and_work_in_the_folder(sv: Cli, paper: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    names = ("planner", "executor", "reviewer")
    played = sv("play", "delegation", paper, *seats(log, *names, manners="writes"), "--json")
    assert (played.json["status"], played.json["fallbacks"]) == ("over", 0)
    rows = sv("export", "latest").rows
    sent = [row["data"]["message"]["action"] for row in rows if row["name"] == "delegation.message-sent.v1"]
    assert sent.count("closeout_delivered") == 2
    prompts = heard(log)
    assert {one["cwd"] for one in prompts} == {str(paper)}
    tasks = len(list((paper / "tasks").glob("*.md")))
    assert len({one["session"] for one in prompts}) == len(names) * tasks
    assert len({one["env"]["HOME"] for one in prompts}) == len(names)
    assert (paper / "work.txt").exists()
    ended = [row for row in receipts(sv, tmp_path) if "denied" in row["data"].get("notes", {})]
    assert {(row["seat"], *row["data"]["notes"]["denied"]) for row in ended} == {
        ("planner",),
        ("executor",),
        ("reviewer", "write"),
    }


def test_after_a_kill_each_session_is_taken_up_again_and_no_turn_is_answered_twice(
    sv: Cli, paper: Path, tmp_path: Path
) -> None:
    log, slow = tmp_path / "log", f"slow=once:{tmp_path / 'once'}"
    words = ["play", "delegation", str(paper), *seats(log, "executor", manners=slow), "--json"]
    playing = subprocess.Popen(
        [SOTTOVOCE, "--db", sv.url, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    with playing:
        until((tmp_path / "once").exists)
        until(lambda: sessions_kept(tmp_path))
        playing.send_signal(signal.SIGKILL)
        playing.communicate(timeout=PATIENCE)
    before = {one["session"] for one in heard(log)}
    resumed = sv("resume", "latest", "--json", env={"SOTTOVOCE_COMMANDS": "*"})
    assert resumed.json["status"] == "over"
    asked = defaultdict[str, int](int)
    for one in heard(log):
        asked[one["session"]] = max(asked[one["session"]], one["asked"])
    assert len(asked) == 2, "a session for each task, the one that was killed in its first turn too"
    assert all(asked[session] >= 2 for session in before)
    taken = [row["data"]["notes"].get("taken") for row in receipts(sv, tmp_path) if "how" in row["data"]]
    assert "resumed" in taken
    accepted = [
        (row["data"]["seat"], row["data"]["turn"])
        for row in sv("export", "latest").rows
        if row["name"] == "core.reply-accepted.v1"
    ]
    assert len(accepted) == len(set(accepted))


def test_what_an_agent_asks_while_the_server_is_down_is_not_permitted_and_it_asks_again(
    sv: Cli, paper: Path, tmp_path: Path
) -> None:
    """It is killed with the server, in the pause before it asks."""
    log, trace = tmp_path / "log", tmp_path / "trace"
    manners = f"pauses=2 'shell=touch {trace}' lingers={tmp_path / 'pids'}"
    words = ["play", "delegation", str(paper), "--task", "spring-fair", *seats(log, "executor", manners=manners)]
    with subprocess.Popen([SOTTOVOCE, "--db", sv.url, *words], stdin=subprocess.DEVNULL) as playing:
        until(log.exists)
        playing.send_signal(signal.SIGKILL)
    until(lambda: all(gone(int(pid)) for pid in (tmp_path / "pids").read_text().split()))
    assert not trace.exists()
    assert sv("resume", "latest", "--json", env={"SOTTOVOCE_COMMANDS": "*"}).json["status"] == "over"
    assert trace.exists()
    assert len({one["session"] for one in heard(log)}) == 1
    assert all(gone(int(pid)) for pid in (tmp_path / "pids").read_text().split()), "though they do not want to end"


def test_one_that_dies_in_its_turn_holds_the_task_and_its_session_goes_on(sv: Cli, paper: Path, tmp_path: Path) -> None:
    log, dies = tmp_path / "log", f"dies=once:{tmp_path / 'once'}"
    words = ("--task", "spring-fair", "--seat", "user=human", *seats(log, "executor", manners=dies))
    held = sv("play", "delegation", paper, *words, stdin="")
    (failed,) = [row["data"] for row in sv("export", "latest").rows if row["name"] == "delegation.program-failed.v1"]
    assert "ended before it answered: panic: out of memory" in failed["why"], held.err
    (turn,) = sv("inbox", "latest", "--as", "user", "--json").json["turns"]
    assert sv("send", "latest", "--as", "user", "--turn", turn["turn"], "-", stdin="resume").code == 0
    resumed = sv("resume", "latest", "--seat", "user=house", "--json", env={"SOTTOVOCE_COMMANDS": "*"})
    assert resumed.json["status"] == "over"
    assert [one["asked"] for one in heard(log)][:2] == [1, 2]
    assert len({one["session"] for one in heard(log)}) == 1


def sessions_kept(tmp_path: Path) -> bool:
    """Whether a session has been kept, which is so when a prompt of it was answered, or is under way."""
    return (tmp_path / "log").exists() and bool(list((tmp_path / "state").rglob("sessions.json")))


def test_a_fork_has_sessions_of_its_own(sv: Cli, tmp_path: Path) -> None:
    log = tmp_path / "log"
    played = sv("play", "mafia", *GAME, *seats(log, "Ada"), "--json")
    before = {one["session"] for one in heard(log)}
    fork = sv("fork", played.json["game"], "--at", "12", "--json").json["game"]
    refused = sv("resume", fork, "--json")
    assert refused.code == 2
    assert "the program 'acp:" in refused.err
    assert sv("resume", fork, *seats(log, "Ada"), "--json").json["status"] == "over"
    after = [one for one in heard(log) if one["session"] not in before]
    assert len({one["session"] for one in after}) == 1
    assert after[0]["asked"] == 1, "the fork's agent remembers nothing of the first game"


def test_a_seat_at_a_far_table(tmp_path: Path) -> None:
    with RemoteServer(log_in(tmp_path)) as remote:
        rules = {"max_days": 1, "max_speeches": 1}
        game = remote.open(names=list(PLAYERS), agents={"Ada": "outside"}, agent="house", seed="5", options=rules)
        link = f"{remote.base}/games/{game.game}#{game.seats['Ada']}"
        words = [SOTTOVOCE, "agent", "--as", f"acp:{STUB} log={tmp_path / 'log'}", "--json"]
        env = os.environ | {"SOTTOVOCE_LINK": link}
        ended = subprocess.run(words, env=env, capture_output=True, text=True, timeout=PATIENCE, check=False)
    told = json.loads(ended.stdout)
    assert (told["status"], told["refused"], told["failed"]) == ("over", 0, 0)
    assert len({one["session"] for one in heard(tmp_path / "log")}) == 1


def test_a_login_holds_the_game_and_says_what_to_do(sv: Cli, tmp_path: Path) -> None:
    once = f"login=once:{tmp_path / 'once'}"
    held = sv("play", "mafia", *GAME, *seats(tmp_path / "log", "Ada", manners=once))
    assert held.code == 1
    assert "cannot answer: Authentication required. Log in with it once, then resume." in held.err
    assert sv("resume", "latest", "--json", env={"SOTTOVOCE_COMMANDS": "*"}).json["status"] == "over"


def test_named_agents_are_listed_tried_and_played(sv: Cli, tmp_path: Path) -> None:
    (tmp_path / "agents.toml").write_text(f'[acp.coder]\ncommand = "{STUB}"\n[acp.broken]\ncommand = "{STUB} dies"\n')
    there = {"SOTTOVOCE_AGENTS": str(tmp_path / "agents.toml")}
    listed = [json.loads(line) for line in sv("agents", "list", "--json", env=there).out.splitlines()]
    assert [(one["agent"], one["sandbox"]) for one in listed] == [
        ("acp:coder", "SOTTOVOCE_ACP_SANDBOX or agents.toml says off"),
        ("acp:broken", "SOTTOVOCE_ACP_SANDBOX or agents.toml says off"),
    ]
    assert "acp:coder" in sv("agents", "list", env=there).out
    checked = sv("agents", "check", env=there)
    assert checked.code == 1
    assert "answers («Nothing to hide in prompt 1.»" in checked.out
    assert "failed: python ended before it answered: panic: out of memory" in checked.out
    assert sv("agents", "check", "coder", f"acp:{STUB}", env=there).code == 0
    assert not list((tmp_path / "state" / "sottovoce" / "acp").iterdir())
    assert sv("play", "mafia", *GAME, "--seat", "Ada=acp:coder", "--json", env=there).json["status"] == "over"


def test_a_program_that_is_not_there_stops_everything_before_the_game(sv: Cli) -> None:
    said = sv("play", "mafia", *GAME, "--seat", "Ada=acp:no-such-program --fast")
    assert said.code == 2
    assert said.err.count("\n") == 1
    assert "There is no program 'no-such-program' for acp:no-such-program --fast; install it" in said.err
    assert not sv.path.exists()


def test_what_an_agent_does_and_for_how_long_is_shown_to_the_user_while_it_works(
    sv: Cli, paper: Path, tmp_path: Path
) -> None:
    played = sv("play", "delegation", paper, *seats(tmp_path / "log", "executor", manners="pauses=6"))
    assert played.code == 0
    assert re.search(r"^executor \([\w-]+\), \d s: step 1 of 1: answer$", played.out, re.MULTILINE)


def test_nobody_at_a_table_with_secrets_is_told_what_an_agent_does(sv: Cli, tmp_path: Path) -> None:
    given = (*GAME, "--rule", "max_speeches=1")
    played = sv("play", "mafia", *given, *seats(tmp_path / "log", "Ada", manners="pauses=1"))
    assert played.code == 0
    assert "step 1 of 1" not in played.out + played.err
