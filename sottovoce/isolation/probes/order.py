"""Probe what is kept between requests: everyone asks about one game, in two orders.

Both worlds contain the same game under different IDs, and next to it the same game with other words. An answer must not
depend on who asked before. This finds a cache that serves one viewer what it made for another, and counts of what
others do. The worlds need not differ.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, AsyncExitStack, nullcontext, suppress
from itertools import count
from typing import Any

from sottovoce.isolation.cases import SOME_TIME
from sottovoce.isolation.draws import generator
from sottovoce.isolation.probes.asks import NO_TURN
from sottovoce.isolation.probes.coverage import Coverage
from sottovoce.isolation.probes.inputs import asked, values
from sottovoce.isolation.probes.inquiry import BESIDE, Found, Inquiry, Probed, Tables, kind_of, seat_of
from sottovoce.isolation.probes.lexicon import Lexicon
from sottovoce.isolation.probes.marks import mark, remarked
from sottovoce.isolation.probes.situations import Situation, situations
from sottovoce.isolation.probes.tools import PATH, quiet
from sottovoce.isolation.system import System
from sottovoce.isolation.wire import clock
from sottovoce.isolation.wire.answers import Answer
from sottovoce.isolation.wire.operations import GAME, MCP_HEADERS, Request
from sottovoce.isolation.wire.world import Setting, World, later

SEATS = 3
"""Seats of each of the two games that ask."""
EVERY = 4
"""One in this many situations is asked in two orders."""
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
LOOK = {**CALL, "params": {"name": "look", "arguments": {"rules": True}}}


class Order(Inquiry):
    """One game that everyone asks about, in two orders."""

    def __init__(self, situation: Situation, seed: int, number: int, coverage: Coverage) -> None:
        super().__init__(situation, coverage, generator(seed, "order", situation.case.game, number))
        self.log = situation.case.first
        self.ids = [(f"zq{self.rng.getrandbits(40):010x}", f"zq{self.rng.getrandbits(40):010x}") for _ in range(2)]
        self.evened = self._evened

    async def run(self) -> None:
        """Ask everything, up to the first finding."""
        spec = self.situation.base.craft.audiences([item.event for item in self.log])
        words = self.rng.getrandbits(40)
        worlds, tables = [], []
        for side, (own, beside) in enumerate(self.ids):
            mine = remarked(self.log, own, None)
            other = remarked(self.log, beside, generator(words, "beside"))
            setting = Setting(
                game=own,
                ruleset=self.ruleset.name,
                seat=self.situation.case.seat,
                begun=mine,
                now=later(SOME_TIME, 20),
                everybody=True,
                beside=(beside, other),
            )
            worlds.append(World(setting, side))
            tables.append(Tables(mine, spec, other, spec))
        async with AsyncExitStack() as stack:
            await self.enter(stack, worlds, tables)
            with suppress(Found):
                await self._all()

    async def _all(self) -> None:
        chairs = self._chairs()
        for chair in chairs:
            if kind_of(chair) == "seat":  # the time when a seat was first claimed is the same for all answers
                for side in (0, 1):
                    await self.ask(side, Request("POST /v1/link/claim", chair, "POST", "/v1/link/claim"))
        await self._refused([chair for chair in chairs if kind_of(chair) == "seat"])
        requests = [request for chair in chairs for request in self._of(chair)]
        order = list(range(len(requests)))
        self.rng.shuffle(order)
        first = {place: await self.ask(0, self._in(0, requests[place])) for place in order}
        second: dict[int, Answer] = {}
        for place in reversed(order):
            second[place] = await self.ask(1, self._in(1, requests[place]))
        for place in order:
            if kind_of(requests[place].chair) != "auditor":
                self.compare(requests[place], (first[place], second[place]))
        # Once everyone has asked, asking again gives the same again.
        for place in self.rng.sample(order, min(len(order), 12)):
            if kind_of(requests[place].chair) != "auditor":
                again = await self.ask(0, self._in(0, requests[place]))
                self.compare(requests[place], (again, second[place]))

    async def _refused(self, seats: list[str]) -> None:
        """Everyone says something that is refused, in another order in each world."""
        name, path = f"POST {GAME}/turns/{{turn}}", f"{GAME}/turns/{NO_TURN}"
        sent = {chair: json.dumps({"text": mark(self.rng)}).encode() for chair in seats}
        answers: list[dict[str, Answer]] = []
        for side, order in enumerate((seats, seats[::-1])):
            requests = {chair: Request(name, chair, "POST", path, "", sent[chair]) for chair in order}
            answers.append({chair: await self.ask(side, self._in(side, one)) for chair, one in requests.items()})
        for chair in seats:
            self.compare(Request(name, chair, "POST", path), [side[chair] for side in answers])

    def _chairs(self) -> list[str]:
        own = self.situation.case.seat
        some = self.rng.sample(self.seats, min(SEATS, len(self.seats)))
        chairs = ["spectator", "keeper", "host", "auditor", f"{BESIDE}spectator", f"{BESIDE}auditor"]
        chairs += [f"{BESIDE}seat {seat}" for seat in some]
        return [*chairs, *("seat" if seat == own else f"bystander {seat}" for seat in some)]

    def _of(self, chair: str) -> list[Request]:
        """Return what a viewer asks: everything it can read, and each of its documents."""
        places = {**self.places, "game": "{game}"}
        seat = seat_of(chair, self.situation.case.seat)
        found = []
        lexicon = Lexicon(self.ruleset, (self.log, self.log), seat)
        for one in self.readable(chair):
            if kind_of(chair) == "auditor" and "/audit/" in one.path:
                continue
            found.append(asked(one, chair, places, {}))
            for parameter in one.parameters:
                if parameter.name == "path":
                    documents = self.rng.sample(sorted(lexicon.own_documents), min(3, len(lexicon.own_documents)))
                    found += [asked(one, chair, places, {parameter: path}) for path in documents]
                elif parameter.name != "game" and self.rng.random() < 0.4:
                    value = self.rng.choice(list(values(parameter, lexicon, self.rng)))
                    found.append(asked(one, chair, places, {parameter: value.value}))
        if kind_of(chair) == "seat":
            documents = self.rng.sample(sorted(lexicon.own_documents), min(2, len(lexicon.own_documents)))
            calls = [LOOK, *map(_read, documents)]
            found += [Request(PATH, chair, "POST", PATH, "", json.dumps(call).encode(), MCP_HEADERS) for call in calls]
        return found

    def _in(self, side: int, request: Request) -> Request:
        """Return the request for a world, with that world's game IDs."""
        own, beside = self.ids[side]
        game = beside if request.chair.startswith(BESIDE) else own
        return Request(
            request.name,
            request.chair,
            request.method,
            request.path.replace("{game}", game),
            request.query,
            request.body,
            request.headers,
        )

    def _evened(self, side: int, told: list[bytes]) -> list[bytes]:
        """Return the lines of an answer without that world's game IDs."""
        own, beside = (game.encode() for game in self.ids[side])
        return [line.replace(own, b"own-game").replace(beside, b"beside-it") for line in told]


def _read(path: str) -> dict[str, Any]:
    return {**CALL, "params": {"name": "documents", "arguments": {"path": path}}}


def ordered(
    ruleset: str,
    seed: int,
    coverage: Coverage,
    patch: Callable[[], AbstractContextManager[Any]] = nullcontext,
    system: System | None = None,
) -> Generator[Probed]:
    """Yield comparisons game after game, endlessly. The `patch` is entered while worlds are asked."""
    several = situations(ruleset, seed, system)
    for number in count():
        situation = next(several)
        if number % EVERY:
            continue
        coverage.states.update((ruleset, name) for name in situation.states)
        order = Order(situation, seed, number, coverage)
        with patch(), quiet():
            clock.run(order.run())
        yield from order.probed
