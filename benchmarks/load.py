"""The load generator: games with only remote seats, a stream for each seat, and replies sent as HTTP requests.

It runs in its own process next to the server. Its reader is an `asyncio.Protocol` that looks only for the few frames it
needs, so that its own work stays small compared with the server's.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import msgspec
import uvloop

SEATS = ("Ada", "Bram", "Cleo", "Dirk", "Edda", "Finn", "narrator")
OPENED, CLOSED = b'"name":"core.turn-opened.v1"', b'"name":"core.turn-withdrawn.v1"'
WORDS = ("I have nothing to add.", "So be it.", "I am listening.", "We shall see.")
CONNECTING = 32
"""Games whose streams connect at the same time."""

Answered = Callable[[int, bytes], None]
"""Gets an answer's status and body."""


class Asker(asyncio.Protocol):
    """A keep-alive connection for one request after another. It calls `ready` when it can take the next."""

    def __init__(self, ready: Callable[[Asker], None]) -> None:
        self._ready = ready
        self._data = b""
        self._answered: Answered | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def ask(self, request: bytes, answered: Answered) -> None:
        """Send a complete request."""
        self._answered = answered
        self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        self._data += data
        head, mark, rest = self._data.partition(b"\r\n\r\n")
        if not mark:
            return
        _, _, length = head.lower().partition(b"content-length: ")
        if len(rest) < int(length.partition(b"\r\n")[0]):
            return
        self._data = b""
        answered, self._answered = self._answered, None
        assert answered is not None
        self._ready(self)
        answered(int(head[9:12]), rest)

    def connection_lost(self, error: Exception | None) -> None:
        assert self._answered is None, f"the server ended a connection on which it was asked: {error}"


class Stream(asyncio.Protocol):
    """A seat's stream: the arrival time of each frame by seq. It tells its game about turns and the end."""

    def __init__(self, game: Game, seat: str, request: bytes) -> None:
        self.came: list[float] = []
        self._game = game
        self._seat = seat
        self._request = request
        self._data = b""
        self._begun = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast(asyncio.Transport, transport).write(self._request)

    def data_received(self, data: bytes) -> None:
        now = time.perf_counter()
        data = self._data + data
        if not self._begun:
            head, mark, rest = data.partition(b"\r\n\r\n")
            if not mark:
                self._data = data
                return
            assert head.startswith(b"HTTP/1.1 200"), head
            self._begun, data = True, rest
        # A frame contains no empty line; the sizes of chunks come before it.
        *frames, self._data = data.split(b"\n\n")
        for frame in frames:
            place = frame.find(b"id: ")
            if place < 0:
                if b"event: end" in frame:
                    self._game.ended()
                continue
            seq = int(frame[place + 4 : frame.index(b"\n", place)])
            assert seq == len(self.came) + 1, f"{self._seat} got {seq} after {len(self.came)}"
            self.came.append(now)
            if OPENED in frame or CLOSED in frame:
                self._game.turned(self._seat, OPENED in frame, _data_of(frame))


def _data_of(frame: bytes) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.json.decode(frame[frame.index(b"data: ") + 6 :])["data"]
    return found


class Game:
    """A game that the load generator plays."""

    def __init__(self, load: Load, name: str, tokens: Mapping[str, str]) -> None:
        self.id = name
        self.over = False
        self._load = load
        self._tokens = tokens
        self.sent: dict[tuple[str, int], float] = {}
        self.accepted: dict[tuple[str, int], float] = {}
        self.withdrawn: set[tuple[str, int]] = set()
        path = f"/v1/games/{name}/stream"
        self.streams = {seat: Stream(self, seat, load.request("GET", path, tokens[seat])) for seat in tokens}

    async def connect(self) -> None:
        """Open its streams."""
        loop, load = asyncio.get_running_loop(), self._load
        for stream in self.streams.values():
            await loop.create_connection(lambda s=stream: s, "127.0.0.1", load.port)  # type: ignore[misc]

    def turned(self, seat: str, opened: bool, told: Mapping[str, Any]) -> None:
        """Note that a turn of this seat was opened or withdrawn."""
        if opened:
            self._load.asked(self, seat, told["turn"], told["choices"])
        else:
            self.withdrawn.add((seat, told["turn"]))

    def ended(self) -> None:
        """Note that the game is over, as one of its streams said."""
        if not self.over:
            self.over = True
            self._load.game_over()

    def reply(self, seat: str, turn: int, choices: Sequence[str]) -> None:
        """Answer a turn with one of its choices."""
        text = self._load.random.choice(choices or WORDS)
        key = seat, turn
        self.sent[key] = time.perf_counter()

        def answered(status: int, body: bytes) -> None:
            if status == 200:
                self.accepted[key] = time.perf_counter()
                self._load.decisions += 1
            elif status != 409:
                raise AssertionError(f"{status} {body!r} for {text!r} of {seat}")

        path = f"/v1/games/{self.id}/turns/{turn}"
        self._load.ask(self._load.request("POST", path, self._tokens[seat], {"text": text}), answered)


