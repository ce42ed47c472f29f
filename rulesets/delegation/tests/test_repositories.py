"""Git itself, in real repositories: worktrees, whatever state they are found in; diffs, merges and checks."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from repositories import QUIET, Repo

from sottovoce.rulesets.delegation.rules.evidence import Check
from sottovoce.rulesets.delegation.workspaces import checks
from sottovoce.rulesets.delegation.workspaces.checks import Stopped, run_check
from sottovoce.rulesets.delegation.workspaces.diffs import difference
from sottovoce.rulesets.delegation.workspaces.git import GitFailed, Repository
from sottovoce.rulesets.delegation.workspaces.merges import merge_of
from sottovoce.rulesets.delegation.workspaces.places import locked
from sottovoce.rulesets.delegation.workspaces.worktrees import committed, exclude_artifacts, known, opened

TASK = "20260101-1200-tidy-notes"
BRANCH = f"task/{TASK}"


@pytest.fixture(autouse=True)
def quiet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name, value in QUIET.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "repo")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where the task's worktree lies."""
    return tmp_path / "state" / "work" / TASK


def make(repo: Repo, place: Path) -> Repository:
    return opened(Repository(repo.folder), place, BRANCH, repo("rev-parse", "main"))


# worktrees


@pytest.mark.spec("D-064")
def test_a_worktree_is_made_once_and_found_again(repo: Repo, place: Path) -> None:
    repo.write({"dirty.txt": "not committed\n"})
    worktree = make(repo, place)
    assert worktree.folder == place
    assert sorted(path.name for path in place.iterdir()) == [".git", "readme.txt"], "changes do not come along"
    repo.write({"work.txt": "begun\n"}, at=place)
    assert make(repo, place) == worktree
    assert (place / "work.txt").exists()


@pytest.mark.spec("D-064")
def test_a_folder_that_was_deleted_is_made_again_with_its_commits(repo: Repo, place: Path) -> None:
    worktree = make(repo, place)
    repo.write({"work.txt": "done\n"}, at=place)
    head, _ = committed(worktree, BRANCH, "Round 1")
    shutil.rmtree(place)
    assert make(repo, place).tip("HEAD") == head
    assert (place / "work.txt").exists()
    assert set(repo.worktrees()) == {"refs/heads/main", f"refs/heads/{BRANCH}"}


@pytest.mark.spec("D-064")
@pytest.mark.parametrize("left", ["locked", "empty", "nothing"])
def test_what_a_kill_while_adding_left_is_made_again(repo: Repo, place: Path, left: str) -> None:
    """As git leaves it: the records are there and locked, and the folder is half filled, empty or not there."""
    worktree = make(repo, place)
    assert worktree.admin is not None
    (worktree.admin / "locked").write_text("initializing")
    (place / "readme.txt").unlink()
    if left != "locked":
        shutil.rmtree(place)
    if left == "empty":
        place.mkdir()
    assert "initializing" in repo("worktree", "list", "--porcelain")
    assert (make(repo, place).folder / "readme.txt").read_text() == "hello\n"
    repo.worktrees()


@pytest.mark.spec("D-064")
def test_a_real_kill_while_adding_is_mended(repo: Repo, place: Path) -> None:
    """What git started to fill the folder outlives it, and is waited for."""
    repo.commit("many", {f"many/{number}.txt": f"{number}\n" * 50 for number in range(1000)})
    for delay in (0.0, 0.02, 0.05):
        words = ["git", "worktree", "add", "-q", "-f", "-B", BRANCH, str(place), "main"]
        with locked(place) as held:
            adding = subprocess.Popen(words, cwd=repo.folder, stderr=subprocess.DEVNULL, pass_fds=(held,))
            time.sleep(delay)
            adding.kill()
            adding.wait()
        worktree = make(repo, place)
        assert len(list((place / "many").iterdir())) == 1000
        assert worktree.changed() == 0
        repo("worktree", "remove", "--force", str(place))


