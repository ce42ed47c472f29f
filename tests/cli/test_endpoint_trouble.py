"""An endpoint that is dead, slow, rate-limited, out of credit or cut short: tried first, never taken for a player."""

from __future__ import annotations

import asyncio
import csv
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from commands import Cli, Said
from endpoint import Asked, Handler, StandIn, any_legal, says, stall, status
from links import link_to
from remote import RemoteServer

from sottovoce.agents.models import retries
from sottovoce.server.links import LinkKind

NAMES = "Ada,Bram,Cleo,Dirk,Edda"
SHORT = ("--names", NAMES, "--agents", "house", "--rule", "max_days=1", "--rule", "max_speeches=2", "--seed", "3")
MODEL = ("--seat", "Ada=openai:small", "--seat", "Bram=openai:small")
PLAY = ("play", "mafia", *SHORT, *MODEL, "--quiet")
RUN = ("run", "mafia", *SHORT, *MODEL, "--games", "2", "--quiet")


class From(list[Handler]):
    """From that request on, counted from 1, the endpoint does that to every one."""

    def __init__(self, first: int, fault: Handler) -> None:
        super().__init__()
        self._left, self._fault = first, fault

    def __bool__(self) -> bool:
        self._left -= 1
        return self._left <= 0

    def pop(self, index: Any = -1) -> Handler:
        return self._fault


def no_credit() -> Handler:
    """How some endpoints say that an account is empty: as a rate limit, with a code."""

    async def handler(endpoint: StandIn, asked: Asked, writer: asyncio.StreamWriter) -> None:
        told = json.dumps({"error": {"message": "You exceeded your quota.", "code": "insufficient_quota"}}).encode()
        writer.write(f"HTTP/1.1 429 X\r\ncontent-length: {len(told)}\r\n\r\n".encode() + told)

    return handler


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "FIRST_WAIT", 0.01)


@pytest.fixture
def endpoint() -> Iterator[StandIn]:
    with StandIn() as stand_in:
        yield stand_in


def at(endpoint: StandIn) -> dict[str, str]:
    return {
        "OPENAI_BASE_URL": endpoint.url,
        "OPENAI_API_KEY": "",
        "SOTTOVOCE_MODEL_SECONDS": "0.4",
        "SOTTOVOCE_MODEL_TRIES": "2",
    }


FAULTS: dict[str, tuple[Callable[[], Handler], str]] = {
    "slow": (stall, "no answer within 0.4 seconds"),
    "rate-limited": (lambda: status(429), "status 429"),
    "out of credit": (lambda: status(402), "credit"),
    "out of credit, told as a limit": (no_credit, "credit"),
    "a wrong key": (lambda: status(401), "OPENAI_API_KEY"),
    "no model's endpoint": (lambda: says(None, choices=[]), "not a chat completion"),
}


def refused_before(said: Said, fresh: Cli, why: str) -> None:
    assert said.code == 1
    assert said.err.count("\n") == 1
    assert why in said.err
    assert "No game was started" in said.err
    assert fresh("games", "--json").out == ""


@pytest.mark.parametrize("words", [PLAY, RUN])
def test_nothing_is_played_with_a_dead_endpoint(fresh: Cli, words: tuple[str, ...]) -> None:
    with StandIn() as gone:
        environ = at(gone)
    assert fresh("db", "upgrade").code == 0
    refused_before(fresh(*words, env=environ), fresh, "cannot be reached")


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("words", [PLAY, RUN])
def test_nothing_is_played_with_one_that_does_not_serve(
    fresh: Cli, endpoint: StandIn, fault: str, words: tuple[str, ...]
) -> None:
    made, why = FAULTS[fault]
    endpoint.faults = From(1, made())
    assert fresh("db", "upgrade").code == 0
    refused_before(fresh(*words, env=at(endpoint)), fresh, why)
    assert len(endpoint.requests) == (1 if "credit" in fault or "key" in fault else 2), "empty accounts are not retried"


@pytest.mark.parametrize("fault", FAULTS)
def test_a_game_is_held_when_the_endpoint_stops_and_goes_on_when_it_is_back(
    fresh: Cli, endpoint: StandIn, fault: str
) -> None:
    made, why = FAULTS[fault]
    endpoint.faults = From(6, made())
    said = fresh(*PLAY, env=at(endpoint))
    assert said.code == 1
    assert why in said.err
    assert "is on hold, waiting for an agent" in said.err
    (game,) = fresh("games", "--auditor", "--json").rows
    assert game["status"] == "held"
    endpoint.faults = []
    done = fresh("resume", "latest", "--json", env=at(endpoint)).json
    assert (done["status"], done["fallbacks"]) == ("over", 0)
    assert fresh("audit", "verify", "latest").code == 0
    held = [line for line in fresh("export", "latest").out.splitlines() if "core.hold-placed.v1" in line]
    assert "Ada" not in json.dumps(json.loads(held[0])["data"]), "who is asked at night is nobody's business"


