"""What an endpoint may do to a call: nothing hangs, nothing is lost, a turn costs at most its tries, all is noted."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import socket
import time
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from endpoint import (
    Asked,
    Handler,
    StandIn,
    answered_then_dropped,
    body,
    completion,
    drip,
    dropped,
    endless,
    half,
    says,
    stall,
    status,
)
from patience import PATIENCE
from table import Table

from sottovoce.agents.agent import AgentFailed, CallRecord
from sottovoce.agents.models import manners, retries
from sottovoce.agents.models.manners import Manners
from sottovoce.agents.models.refusals import asked_to_wait
from sottovoce.agents.models.settings import Settings
from sottovoce.agents.openai_agent import OpenAIAgent
from sottovoce.domain.turns import Turn
from sottovoce.projections.view import View

KEY = "sk-very-secret-0123456789"
WORDS = "I have little to say, and I say it plainly."
TOO_LATE = "no answer within 2 seconds"
"""Said of an endpoint that falls silent; the one that answers then has as long."""


@pytest.fixture(scope="module")
def asked() -> tuple[View[Any], Turn]:
    """A turn for words. One call is made before the tests, since the first of a process takes its time."""
    view = Table(5, 1).view("narrator")
    with StandIn() as stand_in:
        asyncio.run(OpenAIAgent("m", Settings(stand_in.url)).act(view, view.turns[0], Random(1), CallRecord()))
    return view, view.turns[0]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "FIRST_WAIT", 0.01)
    monkeypatch.setattr(retries, "MANNERS", Manners())


@pytest.fixture
def endpoint() -> Iterator[StandIn]:
    with StandIn(key=KEY) as stand_in:
        yield stand_in


def refused(code: int, told: Any) -> Handler:
    """An error status with that body."""

    async def handler(endpoint: StandIn, asked: Asked, writer: asyncio.StreamWriter) -> None:
        content = json.dumps(told).encode()
        writer.write(f"HTTP/1.1 {code} X\r\ncontent-length: {len(content)}\r\n\r\n".encode() + content)

    return handler


def settings(endpoint: StandIn, **changes: Any) -> Settings:
    return Settings(**{"base_url": endpoint.url, "key": KEY, "seconds": PATIENCE, "tries": 3, **changes})


def call(
    asked: tuple[View[Any], Turn], endpoint: StandIn, faults: list[Handler], **changes: Any
) -> tuple[str | AgentFailed, CallRecord]:
    """What became of one turn, and its record."""
    endpoint.faults[:] = faults
    record = CallRecord()

    async def act() -> str | AgentFailed:
        try:
            return await OpenAIAgent("m", settings(endpoint, **changes)).act(*asked, Random(1), record)
        except AgentFailed as failed:
            return failed

    return asyncio.run(act()), record


def noted(record: CallRecord) -> list[Any]:
    return [note.get("status", note["what"]) for note in record.notes["calls"]]


Made = Callable[[], Handler]


@pytest.mark.parametrize(
    ("fault", "what"),
    [
        (lambda: status(429, retry_after=0.05), 429),
        (lambda: status(429), 429),
        (lambda: status(500), 500),
        (lambda: status(503, retry_after="Wed, 21 Oct 2015 07:28:00 GMT"), 503),
        (lambda: status(408), 408),
        (lambda: dropped(), "the connection was lost"),
        (lambda: half("never read"), "the connection was lost"),
        (lambda: dropped(b"HTTP/1.1 2"), "the connection was lost"),
        (lambda: dropped(b"SSH-2.0-OpenSSH_9.2\r\n"), "the connection was lost"),
        (lambda: stall(), TOO_LATE),
        (lambda: stall(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"), TOO_LATE),
        (lambda: drip(), TOO_LATE),
        (lambda: body(b"{}"), 200),
        (lambda: body(b""), 200),
        (lambda: body(completion("x")[:40]), 200),
        (lambda: body(b"[" * 100_000), 200),
        (lambda: body(b"\xff\xfe"), 200),
        (lambda: body(json.dumps({"error": {"code": 502, "message": "Provider returned error"}}).encode()), 502),
        (lambda: body(json.dumps({"error": {"code": "rate_limit_exceeded", "message": "slow down"}}).encode()), 502),
        (lambda: body(json.dumps({"choices": []}).encode()), 200),
        (lambda: body(json.dumps({"choices": [{"message": {"content": [1]}}]}).encode()), 200),
    ],
)
def test_what_passes_is_tried_again(
    asked: tuple[View[Any], Turn], endpoint: StandIn, fault: Made, what: int | str
) -> None:
    reply, record = call(asked, endpoint, [fault()], seconds=2 if what == TOO_LATE else PATIENCE)
    assert reply == WORDS
    assert noted(record) == [what, 200]
    assert record.notes["attempts"] == 2


@pytest.mark.parametrize(
    ("fault", "says_what"),
    [
        (lambda: status(401, f"Incorrect key: {KEY}"), "refused the key"),
        (lambda: status(403), "can't use this model"),
        (lambda: status(404, "no such model 'm'"), "no such model 'm'"),
        (lambda: status(402), "needs payment"),
        (lambda: status(301), "status 301"),
        (lambda: status(204), "status 204"),
        (lambda: body(completion("a" * 1_000_000)), "longer than"),
        (lambda: endless(None), "longer than"),
        (lambda: endless(10**12), "longer than"),
        (lambda: body(gzip.compress(b" " * 1_000_000), {"content-encoding": "gzip"}), "longer than"),
        (lambda: body(b"<!doctype html><title>Hello</title>"), "a web page; check OPENAI_BASE_URL"),
        (lambda: says('{"vote": "Bram"}'), "does not follow the schema"),
        (lambda: says('{"text": 7}'), "'text' is not text"),
        (lambda: says("  "), "is empty"),
        (lambda: says(None), "is empty"),
        (lambda: says("<think>and then it was cut off"), "holds reasoning and no reply"),
        (
            lambda: says(None, choices=[{"message": {"content": None, "refusal": "I can't."}}]),
            "declined",
        ),
        (lambda: says(None, choices=[{"message": {}, "finish_reason": "content_filter"}]), "content filter"),
    ],
)
def test_what_does_not_pass_fails_the_attempt_at_once(
    asked: tuple[View[Any], Turn], endpoint: StandIn, fault: Made, says_what: str
) -> None:
    failed, record = call(asked, endpoint, [fault()])
    assert isinstance(failed, AgentFailed)
    assert says_what in str(failed)
    assert record.notes["attempts"] == len(endpoint.requests) == 1
    assert KEY not in str(failed) + json.dumps(record.notes)
    assert "\n" not in str(failed)


@pytest.mark.parametrize("fault", [lambda: status(500), lambda: dropped(), lambda: stall()])
def test_a_turn_costs_at_most_its_tries(asked: tuple[View[Any], Turn], endpoint: StandIn, fault: Made) -> None:
    failed, record = call(asked, endpoint, [fault() for _ in range(9)], seconds=0.4)
    assert isinstance(failed, AgentFailed)
    assert record.notes["attempts"] == len(endpoint.requests) == 3


def test_nobody_listens(asked: tuple[View[Any], Turn], endpoint: StandIn) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: connections are refused
        url = f"http://user:hidden@127.0.0.1:{taken.getsockname()[1]}/v1"
        failed, record = call(asked, endpoint, [], base_url=url)
    assert isinstance(failed, AgentFailed)
    assert "cannot be reached" in str(failed)
    assert len(record.notes["calls"]) == 3
    assert (record.prompt_tokens, record.cost) == (0, 0.0), "nothing was used"
    assert "hidden" not in str(failed) + json.dumps(record.notes)


def test_an_answer_counts_although_the_connection_dies_after_it(
    asked: tuple[View[Any], Turn], endpoint: StandIn
) -> None:
    reply, record = call(asked, endpoint, [answered_then_dropped("It was quiet.")])
    assert (reply, noted(record)) == ("It was quiet.", [200])


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_what_a_model_thought_is_kept_with_its_call(
    asked: tuple[View[Any], Turn], endpoint: StandIn, field: str
) -> None:
    def thinking(thoughts: Any, content: str = WORDS) -> Handler:
        message = {"role": "assistant", "content": content, field: thoughts}
        return says(None, choices=[{"index": 0, "message": message, "finish_reason": "stop"}])

    for handler, thoughts in (
        (thinking(f" Quiet, I think: {KEY}. "), "Quiet, I think: [key]."),
        (thinking(["no", "text"], f"<think>{KEY}?</think>{WORDS}"), "[key]?"),
        (thinking("a" * 100_000), "a" * 4000),
    ):
        reply, record = call(asked, endpoint, [handler])
        assert reply == WORDS
        assert record.mind is not None
        assert record.mind.to_json() == {"thoughts": thoughts, "suspicion": {}}
    reply, record = call(asked, endpoint, [thinking(None)])
    assert (reply, record.mind) == (WORDS, None)


def test_a_wait_that_is_too_long_is_not_waited(asked: tuple[View[Any], Turn], endpoint: StandIn) -> None:
    started = time.monotonic()
    failed, record = call(asked, endpoint, [status(429, retry_after=300)])
    assert "asks to wait 300 seconds" in str(failed)
    assert record.notes["attempts"] == 1
    assert time.monotonic() - started < PATIENCE


def test_all_seats_honour_a_wait_that_one_was_told(asked: tuple[View[Any], Turn], endpoint: StandIn) -> None:
    async def both() -> float:
        agent = OpenAIAgent("m", settings(endpoint, seconds=5))
        endpoint.faults[:] = [status(429, retry_after=1.5)]
        first = asyncio.create_task(agent.act(*asked, Random(1), CallRecord()))
        while not endpoint.requests:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.3)
        started = time.monotonic()
        await agent.act(*asked, Random(1), CallRecord())
        waited = time.monotonic() - started
        await first
        return waited

    assert asyncio.run(both()) > 0.5


def test_the_turns_own_limit_ends_the_call(asked: tuple[View[Any], Turn], endpoint: StandIn) -> None:
    view, turn = asked
    limited = Turn(turn.seat, turn.number, turn.kind, (), 3, seconds=0.2)
    failed, record = call((view, limited), endpoint, [stall()], seconds=30)
    assert "within the turn's 0.2 seconds" in str(failed)
    assert noted(record) == ["cancelled"]
    assert record.prompt_tokens is record.cost is None, "a model may have worked"


def test_a_cancelled_call_is_noted(asked: tuple[View[Any], Turn], endpoint: StandIn) -> None:
    endpoint.faults[:] = [status(500), stall()]
    record = CallRecord()

    async def cancelled() -> None:
        task = asyncio.create_task(OpenAIAgent("m", settings(endpoint, seconds=30)).act(*asked, Random(1), record))
        while len(endpoint.requests) < 2:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancelled())
    assert noted(record) == [500, "cancelled"]


def test_an_endpoint_without_structured_output_is_asked_plainly_from_then_on(asked: tuple[View[Any], Turn]) -> None:
    with StandIn(key=KEY, structured=False) as endpoint:
        reply, record = call(asked, endpoint, [])
        assert reply == "I have little to say."
        assert noted(record) == [400, 400, 200]
        assert (record.notes["structured"], record.notes["manner"]) == (False, {"format": "none"})
        reply, record = call(asked, endpoint, [])
        assert noted(record) == [200], "it is remembered"
        formats = [(request.format or {}).get("type") for request in endpoint.requests]
        assert formats == ["json_schema", "json_object", None, None]


def test_a_request_that_is_refused_either_way_changes_nothing(asked: tuple[View[Any], Turn], endpoint: StandIn) -> None:
    failed, record = call(asked, endpoint, [status(400, "the prompt is too long")])
    assert "the prompt is too long" in str(failed)
    assert noted(record) == [400]
    failed, record = call(asked, endpoint, [status(400), status(400), status(400)])
    assert noted(record) == [400, 400, 400]
    reply, record = call(asked, endpoint, [])
    assert (reply, record.notes["structured"]) == (WORDS, True)


def test_whoever_runs_this_is_told_of_a_bad_key_once(
    asked: tuple[View[Any], Turn], endpoint: StandIn, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            call(asked, endpoint, [], key="sk-another-key-987654")
    [warning] = [record for record in caplog.records if record.name == "sottovoce.models"]
    assert "check OPENAI_API_KEY" in warning.getMessage()
    assert "987654" not in caplog.text


def test_an_odd_refusal_changes_no_later_call(asked: tuple[View[Any], Turn], endpoint: StandIn) -> None:
    """A filter, or one bare 400, says nothing of how the endpoint wants to be asked."""
    filtered = '{"error": {"message": "The response was filtered", "code": "content_filter", "status": 400}}'
    for fault in (refused(400, json.loads(filtered)), status(400), status(500), status(422, "")):
        call(asked, endpoint, [fault])
        reply, record = call(asked, endpoint, [])
        assert reply == WORDS
        assert (record.notes["structured"], record.notes["manner"], noted(record)) == (True, {}, [200])


def test_what_no_refusal_named_is_believed_when_two_calls_agree(asked: tuple[View[Any], Turn]) -> None:
    with StandIn(key=KEY, refuses=lambda asked: (400, {}) if asked.format else None) as endpoint:
        for expected in ([400, 200], [400, 200], [200], [200]):
            _, record = call(asked, endpoint, [])
            assert noted(record) == expected


def test_what_was_learnt_is_tried_again_later(asked: tuple[View[Any], Turn], monkeypatch: pytest.MonkeyPatch) -> None:
    with StandIn(key=KEY, structured=False) as endpoint:
        call(asked, endpoint, [])
        monkeypatch.setattr(time, "monotonic", lambda real=time.monotonic: real() + manners.TRIED_AGAIN)
        _, record = call(asked, endpoint, [])
        assert noted(record) == [400, 200], "one call asks for the best, and then as before"
        _, record = call(asked, endpoint, [])
        assert noted(record) == [200]
        endpoint.structured = True
        monkeypatch.setattr(time, "monotonic", lambda real=time.monotonic: real() + 4 * manners.TRIED_AGAIN)
        for _ in range(2):
            _, record = call(asked, endpoint, [])
            assert (noted(record), record.notes["structured"]) == ([200], True)


@pytest.mark.parametrize(
    ("told", "seconds"),
    [
        ({"message": "Please try again in 1m2.5s."}, 62.5),
        ({"message": "Please try again in 250ms"}, 0.25),
        ({"message": "retry after 7"}, 7),
        ({"details": [{"@type": "RetryInfo", "retryDelay": "45.837906927s"}]}, 45.837906927),
        ({"message": "later"}, None),
    ],
)
def test_a_wait_is_read_out_of_an_error(told: dict[str, Any], seconds: float | None) -> None:
    assert asked_to_wait({}, told) == seconds


def test_an_endpoint_that_repeats_the_key_gives_it_to_nobody(asked: tuple[View[Any], Turn], endpoint: StandIn) -> None:
    reply, _ = call(asked, endpoint, [says(json.dumps({"text": f"My key is {KEY}."}))])
    assert reply == "My key is [key]."


@pytest.mark.parametrize(
    ("usage", "tokens", "cost"),
    [
        ({"prompt_tokens": 1000, "completion_tokens": 20}, (1000, 20), 0.0014),
        (
            {"prompt_tokens": 1000, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 800}},
            (1000, 20),
            0.0006,
        ),
        (None, (None, None), None),
        ({"prompt_tokens": "many"}, (None, None), None),
        ({"prompt_tokens": -5, "completion_tokens": 1}, (None, None), None),
    ],
)
def test_tokens_and_cost(
    asked: tuple[View[Any], Turn],
    endpoint: StandIn,
    usage: dict[str, Any] | None,
    tokens: tuple[int | None, int | None],
    cost: float | None,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Any,
) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('["127.0.0.1"]\nm = { prompt = 1.2, cached = 0.2, reply = 10 }\n')
    monkeypatch.setenv("SOTTOVOCE_PRICES", str(prices))
    _, record = call(asked, endpoint, [says(WORDS, usage=usage)])
    assert (record.prompt_tokens, record.reply_tokens) == tokens
    assert record.cost == (None if cost is None else pytest.approx(cost))
    if usage and tokens[0]:
        _, record = call(asked, endpoint, [status(500), says(WORDS, usage=usage)])
        assert record.cost == pytest.approx(cost), "a call that was turned away costs nothing"
        _, record = call(asked, endpoint, [dropped(), says(WORDS, usage=usage)])
        assert record.prompt_tokens is record.cost is None, "a lost answer may have cost something"


def test_the_cost_of_a_model_without_a_price_is_unknown(asked: tuple[View[Any], Turn], endpoint: StandIn) -> None:
    _, record = call(asked, endpoint, [])
    assert record.prompt_tokens == 1000
    assert record.cost is None
