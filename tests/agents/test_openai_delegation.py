"""Delegated work with models in the sessions' seats: they fill in an action and a file, and nothing else."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from delegating import TASK
from endpoint import Asked, StandIn

from sottovoce.agents.agent import Agent
from sottovoce.agents.house import HouseAgent
from sottovoce.agents.models.settings import Settings
from sottovoce.agents.openai_agent import OpenAIAgent
from sottovoce.domain.draws import Seed
from sottovoce.domain.events import AttemptFailed
from sottovoce.eventlog import open_log
from sottovoce.rulesets.delegation.rules.events import ArtifactFiled, MessageSent
from sottovoce.server.files import altered
from sottovoce.server.games import Games
from sottovoce.server.live import LiveGame
from sottovoce.server.runner import Runner

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


def talkative(asked: Asked) -> str:
    """The same without a thought for the form that was asked for: talk, a fence, and objects and fences within."""
    fields = json.loads(answer(asked))
    if "choice" in fields:
        return f"Certainly! Here is what I say:\n\n{fields['choice']}\nIt is done."
    inner = '```json\n{"house": {"roof": null}}\n```'
    return (
        f"Certainly! Here it is:\n```markdown\n{fields['action']}\n\n{fields['file']}\n\n{inner}\n```\nAnything else?"
    )


def play(tmp_path: Path, answers: Callable[[Asked], str]) -> LiveGame:
    log = open_log(f"sqlite:///{tmp_path}/games.sqlite")
    games = Games(log)

    async def whole(endpoint: StandIn) -> LiveGame:
        model = OpenAIAgent("m", Settings(base_url=endpoint.url, seconds=20))
        filled = dict.fromkeys(SEATS[:3], "openai:m") | {"user": "house"}
        files = {f"{TASK}.md": b"Build a house."}
        live = await games.open("delegation", SEATS, filled, Seed.of(1), {}, files=files, folder=str(tmp_path))
        agents: dict[str, Agent | None] = {**dict.fromkeys(SEATS[:3], model), "user": HouseAgent()}
        await asyncio.wait_for(Runner(games, live, agents).run(), 60)
        return live

    with StandIn(answer=answers) as endpoint:
        live = asyncio.run(whole(endpoint))
    games.close()
    log.close()
    return live


@pytest.fixture
def played(tmp_path: Path) -> LiveGame:
    return play(tmp_path, answer)


def test_models_that_talk_around_their_answers_bring_a_task_to_its_end_too(tmp_path: Path) -> None:
    live = play(tmp_path, talkative)
    assert live.state.over
    assert live.state.tasks[TASK].complete
    events = [item.event for item in live.recorded]
    assert not any(isinstance(event, AttemptFailed) for event in events)
    files = [event.text for event in events if isinstance(event, ArtifactFiled)]
    assert all(str(text).endswith('{"house": {"roof": null}}\n```\n') for text in files)


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
