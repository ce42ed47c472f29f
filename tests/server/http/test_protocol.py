"""The bounds of a connection: each is answered with what to do where that is still possible, and others are served."""

from __future__ import annotations

import os
import resource
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from served import Answer, Server, Wire, eventually, little


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with the usual bounds."""
    with little(tmp_path_factory.mktemp("usual")) as server:
        yield server


def is_refused_and_closed(server: Server, wire: Wire, status: int, slug: str) -> str:
    """Check that the connection is answered with this problem and closed, and that another client is served."""
    answer = wire.answer()
    assert answer.headers["connection"] == "close"
    detail = answer.problem(status, slug)
    server.served()
    assert wire.closed()
    server.served()
    return detail


@pytest.mark.parametrize(
    "head",
    [
        b"x-a: %s\r\n" % (b"a" * 20_000),
        b"x-a: %s\r\n" % (b"a" * 10_000_000),
        b"%s: a\r\n" % (b"a" * 20_000),
        b"x-a: a\r\n" * 101,
        b"x-a: a\r\n" * 20_000,
    ],
    ids=["a long one", "an endless one", "a long name", "one too many", "many"],
)
def test_header_bombs(usual: Server, head: bytes) -> None:
    with usual.wire() as wire:
        count = refused(usual, "headers")
        before = usual.inside()
        wire.say(b"GET /hello HTTP/1.1\r\nhost: 127.0.0.1\r\n")
        try:
            wire.say(head)
            wire.say(b"\r\n")
        except ConnectionError:
            assert len(head) > 100_000  # refused before all of it was sent
        else:
            is_refused_and_closed(usual, wire, 431, "headers")
        usual.served()
        assert usual.inside()["peak"] - before["resident"] < 4_000_000
        assert refused(usual, "headers") == count + 1


def test_an_endless_address_is_a_head_too_large(usual: Server) -> None:
    with usual.wire() as wire:
        wire.say(b"GET /hello?" + b"a" * 20_000 + b" HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n")
        assert "16384 bytes" in is_refused_and_closed(usual, wire, 431, "headers")


def test_as_much_as_may_be_is_taken(usual: Server) -> None:
    with usual.wire() as wire:
        wire.say(b"GET /hello HTTP/1.1\r\nhost: 127.0.0.1\r\n" + b"x-a: a\r\n" * 99 + b"\r\n")
        assert wire.answer().status == 200
        assert wire.ask("GET", "/hello", x=16_000 * "a").status == 200
        assert wire.ask("POST", "/games/g/echo", b"a" * 262_144).json == {"length": 262_144}


def metrics(server: Server) -> str:
    """All that is counted."""
    return server.ask("GET", "/metrics", authorization="host").body.decode()


def test_heads_that_trickle_in_are_cut(tmp_path: Path) -> None:
    """Slow-loris: a hundred connections, each of which goes on sending a little and never comes to an end."""
    with little(tmp_path, head_seconds=1.0) as server, ExitStack() as stack:
        wires = [stack.enter_context(server.wire()) for _ in range(100)]
        for wire in wires:
            wire.say(b"GET /hello HTTP/1.1\r\nhost: 127.0.0.1\r\n")
        alive = list(wires)
        while alive:
            server.served()
            for wire in list(alive):
                try:
                    wire.say(b"x: y\r\n")
                    wire.socket.setblocking(False)
                    wire.socket.recv(1, socket.MSG_PEEK)
                    alive.remove(wire)
                except BlockingIOError:
                    pass
                except ConnectionError:
                    alive.remove(wire)
                finally:
                    wire.socket.setblocking(True)
            time.sleep(0.05)
        assert refused(server, "slow") == 100
        eventually(lambda: open_connections(server) == 1)


def open_connections(server: Server) -> int:
    """Those that are open, with the one that asks."""
    return counted(server, "sottovoce_connections")


def refused(server: Server, bound: str) -> int:
    """How often that bound was reached."""
    return counted(server, f'sottovoce_refused_total{{bound="{bound}"}}')


def counted(server: Server, name: str) -> int:
    """A number of the server's counts."""
    lines = dict(line.rsplit(" ", 1) for line in metrics(server).splitlines())
    return int(float(lines.get(name, "0")))


def test_a_half_sent_head_is_told_that_it_is_late(tmp_path: Path) -> None:
    with little(tmp_path, head_seconds=0.5) as server, server.wire() as wire:
        wire.say(b"GET /hello HTTP/1.1\r\nhost: 127.0.0.1\r\n")
        assert "0.5 s" in is_refused_and_closed(server, wire, 408, "slow")


def test_a_second_head_that_is_late_is_told_so_too(tmp_path: Path) -> None:
    with little(tmp_path, head_seconds=0.5) as server, server.wire() as wire:
        assert wire.ask("GET", "/hello").status == 200
        wire.say(b"GET /hello HT")
        is_refused_and_closed(server, wire, 408, "slow")


