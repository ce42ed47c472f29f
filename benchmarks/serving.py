"""Measure games over HTTP: a `sottovoce serve` process on SQLite and a load generator on the same machine.

In the same run it measures two floors: the same games played in this process by `random`, and the same frames pushed by
a plain ASGI application under the same uvicorn to the same load generator (`bare_app.py`).
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from load import SEATS
from workload import Stopwatch, opened, play

from sottovoce.domain.events import ReplyAccepted
from sottovoce.eventlog import open_log
from sottovoce.eventlog.log import EventLog
from sottovoce.server.entries import Entries
from sottovoce.server.games import Games
from sottovoce.server.http.stream import frame

ROOT = Path(__file__).resolve().parent.parent
GAMES = (1, 20, 100, 200)
QUARTER, HALF = "25 %", "50 %"
SHARES = {QUARTER: 0.25, HALF: 0.5}
SECONDS = 8.0
RECORDED = 50
"""Games whose frames the floor pushes, again and again."""

SETTINGS = """
agents = ["outside"]

[bounds]
connections = 20000
connections_per_address = 20000
replies_per_minute = 1000000
idle_seconds = 3600
"""
"""The load generator is one address and faster than people; all other settings are the defaults."""


class Latency(NamedTuple):
    """Milliseconds from a reply until the last frame that it caused arrived at any seat."""

    p50: float
    p95: float
    p99: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Latency:
        """Compute the percentiles of these replies."""
        ordered = sorted(seconds)
        return cls(*(ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000 for share in (0.5, 0.95, 0.99)))


class Stage(NamedTuple):
    """Results at one rate. Processor times are microseconds per decision, for the server and for the load generator."""

    rate: float
    server: float
    load: float
    sent: Latency
    accepted: Latency


class Served(NamedTuple):
    """Results for one number of games. `memory` is kilobytes per stream."""

    saturated: Stage
    shares: Mapping[str, Stage]
    memory: float


def games_served(total: int, seconds: float) -> tuple[Served, list[dict[str, Any]]]:
    """Play this many games over HTTP, and record some of them for the floor."""
    with tempfile.TemporaryDirectory(prefix="sottovoce-bench-") as folder:
        url, settings = f"sqlite:///{folder}/games.db", Path(folder, "serve.toml")
        settings.write_text(SETTINGS)
        command = ["-m", "sottovoce", "--db", url, "serve", "--port", "0", "--config", str(settings)]
        with served(command, Path(folder, "serve.err")) as (process, link):
            found = loaded(process, link, total, seconds, None)
        with closing(open_log(url)) as log:
            lasts = {game["game"]: _lasts(log, game) for game in found["games"]}
            recording = [_recorded(log, game) for game in list(lasts)[:RECORDED]]
    return _served(found, lasts), recording


def floor_served(total: int, seconds: float, rate: float, recording: Sequence[dict[str, Any]]) -> Served:
    """Run the same load at shares of the server's rate against the plain app, which pushes the same frames."""
    with tempfile.TemporaryDirectory(prefix="sottovoce-bench-") as folder:
        file = Path(folder, "recording.json")
        file.write_text(json.dumps(recording))
        command = [str(ROOT / "benchmarks" / "bare_app.py"), str(file)]
        with served(command, Path(folder, "bare.err")) as (process, link):
            found = loaded(process, link, total, seconds, rate)
    return _served(found, {})


def played_here(total: int, rounds: int) -> float:
    """Return microseconds of processor time per decision for this many such games, played here, durable and watched."""
    best = float("inf")
    for number in range(rounds):
        with (
            tempfile.TemporaryDirectory(prefix="sottovoce-bench-") as folder,
            opened(f"sqlite:///{folder}/g.db") as games,
        ):
            watch = Stopwatch()
            decisions, _ = asyncio.run(play(games, total, number * total, total, seats=SEATS, rules={}, watched=True))
            best = min(best, watch.over(decisions).cpu)
    return best


@contextmanager
def served(command: Sequence[str], errors: Path) -> Iterator[tuple[int, str]]:
    """Start a server. Yield its process ID and the host link."""
    with errors.open("wb") as err:
        process = subprocess.Popen([sys.executable, *command], cwd=ROOT, stdout=subprocess.PIPE, stderr=err, text=True)
    try:
        assert process.stdout is not None
        link = process.stdout.readline().strip()
        if not link:
            raise RuntimeError(errors.read_text())
        yield process.pid, link
        if process.poll() is not None:
            raise RuntimeError(errors.read_text()[-2000:])
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
        process.communicate()


