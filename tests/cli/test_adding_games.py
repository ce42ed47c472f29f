"""Games added to an experiment that has run, and experiments of `run`, which compare nothing."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from commands import SOTTOVOCE, Cli
from working import log_at, sound

from sottovoce.experiments.batches import DIGEST, PLAN, SIZES, keep_games
from sottovoce.experiments.designs import Experiment
from sottovoce.experiments.file import digest, read_experiment
from sottovoce.server.batch_rows import findings
from sottovoce.server.batches import BatchChanged, extend, find

SHORT: dict[str, Any] = {"max_days": 1}
TRIAL: dict[str, Any] = {
    "name": "trial",
    "ruleset": "mafia",
    "players": [4, 5],
    "options": SHORT,
    "agents": {"house": "house", "random": "random"},
    "rest": "random",
    "design": {"order": "latin"},
    "seed": 3,
    "stop": {"games": 4},
}
RUN = (
    "run",
    "mafia",
    "--games",
    "3",
    "--players",
    "4",
    "--agents",
    "random",
    "--rule",
    "max_days=1",
    "--name",
    "plain",
)


def written(folder: Path, **changed: Any) -> Path:
    path = folder / "trial.yaml"
    path.write_text(yaml.safe_dump({**TRIAL, **changed}), encoding="utf-8")
    return path


def report(cli: Cli, file: Path | str) -> dict[str, Any]:
    said = cli("experiment", "report", file, "--format", "json")
    assert said.code == 0, said.err
    found: dict[str, Any] = json.loads(said.out)
    return found


def test_more_games_are_added_after_those_that_are_there(tmp_path: Path) -> None:
    cli = Cli(tmp_path / "log.db")
    assert cli("experiment", "run", written(tmp_path), "--quiet").code == 0
    before = {row["game"]: cli("export", row["game"]).out for row in cli("games", "--batch", "trial", "--json").rows}
    file = written(tmp_path, stop={"games": 9})
    assert cli("experiment", "status", file, "--json").json["planned"] == 10
    assert cli("experiment", "status", file, "--json").json["over"] == 4
    assert cli("experiment", "run", file, "--quiet").code == 0
    after = {row["game"]: cli("export", row["game"]).out for row in cli("games", "--batch", "trial", "--json").rows}
    assert len(after) == 10
    assert {game: after[game] for game in before} == before
    assert cli("db", "check").code == 0
    found = report(cli, file)
    assert found["games"].pop("asked_for") == [4, 9]
    assert "it had 4 at first, then 9." in cli("experiment", "report", file).out

    other = Cli(tmp_path / "whole.db")
    assert other("experiment", "run", file, "--quiet").code == 0
    whole = report(other, file)
    assert whole["games"].pop("asked_for") == [9]
    assert found == whole


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        cli = Cli(tmp_path / "log.db")
        cli("db", "upgrade")
        yield cli.url
    else:
        with request.getfixturevalue("databases").log() as found:
            yield found


def test_two_processes_that_add_the_same_games_add_them_once(tmp_path: Path, url: str) -> None:
    for games in (4, 10):
        command = [SOTTOVOCE, "--db", url, "experiment", "run", str(written(tmp_path, stop={"games": games}))]
        both = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
        told = [one.communicate(timeout=240) for one in both]
        assert [one.returncode for one in both] == [0, 0], told
        assert told[0][0] == told[1][0]
    with log_at(url) as log:
        assert sound(log) == 10
        assert not findings(log)


def test_of_two_that_add_at_once_the_second_is_told(url: str, tmp_path: Path) -> None:
    """It read the batch before the first had added its games."""
    chosen = Experiment(read_experiment(str(written(tmp_path))))
    with log_at(url) as log:
        keep_games(log, chosen)
        before = find(log, "trial")
        more = [replace(before.plans[0], game="another")]
        extend(log, before, more)
        with pytest.raises(BatchChanged):
            extend(log, before, more)
        assert len(find(log, "trial").plans) == 5


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"seed": 4}, "seed was 3 and is now 4"),
        ({"design": {"order": "rotated"}}, 'design.order was "latin" and is now "rotated"'),
        ({"options": {**SHORT, "max_days": 2}}, "options.max_days was 1 and is now 2"),
        ({"options": {}}, "options.max_days was 1 and is now left out"),
        ({"agents": {"house": "house", "random": "house"}}, 'agents.random was "random" and is now "house"'),
        ({"players": [4]}, "players was [4, 5] and is now [4]"),
        ({"stop": {"games": 2}}, "stop.games is 2 and was 4"),
    ],
)
def test_what_would_change_games_that_are_there_is_refused_and_named(
    tmp_path: Path, trial: Cli, changed: dict[str, Any], said: str
) -> None:
    before = trial.stored()
    file = written(tmp_path, **{"stop": {"games": 10}, **changed})
    for words in (("run", "--quiet"), ("status",), ("report",)):
        refused = trial("experiment", words[0], file, *words[1:])
        assert refused.code == 2
        assert said in refused.err
        assert refused.err.count("\n") == 1
    assert trial.stored() == before


def test_the_model_of_strengths_and_the_text_can_change(tmp_path: Path, trial: Cli) -> None:
    file = written(tmp_path, about="Other words.", design={"order": "latin", "estimate": "by-side"})
    assert trial("experiment", "report", file).code == 0


def test_one_that_was_kept_before_plans_were_is_known_by_its_hash(tmp_path: Path, trial: Cli) -> None:
    file = written(tmp_path)
    with log_at(trial.url) as log, log.tables(commit=True) as run:
        ((text,),) = run("SELECT plan FROM batches WHERE name = 'trial' AND number = 0")
        shared = json.loads(text)
        assert set(shared["about"]) == {DIGEST, PLAN, SIZES}
        shared["about"] = {DIGEST: digest(Experiment(read_experiment(str(file))).file.plan)}
        run("UPDATE batches SET plan = ? WHERE name = 'trial' AND number = 0", (json.dumps(shared),))
    assert trial("experiment", "report", file).code == 0
    assert "Something was changed" in trial("experiment", "report", written(tmp_path, seed=5)).err
    assert trial("experiment", "run", written(tmp_path, stop={"games": 6}), "--quiet").code == 0


@pytest.fixture
def trial(tmp_path: Path) -> Cli:
    """An experiment that has run."""
    cli = Cli(tmp_path / "log.db")
    assert cli("experiment", "run", written(tmp_path), "--quiet").code == 0
    return cli


def test_run_does_not_continue_an_experiment_past_its_limits(trial: Cli) -> None:
    said = trial("run", "--continue", "trial")
    assert said.code == 2
    assert "experiment run FILE" in said.err


def test_games_of_run_have_a_report_and_a_status_by_their_name(tmp_path: Path) -> None:
    cli = Cli(tmp_path / "log.db")
    counted = cli(*RUN, "--quiet", "--json").json
    found = report(cli, "plain")
    won = {one["side"]: round(one["value"] * one["cases"]) for one in found["wins"]}
    assert sum(won.values()) == found["games"]["counted"] == 3
    assert {side: number for side, number in won.items() if number and side != "nobody"} == counted["winners"]
    assert (found["plan"], found["differences"]) == (None, [])
    assert cli("experiment", "status", "plain", "--json").json["over"] == 3
    assert "Games of `run`" in cli("experiment", "report", "plain").out


@pytest.mark.parametrize(
    ("name", "said"), [("nothing", "There is no batch 'nothing'"), ("trial", "is an experiment. Give its file")]
)
def test_a_name_that_is_not_of_run_is_refused_in_one_line(trial: Cli, name: str, said: str) -> None:
    for what in ("report", "status"):
        refused = trial("experiment", what, name)
        assert refused.code == 2
        assert said in refused.err
        assert refused.err.count("\n") == 1