@pytest.mark.spec("D-064")
def test_a_folder_that_is_not_a_worktree_any_more_is_moved_aside(repo: Repo, place: Path) -> None:
    make(repo, place)
    repo.write({"work.txt": "not committed\n"}, at=place)
    shutil.rmtree(repo.folder / ".git" / "worktrees")
    make(repo, place)
    assert not (place / "work.txt").exists()
    assert (place.with_name(f"{TASK}.kept-1") / "work.txt").read_text() == "not committed\n"


@pytest.mark.spec("D-064")
def test_a_branch_that_is_there_is_continued_and_one_that_is_checked_out_elsewhere_refused(
    repo: Repo, place: Path, tmp_path: Path
) -> None:
    repo("branch", BRANCH)
    assert make(repo, place).branch() == BRANCH
    repo("worktree", "remove", str(place))
    repo("worktree", "add", "-q", str(tmp_path / "elsewhere"), BRANCH)
    with pytest.raises(GitFailed, match=r"is checked out at .*elsewhere"):
        make(repo, place)


def test_twenty_worktrees_at_once(repo: Repo, tmp_path: Path) -> None:
    base, errors = repo("rev-parse", "main"), []

    def one(number: int) -> None:
        try:
            worktree = opened(Repository(repo.folder), tmp_path / "work" / f"t{number}", f"task/t{number}", base)
            repo.write({f"{number}.txt": "x\n"}, at=worktree.folder)
            committed(worktree, f"task/t{number}", "Round 1")
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert len(repo.worktrees()) == 21


@pytest.mark.spec("D-065")
def test_everything_is_committed_but_artifacts_and_what_is_ignored(repo: Repo, place: Path) -> None:
    exclude_artifacts(Repository(repo.folder))
    exclude_artifacts(Repository(repo.folder))
    assert (repo.folder / ".git" / "info" / "exclude").read_text().count("/.agent-artifacts/") == 1
    worktree = make(repo, place)
    odd = {"a b.txt": "x\n", "tab\there.txt": "x\n", 'quo"te.txt': "x\n", "ü.txt": "x\n", ".gitignore": "secret.env\n"}
    repo.write({**odd, "secret.env": "KEY=1\n", ".agent-artifacts/t/r.md": "x\n"}, at=place)
    os.chmod(place / "readme.txt", 0o755)
    head, fresh = committed(worktree, BRANCH, "Round 1")
    assert fresh
    found = difference(worktree, repo("rev-parse", "main"), head, 10_000)
    assert {file.path for file in found.files} == {*odd, "readme.txt"}
    assert committed(worktree, BRANCH, "Round 1") == (head, False)
    assert repo("log", "-1", "--format=%an", head) == "Sottovoce"


@pytest.mark.spec("D-065")
def test_a_lock_that_a_kill_left_does_not_stop_the_commit(repo: Repo, place: Path) -> None:
    worktree = make(repo, place)
    assert worktree.admin is not None
    lock = worktree.admin / "index.lock"
    lock.touch()
    os.utime(lock, (1, 1))
    repo.write({"work.txt": "x\n"}, at=place)
    assert committed(worktree, BRANCH, "Round 1")[1]


# what an agent can do to its worktree


@pytest.fixture
def trap(tmp_path: Path) -> tuple[Path, Path]:
    """A program that leaves a trace, and the trace."""
    trace, program = tmp_path / "trace", tmp_path / "trap.sh"
    program.write_text(f"#!/bin/sh\necho ran >> {trace}\nexec cat\n")
    program.chmod(0o755)
    return program, trace


@pytest.mark.spec("D-065")
def test_hooks_monitors_and_diff_programs_of_the_repository_are_not_run(
    repo: Repo, place: Path, trap: tuple[Path, Path]
) -> None:
    program, trace = trap
    worktree = make(repo, place)
    for hook in ("pre-commit", "commit-msg", "post-commit", "post-checkout", "post-index-change"):
        shutil.copy(program, repo.folder / ".git" / "hooks" / hook)
    for name in ("core.fsmonitor", "diff.external", "diff.x.textconv", "diff.x.command", "core.pager", "core.editor"):
        repo("config", name, str(program))
    repo.write({".gitattributes": "* diff=x\n", "work.txt": "x\n"}, at=place)
    head, _ = committed(worktree, BRANCH, "Round 1")
    assert difference(worktree, repo("rev-parse", "main"), head, 10_000).text.count("+x") == 1
    assert worktree.changed() == 0
    merge_of(Repository(repo.folder), TASK, "main", "main", repo("rev-parse", "main"), head)
    assert not trace.exists()


