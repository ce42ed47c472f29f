"""Attacks on a server while a game goes on beside them: `python -m siege` prints what each does to the player's waits.

Each attack is a function that does its worst once, again and again in a thread of its own until it is told to stop.
"""

from __future__ import annotations

import json
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from served import Answer, Server, Wire

NAMES = ("Ada", "Bram", "Cleo", "Dot", "Edo", "Fay")


class Serving(Server):
    """A `sottovoce serve` on a log; with the options given."""

    def __init__(self, folder: Path, *options: object, url: str | None = None) -> None:
        words = ["--db", url or str(folder / "games.db"), "serve", "--port", "0", *map(str, options)]
        super().__init__(folder, "durability.child", "cold", *words)
        self.token = self.first.partition("#")[2]

    def call(self, method: str, path: str, token: str, body: Any = None, **headers: str) -> Answer:
        """A request with a token and a JSON body."""
        with self.wire() as wire:
            return call(wire, method, path, token, body, **headers)

    def served(self) -> None:
        """Check that it is ready."""
        assert self.ask("GET", "/health/ready").json == {"ok": True}

    def open(self, **wanted: Any) -> Any:
        """Open a game of Mafia, by default with nobody but outsiders; its id, and its links."""
        given = {"ruleset": "mafia", "names": list(NAMES), "agent": "outside", **wanted}
        answer = self.call("POST", "/v1/games", self.token, given)
        assert answer.status == 201, answer
        return answer.json


def call(wire: Wire, method: str, path: str, token: str, body: Any = None, **headers: str) -> Answer:
    """A request on a connection that is there."""
    given = {"authorization": f"Bearer {token}", "content_type": "application/json", **headers}
    return wire.ask(method, path, b"" if body is None else json.dumps(body).encode(), **given)


def token_of(link: str) -> str:
    """The token in a link."""
    return link.partition("#")[2]


@dataclass
class Siege:
    """Who attacks: as a stranger, and as somebody with a seat in another game."""

    server: Server
    game: str
    token: str
    stop: threading.Event = field(default_factory=threading.Event)
    done: int = 0

    def slow_heads(self) -> None:
        """Two hundred connections that send a little of a head now and then."""
        with ExitStack() as stack:
            wires = []
            for _ in range(200):
                wires.append(stack.enter_context(self.server.wire()))
                wires[-1].say(b"GET /v1/link HTTP/1.1\r\nhost: localhost\r\n")
            while wires and not self.stop.wait(0.5):
                for wire in list(wires):
                    try:
                        wire.say(b"x: y\r\n")
                    except OSError:
                        wires.remove(wire)

    def idle(self) -> None:
        """As many connections as one address may have, and more, which ask nothing."""
        with ExitStack() as stack:
            for _ in range(2000):
                if self.stop.is_set():
                    return
                with suppress(OSError):
                    stack.enter_context(self.server.wire(address="127.0.0.3"))
            self.stop.wait(2)

    def headers(self) -> None:
        """Ten thousand headers, and one of ten megabytes."""
        for head in (b"x-a: a\r\n" * 10_000, b"x-a: " + b"a" * 10_000_000):
            with self.server.wire() as wire:
                wire.say(b"GET /v1/link HTTP/1.1\r\nhost: localhost\r\n" + head)

    def bodies(self) -> None:
        """A gigabyte, announced and not."""
        for length in (b"content-length: 1073741824", b"transfer-encoding: chunked"):
            with self.server.wire() as wire:
                wire.say(b"POST /v1/games HTTP/1.1\r\nhost: localhost\r\n" + length + b"\r\n\r\n")
                wire.until_cut(b"10000\r\n" + b"a" * 0x10000 + b"\r\n", 1 << 30)

    def replies(self) -> None:
        """Messages by a seat, as quick as they can be sent."""
        with self.server.wire() as wire:
            for _ in range(200):
                path = f"/v1/games/{self.game}/messages"
                call(wire, "POST", path, self.token, {"text": "Hello? " * 1000})

    def deaf_readers(self) -> None:
        """Long answers and streams that nobody reads."""
        with ExitStack() as stack:
            for number in range(50):
                wire = stack.enter_context(self.server.wire(window=2048))
                if number % 10 == 0:
                    wire.request("GET", f"/v1/games/{self.game}/stream", authorization=f"Bearer {self.token}")
                for _ in range(8):
                    wire.request("GET", "/openapi.json")
            self.stop.wait(2)

    def wrong_tokens(self) -> None:
        """Requests with tokens that open nothing."""
        with self.server.wire() as wire:
            for number in range(200):
                wire.ask("GET", f"/v1/games/{self.game}/view", authorization=f"Bearer svs_{number:043}")

    @property
    def attacks(self) -> Mapping[str, Callable[[], None]]:
        """All of them, by name."""
        named = (self.slow_heads, self.idle, self.headers, self.bodies, self.replies, self.deaf_readers)
        return {attack.__name__: attack for attack in (*named, self.wrong_tokens)}

    @contextmanager
    def laid(self, *names: str) -> Iterator[None]:
        """These attacks for the length of the block, each begun anew as soon as it has ended."""
        self.stop.clear()
        threads = [threading.Thread(target=self._repeat, args=(self.attacks[name],), daemon=True) for name in names]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self.stop.set()
            for thread in threads:
                thread.join()

    def _repeat(self, attack: Callable[[], None]) -> None:
        while not self.stop.is_set():
            with suppress(OSError, EOFError):
                attack()
            self.done += 1


def play(server: Serving, opened: Any, seats: tuple[str, ...] = ("Ada",)) -> list[float]:
    """Play seats to the game's end as programs far away do, by turns; the seconds that each request took."""
    path = f"/v1/games/{opened['game']}"
    tokens = {seat: token_of(opened["links"]["seats"][seat]) for seat in seats}
    since = dict.fromkeys(seats, 0)
    waits: list[float] = []
    with server.wire() as wire:

        def timed(method: str, place: str, token: str, body: Any = None) -> Answer:
            started = time.perf_counter()
            answer = call(wire, method, path + place, token, body)
            waits.append(time.perf_counter() - started)
            return answer

        while True:
            for seat, token in tokens.items():
                inbox = timed("GET", f"/turns?since={since[seat]}", token).json
                since[seat] = inbox["seq"]
                for turn in inbox["turns"]:
                    text = turn["choices"][0] if turn["choices"] else "I have nothing to say."
                    answer = timed("POST", f"/turns/{turn['turn']}", token, {"text": text})
                    assert answer.status == 200, answer
                if inbox["over"]:
                    return waits


def main() -> None:
    """Print, for each attack, how often it was made and what the players waited."""
    with tempfile.TemporaryDirectory() as folder, Serving(Path(folder), "--quiet") as server:
        victim = server.open()
        siege = Siege(server, victim["game"], token_of(victim["links"]["seats"]["Bram"]))
        for names in ([], *([name] for name in siege.attacks), list(siege.attacks)):
            siege.done = 0
            waits: list[float] = []
            with siege.laid(*names):
                while len(waits) < 500:
                    waits += play(server, server.open(seed="7"), (*NAMES, "narrator"))
            what = "all of them" if len(names) > 1 else "".join(names) or "nobody"
            p50, p95 = (1000 * sorted(waits)[int(len(waits) * share)] for share in (0.5, 0.95))
            print(f"{what:<14} made {siege.done:>4}  p50 {p50:6.1f} ms  p95 {p95:6.1f} ms  {len(waits)} requests")


if __name__ == "__main__":
    main()
