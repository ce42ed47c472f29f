"""How fast, how large, how flat: measured in one run beside raw floors, so that the ratios mean something anywhere.

    python benchmarks/bench.py [--json FILE] [--rounds N] [--postgres URL | --no-postgres]

The workload is mafia8: eight players (two Mafia, a Doctor, a Detective, four Villagers) and the narrator, all
`random`, at most three speeches per player and day, no pauses. A decision is one accepted reply. Everything is
included: receipts, leases, hashes, audiences, and the acting seat's view current at each decision. Each figure is the
best of its rounds, since whatever else the machine does only adds to it.
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
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "kit"))

import floors  # noqa: E402

from agents.prompt import BUDGET, build_prompt, tokens  # noqa: E402
from agents.random_agent import RandomAgent  # noqa: E402
from domain.commands import Command  # noqa: E402
from domain.draws import Seed  # noqa: E402
from domain.events import ReplyAccepted  # noqa: E402
from domain.game import fold  # noqa: E402
from domain.rulesets import RULESETS  # noqa: E402
from eventlog import open_log  # noqa: E402
from projections.view import view  # noqa: E402
from server.collector import calm_collector  # noqa: E402
from server.games import Games  # noqa: E402
from server.live import LiveGame  # noqa: E402
from server.runner import Runner  # noqa: E402

MAFIA = RULESETS["mafia"]
SEATS = ("Ada", "Bram", "Cleo", "Dirk", "Edda", "Finn", "Greta", "Hugo", "narrator")
RULES: dict[str, Any] = {"role_counts": {"Mafia": 2, "Doctor": 1, "Detective": 1, "Villager": 4}}
SEED = 2026
MANY = 64
PARTY = ("tilda-brannock", "corwin-voss", "bryn-oake")
BEATS = 500
WORDS = ("rope", "quay", "bell", "fog", "lamp", "keeper", "storm", "oar", "tide", "stone", "stair", "gull")
MEMORY = "--memory-only"


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


class Listening(Games):
    """Games that keep the commands they were given."""

    def __init__(self, log: Any) -> None:
        super().__init__(log)
        self.commands: list[Command] = []

    async def submit(self, live: LiveGame, command: Command, **more: Any) -> Any:
        self.commands.append(command)
        return await super().submit(live, command, **more)


async def play(games: Games, total: int, first: int = 0, at_once: int = MANY, agent: Any = None) -> tuple[int, int]:
    """Play that many games, so many of them at once; decisions and events."""
    filler = agent or RandomAgent()
    numbers = iter(range(first, first + total))
    played = [0, 0]

    async def one_after_another() -> None:
        for number in numbers:
            seed = Seed.of(SEED).numbered(number)
            live = await games.open("mafia", SEATS, dict.fromkeys(SEATS, "random"), seed, RULES)
            await Runner(games, live, dict.fromkeys(SEATS, filler)).run()
            played[0] += sum(type(item.event) is ReplyAccepted for item in live.recorded)
            played[1] += live.length

    await asyncio.gather(*(one_after_another() for _ in range(min(at_once, total))))
    return played[0], played[1]


@dataclass(slots=True)
class Played:
    """Microseconds of wall and processor time per decision, the best of the rounds, and what was played in all."""

    wall: float
    cpu: float
    decisions: int
    events: int

    @property
    def events_a_second(self) -> float:
        return 1e6 / self.wall * self.events / self.decisions


def timed_play(url: str, total: int, at_once: int, rounds: int) -> Played:
    """Play so many games in each round."""
    found = Played(float("inf"), float("inf"), 0, 0)
    log = open_log(url)
    games = Games(log)
    try:
        for number in range(rounds):
            gc.collect()
            wall, cpu = time.perf_counter(), time.process_time()
            decisions, events = asyncio.run(play(games, total, number * total, at_once))
            found.wall = min(found.wall, (time.perf_counter() - wall) / decisions * 1e6)
            found.cpu = min(found.cpu, (time.process_time() - cpu) / decisions * 1e6)
            found.decisions += decisions
            found.events += events
    finally:
        games.close()
        log.close()
    return found


def rules_alone(rounds: int) -> float:
    """Microseconds per decision of the same commands decided and folded once more: no log, views, agents or clock."""
    from domain.game import decided

    best = float("inf")
    for number in range(rounds):
        log = open_log("memory:")
        games = Listening(log)
        decisions, _ = asyncio.run(play(games, 1, number))
        games.close()
        started = time.perf_counter()
        state = MAFIA.initial
        for command in games.commands:
            _, state = decided(MAFIA, state, command)
        best = min(best, (time.perf_counter() - started) / decisions * 1e6)
        assert state.over, "the commands no longer play the game"
    return best


def rebuilding(url: str, rounds: int) -> tuple[float, float, float]:
    """Events a second read, decoded and folded; the same rows merely selected; and selected with their JSON decoded."""
    log = open_log(url)
    try:
        games = log.games()
        best = selected = decoded = float("inf")
        count = 0
        for _ in range(rounds):
            gc.collect()
            started = time.perf_counter()
            count = 0
            for game in games:
                recorded = log.read(game)
                fold(MAFIA, [item.event for item in recorded])
                count += len(recorded)
            best = min(best, time.perf_counter() - started)
        for _ in range(rounds):
            started = time.perf_counter()
            rows = floors.select(url, games)
            selected = min(selected, time.perf_counter() - started)
            for body in rows:
                json.loads(body)
            decoded = min(decoded, time.perf_counter() - started)
    finally:
        log.close()
    return count / best, count / selected, count / decoded


def flatness(rounds: int) -> tuple[float, float]:
    """Microseconds per event near position 100 and near 10,000 of one long game in memory."""
    early = late = float("inf")
    for _ in range(rounds):
        times = asyncio.run(long_game(11_000))
        early, late = min(early, near(times, 100)), min(late, near(times, 10_000))
    return early, late


class Talkative(RandomAgent):
    """Calls on somebody for as long as there are speeches to give."""

    async def act(self, view: Any, turn: Any, random: Any, record: Any) -> str:
        if turn.kind == "moderate":
            return str(random.choice(view.state.living))
        return await super().act(view, turn, random, record)


class LongEnough(Exception):
    """The game has as many events as are wanted."""


async def long_game(length: int) -> list[tuple[int, float]]:
    """The times at which one game had how many events."""
    times: list[tuple[int, float]] = []

    async def observe(live: LiveGame, fresh: Any) -> None:
        times.append((live.length, time.perf_counter()))
        if live.length > length:
            raise LongEnough

    games = Games(open_log("memory:"))
    rules = {**RULES, "max_speeches": length}
    live = await games.open("mafia", SEATS, dict.fromkeys(SEATS, "random"), Seed.of(SEED), rules)
    try:
        await Runner(games, live, dict.fromkeys(SEATS, Talkative()), observe=observe).run()
    except LongEnough:
        return times
    finally:
        games.close()
    raise AssertionError(f"the game ended before it had {length} events")


class Droning:
    """Every seat of a session that never ends: the GM narrates and asks all, the characters answer, nobody is brief."""

    by = "view"
    immediate = True

    async def act(self, view: Any, turn: Any, random: Any, record: Any) -> str:
        words = " ".join(f"{random.choice(WORDS)}{random.randrange(1000)}" for _ in range(60))
        if turn.seat != "gm":
            told = f"[PLAYER_TO_GM]\ntype: ACTION\ncharacter: {turn.seat}\n\n{words}"
            return "pass" if turn.seat == "narrator" else told
        asked = f"## Scene\n{words}\n\n## Just Happened\nNothing.\n\n## Request\nWhat now?"
        scene = "request_type: FULL_CONTEXT\nscene_number: 001\nscene_slug: opening"
        prompts = [
            {"type": "message", "recipient": name, "content": f"[GM_TO_PLAYER]\n{scene}\n\n{asked}"} for name in PARTY
        ]
        return json.dumps({"messages": [{"type": "broadcast", "content": f"[NARRATIVE]\n\n{words}"}, *prompts]})


async def long_session(beats: int) -> tuple[list[tuple[int, float]], LiveGame]:
    """A session of so many beats: the times at which it had begun each, and the session."""
    times: list[tuple[int, float]] = []

    async def observe(live: LiveGame, fresh: Any) -> None:
        if live.state.beat > len(times):
            times.append((live.length, time.perf_counter()))
            if live.state.beat > beats:
                raise LongEnough

    games = Games(open_log("memory:"))
    files = {f"party/{name}.md": f"# {name}\n\nHP: 9/9\n".encode() for name in PARTY}
    seats = RULESETS["tabletop"].seats_for(PARTY)
    options = {"campaign": "long-road", "player_character": PARTY[0]}
    live = await games.open("tabletop", seats, dict.fromkeys(seats, "random"), Seed.of(SEED), options, files=files)
    try:
        await Runner(games, live, dict.fromkeys(seats, Droning()), observe=observe).run()
    except LongEnough:
        return times, live
    finally:
        games.close()
    raise AssertionError(f"the session ended before it had {beats} beats")


def sessions(report: Callable[[Row], None]) -> None:
    """A session of 500 beats: whether its events stay as cheap, its prompts as short, and how fast it is taken up."""
    times, live = asyncio.run(long_session(BEATS))

    def cost(first: int, last: int) -> float:
        (start, began), (end, ended) = times[first], times[last]
        return (ended - began) / (end - start) * 1e6

    early = cost(10, 110)
    report(measured("cost of an event of a session, beats 10 to 110", early, "µs an event"))
    report(measured(f"the same, beats {BEATS - 100} to {BEATS}", cost(BEATS - 100, BEATS - 1), "µs an event", early))
    asked = next(iter(live.view("gm").turns), None) or next(iter(live.view(PARTY[0]).turns))
    length = tokens(build_prompt(live.view(asked.seat), asked).text)
    report(measured(f"prompt after {BEATS} beats", length, "tokens", BUDGET, BUDGET))
    started = time.perf_counter()
    fold(live.ruleset, [item.event for item in live.recorded])
    report(measured(f"a session of {BEATS} beats taken up", live.length / (time.perf_counter() - started), "events/s"))
    started = time.perf_counter()
    view(live.ruleset, live.recorded, PARTY[0])
    report(measured("one seat's view of it", live.length / (time.perf_counter() - started), "events/s"))


def near(times: list[tuple[int, float]], position: int, width: int = 600) -> float:
    part = [(length, at) for length, at in times if position <= length < position + width]
    return (part[-1][1] - part[0][1]) / (part[-1][0] - part[0][0]) * 1e6


def resident() -> float:
    """Megabytes of memory that this process has now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def memory_of_many_games() -> None:
    """Print how much memory this process takes after each of some rounds of durable games, 64 at once."""
    calm_collector()
    before = resident()
    after = []
    with database() as url:
        log = open_log(url)
        games = Games(log)
        for number in range(4):
            asyncio.run(play(games, MANY, number * MANY))
            after.append(resident())
        games.close()
        log.close()
    print(json.dumps([before, *after]))