@pytest.mark.spec("D-065")
def test_a_filter_that_is_new_refuses_the_commit(repo: Repo, place: Path, trap: tuple[Path, Path]) -> None:
    program, trace = trap
    repo("config", "filter.old.clean", "cat")
    worktree = make(repo, place)
    repo.write({".gitattributes": "*.txt filter=old\n", "work.txt": "x\n"}, at=place)
    assert committed(worktree, BRANCH, "Round 1")[1], "one that was there before is the user's own"
    repo("config", "filter.evil.clean", str(program))
    repo.write({".gitattributes": "*.txt filter=evil\n", "more.txt": "x\n"}, at=place)
    with pytest.raises(GitFailed, match=r"new filter \(filter.evil.clean\)"):
        committed(worktree, BRANCH, "Round 2")
    assert not trace.exists()
    repo("config", "--unset", "filter.evil.clean")
    repo("config", "filter.old.clean", str(program))
    with pytest.raises(GitFailed, match="new filter"):
        committed(worktree, BRANCH, "Round 2")


@pytest.mark.spec("D-065")
def test_a_changed_git_file_leads_nowhere(repo: Repo, place: Path, tmp_path: Path, trap: tuple[Path, Path]) -> None:
    """An agent that may write only its worktree could otherwise bring a configuration of its own."""
    program, trace = trap
    worktree = make(repo, place)
    evil = Repo(tmp_path / "evil")
    evil("config", "core.fsmonitor", str(program))
    evil("config", "filter.evil.clean", str(program))
    (place / ".git").write_text(f"gitdir: {evil.folder}/.git\n")
    repo.write({".gitattributes": "* filter=evil\n", "work.txt": "x\n"}, at=place)
    head, _ = committed(worktree, BRANCH, "Round 1")
    assert not trace.exists()
    assert "work.txt" in repo.files(head)
    assert known(Repository(repo.folder), place) == worktree


