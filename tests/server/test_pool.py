"""Many games at once, and workers' names."""

import asyncio
import multiprocessing
import os
import signal
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

import pytest
from durability.checks import check_game
from endpoint import StandIn
from heads import head_of
from patience import PATIENCE
from playing import PLAYERS, until

from sottovoce.agents.models import retries
from sottovoce.domain.audience import EVERYONE
from sottovoce.domain.draws import Seed
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.events import Draft, HoldPlaced
from sottovoce.eventlog import open_log
from sottovoce.eventlog.log import EventLog, Write
from sottovoce.server import pool
from sottovoce.server.games import Games, now
from sottovoce.server.liveness import surely_dead, worker_name
from sottovoce.server.plan import Plan
from sottovoce.server.pool import WorkerFailed, leave_to_workers, play_in_processes, play_many, until_told
from sottovoce.server.worker import Worker

SEATS = (*PLAYERS, "narrator")


def plans(count: int, agent: str = "random") -> Any:
    return [Plan("mafia", SEATS, dict.fromkeys(SEATS, agent), Seed.of(seed)) for seed in range(count)]


def test_every_plan_is_played_once(games: Games, log: EventLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "AT_ONCE", 3)
    tallies: list[Any] = []
    asyncio.run(play_many(games, plans(7), tallies.append))
    assert sum(tally.games for tally in tallies) == len(log.games()) == 7
    assert all(check_game(log, game) == [] for game in log.games())


def test_one_game_that_fails_ends_all_and_leaves_them_to_be_resumed(games: Games, log: EventLog) -> None:
    bad = Plan("mafia", SEATS, dict.fromkeys(SEATS, "random"), Seed.of(1), {"max_attempts": 0})
    with pytest.raises(SottovoceError, match="max_attempts"):
        asyncio.run(play_many(games, [*plans(3), bad], lambda tally: None))
    for game in log.games():
        assert check_game(log, game) == []
        assert {due.worker for due in log.due(game)} <= {None}


def test_a_run_left_to_workers_does_not_wait_for_a_game_on_hold(games: Games, log: EventLog) -> None:
    async def story() -> None:
        tallies: list[Any] = []
        waiting = asyncio.create_task(leave_to_workers(games, plans(1), tallies.append))
        await until(log.games)
        (game,) = log.games()
        draft = Draft(HoldPlaced(waiting_for="narrator", why="It is late."), EVERYONE)
        log.commit([Write(game, head_of(log, game).length, "held", now(), (draft,))])
        await asyncio.wait_for(waiting, PATIENCE)
        assert [tally.games for tally in tallies] == [1]

    asyncio.run(story())


def test_a_run_left_to_workers_voids_what_they_hold_for_an_agent_that_is_gone(
    games: Games, log: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    with StandIn() as gone:
        monkeypatch.setenv("OPENAI_BASE_URL", gone.url)
    monkeypatch.setattr(retries, "FIRST_WAIT", 0.01)
    plan = Plan("mafia", SEATS, {**dict.fromkeys(SEATS, "random"), "narrator": "openai:small"}, Seed.of(1))

    async def story() -> None:
        tallies: list[Any] = []
        stop = asyncio.Event()
        working = asyncio.create_task(Worker(Games(log), lambda line: None).run(stop))
        try:
            await asyncio.wait_for(leave_to_workers(games, [plan], tallies.append), PATIENCE)
        finally:
            stop.set()
            await working
        (tally,) = tallies
        assert (tally.games, tally.voided, tally.ended) == (1, 1, 0)
        assert tally.seats["narrator", "openai:small"].voids == 1
        assert log.due() == []

    asyncio.run(story())


def test_processes_share_the_plans(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'log.db'}"
    open_log(url).close()
    tallies: list[Any] = []
    play_in_processes(url, plans(4), 2, tallies.append)
    log = open_log(url)
    assert sum(tally.games for tally in tallies) == len(log.games()) == 4
    assert all(check_game(log, game) == [] for game in log.games())
    log.close()


def test_what_goes_wrong_in_a_process_is_told_in_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    url = f"sqlite:///{tmp_path / 'log.db'}"
    open_log(url).close()
    with pytest.raises(SottovoceError, match=r"/nowhere\.yaml") as raised:
        play_in_processes(url, plans(2, "scripted:/nowhere.yaml"), 2, lambda tally: None)
    assert "\n" not in str(raised.value)
    assert capfd.readouterr().err == ""


def test_a_process_that_dies_is_noticed(tmp_path: Path) -> None:
    def kill(tally: Any) -> None:
        multiprocessing.active_children()[0].kill()

    url = f"sqlite:///{tmp_path / 'log.db'}"
    open_log(url).close()
    with pytest.raises(WorkerFailed):
        play_in_processes(url, plans(40), 2, kill)
    assert multiprocessing.active_children() == []


def test_this_process_lives() -> None:
    assert not surely_dead(worker_name())


def test_a_process_that_ended_is_dead_whether_or_not_it_was_buried() -> None:
    script = "from sottovoce.server.liveness import worker_name; print(worker_name(), flush=True)"
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    name = process.stdout.readline().strip()
    process.stdout.read()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert surely_dead(name), "a zombie"
    process.communicate()
    assert surely_dead(name), "gone"


@pytest.mark.parametrize(
    "name", ["", "nonsense", "a:b:c:d", "elsewhere:1:1:abc", "::::", f"{os.uname().nodename}:0:1:x"]
)
def test_nobody_is_declared_dead_whose_death_cannot_be_known(name: str) -> None:
    assert not surely_dead(name)


def test_another_process_under_the_same_number_is_not_the_worker() -> None:
    host, pid, _, nonce = worker_name().rsplit(":", 3)
    assert surely_dead(f"{host}:{pid}:12345:{nonce}")


def test_a_process_of_a_run_ends_wherever_the_word_to_end_finds_it() -> None:
    """An exception out of a signal's handler is lost where Python calls something by itself, here as an object goes."""

    async def played() -> None:
        going = weakref.finalize(Held(), signal.raise_signal, signal.SIGTERM)
        assert not going.alive
        await asyncio.sleep(20)

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(until_told(played()))


class Held:
    """Something that goes at once."""
