"""Who this worker is, and whether another one still lives."""

from __future__ import annotations

import os
import secrets
import socket
from pathlib import Path


def worker_name() -> str:
    """A name for this process: host, process id, its start time, and a nonce."""
    return f"{socket.gethostname()}:{os.getpid()}:{_started(os.getpid())}:{secrets.token_hex(4)}"


def surely_dead(worker: str) -> bool:
    """Whether the worker was a process of this machine that is gone. False where that cannot be known."""
    try:
        host, pid, started, _ = worker.rsplit(":", 3)
        number = int(pid)
    except ValueError:
        return False
    if host != socket.gethostname() or number <= 0:
        return False
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        pass
    return _started(number) not in (started, "")


def _started(pid: int) -> str:
    """The process's start time in clock ticks since boot; empty where the system does not tell, or for a zombie."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "gone" if fields[0] in "ZX" else fields[19]