def test_line_breaks_between_requests_buy_no_time(tmp_path: Path) -> None:
    with little(tmp_path, head_seconds=1.0, idle_seconds=1) as server, server.wire() as wire:
        assert wire.ask("GET", "/hello").status == 200
        wire.until_cut(b"\r\n", 10_000, 0.1)
        server.served()


def test_a_connection_that_asks_nothing_is_closed_without_a_word(tmp_path: Path) -> None:
    with little(tmp_path, head_seconds=0.5, idle_seconds=1) as server, server.wire() as never, server.wire() as once:
        assert once.ask("GET", "/hello").status == 200
        assert never.socket.recv(1) == b""
        assert once.socket.recv(1) == b""
        server.served()


@pytest.mark.parametrize("path", ["/games/g/echo", "/deaf"])
@pytest.mark.parametrize("chunked", [False, True])
def test_bodies_that_trickle_in_are_cut(tmp_path: Path, path: str, chunked: bool) -> None:
    with little(tmp_path, body_seconds=1.0) as server, server.wire() as wire:
        length = b"transfer-encoding: chunked" if chunked else b"content-length: 1000"
        wire.say(b"POST %s HTTP/1.1\r\nhost: 127.0.0.1\r\n%s\r\n\r\n" % (path.encode(), length))
        answers: list[Answer] = []
        if path == "/deaf":
            answers.append(wire.answer())  # to what does not want the body; it is not read for ever all the same
        server.served()
        wire.until_cut(b"1\r\na\r\n" if chunked else b"a", 5000, 0.05)
        server.served()
        if not answers:
            assert "1 s" in wire.answer().problem(408, "slow")
        else:
            assert answers[0].json == {"heard": False}
        server.served()


@pytest.mark.parametrize("expects", [False, True])
def test_a_body_of_a_gigabyte_is_refused_without_being_read(usual: Server, expects: bool) -> None:
    with usual.wire() as wire:
        before = usual.inside()
        head = b"POST /games/g/echo HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 1073741824\r\n"
        wire.say(head + (b"expect: 100-continue\r\n\r\n" if expects else b"\r\n"))
        detail = is_refused_and_closed(usual, wire, 413, "too-large")
        assert detail == "The body is longer than 262144 bytes. Send less."
        assert usual.inside()["peak"] - before["resident"] < 4_000_000


def test_a_gigabyte_that_is_sent_all_the_same_is_not_read(usual: Server) -> None:
    with usual.wire() as wire:
        before = usual.inside()
        wire.request("POST", "/games/g/echo", content_length=str(1 << 30))
        wire.until_cut(b"a" * (1 << 20), 64 << 20)
        assert wire.answer().problem(413, "too-large")
        usual.served()
        assert usual.inside()["peak"] - before["resident"] < 8_000_000


@pytest.mark.parametrize("block", [b"10000\r\n" + b"a" * 0x10000 + b"\r\n", b"1\r\na\r\n" * 10_000])
@pytest.mark.parametrize(("path", "status"), [("/games/g/echo", 413), ("/deaf", 200), ("/nowhere", 404)])
def test_a_body_without_a_length_is_read_by_those_who_want_it_as_far_as_one_may_be_long(
    usual: Server, block: bytes, path: str, status: int
) -> None:
    with usual.wire() as wire:
        before = usual.inside()
        wire.say(b"POST %s HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\n\r\n" % path.encode())
        wire.until_cut(block, 32 << 20)
        answer = wire.answer()
        assert answer.status == status
        if status == 413:
            answer.problem(413, "too-large")
        usual.served()
        assert usual.inside()["peak"] - before["resident"] < 8_000_000


def test_trailers_do_not_grow_without_end(usual: Server) -> None:
    with usual.wire() as wire:
        before = usual.inside()
        wire.say(b"POST /deaf HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\n\r\n0\r\nx: ")
        wire.until_cut(b"a" * (1 << 20), 64 << 20)
        usual.served()
        assert usual.inside()["peak"] - before["resident"] < 16_000_000


def test_two_thousand_idle_connections_take_no_more_files_than_they_may(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard if hard != resource.RLIM_INFINITY else max(soft, 4096), hard))
    try:
        with little(tmp_path, connections=300, connections_per_address=1000, head_seconds=600) as server:
            with ExitStack() as stack:
                for count in range(2000):
                    if count == 250:
                        server.served()
                    stack.enter_context(server.wire())
                eventually(lambda: len(os.listdir(f"/proc/{server.process.pid}/fd")) < 350)
                with server.wire() as wire:
                    assert "Try again" in wire.answer().problem(503, "unavailable")
            eventually(lambda: len(os.listdir(f"/proc/{server.process.pid}/fd")) < 50)
            server.served()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_one_address_takes_so_many_connections_and_another_is_served(tmp_path: Path) -> None:
    with little(tmp_path, connections_per_address=5) as server, ExitStack() as stack:
        for _ in range(5):
            assert stack.enter_context(server.wire()).ask("GET", "/hello").status == 200
        with server.wire() as wire:
            assert "Close some" in wire.answer().problem(503, "unavailable")
            assert wire.closed()
        with server.wire(address="127.0.0.2") as other:
            assert other.ask("GET", "/hello").status == 200


