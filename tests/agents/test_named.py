"""Agents named in a settings file: what it may hold, what is said of its faults, and what a call is made with."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from endpoint import StandIn
from table import Table

from sottovoce.agents.agent import AgentUnreachable, CallRecord
from sottovoce.agents.house import HouseAgent
from sottovoce.agents.kinds import agent_for
from sottovoce.agents.models import retries
from sottovoce.agents.models.manners import Manners
from sottovoce.agents.models.named import named_agent, named_agents
from sottovoce.agents.models.settings import ModelUnusable
from sottovoce.agents.openai_agent import OpenAIAgent

KEY = "sk-very-secret-0123456789"
VIEW = Table(5, 1).view("narrator")


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("SOTTOVOCE_AGENTS", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("A_KEY", KEY)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(retries, "MANNERS", Manners())


@pytest.fixture
def endpoint() -> Iterator[StandIn]:
    with StandIn(key=KEY) as stand_in:
        yield stand_in


def write(text: str, path: str = "agents.toml") -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text, "utf-8")


def one(url: str, **more: object) -> str:
    lines = [f"{name} = {json.dumps(value)}" for name, value in more.items()]
    return "\n".join(
        [
            f'[endpoints.e]\nbase_url = "{url}"\nkey_variable = "A_KEY"',
            '[agents.one]\nendpoint = "e"\nmodel = "m"',
            *lines,
        ]
    )


def act(name: str = "one") -> CallRecord:
    agent, record = agent_for(f"model:{name}", HouseAgent), CallRecord()
    assert isinstance(agent, OpenAIAgent)
    asyncio.run(agent.act(VIEW, VIEW.turns[0], Random(1), record))
    return record


def test_a_call_is_made_with_what_the_file_says(endpoint: StandIn) -> None:
    prices = "prices = { prompt = 1.0, reply = 2.0 }"
    write(one(endpoint.url, temperature=0.7, top_p=0.9, seed=7, effort="low", reply_tokens=500) + f"\n{prices}")
    record = act()
    (asked,) = endpoint.requests
    sent = {name: asked.body[name] for name in ("model", "temperature", "top_p", "seed", "reasoning_effort")}
    assert sent == {"model": "m", "temperature": 0.7, "top_p": 0.9, "seed": 7, "reasoning_effort": "low"}
    assert asked.body["max_completion_tokens"] == 500
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert record.notes["settings"] == {
        "temperature": 0.7,
        "top_p": 0.9,
        "seed": 7,
        "reasoning_effort": "low",
        "tokens": 500,
        "format": "json_schema",
    }
    assert record.cost == pytest.approx((1000 * 1.0 + 20 * 2.0) / 1e6)
    assert KEY not in json.dumps(record.notes)
    assert KEY not in repr(named_agent("one"))


@pytest.mark.parametrize(
    ("persona", "manner"),
    [("on", "YOUR MANNER. "), ("off", None), ("Speak in rhyme.", "YOUR MANNER. Speak in rhyme. Let")],
)
def test_a_persona_is_drawn_left_out_or_its_own(endpoint: StandIn, persona: str, manner: str | None) -> None:
    write(one(endpoint.url, persona=persona, system="Play to win."))
    act()
    own = endpoint.requests[0].user.partition("\n\nWHAT YOU HAVE SEEN")[0]
    assert (manner or "YOUR MANNER") in own if manner else "YOUR MANNER" not in own
    assert own.endswith("\nPlay to win.")


def test_a_manner_that_the_file_fixes_is_not_found_out(endpoint: StandIn) -> None:
    write(one(endpoint.url) + '\n[endpoints.e.manner]\nformat = "json_object"\nlimit = "max_tokens"\nsystem = "user"')
    act()
    (asked,) = endpoint.requests
    assert asked.format == {"type": "json_object"}
    assert asked.body["max_tokens"] == 2000
    assert [message["role"] for message in asked.messages] == ["user"]


def test_defaults_hold_for_all_and_agents_of_one_endpoint_share_its_calls_at_once(endpoint: StandIn) -> None:
    write(
        f'[defaults]\nendpoint = "e"\nseconds = 9\n[endpoints.e]\nbase_url = "{endpoint.url}"\nkey_variable = "A_KEY"\n'
        'concurrency = 1\n[agents.one]\nmodel = "m"\ntemperature = 0.1\n[agents.two]\nmodel = "n"\nseconds = 5\n'
    )
    one, two = named_agents()
    assert (one.settings.seconds, two.settings.seconds) == (9, 5)
    endpoint.seconds = 0.05

    async def both() -> None:
        agents = [OpenAIAgent.named(name) for name in ("one", "two")]
        await asyncio.gather(*(agent.act(VIEW, VIEW.turns[0], Random(1), CallRecord()) for agent in agents * 2))

    asyncio.run(both())
    assert endpoint.most_at_once == 1
    assert {asked.body["model"] for asked in endpoint.requests} == {"m", "n"}


def test_a_budget_ends_the_calls(endpoint: StandIn) -> None:
    write(one(endpoint.url, budget=9500, prompt_tokens=6000, reply_tokens=2000))
    for _ in range(2):
        act()
    with pytest.raises(AgentUnreachable, match="The budget of the agent 'one' is spent"):
        act()
    assert len(endpoint.requests) == 2


def test_the_file_is_found_here_or_where_the_variable_says_or_among_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ModelUnusable, match=r"There is no agents\.toml here"):
        named_agents()
    write(one("http://a/v1"), "config/sottovoce/agents.toml")
    assert named_agents()[0].settings.base_url == "http://a/v1"
    write(one("http://b/v1"))
    assert named_agents()[0].settings.base_url == "http://b/v1"
    write(one("http://c/v1"), "mine.toml")
    monkeypatch.setenv("SOTTOVOCE_AGENTS", "mine.toml")
    assert named_agents()[0].settings.base_url == "http://c/v1"
    monkeypatch.setenv("SOTTOVOCE_AGENTS", "nowhere.toml")
    with pytest.raises(ModelUnusable, match="SOTTOVOCE_AGENTS"):
        named_agents()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("agents = ", "is not TOML"),
        (one("http://a/v1", temperture=1), "agents.one.temperture: extra inputs are not permitted"),
        (one("http://a/v1", temperature=3), "agents.one.temperature: input should be less than or equal to 2"),
        (one("http://a/v1", effort="huge"), "agents.one.effort: input should be 'none'"),
        (one("localhost:8080"), "endpoints.e.base_url: give an address"),
        (one("http://a/v1").replace('endpoint = "e"', 'endpoint = "x"'), "no endpoint 'x'; the file has: e"),
        (one("http://a/v1").replace('"A_KEY"', f'"{KEY}"'), "endpoints.e.key_variable: string should match"),
        ("[agents]\none = 7", "agents.one: input should be a valid dictionary"),
        (one("http://a/v1").replace("agents.one", "agents.Two"), "should match pattern"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, says: str) -> None:
    write(text)
    with pytest.raises(ModelUnusable) as wrong:
        named_agent("one")
    assert says in str(wrong.value)
    assert "\n" not in str(wrong.value)
    assert KEY not in str(wrong.value)
    assert wrong.value.exit_code == 2


def test_an_unknown_agent_and_a_missing_key_are_told_before_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    write(one("http://a/v1"))
    with pytest.raises(ModelUnusable, match=r"There is no agent 'two' in agents\.toml\. It has: one\."):
        agent_for("model:two", HouseAgent)
    monkeypatch.delenv("A_KEY")
    with pytest.raises(ModelUnusable, match="The agent 'one' needs A_KEY"):
        agent_for("model:one", HouseAgent)


def test_what_to_check_is_named_as_the_file_names_it(endpoint: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", "sk-another-key-987654")
    write(one(endpoint.url))
    with pytest.raises(AgentUnreachable, match="refused the key; check A_KEY"):
        act()
