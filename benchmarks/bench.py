"""How fast, how large, how flat: measured in one run beside raw floors, so that the ratios mean something anywhere.

    python benchmarks/bench.py [--json FILE] [--postgres URL]

The workload is mafia8: eight players (two Mafia, a Doctor, a Detective, four Villagers) and the narrator, all
`random`, at most three speeches per player and day, no pauses. A decision is one accepted reply. Everything is
included: receipts, leases, hashes, audiences, and the acting seat's view current at each decision.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "kit"))

from agents.random_agent import RandomAgent  # noqa: E402
from domain.draws import derived_seed  # noqa: E402
from domain.events import ReplyAccepted  # noqa: E402
from domain.ruleset import fold  # noqa: E402
from domain.rulesets import RULESETS  # noqa: E402
from eventlog import open_log, upgrade  # noqa: E402
from server.collector import calm_collector  # noqa: E402
from server.games import Games  # noqa: E402
from server.runner import Runner  # noqa: E402

MAFIA = RULESETS["mafia"]
SEATS = ("Ada", "Bram", "Cleo", "Dirk", "Edda", "Finn", "Greta", "Hugo", "narrator")
RULES: dict[str, Any] = {"role_counts": {"Mafia": 2, "Doctor": 1, "Detective": 1, "Villager": 4}}
SEED = 2026


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement. `ratio` is value over floor, `target` the bound to keep, both None where there is none."""

    what: str
    value: float
    unit: str
    floor: float | None = None
    ratio: float | None = None
    target: float | None = None

    @property
    def kept(self) -> str:
        if self.target is None:
            return ""
        better = self.value >= self.target if self.unit.endswith("/s") else self.value <= self.target
        return "kept" if better else "missed"


def measured(what: str, value: float, unit: str, floor: float | None = None, target: float | None = None) -> Row:
    return Row(what, round(value, 3), unit, floor and round(floor, 3), floor and round(value / floor, 2), target)


@contextmanager
def database(postgres: str | None = None) -> Iterator[str]:
    """The URL of an empty log that is gone afterwards."""
    if postgres:
        yield postgres
        return
    with tempfile.TemporaryDirectory(prefix="sottovoce-bench-") as folder:
        yield f"sqlite:///{folder}/games.db"


async def play(games: Games, count: int, first: int = 0, agent: Any = None) -> tuple[int, int]:
    """Play that many games at once; decisions and events."""
    filler = agent or RandomAgent()

    async def one(number: int) -> tuple[int, int]:
        agents = dict.fromkeys(SEATS, "random")
        live = await games.open("mafia", SEATS, agents, derived_seed(SEED, first + number), RULES)
        await Runner(games, live, dict.fromkeys(SEATS, filler)).run()
        games.forget(live)
        return sum(isinstance(item.event, ReplyAccepted) for item in live.recorded), live.length

    played = await asyncio.gather(*(one(number) for number in range(count)))
    return sum(decisions for decisions, _ in played), sum(events for _, events in played)


def timed_play(url: str, count: int, rounds: int, first: int = 0) -> tuple[float, float, int, int]:
    """Best microseconds of wall and CPU time per decision over some rounds, and the decisions and events of all."""
    walls, cpus, all_decisions, all_events = [], [], 0, 0
    log = open_log(url)
    games = Games(log)
    try:
        for number in range(rounds):
            gc.collect()
            wall, cpu = time.perf_counter(), time.process_time()
            decisions, events = asyncio.run(play(games, count, first + number * count))
            walls.append((time.perf_counter() - wall) / decisions * 1e6)
            cpus.append((time.process_time() - cpu) / decisions * 1e6)
            all_decisions += decisions
            all_events += events
    finally:
        games.close()
        log.close()
    return min(walls), min(cpus), all_decisions, all_events


def floor_pure(rounds: int = 5) -> float:
    """Microseconds per decision of the rules alone: decide and fold, nothing stored, no views, no agents' calls."""
    from table import Table

    best = float("inf")
    for number in range(rounds):
        table = Table(list(SEATS[:-1]), derived_seed(SEED, number), RULES, RandomAgent())
        started = time.perf_counter()
        table.play()
        spent = time.perf_counter() - started
        best = min(best, spent / sum(isinstance(item.event, ReplyAccepted) for item in table.recorded) * 1e6)
    return best


