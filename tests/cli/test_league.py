"""The league of the examples: an agent of another package among those that ship, and a report from one command."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from commands import ROOT

LEAGUE = ROOT / "examples" / "experiments"


def test_one_command_plays_the_league_and_writes_its_report(tmp_path: Path) -> None:
    file = tmp_path / "league.yaml"
    text = (LEAGUE / "league.yaml").read_text(encoding="utf-8")
    file.write_text(re.sub(r"games: \d+", "games: 6", text).replace("players: 8", "players: 4"), encoding="utf-8")
    command = [sys.executable, str(LEAGUE / "league.py"), str(file)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=180)
    assert done.returncode == 0, done.stderr
    report = (tmp_path / "league.md").read_text(encoding="utf-8")
    assert "6 of 6 games counted." in report
    for agent in ("house", "random", "follower"):
        assert re.search(rf"^\| {agent} \| 4 \|", report, re.M), agent
    assert "follower" in (tmp_path / "league.html").read_text(encoding="utf-8")


def test_the_committed_report_is_of_the_committed_file() -> None:
    """Its numbers are those of the house as it plays; its design and its agents are the file's."""
    report = (LEAGUE / "league.md").read_text(encoding="utf-8")
    file = (LEAGUE / "league.yaml").read_text(encoding="utf-8")
    (games,) = re.findall(r"games: (\d+)", file)
    assert f"{games} of {games} games counted." in report
    for section in ("Wins by side", "Differences on the same deals", "Strengths", "How seats behaved"):
        assert f"## {section}" in report
