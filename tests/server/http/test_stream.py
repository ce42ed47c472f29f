"""Streams: what they send, when they end, what they leave behind, and what becomes of a reader that does not read."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, MutableMapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from served import Server, eventually, little
from starlette.types import Message

from sottovoce.server.http.settings import Bounds
from sottovoce.server.http.stream import BEAT, COME_BACK, LINK_ENDED, OVER, EventStream, frame


class Reader:
    """A reader in memory, and the frames that it is told."""

    def __init__(self, *, takes: Callable[[], Awaitable[None]] | None = None, **bounds: Any) -> None:
        self.closing, self.ended, self.gone = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self.bounds = Bounds(**bounds)
        self.feed: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.sent: list[bytes] = []
        self.messages: list[Message] = []
        self.closed = self.left = self.aborted = 0
        self.on_beat: Callable[[], None] = lambda: None
        self._takes = takes

    async def frames(self) -> AsyncGenerator[bytes]:
        try:
            while (item := await self.feed.get()) is not None:
                yield item
        finally:
            self.closed += 1

    async def _send(self, message: MutableMapping[str, Any]) -> None:
        if self._takes is not None and message["type"] == "http.response.body":
            await self._takes()
        self.messages.append(message)
        if message.get("body"):
            self.sent.append(message["body"])
        if message.get("body") == BEAT:
            self.on_beat()

    async def _receive(self) -> Message:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    def _count(self, name: str) -> None:
        setattr(self, name, getattr(self, name) + 1)

    async def read(self) -> None:
        stream = EventStream(
            self.frames(),
            closing=self.closing,
            ended=self.ended,
            bounds=self.bounds,
            left=lambda: self._count("left"),
        )
        scope = {"type": "http", "extensions": {"sottovoce.abort": {"call": lambda: self._count("aborted")}}}
        await stream(scope, self._receive, self._send)

    async def until_sent(self, count: int) -> None:
        while len(self.sent) < count:
            await asyncio.sleep(0)

    @property
    def whole(self) -> bool:
        """Whether the answer came to its end."""
        return self.messages[-1].get("more_body") is False


def one(story: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(60):
            await story()

    asyncio.run(bounded())


def test_a_frame_is_an_id_an_event_and_a_line_of_data() -> None:
    assert frame(7, "entry", b'{"seq":7}') == b'id: 7\nevent: entry\ndata: {"seq":7}\n\n'
    assert frame(None, "end", b"{}") == b"event: end\ndata: {}\n\n"


def test_a_stream_sends_its_frames_and_ends_with_them() -> None:
    async def story() -> None:
        reader = Reader()
        for item in (b"a", b"b", None):
            reader.feed.put_nowait(item)
        await reader.read()
        assert reader.messages[0]["status"] == 200
        assert dict(reader.messages[0]["headers"]) == {
            b"content-type": b"text/event-stream",
            b"cache-control": b"no-store",
            b"x-accel-buffering": b"no",
        }
        assert reader.sent == [b"a", b"b"]
        assert reader.whole
        assert (reader.closed, reader.left, reader.aborted) == (1, 1, 0)

    one(story)


@pytest.mark.parametrize(
    ("how", "last"), [("closing", [COME_BACK]), ("ended", [LINK_ENDED]), ("gone", []), ("closing ended", [COME_BACK])]
)
@pytest.mark.parametrize("before", [True, False])
def test_a_stream_ends_wherever_it_waits(how: str, last: list[bytes], before: bool) -> None:
    async def story() -> None:
        reader = Reader()
        events = [getattr(reader, name) for name in how.split()]
        if before:
            for event in events:
                event.set()
            await reader.read()
        else:
            reader.feed.put_nowait(b"a")
            task = asyncio.create_task(reader.read())
            await reader.until_sent(1)
            for event in events:
                event.set()
            await task
        assert reader.sent == (last if before else [b"a", *last])
        assert (reader.left, reader.aborted) == (1, 0)
        assert reader.closed == 1 or before  # frames that were never asked for have nothing to close
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert len(asyncio.all_tasks()) <= 2  # this one, and that which listens for the end of the server

    one(story)


def test_a_hundred_streams_end_with_the_server_and_leave_no_task() -> None:
    async def story() -> None:
        closing = asyncio.Event()
        readers = [Reader() for _ in range(100)]
        for reader in readers:
            reader.closing = closing
            reader.feed.put_nowait(b"a")
        tasks = [asyncio.create_task(reader.read()) for reader in readers]
        for reader in readers:
            await reader.until_sent(1)
        closing.set()
        await asyncio.gather(*tasks)
        assert all(reader.sent == [b"a", COME_BACK] and reader.closed == 1 for reader in readers)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert len(asyncio.all_tasks()) == 1

    one(story)


@pytest.mark.parametrize("busy", [False, True])
def test_heartbeats_come_at_their_own_times_whatever_is_sent_between_them(busy: bool) -> None:
    async def story() -> None:
        loop = asyncio.get_running_loop()
        times: list[float] = []
        reader = Reader(heartbeat_seconds=0.2)
        reader.on_beat = lambda: times.append(loop.time())
        started = loop.time()
        task = asyncio.create_task(reader.read())
        while len(times) < 4:
            if busy:
                reader.feed.put_nowait(b"a")
            await asyncio.sleep(0.005)
        reader.gone.set()
        await task
        assert all(at >= started + number * 0.2 for number, at in enumerate(times, 1))
        assert (b"a" in reader.sent) == busy

    one(story)


def test_a_reader_that_takes_nothing_is_cut_off() -> None:
    async def story() -> None:
        async def never() -> None:
            await asyncio.Event().wait()

        reader = Reader(takes=never, send_seconds=0.2)
        reader.feed.put_nowait(b"a")
        await reader.read()
        assert reader.sent == []
        assert (reader.closed, reader.left, reader.aborted) == (1, 1, 1)

    one(story)


def test_a_reader_that_takes_not_even_heartbeats_is_cut_off() -> None:
    async def story() -> None:
        async def never() -> None:
            await asyncio.Event().wait()

        reader = Reader(takes=never, send_seconds=0.2, heartbeat_seconds=0.1)
        await reader.read()
        assert (reader.closed, reader.left, reader.aborted) == (1, 1, 1)

    one(story)


def test_frames_that_fail_are_closed_and_the_failure_is_not_hidden() -> None:
    async def story() -> None:
        reader = Reader()

        async def failing() -> AsyncGenerator[bytes]:
            try:
                yield b"a"
                raise RuntimeError("no more")
            finally:
                reader.closed += 1

        reader.frames = failing  # type: ignore[method-assign]
        with pytest.raises(RuntimeError, match="no more"):
            await reader.read()
        assert (reader.sent, reader.closed, reader.left, reader.whole) == ([b"a"], 1, 1, False)

    one(story)


def test_a_stream_over_the_wire(tmp_path: Path) -> None:
    with little(tmp_path) as server, server.wire() as wire:
        answer = wire.ask("GET", "/stream?count=2&size=3")
        assert answer.headers["content-type"] == "text/event-stream"
        assert answer.body == frame(1, "entry", b'"aaa"') + frame(2, "entry", b'"aaa"') + OVER
        assert wire.ask("GET", "/hello").status == 200


def test_heartbeats_go_over_the_wire(tmp_path: Path) -> None:
    with little(tmp_path, heartbeat_seconds=0.1) as server, server.wire() as wire:
        wire.request("GET", "/stream?count=2&apart=3600")
        wire.head()
        assert wire.chunk().startswith(b"id: 1\n")
        assert [wire.chunk() for _ in range(3)] == [BEAT] * 3


def test_a_reader_that_goes_leaves_nothing(tmp_path: Path) -> None:
    with little(tmp_path) as server:
        for _ in range(5):
            with server.wire() as wire:
                wire.request("GET", "/stream?count=2&apart=3600")
                wire.head()
                wire.chunk()
        eventually(lambda: (found := server.inside())["closed"] == 5 and found["streams"] == 0)


def test_an_ended_link_ends_its_streams_and_no_others(tmp_path: Path) -> None:
    with little(tmp_path) as server, server.wire() as mine, server.wire() as other:
        for wire, token in ((mine, "a"), (other, "b")):
            wire.request("GET", "/stream?count=2&apart=3600", authorization=token)
            wire.head()
            wire.chunk()
        assert server.ask("POST", "/end", authorization="a").status == 200
        assert mine.chunk() == LINK_ENDED
        assert mine.chunk() == b""
        assert server.ask("POST", "/end", authorization="b").status == 200
        assert other.chunk() == LINK_ENDED


def test_streams_of_one_token_are_bounded_and_those_of_others_are_not(tmp_path: Path) -> None:
    with little(tmp_path, streams_per_token=2) as server:
        wires = [server.wire() for _ in range(3)]
        for wire, token in zip(wires, "aab", strict=True):
            wire.request("GET", "/stream?count=2&apart=3600", authorization=token)
            assert wire.head()[0] == 200
        server.ask("GET", "/stream", authorization="a").problem(429, "too-many")
        wires[0].socket.close()
        eventually(lambda: server.ask("GET", "/stream?count=1", authorization="a").status == 200)
        for wire in wires:
            wire.socket.close()


def sockets(server: Server) -> list[tuple[str, int]]:
    """The state of the server's own ends of its connections, with what the kernel keeps to be sent."""
    found = []
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if int(fields[1].rpartition(":")[2], 16) == server.port and fields[3] != "0A":  # listening
            found.append((fields[3], int(fields[4].partition(":")[0], 16)))
    return found


