"""Measure speed, size and growth together with raw floors, in one run, so that the ratios mean something on any
machine.

    python benchmarks/bench.py [--json FILE] [--rounds N] [--postgres URL | --no-postgres] [--peers] [--record]
    python benchmarks/bench.py --serving [--games N,N] [--seconds S] [--rounds N]
    python benchmarks/bench.py --page [--rounds N]

The workload is in `workload.py`. Times are processor time unless stated otherwise. Each figure is the best of its
rounds, because other load on the machine can only add to it.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import platform
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "kit"))

import floors  # noqa: E402
from endurance import PARTY, flatness, long_session, replayed, taken_up  # noqa: E402
from peers import measured_peers  # noqa: E402
from serving import GAMES, HALF, SECONDS, floor_served, games_served, played_here  # noqa: E402
from workload import MANY, beside_each_other, opened, play, rules_alone, timed_play  # noqa: E402

from sottovoce.agents.prompt import BUDGET  # noqa: E402
from sottovoce.domain.game import fold  # noqa: E402
from sottovoce.domain.rulesets import RULESETS  # noqa: E402
from sottovoce.eventlog import open_log  # noqa: E402
from sottovoce.server.collector import calm_collector  # noqa: E402

BEATS = 500
MEMORY = "--memory-only"
DOCS = ROOT / "docs" / "benchmarks.md"
BEGIN, BEGIN_HTTP, BEGIN_PAGE = "<!-- recorded -->", "<!-- recorded over HTTP -->", "<!-- recorded of the page -->"
BEGIN_TEXTS = "<!-- recorded of texts -->"
END = "<!-- end -->"
DECISION = "µs/decision"


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement. `ratio` is value divided by floor, `target` the limit to keep. Both can be None."""

    what: str
    value: float
    unit: str
    floor: float | None = None
    ratio: float | None = None
    target: float | None = None
    kept: bool | None = None


def measured(what: str, value: float, unit: str, floor: float | None = None, target: float | None = None) -> Row:
    kept = None
    if target is not None:
        kept = value >= target if unit.endswith("/s") else value <= target
    return Row(what, round(value, 3), unit, floor and round(floor, 3), floor and round(value / floor, 3), target, kept)


def rebuilding(url: str, rounds: int) -> tuple[float, float, float]:
    """Return events per second: read, decoded and folded; the same rows only selected; and selected with their JSON
    decoded."""
    log = open_log(url)
    try:
        games = log.games()
        best = selected = decoded = float("inf")
        count = 0
        for _ in range(rounds):
            gc.collect()
            started = time.process_time()
            count = 0
            for game in games:
                recorded = log.read(game)
                fold(RULESETS["mafia"], [item.event for item in recorded])
                count += len(recorded)
            best = min(best, time.process_time() - started)
        for _ in range(rounds):
            started = time.process_time()
            rows = floors.select(url, games)
            selected = min(selected, time.process_time() - started)
            for body in rows:
                json.loads(body)
            decoded = min(decoded, time.process_time() - started)
    finally:
        log.close()
    return count / best, count / selected, count / decoded


def sessions(report: Callable[[Row], None]) -> None:
    """Measure a session of 500 beats: the cost of its events, the length of its prompts, and how fast it loads."""
    times, live, _ = asyncio.run(long_session(BEATS))

    def cost(first: int, last: int) -> float:
        (start, began), (end, ended) = times[first], times[last]
        return (ended - began) / (end - start) * 1e6

    early = cost(10, 110)
    report(measured("event cost in a session, beats 10 to 110", early, "µs/event"))
    name = f"event cost in a session, beats {BEATS - 100} to {BEATS}"
    report(measured(name, cost(BEATS - 100, BEATS - 1), "µs/event", early))
    folded, viewed, length = taken_up(live, PARTY[0])
    report(measured(f"prompt after {BEATS} beats", length, "tokens", BUDGET, BUDGET))
    report(measured(f"load a session of {BEATS} beats", folded, "events/s"))
    report(measured("build one seat's view of that session", viewed, "events/s"))


def resident() -> float:
    """Return the resident memory of this process in megabytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def memory_of_many_games() -> None:
    """Print this process's memory after each of several rounds of durable games, 64 at once."""
    calm_collector()
    before = resident()
    after = []
    with database() as url, opened(url) as games:
        for number in range(4):
            asyncio.run(play(games, MANY, number * MANY))
            after.append(resident())
    print(json.dumps([before, *after]))


