"""Start, watch and kill the processes under test."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Self

REPO = Path(__file__).parents[3]
PATIENCE = 60.0
"""Seconds after which a process that has not ended counts as hung."""


def environment(**wishes: str | None) -> dict[str, str]:
    """Return the environment of a process under test: this one's, the import path, and the settings of
    `durability.child`."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("SOTTOVOCE_")}
    path = os.pathsep.join([str(REPO), str(REPO / "tests" / "kit")])
    return {**inherited, "PYTHONPATH": path, "PYTHONUNBUFFERED": "1", **told(**wishes)}


def told(**wishes: str | None) -> dict[str, str]:
    """Return settings as environment variables: `tap`, `kill`, `slow`, `stuck`, `lease`, `fault`, `pages`, `fsize`,
    `user`."""
    return {f"SOTTOVOCE_TEST_{name.upper()}": value for name, value in wishes.items() if value}


class Hung(AssertionError):
    """A process did not end in time. It was killed."""


@dataclass(slots=True)
class Tap:
    """What the processes under test have acknowledged so far, read from the file they append to."""

    path: Path
    lines: list[dict[str, Any]] = field(default_factory=list)
    _read: int = 0

    def look(self) -> list[dict[str, Any]]:
        """Return all complete lines so far."""
        if self.path.exists() and self.path.stat().st_size > self._read:
            with self.path.open("rb") as file:
                file.seek(self._read)
                fresh = file.read()
            whole = fresh[: fresh.rfind(b"\n") + 1]
            self._read += len(whole)
            self.lines += [json.loads(line) for line in whole.splitlines()]
        return self.lines

    @property
    def appends(self) -> list[dict[str, Any]]:
        """Return the acknowledged appends."""
        return [line for line in self.look() if "append" in line]

    @property
    def pids(self) -> list[int]:
        return [line["pid"] for line in self.look() if "pid" in line]

    def wait_for(self, count: int, what: str = "append", alive: Any = None, patience: float = PATIENCE) -> bool:
        """Wait until there are `count` lines of that sort, or nobody is `alive` any more. Return whether there are."""
        deadline = time.monotonic() + patience
        while sum(what in line for line in self.look()) < count:
            if (alive is not None and not alive()) or time.monotonic() > deadline:
                return sum(what in line for line in self.look()) >= count
            time.sleep(0.0005)
        return True


class Zygote:
    """A process that has imported everything and forks one process under test at a time, in milliseconds."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "durability.child", "zygote"],
            cwd=REPO,
            env=environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._waiting = b""
        self.pid: int | None = None
        self.code: int | None = None
        self._answer(PATIENCE)

    def start(self, arguments: Sequence[str], out: Path, given: Path | None = None, **wishes: str | None) -> int:
        """Start `sottovoce ARGUMENTS` and return its process ID. Its output is appended to `out`, and stderr to `out`
        with `.err`.

        Its standard input is the file `given`, or empty.
        """
        assert self.pid is None, "one process at a time"
        order = {
            "arguments": list(arguments),
            "environment": told(**wishes),
            "given": str(given or os.devnull),
            "out": str(out),
            "err": f"{out}.err",
        }
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        self._process.stdin.flush()
        answer = self._answer(PATIENCE)
        assert answer is not None
        self.code = None
        self.pid = int(answer["pid"])
        return self.pid

    def alive(self) -> bool:
        """Return whether the process is still running."""
        if self.pid is not None and (answer := self._answer(0)) is not None:
            self.code, self.pid = answer["status"], None
        return self.pid is not None

    def signal(self, number: int) -> None:
        """Send a signal to the process, unless it has ended."""
        if self.alive():
            assert self.pid is not None
            os.kill(self.pid, number)

    def wait(self, patience: float = PATIENCE) -> int:
        """Return the exit code, negative for a signal. If it does not end, kill it and raise Hung."""
        if self.pid is not None:
            answer = self._answer(patience)
            hung = answer is None
            if hung:
                os.kill(self.pid, signal.SIGKILL)
                answer = self._answer(PATIENCE)
            assert answer is not None
            self.code, self.pid = answer["status"], None
            if hung:
                raise Hung(f"the process did not end within {patience:g} s")
        assert self.code is not None
        return self.code

    def run(self, arguments: Sequence[str], out: Path, **more: Any) -> tuple[int, str, str]:
        """Run `sottovoce ARGUMENTS` to its end. Return exit code, stdout and stderr."""
        err = Path(f"{out}.err")
        out.write_text("")
        err.write_text("")
        self.start(arguments, out, **more)
        code = self.wait()
        return code, out.read_text(), err.read_text()

    def kill(self) -> int:
        """SIGKILL it now. Return the exit code, which differs if it had ended before."""
        self.signal(signal.SIGKILL)
        return self.wait()

    def _answer(self, patience: float) -> Any:
        assert self._process.stdout is not None
        deadline = time.monotonic() + patience
        while b"\n" not in self._waiting:
            ready, _, _ = select.select([self._process.stdout], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                return None
            fresh = os.read(self._process.stdout.fileno(), 65536)
            if not fresh:
                raise AssertionError("the zygote died")
            self._waiting += fresh
        line, _, self._waiting = self._waiting.partition(b"\n")
        return json.loads(line)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, t: TracebackType | None) -> None:
        if self.pid is not None:
            self.kill()
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()


class Cold:
    """`sottovoce ARGUMENTS` in a process that imports everything itself.

    With `tapped` it is `durability.child`, otherwise the command that users type. A context manager that leaves no
    process behind.
    """

    def __init__(self, arguments: Sequence[str], *, tapped: bool = False, **options: Any) -> None:
        wishes: Mapping[str, str | None] = options.pop("wishes", {})
        module = ["durability.child", "cold"] if tapped else ["sottovoce"]
        defaults = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": REPO}
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", "-X", "faulthandler", "-m", *module, *arguments],
            env=environment(**wishes),
            **{**defaults, **options},
        )

    def alive(self) -> bool:
        return self.process.poll() is None

    def end(self, patience: float = PATIENCE, given: bytes | None = None) -> tuple[int, str, str]:
        """Wait for the end. Return exit code, stdout and stderr."""
        try:
            out, err = self.process.communicate(given, timeout=patience)
        except subprocess.TimeoutExpired:
            self.process.send_signal(signal.SIGABRT)  # faulthandler prints where it is
            out, err = self.process.communicate()
            said = ((out or b"") + (err or b"")).decode(errors="replace")
            raise Hung(f"{self.process.args!r} did not end within {patience:g} s:\n{said}") from None
        return self.process.returncode, (out or b"").decode(), (err or b"").decode()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, t: TracebackType | None) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


def sottovoce(*arguments: str, given: str | None = None, **options: Any) -> tuple[int, str, str]:
    """Run one command to its end, from a cold start. Return exit code, stdout and stderr."""
    if given is not None:
        options["stdin"] = subprocess.PIPE
    with Cold(arguments, **options) as command:
        return command.end(given=None if given is None else given.encode())


def gone(pid: int) -> bool:
    """Return whether the process is gone, or only a zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "ZX"
    except OSError:
        return Path("/proc/self").exists()
