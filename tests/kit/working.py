"""Real `sottovoce worker` processes, and games for them to play."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from durability.checks import check_game, state_of
from durability.processes import Cold
from endpoint import Asked, StandIn, any_legal
from patience import PATIENCE
from playing import opened

from sottovoce.eventlog import EventLog, open_log
from sottovoce.server.games import Games


class Workers:
    """Worker processes on one log, which end with the block."""

    def __init__(self, url: str, folder: Path, stack: ExitStack) -> None:
        self.url = url
        self._folder = folder
        self._stack = stack
        self._errors: dict[int, Path] = {}

    def start(self, url: str | None = None, *options: str) -> Cold:
        """Start one more, on this log or with another address."""
        path = self._folder / f"worker-{len(self._errors)}"
        with path.open("wb") as err:
            words = ["--db", url or self.url, "worker", *options]
            worker = self._stack.enter_context(Cold(words, stderr=err, start_new_session=True))
        self._errors[worker.process.pid] = path
        return worker

    def said(self, worker: Cold) -> list[str]:
        """Return a worker's output so far."""
        return self._errors[worker.process.pid].read_text().splitlines()

    def ready(self, workers: Sequence[Cold]) -> None:
        """Wait until each has said that it is working."""
        until(lambda: all(self.said(worker) for worker in workers))

    def stop(self, worker: Cold, number: int = signal.SIGTERM) -> str:
        """Stop a working one, and return its last line."""
        self.ready([worker])
        worker.process.send_signal(number)
        code, _, _ = worker.end()
        said = self.said(worker)
        assert code == 0, said
        assert not any("Traceback" in line for line in said), said
        return said[-1]


class Gate:
    """A model that answers only as often as the test allows, so that a game's progress is not random."""

    def __init__(self) -> None:
        self._passes = threading.Semaphore(0)
        self._stand_in = StandIn(answer=self._answer)

    def __enter__(self) -> Gate:
        self._stand_in.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self.open()
        self._stand_in.__exit__(*error)

    @property
    def url(self) -> str:
        return self._stand_in.url

    def let(self, answers: int) -> None:
        """Allow that many more answers."""
        self._passes.release(answers)

    def open(self) -> None:
        """Allow all answers from now on."""
        self.let(1_000_000)

    def _answer(self, asked: Asked) -> str:
        self._passes.acquire()
        return any_legal(asked)


@contextmanager
def working(url: str, folder: Path) -> Iterator[Workers]:
    """Start workers on a log."""
    with ExitStack() as stack:
        yield Workers(url, folder, stack)


def until(true: Callable[[], Any], seconds: float = PATIENCE) -> None:
    """Wait until a condition holds."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "in vain"
        time.sleep(0.01)


def open_games(log: EventLog, count: int, agents: dict[str, str] | None = None, **rules: Any) -> list[str]:
    """Create games without playing them, and return their IDs."""

    async def story() -> list[str]:
        games = Games(log)
        try:
            return [(await opened(games, seed=seed, agents=agents, **rules)).id for seed in range(count)]
        finally:
            games.close()

    return asyncio.run(story())


def over(log: EventLog) -> int:
    """Return how many games are over."""
    return sum(state_of(log.read(game)).over for game in log.games())


def sound(log: EventLog) -> int:
    """Check every game, which must be over, and return how many there are."""
    for game in log.games():
        assert state_of(log.read(game)).over, game
        assert log.due(game) == []
        assert check_game(log, game) == []
    return len(log.games())


def holders(log: EventLog) -> set[str]:
    """Return the names of the workers that hold a turn."""
    return {due.worker for due in log.due() if due.worker}


def cpu_used(worker: Cold, seconds: float) -> float:
    """Return the processor time that a worker uses in this many seconds from now."""
    before = cpu_seconds(worker.process.pid)
    time.sleep(seconds)
    return cpu_seconds(worker.process.pid) - before


def cpu_seconds(pid: int) -> float:
    """Return the processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def log_at(url: str) -> Iterator[EventLog]:
    """Yield a log, and close it at the end."""
    log = open_log(url)
    try:
        yield log
    finally:
        log.close()