@contextmanager
def database() -> Iterator[str]:
    """Yield the URL of an empty log in a file that is deleted afterwards."""
    with tempfile.TemporaryDirectory(prefix="sottovoce-bench-") as folder:
        yield f"sqlite:///{folder}/games.db"


def in_memory(rounds: int, report: Callable[[Row], None]) -> None:
    floor = rules_alone(5 * rounds).cpu
    report(measured("floor: rules only", floor, DECISION))
    one = timed_play("memory:", 5, 1, 5 * rounds)
    report(measured("in memory, 1 game", one.cost.cpu, DECISION, floor, 65))
    many = timed_play("memory:", MANY, MANY, rounds)
    report(measured(f"in memory, {MANY} games", many.cost.cpu, DECISION, floor, 65))


def durable(rounds: int, report: Callable[[Row], None]) -> None:
    with database() as url:
        alone = timed_play(url, 3, 1, rounds)
        floor = floors.Rows.of(url).into_sqlite(at_once=1, rounds=rounds)
        report(measured("floor: plain SQLite FULL, 1 decision per commit", floor.cpu, DECISION))
        report(measured("same, wall clock", floor.wall, DECISION))
        report(measured("durable, SQLite FULL, 1 game", alone.cost.cpu, DECISION, floor.cpu))
        report(measured("same, wall clock", alone.cost.wall, DECISION, floor.wall, round(2 * floor.wall)))
    with database() as url:
        watched = timed_play(url, 3, 1, rounds, watched=True)
        report(measured("durable, SQLite FULL, 1 game, watched", watched.cost.cpu, DECISION, floor.cpu))
        report(measured("same, wall clock", watched.cost.wall, DECISION, floor.wall))
    with database() as url:
        many = timed_play(url, 2 * MANY, MANY, rounds)
        rows = floors.Rows.of(url, upto=MANY)
        floor = rows.into_sqlite(at_once=MANY, rounds=rounds)
        report(measured(f"floor: plain SQLite FULL, {MANY} decisions per commit", floor.cpu, DECISION))
        report(measured("same, wall clock", floor.wall, DECISION))
        report(measured(f"durable, SQLite FULL, {MANY} games", many.cost.cpu, DECISION, floor.cpu, 120))
        report(measured("same, wall clock", many.cost.wall, DECISION, floor.wall))
        with database() as another:
            watched = timed_play(another, 2 * MANY, MANY, rounds, watched=True)
        report(measured(f"durable, SQLite FULL, {MANY} games, watched", watched.cost.cpu, DECISION, floor.cpu))
        appended = 1e6 / floor.wall * rows.events / rows.decisions
        report(measured(f"append rate, SQLite FULL, {MANY} games", many.events_a_second, "events/s", appended))
        size = floors.size(url) / many.decisions
        report(measured("log size", size, "bytes/decision", rows.bytes / rows.decisions, 2048))
        speed, selected, decoded = rebuilding(url, rounds)
        report(measured("floor: select rows", selected, "events/s"))
        report(measured("floor: select rows, decode bodies as JSON", decoded, "events/s"))
        report(measured("rebuild: read, decode, fold", speed, "events/s", decoded, 200_000))
    with database() as url:
        two = beside_each_other(url, 2, MANY, rounds)
        report(measured(f"two processes, {MANY} games each, wall clock", two, DECISION, floor.wall, 70))


def steady(rounds: int, report: Callable[[Row], None]) -> None:
    early, late = flatness(rounds)
    report(measured("event cost at position 100", early, "µs/event"))
    report(measured("event cost at position 10,000", late, "µs/event", early))
    first, again, size = replayed(rounds)
    report(measured("replay of 10,000 events, rendered and compressed", first, "ms", None, 700))
    report(measured("same, second request", again, "ms"))
    report(measured("size of that replay", size, "kB"))
    found = subprocess.run([sys.executable, __file__, MEMORY], check=True, capture_output=True, text=True).stdout
    before, first, *_, last = json.loads(found)
    report(measured("memory before any game", before, "MB"))
    report(measured(f"memory after {MANY} games, all at once", first, "MB", before))
    report(measured(f"memory after {4 * MANY} games, {MANY} at once", last, "MB", first))