@pytest.mark.spec("D-065")
def test_links_are_committed_as_links_and_a_worktree_that_became_one_is_moved_aside(
    repo: Repo, place: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.mkdir()
    (secret / "key").write_text("4711\n")
    worktree = make(repo, place)
    (place / "key").symlink_to(secret / "key")
    (place / "folder").symlink_to(secret)
    head, _ = committed(worktree, BRANCH, "Round 1")
    text = difference(worktree, repo("rev-parse", "main"), head, 10_000).text
    assert "new file mode 120000" in text
    assert "4711" not in text
    shutil.rmtree(place)
    place.symlink_to(secret)
    assert known(Repository(repo.folder), place) is None
    assert not make(repo, place).folder.is_symlink()
    assert (secret / "key").exists()


def test_variables_of_a_hook_that_started_this_process_change_nothing(
    repo: Repo, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    assert Repository(repo.folder).branch() == "main"


# diffs


@pytest.mark.spec("D-065")
def test_a_long_diff_keeps_whole_files_the_smallest_first_and_the_hash_of_all(repo: Repo) -> None:
    base = repo("rev-parse", "main")
    head = repo.commit("work", {"a.txt": "a\n" * 5000, "b.txt": "b\n", "c.txt": "c\n" * 30})
    repository = Repository(repo.folder)
    all_of_it = difference(repository, base, head, 1 << 20)
    assert all_of_it.whole
    assert all_of_it.sha256 == hashlib.sha256(all_of_it.text.encode()).hexdigest()
    assert all_of_it.size == len(all_of_it.text)
    some = difference(repository, base, head, 600)
    assert not some.whole
    assert [line for line in some.text.splitlines() if line.startswith("diff --git")] == [
        "diff --git a/b.txt b/b.txt",
        "diff --git a/c.txt b/c.txt",
    ]
    assert (some.size, some.sha256) == (all_of_it.size, all_of_it.sha256)
    assert [file.added for file in some.files] == [5000, 1, 30]
    assert difference(repository, base, head, 0).text == ""
    assert difference(repository, head, head, 600).files == ()


@pytest.mark.spec("D-065")
def test_a_very_long_diff_is_not_read_at_once(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sottovoce.rulesets.delegation.workspaces.diffs.READ_WHOLE", 2000)
    base = repo("rev-parse", "main")
    (repo.folder / "logo.png").write_bytes(bytes(range(256)) * 200)
    (repo.folder / "latin.txt").write_bytes(b"caf\xe9\n")
    repo("mv", "readme.txt", "read me.txt")
    head = repo.commit("work", {"a.txt": "a\n" * 5000, "b.txt": "b\n"})
    found = difference(Repository(repo.folder), base, head, 1500)
    by_name = {file.path: file for file in found.files}
    assert by_name["logo.png"].added is None
    assert by_name["read me.txt"].old == "readme.txt"
    assert "caf\ufffd" in found.text
    assert "b/b.txt" in found.text
    assert "b/a.txt" not in found.text


# merges


def squash(repo: Repo) -> None:
    repo("merge", "-q", "--squash", "work")
    repo("commit", "-q", "-m", "squashed")


def squash_with_another_edit(repo: Repo) -> None:
    repo("merge", "-q", "--squash", "work")
    repo.commit("squashed, and more", {"more.txt": "more\n"})


def rebase(repo: Repo) -> None:
    repo.commit("meanwhile", {"other.txt": "x\n"})
    repo("switch", "-q", "-c", "copy", "work")
    repo("rebase", "-q", "main")
    repo("switch", "-q", "main")
    repo("merge", "-q", "--ff-only", "copy")


def cherry_pick(repo: Repo) -> None:
    repo.commit("meanwhile", {"other.txt": "x\n"})
    repo("cherry-pick", "work~2..work")


def merge(repo: Repo) -> None:
    repo.commit("meanwhile", {"other.txt": "x\n"})
    repo("merge", "-q", "--no-edit", "work")
    repo.commit("later", {"other.txt": "y\n"})


def merge_edited_later(repo: Repo) -> None:
    merge(repo)
    repo.commit("again", {"a.txt": "something else\n"})


def revert(repo: Repo) -> None:
    repo("merge", "-q", "--no-ff", "--no-edit", "work")
    repo("revert", "-m", "1", "--no-edit", "HEAD")


def first_alone(repo: Repo) -> None:
    repo("cherry-pick", "work~1")


def by_hand(repo: Repo) -> None:
    repo.commit("by hand", {"a.txt": "a\n", "b.txt": "b\n"})


def conflict(repo: Repo) -> None:
    repo.commit("meanwhile", {"a.txt": "mine\n"})


MERGES: list[tuple[Callable[[Repo], object], str, str | None]] = [
    (lambda repo: repo("merge", "-q", "--ff-only", "work"), "merge", "work"),
    (merge, "merge", "main~1"),
    (merge_edited_later, "merge", "main~2"),
    (revert, "merge", "main~1"),
    (cherry_pick, "picked", "main"),
    (rebase, "picked", "main"),
    (squash, "squash", "main"),
    (squash_with_another_edit, "contained", None),
    (by_hand, "squash", "main"),
    (first_alone, "none", None),
    (conflict, "none", None),
    (lambda repo: None, "none", None),
]


@pytest.mark.spec("D-067")
@pytest.mark.parametrize(("how", "found", "commit"), MERGES)
def test_how_work_came_into_the_target_is_found(
    repo: Repo, how: Callable[[Repo], object], found: str, commit: str | None
) -> None:
    base = repo("rev-parse", "main")
    repo("switch", "-q", "-c", "work")
    repo.commit("one", {"a.txt": "a\n"})
    head = repo.commit("two", {"b.txt": "b\n"})
    repo("switch", "-q", "main")
    how(repo)
    result = merge_of(Repository(repo.folder), TASK, "main", base, base, head)
    assert (result.found, result.tip) == (found, repo("rev-parse", "main"))
    assert result.commit == (commit and repo("rev-parse", commit))
    assert result.conflicts == (("a.txt",) if how is conflict else ())


@pytest.mark.spec("D-067")
def test_a_branch_that_changes_nothing_is_empty_and_a_target_that_is_gone_an_error(repo: Repo) -> None:
    base = repo("rev-parse", "main")
    repository = Repository(repo.folder)
    assert merge_of(repository, TASK, "main", base, base, base).found == "empty"
    with pytest.raises(GitFailed):
        merge_of(repository, TASK, "gone", base, base, base)


# checks


def run(command: str, tmp_path: Path, seconds: float = 20.0) -> Check:
    return run_check("test", command, tmp_path, seconds, threading.Event())


@pytest.mark.spec("D-066")
@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        ("echo fine", 0, "fine\n"),
        ("echo out; echo err >&2; exit 3", 3, "out\nerr\n"),
        ("kill -9 $$", 137, ""),
        ("no-such-program-xyz", 127, "not found"),
        ("cat", 0, ""),
        ("pwd; echo $CI$GIT_DIR", 0, "1"),
        ("printf 'a\\000b\\377'", 0, "a\ufffdb\ufffd"),
    ],
)
def test_a_check_has_its_exit_code_and_its_output(tmp_path: Path, command: str, code: int, said: str) -> None:
    ran = run(command, tmp_path)
    assert (ran.exit, ran.cut) == (code, "")
    assert said in ran.output


@pytest.mark.spec("D-066")
def test_a_check_ends_at_its_limit_and_with_all_that_it_started(tmp_path: Path) -> None:
    ran = run("(sleep 60; touch late) & echo begun; sleep 60", tmp_path, 0.5)
    assert (ran.exit, ran.cut, ran.output) == (None, "time limit of 0.5 s", "begun\n")
    assert not ran.passed
    began = time.monotonic()
    ran = run("sleep 60 & echo $! > pid; exit 0", tmp_path)
    assert ran.passed
    assert time.monotonic() - began < 10
    deadline = time.monotonic() + 10
    while Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}").exists():
        state = Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}/stat").read_text().split()[2]
        if state == "Z":
            break
        assert time.monotonic() < deadline


