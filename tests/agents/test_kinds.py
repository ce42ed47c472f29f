"""Every kind of agent in the table can be made, and nothing else is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from sottovoce.agents.agent import Agent
from sottovoce.agents.house import HouseAgent
from sottovoce.agents.kinds import KINDS, Kind, UnknownAgent, agent_for, kind_of
from sottovoce.cli.seats import portable
from sottovoce.domain.errors import SottovoceError
from sottovoce.projections.tally import FREE


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_every_kind_is_made(kind: Kind) -> None:
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
    other = kind.name if kind.detail else f"{kind.name}:x"
    with pytest.raises(UnknownAgent):
        agent_for(other, human)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.detail in ("FILE", "DIR")], ids=str)
def test_a_path_is_recorded_whole(kind: Kind) -> None:
    assert Path(portable(f"{kind.name}:x").removeprefix(f"{kind.name}:")).is_absolute()


def test_what_costs_nothing_is_said_of_every_kind() -> None:
    names = {kind.name for kind in KINDS}
    assert names >= FREE
    assert names - FREE == {"outside", "files", "openai", "command"}, "what a call costs: projections/tally.py"
