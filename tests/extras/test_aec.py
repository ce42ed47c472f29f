"""The PettingZoo adapter passes PettingZoo's own tests, and is the same game."""

from __future__ import annotations

from typing import Any

import pytest

OFFICES = {"narrator": "house"}


@pytest.mark.parametrize(("players", "fill"), [(5, OFFICES), (8, {})])
def test_it_passes_the_api_test(players: int, fill: dict[str, str]) -> None:
    from pettingzoo.test import api_test

    from sottovoce.aec import env

    api_test(env("mafia", players, fill=fill), num_cycles=400)


def test_it_passes_the_seed_test() -> None:
    from pettingzoo.test import seed_test

    from sottovoce.aec import env

    seed_test(lambda: env("mafia", 5, fill=OFFICES), num_cycles=200)


def played(seed: int, **given: Any) -> Any:
    from sottovoce.aec import env

    game = env("mafia", 5, fill=OFFICES, options={"max_days": 6}, **given)
    game.reset(seed=seed)
    for place, agent in enumerate(game.possible_agents):
        game.action_space(agent).seed(100 * seed + place)
    rewards: dict[str, float] = {}
    for agent in game.agent_iter():
        seen, reward, termination, truncation, _ = game.last()
        if termination or truncation:
            rewards[agent] = reward
            game.step(None)
            continue
        mask = seen["action_mask"]
        assert mask.any(), "an agent that is selected can act"
        game.step(game.action_space(agent).sample(mask))
    return game, rewards


def test_legal_actions_are_accepted_and_rewards_are_the_outcome() -> None:
    for seed in range(5):
        game, rewards = played(seed)
        outcome = game.unwrapped.game.outcome
        assert rewards == {seat: 1.0 if won else -1.0 for seat, won in outcome.won.items()}
        assert not any(item.name.startswith("core.attempt-failed") for item in game.unwrapped.game.recorded)


def test_an_agent_can_talk() -> None:
    game, _ = played(1, speak=lambda seen: f"I am {seen.seat}, and I was asked to give a {seen.kind}.")
    said = [item.event.text for item in game.unwrapped.game.recorded if item.name == "mafia.speech-given.v1"]
    assert said
    assert all(text.startswith("I am ") for text in said if text)


def test_the_observation_is_the_prompt() -> None:
    from sottovoce.aec import env

    game = env("mafia", 5, fill=OFFICES)
    game.reset(seed=3)
    agent = game.agent_selection
    raw = bytes(game.observe(agent)["observation"])
    assert raw.rstrip(b"\0").decode(errors="ignore")[-200:] == game.unwrapped.text(agent)[-200:]
    assert game.unwrapped.text(agent) == game.unwrapped.game.observe(agent).text


def test_an_action_that_is_not_legal_is_refused_with_a_reason() -> None:
    from sottovoce.aec import env

    game = env("mafia", 5, fill=OFFICES)
    game.reset(seed=3)
    while not (legal := [one for one in game.unwrapped.legal_actions(game.agent_selection) if one]):
        game.step(0)
    agent = game.agent_selection
    game.step(next(action for action in range(1, game.action_space(agent).n) if action not in legal))
    assert game.infos[agent]["refused"]
