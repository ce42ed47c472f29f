"""Attacks on a server during a game: `python -m siege` prints how each affects the players' waiting times.

Each attack is a function that attacks once. It runs again and again in a separate thread until it is stopped.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from patience import PATIENCE
from served import Answer, Server, Wire

ENOUGH = 20.0
"""Seconds after which a player counts as locked out."""

NAMES = ("Ada", "Bram", "Cleo", "Dot", "Edo", "Fay")


class Serving(Server):
    """A `sottovoce serve` on a log, with the given options."""

    def __init__(self, folder: Path, *options: object, url: str | None = None) -> None:
        words = ["--db", url or str(folder / "games.db"), "serve", "--port", "0", *map(str, options)]
        super().__init__(folder, "durability.child", "cold", *words)
        self.token = self.first.partition("#")[2]

    def call(self, method: str, path: str, token: str, body: Any = None, **headers: str) -> Answer:
        """Send a request with a token and a JSON body."""
        with self.wire() as wire:
            return call(wire, method, path, token, body, **headers)

    def served(self) -> None:
        """Check that it is ready."""
        assert self.ask("GET", "/health/ready").json == {"ok": True}

    def spent(self) -> float:
        """Return the seconds of processor time that the process has used."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def tracebacks(self) -> int:
        """Return how many tracebacks it has printed, in any form."""
        return self.errors.read_text(errors="replace").count("Traceback")

    def open(self, **wanted: Any) -> Any:
        """Create a game of Mafia, by default with only remote seats. Return its ID and its links."""
        given = {"ruleset": "mafia", "names": list(NAMES), "agent": "outside", **wanted}
        answer = self.call("POST", "/v1/games", self.token, given)
        assert answer.status == 201, answer
        return answer.json


def call(wire: Wire, method: str, path: str, token: str, body: Any = None, **headers: str) -> Answer:
    """Send a request on an existing connection."""
    given = {"authorization": f"Bearer {token}", "content_type": "application/json", **headers}
    return wire.ask(method, path, b"" if body is None else json.dumps(body).encode(), **given)


def token_of(link: str) -> str:
    """Return the token in a link."""
    return link.partition("#")[2]


