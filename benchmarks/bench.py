"""How fast, how large, how flat: measured in one run beside raw floors, so that the ratios mean something anywhere.

    python benchmarks/bench.py [--json FILE] [--rounds N] [--postgres URL | --no-postgres] [--peers] [--record]
    python benchmarks/bench.py --serving [--games N,N] [--seconds S] [--rounds N]
    python benchmarks/bench.py --page [--rounds N]

The workload is in `workload.py`. Times are processor time where nothing else is said, and each figure is the best of
its rounds, since whatever else the machine does only adds to it.
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
DECISION = "µs a decision"


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement. `ratio` is value to floor, `target` the bound to keep, each None where there is none."""

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
    """Events a second read, decoded and folded; the same rows merely selected; and selected with their JSON decoded."""
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
    """A session of 500 beats: whether its events stay as cheap, its prompts as short, and how fast it is taken up."""
    times, live, _ = asyncio.run(long_session(BEATS))

    def cost(first: int, last: int) -> float:
        (start, began), (end, ended) = times[first], times[last]
        return (ended - began) / (end - start) * 1e6

    early = cost(10, 110)
    report(measured("cost of an event of a session, beats 10 to 110", early, "µs an event"))
    report(measured(f"the same, beats {BEATS - 100} to {BEATS}", cost(BEATS - 100, BEATS - 1), "µs an event", early))
    folded, viewed, length = taken_up(live, PARTY[0])
    report(measured(f"prompt after {BEATS} beats", length, "tokens", BUDGET, BUDGET))
    report(measured(f"a session of {BEATS} beats taken up", folded, "events/s"))
    report(measured("one seat's view of it", viewed, "events/s"))


def resident() -> float:
    """Megabytes of memory that this process has now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def memory_of_many_games() -> None:
    """Print how much memory this process takes after each of some rounds of durable games, 64 at once."""
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
    """The URL of an empty log in a file that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="sottovoce-bench-") as folder:
        yield f"sqlite:///{folder}/games.db"


def in_memory(rounds: int, report: Callable[[Row], None]) -> None:
    floor = rules_alone(5 * rounds).cpu
    report(measured("floor: the rules alone", floor, DECISION))
    one = timed_play("memory:", 5, 1, 5 * rounds)
    report(measured("in memory, 1 game", one.cost.cpu, DECISION, floor, 65))
    many = timed_play("memory:", MANY, MANY, rounds)
    report(measured(f"in memory, {MANY} games", many.cost.cpu, DECISION, floor, 65))


def durable(rounds: int, report: Callable[[Row], None]) -> None:
    with database() as url:
        alone = timed_play(url, 3, 1, rounds)
        floor = floors.Rows.of(url).into_sqlite(at_once=1, rounds=rounds)
        report(measured("floor: bare SQLite FULL, 1 decision a commit", floor.cpu, DECISION))
        report(measured("the same by the clock", floor.wall, DECISION))
        report(measured("durable, SQLite FULL, 1 game", alone.cost.cpu, DECISION, floor.cpu))
        report(measured("the same by the clock", alone.cost.wall, DECISION, floor.wall, round(2 * floor.wall)))
    with database() as url:
        watched = timed_play(url, 3, 1, rounds, watched=True)
        report(measured("durable, SQLite FULL, 1 game, watched", watched.cost.cpu, DECISION, floor.cpu))
        report(measured("the same by the clock", watched.cost.wall, DECISION, floor.wall))
    with database() as url:
        many = timed_play(url, 2 * MANY, MANY, rounds)
        rows = floors.Rows.of(url, upto=MANY)
        floor = rows.into_sqlite(at_once=MANY, rounds=rounds)
        report(measured(f"floor: bare SQLite FULL, {MANY} decisions a commit", floor.cpu, DECISION))
        report(measured("the same by the clock", floor.wall, DECISION))
        report(measured(f"durable, SQLite FULL, {MANY} games", many.cost.cpu, DECISION, floor.cpu, 120))
        report(measured("the same by the clock", many.cost.wall, DECISION, floor.wall))
        with database() as another:
            watched = timed_play(another, 2 * MANY, MANY, rounds, watched=True)
        report(measured(f"durable, SQLite FULL, {MANY} games, watched", watched.cost.cpu, DECISION, floor.cpu))
        appended = 1e6 / floor.wall * rows.events / rows.decisions
        report(measured(f"appended, SQLite FULL, {MANY} games", many.events_a_second, "events/s", appended))
        size = floors.size(url) / many.decisions
        report(measured("stored", size, "bytes a decision", rows.bytes / rows.decisions, 2048))
        speed, selected, decoded = rebuilding(url, rounds)
        report(measured("floor: rows selected", selected, "events/s"))
        report(measured("floor: rows selected, bodies decoded as JSON", decoded, "events/s"))
        report(measured("rebuilt: read, decoded, folded", speed, "events/s", decoded, 200_000))
    with database() as url:
        two = beside_each_other(url, 2, MANY, rounds)
        report(measured(f"two processes, {MANY} games each, by the clock", two, DECISION, floor.wall, 70))


