"""Delegation in real git repositories, with programs that really work in every seat."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from commands import ROOT, SOTTOVOCE, Cli, Said
from durability.checks import check_game
from patience import PATIENCE
from repositories import QUIET, Repo
from sizes import sized
from working import log_at, until

AGENT = f"{sys.executable} {ROOT / 'tests' / 'kit' / 'task_agent.py'}"


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state folder of the test's own; nothing of the user's git configuration."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name, value in QUIET.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("SOTTOVOCE_COMMAND_ENVIRONMENT", " ".join(QUIET))
    return tmp_path / "state"


@pytest.fixture
def sv(tmp_path: Path) -> Cli:
    return Cli(tmp_path / "games.db")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo(tmp_path / "paper")
    repo.commit("briefs", {"tasks/mend-roof.md": "Mend the roof.\n"})
    return repo


def seats(**manners: str) -> list[str]:
    """Return the options that fill the seats with the program, each session in its manner."""
    manners = {**dict.fromkeys(("planner", "executor", "reviewer"), ""), **manners}
    return [word for name, how in manners.items() for word in ("--seat", f"{name}=command:{AGENT} {how}".strip())]


def played(sv: Cli, repo: Repo, *words: object, **manners: str) -> Said:
    said = sv("play", "delegation", repo.folder, *seats(**manners), "--seat", "user=house", *words)
    assert "Traceback" not in said.err
    return said


def events(sv: Cli, name: str, game: str = "latest") -> list[dict[str, Any]]:
    """Return the data of all events of that name."""
    return [row["data"] for row in sv("export", game).rows if row["name"] == f"delegation.{name}.v1"]


@pytest.mark.spec("D-064", "D-065", "D-066", "D-067")
def test_two_tasks_by_two_executors_at_once_never_mix_and_are_merged(sv: Cli, repo: Repo, state: Path) -> None:
    for name, executor in (("mend-roof", "left"), ("count-geese", "right")):
        brief = f"---\nexecutor: {executor}\n---\nDo {name}.\n"
        repo.commit(f"brief {name}", {f"tasks/{name}.md": brief})
    base = repo("rev-parse", "HEAD")
    said = played(sv, repo, "--check", "test=ls *.txt", "--json", left="wanting", right="", reviewer="wanting")
    assert json.loads(said.out)["status"] == "over", said.err
    opened = {one["task_id"]: one for one in events(sv, "workspace-opened")}
    assert {one["base"] for one in opened.values()} == {base}
    assert len(opened) == 2
    for one in events(sv, "code-offered"):
        slug = one["task_id"][14:]
        assert [file["path"] for file in one["whole"]["files"]] == [f"{slug}.txt"], "nothing of the other task"
        assert one["committed_by_server"]
        assert f"state/sottovoce/work/{sv('games', '--json').rows[0]['game']}/{one['task_id']}" in one["whole"]["text"]
    assert [check["check"]["exit"] for check in events(sv, "check-ran")] == [0] * 6
    merges = events(sv, "merge-checked")
    assert {one["found"] for one in merges} == {"merge"}
    assert all(repo("merge-base", "--is-ancestor", one["head"], "main") == "" for one in merges)
    assert {"mend-roof.txt", "count-geese.txt"} <= set(repo.files("main"))
    assert repo("status", "--porcelain") == "", ".agent-artifacts is not listed as untracked"
    assert len(repo.worktrees()) == 3
    assert sv("audit", "verify", "latest", "--json").json["ok"]
    assert sv("audit", "leaks", "latest").code == 0
    lines = sv("work", "latest", "--tidy").out.splitlines()
    assert len(lines) == 2
    assert all("removed; the branch task/" in line for line in lines)
    assert len(repo.worktrees()) == 1
    assert repo("branch", "--list", "task/*").count("task/") == 2


@pytest.mark.spec("D-067")
def test_a_planner_that_lies_is_refused_and_its_task_comes_to_the_user(sv: Cli, repo: Repo) -> None:
    played(sv, repo, "--rule", "merge_check=required", "--quiet", planner="lying")
    assert not any(one["work"] == "merged" for one in events(sv, "work-recorded"))
    assert not events(sv, "merge-checked")
    assert [one["waiting_for"] for one in events(sv, "task-held")] == ["planner", "planner"]
    told = sv("view", "latest", "--as", "planner").out
    assert "is found in main" in " ".join(told.split())
    assert "abandoned" in sv("show", "latest", "--as", "user").out


@pytest.mark.spec("D-067")
def test_words_tell_what_is_said_from_what_is_found(sv: Cli, repo: Repo) -> None:
    played(sv, repo, "--quiet", planner="lying")
    (found,) = events(sv, "merge-checked")
    assert (found["found"], found["tip"]) == ("none", repo("rev-parse", "main"))
    for command in ("view", "replay"):
        told = " ".join(sv(command, "latest", "--as", "user").out.split())
        assert "planner says that the work is merged" in told
        assert "Not found in main" in told
    row = sv("work", "latest", "--json").json
    assert row["merged"] == "Not found in main"
    assert "kept; its work is not found in main" in sv("work", "latest", "--tidy").out


@pytest.mark.spec("D-066")
def test_a_failing_check_allows_no_stop(sv: Cli, repo: Repo) -> None:
    words = ("--check", "test=test ! -e broken", "--rule", "checks=required", "--quiet")
    assert played(sv, repo, *words, executor="broken", reviewer="hasty").code == 0
    assert [(one["round"], one["check"]["exit"]) for one in events(sv, "check-ran")] == [(1, 1), (2, 0)]
    sent = [one["message"]["action"] for one in events(sv, "message-sent")]
    assert sent == [
        "execute_delegate_task",
        "review_requested",
        "rework_required",
        "review_requested",
        "stop_recommended",
        "closeout_delivered",
    ]
    assert "broken" not in repo.files("main")


@pytest.mark.spec("D-065")
def test_a_round_without_a_change_says_so(sv: Cli, repo: Repo) -> None:
    played(sv, repo, "--quiet", executor="idle", reviewer="wanting")
    first, second, *_ = events(sv, "code-offered")
    assert second["head"] == first["head"]
    assert second["since"]["files"] == []
    assert not second["committed_by_server"]
    assert "no change since the last round" in sv("view", "latest", "--as", "reviewer").out
    turns = [turn for turn in range(1, 4) if "No change since the last round." in prompt(sv, "reviewer", turn)]
    assert turns == [2, 3]


def prompt(sv: Cli, seat: str, turn: int) -> str:
    return sv("audit", "prompt", "latest", seat, turn).out


@pytest.mark.spec("D-064", "D-015")
def test_a_file_that_an_agent_writes_where_it_runs_is_found_and_kept_with_the_others(sv: Cli, repo: Repo) -> None:
    assert played(sv, repo, "--quiet", executor="files").code == 0
    (request,) = repo.folder.glob(".agent-artifacts/*/review-request-r1.md")
    assert request.read_text() == "# Round 1\n\nDone.\n"
    assert repo.files("main") == ["mend-roof.txt", "readme.txt", "tasks/mend-roof.md"]
    assert "changed" not in sv("audit", "verify", "latest").out


@pytest.mark.spec("D-064", "D-065")
def test_an_agent_that_leaves_the_branch_is_told_to_come_back(sv: Cli, repo: Repo) -> None:
    assert played(sv, repo, "--quiet", executor="leaving").code == 0
    told = " ".join(sv("view", "latest", "--as", "executor").out.split())
    assert "The work folder has left its branch: it is on elsewhere-mend-roof." in told
    assert events(sv, "merge-checked")[0]["found"] in ("merge", "picked")


@pytest.mark.spec("D-064")
def test_in_a_checkout_the_server_switches_branches(sv: Cli, repo: Repo) -> None:
    repo.commit("second", {"tasks/count-geese.md": "Count the geese."})
    assert played(sv, repo, "--rule", "workspace=checkout", "--quiet", reviewer="wanting").code == 0
    for one in events(sv, "code-offered"):
        assert [file["path"] for file in one["whole"]["files"]] == [f"{one['task_id'][14:]}.txt"]
    assert {one["found"] for one in events(sv, "merge-checked")} == {"merge"}
    assert repo("branch", "--show-current") == "main"
    assert repo("status", "--porcelain") == ""
    assert len(repo.worktrees()) == 1


@pytest.mark.spec("D-064")
def test_a_set_up_runs_once_in_each_worktree_and_its_failure_is_told(sv: Cli, repo: Repo) -> None:
    setup = "echo $((1 + $(cat ../count 2>/dev/null || echo 0))) > ../count"
    assert played(sv, repo, "--rule", f"setup={setup}", "--quiet", reviewer="wanting").code == 0
    (count,) = (Path(os.environ["XDG_STATE_HOME"]) / "sottovoce" / "work").glob("*/count")
    assert count.read_text().strip() == "1"
    played(sv, repo, "--rule", "setup=echo no network; exit 3", "--quiet")
    why = [one["why"] for one in events(sv, "program-failed")]
    assert why
    assert "abandoned" in sv("show", "latest", "--as", "user").out


def test_no_repository_no_workspace(sv: Cli, tmp_path: Path) -> None:
    plain = tmp_path / "plain" / "tasks"
    plain.mkdir(parents=True)
    (plain / "mend-roof.md").write_text("Mend the roof.")
    said = sv("play", "delegation", plain.parent, "--quiet")
    assert said.code == 0
    assert not events(sv, "workspace-opened")
    assert sv("work", "latest").out == "No task has a work folder yet.\n"


def refused(sv: Cli, folder: Path, *words: object) -> str:
    said = sv("play", "delegation", folder, *words)
    assert (said.code, said.out) in ((1, ""), (2, "")), said
    assert said.err.count("\n") == 1
    assert not list(folder.glob(".agent-artifacts/*")), "no task id is taken"
    return said.err


def test_every_folder_that_does_not_do_is_refused_in_a_line(sv: Cli, repo: Repo, tmp_path: Path) -> None:
    worktree = ("--rule", "workspace=worktree")
    plain = tmp_path / "plain"
    (plain / "tasks").mkdir(parents=True)
    (plain / "tasks" / "a.md").write_text("Do it.")
    assert "is not a git repository, so tasks can't have branches" in refused(sv, plain, *worktree)
    assert "Make it one: git init && git add -A && git commit, or leave out check." in refused(
        sv, plain, "--check", "make test"
    )
    assert f"Give the folder above: {plain}" in refused(sv, plain / "tasks")
    Repo(plain, commit=False)
    assert "without a commit, so tasks can't have branches. Commit something: git add -A && git commit" in refused(
        sv, plain, *worktree
    )
    assert sv("play", "delegation", plain, "--quiet").code == 0, "it plays without one"
    inner = repo.folder / "inner"
    (inner / "tasks").mkdir(parents=True)
    (inner / "tasks" / "a.md").write_text("Do it.")
    assert (
        f"lies inside the git repository {repo.folder}, so tasks can't have branches. Give that folder, or use"
        in refused(sv, inner, *worktree)
    )
    assert "There is no branch 'nowhere'" in refused(sv, repo.folder, "--rule", "target=nowhere")
    assert "needs a git repository" in refused(sv, repo.folder, "--rule", "workspace=none", "--check", "make test")
    assert "are not committed" in refused(sv, repo.folder, "--rule", "workspace=checkout")
    assert "workspace" in refused(sv, repo.folder, "--rule", "workspace=cloud")
    assert "two checks are called 'make-test'" in refused(
        sv, repo.folder, "--check", "make test", "--check", "make  test"
    )
    repo("switch", "-q", "--detach")
    assert "No branch is checked out" in refused(sv, repo.folder)
    repo("switch", "-q", "-c", "task")
    assert "has a branch called task" in refused(sv, repo.folder)


def test_changes_that_are_not_committed_are_said_to_stay_out(sv: Cli, repo: Repo) -> None:
    repo.write({"readme.txt": "changed\n", "new.txt": "new\n"})
    said = played(sv, repo)
    assert "2 changed files stay out of the tasks" in said.err
    assert repo.files(f"task/{events(sv, 'workspace-opened')[0]['task_id']}").count("new.txt") == 0
    assert (repo.folder / "new.txt").exists()


@pytest.mark.spec("D-066")
def test_each_check_has_a_time_limit_of_its_own(sv: Cli, repo: Repo) -> None:
    words = ("--check", "hangs[1s]=echo begun; (sleep 61; touch late) & sleep 60", "--check", "fine[2m]=echo fine")
    assert played(sv, repo, *words, "--rule", "check_seconds=50", "--quiet").code == 0
    ran = {one["check"]["name"]: one["check"] for one in events(sv, "check-ran")}
    assert (ran["hangs"]["exit"], ran["hangs"]["cut"], ran["hangs"]["output"]) == (None, "time limit of 1 s", "begun\n")
    assert 1 <= ran["hangs"]["seconds"] < 50
    assert (ran["fine"]["exit"], ran["fine"]["cut"]) == (0, "")
    opened = sv("show", "latest", "--json").json["options"]
    assert (opened["check_seconds"], opened["check_limits"]) == (50, {"hangs": 1, "fine": 120})


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ("--check", "test[soon]=make"),
            "'soon' is not a time limit for the check 'test'. Give seconds, minutes or at most",
        ),
        (("--check", "test[0]=make"), "'0' is not a time limit for the check 'test'"),
        (("--check", "test[25h]=make"), "'25h' is not a time limit for the check 'test'"),
        (("--check", "test[5m]: make"), "has a time limit and no `=`. Give NAME[LIMIT]=COMMAND."),
        (("--check", "test[5m]="), "'test[5m]=' has no command. Give NAME=COMMAND."),
        (("--check", "a[1s]=x", "--check", "a=y"), "two checks are called 'a'"),
        (("--rule", 'check_limits={"test":5}'), "there is no check 'test'"),
        (
            ("--check", "test=x", "--rule", 'check_limits={"test":-1}'),
            "give 'test' more than 0 and at most 86400 seconds",
        ),
    ],
)
def test_a_limit_that_is_none_is_refused_in_a_line(sv: Cli, repo: Repo, words: tuple[str, ...], told: str) -> None:
    assert told in refused(sv, repo.folder, *words)


def test_a_command_that_begins_with_a_variable_is_no_name(sv: Cli, repo: Repo) -> None:
    assert played(sv, repo, "--check", "CI=2 sh -c 'echo $CI'", "--quiet").code == 0
    (ran,) = events(sv, "check-ran")
    assert (ran["check"]["name"], ran["check"]["output"]) == ("CI-2-sh-c-echo-CI", "2\n")


def test_a_game_from_elsewhere_runs_no_command_that_nobody_named_here(
    sv: Cli, repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The check is part of the log, and this computer's user never typed it."""
    trace = tmp_path / "ran"
    _, _, *others = seats()  # the planner, who leaves at once, is a person
    begun = ("play", "delegation", repo.folder, *others, "--seat", "user=house", "--seat", "planner=human")
    assert "resume" in sv(*begun, "--check", f"test=touch {trace}", stdin="").err
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other-computer"))
    monkeypatch.setenv("SOTTOVOCE_COMMANDS", "*")
    done = sv("resume", "latest", "--seat", f"planner=command:{AGENT}", "--quiet")
    assert done.code == 0, done.err
    (ran,) = events(sv, "check-ran")
    assert "not allowed on this computer" in ran["check"]["cut"]
    assert not trace.exists()


