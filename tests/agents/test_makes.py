"""Every make of endpoint that people use is played with, whatever it refuses, and its thoughts are kept apart."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from random import Random
from typing import Any

import pytest
from endpoint import StandIn
from makes import MAKES, THOUGHTS, error, socks_proxy
from patience import PATIENCE
from table import Table

from sottovoce.agents.agent import Agent, AgentFailed, CallRecord
from sottovoce.agents.house import HouseAgent
from sottovoce.agents.models import retries
from sottovoce.agents.models.manners import Manners
from sottovoce.agents.models.settings import ModelUnusable, Settings
from sottovoce.agents.openai_agent import OpenAIAgent
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "FIRST_WAIT", 0.01)
    monkeypatch.setattr(retries, "MANNERS", Manners())


@pytest.fixture(scope="module")
def words() -> tuple[View[Any], Turn]:
    view = Table(5, 1).view("narrator")
    return view, view.turns[0]


@pytest.fixture(scope="module")
def choice() -> tuple[View[Any], Turn]:
    table = Table(5, 1, agents=HouseAgent())
    while not any(turn.choices for turn in table.state.turns.values()):
        table.play(1)
    turn = next(turn for turn in table.state.turns.values() if turn.choices)
    return table.view(turn.seat), turn


def act(settings: Settings, asked: tuple[View[Any], Turn]) -> tuple[str, CallRecord]:
    record = CallRecord()
    return asyncio.run(OpenAIAgent("m", settings).act(*asked, Random(1), record)), record


@pytest.mark.parametrize("name", MAKES)
def test_each_make_is_played_with(
    name: str, words: tuple[View[Any], Turn], choice: tuple[View[Any], Turn], caplog: pytest.LogCaptureFixture
) -> None:
    make = MAKES[name]
    with make.stand_in(key="sk-0123456789") as endpoint:
        settings = Settings(endpoint.url + make.query, "sk-0123456789", seconds=PATIENCE, options=make.options)
        for _ in range(3):
            for asked in (words, choice):
                reply, record = act(settings, asked)
                assert THOUGHTS not in reply
                assert reply.startswith("I ") if asked is words else asked[1].choices[0] in reply
        assert record.notes["manner"] == dict(make.learned)
        assert not caplog.records, "nobody is told of a refusal that was dealt with"
        assert record.notes["attempts"] == 1, "what was learned is asked no more"
        assert (record.prompt_tokens, record.reply_tokens) == (1000, 20)
    if "THOUGHTS" in make.responds.__code__.co_names:
        assert record.mind is not None
        assert record.mind.thoughts == THOUGHTS


PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


@pytest.fixture
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    return monkeypatch


def test_an_address_of_azure_is_called_with_its_query_and_its_own_head_by_an_http_proxy(
    words: tuple[View[Any], Turn], no_proxies: pytest.MonkeyPatch
) -> None:
    """The path of a call may stand in the address, as it is copied from a page."""
    for more in ("", "/chat/completions"):
        with MAKES["azure"].stand_in(key="sk-0123456789") as proxy:
            no_proxies.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
            url = f"http://x.openai.azure.com/openai/deployments/d{more}?api-version=2024-10-21"
            assert act(Settings(url, "sk-0123456789", seconds=PATIENCE), words)[0]
            (asked,) = proxy.requests
        called = "http://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21"
        assert (asked.path, asked.headers["api-key"]) == (called, "sk-0123456789")


def test_a_socks_proxy_is_used_and_never_for_this_machine(
    words: tuple[View[Any], Turn], no_proxies: pytest.MonkeyPatch
) -> None:
    with StandIn() as endpoint, socks_proxy(endpoint.port) as (address, hosts):
        no_proxies.setenv("ALL_PROXY", address)
        assert act(Settings("http://models.example/v1", seconds=PATIENCE), words)[0]
        assert hosts == ["models.example"]
        assert act(Settings(endpoint.url, seconds=PATIENCE), words)[0]
        assert hosts == ["models.example"], "loopback is never asked through a proxy"
        assert act(Settings(f"http://localhost:{endpoint.port}/v1", seconds=PATIENCE), words)[0]
        assert len(endpoint.requests) == 3
    no_proxies.setenv("ALL_PROXY", "gopher://127.0.0.1:1")
    with pytest.raises(ModelUnusable, match="Check HTTPS_PROXY and ALL_PROXY"):
        act(Settings("http://models.example/v1"), words)


@pytest.mark.parametrize(
    ("status", "told", "says"),
    [
        (401, error("Incorrect API key: sk-abc*************wxyz."), "check OPENAI_API_KEY (Incorrect API key: [key]"),
        (404, error("The model `m` does not exist"), "the model's name (The model `m` does not exist)"),
        (404, b"404 page not found", "check OPENAI_BASE_URL, which mostly ends in /v1 (404 page not found)"),
        (403, b"<html>Forbidden</html>", "the key can't use this model"),
        (402, error("Insufficient Balance", code="invalid_request_error"), "credit or quota (Insufficient Balance)"),
        (400, error("This model's maximum context length is 4096 tokens."), "lower SOTTOVOCE_PROMPT_TOKENS"),
        (400, error("Too long.", type="exceed_context_size_error", n_ctx=4096), "lower SOTTOVOCE_PROMPT_TOKENS"),
        (429, [error("Quota exceeded for GenerateRequestsPerDay", status="RESOURCE_EXHAUSTED")], "credit or quota"),
        (503, error("Loading model", type="unavailable_error", code=503), "status 503 (Loading model)"),
        (302, b"", "a redirection, which is not followed"),
        (200, error("Insufficient credits", code=402), "credit or quota (Insufficient credits)"),
        (200, b"<!doctype html>", "a web page; check OPENAI_BASE_URL"),
        (200, {"detail": "Not here"}, "Not here"),
    ],
)
def test_an_endpoints_own_reason_is_told_in_a_line_that_says_what_to_do(
    words: tuple[View[Any], Turn], status: int, told: Any, says: str
) -> None:
    with StandIn(refuses=lambda asked: (status, told)) as endpoint, pytest.raises(AgentFailed) as raised:
        act(Settings(endpoint.url, "sk-abcdefghijklm", seconds=PATIENCE, tries=1), words)
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_many_makes_sit_at_one_table() -> None:
    """A whole game, each seat at an endpoint of its own: no fallback, no refusal, and nothing said of any thought."""
    seats = dict(
        zip(
            ("Ada", "Bram", "Cleo", "Dirk", "Edda", "narrator"),
            ("mistral", "vllm", "deepseek", "stream only", "no system role", "openai, responses"),
            strict=True,
        )
    )
    with ExitStack() as stack:
        agents: dict[str, Agent] = {
            seat: OpenAIAgent("m", Settings(stack.enter_context(MAKES[name].stand_in()).url, seconds=PATIENCE))
            for seat, name in seats.items()
        }
        table = Table(("Ada", "Bram", "Cleo", "Dirk", "Edda"), 1, {"max_days": 1, "max_speeches": 2}, agents).play()
    assert table.state.over
    log = "\n".join(item.body.decode() for item in table.recorded)
    assert not [item for item in table.recorded if item.name in ("core.attempt-failed.v1", "core.fallback-applied.v1")]
    assert THOUGHTS not in log
