"""Measure a hall: memory and time with many open games of which few are active, and the cost of a hosted decision.

    python benchmarks/live_games.py [--open 10000] [--active 50] [--games 64]

One game is played halfway and then copied into a log `--open` times, under other IDs and by direct insertion. In each
copy it is the turn of a remote seat. Then a hall starts on that log, as in a server: people join the active games and
answer, while the hall checks all the others. The script also plays games with only `random` seats in the hall and in a
separate process, alternating, and once more with a follower for every seat.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import resource
import sqlite3
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT)]

from many_games import CHUNK, columns_of  # noqa: E402
from workload import RULES, SEATS, SEED, Cost, Stopwatch, play  # noqa: E402

from sottovoce.domain.commands import Reply  # noqa: E402
from sottovoce.domain.draws import Seed  # noqa: E402
from sottovoce.domain.events import ReplyAccepted  # noqa: E402
from sottovoce.eventlog import open_log  # noqa: E402
from sottovoce.server.collector import calm_collector  # noqa: E402
from sottovoce.server.games import Games, now  # noqa: E402
from sottovoce.server.links import Links  # noqa: E402
from sottovoce.server.live_games import GameFeed, LiveGames  # noqa: E402

OUTSIDE = "Ada"
HALFWAY = 150
"""Events after which the copied game waits for its remote seat."""
ROUNDS = 3
BEAT = 0.005


def resident() -> float:
    """Return the process's current memory in megabytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def peak() -> float:
    """Return the process's peak memory in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


async def half_played(url: str) -> str:
    """Play a game until it waits for its remote seat, and return its ID."""
    log = open_log(url)
    live_games = LiveGames(games := Games(log), Links(games))
    running = asyncio.create_task(live_games.run())
    agents = {**dict.fromkeys(SEATS, "random"), OUTSIDE: "outside"}
    table = live_games.host(await games.open("mafia", SEATS, agents, Seed.of(SEED), RULES))
    while table.live.length < HALFWAY or not table.live.view(OUTSIDE).turns:
        length = table.live.length
        await answered(live_games, table)
        await table.news(length)
    await asyncio.sleep(0.1)
    live_games.closing.set()
    await running
    games.close()
    log.close()
    return table.live.id


def copied(path: Path, original: str, copies: int) -> list[str]:
    """Copy the game into its log under this many new IDs, which are returned. The leaf hashes are the original's."""
    names = [f"copy{number:06}" for number in range(copies)]
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        for (trigger,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            file.execute(f"DROP TRIGGER {trigger}")
        file.execute("PRAGMA synchronous = OFF")
        listed = {table: ", ".join(columns_of(file, table)) for table in ("events", "heads", "turns")}
        for first in range(0, copies, CHUNK):
            file.execute("BEGIN")
            for table, columns in listed.items():
                statement = f"INSERT INTO {table} (game, {columns}) SELECT ?, {columns} FROM {table} WHERE game = ?"
                file.executemany(statement, [(name, original) for name in names[first : first + CHUNK]])
            file.execute("COMMIT")
    return names


async def answered(live_games: LiveGames, table: GameFeed) -> int:
    """Answer what the seat outside is asked; how many turns those were."""
    turns = table.live.view(OUTSIDE).turns
    for turn in turns:
        choice = turn.choices[0] if turn.choices else "Hm."
        await live_games.submit(table, Reply(now(), OUTSIDE, turn.number, choice))
    return len(turns)


async def many_open(url: str, active: Sequence[str], count: int) -> None:
    """Serve the log: people join the active games and play them while the hall checks all the others."""
    log = open_log(url)
    live_games = LiveGames(games := Games(log), Links(games))
    before = resident()
    lags: list[float] = []
    decisions = 0

    async def beat() -> None:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(BEAT)
            lags.append(time.perf_counter() - began - BEAT)

    async def come(game: str) -> None:
        nonlocal decisions
        async with live_games.using(game) as table:
            arrived.append(time.perf_counter() - started)
            while not table.live.state.over:
                length = table.live.length
                for seat in SEATS:
                    table.told(seat)
                decisions += await answered(live_games, table)
                await table.news(length)

    arrived: list[float] = []
    started = time.perf_counter()
    beating = asyncio.create_task(beat())
    running = asyncio.create_task(live_games.run())
    await asyncio.gather(*(come(game) for game in active))
    played = time.perf_counter() - started
    print(f"{len(active)} of {count} open games joined in {max(arrived):.2f} s, the first in {min(arrived):.2f} s")
    print(f"all of them finished after {played:.1f} s ({decisions} answers from outside)")
    assert live_games._worker is not None
    while len(live_games._worker._work_queue) < count - len(active):
        await asyncio.sleep(0.2)
    lags.sort()
    print(f"all games checked after {time.perf_counter() - started:.1f} s, {time.process_time():.1f} s of CPU time")
    print(f"event loop delay: {lags[len(lags) // 2] * 1e3:.1f} ms (median),", end=" ")
    print(f"{lags[len(lags) * 99 // 100] * 1e3:.0f} (p99), {lags[-1] * 1e3:.0f} (max)")
    gc.collect()
    print(
        f"memory: {before:.0f} MB before, {resident():.0f} MB now, {peak():.0f} MB peak; "
        f"{len(live_games._tables)} tables"
    )
    before_idle = time.process_time()
    await asyncio.sleep(5)
    print(f"idle: {(time.process_time() - before_idle) / 5 * 100:.1f} % of a core")
    beating.cancel()
    live_games.closing.set()
    await running
    games.close()
    log.close()


async def hosted(live_games: LiveGames, total: int, first: int, followers: bool) -> int:
    """Play this many games at once in the hall, and return the number of decisions."""

    async def follow(table: GameFeed, seat: str) -> None:
        while not table.live.state.over:
            seen = table.live.length
            table.told(seat)
            await table.news(seen)

    async def one(number: int) -> int:
        seed = Seed.of(SEED).numbered(number)
        live = await live_games.games.open("mafia", SEATS, dict.fromkeys(SEATS, "random"), seed, RULES)
        live_games.host(live)
        async with live_games.using(live.id) as table:
            watching = [asyncio.create_task(follow(table, seat)) for seat in SEATS] if followers else []
            while not live.state.over:
                await table.news(live.length)
            await asyncio.gather(*watching)
        return sum(type(item.event) is ReplyAccepted for item in live.recorded)

    return sum(await asyncio.gather(*(one(number) for number in range(first, first + total))))


async def compared(folder: str, total: int) -> None:
    """Print the cost of a decision in the hall and outside it."""
    best: dict[str, Cost] = {}
    for number in range(ROUNDS):
        for what in ("in a separate process", "in the hall", "in the hall, every seat followed"):
            log = open_log(f"sqlite:///{folder}/{number}{len(what)}.db")
            games = Games(log)
            if what == "in a separate process":
                watch = Stopwatch()
                cost = watch.over((await play(games, total, at_once=total))[0])
            else:
                live_games = LiveGames(games, Links(games))
                running = asyncio.create_task(live_games.run())
                watch = Stopwatch()
                cost = watch.over(await hosted(live_games, total, 0, "followed" in what))
                live_games.closing.set()
                await running
            games.close()
            log.close()
            best[what] = best[what].best(cost) if what in best else cost
    for what, cost in best.items():
        print(f"{what:40} {cost.cpu:7.0f} µs of CPU time per decision, {cost.wall:7.0f} µs wall clock")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--open", type=int, default=10_000)
    parser.add_argument("--active", type=int, default=50)
    parser.add_argument("--games", type=int, default=64)
    given = parser.parse_args()
    calm_collector()
    with suppress(ImportError):
        import uvloop

        uvloop.install()
    with tempfile.TemporaryDirectory() as folder:
        if given.open:
            path = Path(folder) / "open.db"
            original = asyncio.run(half_played(f"sqlite:///{path}"))
            names = copied(path, original, given.open)
            asyncio.run(
                many_open(f"sqlite:///{path}", names[:: max(1, len(names) // given.active)][: given.active], len(names))
            )
        if given.games:
            asyncio.run(compared(folder, given.games))


if __name__ == "__main__":
    main()
