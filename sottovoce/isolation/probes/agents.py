"""Probe what agents get and do with it, and refusals: without a server, so there can be many.

In the second world other agents are served first. So anything that a prompt builder, an answer parser or a bot keeps
for all seats shows in what the seat gets or says next.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable, Coroutine, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from itertools import count
from pathlib import Path
from typing import Any
from unittest import mock

import httpx2

from sottovoce.agents.agent import AgentFailed, Assignment, CallRecord, seat_random
from sottovoce.agents.house import HouseAgent
from sottovoce.agents.mcp_tools.texts import documents_text, look_text
from sottovoce.agents.models.blocks import model_blocks
from sottovoce.agents.models.forms import Beside, answers_of
from sottovoce.agents.models.settings import Settings
from sottovoce.agents.openai_agent import OpenAIAgent
from sottovoce.agents.programs.surroundings import variables
from sottovoce.agents.prompt import BUDGET, build_prompt
from sottovoce.agents.random_agent import RandomAgent
from sottovoce.domain import commands
from sottovoce.domain.draws import Seed
from sottovoce.domain.events import AttemptFailed, MessageRefused, Recorded, ReplyAccepted
from sottovoce.domain.game import fold
from sottovoce.domain.rulesets import RULESETS
from sottovoce.domain.turns import Turn
from sottovoce.isolation.cases import SOME_TIME
from sottovoce.isolation.draws import generator
from sottovoce.isolation.observe import Difference
from sottovoce.isolation.probes.canaries import Forbidden, marks_seen, secrets_of
from sottovoce.isolation.probes.coverage import Coverage
from sottovoce.isolation.probes.inquiry import Probed
from sottovoce.isolation.probes.lexicon import Lexicon
from sottovoce.isolation.probes.situations import Situation, situations
from sottovoce.isolation.system import System
from sottovoce.projections.view import View, view

BUDGETS = (BUDGET, 2500, 1200, 600)
"""Token budgets of prompts: the default, and one so small that parts are left out."""
SMALL = Beside(brief=True)
"""What a model with a small window is asked for."""
DRAWN = Seed.of("what agents draw")
ENDPOINT = Settings.from_environment({"OPENAI_BASE_URL": "http://127.0.0.1:9/v1", "OPENAI_API_KEY": "sk-probe"})
ANSWER = {"choices": [{"message": {"content": "So be it."}, "finish_reason": "stop"}], "model": "m"}
MODEL_EVERY = 5
"""One in this many situations is sent to a model."""
REFUSED = 24
"""Commands decided in each world of a situation; most are refused."""

Told = tuple[str, bytes]
"""A label, and the full text."""


def handed(seen: View[Any], lexicon: Lexicon, rng: random.Random) -> Iterator[Told]:
    """Return everything a seat's agent gets, turn by turn, and what the offline agents answer."""
    for turn in seen.turns:
        for budget in BUDGETS:
            yield f"prompt of {turn.kind}, {budget} tokens", build_prompt(seen, turn, budget).text.encode()
        yield f"texts for a model, {turn.kind}", "\n".join(model_blocks(seen, turn, BUDGET)).encode()
        if (errand := seen.ruleset.errand(seen.state, turn)) is not None:
            told = variables(Assignment("game", errand.about, errand.round), seen.seat, Path("work"))
            yield f"what a program is told, {turn.kind}", json.dumps([told, errand.reads_only]).encode()
        answers = answers_of(seen)
        yield f"form for a model, {turn.kind}", json.dumps(answers.exact(seen, turn)).encode()
        yield "form for a model, all game long", json.dumps(answers.schema()).encode()
        if turn.brief is not None:
            small = json.dumps(answers_of(seen, SMALL).exact(seen, turn, bounded=True))
            yield f"form for a small model, {turn.kind}", small.encode()
            yield (
                f"texts for a small model, {turn.kind}",
                "\n".join(model_blocks(seen, turn, 3000, beside=SMALL)).encode(),
            )
        for agent in (HouseAgent(), RandomAgent()):
            yield f"{type(agent).__name__} at {turn.kind}", _at_once(_said(agent, seen, turn))
    numbers = [number for _, number in lexicon.integers(rng, 4)]
    for since in (0, *numbers):
        yield f"look since {since}", look_text(seen, since, rules=not since).encode()
    kept = seen.ruleset.documents
    documents = None if kept is None else kept(seen.state)
    for path in ("", *lexicon.words.get("document", ())[:4], *lexicon.own_documents[:2]):
        for offset in (0, numbers[0], *lexicon.numbers.get("length of a document", ())[:3]):
            yield f"document {path} from {offset}", documents_text(documents, path, offset).encode()


def _at_once(saying: Coroutine[Any, Any, bytes]) -> bytes:
    """Return the reply of an agent that waits for nothing."""
    try:
        saying.send(None)
    except StopIteration as said:
        found: bytes = said.value
        return found
    raise AssertionError("an offline agent waits for nothing")


async def _said(agent: Any, seen: View[Any], turn: Turn) -> bytes:
    record = CallRecord()
    try:
        said = await agent.act(seen, turn, seat_random(DRAWN, turn.seat, turn.number), record)
    except AgentFailed as failed:
        said = f"failed: {failed}"
    return f"{said}\n{record}".encode()


