"""A ruleset of an installed package is played, watched and audited by the ordinary commands."""

from __future__ import annotations

import json
import os
import subprocess
import tomllib
from pathlib import Path

import pytest
from commands import ROOT, SOTTOVOCE
from patience import PATIENCE

HERE = ROOT / "examples" / "rulesets" / "guessing"


def installed(folder: Path, **groups: dict[str, str]) -> dict[str, str]:
    """An environment in which the example is installed as pip would lay it: the module, and its entry points."""
    info = folder / "sottovoce_guessing-0.1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sottovoce-guessing\nVersion: 0.1.0\n")
    sections = groups or tomllib.loads((HERE / "pyproject.toml").read_text())["project"]["entry-points"]
    lines = [f"[{group}]\n" + "\n".join(f"{k} = {v}" for k, v in names.items()) for group, names in sections.items()]
    (info / "entry_points.txt").write_text("\n\n".join(lines))
    return {**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{HERE}", "SOTTOVOCE_DB": f"sqlite:///{folder}/games.db"}


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
        "    assert len(command.seats) == 7, command.seats\n    GUESSING.open(game, command)\n"
        "CROWD = GUESSING.but(name='guessing', players=6, open=open_game)\n"
    )
    many = said(here, "run", "crowd", "--agents", "random", "--games", "2", "--quiet", "--json")
    assert many.returncode == 0, many.stderr
    assert json.loads(many.stdout)["games"] == 2
