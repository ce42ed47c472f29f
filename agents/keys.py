"""The keys that are pressed while a terminal asks nothing: they are not shown, and answer nothing."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import termios
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

INTERRUPT = b"\x03"

Mode = list[int | list[bytes | int]]


class Keys:
    """The keyboard of the terminal behind `fd` between questions. `pressed` is told of every key, Enter as a line end.

    Ctrl-C interrupts this process and no other: a `make` around it has nothing to complain about.
    """

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._pressed: Callable[[str], None] | None = None

    @contextmanager
    def heard(self, pressed: Callable[[str], None]) -> Iterator[None]:
        """Listen for the length of the block, in a running loop."""
        try:
            mine = os.tcgetpgrp(self._fd) == os.getpgrp()
            before = termios.tcgetattr(self._fd)
        except (OSError, termios.error):
            mine = False
        if not mine:  # in the background a terminal may be written to, and no more
            yield
            return
        self._pressed = pressed
        termios.tcsetattr(self._fd, termios.TCSANOW, quiet(before))
        self._listen()
        try:
            yield
        finally:
            self._ignore()
            self._pressed = None
            with suppress(OSError, termios.error):
                termios.tcsetattr(self._fd, termios.TCSANOW, before)

    @contextmanager
    def left_alone(self) -> Iterator[None]:
        """Leave the keyboard to a question for the length of the block."""
        if self._pressed is None:
            yield
            return
        self._ignore()
        try:
            yield
        finally:
            if self._pressed is not None:
                self._listen()

    def _listen(self) -> None:
        asyncio.get_running_loop().add_reader(self._fd, self._read)

    def _ignore(self) -> None:
        asyncio.get_running_loop().remove_reader(self._fd)

    def _read(self) -> None:
        try:
            typed = os.read(self._fd, 1024)
        except OSError:
            typed = b""
        if not typed:  # the terminal is gone
            self._ignore()
        elif INTERRUPT in typed:
            signal.raise_signal(signal.SIGINT)
        elif self._pressed is not None:
            self._pressed(typed.decode("utf-8", "replace").replace("\r", "\n"))


def quiet(mode: Mode) -> Mode:
    """Set the terminal to pass keys one by one without showing them, and Ctrl-C like any other key."""
    changed = list(mode)
    local, signs = changed[3], changed[6]
    assert isinstance(local, int)
    assert isinstance(signs, list)
    changed[3] = local & ~(termios.ECHO | termios.ICANON)
    signs = list(signs)
    signs[termios.VINTR] = b"\x00"
    signs[termios.VMIN], signs[termios.VTIME] = 1, 0
    changed[6] = signs
    return changed


def keys_here() -> Keys | None:
    """Those of this process's terminal, if it has one to read from and to write to."""
    return Keys(sys.stdin.fileno()) if sys.stdin.isatty() and sys.stdout.isatty() else None