class Kept:
    """Bytes that the kernel keeps for a reader: the most for any, at this moment and ever."""

    def __init__(self) -> None:
        self.now = self.most = 0


@contextmanager
def watched(server: Server) -> Iterator[Kept]:
    """What the kernel keeps of the server's, looked at all the time: it may be there for a second only."""
    kept, ended = Kept(), threading.Event()

    def watch() -> None:
        while not ended.wait(0.01):
            kept.now = max([0, *(waiting for _, waiting in sockets(server))])
            kept.most = max(kept.most, kept.now)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield kept
    finally:
        ended.set()
        thread.join()


@pytest.mark.parametrize("path", ["/stream?size=4096", "/large?size=3000000"])
def test_slow_readers_are_cut_off_with_their_sockets_and_memory(tmp_path: Path, path: str) -> None:
    """With streams and with long answers: what waits in the kernel too, while others are served."""
    count = 40
    with little(tmp_path, send_seconds=1.0) as server:
        for _ in range(3):
            server.served()
        before = server.inside()
        wires = [server.wire(window=2048) for _ in range(count)]
        try:
            for number, wire in enumerate(wires):
                wire.request("GET", path, authorization=str(number))
            with watched(server) as kept:

                def gone() -> bool:
                    server.served()
                    return kept.most > 0 and kept.now == 0

                eventually(gone)
            assert kept.most < 200_000
            eventually(lambda: server.inside()["files"] <= before["files"] + 1)
            after = server.inside()
            assert after["streams"] == 0
            if "stream" in path:
                # 40 readers, each of whom could have had megabytes waiting.
                assert after["peak"] - before["resident"] < 25_000_000
        finally:
            for wire in wires:
                wire.socket.close()
        server.served()
