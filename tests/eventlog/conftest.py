import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import postgres
import pytest

from sottovoce import eventlog
from sottovoce.domain.audience import EVERYONE, NOBODY, Audience, only
from sottovoce.domain.events import Draft, ReplyAccepted
from sottovoce.eventlog import open_log
from sottovoce.eventlog.log import EventLog, Write
from sottovoce.eventlog.registry import Registry, registry_of

AT = datetime(2026, 7, 1, 12, 30, 15, 123456, tzinfo=UTC)


@pytest.fixture(scope="session")
def registry() -> Registry:
    return registry_of()


@pytest.fixture(scope="session")
def empty_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log without games, to copy."""
    path = tmp_path_factory.mktemp("empty") / "log.db"
    eventlog.upgrade(f"sqlite:///{path}")
    return path


@pytest.fixture
def path(empty_log: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(empty_log, tmp_path / "log.db"))


@pytest.fixture
def opened(registry: Registry) -> Iterator[Callable[..., EventLog]]:
    """Opens logs by path and closes them at the end."""
    logs: list[EventLog] = []

    def open_one(path: Path, **options: Any) -> EventLog:
        logs.append(open_log(f"sqlite:///{path}", registry=registry, **options))
        return logs[-1]

    yield open_one
    for log in logs:
        log.close()


@pytest.fixture
def database(databases: postgres.Databases) -> Iterator[str]:
    """The address of an empty log in PostgreSQL."""
    with databases.log() as url:
        yield url


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def log(request: pytest.FixtureRequest, registry: Registry) -> Iterator[EventLog]:
    if request.param == "memory":
        found = open_log("memory:", registry=registry)
    elif request.param == "sqlite":
        found = open_log(f"sqlite:///{request.getfixturevalue('path')}", registry=registry)
    else:
        found = open_log(request.getfixturevalue("database"), registry=registry)
    yield found
    found.close()


@pytest.fixture(scope="session")
def write() -> Callable[..., Write]:
    """Return a write of `count` replies: the first for everyone, the second for Ada, the third for nobody, and so
    on."""

    def build(game: str = "g", expected: int = 0, count: int = 1, append: str = "", **more: Any) -> Write:
        audiences: list[Audience] = [EVERYONE, only("Ada"), NOBODY]
        drafts = tuple(
            Draft(ReplyAccepted(seat="Ada", turn=expected + i, text=f"Reply {i} é"), audiences[i % 3])
            for i in range(count)
        )
        more = {"at": AT, "drafts": drafts, **more}
        return Write(game, expected, append or f"{game}-{expected}-{count}", **more)

    return build


@pytest.fixture(scope="session")
def run() -> Callable[..., Any]:
    """Run a script in its own process, with all warnings as errors, and return the JSON that it prints."""

    def run_script(script: str, *arguments: object) -> Any:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", script, *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return json.loads(done.stdout)

    return run_script
