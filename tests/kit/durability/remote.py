"""Games over HTTP with servers that are killed: remote seats that keep answering and listening, and what they must get.

The readers are strict where `client.stream` is tolerant: each frame of every connection is kept as it arrived.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import secrets
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from durability.checks import check_end, check_game
from durability.processes import PATIENCE, Cold, Hung
from sottovoce.domain.events import ReplyAccepted
from sottovoce.eventlog import open_log
from sottovoce.server.entries import Entries
from sottovoce.server.games import Games

HOST = "svh_" + "h" * 43
PLAYERS = ("Ada", "Bram", "Cleo", "Dirk", "Edda")
FAR = ("Ada", "Cleo", "Edda")
"""The remote seats. Servers or workers play the others."""
GAMES = 3
"""Games at the same time."""
STILL = 20.0
"""Seconds after which games on a server with a planted fault count as stuck."""

CONFIG = f"""
host_digest = "{hashlib.sha256(HOST.encode()).hexdigest()}"
agents = ["random", "outside"]
log_requests = false

[bounds]
replies_per_minute = 100000
connections_per_address = 4000
"""


class Serving:
    """A `serve` process that is killed and started again on the same port."""

    def __init__(self, url: str, folder: Path, *, plays: bool, fault: str | None) -> None:
        config = folder / "serve.toml"
        config.write_text(CONFIG)
        self._words = ["--db", url, "serve", "--config", str(config), *([] if plays else ["--no-play"])]
        self._wishes = {"tap": str(folder / "tap"), "fault": fault} if fault else {}
        self._command = self._started(0)
        assert self._command.process.stdout is not None
        line = self._command.process.stdout.readline().decode()
        assert line, self._command.end()
        self.port = int(line.strip().rstrip("/").rpartition(":")[2])

    def _started(self, port: int) -> Cold:
        return Cold([*self._words, "--port", str(port)], tapped=bool(self._wishes), wishes=self._wishes)

    def kill(self) -> int:
        """SIGKILL it and start another. Return the exit code of the killed one."""
        self._command.process.kill()
        code, _, _ = self._command.end()
        self._command = self._started(self.port)
        return code

    def close(self) -> str:
        """End it. Return its stderr if it had ended on its own."""
        ended = not self._command.alive()
        self._command.process.kill()
        _, _, err = self._command.end()
        return err if ended else ""


@dataclass(slots=True)
class Seat:
    """A remote seat: every frame as it arrived, over all connections, and every acknowledged reply."""

    game: str
    name: str
    token: str
    frames: list[tuple[int, bytes]] = field(default_factory=list)
    acknowledged: dict[int, str] = field(default_factory=dict)
    connections: int = 0
    over: bool = False


@dataclass(slots=True)
class Evening:
    """Seats in the games of some servers, until there were this many kills and every game is over."""

    servers: Sequence[Serving]
    chance: random.Random
    faulty: bool = False
    seats: list[Seat] = field(default_factory=list)
    kills: int = 0
    acknowledged: int = 0
    findings: list[str] = field(default_factory=list)
    _last: Serving | None = None
    _closing: bool = False

    async def play(self, kills: int) -> None:
        """Play, and kill servers that often."""
        client = httpx2.AsyncClient(timeout=PATIENCE, limits=httpx2.Limits(max_connections=None))
        async with client as http, asyncio.TaskGroup() as group:
            tables = [group.create_task(self._table(http)) for _ in range(GAMES)]
            for _ in range(kills):
                await self._kill()
            self._closing = True
            try:
                await self._goes_on(tables)
            except Hung as hung:
                self.findings.append(str(hung))
                for table in tables:
                    table.cancel()

    async def _kill(self) -> None:
        """Kill a server after some more replies: any, or the one that acknowledged the last of them."""
        wanted = self.acknowledged + self.chance.randint(1, 12)
        deadline = time.monotonic() + (STILL if self.faulty else PATIENCE)
        while self.acknowledged < wanted:
            if time.monotonic() > deadline:
                if not self.faulty:
                    raise Hung("nothing is acknowledged any more")
                break
            await asyncio.sleep(0.0005)
        last = self._last if self.chance.random() < 0.7 else None
        await asyncio.sleep(self.chance.choice((0.0, 0.0, self.chance.uniform(0, 0.01))))
        server = last or self.chance.choice(self.servers)
        code = server.kill()
        self.kills += 1
        if code != -9:
            self.findings.append(f"a server had ended with {code}")

    async def _goes_on(self, tables: Sequence[asyncio.Task[None]]) -> None:
        """Wait for the end of all games, as long as frames arrive."""
        patience = STILL if self.faulty else PATIENCE
        before, since = -1, time.monotonic()
        while not all(table.done() for table in tables):
            now = sum(len(seat.frames) for seat in self.seats)
            if now != before:
                before, since = now, time.monotonic()
            if time.monotonic() > since + patience:
                raise Hung("the games do not go on")
            await asyncio.sleep(0.02)

    async def _table(self, http: httpx2.AsyncClient) -> None:
        """Play one game after the other."""
        while not self._closing:
            seats = await self._opened(http)
            self.seats += seats
            async with asyncio.TaskGroup() as group:
                for seat in seats:
                    group.create_task(self._listen(http, seat, group))

    async def _opened(self, http: httpx2.AsyncClient) -> list[Seat]:
        wanted = {
            "ruleset": "mafia",
            "names": PLAYERS,
            "agent": "random",
            "agents": dict.fromkeys(FAR, "outside"),
            "seed": str(self.chance.random()),
        }
        while True:
            server = self.chance.choice(self.servers)
            with suppress(httpx2.TransportError):
                headers = {"authorization": f"Bearer {HOST}"}
                answer = await http.post(f"{_at(server)}/v1/games", json=wanted, headers=headers)
                if answer.status_code == 201:
                    told = answer.json()
                    links = told["links"]["seats"]
                    return [Seat(told["game"], name, link.rpartition("#")[2]) for name, link in links.items()]
                if answer.status_code < 500:
                    raise AssertionError(answer.text)
            await asyncio.sleep(0.02)

    async def _listen(self, http: httpx2.AsyncClient, seat: Seat, group: asyncio.TaskGroup) -> None:
        """Follow a seat's stream to the end of its game, from one server to the other."""
        while not seat.over:
            server = self.chance.choice(self.servers)
            headers = {"authorization": f"Bearer {seat.token}"}
            if seat.frames:
                headers["last-event-id"] = str(seat.frames[-1][0])
            with suppress(httpx2.TransportError):
                path = f"{_at(server)}/v1/games/{seat.game}/stream"
                async with http.stream("GET", path, headers=headers) as answer:
                    if answer.status_code == 200:
                        seat.connections += 1
                        await self._read(http, seat, answer, group)
                    elif answer.status_code not in (429, 500, 503):
                        raise AssertionError(f"{answer.status_code} {(await answer.aread()).decode()}")
            await asyncio.sleep(0.01)

    async def _read(
        self, http: httpx2.AsyncClient, seat: Seat, answer: httpx2.Response, group: asyncio.TaskGroup
    ) -> None:
        """Read every complete frame of one connection. Answer a turn that opens at the same time."""
        waiting = b""
        async for data in answer.aiter_bytes():
            *frames, waiting = (waiting + data).split(b"\n\n")
            for frame in frames:
                fields = dict(line.split(b": ", 1) for line in frame.split(b"\n") if not line.startswith(b":"))
                if fields.get(b"event") == b"end":
                    seat.over = True
                    return
                if b"id" not in fields:
                    continue
                seat.frames.append((int(fields[b"id"]), fields[b"data"]))
                entry = json.loads(fields[b"data"])
                if entry["name"] == "core.turn-opened.v1":
                    told = entry["data"]
                    group.create_task(self._answer(http, seat, told["turn"], told["choices"]))

    async def _answer(self, http: httpx2.AsyncClient, seat: Seat, turn: int, choices: Sequence[str]) -> None:
        """Send one reply, until a server returns its result."""
        text = self.chance.choice(choices) if choices else f"I say {secrets.token_hex(6)}."
        headers = {"authorization": f"Bearer {seat.token}", "idempotency-key": secrets.token_hex(8)}
        while not seat.over:
            server = self.chance.choice(self.servers)
            with suppress(httpx2.TransportError):
                path = f"{_at(server)}/v1/games/{seat.game}/turns/{turn}"
                answer = await http.post(path, json={"text": text}, headers=headers)
                if answer.status_code == 200:
                    if turn in seat.acknowledged:
                        self.findings.append(f"turn {turn} of {seat.name} was asked for twice")
                    seat.acknowledged[turn] = text
                    self.acknowledged += 1
                    self._last = server
                    return
                if answer.status_code not in (429, 500, 503):
                    self.findings.append(f"{answer.status_code} {answer.text} for turn {turn} of {seat.name}")
                    return
            await asyncio.sleep(0.01)


