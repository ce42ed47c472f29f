"""Work in a repository while a game runs: what the server looks at takes no time of an agent's turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from playing import endings, until
from repositories import QUIET, Repo

from sottovoce.agents.agent import CallRecord
from sottovoce.domain.commands import Reply
from sottovoce.domain.draws import Seed
from sottovoce.domain.events import AttemptFailed
from sottovoce.domain.turns import Turn
from sottovoce.eventlog.log import EventLog
from sottovoce.projections.view import View
from sottovoce.rulesets.delegation.rules.code_events import CheckRan
from sottovoce.rulesets.delegation.workspaces.checks import allow
from sottovoce.server.games import Games
from sottovoce.server.live import LiveGame
from sottovoce.server.runner import Runner

TASK = "20260101-1200-mend-roof"
SEATS = ("planner", "executor", "reviewer", "user")
LIMIT = 2.0
"""Seconds that a session has for a turn; the check takes longer."""
SOON = 60.0
ANSWERS = {
    "execute_delegate_task": "execute_delegate_task\n\n# Mend\n\nReviewer: reviewer\n",
    "review_requested": "review_requested\n\n# Round 1\n\nDone.\n",
}


class Prompted:
    """An agent whose calls count, and which answers at once."""

    by = "prompt"

    async def act(self, view: View[Any], turn: Turn, random: Any, record: CallRecord) -> str:
        return ANSWERS[turn.choices[0]]


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name, value in QUIET.items():
        monkeypatch.setenv(name, value)
    return Repo(tmp_path / "paper")


async def opened(games: Games, repo: Repo, check: str) -> LiveGame:
    rules = {"session_seconds": LIMIT, "workspace": "worktree", "target": "main", "check": {"test": check}}
    allow(str(repo.folder), [check])
    return await games.open(
        "delegation",
        SEATS,
        dict.fromkeys(SEATS, "outside"),
        Seed.of(1),
        rules,
        files={f"{TASK}.md": b"Mend the roof."},
        folder=str(repo.folder),
    )


def events(live: LiveGame, kind: type[Any]) -> list[Any]:
    return [item.event for item in live.recorded if isinstance(item.event, kind)]


@pytest.mark.spec("D-066", "D-057")
@pytest.mark.parametrize("played", ["by an agent", "from outside"])
def test_checks_take_no_time_of_a_session(
    workers: Callable[..., Games], log: EventLog, repo: Repo, played: str
) -> None:
    """Two workers play the game, and neither takes the session's time for run out; nor do its minutes grow."""

    async def story() -> None:
        games, others = workers(), workers()
        live = await opened(games, repo, f"sleep {LIMIT + 1.5}")
        agents = dict.fromkeys(("planner", "executor"), Prompted()) if played == "by an agent" else {}
        running = asyncio.create_task(Runner(games, live, agents).run())
        if not agents:
            for seat, choice in (("planner", "execute_delegate_task"), ("executor", "review_requested")):
                await games.submit(live, Reply(datetime.now(UTC), seat, 1, ANSWERS[choice]))
        else:
            await until(lambda: live.state.turns.get(("executor", 1)))
            watching = asyncio.create_task(Runner(others, others.load(live.id), {}).run())
            await until(lambda: events(live, CheckRan), SOON)
            watching.cancel()
        await until(lambda: events(live, CheckRan), SOON)
        running.cancel()
        await asyncio.wait([running])
        (ran,) = events(live, CheckRan)
        assert ran.check.passed
        failed = [event.seat for event in events(live, AttemptFailed)]
        assert {"planner", "executor"}.isdisjoint(failed)
        for ended in endings(log, live.id, "accepted"):
            assert ended["seconds"] < LIMIT, "the time of checks is the server's"

    asyncio.run(story())


@pytest.mark.spec("D-057")
def test_the_time_of_a_session_that_does_not_answer_runs_out(games: Games, repo: Repo) -> None:
    async def story() -> None:
        live = await opened(games, repo, "true")
        running = asyncio.create_task(Runner(games, live, {}).run())
        await until(lambda: events(live, AttemptFailed))
        running.cancel()
        await asyncio.wait([running])

    asyncio.run(story())


def test_the_clock_of_a_turn_stands_still_for_the_longest_of_several_stops(games: Games, repo: Repo) -> None:
    async def story() -> None:
        live = await opened(games, repo, "true")
        key = ("planner", 1)
        live.learn(games.log.due(live.id))
        limit = live.limit(key, 1)
        assert limit is not None
        with live.clock_stopped(key):
            with live.clock_stopped(key):
                await asyncio.sleep(0.2)
            later = live.limit(key, 1)
            assert later is not None
            assert later > limit
            await asyncio.sleep(0.2)
        after = live.limit(key, 1)
        assert after is not None
        assert 0.4 <= (after - limit).total_seconds() < 0.6 + 10
        assert live.limit(key, 2) is None

    asyncio.run(story())
