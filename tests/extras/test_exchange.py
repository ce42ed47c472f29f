"""What `data` writes, read by those it is for: polars, pyarrow, Inspect, and the datasets package."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from commands import Cli

from sottovoce.experiments.tables import TABLES


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything that `data` writes, of three games of the house."""
    place = tmp_path_factory.mktemp("exchange")
    cli = Cli(place / "log.db")
    words = ("run", "mafia", "--games", "3", "--players", "5", "--seed", "2", "--name", "trial", "--quiet")
    assert cli(*words).code == 0
    forms = [word for form in ("csv", "parquet", "eval", "training") for word in ("--format", form)]
    said = cli("data", "trial", "--to", place / "out", *forms)
    assert said.code == 0, said.err
    return place / "out"


def rows(folder: Path, table: str) -> list[dict[str, str]]:
    csv.field_size_limit(10_000_000)
    with (folder / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("table", TABLES)
def test_polars_and_pyarrow_read_the_same(folder: Path, table: str) -> None:
    import polars
    import pyarrow.parquet

    path = folder / f"{table}.parquet"
    one, other = polars.read_parquet(path), pyarrow.parquet.read_table(path)
    assert one.to_dicts() == other.to_pylist()
    assert len(one) == len(rows(folder, table))
    assert one.columns == [column.name for column in TABLES[table]]


def test_columns_have_their_types(folder: Path) -> None:
    import polars

    games = polars.read_parquet(folder / "games.parquet")
    assert games.schema["started"] == polars.Datetime("us", "UTC")
    assert games.schema["rounds"] == polars.Int64
    turns = polars.read_parquet(folder / "turns.parquet")
    assert turns.schema["choices"] == polars.List(polars.String)
    seats = polars.read_parquet(folder / "seats.parquet")
    won = seats.filter(polars.col("won")).group_by("game").agg(polars.col("side").n_unique())
    assert set(won["side"]) == {1}


def test_inspect_reads_every_log(folder: Path) -> None:
    from inspect_ai.analysis import messages_df, samples_df
    from inspect_ai.log import read_eval_log

    logs = sorted(folder.glob("*.eval"))
    assert len(logs) == 3
    messages = 0
    for path in logs:
        log = read_eval_log(str(path))
        assert log.status == "success"
        assert log.samples is not None
        seats = {row["seat"]: row for row in rows(folder, "seats") if row["game"] == path.stem}
        for sample in log.samples:
            assert sample.metadata["part"] == seats[str(sample.metadata["seat"])]["part"]
            assert len(sample.events) == int(seats[str(sample.metadata["seat"])]["decisions"])
            messages += len(sample.messages)
    assert len(samples_df([str(path) for path in logs])) == 18
    assert len(messages_df([str(path) for path in logs])) == messages > 200


def test_a_game_of_another_program_is_read_too(tmp_path: Path) -> None:
    """A short log in AIWolf's format: its tables, and what each seat saw."""
    import polars
    from inspect_ai.analysis import samples_df
    from inspect_ai.log import read_eval_log

    roles = ("WEREWOLF", "SEER", "VILLAGER", "VILLAGER")
    lines = [f"0,status,{number},{role},ALIVE,team" for number, role in enumerate(roles, 1)]
    lines += ["0,talk,0,0,3,Hello.", "1,vote,2,1", "1,execute,1", "2,result,3,0,VILLAGER"]
    (tmp_path / "000.log").write_text("\n".join(lines))
    cli = Cli(tmp_path / "log.db")
    game = cli("import", "--format", "aiwolf", tmp_path / "000.log", "--json").json["games"][0]["game"]
    forms = ("--format", "parquet", "--format", "eval")
    assert cli("data", game, "--to", tmp_path / "out", *forms).code == 0
    seats = polars.read_parquet(tmp_path / "out" / "seats.parquet")
    assert seats["part"].to_list() == list(roles)
    assert polars.read_parquet(tmp_path / "out" / "speeches.parquet")["text"].to_list() == ["Hello."]
    assert len(polars.read_parquet(tmp_path / "out" / "turns.parquet")) == 0
    log = read_eval_log(str(tmp_path / "out" / f"{game}.eval"))
    assert log.samples is not None
    assert [sample.metadata["part"] for sample in log.samples] == list(roles)
    assert [sample.scores and sample.scores["won"].value for sample in log.samples] == [0, 1, 1, 1]
    assert all("Hello." in str(sample.input) for sample in log.samples)
    assert len(samples_df([str(tmp_path / "out" / f"{game}.eval")])) == 4


def test_inspect_view_opens_a_log(folder: Path, tmp_path: Path) -> None:
    port, (path, *_) = 7593, sorted(folder.glob("*.eval"))
    program = str(Path(sys.executable).with_name("inspect"))
    command = [program, "view", "--log-dir", str(folder), "--host", "127.0.0.1", "--port", str(port)]
    home = {**os.environ, "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    with (tmp_path / "view.log").open("w") as said:
        viewing = subprocess.Popen(command, env=home, stdout=said, stderr=said)
        try:
            page = _got(f"http://127.0.0.1:{port}/", viewing)
            assert b"Inspect" in page
            listed = json.loads(_got(f"http://127.0.0.1:{port}/api/logs", viewing))
            names = [one["name"] for one in listed["files"]]
            (name,) = [name for name in names if name.endswith(path.name)]
            log = json.loads(_got(f"http://127.0.0.1:{port}/api/logs/{quote(name, safe='')}", viewing))
            assert log["eval"]["task_id"] == path.stem
            assert len(log["samples"]) == 6
        finally:
            viewing.terminate()
            viewing.wait()


def _got(address: str, viewing: subprocess.Popen[Any]) -> bytes:
    """What the viewer answers, as soon as it does."""
    for _ in range(300):
        assert viewing.poll() is None, "the viewer ended"
        try:
            with urllib.request.urlopen(address, timeout=30) as answer:
                found: bytes = answer.read()
                return found
        except ConnectionError:
            time.sleep(0.2)
        except OSError as error:
            if not isinstance(getattr(error, "reason", None), ConnectionError):
                raise
            time.sleep(0.2)
    raise AssertionError(f"{address} gave no answer")


def test_the_datasets_package_loads_the_training_data(folder: Path, tmp_path: Path) -> None:
    import datasets

    path = str(folder / "training.jsonl")
    found = datasets.load_dataset("json", data_files=path, split="train", cache_dir=str(tmp_path))
    assert len(found) == sum(turn["how"] == "reply" for turn in rows(folder, "turns"))
    assert [message["role"] for message in found[0]["messages"]] == ["system", "user", "assistant"]
    assert set(found.unique("winner")) == {row["winner"] for row in rows(folder, "games")}
