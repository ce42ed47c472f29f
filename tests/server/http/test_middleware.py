"""What every request passes first, and what is said and counted of it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from served import Server, eventually, little

ELSEWHERE = "https://elsewhere.example"


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with the usual settings."""
    with little(tmp_path_factory.mktemp("usual")) as server:
        yield server


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that has names, and one origin whose pages may ask."""
    folder = tmp_path_factory.mktemp("named")
    settings: dict[str, Any] = {"address": "https://games.example", "hosts": ["also.example"], "origins": [ELSEWHERE]}
    with little(folder, **settings) as server:
        yield server


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST:1234", "[::1]:80", "localhost.", "127.0.0.1:1"])
def test_loopback_is_asked_for_by_any_of_its_names(usual: Server, host: str) -> None:
    assert usual.ask("GET", "/hello", host=host).status == 200


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "127.0.0.1.evil.example", "192.168.0.9", "", "[::2]", "a@localhost", "localhost/x"),
        *("127.0.0.1:evil.example", "localhost:x@evil.example", "localhost:80:80", "localhost:123456", "[::1]x"),
        *("[::1]:evil.example", "[::1", "::1", "localhost:80 evil.example", "[localhost]"),
    ],
)
def test_another_host_is_misdirected(usual: Server, host: str) -> None:
    with usual.wire() as wire:
        assert "add this one to its `hosts` setting" in wire.ask("GET", "/hello", host=host).problem(421, "host")
        assert wire.ask("GET", "/hello").status == 200
    usual.served()


@pytest.mark.parametrize(
    "head",
    [
        b"GET /hello HTTP/1.1\r\n",
        b"GET /hello HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\n",
    ],
)
def test_no_host_and_two_hosts_are_misdirected(usual: Server, head: bytes) -> None:
    with usual.wire() as wire:
        wire.say(head + b"\r\n")
        wire.answer().problem(421, "host")
    usual.served()


@pytest.mark.parametrize("line", [b"GET /hello HTTP/1.0\r\n", b"GET /hello\r\n"])
def test_an_older_protocol_is_refused(usual: Server, line: bytes) -> None:
    with usual.wire() as wire:
        wire.say(line + b"host: localhost\r\n\r\n")
        assert "HTTP/1.1" in wire.answer().problem(400, "http")
    usual.served()


def test_configured_names_are_answered_for(named: Server) -> None:
    for host, status in (("games.example", 200), ("also.example:443", 200), ("localhost", 200), ("other.example", 421)):
        assert named.ask("GET", "/hello", host=host).status == status


def test_on_all_addresses_any_address_is_answered_for_and_no_name(tmp_path: Path) -> None:
    with little(tmp_path, host="0.0.0.0") as server:
        assert server.ask("GET", "/hello", host="192.168.0.9:8642").status == 200
        for host in ("rebound.example", "192.168.0.9:evil.example", "[fe80::1%evil.example]", "192.168.0.9@x"):
            server.ask("GET", "/hello", host=host).problem(421, "host")


@pytest.mark.parametrize("origin", [ELSEWHERE, "null", "http://localhost:1", "https://127.0.0.1", "http://127.0.0.1.x"])
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_pages_from_elsewhere_may_not_ask(usual: Server, origin: str, method: str) -> None:
    answer = usual.ask(method, "/deaf", origin=origin, access_control_request_method="POST")
    assert "origins" in answer.problem(403, "origin")
    assert not [name for name in answer.headers if name.startswith("access-control")]
    usual.served()


def test_pages_of_its_own_may_ask(usual: Server, named: Server) -> None:
    host = f"127.0.0.1:{usual.port}"
    assert usual.ask("POST", "/deaf", host=host, origin=f"http://{host}").status == 200
    assert named.ask("POST", "/deaf", host="games.example", origin="https://games.example").status == 200


def test_configured_origins_may_ask_and_are_told_so(named: Server) -> None:
    preflight = named.ask(
        "OPTIONS",
        "/deaf",
        origin=ELSEWHERE,
        access_control_request_method="POST",
        access_control_request_headers="authorization",
    )
    assert preflight.status == 204
    assert preflight.headers["access-control-allow-origin"] == ELSEWHERE
    assert {"authorization", "idempotency-key", "last-event-id"} <= set(
        preflight.headers["access-control-allow-headers"].split(", ")
    )
    assert "access-control-allow-credentials" not in preflight.headers
    for path, status in (("/deaf", 200), ("/nowhere", 404)):
        answer = named.ask("POST", path, origin=ELSEWHERE)
        assert (answer.status, answer.headers["access-control-allow-origin"]) == (status, ELSEWHERE)
        assert answer.headers["vary"] == "origin"
    assert "access-control-allow-origin" not in named.ask("POST", "/deaf").headers
    named.ask("POST", "/deaf", origin="https://another.example").problem(403, "origin")


@pytest.mark.parametrize(("length", "status"), [(262_144, 200), (262_145, 413)])
@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_may_be_so_long_and_no_longer(usual: Server, length: int, status: int, chunked: bool) -> None:
    with usual.wire() as wire:
        if chunked:
            wire.say(b"POST /games/g/echo HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\n")
            wire.say(b"%x\r\n%s\r\n0\r\n\r\n" % (length, b"a" * length))
        else:
            wire.request("POST", "/games/g/echo", b"a" * length)
        answer = wire.answer()
        assert answer.status == status
        if status == 200:
            assert answer.json == {"length": length}
            assert wire.ask("GET", "/hello").status == 200
        else:
            assert answer.problem(413, "too-large") == "The body is longer than 262144 bytes. Send less."
    usual.served()


def test_a_failure_is_a_problem_that_tells_nothing_and_a_line_that_says_where(tmp_path: Path) -> None:
    with little(tmp_path) as server:
        answer = server.ask("GET", "/boom")
        assert answer.status == 500
        assert b"secret" not in answer.body
        server.served()
        assert server.end() == 0
        told = [line for line in server.said() if "error" in line]
        assert [line["error"] for line in told] == ["RuntimeError"]
        assert told[0]["where"].startswith("little_server.py:")
        assert "secret" not in server.errors.read_text()


def test_every_answer_says_that_it_is_what_it_says_and_gives_no_referrer(usual: Server) -> None:
    for answer in (usual.ask("GET", "/hello"), usual.ask("GET", "/nowhere"), usual.ask("GET", "/hello", host="x")):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert "server" not in answer.headers


def test_a_flood_of_replies_is_bounded_by_its_token_while_others_go_on(tmp_path: Path) -> None:
    with little(tmp_path, replies_per_minute=20) as server, server.wire() as flood:
        statuses, started = [], time.monotonic()
        for _ in range(100):
            answer = flood.ask("POST", "/reply", b"{}", authorization="a")
            statuses.append(answer.status)
            if answer.status == 429:
                assert "Wait" in answer.problem(429, "too-many")
                assert 1 <= int(answer.headers["retry-after"]) <= 4
            if len(statuses) % 10 == 0:
                assert server.ask("POST", "/reply", b"{}", authorization=f"b{len(statuses)}").status == 200
        seconds = time.monotonic() - started
        assert statuses[:20] == [200] * 20
        assert 429 in statuses
        assert statuses.count(200) <= 20 + seconds / 3 + 1  # as long as it took, one more every three seconds


def test_a_request_is_one_line_without_tokens_queries_games_or_texts(tmp_path: Path) -> None:
    with little(tmp_path, log_requests=True) as server:
        asked = {"authorization": "Bearer svs_token", "x_secret": "hidden", "referer": "http://hidden"}
        server.ask("POST", "/games/hidden-game/echo?after=hidden", b"hidden text", **asked)
        server.ask("GET", "/hidden-path?hidden")
        server.ask("GET", "/hello", host="hidden.example")
        with server.wire() as wire:
            wire.say(b"HIDDEN /hello HTTP/1.1\r\nhost: localhost\r\n\r\n")
            wire.answer()
            assert wire.closed()
        with server.wire() as wire:
            wire.request("REPORT", "/hello")
            assert wire.answer().status == 405
        assert server.ask("GET", "/stream?count=1").status == 200
        assert server.end() == 0
        lines = server.said()
        assert all(list(line) == ["at", "method", "route", "status", "ms"] for line in lines)
        assert [(line["method"], line["route"], line["status"]) for line in lines] == [
            ("POST", "/games/{game}/echo", 200),
            ("GET", "-", 404),
            ("GET", "-", 421),
            ("other", "/hello", 405),
            ("GET", "/stream", 200),
        ]
        assert all(line["ms"] >= 0 for line in lines)
        text = server.errors.read_text()
        assert not [word for word in ("hidden", "token", "HIDDEN", "REPORT") if word in text]


def test_requests_are_not_told_where_nobody_wants_it(tmp_path: Path) -> None:
    with little(tmp_path, log_requests=False) as server:
        server.served()
        server.ask("GET", "/boom")
        assert server.end() == 0
        assert [line["error"] for line in server.said()] == ["RuntimeError"]


def test_nobody_but_the_host_learns_from_the_counts_that_anything_was_done(tmp_path: Path) -> None:
    with little(tmp_path) as server, server.wire() as wire:
        before = server.ask("GET", "/metrics").body
        assert before.startswith(b"# HELP sottovoce_info")
        wire.request("GET", "/stream?count=2&apart=3600")
        wire.head()
        server.ask("POST", "/games/g/echo", b"x")
        server.ask("POST", "/games/g/echo", b"x" * 300_000).problem(413, "too-large")
        server.ask("GET", "/hello", host="evil.example").problem(421, "host")
        assert server.ask("GET", "/metrics").body == before


def test_the_host_reads_counts_by_route_and_status_and_of_no_game(tmp_path: Path) -> None:
    with little(tmp_path) as server, server.wire() as wire:
        wire.request("GET", "/stream?count=2&apart=3600", authorization="hidden-token")
        wire.head()
        for game in ("hidden-one", "hidden-two"):
            server.ask("POST", f"/games/{game}/echo", b"x")
        server.ask("POST", "/games/g/echo", b"x" * 300_000)
        server.ask("GET", "/hello", host="evil.example")
        text = server.ask("GET", "/metrics", authorization="host").body.decode()
        lines = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
        assert lines['sottovoce_requests_total{method="POST",route="/games/{game}/echo",status="200"}'] == "2.0"
        assert lines['sottovoce_requests_total{method="GET",route="-",status="421"}'] == "1.0"
        assert lines['sottovoce_request_seconds_count{method="POST",route="/games/{game}/echo"}'] == "2.0"
        assert lines['sottovoce_refused_total{bound="too-large"}'] == "1.0"
        assert lines['sottovoce_refused_total{bound="host"}'] == "1.0"
        assert lines["sottovoce_streams"] == "1.0"
        assert float(lines["sottovoce_connections"]) >= 2
        assert "hidden" not in text
        assert not [line for line in lines if 'route="/stream"' in line]  # a stream counts once it has ended
        wire.socket.close()
        ended = 'sottovoce_requests_total{method="GET",route="/stream",status="200"} 1.0'
        eventually(lambda: ended in server.ask("GET", "/metrics", authorization="host").body.decode())
        assert 'request_seconds_count{method="GET",route="/stream"}' not in (
            server.ask("GET", "/metrics", authorization="host").body.decode()
        )


def test_lines_are_json_whatever_is_in_them(tmp_path: Path) -> None:
    from sottovoce.server.http.access_log import AccessLog

    written: list[str] = []
    access_log = AccessLog(written.append)
    access_log(note='a "word"\nand \x1b[31mmore\u202e')
    access_log(number=3)
    access_log.close()
    lines = "".join(written).splitlines()
    assert [json.loads(line) | {"at": ""} for line in lines][1] == {"at": "", "number": 3}
    assert json.loads(lines[0])["note"] == 'a "word"\nand \x1b[31mmore\u202e'
    assert "\x1b" not in lines[0]
    assert "\u202e" not in lines[0]
