"""`worker --metrics`: a worker's own door for Prometheus."""

import http.client
import socket
import urllib.request
from pathlib import Path

import pytest
import working
from commands import Cli
from working import log_at, open_games, until


def test_a_worker_shows_its_metrics_on_this_machine(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'log.db'}"
    with log_at(url) as log, working.working(url, tmp_path) as crew:
        open_games(log, 2, {"narrator": "outside"})
        worker = crew.start(None, "--metrics", "0")
        until(lambda: len(crew.said(worker)) == 2)
        line = crew.said(worker)[0]
        address = line.removeprefix("Metrics: ")
        assert address.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(address) as answer:
            text = answer.read().decode()
            assert answer.headers["content-type"].startswith("text/plain; version=")
        for name in ("sottovoce_appends_total", "sottovoce_lock_wait_seconds_bucket", "sottovoce_log_up 1.0"):
            assert name in text
        assert "sottovoce_turns_open 2.0" in text
        assert "sottovoce_turns_overdue 0.0" in text
        until(lambda: "sottovoce_follower_lag_events 0.0" in urllib.request.urlopen(address).read().decode())

        port = int(address.removesuffix("/metrics").rpartition(":")[2])
        connection = http.client.HTTPConnection("127.0.0.1", port)
        for method, path, status in (("GET", "/", 404), ("GET", "/v1/games", 404), ("POST", "/metrics", 405)):
            connection.request(method, path)
            answered = connection.getresponse()
            answered.read()
            assert answered.status == status, path
            connection.close()
        for rude in (b"", b"GET /metrics HTTP/1.1\r\n", b"\x00\xff\r\n\r\n"):
            with socket.create_connection(("127.0.0.1", port)) as caller:
                caller.sendall(rude)
                caller.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        assert b"sottovoce_log_up 1.0" in urllib.request.urlopen(address).read()
        assert crew.stop(worker).startswith("Stopped. This worker finished ")
        assert len(crew.said(worker)) == 3


def test_a_door_that_is_taken_is_one_line(fresh: Cli) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = fresh("worker", "--metrics", f"127.0.0.1:{port}")
        assert (said.code, said.err.count("\n")) == (1, 1)
        assert said.err.startswith(f"sottovoce: Cannot show metrics at 127.0.0.1:{port}: ")


@pytest.mark.parametrize("given", ["", "x", "70000", "localhost", "127.0.0.1:", "[::1]:x", "-1"])
def test_what_is_not_an_address_is_wrong_usage(fresh: Cli, given: str) -> None:
    said = fresh("worker", "--metrics", given)
    assert said.code == 2
    assert "Give PORT or HOST:PORT" in said.err
