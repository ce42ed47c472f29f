"""A ruleset of an installed package is played, watched and audited by the ordinary commands."""

from __future__ import annotations

import csv
import json
import subprocess
from importlib import import_module
from pathlib import Path

import pytest
from commands import SOTTOVOCE
from guests import EXAMPLES, installed
from patience import PATIENCE

from sottovoce import Open, Seed
from sottovoce.testing import NOON, given

HERE = EXAMPLES / "guessing"


def said(environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([SOTTOVOCE, *words], env=environment, capture_output=True, text=True, timeout=PATIENCE)


def test_it_is_played_viewed_and_audited(tmp_path: Path) -> None:
    here = installed(tmp_path)
    played = said(here, "play", "guessing", "--names", "Ada,Bram", "--seed", "4")
    assert played.returncode == 0, played.stderr
    assert "The winner is: " in played.stdout
    assert "The number is" not in said(here, "view", "latest", "--as", "Ada").stdout
    assert "The number is" in said(here, "view", "latest", "--as", "keeper").stdout
    assert said(here, "audit", "verify", "latest").returncode == 0
    seen = json.loads(said(here, "audit", "who-saw", "latest", "3", "--json").stdout)
    assert [row["seat"] for row in seen["seats"] if row["allowed"]] == ["keeper"]
    many = said(here, "run", "guessing", "--games", "6", "--jobs", "2", "--quiet", "--json")
    assert json.loads(many.stdout)["games"] == 6, many.stderr
    assert "guessing" in said(here, "play", "--help").stdout


def test_it_has_a_board_a_standing_columns_and_a_line_in_the_help(tmp_path: Path) -> None:
    here = installed(tmp_path)
    rows = tmp_path / "rows.csv"
    many = said(here, "run", "guessing", "--games", "3", "--players", "4", "--seed", "2", "--csv", str(rows), "--json")
    assert many.returncode == 0, many.stderr
    with rows.open(encoding="utf-8", newline="") as file:
        read = list(csv.DictReader(file))
    assert len(read) == 3 * 5
    assert {row["part"] for row in read} == {"keeper", "player"}
    assert all(row["guesses"].split() for row in read if row["part"] == "player")
    assert said(here, "show", "latest").stdout.splitlines()[0].split() == ["player", "guess", "answer"]
    helped = said(here, "play", "--help").stdout
    assert "Somebody knows a number; guess it." in helped
    assert "How many players, 1 to 12; 3 if not given." in said(here, "run", "guessing", "--help").stdout
    crowded = said(here, "play", "guessing", "--players", "13")
    assert crowded.returncode == 2
    assert "'13' is not a whole number from 1 to 12" in crowded.stderr
    assert "# A game of Guessing" in said(here, "transcript", "latest").stdout


def status(environment: dict[str, str], game: str) -> str:
    rows = [json.loads(line) for line in said(environment, "games", "--json").stdout.splitlines()]
    return str(next(row["status"] for row in rows if row["game"] == game))


def test_a_log_is_listed_and_worked_where_a_package_of_its_games_is_missing(tmp_path: Path) -> None:
    """Or cannot be loaded: its games are left as they are, and nothing else is touched."""
    here = installed(tmp_path / "site")
    broken = installed(tmp_path / "broken", **{"sottovoce.rulesets": {"guessing": "nowhere:GUESSING"}})
    gone = {**here, "PYTHONPATH": ""}
    game = json.loads(said(here, "play", "guessing", "--agents", "random", "--json").stdout)["game"]
    for there in (gone, {**broken, "SOTTOVOCE_DB": here["SOTTOVOCE_DB"]}):
        other = json.loads(said(there, "play", "mafia", "--agents", "random", "--json").stdout)["game"]
        for words in (("games",), ("db", "rebuild"), ("games", "--ruleset", "mafia")):
            listed = said(there, *words)
            assert (listed.returncode, listed.stderr.count("\n") > 1) == (0, False), (words, listed.stderr)
            assert words[0] == "db" or other in listed.stdout
        assert game in said(there, "games").stdout
        forked = json.loads(said(there, "fork", other, "--at", "30", "--json").stdout)["game"]
        with subprocess.Popen([SOTTOVOCE, "worker"], env=there, stderr=subprocess.PIPE, text=True) as worker:
            while status(there, forked) != "over":
                assert worker.poll() is None, worker.stderr and worker.stderr.read()
            worker.terminate()
        asked = said(there, "show", game)
        assert (asked.returncode > 0, asked.stderr.count("\n")) == (True, 1)
    assert said(here, "db", "rebuild").returncode == 0
    assert "over" in next(line for line in said(here, "games").stdout.splitlines() if game in line)


def test_an_agent_that_fails_is_told_of_with_the_place(tmp_path: Path) -> None:
    (tmp_path / "faulty.py").write_text(
        "from sottovoce.agents import AgentExtras\n\n\ndef house(view, turn, random):\n    return 1 / 0\n\n\n"
        "FAULTY = AgentExtras(house=house)\n"
    )
    groups = {
        "sottovoce.rulesets": {"guessing": "guessing:GUESSING"},
        "sottovoce.agents": {"guessing": "faulty:FAULTY"},
    }
    here = installed(tmp_path, **groups)
    assert said(here, "play", "guessing", "--names", "Ada", "--quiet").returncode == 0
    told = said(here, "audit", "prompt", "latest", "Ada", "1").stdout
    assert "What went wrong: ZeroDivisionError: division by zero (faulty.py, line 5)" in told


def test_who_is_awaited_is_what_everybody_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(HERE))
    rules, extras = import_module("guessing"), import_module("guessing_extras")
    seats, agents = ("keeper", "Ada", "Bram"), dict.fromkeys(("keeper", "Ada", "Bram"), "house")
    game = given(rules.GUESSING).when(Open(NOON, seats, agents, Seed.of(1), {"highest": 9}))
    for seat, text in (("keeper", "Guess!"), ("Ada", "9"), ("Bram", "9"), ("keeper", "Again!")):
        assert extras.awaited(game.known("nobody at the table")) == (seat,) == game.asked()
        game = game.reply(seat, text)


