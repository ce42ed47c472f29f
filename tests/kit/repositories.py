"""Real git repositories in temporary folders, and what is in them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

QUIET = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
}


class Repo:
    """A repository with a branch `main`."""

    def __init__(self, folder: Path, *, commit: bool = True) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self("init", "-q", "-b", "main")
        if commit:
            self.commit("first", {"readme.txt": "hello\n"})

    def __call__(self, *words: str, ok: bool = True, at: Path | None = None) -> str:
        """Run git, and return what it says."""
        done = subprocess.run(
            ["git", *words],
            cwd=at or self.folder,
            env={**os.environ, **QUIET},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0 or not ok, done.stderr
        return done.stdout.strip()

    def write(self, files: dict[str, str], at: Path | None = None) -> None:
        """Write files without committing them."""
        for name, text in files.items():
            path = (at or self.folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def commit(self, message: str, files: dict[str, str], at: Path | None = None) -> str:
        """Commit the files, and return the commit's id."""
        self.write(files, at)
        self("add", "-A", at=at)
        self("commit", "-q", "-m", message, at=at)
        return self("rev-parse", "HEAD", at=at)

    def worktrees(self) -> dict[str, str]:
        """Return the paths of all worktrees by branch; a locked or broken one fails the test."""
        out = self("worktree", "list", "--porcelain")
        assert "locked" not in out, out
        assert "prunable" not in out, out
        parts = [dict(line.partition(" ")[::2] for line in part.splitlines()) for part in out.split("\n\n")]
        return {part.get("branch", ""): part["worktree"] for part in parts}

    def files(self, commit: str) -> list[str]:
        """Return the names of all files in a commit."""
        return self("ls-tree", "-r", "--name-only", commit).splitlines()