def steady(rounds: int, report: Callable[[Row], None]) -> None:
    early, late = flatness(rounds)
    report(measured("cost of an event at position 100", early, "µs an event"))
    report(measured("cost of an event at position 10,000", late, "µs an event", early))
    first, again, size = replayed(rounds)
    report(measured("replay of 10,000 events, told and packed", first, "ms", None, 700))
    report(measured("the same again", again, "ms"))
    report(measured("its size", size, "kB"))
    found = subprocess.run([sys.executable, __file__, MEMORY], check=True, capture_output=True, text=True).stdout
    before, first, *_, last = json.loads(found)
    report(measured("memory before any game", before, "MB"))
    report(measured(f"memory after {MANY} games, all at once", first, "MB", before))
    report(measured(f"memory after {4 * MANY} games, {MANY} at once", last, "MB", first))


def on_postgres(url: str, rounds: int, report: Callable[[Row], None]) -> None:
    alone = timed_play(url, 3, 1, rounds)
    floor = floors.Rows.of(url).into_postgres(url, at_once=1, rounds=rounds)
    report(measured("floor: bare psycopg, 1 decision a commit, by the clock", floor.wall, DECISION))
    report(measured("durable, PostgreSQL, 1 game, by the clock", alone.cost.wall, DECISION, floor.wall))
    many = timed_play(url, 2 * MANY, MANY, rounds)
    rows = floors.Rows.of(url, upto=MANY)
    floor = rows.into_postgres(url, at_once=MANY, rounds=rounds)
    report(measured(f"floor: bare psycopg, {MANY} decisions a commit", floor.cpu, DECISION))
    report(measured(f"durable, PostgreSQL, {MANY} games, this process", many.cost.cpu, DECISION, floor.cpu, 200))
    report(measured("the same by the clock, the server included", many.cost.wall, DECISION, floor.wall))
    appended = 1e6 / floor.wall * rows.events / rows.decisions
    report(measured(f"appended, PostgreSQL, {MANY} games", many.events_a_second, "events/s", appended))
    speed, selected, decoded = rebuilding(url, rounds)
    report(measured("floor: rows selected from PostgreSQL", selected, "events/s"))
    report(measured("rebuilt from PostgreSQL", speed, "events/s", decoded))


def beside_peers(rounds: int, report: Callable[[Row], None]) -> None:
    for name, cost in measured_peers(rounds).items():
        report(measured(name, cost, DECISION))


def over_http(games: Sequence[int], seconds: float, rounds: int, report: Callable[[Row], None]) -> None:
    """So many games of 7 seats at a time, all of them far away, on a server of its own process."""
    for total in games:
        most = total == max(GAMES)
        here = played_here(total, rounds)
        found, recording = games_served(total, seconds)
        rate = found.saturated.rate
        floor = floor_served(total, seconds, rate, recording)
        name = f"{total} game{'' if total == 1 else 's'} over HTTP"
        report(measured(f"floor: {name}, a bare ASGI app, saturated", floor.saturated.rate, "decisions/s"))
        report(measured(f"{name}, saturated", rate, "decisions/s", floor.saturated.rate))
        for share, stage in found.shares.items():
            for place, latency in zip(("p50", "p95", "p99"), stage.sent, strict=True):
                bound = 50 if most and share == HALF and place == "p95" else None
                report(measured(f"{name}, at {share}: reply to last frame, {place}", latency, "ms", None, bound))
            report(measured("p95 from the answer that it is accepted", stage.accepted.p95, "ms"))
        half, bare = found.shares[HALF].server, floor.shares[HALF].server
        report(measured(f"floor: {total} in process, by random", here, DECISION))
        report(measured(f"{name}: the server, saturated", found.saturated.server, DECISION, here))
        report(measured("the same at half", half, DECISION, here, round(1.5 * here) if most else None))
        report(measured("floor: the bare ASGI app at half", bare, DECISION))
        report(measured(f"{name}: the server at half", half, DECISION, bare))
        report(measured("the load beside it, saturated", found.saturated.load, DECISION))
        report(measured(f"{name}: memory a stream", found.memory, "KB", floor.memory))