@dataclass
class Load:
    """All games, in progress and finished."""

    port: int
    host: str
    decisions: int = 0
    games: list[Game] = field(default_factory=list)
    random: random.Random = field(default_factory=lambda: random.Random(1))
    _free: list[Asker] = field(default_factory=list)
    _waiting: deque[tuple[Game, str, int, Sequence[str]]] = field(default_factory=deque)
    _at_once: bool = False
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def request(self, method: str, path: str, token: str, body: Any = None) -> bytes:
        """Return a complete request."""
        content = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {token}\r\n"
        if content:
            head += f"content-type: application/json\r\ncontent-length: {len(content)}\r\n"
        return head.encode() + b"\r\n" + content

    def ask(self, request: bytes, answered: Answered) -> None:
        """Send a request on a free connection, or on a new one."""
        if self._free:
            self._free.pop().ask(request, answered)
        else:
            self._begin(self._ask_anew(request, answered))

    async def _ask_anew(self, request: bytes, answered: Answered) -> None:
        loop = asyncio.get_running_loop()
        _, asker = await loop.create_connection(lambda: Asker(self._free.append), "127.0.0.1", self.port)
        asker.ask(request, answered)

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        """Run something in the background. If it fails, the load generator fails."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)

        def done(task: asyncio.Task[None]) -> None:
            self._tasks.discard(task)
            if not task.cancelled() and (error := task.exception()) is not None:
                task.get_loop().call_exception_handler({"message": "a request failed", "exception": error})

        task.add_done_callback(done)

    async def opened(self) -> Game:
        """Create a game whose streams are not open yet."""
        loop = asyncio.get_running_loop()
        told: asyncio.Future[bytes] = loop.create_future()

        def answered(status: int, body: bytes) -> None:
            assert status == 201, body
            told.set_result(body)

        wanted = {"ruleset": "mafia", "names": SEATS[:-1], "agent": "outside", "seed": str(len(self.games))}
        self.ask(self.request("POST", "/v1/games", self.host, wanted), answered)
        found = msgspec.json.decode(await told)
        tokens = {seat: link.rpartition("#")[2] for seat, link in found["links"]["seats"].items()}
        game = Game(self, found["game"], tokens)
        self.games.append(game)
        return game

    async def _one_more(self) -> None:
        await (await self.opened()).connect()

    def game_over(self) -> None:
        """Start another game to replace a finished one."""
        self._begin(self._one_more())

    def asked(self, game: Game, seat: str, turn: int, choices: Sequence[str]) -> None:
        """Answer a seat's turn at once, or when its time comes."""
        if self._at_once:
            game.reply(seat, turn, choices)
        else:
            self._waiting.append((game, seat, turn, choices))

    async def settled(self) -> None:
        """Wait until nothing has arrived for a moment."""
        before = -1
        while before != (before := sum(len(s.came) for game in self.games for s in game.streams.values())):
            await asyncio.sleep(0.3)

    async def stage(self, server: int, rate: float | None, warm: float, seconds: float) -> dict[str, float]:
        """Play at this many decisions per second, or as fast as possible without a rate, and return the counts."""
        pacing = None
        if rate is None:
            self._at_once = True
            while self._waiting:
                self._take_one()
        else:
            pacing = asyncio.create_task(self._paced(rate))
        await asyncio.sleep(warm)
        decisions, spent, mine = self.decisions, spent_by(server), time.process_time()
        began = time.perf_counter()
        await asyncio.sleep(seconds)
        ended = time.perf_counter()
        decisions, spent, mine = self.decisions - decisions, spent_by(server) - spent, time.process_time() - mine
        self._at_once = False
        if pacing is not None:
            pacing.cancel()
        await self.settled()
        return {"began": began, "ended": ended, "decisions": decisions, "server": spent, "load": mine}

    async def _paced(self, rate: float) -> None:
        """Answer at random times, this many per second. If no turn is open, catch up later."""
        loop = asyncio.get_running_loop()
        due = loop.time()
        while True:
            due = max(due + self.random.expovariate(rate), loop.time() - 1)
            await asyncio.sleep(due - loop.time())
            self._take_one()

    def _take_one(self) -> None:
        while self._waiting:
            game, seat, turn, choices = self._waiting.popleft()
            if (seat, turn) not in game.withdrawn:
                game.reply(seat, turn, choices)
                return


def spent_by(process: int) -> float:
    """Return the processor seconds of a process, all threads together."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident(process: int) -> float:
    """Return a process's memory in kilobytes."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1024


async def measured(plan: Mapping[str, Any]) -> dict[str, Any]:
    """Open this many games and play them saturated, then at shares of that rate or of the given one."""
    asyncio.get_running_loop().set_exception_handler(_give_up)
    load, server, total = Load(plan["port"], plan["host"]), plan["server"], plan["games"]
    for _ in range(total):
        await load.opened()
    await asyncio.sleep(0.3)
    before = resident(server)
    for first in range(0, total, CONNECTING):
        await asyncio.gather(*(game.connect() for game in load.games[first : first + CONNECTING]))
    await load.settled()
    streams = total * len(SEATS)
    memory = (resident(server) - before) / streams
    seconds = plan["seconds"]
    stages = {"saturated": await load.stage(server, None, seconds / 4, seconds)}
    rate = plan["rate"] or stages["saturated"]["decisions"] / seconds
    for name, share in plan["shares"].items():
        stages[name] = await load.stage(server, max(rate * share, 1.0), seconds / 4, seconds)
    return {"memory": memory, "stages": stages, "games": list(_told(load.games))}


def _give_up(loop: asyncio.AbstractEventLoop, context: Mapping[str, Any]) -> None:
    """End the load generator when a callback fails, because later figures would mean nothing."""
    loop.default_exception_handler(dict(context))
    sys.stderr.flush()
    os._exit(1)


def _told(games: Sequence[Game]) -> Iterator[dict[str, Any]]:
    for game in games:
        yield {
            "game": game.id,
            "came": {seat: stream.came for seat, stream in game.streams.items()},
            "sent": [[*key, when] for key, when in game.sent.items()],
            "accepted": [[*key, when] for key, when in game.accepted.items()],
        }


def main() -> None:
    """`python benchmarks/load.py PLAN FOUND`: do what the plan file says and write the results into the other file."""
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    plan, into = map(Path, sys.argv[1:])
    into.write_text(json.dumps(uvloop.run(measured(json.loads(plan.read_text())))))


if __name__ == "__main__":
    main()
