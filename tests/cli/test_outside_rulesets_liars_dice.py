"""Liar's dice, a ruleset of an installed package: a person bids in words and by names, and many games are counted."""

from __future__ import annotations

import csv
import json
import subprocess
from pathlib import Path

import pytest
from commands import SOTTOVOCE
from guests import installed
from patience import PATIENCE
from terminals import Pty

PLAY = ("play", "liars-dice", "--names", "Ada,Bram", "--seed", "4", "--rule", "dice=2")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return installed(tmp_path, "liars-dice")


def said(environment: dict[str, str], *words: str) -> str:
    done = subprocess.run([SOTTOVOCE, *words], env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_person_bids_in_a_narrow_window_and_is_told_how_before_an_attempt_is_lost(
    environment: dict[str, str],
) -> None:
    program = Pty(
        [SOTTOVOCE, *PLAY, "--seat", "Ada=human"], env={**environment, "SOTTOVOCE_PACE": "0"}, rows=40, columns=44
    )
    try:
        program.fresh("You rolled ", "doubt.", "Ada ❯")
        for wrong, why in (("doubt", "Call cannot be doubt here."), ("9 9", "Count cannot be 9"), ("eh", "fits none")):
            program.type(f"{wrong}\r")
            program.fresh(why, "Nothing was sent.", "Ada ❯")
        program.type(":help\r")
        program.fresh("count: 1", "face: 1", "Ada ❯")
        program.type("face: 6, count: 4\r")
        program.fresh("bids 4 sixes.", " doubts the bid of ", "The dice show")
        program.fresh("Ada ❯")
        program.type("\x03")
        assert program.ended() == 130
    finally:
        program.close()
    seen = [json.loads(line) for line in said(environment, "view", "latest", "--as", "Ada", "--json").splitlines()]
    assert [entry["data"]["choice"] for entry in seen if entry["name"] == "core.reply-accepted.v1"] == ["4 sixes"]
    assert "core.attempt-failed.v1" not in {entry["name"] for entry in seen}


def test_random_players_make_legal_calls_only_and_are_counted(environment: dict[str, str], tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    words = ("run", "liars-dice", "--games", "3", "--players", "3", "--rule", "dice=2", "--seed", "2")
    many = json.loads(said(environment, *words, "--agents", "random", "--csv", str(rows), "--json"))
    assert (many["games"], many["fallbacks"], many["refusals"]) == (3, 0, 0)
    with rows.open(encoding="utf-8", newline="") as file:
        read = list(csv.DictReader(file))
    assert sum(int(row["doubts"] or 0) for row in read) == sum(int(row["rounds"]) for row in read) / 3
    assert said(environment, "show", "latest").splitlines()[0].split() == ["player", "dice", "last", "bid"]
