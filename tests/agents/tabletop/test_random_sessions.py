"""`random` plays whole sessions legally, in every edition."""

from __future__ import annotations

import pytest
from evenings import EDITIONS, PARTY, evening, mishaps, sent

from sottovoce.agents.house import HouseAgent
from sottovoce.agents.random_agent import RandomAgent


@pytest.mark.parametrize("human", [False, True], ids=["alone", "with-a-human"])
@pytest.mark.parametrize("edition", EDITIONS)
def test_random_agents_play_a_session_to_its_end_without_a_refusal(edition: str, human: bool) -> None:
    for seed in range(3):
        table = evening(edition, seed, human=human, agents=RandomAgent())
        assert not mishaps(table)
        assert len(sent(table, "SESSION_END")) == 1


@pytest.mark.parametrize("edition", EDITIONS)
def test_random_agents_and_the_house_get_along(edition: str) -> None:
    house, chance = HouseAgent(), RandomAgent()
    for gm, others in ((house, chance), (chance, house)):
        agents = {**dict.fromkeys((*PARTY, "narrator", "team-lead", "human"), others), "gm": gm}
        assert not mishaps(evening(edition, 1, agents=agents))
