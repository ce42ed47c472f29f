"""The server's floor: an ASGI application that only pushes the same frames.

`python benchmarks/bare_app.py RECORDING` serves recorded games under the same uvicorn. It answers the same requests
with the same bytes, so the same load generator can play against it: each reply pushes the frames that the next reply of
the recorded game caused. It has no rules and no log, checks no tokens and encodes nothing.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from typing import Any

import msgspec
import uvicorn

HEAD = [(b"content-type", b"text/event-stream"), (b"cache-control", b"no-store")]
END = b'event: end\ndata: {"why":"over"}\n\n'


class Recorded(msgspec.Struct):
    """A game: each seat's frames, and how many of them the seat has after each append."""

    frames: dict[str, list[str]]
    appends: list[dict[str, int]]


class Pushed:
    """A recorded game that is being pushed to its seats."""

    def __init__(self, recorded: Recorded) -> None:
        self.frames = {seat: [frame.encode() for frame in frames] for seat, frames in recorded.frames.items()}
        self.appends = recorded.appends
        self.done = 1
        self.events = {seat: asyncio.Event() for seat in self.frames}

    def push(self) -> None:
        """Push the next append. Wake only seats with new frames."""
        before, self.done = self.appends[self.done - 1], min(self.done + 1, len(self.appends))
        last = self.done == len(self.appends)
        for seat, count in self.appends[self.done - 1].items():
            if last or count > before[seat]:
                self.events[seat].set()


class App:
    """The ASGI application."""

    def __init__(self, recorded: Sequence[Recorded]) -> None:
        self._recorded = recorded
        self._games: list[Pushed] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        parts = scope["path"].split("/")
        message = await receive()
        while message.get("more_body"):
            message = await receive()
        if scope["method"] == "GET":
            game, (_, token) = self._games[int(parts[3])], next(h for h in scope["headers"] if h[0] == b"authorization")
            await self._stream(game, token.decode().rpartition("/")[2], send)
        elif len(parts) > 4:
            self._games[int(parts[3])].push()
            await _answer(send, 200, {"accepted": True, "repeated": False, "seq": 1})
        else:
            number = len(self._games)
            self._games.append(Pushed(self._recorded[number % len(self._recorded)]))
            links = {seat: f"#{number}/{seat}" for seat in self._games[-1].frames}
            await _answer(send, 201, {"game": str(number), "links": {"seats": links}})

    async def _stream(self, game: Pushed, seat: str, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": HEAD})
        frames, event, sent = game.frames[seat], game.events[seat], 0
        while sent < len(frames):
            upto = game.appends[game.done - 1][seat]
            if upto > sent:
                body = b"".join(frames[sent:upto])
                sent = upto
                await send({"type": "http.response.body", "body": body, "more_body": True})
            else:
                event.clear()
                await event.wait()
        await send({"type": "http.response.body", "body": END, "more_body": False})


async def _answer(send: Any, status: int, told: Any) -> None:
    body = json.dumps(told).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body, "more_body": False})


def main() -> None:
    """Serve, and print the address."""
    with open(sys.argv[1], "rb") as file:
        recorded = msgspec.json.decode(file.read(), type=list[Recorded])
    config = uvicorn.Config(
        App(recorded),
        port=0,
        http="httptools",
        loop="uvloop",
        lifespan="off",
        log_config=None,
        access_log=False,
        timeout_keep_alive=3600,
        timeout_graceful_shutdown=1,
    )
    listening = config.bind_socket()
    print(f"http://127.0.0.1:{listening.getsockname()[1]}/#host", flush=True)
    uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    main()
