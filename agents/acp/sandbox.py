"""A sandbox around a program, by bubblewrap: it reads the machine, and writes its folder and its home alone.

It does not see the homes of other seats, the database of the games, nor other processes, and does not reach the sockets
of programs that would act outside for it. The network stays open, since models are asked through it. Where bubblewrap
is not installed, or may not make namespaces, there is no sandbox: see `lacking`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import platformdirs

from sottovoce.agents.acp.homes import LOGINS, homes
from sottovoce.agents.programs.hidden import hidden

PROGRAM = "bwrap"
SCRATCH = ("/tmp", "/var/tmp", "/dev/shm")
SESSIONS = "/run/user"
"""Folders with the sockets of people's sessions: D-Bus starts programs outside, and agents of SSH and GPG use keys."""
SOCKETS = (
    *("/run/docker.sock", "/run/podman/podman.sock", "/run/containerd/containerd.sock", "/run/crio/crio.sock"),
    *("/run/snapd.socket", "/run/libvirt/libvirt-sock", "/var/lib/incus/unix.socket", "/var/lib/lxd/unix.socket"),
)
"""Sockets of programs that start others outside the sandbox. A file system that is read-only does not close them."""
WITHOUT = "Agents of acp: run without a sandbox: {why}. Each can read and write what you can, this database included."


@lru_cache(maxsize=8)
def lacking(path: str) -> str:
    """Why there is no sandbox on this machine; empty where there is one. `path` is the PATH to look in."""
    program = shutil.which(PROGRAM, path=path)
    if program is None:
        return f"{PROGRAM} (bubblewrap) is not installed"
    words = (program, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid", "true")
    try:
        tried = subprocess.run(words, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"{PROGRAM} cannot be run ({error})"
    last = tried.stderr.strip().rpartition("\n")[2]
    return "" if tried.returncode == 0 else f"{PROGRAM} does not work here ({last[:200] or 'it fails'})"


def within(words: Sequence[str], path: str, *, folder: Path, home: Path, read_only: bool = False) -> list[str]:
    """The words that run a program in the sandbox, with its folder and its home to write in.

    With `read_only` it can read its folder and not write there. The program's own files stay readable wherever they
    are.
    """
    made = [str(shutil.which(PROGRAM, path=path)), "--die-with-parent", "--unshare-pid", "--unshare-ipc"]
    made += ["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    for scratch in SCRATCH:
        made += ["--tmpfs", scratch] if Path(scratch).is_dir() else []
    made += _closed_sockets()
    for word in words:
        if os.path.isabs(word) and word.startswith(SCRATCH) and Path(word).exists():
            made += ["--ro-bind", word, word]
    for secret in (platformdirs.user_data_path("sottovoce"), homes()):
        made += ["--tmpfs", str(secret)] if secret.is_dir() else []
    made += ["--ro-bind" if read_only else "--bind", str(folder), str(folder)]
    made += ["--bind", str(home), str(home)]
    for login in LOGINS:  # agents renew them
        link = home / "home" / login
        if link.is_symlink() and (target := link.resolve()).is_file():
            made += ["--bind", str(target), str(target)]
    for secret in hidden():
        made += ["--ro-bind", "/dev/null", str(secret)]
    return [*made, "--chdir", str(folder), "--", *words]


def _closed_sockets() -> list[str]:
    """The words that take sockets away through which a program could act outside, or with your keys."""
    made = []
    sessions = sorted(Path(SESSIONS).iterdir()) if Path(SESSIONS).is_dir() else []
    for folder in sessions:
        made += ["--tmpfs", str(folder)]
    named = (*SOCKETS, os.environ.get("SSH_AUTH_SOCK", ""), os.environ.get("DOCKER_HOST", "").removeprefix("unix://"))
    for socket in dict.fromkeys(os.path.realpath(name) for name in named if os.path.isabs(name)):
        if Path(socket).is_socket() and not socket.startswith((*SCRATCH, *map(str, sessions))):
            made += ["--ro-bind", "/dev/null", socket]
    return made