@pytest.mark.spec("D-064", "D-067")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_merge_under_way_comes_to_its_end_when_the_game_is_stopped(
    sv: Cli, repo: Repo, tmp_path: Path, number: signal.Signals
) -> None:
    """Killed in the middle, git would leave the user's repository locked and half merged, for every later merge."""
    begun = tmp_path / "merge-begun"
    repo.commit("attributes", {".gitattributes": "mend-roof.txt filter=slow\n"})
    repo("config", "filter.slow.smudge", f"touch {begun}; sleep 0.4; cat")
    options = [*seats(), "--seat", "user=house"]
    with subprocess.Popen(
        [SOTTOVOCE, "play", "delegation", str(repo.folder), *options, "--quiet"],
        env={**os.environ, "SOTTOVOCE_DB": sv.url},
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        until(begun.exists)
        assert (repo.folder / ".git" / "index.lock").exists(), "git is in the middle of it"
        process.send_signal(number)
        process.communicate(timeout=PATIENCE)
    assert not events(sv, "merge-checked")
    resumed = sv("resume", "latest", *options, "--quiet")
    assert resumed.code == 0, resumed.err
    assert [one["found"] for one in events(sv, "merge-checked")] == ["merge"]
    assert not events(sv, "task-held")
    assert repo("status", "--porcelain") == ""


KILLS = sized(5, 20)


@pytest.mark.spec("D-064", "D-065", "D-066")
def test_kills_at_random_moments_lose_nothing(sv: Cli, tmp_path: Path) -> None:
    """No worktree is lost or left locked, no turn is answered twice, nothing is recorded twice, and all tasks come to
    their ends. A game that ends before there were enough kills is followed by another.
    """
    lot = random.Random(20)
    kills = 0
    while kills < KILLS:
        repo = Repo(tmp_path / f"paper-{kills}")
        repo.commit("first", {"tasks/mend-roof.md": "Mend the roof.\n"})
        repo.commit("second", {"tasks/count-geese.md": "---\nexecutor: right\n---\nCount the geese."})
        kills += killed_in(sv, repo, lot, KILLS - kills)
        came_to_their_ends(sv, repo)


def killed_in(sv: Cli, repo: Repo, lot: random.Random, most: int) -> int:
    """Play a game to its end and kill it on the way, at most so many times. How often it was."""
    slow = seats(planner="slow", executor="slow", right="slow", reviewer="slow wanting")
    words = ["play", "delegation", str(repo.folder), *slow, "--seat", "user=house", "--check", "test=sleep 0.1"]
    env = {**os.environ, "SOTTOVOCE_COMMANDS": "*", "SOTTOVOCE_DB": sv.url}
    before = sv("games", "--json").out.count("\n") if sv.path.exists() else 0
    kills = 0
    while True:
        with subprocess.Popen(
            [SOTTOVOCE, *words, "--quiet"],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            if kills < most:
                _until_open(sv, before)
                time.sleep(lot.uniform(0.05, 2.0))
                process.send_signal(signal.SIGKILL)
                kills += process.wait() == -signal.SIGKILL
            else:
                _, err = process.communicate(timeout=300)
                assert process.returncode == 0, err.decode()
        if sv("games", "--json").rows[0]["status"] == "over":
            return kills
        words = ["resume", "latest"]


def came_to_their_ends(sv: Cli, repo: Repo) -> None:
    """Compare the log of the latest game with its repository."""
    assert {one["found"] for one in events(sv, "merge-checked")} <= {"merge", "picked"}
    assert len(events(sv, "merge-checked")) == 2
    assert len(repo.worktrees()) == 3
    rows = sv("export", "latest").rows
    answered = Counter(
        (row["data"]["seat"], row["data"]["turn"]) for row in rows if row["name"] == "core.reply-accepted.v1"
    )
    assert set(answered.values()) == {1}
    rounds = Counter((one["task_id"], one["round"]) for one in events(sv, "code-offered"))
    assert set(rounds.values()) == {1}
    assert Counter((one["task_id"], one["round"]) for one in events(sv, "check-ran")) == rounds
    for one in events(sv, "workspace-opened"):
        commits = repo("log", "--format=%s", f"{one['base']}..{one['branch']}").splitlines()
        assert len(set(commits)) == len(commits) == sum(task == one["task_id"] for task, _ in rounds)
    with log_at(sv.url) as log:
        assert check_game(log, rows[0]["game"]) == []
    for path in repo.worktrees().values():
        assert repo("status", "--porcelain", at=Path(path)) == ""


def _until_open(sv: Cli, before: int) -> None:
    until = time.monotonic() + 60
    while not (sv.path.exists() and sv("games", "--json").out.count("\n") > before):
        assert time.monotonic() < until
        time.sleep(0.05)
