"""The two worlds of a case get the same requests as every viewer, while the game continues and afterwards.

A pair is one request, or one stream at one step of the game, with everything that both worlds returned.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, nullcontext, suppress
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, NamedTuple

from sottovoce.domain.events import GameOpened, Recorded
from sottovoce.domain.game import fold
from sottovoce.domain.rulesets import RULESETS
from sottovoce.isolation.cases import SOME_TIME, Case, batch_of
from sottovoce.isolation.draws import generator
from sottovoce.isolation.observe import Difference
from sottovoce.isolation.wire import clock
from sottovoce.isolation.wire.answers import Answer, difference
from sottovoce.isolation.wire.operations import (
    AGENTS,
    GAME,
    OPERATIONS,
    TOOLS,
    WAITS,
    Ask,
    Effect,
    Request,
    Scene,
    beside,
    calls,
    drawn,
    oversees,
    requests,
    unsent,
)
from sottovoce.isolation.wire.world import Setting, World, later
from sottovoce.projections.view import SeatProjection, view
from sottovoce.server.links import LinkKind

STEPS = 4
"""Steps of the game during which streams are followed."""
BETWEEN = 6.5
"""Seconds between two steps; heartbeats come in between."""
MORE = 2
"""Requests for an operation after the plainest, if the viewer can ask it."""
SELDOM = 0.15
"""How often a viewer asks for something it can't have."""

MCP = 2
"""One in this many games is also asked at `/mcp`."""

SOCKETS = 3
"""One in this many games is asked over sockets, through the server's own HTTP. The others ask the application."""

HARMLESS = ("reads", "links")
"""Effects of operations that can be asked in any two worlds, even of games that could not continue."""

OUTSIDERS = ("nobody", "wrong", "malformed", "former", "former keeper", "former auditor")
"""Viewers without a valid link. All of them must get the same."""


class Pair(NamedTuple):
    """One pair: what was asked, and the difference, if any."""

    name: str
    case: Case
    finding: Difference | None


class _Found(Exception):
    """Something was found; the search can stop."""


@dataclass(frozen=True)
class Allowed:
    """Who can ask what, by the OpenAPI document: the kinds of link for each operation; empty if anyone can."""

    kinds: dict[str, frozenset[str]]

    @classmethod
    def of(cls, document: Any) -> Allowed:
        """Read it from the document. Raises `LookupError` for operations that `OPERATIONS` lacks or has in vain."""
        told: dict[str, frozenset[str]] = {}
        for path, item in document["paths"].items():
            for method, operation in item.items():
                kinds = [kind for entry in operation.get("security", []) for kind in entry]
                told[f"{method.upper()} {path}"] = frozenset(kinds)
        if told.keys() != OPERATIONS.keys():
            missing, vain = sorted(told.keys() - OPERATIONS.keys()), sorted(OPERATIONS.keys() - told.keys())
            raise LookupError(f"not in the kit's operations: {missing}; only there: {vain}")
        return cls(told)

    def may(self, name: str, chair: str) -> bool:
        """Return whether the viewer can ask that."""
        return not self.kinds[name] or chair in self.kinds[name]


