"""The tables, logs and training data that games are written as."""

from __future__ import annotations

import csv
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from commands import ROOT, Cli

from sottovoce.experiments.tables import TABLES

PROGRAM = """\
import json, sys
sys.stdin.read()
print("I say nothing of note.")
"""


@pytest.fixture(scope="module")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    return Cli(tmp_path_factory.mktemp("data") / "log.db")


@pytest.fixture(scope="module")
def game(cli: Cli) -> str:
    """A game of the house, in which Bram is a program that gets prompts."""
    program = cli.path.with_name("answer.py")
    program.write_text(PROGRAM, encoding="utf-8")
    seats = ("--seat", f"Bram=command:python3 {program}", "--rule", "max_attempts=1", "--rule", "max_days=3")
    return str(cli("play", "mafia", "--names", "Ada,Bram,Cleo,Dirk,Edda", *seats, "--seed", "4", "--json").json["game"])


@pytest.fixture(scope="module")
def folder(cli: Cli, game: str) -> Path:
    target = cli.path.with_name("out")
    said = cli("data", game, "--to", target, "--format", "csv", "--format", "eval", "--format", "training")
    assert said.code == 0, said.err
    return target


def table(folder: Path, name: str) -> list[dict[str, str]]:
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def exported(cli: Cli, game: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in cli("export", game).out.splitlines()]


def named(events: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [event for event in events if f".{name}." in event["name"]]


@pytest.mark.parametrize("name", TABLES)
def test_every_table_has_its_columns_and_the_game(folder: Path, game: str, name: str) -> None:
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == [column.name for column in TABLES[name]]
    assert {row[0] for row in rows} <= {game}
    assert rows or name == "claims"


def test_events_are_those_of_the_export(cli: Cli, folder: Path, game: str) -> None:
    events, rows = exported(cli, game), table(folder, "events")
    assert [json.loads(row["data"]) for row in rows] == [event["data"] for event in events]
    assert [row["name"] for row in rows] == [event["name"] for event in events]
    for row, event in zip(rows, events, strict=True):
        if event["audience"] != "everyone":
            assert sorted(json.loads(row["seen_by"])) == sorted(event["audience"])


def test_seats_turns_and_ballots_agree_with_the_export(cli: Cli, folder: Path, game: str) -> None:
    events = exported(cli, game)
    ended = events[-1]["data"]
    assert {row["seat"]: row["part"] for row in table(folder, "seats") if row["part"]} == ended["roles"]
    turns = table(folder, "turns")
    assert len(turns) == len(named(events, "turn-opened"))
    replies, fallbacks = len(named(events, "reply-accepted")), len(named(events, "fallback-applied"))
    assert [sum(turn["how"] == how for turn in turns) for how in ("reply", "fallback")] == [replies, fallbacks]
    assert sum(int(row["decisions"]) for row in table(folder, "seats")) == replies
    trials = [event["data"]["votes"] for event in named(events, "trial-closed")]
    cast = [(row["seat"], row["choice"]) for row in table(folder, "ballots") if row["kind"] == "trial-vote"]
    assert sorted(cast) == sorted(pair for votes in trials for pair in votes.items())


def test_speeches_have_those_who_hear_them(cli: Cli, folder: Path, game: str) -> None:
    said = [event["data"]["text"] for event in named(exported(cli, game), "speech-given") if event["data"]["text"]]
    rows = table(folder, "speeches")
    assert set(said) <= {row["text"] for row in rows}
    assert all(row["seat"] not in json.loads(row["listeners"]) for row in rows)


def test_a_claim_is_true_if_the_role_is(cli: Cli, folder: Path, game: str) -> None:
    roles = exported(cli, game)[-1]["data"]["roles"]
    for row in table(folder, "claims"):
        if row["kind"] == "role":
            so = (roles[row["about"]] == row["detail"]) != (row["denied"] == "true")
            assert row["true"] == ("true" if so else "false")


def test_beliefs_are_likelihoods(folder: Path) -> None:
    rows = table(folder, "beliefs")
    assert rows
    assert all(0 <= float(row["likelihood"]) <= 1 and row["about"] != row["seat"] for row in rows)


def training(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "training.jsonl").read_text(encoding="utf-8").splitlines()]


