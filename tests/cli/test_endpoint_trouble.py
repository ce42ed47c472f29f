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

from sottovoce.agents.models import retries

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
    played = fresh(*PLAY, env=at(endpoint))
    assert played.code == 0
    assert re.search(r"Fallback moves replaced answers that failed or came too late: (Ada|Bram) \d", played.out)
