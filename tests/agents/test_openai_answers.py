"""How a model's answer becomes a reply, and how settings and prices are read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from table import Table

from sottovoce.agents.agent import CallRecord
from sottovoce.agents.house import HouseAgent
from sottovoce.agents.kinds import UnknownAgent, agent_for, check_agent, known
from sottovoce.agents.models.answers import Unreadable, read, reply_in
from sottovoce.agents.models.forms import Beside, answers_of
from sottovoce.agents.models.prices import Price, price_of
from sottovoce.agents.models.settings import ModelUnusable, Settings
from sottovoce.agents.openai_agent import OpenAIAgent
from sottovoce.rulesets.mafia.rules.turns import Second, Speech, TrialVote

VIEW = Table(("Ada", "Bram", "Ann", "Ann Lee", "Dirk"), 1).view("Ada")
VOTE = TrialVote("Ada", 4, "trial-vote", ("Bram", "Ann", "Ann Lee"), 3)
SECOND = Second("Ada", 4, "second", ("yes", "no"), 3)
SPEECH = Speech("Ada", 4, "speech", (), 3)


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        ('{"choice": "Bram", "words": "Ann Lee is right."}', "I vote for Bram. Ann Lee is right."),
        ('{"choice": "bram ", "words": ""}', "Bram"),
        ('{"choice": "Bram"}', "Bram"),
        ('{"words": "He lied.", "choice": "Bram"}', "I vote for Bram. He lied."),
        ('{"choice": "Bram", "words": 7}', "Bram"),
        (
            'Sure! Here it is:\n```json\n{"choice": "Bram", "words": "He lied."}\n```\nGood luck.',
            "I vote for Bram. He lied.",
        ),
        ('<think>Perhaps {"choice": "Ann"}?</think>\n{"choice": "Bram", "words": "Yes."}', "I vote for Bram. Yes."),
        ('My answer: {"choice": "Bram", "words": "He lied."} I hope', "I vote for Bram. He lied."),
        ('{"choice": "Bram", "words": "He lied, and', "I vote for Bram. He lied, and"),
        ('{"choice": "I vote for Bram", "words": "Ann!"}', "I vote for Bram"),
        ('{"choice": "Dirk", "words": "Not Bram."}', "Dirk"),
        ("I vote for Bram, not Ann.", "I vote for Bram, not Ann."),
        ("**Bram**", "**Bram**"),
    ],
)
def test_a_choice(answer: str, reply: str) -> None:
    assert reply_in(answer, VIEW, VOTE) == reply


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        ('{"text": "Good evening.\\nAll of you."}', "Good evening.\nAll of you."),
        ('{"text": "I was about to say', "I was about to say"),
        ('{"text": "A brace } and \\"quotes\\"", "more": 1}', 'A brace } and "quotes"'),
        ("Good evening.", "Good evening."),
        ("Good {evening}.", "Good {evening}."),
    ],
)
def test_words(answer: str, reply: str) -> None:
    assert reply_in(answer, VIEW, SPEECH) == reply


def test_yes_and_no_may_be_booleans() -> None:
    assert reply_in('{"choice": true, "words": ""}', VIEW, SECOND) == "yes"


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "  ",
        "{}",
        "[]",
        '{"vote": "Bram"}',
        '{"choice": null}',
        '{"choice": "Ann',
        '{"choice": ["Bram"]}',
        "[" * 9999,
        '{"a":' * 9999,
    ],
)
def test_an_answer_without_a_choice(answer: str) -> None:
    with pytest.raises(Unreadable):
        reply_in(answer, VIEW, VOTE)


def test_what_was_thought_before_an_answer_is_told_apart() -> None:
    assert read('\n<think>\nBram? Or Ann.\n</think>\n{"choice": "Bram"}', VIEW, VOTE).thoughts == "Bram? Or Ann."
    assert read('{"choice": "Bram", "words": "<think>no</think>Bram it is."}', VIEW, VOTE).thoughts == "no"
    with pytest.raises(Unreadable) as unreadable:
        read("<reasoning>cut off", VIEW, VOTE)
    assert (unreadable.value.thoughts, unreadable.value.reason) == ("cut off", "empty")


@given(st.one_of(st.text(), st.text(alphabet='{}[]":,\\`<>think/choicetextwords \n', max_size=60)))
def test_any_answer_is_read_or_unreadable(answer: str) -> None:
    for turn in (VOTE, SECOND, SPEECH):
        try:
            assert reply_in(answer, VIEW, turn).strip()
        except Unreadable:
            continue


def test_the_schema_holds_the_legal_choices_and_is_strict() -> None:
    answers = answers_of(VIEW, Beside("off", "off", "off"))
    schema = answers.exact(VIEW, VOTE)
    assert schema["properties"]["choice"]["enum"] == ["Bram", "Ann", "Ann Lee"]
    assert (schema["required"], schema["additionalProperties"]) == (["choice", "words"], False)
    assert list(answers.exact(VIEW, SPEECH)["properties"]) == ["words"]


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "SOTTOVOCE_PRICES"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def test_a_model_is_named_like_any_agent(environment: pytest.MonkeyPatch) -> None:
    assert "openai:MODEL" in known()
    environment.setenv("OPENAI_BASE_URL", "http://localhost:8080/v1")
    agent = agent_for("openai:llama3:8b", HouseAgent)
    assert isinstance(agent, OpenAIAgent)
    assert (agent.model, agent.settings.key, agent.by) == ("llama3:8b", "none", "prompt")
    for spec in ("openai", "openai:"):
        with pytest.raises(UnknownAgent):
            check_agent(spec)


@pytest.mark.parametrize(
    ("variables", "named"),
    [
        ({}, "OPENAI_API_KEY"),
        ({"OPENAI_BASE_URL": "localhost:8080"}, "OPENAI_BASE_URL"),
        ({"OPENAI_BASE_URL": "http://[::1"}, "OPENAI_BASE_URL"),
        ({"OPENAI_API_KEY": "sk-…"}, "OPENAI_API_KEY"),
        ({"OPENAI_API_KEY": "k", "SOTTOVOCE_MODEL_CONCURRENCY": "0"}, "SOTTOVOCE_MODEL_CONCURRENCY"),
        ({"OPENAI_API_KEY": "k", "SOTTOVOCE_MODEL_SECONDS": "nan"}, "SOTTOVOCE_MODEL_SECONDS"),
        ({"OPENAI_API_KEY": "k", "SOTTOVOCE_MODEL_TRIES": "many"}, "SOTTOVOCE_MODEL_TRIES"),
        ({"OPENAI_API_KEY": "k", "SOTTOVOCE_PRICES": "/nowhere.toml"}, "SOTTOVOCE_PRICES"),
    ],
)
def test_settings_that_cannot_work_are_refused_before_a_game(
    variables: dict[str, str], named: str, environment: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        environment.setenv(name, value)
    with pytest.raises(ModelUnusable, match=named) as refused:
        check_agent("openai:m")
    assert refused.value.exit_code == 2
    assert "sk-…" not in str(refused.value)


def test_settings_hide_what_is_secret() -> None:
    settings = Settings("https://me:hidden@host:8443/v1?key=hidden", "sk-hidden-hidden")
    assert "hidden" not in repr(settings).replace(settings.base_url, "") + settings.shown_url
    assert settings.shown_url == "https://host:8443/v1"


def test_prices(environment: pytest.MonkeyPatch, tmp_path: Path) -> None:
    shipped = price_of("api.openai.com", "gpt-4o-mini")
    assert shipped is not None
    assert price_of("api.openai.com", "no-such-model") is None
    assert price_of("127.0.0.1", "gpt-4o-mini") is None, "another endpoint, another price"
    own = tmp_path / "prices.toml"
    own.write_text(
        '["api.openai.com"]\n"gpt-4o-mini" = { prompt = 7, reply = 8 }\n["*"]\n"local" = { prompt = 0, reply = 0 }\n'
    )
    environment.setenv("SOTTOVOCE_PRICES", str(own))
    assert price_of("api.openai.com", "gpt-4o-mini") == Price(prompt=7, reply=8)
    assert price_of("api.openai.com", "gpt-4o") is not None, "the others still count"
    assert price_of("127.0.0.1", "local") == Price(prompt=0, reply=0)
    assert Price(prompt=2, cached=1, reply=10).of(1_000_000, 500_000, 400_000) == pytest.approx(1.2 + 0.4 + 5)


@pytest.mark.parametrize(
    "text", ["{", "[a]\nb = 1", '["h"]\nm = { prompt = -1, reply = 1 }', '["h"]\nm = { prompt = nan, reply = 1 }']
)
def test_faulty_prices_are_refused(text: str, environment: pytest.MonkeyPatch, tmp_path: Path) -> None:
    own = tmp_path / f"prices-{abs(hash(text))}.toml"
    own.write_text(text)
    environment.setenv("SOTTOVOCE_PRICES", str(own))
    with pytest.raises(ModelUnusable):
        price_of("h", "m")


def test_a_record_starts_out_unknown() -> None:
    record = CallRecord()
    assert record.prompt_tokens is record.cost is None
    assert json.dumps(record.notes) == "{}"
