"""Experiments from the command line: played, killed and continued, reported, and refused where they can't be."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from commands import SOTTOVOCE, Cli
from sizes import sized
from working import log_at, sound, until, working

from sottovoce.eventlog import EventLog

GAMES = sized(12, 1000)
KILLS = sized(2, 10)
TRIAL: dict[str, Any] = {
    "name": "trial",
    "ruleset": "mafia",
    "players": 5,
    "agents": {"house": "house", "random": "random"},
    "rest": "random",
    "seed": 3,
    "stop": {"games": GAMES},
}


def written(folder: Path, **changed: Any) -> Path:
    path = folder / "trial.yaml"
    path.write_text(yaml.safe_dump({**TRIAL, **changed}), encoding="utf-8")
    return path


def report(cli: Cli, file: Path, form: str) -> str:
    said = cli("experiment", "report", file, "--format", form)
    assert said.code == 0, said.err
    return said.out


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Cli, Path]:
    """An experiment that nobody interrupted."""
    folder = tmp_path_factory.mktemp("whole")
    cli, file = Cli(folder / "log.db"), written(folder)
    said = cli("experiment", "run", file, "--quiet")
    assert said.code == 0, said.err
    return cli, file


def killed_once(command: list[str], log: EventLog, games: int) -> None:
    """Run the command, and kill it with its own processes once more than so many games are there."""
    null = subprocess.DEVNULL
    running = subprocess.Popen(command, stdout=null, stderr=null, start_new_session=True)
    try:
        until(lambda: len(log.games()) > games or running.poll() is not None)
    finally:
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_one_that_was_killed_again_and_again_gives_the_same_report_to_the_byte(
    tmp_path: Path, whole: tuple[Cli, Path], jobs: str
) -> None:
    file, cli = written(tmp_path), Cli(tmp_path / "log.db")
    command = [SOTTOVOCE, "--db", cli.url, "experiment", "run", str(file), "--jobs", jobs, "--quiet"]
    with log_at(cli.url) as log:
        for kill in range(KILLS):
            killed_once(command, log, kill * GAMES // KILLS)
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        assert done.returncode == 0, done.stderr
        assert sound(log) == GAMES
    for form in ("json", "markdown", "html"):
        assert report(cli, file, form) == report(*whole, form)


def test_workers_on_postgresql_play_it_with_the_same_report(
    request: pytest.FixtureRequest, tmp_path: Path, whole: tuple[Cli, Path]
) -> None:
    file = written(tmp_path)
    with request.getfixturevalue("databases").log() as url, working(url, tmp_path) as workers:
        workers.start()
        command = [SOTTOVOCE, "--db", url, "experiment"]
        words = ["run", str(file), "--jobs", "0", "--quiet"]
        done = subprocess.run([*command, *words], capture_output=True, text=True, timeout=600, check=False)
        assert done.returncode == 0, done.stderr
        words = ["report", str(file), "--format", "json"]
        told = subprocess.run([*command, *words], capture_output=True, text=True, timeout=600, check=True)
    assert told.stdout == report(*whole, "json")


def test_wins_agree_with_a_recount_from_the_exports(whole: tuple[Cli, Path]) -> None:
    cli, file = whole
    found = json.loads(report(cli, file, "json"))
    assert {key: found["games"][key] for key in ("planned", "counted", "void", "held", "open", "stopped")} == {
        "planned": GAMES,
        "counted": GAMES,
        "void": 0,
        "held": 0,
        "open": 0,
        "stopped": "games",
    }
    winners: dict[tuple[str, str], int] = {}
    for game in cli("games", "--batch", "trial", "--json").rows:
        events = [json.loads(line) for line in cli("export", game["game"]).out.splitlines()]
        ended, agents = events[-1]["data"], events[1]["data"]["agents"]
        mafia = {agents[seat] for seat, role in ended["roles"].items() if role == "Mafia"}
        town = {agents[seat] for seat, role in ended["roles"].items() if role not in ("Mafia", "Jester")}
        assert len(mafia) == len(town) == 1
        key = f"town={town.pop()} mafia={mafia.pop()}", ended["winner"]
        winners[key] = winners.get(key, 0) + 1
    told = {(one["arrangement"], one["side"]): round(one["value"] * one["cases"]) for one in found["wins"]}
    assert {key: number for key, number in told.items() if number} == winners


def test_its_games_stay_out_of_games_and_latest(whole: tuple[Cli, Path]) -> None:
    cli, _ = whole
    (line,) = cli("games", "--json").rows
    assert line["batch"] == "trial"
    assert len(cli("games", "--batch", "trial", "--json", "--all").rows) == GAMES


def test_running_it_once_more_plays_nothing(whole: tuple[Cli, Path]) -> None:
    cli, file = whole
    before = cli.stored()
    assert cli("experiment", "run", file, "--quiet").code == 0
    assert cli.stored() == before


def test_its_status_says_how_far_it_is(whole: tuple[Cli, Path]) -> None:
    cli, file = whole
    found = cli("experiment", "status", file, "--json").json
    assert (found["planned"], found["over"], found["stopped"]) == (GAMES, GAMES, "games")


def test_progress_says_games_and_time_left(tmp_path: Path) -> None:
    said = Cli(tmp_path / "log.db")("experiment", "run", written(tmp_path, stop={"games": 4}))
    assert "4 of 4 games" in said.err
    assert said.code == 0


def test_the_page_loads_nothing_and_shows_texts_harmless(tmp_path: Path) -> None:
    file, cli = written(tmp_path, about="<script>alert(1)</script> | x", stop={"games": 2}), Cli(tmp_path / "log.db")
    assert cli("experiment", "run", file, "--quiet").code == 0
    page = report(cli, file, "html")
    assert "<script" not in page
    assert "default-src 'none'" in page
    assert not re.findall(r"(?:src|href)=|url\(|@import", page)
    assert "<svg" in page
    assert "<script" not in report(cli, file, "markdown")


def test_a_width_stops_it_at_the_same_game_whether_it_was_interrupted_or_not(tmp_path: Path) -> None:
    stop = {"games": 200, "width": 0.75, "look": 2}
    file, cli = written(tmp_path, stop=stop), Cli(tmp_path / "log.db")
    assert cli("experiment", "run", file, "--quiet").code == 0
    found = json.loads(report(cli, file, "json"))
    assert found["games"]["stopped"] == "width"
    assert found["games"]["counted"] < 200
    assert max(one["high"] - one["low"] for one in found["wins"]) <= 0.75
    assert cli("experiment", "run", file, "--quiet").code == 0
    assert json.loads(report(cli, file, "json")) == found


def test_a_plan_that_was_changed_is_refused(whole: tuple[Cli, Path], tmp_path: Path) -> None:
    cli, _ = whole
    said = cli("experiment", "run", written(tmp_path, seed=4), "--quiet")
    assert said.code == 2
    assert "follow the earlier plan" in said.err
    assert cli("experiment", "report", written(tmp_path, about="New words.")).code == 0


def test_the_name_of_another_batch_is_refused(tmp_path: Path) -> None:
    cli = Cli(tmp_path / "log.db")
    assert cli("run", "mafia", "--games", "1", "--agents", "random", "--players", "4", "--name", "trial").code == 0
    said = cli("experiment", "run", written(tmp_path), "--quiet")
    assert said.code == 2
    assert "batch of `run`" in said.err


@pytest.mark.parametrize("words", [("status",), ("report",)])
def test_one_without_games_says_how_to_start_it(tmp_path: Path, words: tuple[str, ...]) -> None:
    cli = Cli(tmp_path / "log.db")
    cli.play("--players", "4")
    said = cli("experiment", *words, written(tmp_path))
    assert said.code == 2
    assert "experiment run" in said.err


def test_check_tries_every_agent_and_says_what_the_design_can_tell(tmp_path: Path) -> None:
    found = Cli(tmp_path / "log.db")("experiment", "check", written(tmp_path), "--json").json
    assert {one["agent"]: one["ok"] for one in found["agents"]} == {"house": True, "random": True}
    assert found["strengths"] == ["lead of town", "house"]
    assert found["games_for"]["0.1"] == 2 * 413
    assert not (tmp_path / "log.db").exists()


def test_check_refuses_half_the_seats_each(tmp_path: Path) -> None:
    said = Cli(tmp_path / "log.db")("experiment", "check", written(tmp_path, design={"by": "seat"}, players=8))
    assert said.code == 2
    assert "cannot tell these apart" in said.err
    assert "house" in said.err or "random" in said.err


def test_an_agent_that_does_not_answer_fails_the_check(tmp_path: Path) -> None:
    script = tmp_path / "silent.yaml"
    script.write_text("replies: []\n", encoding="utf-8")
    agents = {"house": "house", "other": "command:false"}
    said = Cli(tmp_path / "log.db")("experiment", "check", written(tmp_path, agents=agents))
    assert said.code in (1, 2)
    assert said.err.count("\n") == 1
    assert Cli(tmp_path / "log.db")("experiment", "check", written(tmp_path), "--offline").code == 0


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"agents": {"house": "house", "me": "human"}}, "answer by themselves"),
        ({"agents": {"house": "house", "x": "nonesuch"}}, "no agent 'nonesuch'"),
        ({"options": {"max_days": 0}}, "max_days"),
    ],
)
def test_what_would_stop_every_game_is_refused_before_the_first(
    tmp_path: Path, changed: dict[str, Any], said: str
) -> None:
    cli = Cli(tmp_path / "log.db")
    found = cli("experiment", "run", written(tmp_path, **changed), "--quiet")
    assert found.code != 0
    assert said in found.err
    assert not cli.path.exists()


def test_the_schema_is_json(tmp_path: Path) -> None:
    assert json.loads(Cli(tmp_path / "log.db")("experiment", "schema").out)["title"] == "ExperimentFile"
