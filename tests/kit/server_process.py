"""The installed server in a separate process, which can be killed and started again on the same port."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

import httpx2
from commands import SOTTOVOCE
from patience import PATIENCE


def free_port() -> int:
    """Return a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Serving:
    """`sottovoce serve` on the log at `url`. `base` is its address, `host` its host token."""

    def __init__(self, url: str, *, env: Mapping[str, str] | None = None) -> None:
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.host = ""
        self._env = {**os.environ, "SOTTOVOCE_DB": url, **(env or {})}
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, t: TracebackType | None) -> None:
        if self._process is not None:
            self.stop(signal.SIGKILL)

    def start(self) -> None:
        """Start it, and wait until it says that it is ready."""
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - it lives as long as the process
        self._process = subprocess.Popen(
            [SOTTOVOCE, "serve", "--port", str(self.port), "--quiet"],
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=self._env,
            text=True,
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert "#" in line, self._said()
        self.host = line.strip().partition("#")[2]

    def stop(self, number: int) -> int:
        """End it with a signal, and return its exit code."""
        assert self._process is not None
        self._process.send_signal(number)
        try:
            return self._process.wait(PATIENCE)
        finally:
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._errors.close()
            self._process = None

    def open(self, **wanted: Any) -> tuple[str, dict[str, str]]:
        """Create a game. Return its ID, and the links by seat, with `keeper` and `spectator`."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                answer = httpx2.post(
                    f"{self.base}/v1/games",
                    json={"ruleset": "mafia", **wanted},
                    headers={"authorization": f"Bearer {self.host}"},
                    timeout=PATIENCE,
                )
                break
            except httpx2.TransportError:
                assert time.monotonic() < end, self._said()
                time.sleep(0.05)
        assert answer.status_code == 201, answer.text
        told = answer.json()
        links = told["links"]
        return told["game"], {**links["seats"], "keeper": links["keeper"], "spectator": links["spectator"]}

    def _said(self) -> str:
        self._errors.seek(0)
        return self._errors.read()
