"""Whole games with model seats: what is sent is receipted, ballots run at once, many games share the endpoint."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from endpoint import Asked, StandIn, any_legal, body, completion, dropped, half, says, status
from sizes import sized

from sottovoce.agents.agent import Agent
from sottovoce.agents.house import HouseAgent
from sottovoce.agents.models import retries
from sottovoce.agents.models.settings import Settings
from sottovoce.agents.openai_agent import OpenAIAgent
from sottovoce.agents.quoting import tokens
from sottovoce.domain.draws import Seed
from sottovoce.domain.events import FallbackApplied, ReplyAccepted
from sottovoce.domain.rulesets import RULESETS
from sottovoce.eventlog import open_log
from sottovoce.eventlog.log import RecordedReceipt
from sottovoce.projections.receipts import endings, read_deliveries
from sottovoce.projections.tally import Tally
from sottovoce.rulesets.mafia.rules.events import RepliesHeard, SpeakerChosen
from sottovoce.rulesets.mafia.rules.roles import article
from sottovoce.server.games import Games
from sottovoce.server.live import LiveGame
from sottovoce.server.plan import Plan
from sottovoce.server.pool import play_many
from sottovoce.server.runner import Runner

ROOT = Path(__file__).parents[2]
NAMES = ("Ada", "Bram", "Cleo", "Dirk", "Edda", "Finn", "Greta")
SHORT = {"max_days": 1, "max_speeches": 2}


@dataclass
class Played:
    """A game that was played, and its receipts with the texts."""

    live: LiveGame
    receipts: list[RecordedReceipt]
    texts: dict[str, str]

    @property
    def tally(self) -> Tally:
        return Tally.of(self.live.ruleset, self.live.recorded, self.receipts)

    def all(self, kind: type) -> list[Any]:
        return [item.event for item in self.live.recorded if isinstance(item.event, kind)]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retries, "FIRST_WAIT", 0.01)


def play(
    folder: Path,
    agents: Mapping[str, Agent],
    options: Mapping[str, Any] = SHORT,
    seed: int = 1,
    specs: Mapping[str, str] | None = None,
) -> Played:
    """Play a game to its end on a database in the folder."""
    names = [seat for seat in agents if seat != "narrator"]
    log = open_log(f"sqlite:///{folder}/games.sqlite")
    games = Games(log)
    seats = RULESETS["mafia"].seats_for(names)

    async def whole() -> LiveGame:
        spec = {seat: "openai:m" if isinstance(agents[seat], OpenAIAgent) else "house" for seat in seats}
        live = await games.open("mafia", seats, specs or spec, Seed.of(seed), options)
        await asyncio.wait_for(Runner(games, live, agents, on_failure="fallback").run(), 60)
        return live

    try:
        live = asyncio.run(whole())
        receipts = log.receipts(live.id)
        texts = {digest: log.block(digest) for receipt in receipts for digest in receipt.blocks}
    finally:
        games.close()
        log.close()
    return Played(live, receipts, texts)


def model(endpoint: StandIn, **changes: Any) -> OpenAIAgent:
    return OpenAIAgent("m", Settings(base_url=endpoint.url, **{"seconds": 20, **changes}))


def test_what_is_sent_is_what_was_receipted_before(tmp_path: Path) -> None:
    key = "sk-very-secret-0123456789"
    with StandIn(key=key) as endpoint:
        played = play(tmp_path, dict.fromkeys((*NAMES[:5], "narrator"), model(endpoint, key=key)))
    assert not any(key.encode() in file.read_bytes() for file in tmp_path.iterdir()), "no credentials on disk"
    assert played.live.state.over
    handed = [given for all_given in read_deliveries(played.receipts).values() for given in all_given]
    sent = sorted((asked.system, asked.user) for asked in endpoint.requests)
    stored = sorted(
        ("\n\n".join(played.texts[d] for d in given.blocks[:1]), "\n\n".join(played.texts[d] for d in given.blocks[1:]))
        for given in handed
    )
    assert stored == sent
    assert {given.by for given in handed} == {"prompt"}
    ended = endings(played.receipts)
    assert {ending.how for ending in ended.values()} == {"accepted"}
    assert all(ending.notes["structured"] and ending.notes["attempts"] == 1 for ending in ended.values())
    for given in handed:
        assert ended[given.call].number > given.number
    assert played.tally.tokens == 1020 * len(sent)
    assert played.tally.cost is None, "no price is known for this model here"
    assert (played.tally.fallbacks, played.tally.refusals) == (0, 0)


def test_structured_choices_are_read_with_their_words(tmp_path: Path) -> None:
    """Words that name everybody spoil no choice; the narrator hears them, and calls speakers aloud."""

    def answer(asked: Asked) -> str:
        fields = asked.schema or {}
        if "choice" not in fields:
            return any_legal(asked)
        return json.dumps({"choice": fields["choice"]["enum"][0], "words": f"Not {', '.join(NAMES[:5])}."})

    with StandIn(answer=answer) as endpoint:
        played = play(tmp_path, dict.fromkeys((*NAMES[:5], "narrator"), model(endpoint)))
    assert (played.tally.fallbacks, played.tally.refusals) == (0, 0)
    assert any("Not Ada, Bram" in text for heard in played.all(RepliesHeard) for text in heard.replies.values())
    [call, *_] = played.all(SpeakerChosen)
    assert call.words == "Ada. Not Ada, Bram, Cleo, Dirk, Edda." or call.words.startswith("Bram. Not")


def test_every_fault_in_one_game(tmp_path: Path) -> None:
    """The game ends all the same; each call has its receipt, and each says what happened."""
    faults = [
        status(429, retry_after=0.05),
        status(500),
        dropped(),
        half("x"),
        body(b"{}"),
        body(completion("x")[:-9]),
        body(completion("a" * 1_000_000)),
        says('{"vote": 1}'),
        says("no idea at all"),
        status(404),
    ]

    def faulty(asked: Asked) -> str:
        if len(endpoint.requests) % 3 == 0 and faults:
            endpoint.faults.append(faults.pop(0))
        return any_legal(asked)

    with StandIn(answer=faulty) as endpoint:
        played = play(tmp_path, dict.fromkeys((*NAMES[:5], "narrator"), model(endpoint, seconds=5)))
    assert played.live.state.over
    assert not faults
    ended = endings(played.receipts)
    assert set(ended) == {given.call for handed in read_deliveries(played.receipts).values() for given in handed}
    assert sum(ending.notes["attempts"] for ending in ended.values()) == len(endpoint.requests)
    noted = " | ".join(note["what"] for ending in ended.values() for note in ending.notes["calls"])
    for what in ("429", "500", "connection was lost", "not a chat completion", "longer than", "check OPENAI_BASE_URL"):
        assert what in noted
    assert any("schema" in ending.notes.get("error", "") for ending in ended.values())
    attempts = len(ended)
    accepted, fallen = len(played.all(ReplyAccepted)), len(played.all(FallbackApplied))
    assert accepted + fallen <= attempts <= 3 * (accepted + fallen)
    assert fallen <= 1


def test_a_dead_endpoint_stops_no_game(tmp_path: Path) -> None:
    """Two seats whose model never answers play by fallbacks; the house plays on around them."""
    with StandIn() as endpoint:
        dead = model(endpoint, tries=1)
    house = HouseAgent()
    agents = dict.fromkeys((*NAMES[:5], "narrator"), house) | {"Ada": dead, "Bram": dead}
    played = play(tmp_path, agents, {"max_days": 1, "max_attempts": 2})
    assert played.live.state.over
    assert {event.seat for event in played.all(FallbackApplied)} == {"Ada", "Bram"}
    errors = {ending.notes["error"] for ending in endings(played.receipts).values() if ending.how == "failed"}
    assert len(errors) == 1
    assert "cannot be reached" in errors.pop()
    assert (played.tally.tokens, played.tally.cost) == (0, 0.0)


def test_seats_that_repeat_their_whole_prompt_make_no_prompt_longer(tmp_path: Path) -> None:
    def parrot(asked: Asked) -> str:
        heard = f"{asked.system}\n{asked.user}"
        if "choice" in (asked.schema or {}):
            return json.dumps({"choice": (asked.schema or {})["choice"]["enum"][-1], "words": heard})
        return json.dumps({"words": heard})

    with StandIn(answer=parrot) as endpoint:
        agents = dict.fromkeys(NAMES, model(endpoint)) | {"narrator": HouseAgent()}
        played = play(tmp_path, agents, {"max_days": 2, "max_speeches": 6})
    assert played.live.state.over
    assert max(tokens(asked.system + asked.user) for asked in endpoint.requests) <= 6000
    dealt = played.live.state.roles
    for asked in endpoint.requests:
        seat = asked.user.partition("YOU ARE ")[2].partition(".")[0]
        own_voice = [line for line in asked.user.split("\n") if not line.startswith("> ")]
        assert f"You are {article(dealt[seat])}." in own_voice or "(earlier events left out)" in own_voice
        assert not {f"You are {article(role)}." for role in set(dealt.values()) - {dealt[seat]}} & set(own_voice)


def test_the_command_line_plays_and_audits_model_seats(tmp_path: Path) -> None:
    def run(*arguments: str) -> str:
        command = [sys.executable, "-m", "sottovoce", "--db", f"sqlite:///{tmp_path}/games.sqlite", *arguments]
        done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    with StandIn() as endpoint:
        environment = os.environ | {"OPENAI_BASE_URL": endpoint.url, "OPENAI_API_KEY": "", "NO_PROXY": "127.0.0.1"}
        seats = ["--names", ",".join(NAMES[:5]), "--seat", "Ada=openai:some-model"]
        run("play", "mafia", *seats, "--rule", "max_days=1", "--seed", "1", "--quiet")
        shown = run("audit", "prompt", "latest", "Ada", "1")
        asked = endpoint.requests[1]  # the first one asks whether anybody is there
    for line in (*asked.system.splitlines(), *asked.user.splitlines()):
        assert line in shown
    assert asked.body["model"] == "some-model"


def test_the_audit_shows_how_an_endpoint_was_asked(tmp_path: Path) -> None:
    def run(*arguments: str) -> str:
        command = [sys.executable, "-m", "sottovoce", "--db", f"sqlite:///{tmp_path}/games.sqlite", *arguments]
        done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    with StandIn(structured=False) as endpoint:
        environment = os.environ | {"OPENAI_BASE_URL": endpoint.url, "OPENAI_API_KEY": ""}
        run(
            "play", "mafia", "--names", ",".join(NAMES[:5]), "--seat", "Ada=openai:m", "--rule", "max_days=1", "--quiet"
        )
        shown = run("audit", "prompt", "latest", "Ada", "1")
    assert "The endpoint was asked differently than usual: without a schema" in shown


def test_games_without_models_do_not_load_the_client() -> None:
    code = "import sys; from sottovoce.cli import main, play, run; sys.exit('openai' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_two_model_seats_among_house_players(tmp_path: Path) -> None:
    with StandIn() as endpoint:
        seats = {"Ada": model(endpoint), "Bram": model(endpoint)}
        agents: dict[str, Agent] = {**dict.fromkeys((*NAMES[:6], "narrator"), HouseAgent()), **seats}
        played = play(tmp_path, agents, {"max_days": 2})
    assert played.live.state.over
    prompted = {
        given.seat for handed in read_deliveries(played.receipts).values() for given in handed if given.by == "prompt"
    }
    assert prompted == {"Ada", "Bram"}
    assert played.tally.tokens == 1020 * len(endpoint.requests) > 0


def test_a_ballot_of_seven_takes_about_as_long_as_one_call(tmp_path: Path) -> None:
    """All seven roles are acknowledged at an endpoint that takes a second."""
    with StandIn(seconds=1.0) as endpoint:
        agents = dict.fromkeys(NAMES, model(endpoint)) | {"narrator": HouseAgent()}
        log = open_log(f"sqlite:///{tmp_path}/games.sqlite")
        games = Games(log)

        async def first_ballot() -> float:
            live = await games.open("mafia", (*NAMES, "narrator"), dict.fromkeys(agents, "openai:m"), Seed.of(1), SHORT)
            running = asyncio.create_task(Runner(games, live, agents).run())
            while not any(turn.kind == "role" for turn in live.state.turns.values()):
                await asyncio.sleep(0.01)
            started = time.monotonic()
            while sum(isinstance(item.event, ReplyAccepted) for item in live.recorded) < 8:
                await asyncio.sleep(0.01)
            took = time.monotonic() - started
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
            return took

        took = asyncio.run(first_ballot())
        games.close()
        log.close()
    assert endpoint.most_at_once == 7
    assert 1 <= took < 4, "one after the other they take seven"


def test_many_games_share_an_endpoint_at_the_rate_it_allows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Never more calls at once than allowed, seldom fewer, and no memory that grows with the games."""
    count, at_once, seconds = sized(4, 200), sized(8, 64), sized(0.2, 1.0)
    calls = 0

    def counted(asked: Asked) -> str:
        nonlocal calls
        calls += 1
        endpoint.requests.clear()
        return any_legal(asked)

    with StandIn(answer=counted, seconds=seconds) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("SOTTOVOCE_MODEL_CONCURRENCY", str(at_once))
        specs = dict.fromkeys(NAMES, "openai:m") | {"narrator": "house"}
        options = {"max_days": 1, "max_speeches": 1}
        plans = [Plan("mafia", (*NAMES, "narrator"), specs, Seed.of(seed), options) for seed in range(count)]
        log = open_log(f"sqlite:///{tmp_path}/games.sqlite")
        games = Games(log)
        tallies: list[Tally] = []
        resident: list[float] = []

        def finished(tally: Tally) -> None:
            tallies.append(tally)
            resident.append(_resident())

        started = time.monotonic()
        asyncio.run(play_many(games, plans, finished))
        took = time.monotonic() - started
        games.close()
        log.close()
    ideal = calls * seconds / at_once
    report = f"{calls} calls in {took:.1f} s (ideal {ideal:.1f}); {resident[0]:.0f} to {resident[-1]:.0f} MB"
    print(report)
    assert len(tallies) == count
    assert sum(tally.fallbacks for tally in tallies) == 0
    assert endpoint.most_at_once == at_once
    assert took < sized(4, 2) * ideal + 2, report  # one after the other would take eight times as long, or more
    assert max(resident[count // 3 :]) - resident[count // 3] < 40, report


def _resident() -> float:
    """Megabytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6
