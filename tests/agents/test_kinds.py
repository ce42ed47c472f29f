"""Every kind of agent in the table can be made, and nothing else is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from sottovoce.agents.agent import Agent
from sottovoce.agents.command_agent import CommandAgent
from sottovoce.agents.file_agent.agent import FilesAgent
from sottovoce.agents.house import HouseAgent
from sottovoce.agents.human import HumanAgent
from sottovoce.agents.kinds import KINDS, AgentKind, UnknownAgent, agent_for, kind_of, recorded
from sottovoce.agents.openai_agent import OpenAIAgent
from sottovoce.agents.scripted import ScriptedAgent
from sottovoce.domain.errors import SottovoceError
from sottovoce.projections.tally import FREE


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_every_kind_is_made(kind: AgentKind) -> None:
    def human() -> Agent:
        return HouseAgent()

    assert kind_of(str(kind)) is kind
    try:
        agent_for(str(kind), human)
    except UnknownAgent:
        raise
    except SottovoceError:  # no such file, program or model here
        if not kind.detail:
            raise
    others = [f"{kind.name}:", "" if kind.optional else kind.name if kind.detail else f"{kind.name}:x"]
    for other in others:
        with pytest.raises(UnknownAgent):
            agent_for(other, human)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.detail in ("FILE", "DIR")], ids=str)
def test_a_path_is_recorded_whole(kind: AgentKind) -> None:
    assert Path(recorded(f"{kind.name}:x").removeprefix(f"{kind.name}:")).is_absolute()


def test_an_agent_that_is_not_known_is_recorded_as_it_was_given() -> None:
    assert recorded("nosuch:./x") == "nosuch:./x"


def test_an_agent_that_no_model_answers_for_says_so_by_how_it_gets_the_view() -> None:
    free = {"house", "random", "scripted"}
    for kind in KINDS:
        if kind.name in free:
            spec = str(kind)
            made = ScriptedAgent([]) if kind.name == "scripted" else agent_for(spec, HouseAgent)
            assert made is not None
            assert made.by in FREE, kind
    assert HumanAgent.by in FREE
    assert CommandAgent.by not in FREE
    assert OpenAIAgent.by not in FREE
    assert FilesAgent.by not in FREE
