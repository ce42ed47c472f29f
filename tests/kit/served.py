"""Servers in separate processes, and plain sockets that can send them anything."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from durability.processes import REPO, environment
from patience import PATIENCE

NAME = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer as it arrived."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    def problem(self, status: int, slug: str) -> str:
        """Check that it is this problem, and return its detail."""
        assert (self.status, self.headers["content-type"]) == (status, "application/problem+json"), self
        told = self.json
        assert told.keys() == {"type", "title", "status", "detail"}
        assert (told["type"], told["status"]) == (f"/problems/{slug}", status)
        assert told["title"]
        return str(told["detail"])


class Wire:
    """One connection."""

    def __init__(self, port: int, *, window: int | None = None, address: str | None = None) -> None:
        self.socket = socket.socket()
        if window is not None:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, window)
        if address is not None:
            self.socket.bind((address, 0))
        self.socket.settimeout(PATIENCE)
        self.socket.connect((NAME, port))
        self._waiting = b""
        self._streamed = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, t: TracebackType | None) -> None:
        self.socket.close()

    def say(self, data: bytes) -> None:
        """Send bytes unchanged."""
        self.socket.sendall(data)

    def request(self, method: str, path: str, body: bytes = b"", **headers: str) -> None:
        """Send a whole request. In header names `_` stands for `-`."""
        given = {"host": NAME, **({"content-length": str(len(body))} if body else {}), **headers}
        lines = [f"{method} {path} HTTP/1.1", *(f"{name.replace('_', '-')}: {text}" for name, text in given.items())]
        self.say("\r\n".join([*lines, "", ""]).encode() + body)

    def ask(self, method: str, path: str, body: bytes = b"", **headers: str) -> Answer:
        """Send a whole request, and return its answer."""
        self.request(method, path, body, **headers)
        return self.answer()

    def answer(self) -> Answer:
        """Return the next answer in full."""
        status, headers = self.head()
        if headers.get("transfer-encoding") == "chunked":
            body = b""
            while chunk := self.chunk():
                body += chunk
        else:
            body = self.exactly(int(headers.get("content-length", "0")))
        return Answer(status, headers, body)

    def head(self) -> tuple[int, dict[str, str]]:
        """Return the head of the next answer."""
        first, *lines = self.until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        headers = {name.lower(): text.strip() for name, _, text in (line.partition(":") for line in lines if line)}
        return int(first.split()[1]), headers

    def chunk(self) -> bytes:
        """Return the next chunk of a body, empty at its end."""
        size = int(self.until(b"\r\n"), 16)
        return self.exactly(size + 2)[:-2]

    def frame(self) -> bytes:
        """Return the next frame of a stream, without the empty line at its end; empty at the stream's end."""
        while b"\n\n" not in self._streamed:
            come = self.chunk()
            if not come:
                return b""
            self._streamed += come
        found, _, self._streamed = self._streamed.partition(b"\n\n")
        return found

    def until(self, mark: bytes) -> bytes:
        """Return everything up to a mark, without the mark."""
        while mark not in self._waiting:
            self._more()
        found, _, self._waiting = self._waiting.partition(mark)
        return found

    def exactly(self, size: int) -> bytes:
        """Return exactly this many bytes."""
        while len(self._waiting) < size:
            self._more()
        found, self._waiting = self._waiting[:size], self._waiting[size:]
        return found

    def until_cut(self, data: bytes, most: int, pause: float = 0.0) -> int:
        """Send this again and again until the other side closes the connection, before `most` bytes.

        Return the bytes sent.
        """
        sent = 0
        while sent < most:
            try:
                self.say(data)
            except ConnectionError:
                return sent
            sent += len(data)
            time.sleep(pause)
        raise AssertionError(f"{sent} bytes were taken")

    def closed(self) -> bool:
        """Read to the end. Return whether the other side closed the connection."""
        try:
            while self.socket.recv(65536):
                pass
        except ConnectionError:
            pass
        return True

    def _more(self) -> None:
        data = self.socket.recv(65536)
        if not data:
            raise EOFError(f"the connection ended after {self._waiting[-200:]!r}")
        self._waiting += data


class Server:
    """A server process that ends with the block, and in any case with this process."""

    def __init__(self, folder: Path, *command: str, **variables: str) -> None:
        self.errors = folder / f"server-{len(list(folder.glob('server-*')))}"
        with self.errors.open("wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-W", "error", "-m", *command],
                env={**environment(), **variables},
                cwd=REPO,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        assert self.process.stdout is not None
        self.first = self.process.stdout.readline().strip()
        if not self.first:
            self.__exit__(None, None, None)
            raise AssertionError(self.errors.read_text())
        self.port = int(self.first.partition("#")[0].rstrip("/").rpartition(":")[2])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, t: TracebackType | None) -> None:
        if self.first and self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE)
        assert self.process.stdout is not None
        self.process.stdout.close()

    def wire(self, **options: Any) -> Wire:
        """Return a connection to it."""
        return Wire(self.port, **options)

    def ask(self, method: str, path: str, body: bytes = b"", **headers: str) -> Answer:
        """Send one request on a separate connection."""
        with self.wire() as wire:
            return wire.ask(method, path, body, **headers)

    def served(self) -> None:
        """Check that another client is served."""
        assert self.ask("GET", "/hello").status == 200

    def inside(self) -> dict[str, int]:
        """Return what the process reports about itself."""
        found: dict[str, int] = self.ask("GET", "/inside").json
        return found

    def said(self) -> list[dict[str, Any]]:
        """Return the lines on stderr so far, each an object."""
        return [json.loads(line) for line in self.errors.read_text().splitlines()]

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal, and return the exit code."""
        os.kill(self.process.pid, number)
        return self.process.wait(PATIENCE)


def little(folder: Path, **settings: Any) -> Server:
    """Start a `little_server`; limits by their own names, the other settings by theirs."""
    known = {"host", "hosts", "origins", "proxies", "address", "port", "log_requests"}
    own = {name: value for name, value in settings.items() if name in known}
    bounds = {name: value for name, value in settings.items() if name not in known}
    given = {"port": 0, **own, "bounds": bounds}
    return Server(folder, "little_server", json.dumps(given), LITTLE_NOTES=str(folder / "notes"))


def eventually(true: Callable[[], Any]) -> None:
    """Wait until a condition holds."""
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, "in vain"
        time.sleep(0.02)
