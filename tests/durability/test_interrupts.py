"""Ctrl-C, SIGTERM, and a reader that goes away: one line, the right exit code, and a game that can be resumed."""

import os
import random
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from durability.checks import check_end, check_game
from durability.processes import Cold, Tap, gone
from durability.rounds import Rounds
from sizes import sized

from sottovoce.eventlog import open_log

TIMES = sized(2, 20)
SIGNALS = [signal.SIGINT, signal.SIGTERM]


def resumed(rounds: Rounds, url: str, folder: Path, setup: str, tap: Any) -> None:
    """Resume every game to its end, and check that the result is as if nothing had happened."""
    log = open_log(url)
    try:
        for game in log.games():
            assert check_game(log, game, tap.appends) == []
            assert {due.worker for due in log.due(game)} <= {None}, "leases are handed back"
            code, _, err = rounds.zygote.run(["--db", url, "resume", game, "--quiet"], folder / "again")
            assert (code, "Traceback" in err) == (0, False), err
            assert check_game(log, game, tap.appends) == []
            assert check_end(log, game, rounds.baseline(setup).games) == []
    finally:
        log.close()


@pytest.mark.parametrize("number", SIGNALS, ids=["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("setup", ["play", "run"])
def test_an_interrupted_command_says_how_to_go_on(rounds: Rounds, setup: str, number: int) -> None:
    chance = random.Random(number)
    baseline = rounds.baseline(setup)
    for _ in range(TIMES):
        folder, url = rounds.place()
        tap = Tap(folder / "tap")
        rounds.zygote.start(rounds.arguments(setup, url), folder / "out", tap=str(tap.path))
        tap.wait_for(chance.randint(1, baseline.appends * 3 // 4), alive=rounds.zygote.alive)
        rounds.zygote.signal(number)
        code, err = rounds.zygote.wait(), (folder / "out.err").read_text()
        assert code == 130, (code, err)
        assert "Traceback" not in err
        assert ("resume" if setup == "play" else "run --continue") in err.strip().splitlines()[-1]
        resumed(rounds, url, folder, setup, tap)


@pytest.mark.parametrize("number", SIGNALS, ids=["SIGINT", "SIGTERM"])
def test_an_interrupted_run_leaves_no_process_behind(rounds: Rounds, number: int) -> None:
    folder, url = rounds.place()
    tap = Tap(folder / "tap")
    command = Cold(
        rounds.arguments("run, two jobs", url), tapped=True, wishes={"tap": str(tap.path)}, start_new_session=True
    )
    with command:
        tap.wait_for(20, alive=command.alive)
        if number == signal.SIGINT:
            os.killpg(command.process.pid, number)
        else:
            command.process.send_signal(number)
        code, _, err = command.end()
    assert (code, "Traceback" in err) == (130, False), err
    assert len(tap.pids) >= 2
    deadline = time.monotonic() + 5
    while not all(gone(pid) for pid in tap.pids):
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="what a process is deaf to is read from /proc")
def test_only_the_first_process_of_a_run_hears_ctrl_c(rounds: Rounds) -> None:
    """A terminal sends it to all processes, including those that are just starting."""
    folder, url = rounds.place()
    tap = Tap(folder / "tap")
    arguments = rounds.arguments("run, two jobs", url)
    with Cold(arguments, tapped=True, wishes={"tap": str(tap.path)}, start_new_session=True) as command:
        tap.wait_for(20, alive=command.alive)
        first = command.process.pid
        others = [pid for pid in group(first) if pid != first]
        assert len(others) >= 2
        assert [deaf_to(pid, signal.SIGINT) for pid in others] == [True] * len(others)
        assert not deaf_to(first, signal.SIGINT)
        os.killpg(first, signal.SIGINT)
        command.end()


def group(leader: int) -> list[int]:
    """Return the processes of the leader's group."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if os.getpgid(int(place.name)) == leader:
                found.append(int(place.name))
    return found


def deaf_to(pid: int, number: int) -> bool:
    """Return whether the process blocks or ignores the signal."""
    lines = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return bool((int(lines["SigBlk"], 16) | int(lines["SigIgn"], 16)) & 1 << number - 1)


def test_a_reader_that_goes_away_ends_the_game_quietly(rounds: Rounds) -> None:
    folder, url = rounds.place()
    tap = Tap(folder / "tap")
    with Cold(rounds.arguments("play", url), tapped=True, wishes={"tap": str(tap.path)}) as command:
        output = command.process.stdout
        assert output is not None
        assert output.readline()
        output.close()
        command.process.stdout = None
        code, _, err = command.end()
    assert code in (0, 1)
    assert "Traceback" not in err
    assert len(err.strip().splitlines()) <= 1
    resumed(rounds, url, folder, "play", tap)


def test_a_full_output_does_not_lose_the_game(rounds: Rounds) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    folder, url = rounds.place()
    tap = Tap(folder / "tap")
    with open("/dev/full", "wb") as full:
        arguments, wishes = rounds.arguments("play", url), {"tap": str(tap.path)}
        with Cold(arguments, tapped=True, wishes=wishes, stdout=full, stderr=subprocess.PIPE) as command:
            code, _, err = command.end()
    assert code == 1
    assert "Traceback" not in err
    resumed(rounds, url, folder, "play", tap)
