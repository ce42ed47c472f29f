"""The states that people's repositories are in: what each gives, in which line, and that nothing is lost."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from repositories import QUIET, Repo

from sottovoce import SetupRefused
from sottovoce.rulesets.delegation.workspaces.diffs import difference
from sottovoce.rulesets.delegation.workspaces.git import GitFailed, Repository
from sottovoce.rulesets.delegation.workspaces.merges import merge_of
from sottovoce.rulesets.delegation.workspaces.opening import notes_on, repository_options
from sottovoce.rulesets.delegation.workspaces.worktrees import committed, opened

BRANCH = "task/20260101-1200-tidy-notes"
FILES = ("-c", "protocol.file.allow=always")
"""Git takes submodules from a folder only when it is told to."""


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
    return tmp_path / "state" / "work" / "task"


@pytest.fixture
def trap(tmp_path: Path) -> tuple[Path, Path]:
    """A program that leaves a trace, and the trace."""
    trace, program = tmp_path / "trace", tmp_path / "trap.sh"
    program.write_text(f"#!/bin/sh\necho ran >> {trace}\nexec cat\n")
    program.chmod(0o755)
    return program, trace


def make(repo: Repo, place: Path) -> Repository:
    return opened(Repository(repo.folder), place, BRANCH, repo("rev-parse", "HEAD"))


def offered(worktree: Repository) -> str:
    """Commit what lies there, and return the head."""
    return committed(worktree, BRANCH, "Round 1")[0]


def notes(repo: Repo) -> list[str]:
    return list(notes_on(repo.folder, {"workspace": "worktree", "target": "main"}))


# repositories within the repository


@pytest.fixture
def library(repo: Repo, tmp_path: Path) -> Repo:
    """A submodule `lib` of the repository."""
    library = Repo(tmp_path / "library")
    repo(*FILES, "submodule", "add", "-q", str(library.folder), "lib")
    repo("commit", "-q", "-m", "a submodule")
    return library


@pytest.mark.spec("D-064")
def test_submodules_are_empty_in_a_worktree_which_the_opening_says(repo: Repo, library: Repo, place: Path) -> None:
    assert notes(repo) == [
        'Submodules are empty in the tasks. To fill them: --rule "setup=git submodule update --init"'
    ]
    worktree = make(repo, place)
    assert list((place / "lib").iterdir()) == []
    assert offered(worktree) == repo("rev-parse", "main"), "an empty one is no change"
    repo.write({"lib/file.txt": "in place of the submodule\n"}, at=place)
    assert "lib/file.txt" in repo.files(offered(worktree))
    shutil.rmtree(place / "lib")
    assert repo.files(offered(worktree)) == [".gitmodules", "readme.txt"]


@pytest.mark.spec("D-065")
def test_what_is_committed_in_a_submodule_is_recorded_and_its_configuration_not_obeyed(
    repo: Repo, library: Repo, place: Path, trap: tuple[Path, Path]
) -> None:
    program, trace = trap
    worktree = make(repo, place)
    repo(*FILES, "submodule", "update", "--init", "-q", at=place)
    inner = place / "lib"
    new = repo.commit("in the submodule", {"new.txt": "new\n", ".gitattributes": "* filter=evil\n"}, at=inner)
    for name in ("filter.evil.clean", "core.fsmonitor", "core.pager", "diff.external"):
        repo("config", name, str(program), at=inner)
    repo.write({"new.txt": "not committed\n"}, at=inner)
    head = offered(worktree)
    assert worktree.changed() == 0
    assert not trace.exists()
    assert repo("rev-parse", f"{head}:lib") == new
    assert f"+Subproject commit {new}" in difference(worktree, repo("rev-parse", "main"), head, 10_000).text
    assert (inner / "new.txt").read_text() == "not committed\n"


@pytest.mark.spec("D-065")
@pytest.mark.parametrize("how", ["untracked", "added by the agent"])
def test_a_repository_that_an_agent_made_within_is_refused_and_its_programs_are_not_run(
    repo: Repo, place: Path, trap: tuple[Path, Path], how: str
) -> None:
    """Its files would be in no commit; and an agent that may write only its folder could have a filter run."""
    program, trace = trap
    worktree = make(repo, place)
    inner = Repo(place / "inner")
    inner.commit("one", {".gitattributes": "* filter=evil\n", "file.txt": "1\n"})
    if how != "untracked":
        repo("add", "inner", at=place)
    for name in ("filter.evil.clean", "core.fsmonitor"):
        inner("config", name, str(program))
    inner.write({"file.txt": "2\n"})
    with pytest.raises(GitFailed, match=r"inner is another git repository, .* Remove inner/\.git"):
        offered(worktree)
    assert worktree.changed() >= (how == "untracked")
    assert not trace.exists()
    repo.write({".gitmodules": '[submodule "inner"]\n\tpath = inner\n\turl = nowhere\n'}, at=place)
    if how != "untracked":
        assert repo("rev-parse", f"{offered(worktree)}:inner") == inner("rev-parse", "HEAD")
    assert not trace.exists()
    shutil.rmtree(place / "inner" / ".git")
    (place / ".gitmodules").unlink()
    assert "inner/file.txt" in repo.files(offered(worktree))


def test_a_repository_that_git_ignores_is_left_alone(repo: Repo, place: Path) -> None:
    repo.commit("ignore", {".gitignore": "vendor/\n"})
    worktree = make(repo, place)
    Repo(place / "vendor" / "x")
    repo.write({"work.txt": "x\n"}, at=place)
    assert repo.files(offered(worktree)) == [".gitignore", "readme.txt", "work.txt"]


# files that are not there


LFS = {
    "clean": "git-lfs clean -- %f",
    "smudge": "git-lfs smudge -- %f",
    "process": "git-lfs filter-process",
    "required": "true",
}
"""As `git lfs install` sets it up."""


@pytest.fixture
def without_lfs(monkeypatch: pytest.MonkeyPatch) -> None:
    if subprocess.run(["git", "lfs", "version"], capture_output=True, check=False).returncode == 0:
        pytest.skip("git-lfs is installed here")


@pytest.mark.usefixtures("without_lfs")
@pytest.mark.parametrize("configured", [True, False])
def test_files_in_lfs_without_git_lfs_are_refused_or_told(repo: Repo, place: Path, configured: bool) -> None:
    commit_pointer(repo)
    assert notes(repo) == ["Files in git-lfs are pointers in the tasks, since git-lfs is not installed."]
    if configured:
        configure(repo, LFS)
        with pytest.raises(SetupRefused, match=SET_UP):
            repository_options(repo.folder, {})
        with pytest.raises(GitFailed, match=r"^git worktree: .*(not found|filter)"):
            make(repo, place)
        assert_nothing_half_made(repo, place)
    else:
        assert repository_options(repo.folder, {})["target"] == "main"
        make(repo, place)
        assert (place / "art" / "a.bin").read_text() == "a pointer\n"


@pytest.mark.usefixtures("without_lfs")
@pytest.mark.parametrize(("setting", "command"), [("smudge", LFS["smudge"]), ("process", "sleep 0.2; git-lfs")])
def test_a_filter_that_is_absent_and_not_required_leaves_pointers_or_nothing(
    repo: Repo, place: Path, setting: str, command: str
) -> None:
    """Without `required` git takes the pointers as they are where it cannot start the filter, and fails where the
    filter ends after git has written to it: with `process`, it is chance which. No game is opened like that.
    """
    commit_pointer(repo)
    configure(repo, {"process": LFS["process"]})
    with pytest.raises(SetupRefused, match=SET_UP):
        repository_options(repo.folder, {})
    repo("config", "--unset", "filter.lfs.process")
    configure(repo, {setting: command})
    if setting == "smudge":
        assert "Files in git-lfs are pointers in the tasks, since git-lfs is not installed." in notes(repo)
        make(repo, place)
        assert (place / "art" / "a.bin").read_text() == "a pointer\n"
    else:
        with pytest.raises(GitFailed, match=r"git-lfs: not found … fatal: "):
            make(repo, place)
        assert_nothing_half_made(repo, place)


SET_UP = "has files in git-lfs, and git is set up to use it, but git-lfs is not"


def commit_pointer(repo: Repo) -> None:
    repo.commit("big", {"art/.gitattributes": "*.bin filter=lfs diff=lfs -text\n", "art/a.bin": "a pointer\n"})


def configure(repo: Repo, settings: dict[str, str]) -> None:
    for name, value in settings.items():
        repo("config", f"filter.lfs.{name}", value)


def assert_nothing_half_made(repo: Repo, place: Path) -> None:
    """And once the filter is out of the way, the worktree is made."""
    assert len(repo.worktrees()) == 1
    assert not place.exists()
    repo("config", "--remove-section", "filter.lfs")
    make(repo, place)
    assert (place / "art" / "a.bin").read_text() == "a pointer\n"


@pytest.mark.spec("D-065")
def test_in_a_sparse_checkout_new_files_are_committed_wherever_they_lie(repo: Repo, place: Path) -> None:
    repo.commit("more", {"in/a.txt": "1\n", "out/b.txt": "1\n"})
    repo("sparse-checkout", "set", "--cone", "in")
    worktree = make(repo, place)
    assert not (place / "out").exists()
    repo.write({"out/d.txt": "x\n", "in/e.txt": "x\n"}, at=place)
    assert repo.files(offered(worktree)) == ["in/a.txt", "in/e.txt", "out/b.txt", "out/d.txt", "readme.txt"]


@pytest.mark.spec("D-064", "D-067")
def test_a_shallow_clone_does(repo: Repo, place: Path, tmp_path: Path) -> None:
    for number in range(3):
        repo.commit(f"commit {number}", {"a.txt": f"{number}\n"})
    clone = Repo(tmp_path / "shallow", commit=False)
    clone("fetch", "-q", "--depth", "1", f"file://{repo.folder}", "main:main", "--update-head-ok")
    clone("reset", "-q", "--hard")
    assert clone("rev-parse", "--is-shallow-repository") == "true"
    base = clone("rev-parse", "main")
    worktree = make(clone, place)
    clone.write({"work.txt": "x\n"}, at=place)
    head = offered(worktree)
    assert [file.path for file in difference(worktree, base, head, 9999).files] == ["work.txt"]
    assert merge_of(Repository(clone.folder), "t", "main", base, base, head).found == "none"
    clone("merge", "-q", "--squash", BRANCH)
    clone("commit", "-q", "-m", "squashed")
    assert merge_of(Repository(clone.folder), "t", "main", base, base, head).found == "picked"


# where the folder lies


@pytest.mark.spec("D-064")
def test_bare_repositories_and_worktrees_of_the_user_do(repo: Repo, place: Path, tmp_path: Path) -> None:
    bare, linked = tmp_path / "bare.git", tmp_path / "linked"
    repo("clone", "-q", "--bare", str(repo.folder), str(bare))
    repo("worktree", "add", "-q", "-b", "mine", str(linked))
    for number, (folder, target) in enumerate(((bare, "main"), (linked, "mine"))):
        assert repository_options(folder, {}) == {"workspace": "worktree", "target": target}
        worktree = opened(Repository(folder), place.with_name(f"t{number}"), BRANCH, target)
        repo.write({"work.txt": "x\n"}, at=worktree.folder)
        assert repo("ls-tree", "--name-only", offered(worktree), at=folder).splitlines() == ["readme.txt", "work.txt"]
        assert "/.agent-artifacts/" in Path(worktree.text("rev-parse", "--git-path", "info/exclude")).read_text()


# what the user is in the middle of


@pytest.fixture
def conflict(repo: Repo) -> None:
    """Two branches that change the same line."""
    repo("switch", "-q", "-c", "other")
    repo.commit("theirs", {"readme.txt": "theirs\n"})
    repo("switch", "-q", "main")


def test_a_rebase_under_way_is_told(repo: Repo, conflict: None) -> None:
    repo.commit("ours", {"readme.txt": "ours\n"})
    repo("switch", "-q", "other")
    repo("rebase", "main", ok=False)
    with pytest.raises(SetupRefused, match=r"A rebase is under way in .*/repo\. Finish it, or go back with --abort"):
        repository_options(repo.folder, {})
    repo("rebase", "--abort")
    assert repository_options(repo.folder, {})["target"] == "other"


@pytest.mark.spec("D-065")
@pytest.mark.parametrize("how", ["rebase", "merge", "cherry-pick"])
def test_conflicts_that_an_agent_left_are_not_committed(repo: Repo, place: Path, conflict: None, how: str) -> None:
    worktree = make(repo, place)
    repo.write({"readme.txt": "ours\n"}, at=place)
    offered(worktree)
    repo(how, "other", ok=False, at=place)
    with pytest.raises(GitFailed, match=rf"A {how} is under way in the work folder\. Finish it with `git {how} --cont"):
        offered(worktree)
    assert "<<<<<<<" in (place / "readme.txt").read_text()
    repo.write({"readme.txt": "both\n"}, at=place)
    repo("add", "-A", at=place)
    repo("-c", "core.editor=true", how, "--continue", at=place)
    assert repo("show", f"{offered(worktree)}:readme.txt") == "both"


# settings of the user


@pytest.mark.spec("D-065")
def test_hooks_that_fail_demanded_signatures_and_a_missing_name_do_not_stop_the_server(
    repo: Repo, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"):
        monkeypatch.delenv(name)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for hook in ("pre-commit", "commit-msg", "post-checkout", "prepare-commit-msg", "reference-transaction"):
        (hooks / hook).write_text("#!/bin/sh\nread -r answer </dev/tty\nexit 1\n")
        (hooks / hook).chmod(0o755)
    settings = {
        "core.hooksPath": str(hooks),
        "commit.gpgSign": "true",
        "gpg.program": "/bin/false",
        "user.useConfigOnly": "true",
        "commit.template": "/nowhere",
        "core.editor": "/bin/false",
    }
    for name, value in settings.items():
        repo("config", name, value)
    worktree = make(repo, place)
    repo.write({"work.txt": "x\n"}, at=place)
    assert repo("log", "-1", "--format=%an %cn", offered(worktree)) == "Sottovoce Sottovoce"


@pytest.mark.spec("D-065")
def test_line_ends_are_as_the_user_set_them(repo: Repo, place: Path) -> None:
    repo("config", "core.autocrlf", "true")
    worktree = make(repo, place)
    assert (place / "readme.txt").read_bytes() == b"hello\r\n"
    repo.write({"work.txt": "x\n"}, at=place)
    head = offered(worktree)
    assert [file.path for file in difference(worktree, repo("rev-parse", "main"), head, 9999).files] == ["work.txt"]
    repo("config", "core.safecrlf", "true")
    repo.write({"more.txt": "x\n"}, at=place)
    with pytest.raises(GitFailed, match=r"LF would be replaced by CRLF in (work|more)\.txt"):
        offered(worktree)
    assert (place / "more.txt").read_bytes() == b"x\n"


def test_a_branch_below_the_task_s_name_is_named(repo: Repo, place: Path) -> None:
    repo("branch", f"{BRANCH}/more")
    with pytest.raises(GitFailed, match=rf"{BRANCH}/more' exists; cannot create"):
        make(repo, place)


# files


@pytest.mark.spec("D-065")
def test_names_that_are_no_utf_8_or_have_line_ends_are_committed_and_told(repo: Repo, place: Path) -> None:
    worktree = make(repo, place)
    odd = (b"caf\xe9.txt", b"two\nlines.txt", b"-dash.txt", b":colon.txt", b"*.txt")
    for name in odd:
        with open(os.path.join(os.fsencode(place), name), "w") as file:
            file.write("x\n")
    found = difference(worktree, repo("rev-parse", "main"), offered(worktree), 9999)
    assert {file.path for file in found.files} == {name.decode("utf-8", "replace") for name in odd}
    assert found.text.count("\n+x\n") == len(odd)
    assert worktree.changed() == 0


@pytest.mark.spec("D-065")
def test_a_very_large_file_is_committed_and_its_diff_left_out(repo: Repo, place: Path) -> None:
    worktree = make(repo, place)
    line = b"a line of 32 bytes, again, again\n"
    (place / "large.txt").write_bytes(line * (20 << 20 >> 5))
    (place / "large.bin").write_bytes(bytes(20 << 20))
    found = difference(worktree, repo("rev-parse", "main"), offered(worktree), 262_144)
    by_name = {file.path: file.added for file in found.files}
    assert by_name == {"large.txt": 20 << 20 >> 5, "large.bin": None}
    assert not found.whole
    assert found.size > 20 << 20
    assert "large.bin" in found.text
    assert len(found.text) < 1000


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of 300 KiB."""
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", str(small)], check=False)
    if mounted.returncode != 0:
        pytest.skip("this user may not mount a small disk")
    yield small
    subprocess.run(["umount", str(small)], check=True)


def test_a_full_disk_loses_nothing(repo: Repo, full: Path, place: Path) -> None:
    repo.commit("much", {f"{number}.txt": os.urandom(20_000).hex() for number in range(10)})
    with pytest.raises(GitFailed, match="unable to write file"):
        opened(Repository(repo.folder), full / "task", BRANCH, "main")
    assert len(repo.worktrees()) == 1
    assert make(repo, place).changed() == 0, "elsewhere it is made"
    small = Repo(full / "repo")
    worktree = opened(Repository(small.folder), place.with_name("other"), BRANCH, "main")
    (worktree.folder / "work.bin").write_bytes(os.urandom(400_000))
    with pytest.raises(GitFailed, match=r"No space left on device|Out of diskspace"):
        offered(worktree)
    assert (worktree.folder / "work.bin").stat().st_size == 400_000
    assert small("rev-parse", BRANCH) == small("rev-parse", "main")


def test_options_do_not_change_where_nothing_is_in_the_way(repo: Repo) -> None:
    given: dict[str, Any] = {"max_rounds": 3}
    assert repository_options(repo.folder, given) == {**given, "workspace": "worktree", "target": "main"}
    assert notes(repo) == []
