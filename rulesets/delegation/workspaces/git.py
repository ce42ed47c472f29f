"""The git command, in a way that neither the user's settings nor what an agent left in a worktree changes."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sottovoce import SottovoceError

SECONDS = 120.0
"""Time limit of a single git command."""
LONG_SECONDS = 600.0
"""Time limit of one that writes many files."""
STALE = 3.0
"""Seconds after which a lock in a task's own worktree that has not changed is what a killed process left."""

QUIET = (
    *("core.hooksPath=/dev/null", "core.fsmonitor=false", "core.untrackedCache=false", "gc.auto=0"),
    *("maintenance.auto=false", "advice.detachedHead=false", "core.quotePath=false", "diff.external="),
    *("commit.gpgSign=false", "core.attributesFile=/dev/null", "submodule.recurse=false", "core.pager=cat"),
)
DIFF = (
    *("--no-ext-diff", "--no-textconv", "--no-color", "--find-renames", "--full-index", "--src-prefix=a/"),
    *("--dst-prefix=b/", "--ignore-submodules=none", "--submodule=short"),
)
"""How every diff is made."""


UNDER_WAY = {
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
}
"""What git leaves in a repository while it waits for somebody to go on."""


class GitFailed(SottovoceError):
    """Git could not do it. The message says what it was, and git's own last line."""


@dataclass(frozen=True, slots=True)
class Repository:
    """A folder that git is run in.

    `admin` is the folder of a worktree's own records inside the repository. It is named to git whatever the worktree's
    `.git` file says, since agents can write that one.
    """

    folder: Path
    admin: Path | None = None

    def run(self, *words: str, ok: Sequence[int] = (0,), given: bytes = b"", held: Sequence[int] = ()) -> bytes:
        """What git says. Raises GitFailed for an exit code that is not `ok`.

        `held` are descriptors of locks that git holds as well; then it may take longer.
        """
        return self.ran(*words, ok=ok, given=given, held=held)[1]

    def ran(
        self, *words: str, ok: Sequence[int] = (0,), given: bytes = b"", held: Sequence[int] = ()
    ) -> tuple[int, bytes]:
        """The exit code, and what git says."""
        seconds = LONG_SECONDS if held else SECONDS
        try:
            done = subprocess.run(
                [*self.words, *words],
                input=given,
                capture_output=True,
                env=self.environment,
                timeout=seconds,
                check=False,
                pass_fds=held,
            )
        except FileNotFoundError:
            raise GitFailed("git is not installed. Install it, or set workspace=none.") from None
        except subprocess.TimeoutExpired:
            raise GitFailed(f"git {words[0]} did not end within {seconds:g} seconds.") from None
        if done.returncode not in ok:
            why = _why(done.stderr.decode("utf-8", "replace"))
            raise GitFailed(f"git {words[0]}: {why or f'exit code {done.returncode}'}")
        return done.returncode, done.stdout

    def text(self, *words: str, ok: Sequence[int] = (0,)) -> str:
        """What git says, as text without the line end."""
        return self.run(*words, ok=ok).decode("utf-8", "replace").strip()

    def holds(self, *words: str) -> bool:
        """Whether a command that answers by its exit code says yes."""
        return self.ran(*words, ok=(0, 1))[0] == 0

    def stream(self, *words: str) -> Iterator[bytes]:
        """What git says, piece by piece, however long it is."""
        process = subprocess.Popen(
            [*self.words, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=self.environment,
        )  # fmt: skip
        assert process.stdout is not None
        try:
            while data := process.stdout.read(1 << 16):
                yield data
        finally:
            process.stdout.close()
            process.kill()
            process.wait()

    @property
    def words(self) -> list[str]:
        return ["git", "-C", str(self.folder), *(part for setting in QUIET for part in ("-c", setting))]

    @property
    def environment(self) -> dict[str, str]:
        """Without what a hook or an alias that started us would have left behind, such as GIT_DIR."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        kept |= {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C", "GIT_EDITOR": "true"}
        if self.admin is not None:
            kept |= {"GIT_DIR": str(self.admin), "GIT_WORK_TREE": str(self.folder)}
        return kept

    def tip(self, name: str) -> str | None:
        """The commit that a branch or another name stands for, if there is one."""
        code, out = self.ran("rev-parse", "--verify", "-q", "--end-of-options", f"{name}^{{commit}}", ok=(0, 1, 128))
        return out.decode().strip() if code == 0 else None

    def tree(self, commit: str) -> str:
        """The id of a commit's content."""
        return self.text("rev-parse", "--verify", f"{commit}^{{tree}}")

    def branch(self) -> str | None:
        """The branch that is checked out; None where HEAD is on none."""
        name = self.text("symbolic-ref", "-q", "--short", "HEAD", ok=(0, 1))
        return name or None

    def changed(self, *leave_out: str) -> int:
        """How many files are changed or new and not committed. Of a submodule only its commit is looked at."""
        words = ("status", "--porcelain", "-z", "--untracked-files=normal", "--ignore-submodules=dirty")
        out = self.run(*words, "--", ".", *left_out(leave_out))
        return sum(1 for part in out.split(b"\0") if part[2:3] == b" ")

    def under_way(self) -> str | None:
        """What git is in the middle of, such as `rebase`; None where it is in the middle of nothing."""
        asked = [word for name in UNDER_WAY for word in ("--git-path", name)]
        paths = self.text("rev-parse", "--path-format=absolute", *asked).splitlines()
        return next((what for path, what in zip(paths, UNDER_WAY.values(), strict=True) if Path(path).exists()), None)

    def clear_locks(self) -> None:
        """Take away locks that a killed git left in this worktree's own records."""
        for name in ("index.lock", "HEAD.lock"):
            if self.admin is None:
                return
            lock = self.admin / name
            try:
                while time.time() - lock.stat().st_mtime < STALE:
                    time.sleep(0.1)
                lock.unlink()
            except FileNotFoundError:
                continue


def _why(errors: str) -> str:
    """The last line that says what was wrong, after the first one, which may name a missing program or a full disk."""
    lines = [
        line for line in map(str.strip, errors.splitlines()) if line and not line.startswith(("hint:", "warning:"))
    ]
    told = [line for line in lines if line.startswith(("fatal:", "error:")) or "not found" in line] or lines
    return " … ".join(line[:250] for line in dict.fromkeys((*told[:1], *told[-1:])))


def left_out(paths: Sequence[str]) -> list[str]:
    """The words that keep these paths, at the top of a worktree, out of a command."""
    return [f":(top,exclude){path}" for path in paths]
