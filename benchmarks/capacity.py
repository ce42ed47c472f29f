"""Measure how many people a server on PostgreSQL can handle, by people, servers and commit latency of the database.

    python benchmarks/capacity.py [--people 70,700] [--servers 1,2] [--latency 0,2,10] [--pace 20] [--postgres URL]

People play in games of seven, each with a stream, spread evenly over `serve` processes on one log. First everyone
answers at once, which gives the maximum of replies per second. Then each answers every `--pace` seconds. The latency is
`commit_delay` with `commit_siblings=0`: the database sleeps that long before it flushes a commit. The load generator,
the servers and the database share this machine.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any, NamedTuple

import psycopg

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "kit")]

from load import SEATS  # noqa: E402
from serving import SETTINGS, Latency, loaded, served  # noqa: E402

from sottovoce.eventlog import open_log  # noqa: E402

PACE = "pace"
SAMPLE = 0.5
"""Seconds between samples of the number of database connections."""
_COUNT = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'sottovoce' AND datname = current_database()"


class Found(NamedTuple):
    """Results for one number of servers: maximum replies per second, processor time of all servers together,
    connections."""

    most: float
    answer: Latency
    processors: float
    connections: int


@contextmanager
def database(given: str | None) -> Iterator[str]:
    """Yield the address of an empty log on the given database server, or on one started for it."""
    if given is not None:
        yield given
        return
    from postgres import databases

    with databases() as made, made.log() as url:
        yield url


def delay(url: str, milliseconds: float) -> None:
    """Delay every commit of new connections by this time."""
    with psycopg.connect(url, autocommit=True) as connection:
        name = connection.info.dbname
        connection.execute(f"ALTER DATABASE {name} SET commit_siblings = 0")
        connection.execute(f"ALTER DATABASE {name} SET commit_delay = {round(1000 * milliseconds)}")


class Connections(Thread):
    """Samples how many connections the servers have to the database. `most` is the maximum."""

    def __init__(self, url: str) -> None:
        super().__init__(daemon=True)
        self._url = url
        self._over = Event()
        self.most = 0

    def run(self) -> None:
        with psycopg.connect(self._url, autocommit=True) as connection:
            while not self._over.wait(SAMPLE):
                row = connection.execute(_COUNT).fetchone()
                self.most = max(self.most, row[0] if row else 0)

    def end(self) -> int:
        """Stop sampling and return the maximum."""
        self._over.set()
        self.join()
        return self.most


def measured(url: str, people: int, servers: int, pace: float, seconds: float) -> Found:
    """Let this many people play on this many servers."""
    games = max(1, people // len(SEATS) // servers)
    rate = games * len(SEATS) / pace
    with tempfile.TemporaryDirectory(prefix="sottovoce-bench-") as folder, ExitStack() as stack:
        settings = Path(folder, "serve.toml")
        settings.write_text(SETTINGS)
        command = ["-m", "sottovoce", "--db", url, "serve", "--port", "0", "--config", str(settings), "--quiet"]
        started = [
            stack.enter_context(served(command, Path(folder, f"serve-{number}.err"))) for number in range(servers)
        ]
        connections = Connections(url)
        connections.start()
        with ThreadPoolExecutor(servers) as pool:
            shares = {PACE: 1.0}
            done = [pool.submit(loaded, *server, games, seconds, rate, shares) for server in started]
            results = [one.result() for one in done]
        return _found(results, connections.end())


def _found(results: Sequence[Any], connections: int) -> Found:
    most = processors = 0.0
    answers = []
    for result in results:
        saturated, paced = result["stages"]["saturated"], result["stages"][PACE]
        most += saturated["decisions"] / (saturated["ended"] - saturated["began"])
        processors += paced["server"] / (paced["ended"] - paced["began"])
        for game in result["games"]:
            sent = {(seat, turn): when for seat, turn, when in game["sent"]}
            answers += [
                when - sent[seat, turn]
                for seat, turn, when in game["accepted"]
                if paced["began"] <= when < paced["ended"]
            ]
    return Found(most, Latency.of(answers or [0.0]), processors, connections)


def main() -> None:
    """Measure every combination and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--people", default="70,700")
    parser.add_argument("--servers", default="1,2")
    parser.add_argument("--latency", default="0,2,10", help="milliseconds")
    parser.add_argument("--pace", type=float, default=20.0, help="seconds between two answers of one person")
    parser.add_argument("--seconds", type=float, default=8.0, help="how long each rate is measured")
    parser.add_argument("--postgres", metavar="URL", help="a log on PostgreSQL that may be written to")
    given = parser.parse_args()
    people, servers = ([int(part) for part in text.split(",")] for text in (given.people, given.servers))
    print("| people | servers | connections | commit | replies/s at most | p50 | p95 | processors |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|")
    with database(given.postgres) as url:
        open_log(url).close()
        for milliseconds in map(float, given.latency.split(",")):
            delay(url, milliseconds)
            for many in people:
                for count in servers:
                    found = measured(url, many, count, given.pace, given.seconds)
                    print(
                        f"| {many} | {count} | {found.connections} | {milliseconds:g} ms | {found.most:.0f} "
                        f"| {found.answer.p50:.0f} ms | {found.answer.p95:.0f} ms | {found.processors:.2f} |",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