class Twins:
    """The two worlds of one case.

    With `tools` (a random generator), the seat also calls at `/mcp`. If `connected`, everything goes over sockets.
    """

    def __init__(
        self, case: Case, rng: random.Random, tools: random.Random | None = None, *, connected: bool = False
    ) -> None:
        self.case = case
        self.connected = connected
        self.rng = rng
        self.pairs: list[Pair] = []
        opening = case.first[0].event
        assert isinstance(opening, GameOpened)
        self.ruleset = opening.ruleset
        self.seats = opening.seats
        others = [seat for seat in opening.seats if seat != case.seat]
        self.tools = tools
        self.crowd = tuple(others[:2]) if rng.random() < 0.5 else ()
        self.elsewhere = case.second[:8] if rng.random() < 0.5 else ()
        self.chairs = [*([] if case.seat is None else ["seat"]), "spectator", "keeper"]
        self.first, self.second = (steps_of(log, self.ruleset, case.seat) for log in (case.first, case.second))

    async def look(self) -> None:
        """Check everything, up to the first difference."""
        begun = max(1, len(self.first) // 2 - STEPS)
        settings = [
            Setting(
                game=self.case.game,
                ruleset=self.ruleset,
                seat=self.case.seat,
                begun=[item for hidden, seen in steps[:begun] for item in (*hidden, *seen)],
                now=later(SOME_TIME, 13 if side == 0 else 46),
                crowd=self.crowd if side else (),
                elsewhere=self.elsewhere if side else (),
                neighbour=() if self.elsewhere else self.case.first,
            )
            for side, steps in enumerate((self.first, self.second))
        ]
        async with AsyncExitStack() as stack:
            worlds = [World(one, side, connected=self.connected) for side, one in enumerate(settings)]
            self.worlds = [await stack.enter_async_context(world) for world in worlds]
            with suppress(_Found):
                await self._all(begun)

    async def _all(self, begun: int) -> None:
        self.allowed = Allowed.of(_json(await self._ask(Request("the document", "nobody", "GET", "/openapi.json"))))
        await self._follow(begun)
        await self._read()
        await self._call("reads")
        await self._strangers()
        if self.case.sound and self.case.seat is not None:
            await self._send()
        if self.case.sound and not self.crowd:
            await self._keep()
        await self._end()

    # parts

    async def _follow(self, begun: int) -> None:
        """Keep streams and waits open while the game continues."""
        scene = self.scene(begun)
        live: list[tuple[Request, list[Answer]]] = []
        path = f"{GAME}/stream".format(game=scene.game)
        for _ in range(3 * len(self.crowd[:1])):
            self.worlds[1].open(Request("another's stream", f"bystander {self.crowd[0]}", "GET", path))
        await clock.idle()
        for chair in self.chairs:
            for query, headers in (("", ()), (f"after={scene.half}", ()), ("", (("Last-Event-ID", str(begun)),))):
                live.append(self._open(Request("live stream", chair, "GET", path, query, b"", headers)))
        if self.case.seat is not None:
            path, query = f"{GAME}/turns".format(game=scene.game), f"since={begun}&wait=45"
            live.append(self._open(Request("wait for turns", "seat", "GET", path, query)))
            if self.tools is not None:
                live += [self._open(request) for request in calls("wait", [WAITS], scene, "seat")]
        await clock.idle()
        for request, answers in live:
            self._note(request, answers)
        for step in range(begun, max(len(self.first), len(self.second))):
            for part in (0, 1):
                for world, steps in zip(self.worlds, (self.first, self.second), strict=True):
                    world.append(steps[step][part] if step < len(steps) else ())
                await clock.idle()
                await asyncio.sleep(BETWEEN)
            for request, answers in live:
                self._note(request, answers)

    async def _read(self) -> None:
        """Ask every operation that changes nothing, also as viewers that can't."""
        scene = self.scene(self.case.seq if self.case.seat is not None else len(self.first) - 1)
        chairs = [*self.chairs, *([] if self.elsewhere else ["host"])]
        for chair in chairs:
            for name, operation in OPERATIONS.items():
                may = self.allowed.may(name, chair)
                if (may and operation.effect not in HARMLESS) or (not may and self.rng.random() > SELDOM):
                    continue
                if self.crowd and (name.endswith("/links") or (name, chair) == ("GET /metrics", "host")):
                    continue  # only the keeper and the host may notice what the other viewers do
                if name == AGENTS and may and oversees(self.worlds[0].live, chair, self.case.seat):
                    continue
                asks = drawn(self.rng, operation.asks(scene), MORE)
                if self.case.opened and chair == "seat":
                    asks = [ask for ask in asks if not ask.looks]  # `opened.py` compares these
                for request in requests(name, asks if may else asks[:1], scene, chair):
                    await self._ask(request)
        for request in beside(scene, self.rng.choice(chairs)):
            await self._ask(request)
        if self.case.seat is not None:
            name = f"POST {GAME}/turns/{{turn}}"
            for request in requests(name, drawn(self.rng, unsent(scene), MORE), scene, "seat"):
                await self._ask(request)

    async def _call(self, effect: Effect) -> None:
        """Call the tools at `/mcp` for a seat, in some games, because each server takes long to load."""
        if self.case.seat is None or self.tools is None:
            return
        scene = self.scene(self.case.seq)
        for tool, (done, bodies) in TOOLS.items():
            if done == effect:
                for request in calls(tool, drawn(self.tools, bodies(scene), MORE), scene, "seat"):
                    await self._ask(request)
        for chair in self.tools.sample(("spectator", "keeper", *OUTSIDERS), 2):
            (request,) = calls("look", TOOLS["look"][1](scene)[:1], scene, chair)
            await self._ask(request)

    async def _strangers(self) -> None:
        """Check that viewers without a valid link get the same answers to everything."""
        scene = self.scene(1)
        names = self.rng.sample(sorted(OPERATIONS), 4)
        for name in names:
            if not self.allowed.kinds[name]:
                continue
            ask = self.rng.choice(OPERATIONS[name].asks(scene))
            given = []
            for chair in OUTSIDERS:
                (request,) = requests(name, [ask], scene, chair)
                given.append((request, (await self._ask(request)).bytes()))
            for request, told in given[1:]:
                self._same(request, "other strangers", given[0][1], told)

    async def _send(self) -> None:
        """Send what the seat says, with and without a turn.

        In the second world another seat has said something just before.
        """
        scene = self.scene(self.case.seq)
        for world in self.worlds:
            world.now = SOME_TIME
        if self.crowd:
            name = f"POST {GAME}/turns/{{turn}}"
            ask = Ask(body={"text": "yes"}, headers=(("Idempotency-Key", "key-1"),), places={"turn": "9999"})
            for request in requests(name, [ask, ask, ask], scene, f"bystander {self.crowd[0]}"):
                await self.worlds[1].ask(request)
        for name, operation in OPERATIONS.items():
            if operation.effect == "sends":
                for request in requests(name, operation.asks(scene), scene, "seat"):
                    await self._ask(request)
        await self._call("sends")
        await self._look_again(scene)

    async def _keep(self) -> None:
        """Do what the keeper does, and at the end the host."""
        scene = self.scene(1)
        # A keeper knows who plays the seats, so fill them the same way first.
        filled = Ask(body={"agents": dict.fromkeys(self.seats, "outside")})
        for request in requests(f"POST {GAME}/resume", [filled], scene, "keeper"):
            await self._ask(request)
        for name, operation in OPERATIONS.items():
            if operation.effect == "keeps":
                for request in requests(name, drawn(self.rng, operation.asks(scene), MORE), scene, "keeper"):
                    await self._ask(request)
            if operation.effect == "opens" and not self.elsewhere:
                for request in requests(name, drawn(self.rng, operation.asks(scene), MORE), scene, "host"):
                    await self._ask(request)
        await self._look_again(scene)

    async def _look_again(self, scene: Scene) -> None:
        for chair in self.chairs:
            for path in ("", "/view", "/turns", "/transcript"):
                name = f"GET {GAME}{path}"
                if self.allowed.may(name, chair):
                    for request in requests(name, [Ask()], scene, chair):
                        await self._ask(replace(request, name=f"{name} again"))

    async def _end(self) -> None:
        """Revoke the seat's or the spectator's link while a stream is open."""
        scene, chair = self.scene(1), self.chairs[0]
        path = f"{GAME}/stream".format(game=scene.game)
        request, answers = self._open(Request("stream of an ended link", chair, "GET", path))
        await clock.idle()
        await asyncio.sleep(self.rng.random() * 20)
        for world in self.worlds:
            if chair == "seat":
                await world.end(LinkKind.SEAT, self.case.seat)
            else:
                await world.end(LinkKind.SPECTATOR)
        await clock.idle()
        await asyncio.sleep(BETWEEN)
        self._note(request, answers)
        told = await self._ask(Request("view of an ended link", chair, "GET", f"{GAME}/view".format(game=scene.game)))
        wrong = await self._ask(Request("view of a wrong link", "wrong", "GET", f"{GAME}/view".format(game=scene.game)))
        self._same(request, "a wrong link", told.bytes(), wrong.bytes())

    # comparing

    def scene(self, seq: int) -> Scene:
        """Return what can be asked about at that length of the view."""
        kept = RULESETS[self.ruleset].documents
        documents: tuple[str, ...] = ()
        if kept is not None and self.case.seat is not None:
            own = set(kept(view(RULESETS[self.ruleset], self.case.first, self.case.seat).state))
            closed = set(kept(fold(RULESETS[self.ruleset], [item.event for item in self.case.first]))) - own
            # The seat can guess names of what it can't read, and ask for it.
            documents = (*sorted(own)[:2], *sorted(closed)[:3])
        case = self.case
        return Scene(case.game, self.ruleset, case.seat, self.seats, max(1, seq), case.turns, documents)

    def _open(self, request: Request) -> tuple[Request, list[Answer]]:
        return request, [world.open(request)[0] for world in self.worlds]

    async def _ask(self, request: Request) -> Answer:
        answers = [await world.ask(request) for world in self.worlds]
        self._note(request, answers)
        return answers[0]

    def _note(self, request: Request, answers: Sequence[Answer]) -> None:
        found = self._crash(answers) or difference(*(one.told() for one in answers))
        self._add(request, found)

    def _crash(self, answers: Sequence[Answer]) -> str | None:
        for world, answer in zip(self.worlds, answers, strict=True):
            if answer.error or answer.status == 500 or world.failures:
                return f"crashed: {answer.error or ''}{', '.join(world.failures)}"
        return None

    def _same(self, request: Request, what: str, one: Sequence[bytes], other: Sequence[bytes]) -> None:
        """Check that two answers of one world are the same."""
        found = difference(one, other)
        self._add(request, found and f"not as {what}: {found}")

    def _add(self, request: Request, found: str | None) -> None:
        case = self.case
        where = f"{request}, game {case.game}, seat {case.seat} ({case.how})"
        self.pairs.append(Pair(request.name, case, Difference(where, found) if found else None))
        if found:
            raise _Found


Step = tuple[Sequence[Recorded], Sequence[Recorded]]
"""First what the compared viewer does not see, then what it sees."""


def steps_of(log: Sequence[Recorded], ruleset: str, seat: str | None) -> list[Step]:
    """Cut the log into steps with one visible event each; the last step has none."""
    projection = None if seat is None else SeatProjection(RULESETS[ruleset], seat)
    steps: list[Step] = []
    hidden: list[Recorded] = []
    for item in log:
        if projection is None:
            seen = item.audience.seats is None
        else:
            before = projection.seq
            projection.take(item)
            seen = projection.seq > before
        if seen:
            steps.append((hidden, [item]))
            hidden = []
        else:
            hidden.append(item)
    return [*steps, (hidden, [])]


def _json(answer: Answer) -> Any:
    import json

    return json.loads(answer.body)


def compared(
    ruleset: str,
    seed: int,
    patch: Callable[[], AbstractContextManager[Any]] = nullcontext,
) -> Generator[Pair]:
    """Yield pairs, case after case, endlessly. The `patch` is entered while worlds are asked."""
    for batch in count():
        for number, case in enumerate(batch_of(ruleset, seed, batch)):
            tools = generator(seed, "tools", ruleset, batch, number) if number % MCP == 0 else None
            rng = generator(seed, "wire", ruleset, batch, number)
            twins = Twins(case, rng, tools, connected=number % SOCKETS == SOCKETS - 1)
            with patch():
                clock.run(twins.look())
            yield from twins.pairs
