"""What `run` says of many games agrees with a recount from their exports."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from sizes import sized

GAMES = sized(10, 1000)


def sottovoce(folder: Path, *words: str) -> str:
    environment = {**os.environ, "SOTTOVOCE_DB": f"sqlite:///{folder / 'games.db'}"}
    command = [sys.executable, "-m", "sottovoce", *words]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.spec("M-030")
def test_the_summary_of_a_run_agrees_with_a_recount_from_the_exports(tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    lineup = ("--agents", "random", "--names", "A,B,C,D,E,F,G,H", "--seat", "A=house")
    words = ("run", "mafia", "--games", str(GAMES), "--jobs", "2", *lineup, "--seed", "3", "--csv", str(rows), "--json")
    summary = json.loads(sottovoce(tmp_path, *words))
    listed = [json.loads(line) for line in sottovoce(tmp_path, "games", "--all", "--json").splitlines()]
    winners: Counter[str] = Counter()
    names: Counter[str] = Counter()
    counted: Counter[tuple[str, str, str]] = Counter()
    died: dict[tuple[str, str], str] = {}
    votes: Counter[tuple[str, str]] = Counter()
    answers: Counter[str] = Counter()
    for game in listed:
        target = tmp_path / "export.jsonl"
        sottovoce(tmp_path, "export", game["game"], "-o", str(target))
        events = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
        names.update(event["name"] for event in events)
        ended = events[-1]["data"]
        winners[ended["winner"]] += 1
        for seat, role in ended["roles"].items():
            counted[game["game"], seat, role] += 1
        for event in events:
            data, kind = event["data"], event["name"].split(".")[1]
            if kind == "night-resolved" and data["died"]:
                died[game["game"], data["died"]] = f"night {data['night']}"
            elif kind == "player-executed":
                died[game["game"], data["player"]] = f"day {data['day']}"
            elif "votes" in data:
                votes.update((game["game"], seat) for seat in data["votes"])
            elif kind == "reply-accepted":
                answers[data["seat"]] += 1
    assert summary["games"] == len(listed) == GAMES
    assert summary["winners"] == dict(winners)
    assert summary["events"] == names.total()
    assert summary["decisions"] == names["core.reply-accepted.v1"]
    assert summary["fallbacks"] == names["core.fallback-applied.v1"] == 0
    assert summary["refusals"] == names["core.attempt-failed.v1"] + names["core.message-refused.v1"]
    with rows.open(encoding="utf-8", newline="") as file:
        rows_read = list(csv.DictReader(file))
    assert Counter(row["game"] for row in rows_read) == Counter({game["game"]: 9 for game in listed})
    assert {row["status"] for row in rows_read} == {"over"}
    players = [row for row in rows_read if row["part"]]
    assert {(row["game"], row["seat"]): row["died"] for row in players if row["died"]} == died
    assert {(row["game"], row["seat"]): len(row["votes"].split()) for row in players if row["votes"]} == votes
    assert {row["seat"]: row["decisions"] for row in summary["seats"]} == answers
    again = next(row for row in players if row["seat"] == "A" and row["died"])
    once = ("play", "mafia", *lineup, "--seed", again["seed"], "--json")
    assert json.loads(sottovoce(tmp_path, *once))["winner"] == again["winner"]
    assert Counter((row["game"], row["seat"], row["part"]) for row in players) == counted
    assert {row["seat"] for row in players if row["agent"] == "house"} == {"A"}
    assert Counter(row["winner"] for row in players if row["seat"] == "A") == winners
