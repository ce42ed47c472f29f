"""Programs on a real pseudo-terminal of a given size: what they print, and keys typed into it."""

from __future__ import annotations

import codecs
import fcntl
import os
import pty
import re
import select
import subprocess
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from patience import PATIENCE

ROOT = Path(__file__).parents[2]
OF_OURSELVES = ("COLUMNS", "LINES", "ARGS", "MAKEFLAGS", "MAKEOVERRIDES", "MAKELEVEL", "MFLAGS")
"""Variables about the terminal and the make that the tests run under, which the program must not see."""
STEERING = re.compile(r"\x1b(?:\[[0-9;?]*[a-zA-Z]|\][^\x07]*\x07|[()][A-Z0-9]|[=>])")


class Pty:
    """A program on its controlling pseudo-terminal, as in a shell: Ctrl-C is a signal there."""

    def __init__(
        self, command: Sequence[str], *, rows: int = 30, columns: int = 90, env: Mapping[str, str] | None = None
    ) -> None:
        self.main, follower = pty.openpty()
        termios.tcsetwinsize(follower, (rows, columns))
        kept = {name: value for name, value in os.environ.items() if name not in OF_OURSELVES}
        environment = {**kept, "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1", "PYTHONPATH": str(ROOT)}
        self.process = subprocess.Popen(
            list(command),
            stdin=follower,
            stdout=follower,
            stderr=follower,
            cwd=ROOT,
            env={**environment, **(env or {})},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(follower)
        self.seen = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")  # a character may arrive in two parts
        self._taken = 0

    @property
    def text(self) -> str:
        """Return everything printed, without colours and cursor control."""
        return STEERING.sub("", self.seen).replace("\r", "")

    def until(self, text: str, *, times: int = 1, after: int = 0, seconds: float = PATIENCE) -> str:
        """Wait until a text was on the terminal this often. Return everything seen until then."""
        end = time.monotonic() + seconds
        while self.seen[after:].count(text) < times:
            assert time.monotonic() < end, f"{text!r} did not come: {self.seen[-3000:]!r}"
            if not self.read():
                break
        assert self.seen[after:].count(text) >= times, f"{text!r} did not come: {self.seen[-3000:]!r}"
        return self.seen

    def fresh(self, *texts: str, seconds: float = PATIENCE) -> str:
        """Wait until these texts have come one after another. Return what has come since the last call, without
        colours.

        The result includes everything that came with the last of them, so wait for later texts in the same call.
        """
        end, found = time.monotonic() + seconds, self._taken
        for text in texts:
            while (place := self.seen.find(text, found)) < 0:
                alive = time.monotonic() < end and self.read()
                assert alive, f"{text!r} did not come: {self.seen[-3000:]!r}"
            found = place + len(text)
        come, self._taken = self.seen[self._taken :], len(self.seen)
        return STEERING.sub("", come).replace("\r", "")

    def read(self) -> bool:
        """Read what there is. Return False at the end."""
        if select.select([self.main], [], [], 0.2)[0]:
            try:
                found = os.read(self.main, 65536)
            except OSError:
                return False
            self.seen += self._decoder.decode(found)
            return bool(found)
        return True

    def wait(self, done: Callable[[], bool], seconds: float = PATIENCE) -> None:
        """Read until a condition holds."""
        end = time.monotonic() + seconds
        while not done():
            assert time.monotonic() < end, f"it does not come: {self.seen[-3000:]!r}"
            self.read()

    def ended(self, seconds: float = PATIENCE) -> int:
        """Return the exit code once the program has ended, after reading all its output."""
        end = time.monotonic() + seconds
        while self.process.poll() is None:
            assert time.monotonic() < end, f"it goes on: {self.seen[-3000:]!r}"
            self.read()
        while select.select([self.main], [], [], 0.1)[0] and self.read():
            pass
        return self.process.returncode

    def type(self, keys: str) -> None:
        os.write(self.main, keys.encode())

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.main)
