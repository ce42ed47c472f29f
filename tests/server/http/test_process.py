"""The process: its start, its signals, its end, its port."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from durability.processes import REPO, environment
from patience import PATIENCE
from served import NAME, Server, Wire, eventually, little

from sottovoce.server.http.process import CannotListen, listen
from sottovoce.server.http.settings import Settings
from sottovoce.server.http.stream import COME_BACK


def notes(folder: Path) -> list[str]:
    """What a little server left behind."""
    path = folder / "notes"
    return path.read_text().splitlines() if path.exists() else []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_tells_streams_to_come_back_and_ends_the_process_with_0(tmp_path: Path, number: int) -> None:
    with little(tmp_path) as server, ExitStack() as stack:
        wires = [stack.enter_context(server.wire()) for _ in range(20)]
        for token, wire in enumerate(wires):
            wire.request("GET", "/stream?count=2&apart=3600", authorization=str(token))
            wire.head()
            wire.chunk()
        idle = stack.enter_context(server.wire())
        assert idle.ask("GET", "/hello").status == 200
        half = stack.enter_context(server.wire())
        half.say(b"GET /hello HTTP/1.1\r\nhost: ")
        assert server.end(number) == 0
        for wire in wires:
            assert wire.chunk() == COME_BACK
            assert wire.chunk() == b""
        assert idle.closed()
        assert half.closed()
        assert notes(tmp_path) == ["loaded afterwards", "hall closed", "application closed"]
        assert not [line for line in server.said() if "error" in line]


def test_what_is_being_appended_goes_through_and_is_answered(tmp_path: Path) -> None:
    with little(tmp_path) as server, server.wire() as wire:
        wire.request("POST", "/append?seconds=1")
        eventually(lambda: "append begins" in notes(tmp_path))
        assert server.end() == 0
        assert wire.answer().json == {"accepted": True}
        assert "append ends" in notes(tmp_path)


def test_what_takes_too_long_does_not_keep_the_process(tmp_path: Path) -> None:
    """A reader that takes nothing and a request that never ends; each is dropped once the time is over."""
    with little(tmp_path, farewell_seconds=1, send_seconds=3600) as server, server.wire(window=2048) as slow:
        slow.request("GET", "/stream?size=4096")
        with server.wire() as never:
            never.request("POST", "/wait")
            eventually(lambda: "wait begins" in notes(tmp_path))
            assert server.end() == 0
            assert never.closed()


def test_a_log_that_does_not_answer_does_not_keep_the_process(tmp_path: Path) -> None:
    with little(tmp_path, farewell_seconds=1) as server, server.wire() as wire:
        wire.request("POST", "/append?seconds=3600")
        eventually(lambda: "append begins" in notes(tmp_path))
        assert server.end() == 1
        assert server.said()[-1]["error"].startswith("the database does not answer")


def test_a_second_signal_ends_it_at_once(tmp_path: Path) -> None:
    with little(tmp_path, farewell_seconds=3600) as server, server.wire() as wire:
        wire.request("POST", "/wait")
        eventually(lambda: "wait begins" in notes(tmp_path))
        os.kill(server.process.pid, signal.SIGTERM)
        eventually(lambda: refused(server.port))
        assert server.end() == 130


def refused(port: int) -> bool:
    """Whether nobody listens there any more."""
    with socket.socket() as made:
        return made.connect_ex((NAME, port)) != 0


def test_a_killed_one_starts_again_on_the_same_port_while_its_readers_are_still_connected(tmp_path: Path) -> None:
    with ExitStack() as stack:
        first = stack.enter_context(little(tmp_path))
        wires = [stack.enter_context(first.wire()) for _ in range(10)]
        for token, wire in enumerate(wires):
            wire.request("GET", "/stream?count=2&apart=3600", authorization=str(token))
            wire.head()
        assert first.end(signal.SIGKILL) == -signal.SIGKILL
        second = stack.enter_context(little(tmp_path, port=first.port))
        assert second.port == first.port
        second.served()


def test_a_port_in_use_is_one_line_and_exit_code_1(tmp_path: Path) -> None:
    with little(tmp_path) as server:
        said = subprocess.run(
            [sys.executable, "-m", "little_server", json.dumps({"port": server.port})],
            env={**environment(), "LITTLE_NOTES": str(tmp_path / "more")},
            cwd=REPO,
            capture_output=True,
            text=True,
            check=False,
        )
        assert said.stderr.splitlines()[-1].endswith(
            f"127.0.0.1 port {server.port} is in use. Choose another --port, or 0 for a free one."
        )
        assert said.returncode == 1
        server.served()


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"host": "no.such.host.invalid"}, "There is no address for 'no.such.host.invalid'. Choose another --host."),
        ({"host": "192.0.2.1"}, "Cannot listen on 192.0.2.1 port 0: Cannot assign requested address. Choose another"),
        ({"host": "a" * 70}, "There is no address for"),
    ],
)
def test_an_address_that_is_not_this_machines_is_one_line(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(CannotListen, match="^" + told) as refusal:
        listen(Settings(port=0, **settings))
    assert refusal.value.exit_code == 1


def test_a_long_answer_does_not_wait_for_acknowledgements(tmp_path: Path) -> None:
    """With segments as large as the send buffer each waits 40 ms for the last: a megabyte takes 0.6 s, not 0.005."""
    with little(tmp_path) as server, server.wire() as wire:
        seconds = []
        for _ in range(10):
            started = time.perf_counter()
            assert len(wire.ask("GET", "/large?size=1000000").body) == 1_000_000
            seconds.append(time.perf_counter() - started)
        assert min(seconds) < 0.3


def test_port_0_is_any_that_is_free_and_the_settings_name_it() -> None:
    listening, settings = listen(Settings(port=0))
    with listening:
        assert settings.port == listening.getsockname()[1] > 0
        assert settings.url == f"http://127.0.0.1:{settings.port}"
        Wire(settings.port).socket.close()


def test_an_application_that_does_not_start_ends_the_process_with_1(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match=r'"error":"RuntimeError"}\n.*"error":"Application startup failed'):
        Server(tmp_path, "little_server", '{"port": 0}', LITTLE_NOTES=str(tmp_path / "notes"), LITTLE_FAULT="lifespan")


def test_a_hall_that_fails_ends_the_process_with_1_and_its_words_are_not_told(tmp_path: Path) -> None:
    with little(tmp_path) as server:
        assert server.ask("POST", "/fail").status == 200
        assert server.process.wait(PATIENCE) == 1
        assert [line["error"] for line in server.said() if "error" in line] == ["RuntimeError"]
