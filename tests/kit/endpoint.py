"""A fake OpenAI-compatible endpoint: a real socket on loopback, with faults on request.

with StandIn() as endpoint:
    endpoint.faults += [status(429, retry_after=0.1), dropped()]      # one a request, then `answer` again
    …
    endpoint.requests                                                 # what was asked, in order
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Self


@dataclass(slots=True)
class Asked:
    """One request."""

    body: dict[str, Any]
    headers: dict[str, str]
    path: str = "/v1/chat/completions"

    @property
    def messages(self) -> list[dict[str, Any]]:
        return list(self.body.get("messages") or self.body.get("input") or [])

    @property
    def system(self) -> str:
        return str(self.messages[0]["content"])

    @property
    def user(self) -> str:
        return str(self.messages[-1]["content"])

    @property
    def format(self) -> dict[str, Any] | None:
        """The format asked for, in either interface."""
        return self.body.get("response_format") or (self.body.get("text") or {}).get("format")

    @property
    def schema(self) -> dict[str, Any] | None:
        """Return the properties of the requested schema: those of the reply if it is nested."""
        wanted = self.format or {}
        schema = (wanted.get("json_schema") or wanted).get("schema")
        if schema is None:
            return None
        fields: dict[str, Any] = schema["properties"]
        nested: dict[str, Any] = fields.get("reply", {}).get("properties", fields)
        return nested


Refuses = Callable[[Asked], tuple[int, Any] | None]
"""What a make of endpoint says to a request that it does not take: a status, and a body or bytes."""
Handler = Callable[["StandIn", Asked, asyncio.StreamWriter], Awaitable[None]]


def completion(content: str | None, **changes: Any) -> bytes:
    """Return the body of an answer with that content."""
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "stand-in-1",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020},
    }
    return json.dumps(body | changes).encode()


def any_legal(asked: Asked) -> str:
    """Fill in the schema with the first choice or some words. Without a schema, say the choice."""
    fields = asked.schema
    if fields is None:
        legal = asked.user.rpartition("Legal choices: ")[2].partition(".\n")[0].split(", ")
        return legal[0] if "Legal choices: " in asked.user else "I have little to say."
    if "choice" in fields:
        return json.dumps({"choice": fields["choice"]["enum"][0], "words": "It is a feeling, no more."})
    return json.dumps({"words": "I have little to say, and I say it plainly."})


def _response(status: int, body: bytes, headers: dict[str, str] | None = None) -> bytes:
    lines = [f"HTTP/1.1 {status} X", "content-type: application/json", f"content-length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


@dataclass
class StandIn:
    """The endpoint, in a thread with its own loop. `answer` returns the content of an answer, after `seconds`."""

    answer: Callable[[Asked], str] = any_legal
    seconds: float = 0.0
    structured: bool = True
    refuses: Refuses = lambda asked: None
    responds: Callable[[str, Asked], bytes] | None = None
    key: str | None = None
    usage: dict[str, int] | None = field(
        default_factory=lambda: {"prompt_tokens": 1000, "completion_tokens": 20, "total_tokens": 1020}
    )
    faults: list[Handler] = field(default_factory=list)
    requests: list[Asked] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0
    sent: int = 0

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = self._do(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    def __exit__(self, *error: object) -> None:
        self._do(self._stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def _do(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    async def _stop(self) -> None:
        self._server.close()
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while not writer.is_closing():
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                path = head.split(" ", 2)[1]
                headers = {
                    name.strip().lower(): value.strip()
                    for name, _, value in (line.partition(":") for line in head.split("\r\n")[1:])
                }
                asked = Asked(json.loads(await reader.readexactly(int(headers["content-length"]))), headers, path)
                self.requests.append(asked)
                self.at_once += 1
                self.most_at_once = max(self.most_at_once, self.at_once)
                try:
                    await (self.faults.pop(0) if self.faults else _answer)(self, asked, writer)
                    await writer.drain()
                finally:
                    self.at_once -= 1
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.transport.abort()


async def _answer(endpoint: StandIn, asked: Asked, writer: asyncio.StreamWriter) -> None:
    if endpoint.key is not None and asked.headers.get("authorization") != f"Bearer {endpoint.key}":
        await status(401)(endpoint, asked, writer)
        return
    if (refusal := endpoint.refuses(asked)) is not None:
        code, told = refusal
        writer.write(_response(code, told if isinstance(told, bytes) else json.dumps(told).encode()))
        return
    if asked.format is not None and not endpoint.structured:
        await status(400, "response_format is not supported")(endpoint, asked, writer)
        return
    if endpoint.seconds:
        await asyncio.sleep(endpoint.seconds)
    content = endpoint.answer(asked)
    told = endpoint.responds(content, asked) if endpoint.responds else completion(content, usage=endpoint.usage)
    writer.write(_response(200, told))


def status(code: int, message: str = "no", *, retry_after: float | str | None = None) -> Handler:
    """Return an error status."""

    async def handler(endpoint: StandIn, asked: Asked, writer: asyncio.StreamWriter) -> None:
        headers = {} if retry_after is None else {"retry-after": str(retry_after)}
        writer.write(_response(code, json.dumps({"error": {"message": message}}).encode(), headers))

    return handler


def body(content: bytes, headers: dict[str, str] | None = None) -> Handler:
    """Return a response of status 200 with exactly that body."""

    async def handler(endpoint: StandIn, asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(_response(200, content, headers))

    return handler


def says(content: str | None, **changes: Any) -> Handler:
    """Return an answer with that content."""
    return body(completion(content, **changes))


def stall(after: bytes = b"") -> Handler:
    """Send nothing more, for as long as the client waits."""

    async def handler(endpoint: StandIn, asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(after)
        await asyncio.sleep(60)

    return handler


def drip() -> Handler:
    """Send a byte now and then, so that no single read times out."""

    async def handler(endpoint: StandIn, asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(_response(200, b" " * 100_000)[:-100_000])
        while True:
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.02)

    return handler


def dropped(after: bytes = b"") -> Handler:
    """End the connection, possibly in the middle of a response."""

    async def handler(endpoint: StandIn, asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(after)
        await writer.drain()
        writer.close()

    return handler


def half(content: str) -> Handler:
    """End the connection after half of an answer."""
    whole = _response(200, completion(content))
    return dropped(whole[: len(whole) // 2])


def answered_then_dropped(content: str) -> Handler:
    """Send the whole answer, and then cut the connection."""
    return dropped(_response(200, completion(content)))


def endless(announced: int | None) -> Handler:
    """Send megabytes of an answer, with or without its length announced."""

    async def handler(endpoint: StandIn, asked: Asked, writer: asyncio.StreamWriter) -> None:
        length = "" if announced is None else f"content-length: {announced}\r\n"
        writer.write(f"HTTP/1.1 200 X\r\ncontent-type: application/json\r\n{length}\r\n".encode())
        for _ in range(1000):
            writer.write(b'{"choices": "' + b"a" * 16384)
            endpoint.sent += 16384
            await writer.drain()
        writer.close()

    return handler