@dataclass
class Siege:
    """The attacker: a stranger, and someone with a seat in another game."""

    server: Serving
    game: str
    token: str
    spectator: str
    stop: threading.Event = field(default_factory=threading.Event)
    done: int = 0

    def slow_heads(self) -> None:
        """Two hundred connections that each send a little of a head now and then."""
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
        """As many idle connections as one address can have, and more."""
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

    def half_sent(self) -> None:
        """A seat's requests whose bodies never arrive, at both of its endpoints.

        They wait for a moment, then go away.
        """
        with ExitStack() as stack:
            for _ in range(5):
                for path in ("/mcp", f"/v1/games/{self.game}/messages"):
                    for length in (b"content-length: 100", b"transfer-encoding: chunked"):
                        stack.enter_context(self.half(path, length))
            self.stop.wait(0.1)

    @contextmanager
    def half(self, path: str, length: bytes) -> Iterator[None]:
        """One of them."""
        with self.server.wire() as wire:
            head = (
                f"POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {self.token}\r\n"
                "content-type: application/json\r\naccept: application/json, text/event-stream\r\n"
            )
            wire.say(head.encode() + length + b"\r\n\r\n" + (b"5\r\n" if b"chunked" in length else b"") + b'{"a":')
            yield

    def stranger(self) -> None:
        """A call by a stranger."""
        with self.server.wire() as wire:
            wire.ask("POST", "/mcp", b"{}", authorization="Bearer svs_1")

    def replies(self) -> None:
        """Messages of a seat, as fast as they can be sent."""
        with self.server.wire() as wire:
            for _ in range(200):
                path = f"/v1/games/{self.game}/messages"
                call(wire, "POST", path, self.token, {"text": "Hello? " * 1000})

    def costly_texts(self) -> None:
        """A narrator's texts that are expensive to check: growing when normalized, rows of marks, characters that
        can stand for letters, and endless names."""
        opened = self.server.open(options={"max_attempts": 100})
        path, token = f"/v1/games/{opened['game']}/turns/1", token_of(opened["links"]["seats"]["narrator"])
        for unit in ("\ufdfa", "\u0301\u0316", "1!", "Ada and Bram, ", "{\n", "it was? "):
            if self.stop.is_set():
                return
            text = unit * (30_000 // len(unit)) + ". Ada is the Doctor."  # it is refused, and is not the last attempt
            with self.server.wire() as wire:
                call(wire, "POST", path, token, {"text": text})

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
        """Return all of them, by name."""
        named = (self.slow_heads, self.idle, self.headers, self.bodies, self.half_sent, self.replies, self.costly_texts)
        return {attack.__name__: attack for attack in (*named, self.deaf_readers, self.wrong_tokens)}

    @contextmanager
    def under_attack(self, *names: str) -> Iterator[None]:
        """Run these attacks for the length of the block, each again as soon as it has ended."""
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


def play(server: Serving, opened: Any, seats: tuple[str, ...] = ("Ada",), patience: float = PATIENCE) -> list[float]:
    """Play seats to the game's end like remote programs, in turn. Return the seconds that each request took."""
    path = f"/v1/games/{opened['game']}"
    tokens = {seat: token_of(opened["links"]["seats"][seat]) for seat in seats}
    since = dict.fromkeys(seats, 0)
    waits: list[float] = []
    with server.wire() as wire:
        wire.socket.settimeout(patience)

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


def price(server: Serving, attack: Callable[[], None], times: int = 100) -> float:
    """Return the milliseconds of the server's processor time that one of these takes, with a health check after it."""
    before = server.spent()
    for _ in range(times):
        attack()
        server.ask("GET", "/health/live")  # answered once the server has dealt with it
    return 1000 * (server.spent() - before) / times


def beside(server: Serving, siege: Siege, names: list[str]) -> str:
    """Return how often these attacks were made, and the players' waiting times meanwhile."""
    siege.done, waits = 0, list[float]()
    with siege.under_attack(*names), suppress(TimeoutError):
        while len(waits) < 500:
            waits += play(server, server.open(seed="7"), (*NAMES, "narrator"), ENOUGH)
    if len(waits) < 500:
        return f"made {siege.done:>4}  a player got no answer within {ENOUGH:g} s"
    p50, p95 = (1000 * sorted(waits)[int(len(waits) * share)] for share in (0.5, 0.95))
    return f"made {siege.done:>4}  p50 {p50:6.1f} ms  p95 {p95:6.1f} ms  {len(waits)} requests"


def prices(server: Serving, siege: Siege) -> Iterator[tuple[str, str]]:
    """Return what the server spends on requests whose bodies never arrive, and on one that it refuses by its token."""
    message = f"/v1/games/{siege.game}/messages"

    def half(path: str, length: bytes) -> None:
        with siege.half(path, length):
            pass

    half("/mcp", b"content-length: 100")
    time.sleep(5)  # until everything MCP needs is loaded
    for what, attack in (
        ("a wrong token", siege.stranger),
        ("half a call at /mcp", lambda: half("/mcp", b"content-length: 100")),
        ("half a call in chunks", lambda: half("/mcp", b"transfer-encoding: chunked")),
        ("half a message", lambda: half(message, b"content-length: 100")),
        ("half a message in chunks", lambda: half(message, b"transfer-encoding: chunked")),
    ):
        printed = server.tracebacks()
        cost = price(server, attack)
        yield what, f"{cost:6.2f} ms of processor time each, {server.tracebacks() - printed} tracebacks"


def audience(siege: Siege, others: int = 100) -> str:
    """One spectator opens all the streams it can; then others, each at another address, want to watch."""
    with ExitStack() as stack:

        def let_in(address: str) -> bool:
            wire = stack.enter_context(siege.server.wire(address=address))
            wire.request("GET", f"/v1/games/{siege.game}/stream", authorization=f"Bearer {siege.spectator}")
            return wire.head()[0] == 200

        own = 0
        while own < 300 and let_in("127.0.0.3"):
            own += 1
        watching = sum(let_in(f"127.0.1.{number}") for number in range(1, others + 1))
    return f"one has {own} streams, and then {watching} of {others} others watch"


@contextmanager
def besieged() -> Iterator[Siege]:
    """A server, and its attacker."""
    with tempfile.TemporaryDirectory() as folder, Serving(Path(folder), "--quiet") as server:
        victim = server.open()
        seat, spectator = token_of(victim["links"]["seats"]["Bram"]), token_of(victim["links"]["spectator"])
        yield Siege(server, victim["game"], seat, spectator)


def main() -> None:
    """Print how often each attack was made, how long players waited, and what half a request costs.

    The arguments name the attacks to make; the default is all.
    """
    wanted = sys.argv[1:]
    with besieged() as siege:
        wanted = wanted or list(siege.attacks)
        for names in ([], *([name] for name in wanted), *([wanted] if len(wanted) > 1 else ())):
            what = "all of these" if len(names) > 1 else "".join(names) or "nobody"
            print(f"{what:<24} {beside(siege.server, siege, names)}", flush=True)
            if not names:
                print(f"{'spectators':<24} {audience(siege)}", flush=True)
    if "half_sent" in wanted:
        with besieged() as siege:
            for what, cost in prices(siege.server, siege):
                print(f"{what:<24} {cost}", flush=True)


if __name__ == "__main__":
    main()
