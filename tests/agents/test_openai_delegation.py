"""Delegated work with models in the sessions' seats: they fill in an action and a file, and nothing else."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from delegating import TASK
from endpoint import Asked, StandIn

from agents.house import HouseAgent
from agents.models.settings import Settings
from agents.openai_agent import OpenAIAgent
from domain.events import AttemptFailed
from domain.rulesets.delegation.events import ArtifactFiled, MessageSent
from eventlog import open_log
from server.filing import altered
from server.games import Games
from server.live import LiveGame
from server.runner import Runner

SEATS = ("planner", "executor", "reviewer", "user")


def answer(asked: Asked) -> str:
    """Requires rework once, and otherwise does what is asked for."""
    fields = asked.schema or {}
    if "action" not in fields:
        return json.dumps({"choice": fields["choice"]["enum"][0], "words": "It is done."})
    actions = fields["action"].get("enum") or [fields["action"]["const"]]
    first = "round 1." in asked.user.rpartition("NOW.")[2]
    action = actions[0] if first or len(actions) == 1 else actions[-1]
    items = "## Must-fix\n\n- The roof is not there.\n" if action == "rework_required" else "Nothing must be fixed."
    return json.dumps({"action": action, "file": f"# A file\n\n{items}", "note": "", "to": ""})


@pytest.fixture
def played(tmp_path: Path) -> LiveGame:
    log = open_log(f"sqlite:///{tmp_path}/games.sqlite")
    games = Games(log)

    async def whole(endpoint: StandIn) -> LiveGame:
        model = OpenAIAgent("m", Settings(base_url=endpoint.url, seconds=20))
        filled = dict.fromkeys(SEATS[:3], "openai:m") | {"user": "house"}
        files = {f"{TASK}.md": b"Build a house."}
        live = await games.open("delegation", SEATS, filled, 1, {}, files=files, folder=str(tmp_path))
        agents = {**dict.fromkeys(SEATS[:3], model), "user": HouseAgent()}
        await asyncio.wait_for(Runner(games, live, agents).run(), 60)
        return live

    with StandIn(answer=answer) as endpoint:
        live = asyncio.run(whole(endpoint))
    games.close()
    log.close()
    return live


@pytest.mark.spec("D-059")
def test_models_work_through_a_task_by_actions_and_files(played: LiveGame, tmp_path: Path) -> None:
    events = [item.event for item in played.recorded]
    assert played.state.over
    assert played.state.tasks[TASK].complete
    assert [event.message.action for event in events if isinstance(event, MessageSent)] == [
        "execute_delegate_task",
        "review_requested",
        "rework_required",
        "review_requested",
        "stop_recommended",
        "closeout_delivered",
    ]
    assert not [event for event in events if isinstance(event, AttemptFailed)]
    reports = [event for event in events if isinstance(event, ArtifactFiled) and event.kind == "report"]
    assert [report.must_fix for report in reports] == [("The roof is not there.",), ()]
    assert altered(played) == []
    assert len(list((tmp_path / ".agent-artifacts" / TASK).iterdir())) == 6
