"""Measure the throughput of several processes on one PostgreSQL with slow commits, like those of cloud databases.

    python benchmarks/commit_latency.py [--workers 1,2,4] [--latency 0,2,10] [--rounds N] [--postgres URL]

Each process plays 64 games of the workload at once, with one commit per decision, like games on a server. The latency
is `commit_delay` with `commit_siblings=0`: the database sleeps that long before it flushes a commit. To measure another
checkout with this script, put it first on PYTHONPATH.
"""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import fmean

import psycopg

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "kit"))

from workload import MANY, beside_each_other  # noqa: E402

SAMPLE = 0.05
"""Seconds between samples of waiting sessions."""

_WAITING = """
    SELECT count(*) FILTER (WHERE wait_event = 'advisory'), count(*) FILTER (WHERE wait_event = 'object')
    FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
"""


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
    """Delay every durable commit of new connections by this time."""
    with psycopg.connect(url, autocommit=True) as connection:
        name = connection.info.dbname
        connection.execute(f"ALTER DATABASE {name} SET commit_siblings = 0")
        connection.execute(f"ALTER DATABASE {name} SET commit_delay = {round(1000 * milliseconds)}")


class Waiting(threading.Thread):
    """Samples how many sessions wait for the append lock, and how many for the notification lock."""

    def __init__(self, url: str) -> None:
        super().__init__(daemon=True)
        self._url = url
        self._over = threading.Event()
        self.seen: list[tuple[int, int]] = []

    def run(self) -> None:
        with psycopg.connect(self._url, autocommit=True) as connection:
            while not self._over.wait(SAMPLE):
                row = connection.execute(_WAITING).fetchone()
                assert row is not None
                self.seen.append((row[0], row[1]))

    def mean(self) -> tuple[float, float]:
        """Return the mean of each."""
        self._over.set()
        self.join()
        return fmean(row[0] for row in self.seen), fmean(row[1] for row in self.seen)


def main() -> None:
    """Measure every latency with every number of processes and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", default="1,2,4", help="how many processes (default 1,2,4)")
    parser.add_argument("--latency", default="0,2,10", help="milliseconds a commit takes (default 0,2,10)")
    parser.add_argument("--games", type=int, default=MANY, help="games that each process plays in a round")
    parser.add_argument("--rounds", type=int, default=2, help="of which the best counts")
    parser.add_argument("--postgres", metavar="URL", help="an empty database; a server is started if not given")
    given = parser.parse_args()
    print(f"{'commit':>8} {'workers':>8} {'decisions/s':>12} {'wait: appends':>14} {'notifications':>14}")
    for milliseconds in map(float, given.latency.split(",")):
        for workers in map(int, given.workers.split(",")):
            with database(given.postgres) as url:
                delay(url, milliseconds)
                waiting = Waiting(url)
                waiting.start()
                micros = beside_each_other(url, workers, given.games, given.rounds, watched=True)
                appends, notifications = waiting.mean()
            told = f"{1e6 / micros:>12,.0f} {appends:>14.2f} {notifications:>14.2f}"
            print(f"{milliseconds:>5g} ms {workers:>8} {told}", flush=True)


if __name__ == "__main__":
    main()