def loaded(
    process: int,
    link: str,
    total: int,
    seconds: float,
    rate: float | None,
    shares: Mapping[str, float] = SHARES,
) -> Any:
    """Run a load generator: this many games, first as fast as possible, then at shares of a rate.

    Return its results.
    """
    address, _, host = link.partition("/#")
    port = int(address.rpartition(":")[2])
    much = {"games": total, "seconds": seconds, "rate": rate, "shares": dict(shares)}
    plan = {"server": process, "port": port, "host": host, **much}
    with tempfile.TemporaryDirectory(prefix="sottovoce-bench-") as folder:
        given, into = Path(folder, "plan.json"), Path(folder, "found.json")
        given.write_text(json.dumps(plan))
        command = [sys.executable, str(ROOT / "benchmarks" / "load.py"), str(given), str(into)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"the load failed: {done.stderr[-2000:]}")
        return json.loads(into.read_text())


def _lasts(log: EventLog, told: Mapping[str, Any]) -> dict[tuple[str, int], float]:
    """Return when the last frame that each reply caused had arrived at everyone who could see it."""
    came: Mapping[str, list[float]] = told["came"]
    seen = dict.fromkeys(came, 0)
    found: dict[tuple[str, int], float] = {}
    last: dict[str, float] = {}
    replies: dict[str, tuple[str, int]] = {}
    for item in log.read(told["game"]):
        event = item.event
        if isinstance(event, ReplyAccepted):
            replies[item.append] = event.seat, event.turn
        for seat in came:
            if item.audience.includes(seat):
                seen[seat] += 1
                if len(came[seat]) < seen[seat]:
                    raise RuntimeError(f"{seat} of {told['game']} was never sent entry {seen[seat]}")
                last[item.append] = max(last.get(item.append, 0.0), came[seat][seen[seat] - 1])
    for append, key in replies.items():
        found[key] = last[append]
    return found


def _served(found: Mapping[str, Any], lasts: Mapping[str, Mapping[tuple[str, int], float]]) -> Served:
    stages = {name: _stage(stage, found["games"], lasts) for name, stage in found["stages"].items()}
    return Served(stages.pop("saturated"), stages, found["memory"])


def _stage(
    stage: Mapping[str, Any], games: Sequence[Any], lasts: Mapping[str, Mapping[tuple[str, int], float]]
) -> Stage:
    from_sent, from_accepted = [0.0], [0.0]
    for game in games:
        known = lasts.get(game["game"], {})
        sent = {(seat, turn): when for seat, turn, when in game["sent"]}
        for seat, turn, when in game["accepted"]:
            key = seat, turn
            if stage["began"] <= when < stage["ended"] and key in known:
                from_sent.append(known[key] - sent[key])
                from_accepted.append(max(0.0, known[key] - when))
    decisions = max(1, stage["decisions"])
    return Stage(
        decisions / (stage["ended"] - stage["began"]),
        stage["server"] / decisions * 1e6,
        stage["load"] / decisions * 1e6,
        Latency.of(from_sent),
        Latency.of(from_accepted),
    )


def _recorded(log: EventLog, game: str) -> dict[str, Any]:
    """Return a game's frames as its seats got them, and how many each seat had after each append."""
    live = Games(log).load(game)
    frames = {
        seat: [frame(seq, "entry", data).decode() for seq, data in enumerate(told, 1)]
        for seat, told in ((seat, Entries(live.ruleset, seat).upto_now(live)) for seat in SEATS)
    }
    appends: list[dict[str, int]] = []
    seen, before, replied = dict.fromkeys(SEATS, 0), "", False
    for item in live.recorded:
        if item.append != before and replied:
            appends.append(dict(seen))
            replied = False
        before = item.append
        replied = replied or isinstance(item.event, ReplyAccepted) or item.position == 1
        for seat in SEATS:
            seen[seat] += item.audience.includes(seat)
    return {"frames": frames, "appends": [*appends, dict(seen)]}