@pytest.mark.spec("D-066")
def test_a_check_that_says_too_much_keeps_the_end(tmp_path: Path) -> None:
    ran = run("i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done", tmp_path)
    assert len(ran.output.encode()) == checks.KEPT
    assert ran.output.endswith("line 19999\n")
    assert len(run("yes", tmp_path, 0.5).output) == checks.KEPT


@pytest.mark.spec("D-066")
def test_a_check_stops_when_nobody_waits(tmp_path: Path) -> None:
    stop = threading.Event()
    threading.Timer(0.2, stop.set).start()
    with pytest.raises(Stopped):
        run_check("test", "sleep 60", tmp_path, 60, stop)


@pytest.mark.spec("D-066")
def test_only_commands_that_were_named_here_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not checks.is_allowed("/work", "make test")
    checks.allow("/work", ["make test"])
    checks.allow("/work", ["make test", "make lint"])
    assert checks.is_allowed("/work", "make test")
    assert not checks.is_allowed("/elsewhere", "make test")
    assert not checks.is_allowed("/work", "make test; rm -rf /")
    monkeypatch.setenv("SOTTOVOCE_CHECKS", "make a; make b\nsh -c 'x; y'")
    assert all(checks.is_allowed("/x", command) for command in ("make a", "make b", "sh -c 'x; y'"))
    monkeypatch.setenv("SOTTOVOCE_CHECKS", "*")
    assert checks.is_allowed("/x", "anything")
