"""Commands that the user named, run in a task's worktree: checks (D-066), and the set-up of a new worktree."""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from sottovoce.rulesets.delegation.rules.evidence import Check
from sottovoce.rulesets.delegation.workspaces.places import state_folder

KEPT = 16 * 1024
"""Bytes of a command's output that are kept, the last ones."""

GUARDED = """
exec 9<"/dev/fd/$1" || exit 126
(read -r _ <&9; kill -KILL 0) </dev/null >/dev/null 2>&1 &
/bin/sh -c "$2" 9<&-
exit $?
"""
"""Runs a command next to a watcher, which ends the whole group as soon as this process closes its pipe, or is gone."""

NOT_ALLOWED = "it is not allowed on this computer; name it with --check, or in SOTTOVOCE_CHECKS"


class Stopped(Exception):
    """Whoever waited for the command waits no longer."""


def run_check(name: str, command: str, folder: Path, seconds: float, stop: threading.Event) -> Check:
    """Run a command to its end, its time limit or `stop`. What it started ends with it. Raises Stopped."""
    began = time.monotonic()
    life, held = os.pipe()
    try:
        process = subprocess.Popen(
            ["/bin/sh", "-c", GUARDED, "sh", str(life), command],
            cwd=folder,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            pass_fds=(life,),
        )
    except OSError as error:
        os.close(held)
        return Check(name, command, None, f"it cannot be started: {error.strerror}")
    finally:
        os.close(life)
    out = bytearray()
    reader = threading.Thread(target=_read, args=(process, out), daemon=True)
    reader.start()
    cut = ""
    try:
        while process.poll() is None:
            if stop.wait(0.02):
                raise Stopped
            if time.monotonic() - began > seconds:
                cut = f"time limit of {seconds:g} s"
                break
        code = process.poll()
    finally:
        os.close(held)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        reader.join(2)
    text = bytes(out[-KEPT:]).decode("utf-8", "replace").replace("\0", "\ufffd")
    if code is not None and code < 0:
        code = 128 - code
    return Check(name, command, None if cut else code, cut, round(time.monotonic() - began, 1), text)


def _read(process: subprocess.Popen[bytes], out: bytearray) -> None:
    assert process.stdout is not None
    with process.stdout, suppress(OSError, ValueError):
        while data := os.read(process.stdout.fileno(), 1 << 16):
            out.extend(data)
            del out[:-KEPT]


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return kept | {"CI": "1", "GIT_TERMINAL_PROMPT": "0"}


def allow(folder: str, commands: Iterable[str]) -> None:
    """Remember that somebody at this computer named these commands for a folder: games there may be resumed."""
    known = _allowed()
    new = [digest for digest in (_digest(folder, command) for command in commands) if digest not in known]
    if new:
        path = _file()
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="ascii") as file:
            file.writelines(f"{digest}\n" for digest in new)


def is_allowed(folder: str, command: str) -> bool:
    """Whether a command of a game in that folder may be run here. Logs come from elsewhere, too."""
    named = os.environ.get("SOTTOVOCE_CHECKS", "")
    listed = {part.strip() for line in named.splitlines() for part in (line, *line.split(";"))}
    return bool({"*", command.strip()} & listed) or _digest(folder, command) in _allowed()


def _file() -> Path:
    return state_folder() / "allowed-commands"


def _allowed() -> frozenset[str]:
    try:
        return frozenset(_file().read_text(encoding="ascii", errors="replace").split())
    except OSError:
        return frozenset()


def _digest(folder: str, command: str) -> str:
    return hashlib.sha256(f"{folder}\0{command}".encode("utf-8", "surrogateescape")).hexdigest()
