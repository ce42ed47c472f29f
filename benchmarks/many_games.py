"""Compare what `games`, `show` and a worker's check cost with many finished games in the log and with few.

    python benchmarks/many_games.py [--games 100000] [--few 100]

One game is played and then copied into the log `--games` times, under other IDs and by direct insertion, because
playing them would take an hour. Figures are processor time, the best of several runs of each command.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 9
CHUNK = 1000
GAME = ("--agents", "random", "--seed", "7", "--quiet", "--players", "5", "--rule", "max_days=1")
COMMANDS = (("games",), ("games", "--over", "--winner", "town"), ("show", "latest"), ("show", "{game}"))


def fill(path: Path, copies: int) -> str:
    """Copy the log's one game this many times, and return the ID of one copy.

    Leaf hashes and heads are copied unchanged, so `audit verify` would rightly fail. This script does not read them.
    """
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        for (trigger,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            file.execute(f"DROP TRIGGER {trigger}")
        file.execute("PRAGMA synchronous = OFF")
        (original,) = file.execute("SELECT game FROM heads").fetchone()
        copied = {table: ", ".join(columns_of(file, table)) for table in ("events", "heads")}
        for first in range(0, copies, CHUNK):
            names = [(f"copy{number:06}",) for number in range(first, min(first + CHUNK, copies))]
            file.execute("BEGIN")
            for table, listed in copied.items():
                statement = f"INSERT INTO {table} (game, {listed}) SELECT ?, {listed} FROM {table} WHERE game = ?"
                file.executemany(statement, [(name, original) for (name,) in names])
            file.execute("COMMIT")
    return f"copy{copies // 2:06}"


def columns_of(file: sqlite3.Connection, table: str) -> list[str]:
    found = [row[1] for row in file.execute(f"PRAGMA table_info({table})")]
    return [column for column in found if column not in ("id", "game")]


def run(db: Path, *words: str) -> float:
    """Return the milliseconds of processor time of a command, including its start."""
    command = [sys.executable, "-m", "sottovoce", "--db", str(db), *words]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, words
    return (used.ru_utime + used.ru_stime) * 1000


def looks(db: Path) -> Iterator[float]:
    """Return the milliseconds of processor time of a worker's check."""
    sys.path.insert(0, str(ROOT))
    from sottovoce.eventlog import open_log
    from sottovoce.server.games import Games
    from sottovoce.server.worker import Worker

    log = open_log(f"sqlite:///{db}")
    games = Games(log)
    worker = Worker(games, print)
    for _ in range(ROUNDS):
        before = time.process_time()
        assert worker._look()[1] == []
        yield (time.process_time() - before) * 1000
    games.close()
    log.close()


def main() -> None:
    """Create both logs, measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--few", type=int, default=100)
    given = parser.parse_args()
    os.environ["PYTHONUTF8"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        logs = {}
        for count in (given.few, given.games):
            path = Path(folder) / f"{count}.db"
            run(path, "play", "mafia", *GAME)
            logs[count] = path, fill(path, count - 1)
            print(f"{count} games: the first list took {run(path, 'games') / 1000:.1f} s")
        for words in COMMANDS:
            best = [
                min(run(path, *(word.format(game=game) for word in words)) for _ in range(ROUNDS))
                for path, game in logs.values()
            ]
            print(f"{' '.join(words):32} {best[0]:7.1f} ms {best[1]:7.1f} ms {best[1] / best[0]:6.2f} x")
        few, many = (sorted(looks(path))[ROUNDS // 2] for path, _ in logs.values())
        print(f"{'a look of an idle worker':32} {few:7.3f} ms {many:7.3f} ms {many / few:6.2f} x")


if __name__ == "__main__":
    main()
