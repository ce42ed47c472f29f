"""Real worker processes: they share games, stop, die, wait for limits, and leave alone what is not theirs."""

import asyncio
import json
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import working
from commands import Cli
from durability.processes import Cold, sottovoce
from heads import head_of
from patience import PATIENCE
from postgres import Databases
from sizes import sized
from working import Gate, cpu_used, holders, log_at, open_games, over, sound, until

from sottovoce.domain.audience import EVERYONE
from sottovoce.domain.commands import Fill
from sottovoce.domain.events import Draft, FallbackApplied, HoldPlaced
from sottovoce.eventlog import open_log
from sottovoce.eventlog.log import Appended, EventLog, Write
from sottovoce.rulesets.mafia.rules.events import DawnHeld, NightResolved
from sottovoce.server.games import Games, now

COUNT = sized(10, 50)


@pytest.fixture
def postgres_url(databases: Databases) -> Iterator[Any]:
    with databases.log() as url:
        yield url


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'log.db'}"


@pytest.fixture(params=sized(["postgres"], ["sqlite", "postgres"]))
def url(request: pytest.FixtureRequest) -> Any:
    return request.getfixturevalue(f"{request.param}_url")


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    with Gate() as gate:
        monkeypatch.setenv("OPENAI_BASE_URL", gate.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        yield gate


def unfinished(log: EventLog) -> int:
    """How many games have an open turn."""
    return len({due.game for due in log.due()})


def share(log: EventLog, crew: working.Workers, number: int, count: int, gate: Gate) -> None:
    """Open games for workers; kill one of them when some have ended, add one, and wait for the end.

    No worker may have so many games under way that the others get none, and no game goes on while the gate is closed:
    so each worker holds some when one is killed, and some have ended and some not.
    """
    most = ("--at-once", str(-(-count // number)))
    workers = [crew.start(None, *most) for _ in range(number)]
    crew.ready(workers)
    games = open_games(log, count, {"narrator": "openai:gated"}, max_days=2)
    until(lambda: len(holders(log)) == len(workers))
    while unfinished(log) >= count * 4 // 5:
        gate.let(1)
        time.sleep(0.002)
    workers[0].process.kill()
    left = unfinished(log)
    added = crew.start()
    gate.open()
    until(lambda: over(log) == count if unfinished(log) == 0 else False)
    assert 0 < left < count
    assert sound(log) == len(games) == count
    last = [crew.stop(worker) for worker in (*workers[1:], added)]
    assert all(line.startswith("Stopped. This worker finished ") for line in last), last


def test_four_workers_share_many_games_while_one_is_killed_and_one_is_added(
    postgres_url: str, tmp_path: Path, gate: Gate
) -> None:
    with working.working(postgres_url, tmp_path) as crew, log_at(postgres_url) as log:
        share(log, crew, 4, COUNT, gate)


def test_two_workers_on_a_file_do_the_same(sqlite_url: str, tmp_path: Path, gate: Gate) -> None:
    with log_at(sqlite_url) as log, working.working(sqlite_url, tmp_path) as crew:
        share(log, crew, 2, 12, gate)


def test_a_run_without_jobs_of_its_own_is_played_by_workers(url: str, tmp_path: Path) -> None:
    open_log(url).close()
    arguments = ["--db", url, "run", "mafia", "--players", "5", "--games", "6", "--agents", "random", "--seed", "3"]
    with working.working(url, tmp_path) as crew, Cold([*arguments, "--jobs", "0", "--json"]) as run:
        worker = crew.start()
        code, out, err = run.end()
        assert code == 0, err
        assert "6 games left to workers. To start a worker: " in err
        crew.stop(worker)
    one = json.loads(out)
    other = Cli(tmp_path / "alone.db")(*arguments[2:], "--json").json
    assert one["games"] == 6
    own = {"seconds", "batch"}
    assert {key: one[key] for key in one if key not in own} == {key: other[key] for key in one if key not in own}


@pytest.fixture
def silent_model(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A model that never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.getsockname()[1]}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        yield "openai:silent"


@pytest.mark.parametrize(
    ("number", "backend"), [(signal.SIGTERM, "postgres"), (signal.SIGINT, "sqlite")], ids=["SIGTERM", "SIGINT"]
)
def test_a_worker_that_is_told_to_stop_hands_its_turns_back(
    request: pytest.FixtureRequest, tmp_path: Path, silent_model: str, number: int, backend: str
) -> None:
    url = request.getfixturevalue(f"{backend}_url")
    with log_at(url) as log, working.working(url, tmp_path) as crew:
        open_games(log, 3, {"narrator": silent_model})
        worker = crew.start()
        until(lambda: sum(due.worker is not None for due in log.due()) == 3)
        (holder,) = holders(log)
        code, out, _ = sottovoce("--db", url, "show", "latest", "--auditor")
        assert code == 0
        assert f"claimed by worker {holder}" in out
        code, out, _ = sottovoce("--db", url, "show", "latest")
        assert holder not in out
        started = time.monotonic()
        assert crew.stop(worker, number) == "Stopped. This worker finished 0 games."
        assert time.monotonic() - started < PATIENCE
        assert len(crew.said(worker)) == 2
        assert holders(log) == set()
        assert len(log.due()) == 3


def test_a_worker_in_full_swing_hands_back_what_it_has(url: str, tmp_path: Path, gate: Gate) -> None:
    with log_at(url) as log, working.working(url, tmp_path) as crew:
        worker = crew.start()
        crew.ready([worker])
        open_games(log, 20, {"narrator": "openai:gated"})
        gate.let(40)
        until(lambda: holders(log))
        assert crew.stop(worker).startswith("Stopped. This worker finished ")
        assert unfinished(log) > 0
        assert holders(log) == set()
        gate.open()
        crew.start()
        until(lambda: unfinished(log) == 0)
        assert sound(log) == 20


def test_turns_that_a_dead_worker_shared_a_game_with_are_taken_over(
    sqlite_url: str, tmp_path: Path, silent_model: str
) -> None:
    """A worker that has left a game to another, which held all that was open, takes it when that one dies."""
    with log_at(sqlite_url) as log, working.working(sqlite_url, tmp_path) as crew:
        open_games(log, 1, {"Ada": silent_model, "Bram": "outside"}, turn_seconds=600)
        first = crew.start()
        until(lambda: any(due.worker for due in log.due() if due.seat == "Ada"))
        before = holders(log)
        second = crew.start()
        crew.ready([second])
        time.sleep(2.5)
        assert holders(log) == before
        first.process.kill()
        until(lambda: holders(log) and not holders(log) & before)


def test_limits_run_out_and_nights_end_with_workers_alone(url: str, tmp_path: Path) -> None:
    with log_at(url) as log, working.working(url, tmp_path) as crew:
        (game,) = open_games(
            log, 1, {"Ada": "outside"}, turn_seconds=0.3, night_seconds=1.5, max_attempts=1, max_days=2
        )
        crew.start()
        crew.start()
        until(lambda: over(log) == 1)
        recorded = log.read(game)
        expired = [item for item in recorded if isinstance(item.event, FallbackApplied) and item.event.seat == "Ada"]
        held = [item.event.until for item in recorded if isinstance(item.event, DawnHeld)]
        ended = [item.at for item in recorded if isinstance(item.event, NightResolved)]
        assert expired
        assert held
        assert all(
            timedelta(0) <= at - limit < timedelta(seconds=PATIENCE) for at, limit in zip(ended, held, strict=True)
        )
        assert sound(log) == 1


def test_seats_for_others_are_left_alone_without_effort(url: str, tmp_path: Path) -> None:
    with log_at(url) as log, working.working(url, tmp_path) as crew:
        folder = tmp_path / "seat"
        agents = ("outside", "human", f"files:{folder}")
        games = [game for agent in agents for game in open_games(log, 4, {"narrator": agent})]
        worker = crew.start()
        crew.ready([worker])
        until(lambda: cpu_used(worker, 2) < 0.3)
        assert holders(log) == set()
        assert not folder.exists()
        assert {due.game for due in log.due()} == set(games)
        said = tmp_path / "text"
        said.write_text("The town gathers.")
        code, _, err = sottovoce("--db", url, "send", games[0], "--as", "narrator", "--turn", "1", str(said))
        assert code == 0, err
        until(lambda: head_of(log, games[0]).length > head_of(log, games[1]).length + 3)
        assert len(crew.said(worker)) == 1


def hold(log: EventLog, game: str) -> None:
    """Put a game on hold, with its turns left open."""
    draft = Draft(HoldPlaced(waiting_for="narrator", why="It is late."), EVERYONE)
    (outcome,) = log.commit([Write(game, head_of(log, game).length, "held", now(), (draft,))])
    assert isinstance(outcome, Appended)


def lift(log: EventLog, game: str) -> None:
    """What `resume` does before it plays."""
    with closing(Games(log)) as games:
        asyncio.run(games.submit(games.load(game), Fill(now())))


def test_a_game_on_hold_is_left_alone_until_it_is_resumed(url: str, tmp_path: Path) -> None:
    with log_at(url) as log, working.working(url, tmp_path) as crew:
        (game,) = open_games(log, 1)
        hold(log, game)
        length = head_of(log, game).length
        worker = crew.start()
        crew.ready([worker])
        until(lambda: cpu_used(worker, 2) < 0.3)
        assert head_of(log, game).length == length
        lift(log, game)
        until(lambda: over(log) == 1)
        assert sound(log) == 1


def test_what_cannot_be_played_here_is_told_once_and_the_rest_is_played(url: str, tmp_path: Path) -> None:
    with log_at(url) as log, working.working(url, tmp_path) as crew:
        open_games(log, 1, {"narrator": "scripted:/nowhere.yaml"})
        worker = crew.start()
        until(lambda: len(crew.said(worker)) == 2)
        open_games(log, 3)
        until(lambda: unfinished(log) == 1)
        time.sleep(2)
        (told,) = crew.said(worker)[1:]
        assert told.startswith("sottovoce: this worker skips game ")
        assert "/nowhere.yaml" in told
        assert crew.stop(worker) == "Stopped. This worker finished 3 games."