def _at(server: Serving) -> str:
    return f"http://127.0.0.1:{server.port}"


def check_evening(url: str, evening: Evening) -> list[str]:
    """Return everything acknowledged or delivered that does not agree with the log."""
    findings = list(evening.findings)
    log = open_log(url, create=False)
    try:
        games = Games(log)
        for game in dict.fromkeys(seat.game for seat in evening.seats):
            live = games.load(game)
            findings += [f"{game}: {found}" for found in check_game(log, game)]
            findings += [f"{game}: {found}" for found in check_end(log, game, None)]
            for seat in evening.seats:
                if seat.game == game:
                    findings += [f"{game}: {found}" for found in _check_seat(live, seat)]
        games.close()
    finally:
        log.close()
    return findings


def _check_seat(live: Any, seat: Seat) -> list[str]:
    findings = []
    accepted = Counter(
        (item.event.seat, item.event.turn) for item in live.recorded if isinstance(item.event, ReplyAccepted)
    )
    for turn, text in seat.acknowledged.items():
        times = accepted[seat.name, turn]
        if times != 1:
            findings.append(f"the acknowledged reply to turn {turn} of {seat.name} is in the log {times} times")
        if text.startswith("I say ") and not any(text.encode() in item.body for item in live.recorded):
            findings.append(f"what {seat.name} said in turn {turn} is not in the log")
    told = Entries(live.ruleset, seat.name).upto_now(live)
    before = 0
    for number, _ in seat.frames:
        if number != before + 1:
            findings.append(f"{seat.name} got frame {number} after {before}")
        before = number
    if before != len(told):
        findings.append(f"{seat.name} got frames up to {before} of {len(told)}")
    if [data for _, data in seat.frames] != told[: len(seat.frames)] and not findings:
        findings.append(f"{seat.name} was sent something else than its view")
    return findings