def floor_sqlite(batch: int, rows: int) -> float:
    """Microseconds per row of bare SQLite in WAL mode with synchronous=FULL, that many rows a transaction."""
    with tempfile.TemporaryDirectory(prefix="sottovoce-bench-") as folder:
        connection = sqlite3.connect(f"{folder}/floor.db", isolation_level=None)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, game TEXT, position INT, body BLOB)")
        body = b"x" * 400
        started = time.perf_counter()
        for start in range(0, rows, batch):
            connection.execute("BEGIN IMMEDIATE")
            values = [("game", start + i, body) for i in range(batch)]
            connection.executemany("INSERT INTO t (game, position, body) VALUES (?, ?, ?)", values)
            connection.execute("COMMIT")
        spent = time.perf_counter() - started
        connection.close()
    return spent / rows * 1e6


def floor_postgres(url: str, batch: int, rows: int) -> float:
    """The same with psycopg on a table of its own."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS bench_floor")
        connection.execute("CREATE TABLE bench_floor (id bigserial PRIMARY KEY, game text, position int, body bytea)")
        body = b"x" * 400
        started = time.perf_counter()
        with connection.cursor() as cursor:
            for start in range(0, rows, batch):
                with connection.transaction():
                    values = [("game", start + i, body) for i in range(batch)]
                    cursor.executemany("INSERT INTO bench_floor (game, position, body) VALUES (%s, %s, %s)", values)
        spent = time.perf_counter() - started
        connection.execute("DROP TABLE bench_floor")
    return spent / rows * 1e6


def rebuild(url: str) -> tuple[float, float]:
    """Events a second read, decoded and folded from the log, and the floor: the same rows merely selected."""
    log = open_log(url)
    try:
        games = log.games()
        best, count = float("inf"), 0
        for _ in range(3):
            started = time.perf_counter()
            count = 0
            for game in games:
                recorded = log.read(game)
                fold(MAFIA, [item.event for item in recorded])
                count += len(recorded)
            best = min(best, time.perf_counter() - started)
        started = time.perf_counter()
        for game in games:
            for _row in log.rows(game):
                pass
        selected = time.perf_counter() - started
    finally:
        log.close()
    return count / best, count / selected


def flatness() -> tuple[float, float]:
    """Microseconds per event near position 100 and near 10,000 of one long game in memory."""
    log = open_log("memory:")
    games = Games(log)
    rules = {**RULES, "max_speeches": 6000}
    times: list[tuple[int, float]] = []

    class Talkative(RandomAgent):
        async def act(self, view: Any, turn: Any, random: Any, record: Any) -> str:
            if turn.kind == "moderate" and len(view.state.speeches) < 5900:
                return str(random.choice(view.state.living))
            return await super().act(view, turn, random, record)

    async def observe(live: Any, fresh: Any) -> None:
        times.append((live.length, time.perf_counter()))
        if live.length > 11_000:
            raise StopIteration

    async def long_game() -> None:
        agents = dict.fromkeys(SEATS, "random")
        live = await games.open("mafia", SEATS, agents, SEED, rules)
        runner = Runner(games, live, dict.fromkeys(SEATS, Talkative()), observe=observe)
        try:
            await runner.run()
        except (StopIteration, RuntimeError):
            return

    asyncio.run(long_game())
    games.close()

    def near(position: int, width: int) -> float:
        part = [(length, at) for length, at in times if position <= length < position + width]
        return (part[-1][1] - part[0][1]) / (part[-1][0] - part[0][0]) * 1e6

    return near(100, 400), near(10_000, 400)


def size_on_disk(url: str) -> int:
    path = Path(url.removeprefix("sqlite:///"))
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return path.stat().st_size


def run(postgres: str | None, report: Callable[[Row], None]) -> None:
    calm_collector()
    pure = floor_pure()
    report(measured("rules alone, seats' views included", pure, "µs a decision"))
    wall, cpu, _, _ = timed_play("memory:", 1, 6)
    report(measured("in memory, 1 game", wall, "µs a decision", pure, 75))
    report(measured("in memory, 1 game, CPU", cpu, "µs a decision", pure))
    wall, cpu, _, _ = timed_play("memory:", 64, 2)
    report(measured("in memory, 64 games", wall, "µs a decision", pure, 75))
    one, fifty = floor_sqlite(1, 2000), floor_sqlite(50, 20_000)
    report(measured("floor: bare SQLite FULL, one row a commit", one, "µs a row"))
    report(measured("floor: bare SQLite FULL, 50 rows a commit", fifty, "µs a row"))
    with database() as url:
        wall, cpu, _, _ = timed_play(url, 1, 4)
        report(measured("durable, SQLite FULL, 1 game", wall, "µs a decision", one))
    with database() as url:
        wall, cpu, decisions, events = timed_play(url, 64, 3)
        report(measured("durable, SQLite FULL, 64 games", wall, "µs a decision", fifty, 150))
        report(measured("durable, SQLite FULL, 64 games, CPU", cpu, "µs a decision", fifty))
        report(measured("appended, SQLite FULL, 64 games", 1e6 / wall * events / decisions, "events/s"))
        report(measured("stored", size_on_disk(url) / decisions, "bytes a decision", target=2048))
        speed, selected = rebuild(url)
        report(measured("rebuilt: read, decoded, folded", speed, "events/s", selected, 200_000))
    at_100, at_10000 = flatness()
    report(measured("cost of an event at position 100", at_100, "µs an event"))
    report(measured("cost of an event at position 10,000", at_10000, "µs an event", at_100))
    with database() as url:
        timed_play(url, 64, 1, first=9000)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        timed_play(url, 64, 3, first=10_000)
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        report(measured("memory, 64 games, at most", after / 1024, "MB", before / 1024))
    if postgres:
        upgrade(postgres)
        alone, batch = floor_postgres(postgres, 1, 1000), floor_postgres(postgres, 50, 10_000)
        report(measured("floor: psycopg, one row a commit", alone, "µs a row"))
        report(measured("floor: psycopg, 50 rows a commit", batch, "µs a row"))
        wall, cpu, _, _ = timed_play(postgres, 1, 3, first=20_000)
        report(measured("durable, PostgreSQL, 1 game", wall, "µs a decision", alone))
        wall, cpu, _, _ = timed_play(postgres, 64, 3, first=30_000)
        report(measured("durable, PostgreSQL, 64 games", wall, "µs a decision", batch))
        speed, selected = rebuild(postgres)
        report(measured("rebuilt from PostgreSQL", speed, "events/s", selected))


def show(row: Row) -> None:
    ratio = f"{row.ratio:>8.2f} ×" if row.ratio is not None else f"{'':>10}"
    target = f"{row.target:>10,.0f}" if row.target is not None else f"{'':>10}"
    print(f"{row.what:<44}{row.value:>12,.1f} {row.unit:<14}{ratio}{target} {row.kept}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", metavar="FILE", help="write the rows here too")
    parser.add_argument("--postgres", metavar="URL", help="an empty PostgreSQL database; one is started if not given")
    parser.add_argument("--no-postgres", action="store_true", help="leave PostgreSQL out")
    options = parser.parse_args()
    rows: list[Row] = []

    def report(row: Row) -> None:
        rows.append(row)
        show(row)

    print(f"{'':<44}{'value':>12} {'unit':<14}{'to floor':>10}{'target':>10}")
    if options.no_postgres or options.postgres:
        run(options.postgres, report)
    else:
        from postgres import running_server

        with running_server() as server:
            run(server.new_database(), report)
    if options.json:
        facts = {"python": sys.version.split()[0], "sqlite": sqlite3.sqlite_version, "cores": os.cpu_count()}
        Path(options.json).write_text(json.dumps({**facts, "rows": [asdict(row) for row in rows]}, indent=1) + "\n")


if __name__ == "__main__":
    main()
