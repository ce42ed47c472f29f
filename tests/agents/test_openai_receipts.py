"""What is kept of every call for a bill or a citation: the raw answer, its tokens, the settings, and who answered."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from hashlib import sha256
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from endpoint import Handler, StandIn, body, completion, says
from patience import PATIENCE
from table import Table

from sottovoce.agents.agent import LONGEST_RAW, AgentFailed, CallRecord
from sottovoce.agents.command_agent import CommandAgent
from sottovoce.agents.models import retries
from sottovoce.agents.models.manner import Manner
from sottovoce.agents.models.manners import Manners
from sottovoce.agents.models.settings import Settings
from sottovoce.agents.openai_agent import OpenAIAgent
from sottovoce.agents.programs.settings import Settings as Programs
from sottovoce.projections.models import Substitute, is_same_model, substitutes, told_substitutes
from sottovoce.projections.receipts import CALL_ENDED, endings
from sottovoce.server.receipts import call_ended

KEY = "sk-very-secret-0123456789"
TEXT = json.dumps({"text": "I have little to say."})


@pytest.fixture(autouse=True)
def fresh_manners(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "MANNERS", Manners())


@pytest.fixture
def endpoint() -> Iterator[StandIn]:
    with StandIn() as stand_in:
        yield stand_in


def called(endpoint: StandIn, fault: Handler, **changes: Any) -> CallRecord:
    """The record of one call, whatever became of it."""
    view = Table(5, 1).view("narrator")
    endpoint.faults[:] = [fault]
    record = CallRecord()

    async def act() -> None:
        settings = Settings(**{"base_url": endpoint.url, "key": KEY, "seconds": PATIENCE, "tries": 1, **changes})
        with suppress(AgentFailed):
            await OpenAIAgent("m", settings).act(view, view.turns[0], Random(1), record)

    asyncio.run(act())
    return record


def test_the_raw_answer_is_kept_with_the_hash_of_all_its_bytes(endpoint: StandIn) -> None:
    sent = completion(TEXT, id="chatcmpl-77", system_fingerprint="fp_1")
    raw = called(endpoint, body(sent)).notes["raw"]
    assert raw == {"text": sent.decode(), "bytes": len(sent), "sha256": sha256(sent).hexdigest()}


@pytest.mark.parametrize("content", ["no object at all {", None, '{"text": ""}'])
def test_it_is_kept_of_an_answer_that_is_no_reply(endpoint: StandIn, content: str | None) -> None:
    sent = completion(content, choices=[{"message": {"content": content, "refusal": "No."}, "finish_reason": "stop"}])
    assert called(endpoint, body(sent)).notes["raw"]["sha256"] == sha256(sent).hexdigest()


def test_a_long_answer_is_kept_to_a_limit_and_hashed_whole(endpoint: StandIn) -> None:
    sent = completion(json.dumps({"text": "word " * 4000}))
    raw = called(endpoint, body(sent)).notes["raw"]
    assert len(raw["text"]) == LONGEST_RAW
    assert (raw["bytes"], raw["sha256"]) == (len(sent), sha256(sent).hexdigest())


def test_of_a_stream_one_object_is_kept_and_the_hash_of_the_stream(endpoint: StandIn) -> None:
    pieces = [{"model": "m", "choices": [{"delta": {"content": part}}]} for part in ('{"text": ', '"Good."}')]
    sent = "".join(f"data: {json.dumps(piece)}\n\n" for piece in [*pieces, {"choices": []}]).encode()
    raw = called(endpoint, body(sent), manner=Manner(stream=True)).notes["raw"]
    assert json.loads(raw["text"])["choices"][0]["message"]["content"] == '{"text": "Good."}'
    assert raw["sha256"] == sha256(sent).hexdigest()


@pytest.mark.parametrize("written", [KEY, KEY.replace("s", "\\u0073", 1)])
def test_an_endpoint_that_repeats_the_key_puts_it_into_no_receipt(endpoint: StandIn, written: str) -> None:
    sent = completion(TEXT).replace(b"chatcmpl-1", written.encode())
    record = called(endpoint, body(sent))
    assert json.loads(record.notes["raw"]["text"])["id"] == "[key]"
    assert KEY not in json.dumps(record.notes)


@pytest.mark.parametrize(
    ("usage", "cached", "reasoning"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 8}, None, None),
        (
            {
                "prompt_tokens": 9,
                "completion_tokens": 8,
                "prompt_tokens_details": {"cached_tokens": 0},
                "completion_tokens_details": {"reasoning_tokens": 5},
            },
            0,
            5,
        ),
        (
            {
                "input_tokens": 9,
                "output_tokens": 8,
                "input_tokens_details": {"cached_tokens": 7},
                "output_tokens_details": {"reasoning_tokens": 0},
            },
            7,
            0,
        ),
        ({"prompt_tokens": 9, "completion_tokens": 8, "prompt_cache_hit_tokens": 4}, 4, None),
        ({"prompt_tokens": 9, "completion_tokens": 8, "cache_read_input_tokens": 3, "reasoning_tokens": 2}, 3, 2),
        ({"prompt_tokens": 9, "completion_tokens": 8, "completion_tokens_details": "none"}, None, None),
    ],
)
def test_cached_and_reasoning_tokens_are_kept_as_far_as_the_endpoint_counts_them(
    endpoint: StandIn, usage: dict[str, Any], cached: int | None, reasoning: int | None
) -> None:
    record = called(endpoint, says(TEXT, usage=usage))
    assert (record.cached_tokens, record.reasoning_tokens) == (cached, reasoning)
    receipt = call_ended("Ada", {"call": "c", "by": "prompt"}, "accepted", 1.0, record, datetime.now(UTC))
    found: Any = SimpleNamespace(name=receipt.name, data=receipt.data, at=receipt.at, number=1)
    ending = endings([found])["c"]
    assert (ending.cached_tokens, ending.reasoning_tokens) == (cached, reasoning)


def test_the_settings_that_were_sent_are_kept_without_any_secret(endpoint: StandIn) -> None:
    options = (
        ("temperature", 0.3),
        ("metadata", {"access_token": "tok-1", "Api-Key": ["k-1"], "game": "g"}),
        ("extra_headers", {"x-team": "t-1"}),
        ("note", f"call {KEY}"),
        ("max_thinking_tokens", 12),
    )
    sent = called(endpoint, says(TEXT), options=options, reply_tokens=77).notes["settings"]
    assert sent == {
        "temperature": 0.3,
        "metadata": {"access_token": "[hidden]", "Api-Key": ["[hidden]"], "game": "g"},
        "extra_headers": {"x-team": "[hidden]"},
        "note": "call [key]",
        "max_thinking_tokens": 12,
        "tokens": 77,
        "format": "json_schema",
    }


def test_what_an_endpoint_does_not_take_is_not_among_the_settings_sent(endpoint: StandIn) -> None:
    manner = Manner(format="none", dropped=frozenset({"temperature"}))
    sent = called(endpoint, says(TEXT), manner=manner, options=(("temperature", 1.5), ("top_p", 0.5))).notes["settings"]
    assert sent == {"top_p": 0.5, "tokens": 2000, "format": "text"}


def test_what_a_program_says_is_kept_with_its_hash() -> None:
    view, record = Table(5, 1).view("narrator"), CallRecord()
    agent = CommandAgent("sh -c 'cat > /dev/null; echo Good evening.'", Programs.from_environment())
    asyncio.run(agent.act(view, view.turns[0], Random(1), record))
    said = b"Good evening.\n"
    assert record.notes["raw"] == {"text": "Good evening.", "bytes": len(said), "sha256": sha256(said).hexdigest()}


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("gpt-4o", "gpt-4o"),
        ("gpt-4o", ""),
        ("gpt-4o", "GPT-4o-2024-08-06"),
        ("gpt-4", "gpt-4-0613"),
        ("openai/gpt-4o", "gpt-4o-2024-08-06"),
        ("gemini-2.5-pro", "models/gemini-2.5-pro-002"),
        ("claude-sonnet-4-5", "claude-sonnet-4-5-20250929"),
        ("mistral-small-latest", "mistral-small-2503"),
        ("mistral-small-latest", "mistral-small-latest"),
        ("gemma3", "gemma3:latest"),
        ("tiny", "/srv/models/tiny.gguf"),
        ("tiny", "C:\\models\\tiny.gguf"),
        ("smollm2", "/srv/models/SmolLM2-135M-Instruct.Q4_1.gguf"),
    ],
)
def test_another_edition_of_a_model_is_the_same_model(asked: str, answered: str) -> None:
    assert is_same_model(asked, answered)


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("gpt-4o", "gpt-4o-mini"),
        ("gpt-4", "gpt-5"),
        ("gpt-4", "gpt-4-turbo-2024-04-09"),
        ("gpt-4-0613", "gpt-4-1106"),
        ("gemma3:27b", "gemma3:4b"),
        ("openrouter/auto", "mistralai/mistral-small"),
        ("m", "stand-in-1"),
        ("gemma", "/srv/models/SmolLM2-135M-Instruct.Q4_1.gguf"),
    ],
)
def test_another_model_is_not(asked: str, answered: str) -> None:
    assert not is_same_model(asked, answered)


def test_calls_that_another_model_answered_are_counted() -> None:
    def receipt(name: str, **notes: Any) -> Any:
        return SimpleNamespace(name=name, data={"notes": notes})

    found = substitutes(
        [
            receipt(CALL_ENDED, model="big", answered_by="small"),
            receipt(CALL_ENDED, model="big", answered_by="small"),
            receipt(CALL_ENDED, model="big", answered_by="big-0102"),
            receipt(CALL_ENDED, model="big"),
            receipt("core.handed-over.v1", model="big", answered_by="small"),
            SimpleNamespace(name=CALL_ENDED, data={"notes": None}),
        ]
    )
    assert found == {Substitute("big", "small"): 2}
    assert told_substitutes(found) == "small for big (2 calls)"
