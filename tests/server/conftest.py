import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from sottovoce import eventlog
from sottovoce.eventlog import EventLog, open_log
from sottovoce.server.games import Games


@pytest.fixture(scope="session")
def empty_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("empty") / "log.db"
    eventlog.upgrade(f"sqlite:///{path}")
    return path


@pytest.fixture(params=["memory", "sqlite"])
def log(request: pytest.FixtureRequest, empty_log: Path, tmp_path: Path) -> Iterator[EventLog]:
    if request.param == "memory":
        found = open_log("memory:")
    else:
        found = open_log(f"sqlite:///{shutil.copy(empty_log, tmp_path / 'log.db')}")
    yield found
    found.close()


@pytest.fixture
def workers(log: EventLog) -> Iterator[Callable[..., Games]]:
    """Makes workers on the log, each with a name and a clock of its own, and lets them go at the end."""
    made: list[Games] = []

    def make(**more: Any) -> Games:
        made.append(Games(log, **more))
        return made[-1]

    yield make
    for games in made:
        games.close()


@pytest.fixture
def games(workers: Callable[..., Games]) -> Games:
    return workers()


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def reopened(request: pytest.FixtureRequest, empty_log: Path, tmp_path: Path) -> Iterator[Callable[[], EventLog]]:
    """Opens one log as often as there are processes; the one in memory is the same for all."""
    with ExitStack() as stack:
        if request.param == "memory":
            kept = stack.enter_context(closing(open_log("memory:")))
            yield lambda: kept
            return
        url = f"sqlite:///{tmp_path / 'log.db'}"
        if request.param == "sqlite":
            shutil.copy(empty_log, tmp_path / "log.db")
        else:
            url = stack.enter_context(request.getfixturevalue("databases").log())
        yield lambda: stack.enter_context(closing(open_log(url)))