def test_a_held_game_is_not_resumed_while_nothing_answers(fresh: Cli, endpoint: StandIn) -> None:
    endpoint.faults = From(6, status(429))
    assert fresh(*PLAY, env=at(endpoint)).code == 1
    before = fresh("export", "latest").out
    said = fresh("resume", "latest", env=at(endpoint))
    assert (said.code, "status 429" in said.err) == (1, True)
    assert "The game is as it was." in said.err
    assert fresh("export", "latest").out == before


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_run_voids_the_games_that_lose_their_endpoint(
    fresh: Cli, endpoint: StandIn, tmp_path: Path, jobs: str
) -> None:
    endpoint.faults = From(6, status(429))
    rows = tmp_path / "rows.csv"
    said = fresh(*RUN, "--jobs", jobs, "--json", "--csv", rows, env=at(endpoint))
    assert said.code == 1
    counted = json.loads(said.out)
    assert (counted["games"], counted["voided"], counted["winners"]) == (2, 2, {})
    by_seat = {row["seat"]: row for row in counted["seats"]}
    assert by_seat["Ada"]["voids"] + by_seat["Bram"]["voids"] >= 2
    assert by_seat["Cleo"]["voids"] == 0
    assert by_seat["Ada"]["fallbacks"] == by_seat["Bram"]["fallbacks"] == 0
    assert sum(row["retries"] for row in counted["seats"]) >= 2
    with rows.open(encoding="utf-8", newline="") as file:
        seats = list(csv.DictReader(file))
    assert {(row["status"], row["won"], row["winner"]) for row in seats} == {("void", "", "")}
    assert [game["status"] for game in fresh("games", "--all", "--json").rows] == ["void", "void"]
    last = json.loads(fresh("export", "latest").out.splitlines()[-1])
    assert (last["name"], last["audience"]) == ("core.game-voided.v1", "everyone")
    assert fresh("audit", "leaks", "latest").code == 0
    shown = fresh("show", "latest").out
    assert "void" in shown


def test_what_voids_a_run_is_said_in_its_table(fresh: Cli, endpoint: StandIn) -> None:
    endpoint.faults = From(6, status(402))
    said = fresh(*RUN, env=at(endpoint))
    assert "void         2, not counted" in said.out
    assert "voids" in said.out


def test_a_run_may_hold_its_games_instead(fresh: Cli, endpoint: StandIn) -> None:
    endpoint.faults = From(6, status(429))
    said = fresh(*RUN, "--on-failure", "hold", "--json", env=at(endpoint))
    counted = json.loads(said.out)
    assert (said.code, counted["held"], counted["voided"], counted["winners"]) == (1, 2, 0, {})
    endpoint.faults = []
    for game in fresh("games", "--all", "--auditor", "--json").rows:
        assert fresh("resume", game["game"], "--quiet", env=at(endpoint)).code == 0


def test_a_run_may_take_stand_ins_and_says_whose_they_are(fresh: Cli, endpoint: StandIn) -> None:
    endpoint.faults = From(6, status(429))
    words = (*RUN, "--on-failure", "fallback", "--rule", "max_attempts=1")
    said = fresh(*words, env=at(endpoint))
    assert said.code == 0
    assert "fallback moves, in 2 of the 2 games counted: these results are not only the seats' own" in said.out
    lines = [line.split() for line in said.out.splitlines()]
    ada = next(line for line in lines if line[:1] == ["Ada"])
    assert int(ada[4]) > 0, "fallbacks"


