"""Budgets of agents across real processes: a warning, a hold that asks, and how a game goes on after it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from commands import ROOT, SOTTOVOCE, Cli
from patience import PATIENCE
from remote import PLAYERS, RemoteServer, bounded, log_in
from working import log_at

from sottovoce.eventlog.log import Receipt
from sottovoce.server.http.settings import Settings
from sottovoce.server.limits import Limits, limits_of, used_in

STUB = f"{sys.executable} {ROOT / 'tests' / 'kit' / 'acp_agent.py'}"
EXAMPLE = ROOT / "examples" / "delegation" / "village-paper"
GAME = ("--seed", "1", "--names", "Ada,Bram,Cleo,Dirk", "--agents", "random", "--rule", "max_days=1")
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("SOTTOVOCE_ACP_SANDBOX", "off")
    monkeypatch.setenv("SOTTOVOCE_COMMANDS", "*")


@pytest.fixture
def sv(tmp_path: Path) -> Cli:
    return Cli(tmp_path / "games.db")


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    """A copy of the example."""
    return Path(shutil.copytree(EXAMPLE, tmp_path / "paper", ignore=shutil.ignore_patterns(".*")))


def rows(sv: Cli, tmp_path: Path, name: str) -> list[dict[str, Any]]:
    sv("export", "latest", "-o", tmp_path / "events", "--receipts", tmp_path / "receipts")
    lines = map(json.loads, (tmp_path / "receipts").read_text().splitlines())
    return [row["data"] for row in lines if row["name"] == name]


def used(sv: Cli, tmp_path: Path) -> int:
    """Tokens that all calls of agents used."""
    ended = rows(sv, tmp_path, "core.call-ended.v1")
    return sum(row["prompt_tokens"] + row["reply_tokens"] for row in ended)


def test_a_game_warns_once_holds_at_its_limit_and_goes_on_with_a_higher_one(sv: Cli, tmp_path: Path) -> None:
    """Each call uses 110 tokens: 440 are 80 % of 550, and 550 are reached by the fifth."""
    seat = ("--seat", f"Ada=acp:{STUB}", "--seat", f"Bram=acp:{STUB}")
    held = sv("play", "mafia", *GAME, *seat, "--max-tokens", "550")
    assert held.code == 1
    assert held.err.count("Most of the budget of the game is used: 440 of 550 tokens.") == 1
    assert "The budget of the game is spent: 550 of 550 tokens. To continue, resume it with a higher limit" in held.err
    assert "Used by the game: 550 of 550 tokens." in held.err
    assert used(sv, tmp_path) == 550, "not a call more"
    placed = [row["data"] for row in sv("export", "latest").rows if row["name"] == "core.hold-placed.v1"]
    assert placed == [{"waiting_for": "the keeper", "why": "The budget of the agents is spent."}]
    assert "budget       the game: at most 550 tokens\n" in sv("show", "latest").out
    assert sv("show", "latest", "--json").json["budget"]["used"] is None, "who is asked is a secret"
    assert "budget       the game: 550 of 550 tokens, $0.05 used, 0." in sv("show", "latest", "--auditor").out
    assert sv("show", "latest", "--as", "Ada", "--json").json["budget"] is None
    again = sv("resume", "latest")
    assert again.code == 1
    assert used(sv, tmp_path) == 550
    assert again.err.count("Most of the budget") == 0, "told once"
    over = sv("resume", "latest", "--json", "--max-tokens", "100000")
    assert (over.json["status"], over.json["fallbacks"]) == ("over", 0)
    assert used(sv, tmp_path) > 550
    shown = sv("show", "latest", "--json").json["budget"]
    assert (shown["limits"]["tokens"], shown["used"][0]["tokens"]) == (100000, used(sv, tmp_path))
    assert [row["tokens"] for row in rows(sv, tmp_path, "core.budget-set.v1")] == [550, 100000]
    assert sv("audit", "verify", "latest").code == 0
    assert sv("db", "check").code == 0


def test_money_and_time_have_limits_too(sv: Cli, tmp_path: Path) -> None:
    held = sv("play", "mafia", *GAME, "--seat", f"Ada=acp:{STUB}", "--max-cost", "0.02")
    assert "The budget of the game is spent: $0.02 of $0.02." in held.err
    held = sv("play", "mafia", *GAME, "--seat", f"Ada=acp:{STUB} pauses=0.7", "--max-minutes", "0.01")
    assert re.search(r"The budget of the game is spent: 0\.0 of 0\.01 minutes", held.err)
    assert len(rows(sv, tmp_path, "core.call-ended.v1")) == 1


@pytest.mark.parametrize("of", ["max", "task"])
@pytest.mark.parametrize("what", ["tokens", "cost", "minutes"])
def test_every_limit_warns_at_four_fifths_and_holds_when_it_is_reached(
    sv: Cli, paper: Path, tmp_path: Path, of: str, what: str
) -> None:
    """Five calls of 110 tokens, of a cent, of at least 0.3 seconds: the limit is what three of them use."""
    limit = {"tokens": "330", "cost": "0.03", "minutes": "0.0125"}[what]
    paused = " pauses=0.3" if what == "minutes" else ""
    seats = [word for name in ("planner", "executor", "reviewer") for word in ("--seat", f"{name}=acp:{STUB}{paused}")]
    held = sv("play", "delegation", paper, "--task", "spring-fair", *seats, f"--{of}-{what}", limit)
    assert held.code == 1
    whose = "the game" if of == "max" else r"\S+-spring-fair"
    assert len(re.findall(rf"Most of the budget of {whose} is used: ", held.err)) == 1
    assert re.search(rf"The budget of {whose} is spent: ", held.err)
    warned = rows(sv, tmp_path, "core.budget-warned.v1")
    assert [(row["what"], row["about"] is None) for row in warned] == [(what, of == "max")]
    used = sv("show", "latest", "--json").json["budget"]["used"][0]
    assert used[what] >= float(limit)
    assert used["calls"] == len(rows(sv, tmp_path, "core.call-ended.v1")) == (3 if what != "minutes" else used["calls"])
    assert sv("resume", "latest", "--json", f"--{of}-{what}", "1000").json["status"] == "over"


def test_a_call_that_was_killed_is_counted_for_as_long_as_it_is_known_to_have_run(
    sv: Cli, paper: Path, tmp_path: Path
) -> None:
    """The process that made it is killed, so nobody knows what it used: `show` says so, and its time counts."""
    env = {**os.environ, "SOTTOVOCE_DB": sv.url}
    slow = ("--seat", f"planner=acp:{STUB} pauses=60")
    words = (SOTTOVOCE, "play", "delegation", str(paper), *slow, "--max-tokens", "100000", "--quiet")
    with subprocess.Popen(words, env=env, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + PATIENCE
        while not (
            sv.path.exists() and sv("games", "--json").out and len(rows(sv, tmp_path, "core.handed-over.v1")) > 1
        ):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        process.send_signal(signal.SIGKILL)
    again = sv("resume", "latest", "--seat", f"planner=acp:{STUB}", "--json")
    assert again.json["status"] == "over", again.err
    lost = [row for row in rows(sv, tmp_path, "core.call-ended.v1") if row["how"] == "lost"]
    assert len(lost) == 2, "two tasks were planned"
    assert all(row["seconds"] >= 0 and row["prompt_tokens"] is None for row in lost)
    whole = sv("show", "latest", "--json").json["budget"]["used"][0]
    assert (whole["silent"], whole["uncounted"]) == (2, []), "that they say nothing keeps nobody from going on"
    assert whole["calls"] == len(rows(sv, tmp_path, "core.call-ended.v1"))
    assert f"2 of {whole['calls']} calls did not say what they used" in sv("show", "latest").out
    assert sv("audit", "verify", "latest").code == 0


def test_who_does_not_say_what_it_uses_cannot_be_kept_within_such_a_limit(sv: Cli, tmp_path: Path) -> None:
    held = sv("play", "mafia", *GAME, "--seat", f"Ada=acp:{STUB} no-usage", "--max-tokens", "1000000")
    assert held.code == 1
    assert "does not say what it uses, so a limit in tokens can't be kept. Limit the time." in held.err
    assert len(rows(sv, tmp_path, "core.call-ended.v1")) == 1


def test_each_task_has_its_own_limit(sv: Cli, paper: Path, tmp_path: Path) -> None:
    seats = [word for name in ("planner", "executor", "reviewer") for word in ("--seat", f"{name}=acp:{STUB}")]
    held = sv("play", "delegation", paper, *seats, "--task-tokens", "330")
    assert held.code == 1
    (task,) = set(re.findall(r"The budget of (\S+) is spent: 330 of 330 tokens\.", held.err))
    assert re.search(rf"Used by {task}: 330 of 330 tokens\.", held.err)
    assert re.search(
        rf"budget +the game: [0-9,]+ tokens used.*\n(.*\n)? +{task}: 330 of 330 tokens", sv("show", "latest").out
    )
    assert sv("show", "latest", "--as", "user", "--json").json["budget"]["limits"]["task_tokens"] == 330
    assert sv("show", "latest", "--as", "executor", "--json").json["budget"] is None
    begun = {row["about"] for row in rows(sv, tmp_path, "core.handed-over.v1") if row["by"] == "prompt"}
    assert task in begun
    assert sv("resume", "latest", "--json", "--task-tokens", "100000").json["status"] == "over"


def test_calls_under_way_come_to_their_end_before_the_game_is_left(sv: Cli, paper: Path, tmp_path: Path) -> None:
    slow = f"acp:{STUB} pauses=1.5"
    seats = ("--seat", f"planner=acp:{STUB}", "--seat", f"executor={slow}")
    sv("play", "delegation", paper, *seats, "--max-tokens", "330")
    ended = rows(sv, tmp_path, "core.call-ended.v1")
    assert {row["how"] for row in ended} == {"accepted"}, "what was paid for is used"


def test_the_games_of_a_run_have_limits_each_and_are_held(sv: Cli, tmp_path: Path) -> None:
    words = ("--games", "2", "--name", "trial", "--seat", f"narrator=acp:{STUB}", "--max-tokens", "220", "--json")
    played = sv("run", "mafia", *GAME, *words)
    assert played.code == 1
    said = json.loads(played.out)
    assert (said["held"], said["voided"], said["tokens"]) == (2, 0, 440)
    again = json.loads(sv("run", "--continue", "trial", "--json").out)
    assert (again["held"], again["tokens"]) == (2, 440)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--max-tokens", "0"), "'0' is not a whole number from 1 to"),
        (("--max-cost", "free"), "'free' is not a number above 0"),
        (("--task-minutes", "-1"), "'-1' is not a number above 0"),
    ],
)
def test_a_limit_that_is_none_is_refused_in_one_line(sv: Cli, words: tuple[str, str], told: str) -> None:
    said = sv("play", "mafia", *GAME, *words)
    assert said.code == 2
    assert told in said.err
    assert not sv.path.exists()


def test_each_new_game_of_a_server_has_the_server_s_limits(sv: Cli, tmp_path: Path) -> None:
    settings = Settings(bounds=bounded(), max_tokens=500, max_cost=2.5, task_minutes=7)
    with RemoteServer(log_in(tmp_path), settings=settings) as remote:
        opened = remote.open(names=list(PLAYERS), agent="house", seed="5")
        game = opened.game
        for token, told in ((opened.keeper, True), (opened.spectator, False)):
            shown = sv("show", "--server", f"{remote.base}/games/{game}#{token}", "--json").json["budget"]
            assert (shown is not None and shown["limits"]["cost"] == 2.5) is told
    with log_at(log_in(tmp_path)) as log:
        assert limits_of(log.receipts(game)) == Limits(tokens=500, cost=2.5, task_minutes=7)


def test_the_latest_limits_count_and_calls_are_summed_by_what_they_are_about() -> None:
    def call(name: str, about: str | None, **ended: Any) -> list[Receipt]:
        begun = {"call": name, "by": "prompt", "agent": "acp:x", **({} if about is None else {"about": about})}
        ended = {"call": name, "how": "accepted", "seconds": 30.0, **ended}
        return [Receipt("core.handed-over.v1", NOON, "Ada", begun), Receipt("core.call-ended.v1", NOON, "Ada", ended)]

    receipts = [
        Receipt("core.budget-set.v1", NOON, "", {"tokens": 5, "later": True}),
        Receipt("core.budget-set.v1", NOON, "", {"tokens": 9, "task_cost": 1.5}),
        *call("a", "one", prompt_tokens=10, reply_tokens=1, cost=0.5),
        *call("b", "two", prompt_tokens=20, reply_tokens=2, cost=None),
        *call("c", None, prompt_tokens=None, reply_tokens=None, cost=None, how="failed"),
        *call("a", "one", prompt_tokens=10, reply_tokens=1, cost=0.5)[1:],
        *call("d", "one")[:1],
    ]
    assert limits_of(receipts) == Limits(tokens=9, task_cost=1.5)
    found = used_in(receipts)
    assert {about: (one.tokens, one.cost, one.minutes) for about, one in found.items()} == {
        None: (33, 0.5, 1.5),
        "one": (11, 0.5, 0.5),
        "two": (22, 0.0, 0.5),
    }
    assert found[None].uncounted == {"cost": "acp:x"}
    assert {about: (one.calls, one.silent) for about, one in found.items()} == {
        None: (4, 1),
        "one": (2, 0),
        "two": (1, 0),
    }


def test_a_call_that_was_taken_for_lost_counts_what_its_end_says() -> None:
    begun = {"call": "a", "by": "prompt", "agent": "acp:x"}
    ends = [{"how": "lost", "seconds": 20.0}, {"how": "late", "seconds": 60.0, "prompt_tokens": 5, "reply_tokens": 1}]
    receipts = [
        Receipt("core.handed-over.v1", NOON, "Ada", begun),
        *(Receipt("core.call-ended.v1", NOON, "Ada", {"call": "a", **end}) for end in ends),
    ]
    (used,) = used_in(receipts).values()
    assert (used.calls, used.silent, used.tokens, used.minutes) == (1, 0, 6, 1.0)
