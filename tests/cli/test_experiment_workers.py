"""An experiment left to workers on PostgreSQL, where the experiment and the workers are killed again and again."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import yaml
from commands import SOTTOVOCE, Cli
from sizes import sized
from working import Workers, log_at, sound, until, working

GAMES = sized(12, 60)
KILLS = 2


def written(folder: Path) -> Path:
    path = folder / "trial.yaml"
    trial = {
        "name": "trial",
        "ruleset": "mafia",
        "players": 5,
        "agents": {"house": "house", "random": "random"},
        "rest": "random",
        "seed": 5,
        "stop": {"games": GAMES},
    }
    path.write_text(yaml.safe_dump(trial), encoding="utf-8")
    return path


def said(url: str, *words: str) -> str:
    command = [SOTTOVOCE, "--db", url, "experiment", *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def killed(words: Sequence[str], workers: Workers, ended: Callable[[], int], games: int) -> None:
    """Run the experiment until so many games ended, and kill it with one of the workers."""
    null = subprocess.DEVNULL
    worker = workers.start()
    running = subprocess.Popen(words, stdout=null, stderr=null)
    until(lambda: ended() >= games or running.poll() is not None)
    for process in (running, worker.process):
        process.send_signal(signal.SIGKILL)
        process.wait()


def test_killed_with_its_workers_it_gives_the_same_report_to_the_byte(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    file, whole = written(tmp_path), Cli(tmp_path / "whole.db")
    assert whole("experiment", "run", file, "--quiet").code == 0
    with (
        request.getfixturevalue("databases").log() as url,
        log_at(url) as log,
        working(url, tmp_path) as workers,
    ):
        command = [SOTTOVOCE, "--db", url, "experiment", "run", str(file), "--jobs", "0", "--quiet"]
        workers.start()

        def ended() -> int:
            with log.tables() as run:
                ((number,),) = run("SELECT count(*) FROM events WHERE name = 'mafia.game-ended.v1'")
            return int(number)

        for kill in range(1, KILLS + 1):
            killed(command, workers, ended, kill * GAMES // (KILLS + 2))
        workers.start()
        said(url, "run", str(file), "--jobs", "0", "--quiet")
        assert sound(log) == GAMES
        for form in ("json", "markdown", "html"):
            assert (
                said(url, "report", str(file), "--format", form)
                == whole("experiment", "report", file, "--format", form).out
            )