def test_training_data_has_every_decision_with_the_very_prompt_that_was_sent(cli: Cli, folder: Path, game: str) -> None:
    lines = training(folder)
    events = exported(cli, game)
    assert [(line["seat"], line["turn"]) for line in lines] == [
        (event["data"]["seat"], event["data"]["turn"]) for event in named(events, "reply-accepted")
    ]
    ended = events[-1]["data"]
    assert all(line["part"] == ended["roles"].get(line["seat"]) for line in lines)
    sent = [line for line in lines if line["sent"]]
    assert {line["seat"] for line in sent} == {"Bram"}
    for line in sent:
        shown = cli("audit", "prompt", game, "Bram", line["turn"]).out
        assert line["messages"][1]["content"].splitlines()[-1] in shown
        assert [message["role"] for message in line["messages"]] == ["system", "user", "assistant"]


def test_a_prompt_holds_nothing_that_its_seat_has_not_seen(folder: Path) -> None:
    """Only the Detective, the narrator and the Mafia themselves know who the Mafia are."""
    parts = {row["seat"]: row["part"] for row in table(folder, "seats")}
    for line in training(folder):
        if parts[line["seat"]] in ("Villager", "Doctor"):
            assert not re.search(r"The only Mafia is|The Mafia are \w", line["messages"][1]["content"])


def test_sent_only_leaves_out_what_no_model_was_sent(cli: Cli, game: str) -> None:
    target = cli.path.with_name("sent")
    assert cli("data", game, "--to", target, "--format", "training", "--sent-only").code == 0
    assert {line["seat"] for line in training(target)} == {"Bram"}


def test_an_inspect_log_has_a_sample_for_each_seat(folder: Path, game: str) -> None:
    with zipfile.ZipFile(folder / f"{game}.eval") as archive:
        header = json.loads(archive.read("header.json"))
        samples = [json.loads(archive.read(name)) for name in archive.namelist() if name.startswith("samples/")]
    assert header["status"] == "success"
    assert header["eval"]["task_id"] == game
    assert {sample["metadata"]["seat"] for sample in samples} == {line["seat"] for line in training(folder)}
    for sample in samples:
        assert len(sample["events"]) == sample["metadata"]["decisions"]


def test_the_same_games_give_the_same_bytes(cli: Cli, folder: Path, game: str) -> None:
    again = cli.path.with_name("again")
    assert cli("data", game, "--to", again, "--format", "csv", "--format", "eval", "--format", "training").code == 0
    for path in folder.iterdir():
        assert (again / path.name).read_bytes() == path.read_bytes(), path.name


def test_parquet_without_its_package_says_what_to_install(cli: Cli, game: str, tmp_path: Path) -> None:
    said = cli("data", game, "--to", tmp_path, "--format", "parquet")
    assert said.code in (0, 1)
    if said.code:
        assert "pip install 'sottovoce[data]'" in said.err


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("nonesuch", "--to", "{tmp}/x"), 2, "no game 'nonesuch'"),
        (("none.yaml", "--to", "{tmp}/x"), 2, "Cannot read none.yaml"),
        (("latest", "--to", "{tmp}/file"), 2, "cannot write to"),
        (("latest", "--to", "{tmp}/x", "--sent-only"), 2, "--format training"),
    ],
)
def test_what_cannot_be_written_says_so(
    cli: Cli, game: str, tmp_path: Path, words: tuple[str, ...], code: int, said: str
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    found = cli("data", *(word.replace("{tmp}", str(tmp_path)) for word in words))
    assert found.code == code
    assert said in found.err
    assert found.err.count("\n") == 1


def test_the_document_has_every_column() -> None:
    text = (ROOT / "docs" / "data.md").read_text(encoding="utf-8")
    for name, columns in TABLES.items():
        (part,) = re.findall(rf"^### `{name}\.csv`.*?\n(.*?)(?=^##)", text, re.M | re.S)
        assert re.findall(r"^\| `(\w+)` \|", part, re.M) == [column.name for column in columns]
        assert all(column.means in part for column in columns)