def test_its_options_are_checked_like_any_others(tmp_path: Path) -> None:
    refused = said(installed(tmp_path), "play", "guessing", "--rule", "lowest=3")
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert "highest" in refused.stderr


@pytest.mark.parametrize(
    ("names", "why"),
    [
        ({"broken": "nowhere:NOTHING"}, "ModuleNotFoundError"),
        ({"wrong": "guessing:KEEPER"}, "is no Ruleset"),
        ({"mafia": "guessing:GUESSING"}, ""),
    ],
)
def test_one_that_cannot_be_used_stops_nothing_else(tmp_path: Path, names: dict[str, str], why: str) -> None:
    here = installed(tmp_path, **{"sottovoce.rulesets": names})
    asked = said(here, "play", *names, "--help")
    assert ("cannot be used" in asked.stderr and why in asked.stderr) if why else "Mafia" in asked.stdout
    assert said(here, "play", "mafia", "--players", "4", "--quiet", "--seed", "1").returncode == 0


def test_a_run_without_names_has_as_many_players_as_the_ruleset_says(tmp_path: Path) -> None:
    here = installed(tmp_path, **{"sottovoce.rulesets": {"crowd": "crowd:CROWD"}, "sottovoce.agents": {}})
    (tmp_path / "crowd.py").write_text(
        "from dataclasses import replace\nfrom guessing import GUESSING\n"
        "def open_game(game, command):\n"
        "    assert len(command.seats) == 7, command.seats\n    type(CROWD).open(CROWD, game, command)\n"
        "CROWD = GUESSING.but(name='crowd', players=6, open=open_game)\n"
    )
    many = said(here, "run", "crowd", "--agents", "random", "--games", "2", "--quiet", "--json")
    assert many.returncode == 0, many.stderr
    assert json.loads(many.stdout)["games"] == 2
