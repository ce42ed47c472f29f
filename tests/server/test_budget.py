"""Agents that may be chosen from afar, and what they may cost."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sottovoce.agents.agent import CallRecord
from sottovoce.agents.models.settings import ModelUnusable
from sottovoce.agents.random_agent import RandomAgent
from sottovoce.server.budget import AllowedAgents, BudgetSpent, Metered
from sottovoce.server.receipts import build_blocks


class Model:
    """An agent that uses so many tokens a call, or does not say how many."""

    by = "prompt"

    def __init__(self, tokens: int | None) -> None:
        self.tokens = tokens
        self.calls = 0
        self.gate = asyncio.Event()

    def blocks(self, view: Any, turn: Any) -> tuple[str, ...]:
        return "the rules", f"turn {turn}"

    async def act(self, view: Any, turn: Any, random: Any, record: CallRecord) -> str:
        self.calls += 1
        await self.gate.wait()
        if self.tokens is not None:
            record.prompt_tokens, record.reply_tokens = self.tokens - 10, 10
        return "said"


def call(agent: Metered) -> Any:
    nothing: Any = None
    return agent.act(nothing, nothing, nothing, CallRecord())


@pytest.mark.parametrize(("tokens", "calls"), [(100, 10), (None, 4), (230, 4)])
def test_a_model_is_asked_until_a_call_might_take_more_than_is_left(tokens: int | None, calls: int) -> None:
    async def story() -> None:
        model = Model(tokens)
        model.gate.set()
        agent = Metered(model, "openai:small", 1150, 250)
        assert agent.by == "prompt"
        for _ in range(calls):
            assert await call(agent) == "said"
        with pytest.raises(BudgetSpent, match="The budget of openai:small is spent"):
            await call(agent)
        assert model.calls == calls

    asyncio.run(story())


def test_calls_at_once_keep_back_what_they_may_take() -> None:
    async def story() -> None:
        model = Model(10)
        agent = Metered(model, "openai:small", 1000, 250)
        under_way = [asyncio.create_task(call(agent)) for _ in range(5)]
        await asyncio.sleep(0)
        assert model.calls == 4
        model.gate.set()
        done = await asyncio.gather(*under_way, return_exceptions=True)
        assert [type(answer) for answer in done] == [str] * 4 + [BudgetSpent]
        assert await call(agent) == "said"

    asyncio.run(story())


def test_what_a_model_is_sent_is_receipted_though_it_is_metered() -> None:
    nothing: Any = None
    assert build_blocks(Metered(Model(10), "openai:small", 1000, 250), nothing, nothing) == ("the rules", "turn None")


def test_only_those_named_are_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    allowed = AllowedAgents({"random": None, "outside": None, "openai:small": 1000})
    assert isinstance(allowed("random"), RandomAgent)
    assert allowed("random") is allowed("random")
    assert isinstance(allowed("openai:small"), Metered)
    for name in ("house", "outside", "openai:large", "files:/tmp", "scripted:x", "human", "nobody"):
        assert allowed(name) is None


def test_a_model_that_cannot_be_reached_is_told_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    AllowedAgents({"house": None})
    with pytest.raises(ModelUnusable):
        AllowedAgents({"openai:small": 1000})