def on_postgres(url: str, rounds: int, report: Callable[[Row], None]) -> None:
    alone = timed_play(url, 3, 1, rounds)
    floor = floors.Rows.of(url).into_postgres(url, at_once=1, rounds=rounds)
    report(measured("floor: plain psycopg, 1 decision per commit, wall clock", floor.wall, DECISION))
    report(measured("durable, PostgreSQL, 1 game, wall clock", alone.cost.wall, DECISION, floor.wall))
    many = timed_play(url, 2 * MANY, MANY, rounds)
    rows = floors.Rows.of(url, upto=MANY)
    floor = rows.into_postgres(url, at_once=MANY, rounds=rounds)
    report(measured(f"floor: plain psycopg, {MANY} decisions per commit", floor.cpu, DECISION))
    report(measured(f"durable, PostgreSQL, {MANY} games, this process", many.cost.cpu, DECISION, floor.cpu, 200))
    report(measured("same, wall clock, database server included", many.cost.wall, DECISION, floor.wall))
    appended = 1e6 / floor.wall * rows.events / rows.decisions
    report(measured(f"append rate, PostgreSQL, {MANY} games", many.events_a_second, "events/s", appended))
    speed, selected, decoded = rebuilding(url, rounds)
    report(measured("floor: select rows from PostgreSQL", selected, "events/s"))
    report(measured("rebuild from PostgreSQL", speed, "events/s", decoded))


def beside_peers(rounds: int, report: Callable[[Row], None]) -> None:
    for name, cost in measured_peers(rounds).items():
        report(measured(name, cost, DECISION))


def over_http(games: Sequence[int], seconds: float, rounds: int, report: Callable[[Row], None]) -> None:
    """Measure games of 7 remote seats, this many at a time, on a server in its own process."""
    for total in games:
        most = total == max(GAMES)
        here = played_here(total, rounds)
        found, recording = games_served(total, seconds)
        rate = found.saturated.rate
        floor = floor_served(total, seconds, rate, recording)
        played = f"{total} game{'' if total == 1 else 's'}"
        name = f"{played} over HTTP"
        report(measured(f"floor: {name}, plain ASGI app, saturated", floor.saturated.rate, "decisions/s"))
        report(measured(f"{name}, saturated", rate, "decisions/s", floor.saturated.rate))
        for share, stage in found.shares.items():
            for place, latency in zip(("p50", "p95", "p99"), stage.sent, strict=True):
                bound = 50 if most and share == HALF and place == "p95" else None
                report(measured(f"{name} at {share}: reply to last frame, {place}", latency, "ms", None, bound))
            report(measured("p95 from accepted reply to last frame", stage.accepted.p95, "ms"))
        half, bare = found.shares[HALF].server, floor.shares[HALF].server
        report(measured(f"floor: {played} in one process, random bots", here, DECISION))
        report(measured(f"{name}: server, saturated", found.saturated.server, DECISION, here))
        report(measured(f"same at {HALF}", half, DECISION, here, round(1.5 * here) if most else None))
        report(measured(f"floor: plain ASGI app at {HALF}", bare, DECISION))
        report(measured(f"{name}: server at {HALF}", half, DECISION, bare))
        report(measured("load generator, saturated", found.saturated.load, DECISION))
        report(measured(f"{name}: memory per stream", found.memory, "KB", floor.memory))


def of_page(rounds: int, report: Callable[[Row], None]) -> None:
    """Measure the page in a browser. The import is here because nothing else needs a browser."""
    from page import page_measured

    for what, value, unit, target in page_measured(rounds):
        report(measured(what, value, unit, None, target))


def of_texts(report: Callable[[Row], None]) -> None:
    """Measure texts that are slow to draw, in a browser."""
    from texts import texts_measured

    for what, value, unit, target in texts_measured():
        report(measured(what, value, unit, None, target))


@contextmanager
def server(url: str | None) -> Iterator[str]:
    """Yield the address of an empty log on the given server, or on one started for it."""
    if url is not None:
        yield url
        return
    from postgres import databases

    with databases() as made, made.log() as log:
        yield log


def show(row: Row) -> None:
    ratio = f"{row.ratio:>8.2f} ×" if row.ratio is not None else f"{'':>10}"
    target = f"{row.target:>10,.0f}" if row.target is not None else f"{'':>10}"
    kept = "" if row.kept is None else "met" if row.kept else "missed"
    print(f"{row.what:<56}{row.value:>12,.1f} {row.unit:<14}{ratio}{target} {kept}", flush=True)


