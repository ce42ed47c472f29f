"""The page as `make page` builds it, for tests that need the real one."""

from __future__ import annotations

import fcntl
import os
import subprocess

from commands import ROOT

from sottovoce.projections.bundle import Bundle


def build_page() -> Bundle:
    """Build what has changed of the page, one process at a time, and read it."""
    # Options that a make running the tests passes to its own makes are not for this one.
    environment = {name: text for name, text in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    with (ROOT / ".venv" / ".page.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = subprocess.run(["make", "-s", "page"], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert made.returncode == 0, made.stdout + made.stderr
    return Bundle.read(ROOT / "web" / "dist")