def sent_to_a_model(seen: View[Any]) -> Iterator[Told]:
    """Return the bytes of the requests that a model's endpoint gets for the seat's turns."""
    got: list[bytes] = []

    async def handle(self: Any, request: httpx2.Request) -> httpx2.Response:
        headers = b"\n".join(name + b": " + value for name, value in request.headers.raw)
        got.append(b"\n".join((str(request.url).encode(), headers, await request.aread())))
        return httpx2.Response(200, json=ANSWER)

    with mock.patch.object(httpx2.AsyncHTTPTransport, "handle_async_request", handle):
        for turn in seen.turns:
            asyncio.run(_said(OpenAIAgent("m", ENDPOINT), seen, turn))
    for number, request in enumerate(got):
        yield f"request {number} to a model", request


def refusals(log: Sequence[Recorded], seat: str, sent: Sequence[commands.Command], system: System) -> Iterator[Told]:
    """Return the results of the seat's own commands, as far as only the seat learns them."""
    state = fold(system.ruleset, [item.event for item in log])
    for command in sent:
        told = [
            draft.event.encoded()
            for draft in system.decide(system.ruleset, state, command)
            if isinstance(draft.event, AttemptFailed | MessageRefused | ReplyAccepted) and draft.event.seat == seat
        ]
        yield f"decided: {command}", b"\n".join(told)


def tried(lexicon: Lexicon, rng: random.Random) -> Iterator[commands.Command]:
    """Return commands of the seat that mean something in the hidden world: others' turns, choices, names and words."""
    assert lexicon.seat is not None
    own = [turn.number for turn in lexicon.own_turns]
    words = [word for _, word in lexicon.texts(rng, REFUSED)] or ["x"]
    numbers = [number for _, number in lexicon.integers(rng, 8)]
    for number, text in lexicon.answers[:5]:
        if number not in own:
            yield commands.Reply(SOME_TIME, lexicon.seat, number, text)
    for word in words:
        if rng.random() < 0.4:
            yield commands.Say(SOME_TIME, lexicon.seat, word)
        else:
            yield commands.Reply(SOME_TIME, lexicon.seat, rng.choice((*own, *own, *numbers)), word)


class Agents:
    """What agents get and what is refused in one situation."""

    def __init__(self, situation: Situation, coverage: Coverage, rng: random.Random, *, model: bool) -> None:
        self.situation, self.case, self.coverage, self.model = situation, situation.case, coverage, model
        self.system = System(RULESETS[situation.base.craft.name])
        self.lexicon = Lexicon(self.system.ruleset, (self.case.first, self.case.second), self.case.seat)
        self.seed = rng.getrandbits(32)
        seen = [item.audience.seats for item in self.case.first]
        secrets = [secret for log in (self.case.first, self.case.second) for secret in secrets_of(log)]
        self.forbidden = Forbidden(marks_seen(self.case.first, seen, self.case.seat), secrets)

    def probed(self) -> Iterator[Probed]:
        """Yield comparisons, up to the first finding."""
        seat = self.case.seat
        assert seat is not None
        one = list(self._told(self.case.first, seat))
        for other in self.lexicon.seats:
            with suppress(Exception):  # if hidden events were changed, others get things that are not real for anyone
                if other != seat:
                    list(self._handed(self.case.second, other))
        two = list(self._told(self.case.second, seat))
        for (name, mine), (_, theirs) in zip(one, two, strict=False):
            self.coverage.comparisons["things handed to agents"] += 1
            found = None if mine == theirs else _apart(mine, theirs)
            for told in {mine, theirs}:
                canary = self.forbidden.found(told, (name,))
                found = found or (canary and f"canary {canary}")
            where = f"{name} (seat {seat}; {self.situation})"
            yield Probed(name, self.situation, Difference(where, found) if found else None)
            if found:
                return
        if len(one) != len(two):
            what = f"{len(one)} things handed over against {len(two)}"
            yield Probed("all", self.situation, Difference(f"seat {seat}; {self.situation}", what))

    def _told(self, log: Sequence[Recorded], seat: str) -> Iterator[Told]:
        yield from self._handed(log, seat)
        if self.model:
            yield from sent_to_a_model(view(self.system.ruleset, log, seat))
        if self.situation.played:
            yield from refusals(log, seat, list(tried(self.lexicon, random.Random(self.seed))), self.system)

    def _handed(self, log: Sequence[Recorded], seat: str) -> Iterator[Told]:
        return handed(view(self.system.ruleset, log, seat), self.lexicon, random.Random(self.seed))


def _apart(one: bytes, other: bytes) -> str:
    at = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    start = max(0, at - 50)
    return f"{one[start : at + 70]!r} against {other[start : at + 70]!r}"


def served(
    ruleset: str,
    seed: int,
    coverage: Coverage,
    patch: Callable[[], AbstractContextManager[Any]] = nullcontext,
    system: System | None = None,
) -> Generator[Probed]:
    """Yield comparisons endlessly. The `patch` is entered while something is delivered or decided."""
    several = situations(ruleset, seed, system)
    for number in count():
        situation = next(several)
        if situation.case.seat is None:
            continue
        coverage.states.update((ruleset, name) for name in situation.states)
        rng = generator(seed, "agents", situation.case.game, number)
        agents = Agents(situation, coverage, rng, model=number % MODEL_EVERY == 0)
        with patch():
            yield from list(agents.probed())
