"""A running program that speaks the Agent Client Protocol: JSON-RPC 2.0, one message a line, on its standard streams.

The program ends with the connection, and with this process, and so does everything in its process group: see
`agents/programs/process.py`. What is no message of the protocol, or one of an unknown kind, is passed over.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from sottovoce.agents.programs.process import KEPT_OF_ERRORS, group_ended, guarded, readable_output
from sottovoce.domain.safe_text import one_line

LONGEST_LINE = 8 * 1024 * 1024
"""Bytes of one message. A program that sends a longer one is ended."""
NOT_OFFERED = -32601
"""The code of an answer to a method that is not offered here."""
BAD_PARAMETERS = -32602


class Gone(Exception):
    """The program has ended, or closed its output."""


class Refused(Exception):
    """An error in place of an answer, the program's or ours, with the code that it has in JSON-RPC."""

    def __init__(self, code: Any, message: str) -> None:
        super().__init__(one_line(message)[:300])
        self.code = code


Update = Callable[[str, dict[str, Any]], None]
Asked = Callable[[str, dict[str, Any]], Any]


class Connection:
    """One program and the calls to it. `updated` gets the session and the content of each `session/update`, `asked`
    answers what the program asks.

    `asked` may raise Refused; what it raises of KeyError, TypeError and ValueError becomes an error too.
    """

    def __init__(self, updated: Update, asked: Asked) -> None:
        self._updated = updated
        self._asked = asked
        self._errors = bytearray()
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._last = 0
        self._held = -1
        self._process: asyncio.subprocess.Process | None = None
        self._reading: list[asyncio.Task[None]] = []

    async def start(self, words: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        """Start the program in that folder. Raises OSError where it cannot be started."""
        life, self._held = os.pipe()
        # In a task of its own, since a start that is cancelled half-way is never done with.
        starting = asyncio.create_task(
            asyncio.create_subprocess_exec(
                *guarded(life, words),
                cwd=folder,
                env=dict(environment),
                start_new_session=True,
                pass_fds=(life,),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                limit=LONGEST_LINE,
            )
        )
        starting.add_done_callback(lambda _: os.close(life))
        try:
            self._process = await asyncio.shield(starting)
        except asyncio.CancelledError:
            await asyncio.wait([starting])
            if starting.exception() is None:
                self._process = starting.result()
                await self.close()
            raise
        except OSError:
            self._let_go()
            raise
        self._reading = [asyncio.create_task(reading()) for reading in (self._read, self._read_errors)]

    @property
    def alive(self) -> bool:
        """Whether the program runs and can still be heard."""
        return self._process is not None and self._process.returncode is None and not self._reading[0].done()

    @property
    def errors(self) -> str:
        """The end of its standard error, as a terminal would leave it."""
        return readable_output(self._errors)

    async def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The answer to a call. Raises Refused for an error, Gone where no answer can come any more."""
        self._last += 1
        number = self._last
        self._waiting[number] = future = asyncio.get_running_loop().create_future()
        try:
            self._send(id=number, method=method, params=parameters)
            answer = await future
            return answer if isinstance(answer, dict) else {}
        finally:
            self._waiting.pop(number, None)

    def notify(self, method: str, **parameters: Any) -> None:
        """Send a message that gets no answer. Raises Gone."""
        self._send(method=method, params=parameters)

    async def close(self) -> None:
        """End the program and its process group. One that is still answering a call ends before this does, with all
        that it has started; of another, only the program itself.
        """
        process, since = self._process, time.monotonic()
        cut_off = process is not None and process.returncode is None and bool(self._waiting)
        self._let_go()
        if process is None:
            return
        await asyncio.shield(process.wait())
        if cut_off:
            await asyncio.shield(group_ended(process.pid, since))
        for task in self._reading:  # what it said last may still be on its way
            with suppress(TimeoutError):
                await asyncio.wait_for(asyncio.shield(task), 1)
            task.cancel()
        await asyncio.gather(*self._reading, return_exceptions=True)
        if process.stdin is not None and process.stdin.transport.get_write_buffer_size():
            process.stdin.transport.abort()  # what was not read nobody will read

    def _let_go(self) -> None:
        if self._held >= 0:
            os.close(self._held)
            self._held = -1

    def _send(self, **message: Any) -> None:
        process = self._process
        if process is None or process.stdin is None or process.returncode is not None or process.stdin.is_closing():
            raise Gone
        try:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        except (OSError, RuntimeError):  # uvloop's, where the program has just ended
            raise Gone from None

    async def _read(self) -> None:
        """Take what the program says until it says no more; then nobody waits for an answer in vain."""
        assert self._process is not None
        assert self._process.stdout is not None
        try:
            with suppress(OSError, ValueError):  # ValueError: the line is too long
                while line := await self._process.stdout.readline():
                    self._take(line)
        finally:
            for future in self._waiting.values():
                if not future.done():
                    future.set_exception(Gone())

    async def _read_errors(self) -> None:
        assert self._process is not None
        assert self._process.stderr is not None
        with suppress(OSError):
            while data := await self._process.stderr.read(4096):
                self._errors = (self._errors + data)[-KEPT_OF_ERRORS:]

    def _take(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            return
        if not isinstance(message, dict):
            return
        method, number, parameters = message.get("method"), message.get("id"), message.get("params")
        parameters = parameters if isinstance(parameters, dict) else {}
        if not isinstance(method, str):
            self._answered(number, message)
        elif "id" in message:
            self._answer(number, method, parameters)
        elif method == "session/update" and isinstance(update := parameters.get("update"), dict):
            self._updated(str(parameters.get("sessionId")), update)

    def _answered(self, number: Any, message: dict[str, Any]) -> None:
        future = self._waiting.get(number) if isinstance(number, int) else None
        if future is None or future.done():
            return
        error = message.get("error")
        if error is None:
            future.set_result(message.get("result"))
        else:
            future.set_exception(_refusal(error))

    def _answer(self, number: Any, method: str, parameters: dict[str, Any]) -> None:
        with suppress(Gone):
            try:
                self._send(id=number, result=self._asked(method, parameters))
            except Refused as error:
                self._send(id=number, error={"code": error.code, "message": str(error)})
            except (KeyError, TypeError, ValueError) as error:
                self._send(id=number, error={"code": BAD_PARAMETERS, "message": f"{type(error).__name__}: {error}"})


def _refusal(error: Any) -> Refused:
    if not isinstance(error, dict):
        return Refused(None, str(error))
    data, message = error.get("data"), str(error.get("message") or "an error")
    more = data.get("details") or data.get("message") if isinstance(data, dict) else data
    return Refused(error.get("code"), f"{message}: {more}" if more and str(more) not in message else message)
