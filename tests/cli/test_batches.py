"""A run has a name: killed, it is taken up without losing or repeating a game, and its result is asked for later."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from commands import SOTTOVOCE, Cli
from sizes import sized
from working import log_at, sound, until, working

from sottovoce.eventlog import EventLog

GAMES = sized(8, 16)
RUN = ("run", "mafia", "--games", str(GAMES), "--agents", "random", "--players", "5", "--seed", "3", "--name", "trial")
KILLS = sized(2, 12)
COUNTED = ("games", "winners", "decisions", "events", "fallbacks", "refusals", "seats", "seed")


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'log.db'}"
    else:
        with request.getfixturevalue("databases").log() as found:
            yield found


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the same run comes to when nobody ends it."""
    answer: dict[str, Any] = Cli(tmp_path_factory.mktemp("whole") / "log.db")(*RUN, "--quiet", "--json").json
    return answer


def said(url: str, *words: str) -> Any:
    command = [SOTTOVOCE, "--db", url, *words]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def killed_once(url: str, log: EventLog, begun: int, *words: str) -> None:
    """Run the words, and kill the process and its own children once so many games are begun."""
    command = [SOTTOVOCE, "--db", url, *words, "--quiet"]
    running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        until(lambda: len(log.games()) >= begun or running.poll() is not None)
    finally:
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_batch_that_was_killed_again_and_again_loses_and_repeats_nothing(
    url: str, jobs: str, whole: dict[str, Any]
) -> None:
    with log_at(url) as log:
        killed_once(url, log, 1, *RUN, "--jobs", jobs)
        for kill in range(1, KILLS):
            killed_once(url, log, 1 + kill * GAMES // KILLS, "run", "--continue", "trial", "--jobs", jobs)
        continued = said(url, "run", "--continue", "trial", "--jobs", jobs, "--quiet", "--json")
        assert {key: continued[key] for key in COUNTED} == {key: whole[key] for key in COUNTED}
        assert (continued["open"], continued["planned"], continued["batch"]) == (0, GAMES, "trial")
        assert sound(log) == GAMES
        summed = said(url, "run", "--summary", "trial", "--json")
        assert {key: summed[key] for key in COUNTED} == {key: whole[key] for key in COUNTED}


def test_a_batch_left_to_workers_is_taken_up(url: str, tmp_path: Path, whole: dict[str, Any]) -> None:
    with log_at(url) as log, working(url, tmp_path) as workers:
        killed_once(url, log, 2, *RUN, "--jobs", "0")
        before = said(url, "run", "--summary", "trial", "--json")
        assert before["open"] + len(before["winners"]) > 0
        workers.start()
        continued = said(url, "run", "--continue", "trial", "--jobs", "0", "--quiet", "--json")
        assert {key: continued[key] for key in COUNTED} == {key: whole[key] for key in COUNTED}
        assert sound(log) == GAMES


def test_two_that_take_up_the_same_batch_at_once_open_no_game_twice(url: str, whole: dict[str, Any]) -> None:
    with log_at(url) as log:
        killed_once(url, log, 1, *RUN)
        words = [SOTTOVOCE, "--db", url, "run", "--continue", "trial", "--quiet", "--json"]
        both = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        for one in both:
            out, _ = one.communicate(timeout=120)
            answer = json.loads(out)
            assert {key: answer[key] for key in COUNTED} == {key: whole[key] for key in COUNTED}
        assert sound(log) == GAMES


def test_what_a_batch_is_to_play_is_kept_and_not_read_again(fresh: Cli, tmp_path: Path) -> None:
    """The folder may have gone, and the options need not be given again."""
    tasks = tmp_path / "paper" / "tasks"
    tasks.mkdir(parents=True)
    brief = "# Task\n\n## Text\n\nSome  words.\n\n## Checklist\n\n- No double spaces.\n"
    (tasks / "one.md").write_text(brief)
    log = Cli(tmp_path / "a.db")
    words = ("run", "delegation", tasks.parent, "--games", 3, "--seed", 4, "--name", "p", "--rule", "max_rounds=4")
    before = log(*words, "--quiet", "--json").json
    (tasks / "one.md").unlink()
    after = log("run", "--continue", "p", "--quiet", "--json").json
    assert {key: after[key] for key in COUNTED} == {key: before[key] for key in COUNTED}


def test_a_batch_is_one_line_of_the_list_and_not_the_latest(fresh: Cli) -> None:
    own = fresh.play("--players", "4")
    assert fresh(*RUN, "--quiet").code == 0
    rows = fresh("games", "--json").rows
    assert rows[0]["game"] == own
    assert {key: rows[1][key] for key in ("batch", "games", "over", "open")} == {
        "batch": "trial",
        "games": GAMES,
        "over": GAMES,
        "open": 0,
    }
    assert len(rows) == 2
    assert f"batch trial  mafia    {GAMES} of {GAMES} finished" in fresh("games").out
    assert fresh("show", "latest", "--json").json["game"] == own
    listed = [row["game"] for row in fresh("games", "--batch", "trial", "--json").rows]
    assert len(set(listed)) == GAMES
    assert [row["game"] for row in fresh("games", "--all", "--json").rows] == [own, *listed]
    assert fresh("show", listed[0][:6], "--json").json["game"] == listed[0]


def test_a_run_without_a_name_gets_one(fresh: Cli) -> None:
    words = [word for word in RUN if word not in ("--name", "trial")]
    done = fresh(*words, "--json")
    name = done.json["batch"]
    assert f"This is batch {name}." in done.err
    assert fresh("run", "--summary", name, "--json").json["games"] == GAMES


def test_a_summary_writes_the_rows_too(fresh: Cli, tmp_path: Path) -> None:
    first, again = tmp_path / "first.csv", tmp_path / "again.csv"
    assert fresh(*RUN, "--quiet", "--csv", first).code == 0
    assert fresh("run", "--summary", "trial", "--csv", again).code == 0
    read = [list(csv.reader(path.read_text(encoding="utf-8").splitlines())) for path in (first, again)]
    assert Counter(map(tuple, read[0])) == Counter(map(tuple, read[1]))


@pytest.mark.parametrize(
    ("words", "code", "part"),
    [
        (("run", "--continue", "nothing"), 2, "There is no batch 'nothing'"),
        (("run", "--summary", "nothing"), 2, "There is no batch 'nothing'. Choose one of: trial"),
        (("games", "--batch", "nothing"), 2, "There is no batch 'nothing'"),
        (RUN, 2, "Batch 'trial' already exists"),
        ((*RUN[:-1], " "), 2, "printable characters"),
        (("run", "--continue", "trial", "--summary", "trial"), 2, "not both"),
        (("run", "--summary", "trial", "mafia", "--games", "1"), 2, "after mafia"),
    ],
)
def test_a_name_that_does_not_fit_is_refused_in_one_line(
    fresh: Cli, words: tuple[str, ...], code: int, part: str
) -> None:
    assert fresh("run", "mafia", "--games", "1", "--players", "4", "--name", "trial", "--quiet").code == 0
    refused = fresh(*words)
    assert refused.code == code
    assert part in refused.err
    assert refused.err.count("\n") == 1
