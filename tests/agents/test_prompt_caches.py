"""Endpoints are told what of a prompt they have seen before, where they want to be told."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any

import pytest
from endpoint import StandIn, status
from table import NAMES, Table

from sottovoce.agents.agent import CallRecord
from sottovoce.agents.house import HouseAgent
from sottovoce.agents.models.caching import Cache, cache_of, cached
from sottovoce.agents.models.endpoint import request
from sottovoce.agents.models.manner import Manner
from sottovoce.agents.models.settings import Settings
from sottovoce.agents.openai_agent import OpenAIAgent, messages_of

OPENAI = "https://api.openai.com/v1"
BLOCKS = ("The rules.", "You are Ada.", "WHAT YOU HAVE SEEN", "NOW. You are Ada.")
STABLE, TAIL = "You are Ada.\n\nWHAT YOU HAVE SEEN", "\n\nNOW. You are Ada."


@pytest.mark.parametrize(
    ("url", "model", "cache"),
    [
        (OPENAI, "gpt-5.4-mini", "key"),
        (OPENAI, "gpt-5.6", "breakpoint"),
        (OPENAI, "gpt-6", "breakpoint"),
        (OPENAI, "o3", "key"),
        ("https://mine.openai.azure.com/openai/v1?api-version=1", "gpt-5.6", "key"),
        ("https://api.mistral.ai/v1", "mistral-large", "key"),
        ("https://openrouter.ai/api/v1", "anthropic/claude-sonnet", "marks"),
        ("https://openrouter.ai/api/v1", "meta/llama", "none"),
        ("http://localhost:8080/v1", "gpt-6", "none"),
        ("https://evil-openai.azure.com.example.org/v1", "gpt-6", "none"),
    ],
)
def test_the_way_follows_from_the_host_and_the_model(url: str, model: str, cache: Cache) -> None:
    assert cache_of(Settings(base_url=url), model) == cache
    assert cache_of(Settings(base_url=url, cache="marks"), model) == "marks"


def sent(cache: Any, **manner: Any) -> list[dict[str, Any]]:
    settings = Settings(base_url="http://localhost/v1", cache=cache)
    body = request(Manner(**manner), settings, "m", messages_of(BLOCKS), None).body
    messages: list[dict[str, Any]] = body.get("messages") or body["input"]
    return messages


def test_without_marks_every_message_is_one_text() -> None:
    assert (
        sent("none")
        == sent("key")
        == [
            {"role": "system", "content": "The rules."},
            {"role": "user", "content": STABLE + TAIL},
        ]
    )


def test_marks_stand_where_what_is_shared_and_what_is_stable_end() -> None:
    mark = {"cache_control": {"type": "ephemeral"}}
    system, user = sent("marks")
    assert system["content"] == [{"type": "text", "text": "The rules.", **mark}]
    assert user["content"] == [{"type": "text", "text": STABLE, **mark}, {"type": "text", "text": TAIL}]
    (one,) = sent("marks", system="user")
    assert one["content"][0] == {"type": "text", "text": f"The rules.\n\n{STABLE}", **mark}
    assert one["content"][1]["text"] == TAIL
    assert sent("breakpoint", api="responses")[1]["content"][0] == {
        "type": "input_text",
        "text": STABLE,
        "prompt_cache_breakpoint": {"mode": "explicit"},
    }


def test_a_mark_that_is_refused_by_name_is_left_out() -> None:
    refusal = "Unknown parameter: 'messages[0].content[0].cache_control'."
    table = Table(NAMES[:5], 3, {}, HouseAgent())
    turn = next(iter(table.state.turns.values()))
    record = CallRecord()
    with StandIn(faults=[status(400, refusal)]) as endpoint:
        agent = OpenAIAgent("marked", Settings(base_url=endpoint.url, cache="marks"))
        asyncio.run(agent.act(table.view(turn.seat), turn, Random(0), record))
        first, second = endpoint.requests
    assert isinstance(first.messages[1]["content"], list)
    assert second.messages[1]["content"] == "\n\n".join(agent.blocks(table.view(turn.seat), turn)[1:])
    assert record.notes["cache"] == "marks"


def test_a_key_is_one_for_all_seats_of_a_game_and_names_nobody() -> None:
    settings = Settings(base_url=OPENAI, options=(("seed", 1),))
    table, other = (Table(NAMES[:5], 3, {"max_days": days}, HouseAgent()) for days in (4, 5))

    def key(table: Table, seat: str, model: str = "gpt-5") -> str:
        return str(cached(settings, model, table.view(seat)).sampling["prompt_cache_key"])

    assert key(table, "Ada") == key(table, "narrator")
    first = key(table, "Ada")
    table.play(5)
    assert key(table, "Ada") == first
    assert len({first, key(other, "Ada"), key(table, "Ada", "gpt-4")}) == 3
    assert len(first) == 32
    assert int(first, 16)
    assert cached(Settings(), "m", table.view("Ada")).sampling.get("prompt_cache_key")
    assert "prompt_cache_key" not in cached(Settings(base_url="http://localhost/v1"), "m", table.view("Ada")).sampling
