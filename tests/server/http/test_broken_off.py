"""Requests that are broken off, half-sent or nonsense: a line at most is said of each, and never a traceback."""

from __future__ import annotations

import json
import logging
import socket
import struct
import threading
import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from select import select
from typing import Any

import pytest
from patience import PATIENCE
from remote import RemoteServer, bounded, log_in
from served import Wire
from siege import NAMES, Serving, token_of

from sottovoce.server.http.access_log import AccessLog, overheard
from sottovoce.server.http.settings import Settings

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "wait", "arguments": {"seconds": 300}}}
ERAS = ("2025-06-18", "2025-11-25", "2026-07-28", "no-such-version", None)
NONSENSE = (
    *(b"", b"{", b"[]", b"7", b"null", b"[" * 100_000, b'{"a":' * 20_000, b"1" * 100_000, b'"\xff\xfe"', b"\x00"),
    *(json.dumps(given).encode() for given in ({}, {"id": 1}, {**CALL, "params": 3}, {**CALL, "method": "no/such"})),
    json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "x"}}).encode(),
    json.dumps({"jsonrpc": "2.0", "method": "notifications/progress", "params": []}).encode(),
    json.dumps({"jsonrpc": "2.0", "id": 1, "result": {}}).encode(),
    json.dumps({**CALL, "params": {"name": "no-such-tool", "arguments": {}}}).encode(),
    json.dumps({**CALL, "params": {"name": "reply", "arguments": {"turn": "x", "text": ["\ud800"]}}}).encode(),
    json.dumps({**CALL, "method": "subscriptions/listen", "params": {}}).encode(),
    json.dumps({**CALL, "method": "initialize", "params": {"protocolVersion": 7}}).encode(),
)
LINGER = struct.pack("ii", 1, 0)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server that gives a body one second, and whose every line is looked at in the end."""
    folder = tmp_path_factory.mktemp("broken-off")
    settings = folder / "server.toml"
    settings.write_text(
        "[bounds]\nbody_seconds = 1\nbodies_per_token = 100\nreplies_per_minute = 100000\nstreams_per_token = 50\n"
    )
    with Serving(folder, "--config", settings) as server:
        yield server
        server.served()
        assert server.end() == 0
        assert not [line for line in server.said() if "error" in line]


@pytest.fixture(scope="module")
def opened(server: Serving) -> Any:
    return server.open()


def operations(server: Serving, opened: Any) -> Iterator[tuple[str, str, str]]:
    """Each endpoint of the interface, and `/mcp`: method, path and a token that opens it."""
    links = {"host": server.token, "seat": token_of(opened["links"]["seats"]["Ada"])}
    links |= {kind: token_of(opened["links"][kind]) for kind in ("keeper", "spectator")}
    for path, methods in server.ask("GET", "/openapi.json").json["paths"].items():
        where = path.replace("{game}", opened["game"])
        for part, value in (
            ("{seat}", "Ada"),
            ("{turn}", "1"),
            ("{position}", "1"),
            ("{path}", "a"),
            ("{number}", "1"),
        ):
            where = where.replace(part, value)
        for method, said in methods.items():
            kinds = [kind for entry in said.get("security", ()) for kind in entry]
            yield method.upper(), where, next((links[kind] for kind in kinds if kind in links), "")
    yield "POST", "/mcp", links["seat"]
    yield "POST", "/csp-report", ""


def head(method: str, path: str, token: str, *more: str) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "host: localhost", f"authorization: Bearer {token}", *more]
    lines += ["content-type: application/json", "accept: application/json, text/event-stream"]
    return "\r\n".join([*lines, "", ""]).encode()


LENGTHS = ("content-length: 100", "transfer-encoding: chunked")


def test_a_body_that_never_comes_is_refused_in_a_line(server: Serving, opened: Any) -> None:
    asked = list(operations(server, opened))
    with ExitStack() as stack:
        waiting: list[tuple[str, Wire]] = []
        for method, path, token in asked:
            for length in LENGTHS:
                if method in ("POST", "PUT", "PATCH"):
                    wire = stack.enter_context(server.wire())
                    wire.say(head(method, path, token, length) + (b"5\r\n" if "chunked" in length else b"") + b'{"a":')
                    waiting.append((path, wire))
        assert len(waiting) >= 10
        for path, wire in waiting:
            answer = wire.answer()
            if path != "/csp-report":  # it wants no body
                assert "1 s" in answer.problem(408, "slow"), path
            assert wire.closed()


def test_a_client_that_goes_at_any_moment_leaves_no_trace(server: Serving, opened: Any) -> None:
    for method, path, token in operations(server, opened):
        bodies = [b'{"text": "Hello."}', json.dumps(CALL).encode()] if method in ("POST", "PUT") else [b""]
        for body in bodies:
            whole = head(method, path, token, *([f"content-length: {len(body)}"] if body else [])) + body
            for cut in (len(whole) // 2, len(whole) - 1, len(whole)):
                for aborts in (False, True):
                    with server.wire() as wire:
                        wire.say(whole[:cut])
                        if cut == len(whole) and aborts and path.endswith("/stream"):
                            wire.socket.recv(1)
                        if aborts:
                            wire.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER)
        server.ask("GET", "/health/live")


def test_nonsense_at_the_door_for_mcp_is_refused_in_a_line(server: Serving, opened: Any) -> None:
    token = token_of(opened["links"]["seats"]["Ada"])
    for era in ERAS:
        for body in NONSENSE:
            for size in (f"content-length: {len(body)}", "transfer-encoding: chunked"):
                with server.wire() as wire:
                    version = () if era is None else (f"mcp-protocol-version: {era}",)
                    sent = (
                        body
                        if "length" in size
                        else b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
                        if body
                        else b"0\r\n\r\n"
                    )
                    wire.say(head("POST", "/mcp", token, size, *version) + sent)
                    status, _ = wire.head()
                    assert status < 500, (era, body[:80])


def test_half_sent_requests_of_a_link_are_bounded(tmp_path: Path) -> None:
    settings = Settings(bounds=bounded(bodies_per_token=2), log_requests=False)
    with RemoteServer(log_in(tmp_path), settings) as remote, ExitStack() as stack:
        game = remote.open(names=list(NAMES), agent="outside")
        message, body = f"/v1/games/{game.game}/messages", b'{"text": "Hello."}'
        ada, bram = (
            head("POST", message, game.seats[seat], f"content-length: {len(body)}") for seat in ("Ada", "Bram")
        )
        wires = [stack.enter_context(Wire(remote.port)) for _ in range(3)]
        for wire, path in zip(wires, (message, "/mcp", message), strict=True):
            wire.say(head("POST", path, game.seats["Ada"], f"content-length: {len(body)}") + body[:5])
        (refused,) = select([wire.socket for wire in wires], [], [], PATIENCE)[0]
        (one,) = (wire for wire in wires if wire.socket is refused)
        assert one.answer().problem(429, "too-many") == "2 requests of this link are incomplete. Send them completely."
        assert one.closed()
        with Wire(remote.port) as other:
            other.say(bram + body)
            assert other.answer().problem(422, "refused")  # it speaks unasked
        for wire in wires:
            if wire is not one:
                wire.say(body[5:])
                assert wire.answer().status in (406, 400, 422)
        with Wire(remote.port) as again:
            again.say(ada + body)
            assert again.answer().problem(422, "refused")


def heard(*, during: Any) -> list[dict[str, Any]]:
    """The lines of a journal that overhears what is done."""
    lines: list[str] = []
    access_log = AccessLog(lines.append)
    with overheard(access_log):
        during()
    access_log.close()
    return [
        {key: value for key, value in json.loads(line).items() if key != "at"}
        for line in "".join(lines).split("\n")
        if line
    ]


def test_what_libraries_say_is_a_line_without_their_words(capfd: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        raise ValueError("a secret text")

    class Careless:
        def __del__(self) -> None:
            raise KeyError("a secret text")

    def during() -> None:
        library = logging.getLogger("some.library")
        try:
            fail()
        except ValueError:
            library.exception("Error handling %s", "a secret text")
        library.error("a secret text")
        library.warning("a secret text")
        logging.getLogger("sottovoce.games").warning("a look at the log took long")
        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()
        Careless()
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.warn("a secret text", RuntimeWarning, stacklevel=1)

    lines = heard(during=during)
    assert [line.get("error", line.get("note")) for line in lines] == [
        *("ValueError", "some.library", "a look at the log took long"),
        *("ValueError", "KeyError", "RuntimeWarning"),
    ]
    assert all("where" in line for line in lines if "error" in line)
    assert "secret" not in json.dumps(lines)
    said = capfd.readouterr()
    assert said.out + said.err == ""