def test_an_endpoint_that_cuts_answers_short_brings_stand_ins_that_are_marked(
    fresh: Cli, endpoint: StandIn, tmp_path: Path
) -> None:
    """It answers, so the game goes on; what it says is no answer, so the rules' fallbacks are counted, by seat."""

    def cut(asked: Asked) -> str:
        whole = any_legal(asked)
        return whole[: len(whole) // 3] if asked.schema else whole

    endpoint.answer = cut
    rows = tmp_path / "rows.csv"
    said = fresh(*RUN, "--json", "--csv", rows, env=at(endpoint))
    counted = json.loads(said.out)
    by_seat = {row["seat"]: row for row in counted["seats"]}
    assert (said.code, counted["stood_in"], counted["voided"]) == (0, 2, 0)
    assert counted["fallbacks"] == by_seat["Ada"]["fallbacks"] + by_seat["Bram"]["fallbacks"] > 0
    with rows.open(encoding="utf-8", newline="") as file:
        assert sum(int(row["fallbacks"]) for row in csv.DictReader(file)) == counted["fallbacks"]
    assert set(counted["failures"]) == {"openai:small"}
    assert sum(counted["failures"]["openai:small"].values()) == by_seat["Ada"]["failed"] + by_seat["Bram"]["failed"] > 0
    (other,) = counted["substitutes"]["small"]
    assert other == "stand-in-1"
    played = fresh(*PLAY, env=at(endpoint))
    assert played.code == 0
    assert re.search(r"Models that were not the one asked for: stand-in-1 for small \(\d+ calls\)", played.err)
    assert re.search(r"models +not the one asked for: stand-in-1 for small \(\d+ calls\)", fresh("show", "latest").out)
    assert "stand-in-1" not in fresh("show", "latest", "--as", "Ada").out
    near = fresh("show", "latest", "--auditor").out
    assert "not the one asked for: stand-in-1 for small" in near
    game = fresh("show", "latest", "--json").json["game"]
    with RemoteServer(fresh.url, plays=False) as server:
        remote = fresh("show", "--auditor", "--server", link_to(server.base, fresh.url, game, LinkKind.AUDITOR))
        assert remote.out == near
        told = fresh("show", "--server", link_to(server.base, fresh.url, game, LinkKind.SPECTATOR), "--json").json
        assert (told["failures"], told["substitutes"]) == (None, None)
    assert re.search(r"Fallback moves replaced answers that failed or came too late: (Ada|Bram) \d", played.out)
    assert re.search(r"Attempts without an answer: (Ada|Bram) \d+ truncated", played.out)
    assert re.search(r"What went wrong, \d+ times?: small gave no reply: the answer is cut off", played.err)


def no_answer(**message: Any) -> Handler:
    finish = message.pop("finish", "stop")
    return says(None, choices=[{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}])


def filtered() -> Handler:
    """As Azure puts it."""

    async def handler(endpoint: StandIn, asked: Asked, writer: asyncio.StreamWriter) -> None:
        error = {
            "message": "Filtered.",
            "code": "content_filter",
            "innererror": {"code": "ResponsibleAIPolicyViolation"},
        }
        told = json.dumps({"error": error}).encode()
        writer.write(f"HTTP/1.1 400 X\r\ncontent-length: {len(told)}\r\n\r\n".encode() + told)

    return handler


NOTHING: dict[str, tuple[Handler, str, str]] = {
    "it declines": (no_answer(content=None, refusal="I can't take part in that."), "declined", "I can't take part"),
    "a filter stops the call": (filtered(), "filtered", "a content filter stopped the call (Filtered.)"),
    "a filter stops the answer": (no_answer(content="", finish="content_filter"), "filtered", "A content filter"),
    "it says nothing": (no_answer(content=""), "empty", "the answer is empty"),
    "it only thinks": (no_answer(content="<think>Hm.</think>"), "empty", "reasoning and no reply"),
    "thinking takes all tokens": (
        no_answer(content="", reasoning="Hm.", finish="length"),
        "truncated",
        "raise SOTTOVOCE_MODEL_REPLY_TOKENS",
    ),
}


@pytest.mark.parametrize("how", NOTHING)
def test_an_endpoint_that_gives_nothing_voids_its_games_as_a_dead_one_does(
    fresh: Cli, endpoint: StandIn, how: str
) -> None:
    fault, reason, why = NOTHING[how]
    endpoint.faults = From(2, fault)
    said = fresh(*RUN, "--json", env=at(endpoint))
    counted = json.loads(said.out)
    assert (said.code, counted["voided"], counted["winners"]) == (1, 2, {})
    assert set(counted["failures"]["openai:small"]) == {reason}
    shown = fresh("run", "--summary", counted["batch"])
    assert why in shown.out
    said = fresh(*PLAY, env=at(endpoint))
    assert (said.code, "is on hold, waiting for an agent" in said.err, why in said.err) == (1, True, True)
    assert "It gave nothing for 2 of its" in said.err
    endpoint.faults = []
    assert fresh("resume", "latest", "--json", env=at(endpoint)).json["status"] == "over"
    assert f"{reason}" in fresh("show", "latest").out


def test_the_share_of_turns_that_an_agent_may_lose_is_set(fresh: Cli, endpoint: StandIn) -> None:
    endpoint.faults = From(2, no_answer(content=""))
    said = fresh(*RUN, "--json", env=at(endpoint) | {"SOTTOVOCE_MOST_UNANSWERED": "1"})
    assert (said.code, json.loads(said.out)["voided"]) == (0, 0)
    said = fresh(*RUN, env=at(endpoint) | {"SOTTOVOCE_MOST_UNANSWERED": "most"})
    assert (said.code, "SOTTOVOCE_MOST_UNANSWERED" in said.err) == (2, True)


def test_a_model_is_told_why_its_last_answer_was_none(fresh: Cli, endpoint: StandIn) -> None:
    endpoint.faults = [
        endpoint_answers(),
        no_answer(content="", finish="length"),
        no_answer(content=None, refusal="No."),
    ]
    alone = ("play", "mafia", *SHORT, "--seat", "Ada=openai:small", "--quiet")
    assert fresh(*alone, env=at(endpoint)).code == 0
    third = endpoint.requests[3].user
    assert "Attempt 1 was refused: Your answer was cut off at its length limit." in third
    assert "Attempt 2 was refused: You declined to answer." in third
    limits = [request.body["max_completion_tokens"] for request in endpoint.requests[1:4]]
    assert limits == [2000, 4000, 4000], "an answer that was cut off may be longer the next time"
    failed = [line for line in fresh("export", "latest").out.splitlines() if "core.attempt-failed.v1" in line]
    assert [json.loads(line)["data"]["reason"] for line in failed] == ["truncated", "declined"]


def endpoint_answers() -> Handler:
    return says("Ready.")