@contextmanager
def database() -> Iterator[str]:
    """The URL of an empty log in a file that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="sottovoce-bench-") as folder:
        yield f"sqlite:///{folder}/games.db"


def in_memory(rounds: int, report: Callable[[Row], None]) -> None:
    pure = rules_alone(5 * rounds)
    report(measured("floor: the rules alone", pure, "µs a decision"))
    one = timed_play("memory:", 5, 1, 5 * rounds)
    report(measured("in memory, 1 game", one.wall, "µs a decision", pure, 75))
    many = timed_play("memory:", MANY, MANY, rounds)
    report(measured(f"in memory, {MANY} games", many.wall, "µs a decision", pure, 75))


def durable(rounds: int, report: Callable[[Row], None]) -> None:
    with database() as url:
        alone = timed_play(url, 3, 1, rounds)
        rows = floors.Rows.of(url)
        floor = rows.into_sqlite(at_once=1, rounds=rounds)
        report(measured("floor: bare SQLite FULL, 1 decision a commit", floor, "µs a decision"))
        report(measured("durable, SQLite FULL, 1 game", alone.wall, "µs a decision", floor))
    with database() as url:
        many = timed_play(url, 2 * MANY, MANY, rounds)
        rows = floors.Rows.of(url, upto=MANY)
        floor = rows.into_sqlite(at_once=MANY, rounds=rounds)
        report(measured(f"floor: bare SQLite FULL, {MANY} decisions a commit", floor, "µs a decision"))
        report(measured(f"durable, SQLite FULL, {MANY} games", many.wall, "µs a decision", floor, 150))
        report(measured(f"durable, SQLite FULL, {MANY} games, processor", many.cpu, "µs a decision", floor))
        appended = 1e6 / floor * rows.events / rows.decisions
        report(measured(f"appended, SQLite FULL, {MANY} games", many.events_a_second, "events/s", appended))
        size = floors.size(url) / many.decisions
        report(measured("stored", size, "bytes a decision", rows.bytes / rows.decisions, 2048))
        speed, selected, decoded = rebuilding(url, rounds)
        report(measured("floor: rows selected", selected, "events/s"))
        report(measured("floor: rows selected, bodies decoded as JSON", decoded, "events/s"))
        report(measured("rebuilt: read, decoded, folded", speed, "events/s", decoded, 200_000))


def steady(rounds: int, report: Callable[[Row], None]) -> None:
    early, late = flatness(rounds)
    report(measured("cost of an event at position 100", early, "µs an event"))
    report(measured("cost of an event at position 10,000", late, "µs an event", early))
    found = subprocess.run([sys.executable, __file__, MEMORY], check=True, capture_output=True, text=True).stdout
    before, first, *_, last = json.loads(found)
    report(measured("memory before any game", before, "MB"))
    report(measured(f"memory after {MANY} games, all at once", first, "MB", before))
    report(measured(f"memory after {4 * MANY} games, {MANY} at once", last, "MB", first))


def on_postgres(url: str, rounds: int, report: Callable[[Row], None]) -> None:
    alone = timed_play(url, 3, 1, rounds)
    rows = floors.Rows.of(url)
    floor = rows.into_postgres(url, at_once=1, rounds=rounds)
    report(measured("floor: bare psycopg, 1 decision a commit", floor, "µs a decision"))
    report(measured("durable, PostgreSQL, 1 game", alone.wall, "µs a decision", floor))
    many = timed_play(url, 2 * MANY, MANY, rounds)
    rows = floors.Rows.of(url, upto=MANY)
    floor = rows.into_postgres(url, at_once=MANY, rounds=rounds)
    report(measured(f"floor: bare psycopg, {MANY} decisions a commit", floor, "µs a decision"))
    report(measured(f"durable, PostgreSQL, {MANY} games", many.wall, "µs a decision", floor))
    report(measured(f"durable, PostgreSQL, {MANY} games, this process", many.cpu, "µs a decision", floor))
    appended = 1e6 / floor * rows.events / rows.decisions
    report(measured(f"appended, PostgreSQL, {MANY} games", many.events_a_second, "events/s", appended))
    speed, selected, decoded = rebuilding(url, rounds)
    report(measured("floor: rows selected from PostgreSQL", selected, "events/s"))
    report(measured("rebuilt from PostgreSQL", speed, "events/s", decoded))


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
    print(f"{row.what:<50}{row.value:>12,.1f} {row.unit:<14}{ratio}{target} {kept}", flush=True)


def facts() -> Mapping[str, Any]:
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": sys.version.split()[0],
        "sqlite": sqlite3.sqlite_version,
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", metavar="FILE", help="write the rows here too")
    parser.add_argument("--rounds", metavar="N", type=int, default=3, help="how often each is measured (default 3)")
    parser.add_argument("--postgres", metavar="URL", help="an empty PostgreSQL database; one is started if not given")
    parser.add_argument("--no-postgres", action="store_true", help="leave PostgreSQL out")
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
    print(f"{'':<50}{'value':>12} {'unit':<14}{'to floor':>10}{'target':>10}")
    calm_collector()
    in_memory(options.rounds, report)
    durable(options.rounds, report)
    steady(options.rounds, report)
    sessions(report)
    if not options.no_postgres:
        with server(options.postgres) as url:
            found["postgresql"] = floors.postgres_version(url)
            on_postgres(url, options.rounds, report)
    if options.json:
        Path(options.json).write_text(json.dumps({**found, "rows": [asdict(row) for row in rows]}, indent=1) + "\n")


if __name__ == "__main__":
    main()