def record(found: Mapping[str, Any], rows: Sequence[Row], begin: str) -> None:
    """Write a table into the docs, between its two marks."""
    cores = f"{found['cores']} virtual cores ({found['processor']})"
    versions = f"Python {found['python']}, SQLite {found['sqlite']}"
    if "postgresql" in found:
        versions += f", PostgreSQL {found['postgresql']} on the same machine"
    lines = [f"{found['at']}, {cores}, {versions}, load {found['load']:.1f} at the start.", ""]
    lines += ["| what | value | unit | ratio to floor | target | status |", "|---|---:|---|---:|---:|---|"]
    for row in rows:
        value = f"{row.value:,.0f}" if row.value >= 1000 else f"{row.value:.3g}"
        ratio = "" if row.ratio is None else f"{row.ratio:.2f} ×"
        target = "" if row.target is None else f"{row.target:,.0f}"
        kept = "" if row.kept is None else "met" if row.kept else "missed"
        lines.append(f"| {row.what} | {value} | {row.unit} | {ratio} | {target} | {kept} |")
    text = DOCS.read_text(encoding="utf-8")
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(END)
    DOCS.write_text("\n".join([f"{before}{begin}", *lines, f"{END}{after}"]), encoding="utf-8")


def processor() -> str:
    """Return the name of the processor, if the system has it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def facts() -> Mapping[str, Any]:
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": sys.version.split()[0],
        "sqlite": sqlite3.sqlite_version,
        "processor": processor(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", metavar="FILE", help="also write the rows to FILE")
    parser.add_argument("--rounds", metavar="N", type=int, default=3, help="rounds of each measurement (default 3)")
    parser.add_argument("--postgres", metavar="URL", help="an empty PostgreSQL database (default: start one)")
    parser.add_argument("--no-postgres", action="store_true", help="leave PostgreSQL out")
    parser.add_argument("--peers", action="store_true", help="also measure TextArena and LangGraph; installs them once")
    parser.add_argument("--serving", action="store_true", help="measure only games over HTTP")
    parser.add_argument("--page", action="store_true", help="measure only the page, in a browser")
    parser.add_argument("--texts", action="store_true", help="measure only texts that are slow to draw, in a browser")
    parser.add_argument(
        "--games", metavar="N,N", default=",".join(map(str, GAMES)), help="numbers of simultaneous games over HTTP"
    )
    parser.add_argument("--seconds", metavar="S", type=float, default=SECONDS, help="seconds for each rate")
    parser.add_argument("--record", action="store_true", help="write the tables into docs/benchmarks.md")
    parser.add_argument(MEMORY, action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory_only:
        memory_of_many_games()
        return
    rows: list[Row] = []

    def report(row: Row) -> None:
        rows.append(row)
        show(row)

    found = dict(facts())
    print(f"{'':<56}{'value':>12} {'unit':<14}{'ratio':>10}{'target':>10}")
    calm_collector()

    def part(begin: str, measure: Callable[[], None]) -> None:
        before = len(rows)
        measure()
        if options.record:
            record(found, rows[before:], begin)

    alone = options.serving or options.page or options.texts
    if not alone:
        part(BEGIN, lambda: everything(options, found, report))
    if options.serving or not alone:
        games = [int(number) for number in options.games.split(",")]
        part(BEGIN_HTTP, lambda: over_http(games, options.seconds, options.rounds, report))
    if options.page or not alone:
        part(BEGIN_PAGE, lambda: of_page(options.rounds, report))
    if options.texts or not alone:
        part(BEGIN_TEXTS, lambda: of_texts(report))
    if options.json:
        Path(options.json).write_text(json.dumps({**found, "rows": [asdict(row) for row in rows]}, indent=1) + "\n")


def everything(options: argparse.Namespace, found: dict[str, Any], report: Callable[[Row], None]) -> None:
    """Measure everything except games over HTTP."""
    in_memory(options.rounds, report)
    durable(options.rounds, report)
    steady(options.rounds, report)
    sessions(report)
    if not options.no_postgres:
        with server(options.postgres) as url:
            found["postgresql"] = floors.postgres_version(url)
            on_postgres(url, options.rounds, report)
    if options.peers:
        beside_peers(options.rounds, report)


if __name__ == "__main__":
    main()
