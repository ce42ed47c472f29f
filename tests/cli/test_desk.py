"""The user of delegated work at a real terminal: told what awaits them, and able to speak unasked."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import SOTTOVOCE, Cli
from patience import PATIENCE

_ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07]*\x07|[@-Z\\-_=>])")


class AtTerminal:
    """A program at a pseudo-terminal of 100 columns: what it has printed, and somebody who types."""

    def __init__(self, words: list[str], url: str) -> None:
        self._main, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 100, 0, 0))
        env = os.environ | {"SOTTOVOCE_PACE": "0", "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"}
        self.process = subprocess.Popen(
            [SOTTOVOCE, "--db", url, *words],
            stdin=follower,
            stdout=follower,
            stderr=follower,
            env=env,
            start_new_session=True,
        )
        os.close(follower)
        self._raw = b""
        self._read = 0
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        while True:
            try:
                data = os.read(self._main, 65536)
            except OSError:
                return
            if not data:
                return
            self._raw += data

    @property
    def shown(self) -> str:
        return " ".join(_ESCAPES.sub("", self._raw.decode(errors="replace")).split())

    def sees(self, part: str) -> str:
        """Wait until that stands among what came since the last wait; what came up to its end."""
        until = time.monotonic() + PATIENCE
        while (found := self.shown.find(part, self._read)) < 0:
            assert time.monotonic() < until, f"{part!r} was not shown: {self.shown[self._read :]}"
            time.sleep(0.05)
        start, self._read = self._read, found + len(part)
        return self.shown[start : self._read]

    def types(self, text: str, shown: str | None = None) -> None:
        """Type at the next prompt, not before it is there; `shown` is what stands there then."""
        self.sees("❯")
        os.write(self._main, text.encode())
        self.sees(shown or text)

    def enters(self, text: str, shown: str | None = None) -> None:
        self.types(text, shown)
        os.write(self._main, b"\r")

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._main)


@pytest.fixture
def sv(tmp_path: Path) -> Cli:
    return Cli(tmp_path / "games.db")


@pytest.fixture
def desk(sv: Cli, tmp_path: Path) -> Iterator[AtTerminal]:
    tasks = tmp_path / "work" / "tasks"
    tasks.mkdir(parents=True)
    (tasks / "mend-roof.md").write_text("# The roof\n\nMend it.")
    seats = [word for seat in ("planner", "executor") for word in ("--seat", f"{seat}=outside")]
    terminal = AtTerminal(["play", "delegation", str(tmp_path / "work"), *seats], sv.url)
    yield terminal
    terminal.close()


@pytest.mark.spec("D-012", "D-044", "D-063")
def test_a_user_is_told_what_awaits_them_and_speaks_unasked(desk: AtTerminal, sv: Cli) -> None:
    desk.sees("You have no open turns. mend-roof: not yet delegated, waiting for planner")
    desk.sees("You can type :board, :tasks, :add")

    desk.enters(":help")
    desk.sees(":add SLUG: TEXT add a task and say what to do")
    desk.enters(":add count-geese: Count the geese.")
    desk.sees("for planner: Count the geese.")
    desk.enters(":change count-geese: Count them twice.")
    desk.sees("for planner: Count them twice.")
    desk.enters(":bo\t", ":board")
    desk.sees("mend-roof not yet delegated — planner —")
    desk.sees("count-geese not yet delegated — planner —")
    desk.enters(":abandon count-geese")
    desk.sees("count-geese) is abandoned.")

    task = "execute_delegate_task\n\n# Task\n\nReviewer: reviewer\n"
    assert sv("send", "latest", "--as", "planner", "--turn", 1, stdin=task).code == 0
    assert sv("send", "latest", "--as", "executor", "--turn", 1, stdin="need_input\n\nTiles or straw?").code == 0
    desk.sees("executor asks before going on.")
    desk.enters(":tasks")
    desk.sees("executor → user, need_input: Tiles or straw?")
    desk.sees("your answer: an answer in your own words")
    desk.enters("Straw, as before.")
    desk.sees("user (you) → executor: writes back")
    desk.sees("You have no open turns. mend-roof: work begins, waiting for executor")
    desk.enters("executor: And be quick.")
    desk.sees("And be quick.")
    assert "Straw, as before." in sv("inbox", "latest", "--as", "executor").out

    assert sv("send", "latest", "--as", "executor", "--turn", 2, stdin="review_requested\n\n# Request\n").code == 0
    desk.sees("Accept the work, or have another iteration")
    desk.enters(":abandon mend-roof")
    desk.sees("All work has ended.")
    assert desk.process.wait(30) == 0


def test_a_user_leaves_while_nobody_asks_them(desk: AtTerminal, sv: Cli) -> None:
    desk.sees("You have no open turns.")
    desk.enters(":quit")
    desk.sees("resume")
    assert desk.process.wait(30) == 0
    assert sv("show", "latest", "--as", "user").out.count("not yet delegated") == 1
