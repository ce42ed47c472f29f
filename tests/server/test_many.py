"""Many games at once, and workers' names."""

import asyncio
import multiprocessing
import os
import subprocess
import sys

import pytest
from durability.checks import check_game
from playing import PLAYERS, until

from domain.audience import EVERYONE
from domain.errors import SottovoceError
from domain.events import Draft, HoldPlaced
from eventlog import open_log
from eventlog.log import Write
from server import many
from server.games import now
from server.many import Plan, WorkerFailed, leave_to_workers, play_in_processes, play_many
from server.workers import surely_dead, worker_name

SEATS = (*PLAYERS, "narrator")


def plans(count, agent="random"):
    return [Plan("mafia", SEATS, dict.fromkeys(SEATS, agent), seed) for seed in range(count)]


def test_every_plan_is_played_once(games, log, monkeypatch):
    monkeypatch.setattr(many, "AT_ONCE", 3)
    tallies = []
    asyncio.run(play_many(games, plans(7), tallies.append))
    assert sum(tally.games for tally in tallies) == len(log.games()) == 7
    assert all(check_game(log, game) == [] for game in log.games())


def test_one_game_that_fails_ends_all_and_leaves_them_to_be_resumed(games, log):
    bad = Plan("mafia", SEATS, dict.fromkeys(SEATS, "random"), 1, {"max_attempts": 0})
    with pytest.raises(SottovoceError, match="max_attempts"):
        asyncio.run(play_many(games, [*plans(3), bad], lambda tally: None))
    for game in log.games():
        assert check_game(log, game) == []
        assert {due.worker for due in log.due(game)} <= {None}


def test_a_run_left_to_workers_does_not_wait_for_a_game_on_hold(games, log):
    async def story():
        tallies = []
        waiting = asyncio.create_task(leave_to_workers(games, plans(1), tallies.append))
        await until(log.games)
        (game,) = log.games()
        draft = Draft(HoldPlaced(waiting_for="narrator", why="It is late."), EVERYONE)
        log.commit([Write(game, log.head(game).length, "held", now(), (draft,))])
        await asyncio.wait_for(waiting, 5)
        assert [tally.games for tally in tallies] == [1]

    asyncio.run(story())


def test_processes_share_the_plans(tmp_path):
    url = f"sqlite:///{tmp_path / 'log.db'}"
    open_log(url).close()
    tallies = []
    play_in_processes(url, plans(4), 2, tallies.append)
    log = open_log(url)
    assert sum(tally.games for tally in tallies) == len(log.games()) == 4
    assert all(check_game(log, game) == [] for game in log.games())
    log.close()


def test_what_goes_wrong_in_a_process_is_told_in_one_line(tmp_path, capfd):
    url = f"sqlite:///{tmp_path / 'log.db'}"
    open_log(url).close()
    with pytest.raises(SottovoceError, match=r"/nowhere\.yaml") as raised:
        play_in_processes(url, plans(2, "scripted:/nowhere.yaml"), 2, lambda tally: None)
    assert "\n" not in str(raised.value)
    assert capfd.readouterr().err == ""


def test_a_process_that_dies_is_noticed(tmp_path):
    def kill(tally):
        multiprocessing.active_children()[0].kill()

    url = f"sqlite:///{tmp_path / 'log.db'}"
    open_log(url).close()
    with pytest.raises(WorkerFailed):
        play_in_processes(url, plans(40), 2, kill)
    assert multiprocessing.active_children() == []


def test_this_process_lives():
    assert not surely_dead(worker_name())


def test_a_process_that_ended_is_dead_whether_or_not_it_was_buried():
    script = "from server.workers import worker_name; print(worker_name(), flush=True)"
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    name = process.stdout.readline().strip()
    process.stdout.read()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert surely_dead(name), "a zombie"
    process.communicate()
    assert surely_dead(name), "gone"


@pytest.mark.parametrize(
    "name", ["", "nonsense", "a:b:c:d", "elsewhere:1:1:abc", "::::", f"{os.uname().nodename}:0:1:x"]
)
def test_nobody_is_declared_dead_whose_death_cannot_be_known(name):
    assert not surely_dead(name)


def test_another_process_under_the_same_number_is_not_the_worker():
    host, pid, _, nonce = worker_name().rsplit(":", 3)
    assert surely_dead(f"{host}:{pid}:12345:{nonce}")