def of_page(rounds: int, report: Callable[[Row], None]) -> None:
    """The page in a browser; imported here, since nothing else needs a browser."""
    from page import page_measured

    for what, value, unit, target in page_measured(rounds):
        report(measured(what, value, unit, None, target))


def of_texts(report: Callable[[Row], None]) -> None:
    """Texts that are heavy to draw, in a browser."""
    from texts import texts_measured

    for what, value, unit, target in texts_measured():
        report(measured(what, value, unit, None, target))


@contextmanager
def server(url: str | None) -> Iterator[str]:
    """The address of an empty log on the server given, or on one started for it."""
    if url is not None:
        yield url
        return
    from postgres import databases

    with databases() as made, made.log() as log:
        yield log


def show(row: Row) -> None:
    ratio = f"{row.ratio:>8.2f} ×" if row.ratio is not None else f"{'':>10}"
    target = f"{row.target:>10,.0f}" if row.target is not None else f"{'':>10}"
    kept = "" if row.kept is None else "kept" if row.kept else "missed"
    print(f"{row.what:<56}{row.value:>12,.1f} {row.unit:<14}{ratio}{target} {kept}", flush=True)


def record(found: Mapping[str, Any], rows: Sequence[Row], begin: str) -> None:
    """Put a table into the docs, between its two marks."""
    cores = f"{found['cores']} virtual cores ({found['processor']})"
    versions = f"Python {found['python']}, SQLite {found['sqlite']}"
    if "postgresql" in found:
        versions += f", PostgreSQL {found['postgresql']} on the same machine"
    lines = [f"{found['at']}, {cores}, {versions}, load {found['load']:.1f} at the start.", ""]
    lines += ["| what | value | unit | to its floor | target | |", "|---|---:|---|---:|---:|---|"]
    for row in rows:
        value = f"{row.value:,.0f}" if row.value >= 1000 else f"{row.value:.3g}"
        ratio = "" if row.ratio is None else f"{row.ratio:.2f} ×"
        target = "" if row.target is None else f"{row.target:,.0f}"
        kept = "" if row.kept is None else "kept" if row.kept else "missed"
        lines.append(f"| {row.what} | {value} | {row.unit} | {ratio} | {target} | {kept} |")
    text = DOCS.read_text(encoding="utf-8")
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(END)
    DOCS.write_text("\n".join([f"{before}{begin}", *lines, f"{END}{after}"]), encoding="utf-8")


def processor() -> str:
    """What the machine's processor is called, where the system tells."""
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
    parser.add_argument("--json", metavar="FILE", help="write the rows here too")
    parser.add_argument("--rounds", metavar="N", type=int, default=3, help="how often each is measured (default 3)")
    parser.add_argument("--postgres", metavar="URL", help="an empty PostgreSQL database; one is started if not given")
    parser.add_argument("--no-postgres", action="store_true", help="leave PostgreSQL out")
    parser.add_argument("--peers", action="store_true", help="measure TextArena and LangGraph too; installs them once")
    parser.add_argument("--serving", action="store_true", help="measure games over HTTP only")
    parser.add_argument("--page", action="store_true", help="measure the page in a browser only")
    parser.add_argument("--texts", action="store_true", help="measure texts that are heavy to draw only, in a browser")
    parser.add_argument("--games", metavar="N,N", default=",".join(map(str, GAMES)), help="games over HTTP at once")
    parser.add_argument("--seconds", metavar="S", type=float, default=SECONDS, help="how long each rate is measured")
    parser.add_argument("--record", action="store_true", help="put the tables into docs/benchmarks.md")
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
    print(f"{'':<56}{'value':>12} {'unit':<14}{'to floor':>10}{'target':>10}")
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
    """All but the games over HTTP."""
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
