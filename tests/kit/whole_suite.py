"""Run every test, and the few that failed once more by themselves: `make test`.

A test that fails among others and passes alone is named at the end: it waits for something by luck. One that fails
twice fails the run, and so do more than `FEW`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
USUAL = ("-n", "4", "--dist", "worksteal")
FEW = 3
FAILED = 1
"""Pytest's exit code where tests have failed, and nothing else went wrong."""


def run(words: Sequence[str]) -> int:
    """Return the exit code of pytest with those arguments too, after a second try for a few failed tests."""
    code = _pytest(*USUAL, "--cache-clear", *words)
    failed = _failed() if code == FAILED else []
    if not 0 < len(failed) <= FEW:
        return code
    print("\nOnce more, alone:", *failed, sep="\n  ", flush=True)
    code = _pytest("--last-failed", "-p", "no:xdist", *failed)
    if code == 0:
        print("\nFailed among other tests, passed alone:", *failed, sep="\n  ", flush=True)
    return code


def _pytest(*words: str) -> int:
    return subprocess.run([sys.executable, "-m", "pytest", *words], cwd=ROOT).returncode


def _failed() -> list[str]:
    """Return the tests that failed in the last run, as the cache has them."""
    path = ROOT / ".pytest_cache" / "v" / "cache" / "lastfailed"
    try:
        return sorted(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return []


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
