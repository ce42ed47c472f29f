"""One run of a program: a prompt on its standard input, and its output, limited in time and length.

Everything it starts ends with it. It runs in its own session and process group, next to a watcher that reads from a
pipe which only this process holds open. When the pipe closes or this process is gone, the watcher ends the whole group:
the program itself by SIGTERM first, and whatever is left after `AFTERLIFE` seconds by SIGKILL. A git command that the
program was running comes to its end meanwhile; killed at once, it would leave the repository locked or half merged.
Only a process that starts its own session escapes.
"""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import cast

LONGEST_OUTPUT = 512 * 1024
"""Bytes that a program may say. One that says more is ended."""
KEPT_OF_ERRORS = 8 * 1024
"""Bytes of its standard error that are kept, the last ones."""
GRACE = 1.0
"""Seconds in which what it said may still arrive after its end, where something outside its group holds the pipes."""

AFTERLIFE = 1.0
"""Seconds that a program which is cut off has to end by itself, and what it started to come to its end."""
LATE = 0.25
"""Seconds by which a watcher may be late."""

GUARDED = """
exec 9<"/dev/fd/$1" || exit 126
seconds=$2
shift 2
/bin/sh -c '
seconds=$1
shift
( (read -r _ <&9; kill -0 $PPID && kill -TERM $$ && sleep "$seconds"; kill -KILL 0) </dev/null >/dev/null 2>&1 & )
exec "$@" 9<&-
' sh "$seconds" "$@"
exit $?
"""
"""The shells' part; no word of the command is read by them.

The inner shell becomes the program, so its `$$` is the program's number. The outer one stands between it and this
process, whose open files the program does not find at its parent; it leads the group, so that no other process gets
its number while the watcher is there. The watcher is not a child of the program, which may wait for all of its
children.
"""


def guarded(life: int, words: Sequence[str]) -> tuple[str, ...]:
    """The words that run a program next to a watcher, which reads from the descriptor `life`."""
    return ("/bin/sh", "-c", GUARDED, "sh", str(life), str(AFTERLIFE), *words)


_COLOURS = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours and movements
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?"  # titles and links
    r"|\x1b[ -/]+[0-~]|\x1b[0-Z\\-~]"
)


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended: its exit code as a shell has it (above 128 by a signal), and what it said.

    `code` is None where it was ended for saying too much or taking too long, which `cut` then says. `raw` are the bytes
    that `out` was read from.
    """

    code: int | None
    out: str
    err: str
    cut: str = ""
    raw: bytes = b""


async def run_program(
    words: Sequence[str],
    given: str,
    *,
    folder: Path,
    environment: Mapping[str, str],
    seconds: float,
    heard: Callable[[str, bool], None] | None = None,
) -> Ended:
    """Run a program to its end. When this is cancelled the program and all that it started end too, before this does.

    `heard` gets each line as it comes, and whether it came on standard error.

    Raises OSError where it cannot be started.
    """
    life, held = os.pipe()
    said = _Said(heard)
    cut_at: float | None = None

    def let_go() -> None:
        nonlocal held, cut_at
        if held >= 0:
            cut_at = None if said.exited.is_set() else time.monotonic()
            os.close(held)
            held = -1

    # In a task of its own, since a start that is cancelled half-way is never done with.
    starting = asyncio.create_task(
        asyncio.get_running_loop().subprocess_exec(
            lambda: said,
            *guarded(life, words),
            cwd=folder,
            env=dict(environment),
            start_new_session=True,
            pass_fds=(life,),
        )
    )
    starting.add_done_callback(lambda _: os.close(life))
    try:
        await asyncio.wait([starting])
        transport, _ = starting.result()
        stdin = _input_of(transport)
        with suppress(RuntimeError):  # uvloop's, where the program has ended already
            stdin.write(given.encode("utf-8", "replace"))
            stdin.close()
        cut = ""
        try:
            async with asyncio.timeout(seconds):
                await said.enough.wait()
        except TimeoutError:
            cut = f"no answer within {seconds:g} seconds"
        if said.too_much:
            cut = f"an answer longer than {LONGEST_OUTPUT} bytes"
        code = None if cut else _as_in_a_shell(transport.get_returncode())
        let_go()
        with suppress(TimeoutError):
            async with asyncio.timeout(GRACE):
                await said.silent.wait()
        return Ended(code, readable_output(said.out), readable_output(said.err), cut, bytes(said.out))
    finally:
        let_go()
        await asyncio.wait([starting])
        if starting.exception() is None:
            transport, _ = starting.result()
            try:
                await said.exited.wait()
                if cut_at is not None:
                    await group_ended(transport.get_pid(), cut_at)
            finally:
                stdin = _input_of(transport)
                if stdin.get_write_buffer_size():
                    stdin.abort()  # what was not read nobody will read, and a pipe that waits outlives its loop
                transport.close()
            await said.closed.wait()


async def group_ended(leader: int, since: float) -> None:
    """Wait until the group of a program that was cut off at that time of `time.monotonic` is gone.

    Some computers take long to clear away those that have ended, which can't be told from others here.
    """
    with suppress(ProcessLookupError, PermissionError):
        while time.monotonic() < since + AFTERLIFE + LATE:
            os.killpg(leader, 0)
            await asyncio.sleep(0.02)


def _as_in_a_shell(code: int | None) -> int | None:
    return 128 - code if code is not None and code < 0 else code


def _input_of(transport: asyncio.SubprocessTransport) -> asyncio.WriteTransport:
    return cast(asyncio.WriteTransport, transport.get_pipe_transport(0))  # uvloop's is of a class of its own


class _Said(asyncio.SubprocessProtocol):
    """Takes what a program says, as far as it is kept."""

    def __init__(self, heard: Callable[[str, bool], None] | None = None) -> None:
        self._heard = heard
        self._begun = {1: bytearray(), 2: bytearray()}
        self.out = bytearray()
        self.err = bytearray()
        self.too_much = False
        self.enough, self.silent, self.exited, self.closed = (asyncio.Event() for _ in range(4))
        self._open = {1, 2}

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        assert isinstance(data, bytes)
        self._tell(fd, data)
        if fd == 2:
            self.err = (self.err + data)[-KEPT_OF_ERRORS:]
        elif not self.too_much:
            self.out += data
            if len(self.out) > LONGEST_OUTPUT:
                self.too_much = True
                self.enough.set()

    def _tell(self, fd: int, data: bytes) -> None:
        """Tell the lines that are whole by now; of a line that is too long only the end is looked at."""
        if self._heard is None:
            return
        begun = self._begun[fd]
        begun += data
        *lines, rest = begun.split(b"\n")
        for line in lines:
            self._heard(readable_output(line), fd == 2)
        self._begun[fd] = rest[-LONGEST_OUTPUT:]

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self._open.discard(fd)
        if not self._open:
            self.silent.set()

    def process_exited(self) -> None:
        self.exited.set()
        self.enough.set()

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed.set()


def readable_output(said: bytes | bytearray) -> str:
    """What a program said, without colours and without what it wrote over, as a terminal would leave it."""
    text = _COLOURS.sub("", said.decode("utf-8", "replace"))
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n")).strip()
