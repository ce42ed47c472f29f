"""What agents do and use, over HTTP: told to those who watch over them, and to nobody else."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest
from commands import ROOT
from remote import PLAYERS, Opened, RemoteServer, log_in, places_in

STUB = f"acp:{sys.executable} {ROOT / 'tests' / 'kit' / 'acp_agent.py'} pauses=3"
QUICK = STUB.removesuffix(" pauses=3")
PATIENCE = 30.0
NOTHING = {"agents": None, "budget": None}
STEP = "step 1 of 1: answer"


@pytest.fixture(scope="module")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemoteServer]:
    folder = tmp_path_factory.mktemp("watched")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(folder / "state"))
        patch.setenv("SOTTOVOCE_ACP_SANDBOX", "off")
        patch.setenv("SOTTOVOCE_COMMANDS", "*")
        agents = {"house": None, "random": None, "outside": None, STUB: None, QUICK: None}
        settings = places_in(folder).model_copy(update={"agents": agents, "max_cost": 5.0, "max_tokens": 1_000_000})
        with RemoteServer(log_in(folder), settings=settings) as server:
            yield server


def delegated(remote: RemoteServer, agent: str) -> Opened:
    """Delegated work in which that agent plans; executor and user are played from elsewhere."""
    agents = {"planner": agent, "executor": "outside", "user": "outside"}
    return remote.open(ruleset="delegation", setup={"folder": "paper"}, agents=agents, agent="house")


def agents_of(remote: RemoteServer, game: str, token: str) -> Any:
    return remote.get(f"/v1/games/{game}/agents", token)


def at_work(remote: RemoteServer, game: str, token: str) -> Any:
    """What agents do as soon as all who work have come to the step at which they pause."""
    begun = time.monotonic()
    while time.monotonic() - begun < PATIENCE:
        told = agents_of(remote, game, token)
        if told["agents"] and all(one["step"] == STEP for one in told["agents"]):
            return told
        time.sleep(0.05)
    raise AssertionError(f"nobody is at work: {told}")


def test_the_user_and_the_keeper_of_delegated_work_see_what_an_agent_does_and_for_how_long(
    remote: RemoteServer,
) -> None:
    one = delegated(remote, STUB)
    told = at_work(remote, one.game, one.seats["user"])
    agent = told["agents"][0]
    assert (agent["seat"], agent["turn"]) == ("planner", 1)
    assert agent["task"]
    assert 0 <= agent["seconds"] < PATIENCE
    time.sleep(1.1)
    later = agents_of(remote, one.game, one.keeper)["agents"][0]
    assert later["seconds"] > agent["seconds"]
    assert told["budget"]["limits"]["cost"] == 5.0
    assert agents_of(remote, one.game, remote.issue(one.game, one.keeper, "auditor"))["agents"]
    assert agents_of(remote, one.game, one.seats["executor"]) == NOTHING
    refused = remote.ask("GET", f"/v1/games/{one.game}/agents", one.spectator)
    assert (refused.status_code, refused.json()["type"]) == (403, "/problems/forbidden")


def test_what_agents_use_is_added_up_for_the_game_and_for_each_task(remote: RemoteServer) -> None:
    one = delegated(remote, QUICK)
    begun = time.monotonic()
    while not (used := agents_of(remote, one.game, one.keeper)["budget"]["used"])[0]["tokens"]:
        assert time.monotonic() - begun < PATIENCE
        time.sleep(0.05)
    assert used[0]["task"] is None
    assert used[0]["tokens"] % 110 == 0
    assert used[0]["cost"] == pytest.approx(used[0]["tokens"] / 110 * 0.01)
    assert agents_of(remote, one.game, one.seats["user"])["budget"]["used"][0]["task"] is None


def test_whom_a_game_of_mafia_asks_is_told_to_its_auditor_alone(remote: RemoteServer) -> None:
    agents = {"Ada": "outside", "Bram": STUB}
    one = remote.open(names=list(PLAYERS), agents=agents, agent="house", seed="7")
    told = agents_of(remote, one.game, one.keeper)
    assert told == {"agents": None, "budget": {"limits": told["budget"]["limits"], "used": None}}
    assert told["budget"]["limits"]["tokens"] == 1_000_000
    assert agents_of(remote, one.game, one.seats["Ada"]) == NOTHING
    auditor = remote.issue(one.game, one.keeper, "auditor")
    assert agents_of(remote, one.game, auditor)["agents"] is not None


def test_what_was_used_is_told_to_the_keeper_of_any_game_once_it_is_over(remote: RemoteServer) -> None:
    one = remote.open(names=list(PLAYERS), agents={"narrator": QUICK}, agent="random", options={"max_days": 1})
    begun = time.monotonic()
    while agents_of(remote, one.game, one.keeper)["budget"]["used"] is None:
        assert time.monotonic() - begun < PATIENCE
        time.sleep(0.1)
    assert remote.get(f"/v1/games/{one.game}", one.keeper)["status"] == "over"
    (whole,) = agents_of(remote, one.game, one.keeper)["budget"]["used"]
    assert whole["tokens"] > 0


def test_a_call_of_another_process_is_known_by_its_lease_though_not_what_it_does(
    remote: RemoteServer,
) -> None:
    one = delegated(remote, STUB)
    at_work(remote, one.game, one.keeper)
    with RemoteServer(remote.url, settings=remote.settings, host=remote.host, plays=False) as beside:
        agents = agents_of(beside, one.game, one.keeper)["agents"]
    assert {(agent["seat"], agent["step"]) for agent in agents} == {("planner", None)}