def test_a_trusted_proxy_has_no_bound_of_its_own_and_is_believed(tmp_path: Path) -> None:
    with (
        little(tmp_path, connections_per_address=2, proxies=["127.0.0.0/30"]) as server,
        ExitStack() as stack,
    ):
        wires = [stack.enter_context(server.wire()) for _ in range(5)]
        for number, wire in enumerate(wires):
            told = wire.ask("GET", "/whence", x_forwarded_for=f"192.0.2.{number}", x_forwarded_proto="https")
            assert told.json == {"client": f"192.0.2.{number}", "scheme": "https"}
        with server.wire(address="127.0.0.9") as stranger:
            told = stranger.ask("GET", "/whence", x_forwarded_for="192.0.2.7", x_forwarded_proto="https")
            assert told.json == {"client": "127.0.0.9", "scheme": "http"}


def test_nobody_is_believed_unless_configured(usual: Server) -> None:
    told = usual.ask("GET", "/whence", x_forwarded_for="192.0.2.7", x_forwarded_proto="https")
    assert told.json == {"client": "127.0.0.1", "scheme": "http"}


@pytest.mark.parametrize(
    "junk",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"hello\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET /hello HTTP/9.9\r\n\r\n",
        b"GET /hello HTTP/1.1\r\nbad header\r\n\r\n",
        b"GET /hello HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: x\r\n\r\n",
        b"GET /hello HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: -1\r\n\r\n",
        b"GET /hello HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
        b"POST /deaf HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
        b"CONNECT 127.0.0.1:80 HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n",
        "GET /hëllo HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n".encode(),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
)
def test_what_is_no_http_is_told_so(usual: Server, junk: bytes) -> None:
    with usual.wire() as wire:
        wire.say(junk)
        is_refused_and_closed(usual, wire, 400, "http")


def test_an_upgrade_is_answered_as_if_it_had_not_been_asked_for(usual: Server) -> None:
    with usual.wire() as wire:
        answer = wire.ask("GET", "/hello", connection="upgrade", upgrade="websocket", sec_websocket_version="13")
        assert answer.json == {"hello": "world"}
        usual.served()


def test_requests_sent_ahead_are_answered_in_their_order_and_bounded(tmp_path: Path) -> None:
    with little(tmp_path) as server:
        with server.wire() as wire:
            wire.say(b"".join(b"POST /deaf HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n" for _ in range(5)))
            assert [wire.answer().json for _ in range(5)] == [{"heard": False}] * 5
            assert wire.ask("GET", "/hello").status == 200
        with server.wire() as wire:
            wire.say(b"POST /wait HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n" + b"GET /hello HTTP/1.1\r\n\r\n" * 1000)
            assert wire.closed()
        assert refused(server, "too-many") == 1
        server.served()


def test_a_bound_reached_within_another_answer_cuts_the_connection_and_writes_nothing_into_it(usual: Server) -> None:
    with usual.wire() as wire:
        wire.request("GET", "/stream?count=2&apart=3600")
        wire.head()
        wire.chunk()
        wire.say(b"GET /hello HTTP/1.1\r\n" + b"x: y\r\n" * 200)
        with pytest.raises((ConnectionError, EOFError)):
            wire.chunk()
        usual.served()
        eventually(lambda: usual.inside()["streams"] == 0)


@pytest.mark.parametrize(
    "more", [b"", b"GET /hello HTTP/1.1\r\nhost: localhost\r\n\r\n", b"GET /hello HTTP/1.1\r\n\r\n" * 9]
)
def test_a_stream_ends_with_its_connection_though_more_was_asked_after_it(tmp_path: Path, more: bytes) -> None:
    # While a request waits behind the stream nothing is read, so that only what is sent can meet the closed connection.
    with little(tmp_path, heartbeat_seconds=0.5) as server:
        with server.wire() as wire:
            wire.request("GET", "/stream?count=2&apart=3600")
            wire.head()
            wire.chunk()
            wire.say(more)
        eventually(lambda: (found := server.inside())["streams"] == 0 and found["closed"] == 1)
        assert server.end() == 0
        assert not [line for line in server.said() if "error" in line]


def test_an_answer_that_comes_after_the_connection_was_cut_is_no_failure(tmp_path: Path) -> None:
    with little(tmp_path, body_seconds=0.5) as server, server.wire() as many, server.wire() as late:
        many.say(b"POST /append?seconds=2 HTTP/1.1\r\nhost: localhost\r\n\r\n" + b"GET /hello HTTP/1.1\r\n\r\n" * 9)
        late.say(b"POST /append?seconds=2 HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\n\r\n")
        assert many.closed()
        late.answer().problem(408, "slow")
        notes = tmp_path / "notes"
        eventually(lambda: notes.exists() and notes.read_text().count("append ends") == 2)
        server.served()
        assert server.end() == 0
        assert not [line for line in server.said() if "error" in line]
