"""Probe over HTTP: ask the two worlds of a situation as every viewer, with values of the hidden world.

Both worlds get the same requests, in different orders. In the second one others ask in between, so that anything kept
or counted for all viewers differs. Each answer is compared with the other world's, and searched for canaries.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, AsyncExitStack, nullcontext, suppress
from dataclasses import replace
from itertools import count
from typing import Any

from sottovoce.domain.events import Recorded
from sottovoce.isolation.cases import SOME_TIME
from sottovoce.isolation.draws import generator
from sottovoce.isolation.probes import odd
from sottovoce.isolation.probes.asks import NO_TURN, SHARED_KEY, Asks, Decks
from sottovoce.isolation.probes.coverage import Coverage
from sottovoce.isolation.probes.inputs import Endpoint, asked, endpoints
from sottovoce.isolation.probes.inquiry import BESIDE, STRANGERS, Found, Inquiry, Probed, Tables, kind_of
from sottovoce.isolation.probes.lexicon import Lexicon
from sottovoce.isolation.probes.marks import remarked
from sottovoce.isolation.probes.situations import Situation, situations
from sottovoce.isolation.probes.tools import Caller, quiet
from sottovoce.isolation.system import System
from sottovoce.isolation.wire import clock
from sottovoce.isolation.wire.answers import Answer
from sottovoce.isolation.wire.operations import GAME, OPERATIONS, Request, Scene
from sottovoce.isolation.wire.pairs import steps_of
from sottovoce.isolation.wire.world import REPLIES, Setting, World, later
from sottovoce.server.links import LinkKind

NOISE = 0.25
"""How often someone else asks in between, in the second world."""
AGAIN = 12
"""Plain requests that are sent again after a change."""
MOST_PAGES = 6
STRANGE = 9
"""What strangers ask for in a situation. In time they ask for everything, what only auditors may read included."""
STEPS = 3
"""How many of a seat's events it sees arrive while its streams are open."""
BETWEEN = 6.5
"""Seconds between two of them; heartbeats come in between."""
MINUTE = 61.0
"""Seconds after which a link can send again."""
LISTENED = 2
"""Situations in which the read headers are recorded."""
SOCKETS = 6
"""One in this many situations is asked over sockets, through the server's own HTTP."""
ELSEWHERE = "elsewhere"
"""A game that exists only in the second world, in every other situation. Then the host is not asked."""


class Probe(Inquiry):
    """Everything that is asked in one situation."""

    def __init__(self, situation: Situation, seed: int, number: int, decks: Decks, coverage: Coverage) -> None:
        super().__init__(situation, coverage, generator(seed, "probe", situation.case.game, number))
        self.case, self.decks, self.number = situation.case, decks, number
        self.beside = f"zq{self.rng.getrandbits(40):010x}"
        games = (self.case.game, self.beside, ELSEWHERE)
        self.lexicon = Lexicon(self.ruleset, (self.case.first, self.case.second), self.case.seat, games)
        self.main = "spectator" if self.case.seat is None else "seat"
        self.steps = [steps_of(log, self.ruleset.name, self.case.seat) for log in (self.case.first, self.case.second)]
        self.begun = max(1, len(self.steps[0]) - STEPS)

    async def run(self) -> None:
        """Ask everything, up to the first finding."""
        case = self.case
        aside = remarked(case.first, self.beside, self.rng)
        tables = [Tables(log, seen_of(log), aside, seen_of(aside)) for log in (case.first, case.second)]
        settings = [
            Setting(
                game=case.game,
                ruleset=self.ruleset.name,
                seat=case.seat,
                begun=[item for hidden, seen in steps[: self.begun] for item in (*hidden, *seen)],
                now=later(SOME_TIME, 13 + 33 * side),
                everybody=True,
                beside=(self.beside, aside),
                elsewhere=case.first[:8] if side and self._elsewhere else (),
            )
            for side, steps in enumerate(self.steps)
        ]
        connected = self.number % SOCKETS == SOCKETS - 1
        async with AsyncExitStack() as stack:
            worlds = [World(one, side, connected=connected) for side, one in enumerate(settings)]
            await self.enter(stack, worlds, tables)
            listening = odd.listening(self.decks.heard) if self.number < LISTENED else nullcontext()
            with suppress(Found), listening:
                await self._all()

    @property
    def _elsewhere(self) -> bool:
        return self.number % 2 == 1

    async def _all(self) -> None:
        self.asks = Asks(self.lexicon, self.places, self.decks, self.coverage, self.rng)
        if self.case.seat is not None:
            await self.both(Request("POST /v1/link/claim", "seat", "POST", "/v1/link/claim"))
        await self._follow()
        readable, asks = self._readable(), self.asks
        await self._in_any_order([*asks.plain(readable), *asks.telling(readable), *asks.oddly(readable, self._sends())])
        for chair in self.chairs:
            await self._turn_pages(chair)
        await self._strangers()
        if self.case.seat is not None:
            await self._speak()
        if self.situation.played:
            await self._keep()
            await self._in_any_order(self._again())
        await self._end()

    async def _speak(self) -> None:
        """Do what only a seat can do."""
        caller = Caller(self)
        await caller.read()
        if self.situation.played or self._ended:
            await self._send()
            await caller.send()
            await self._in_any_order(self._again())

    # who asks what

    @property
    def chairs(self) -> list[str]:
        """Return the viewers that must not be able to tell the worlds apart, the case's own first."""
        hosts = [] if self._elsewhere else ["host"]
        return list(dict.fromkeys((self.main, "spectator", "keeper", *hosts)))

    def _readable(self) -> list[tuple[str, Endpoint]]:
        return [(chair, one) for chair in self.chairs for one in self.readable(chair)]

    def _sends(self) -> list[Endpoint]:
        return [one for one in endpoints(self.app) if one.effect == "sends" and one.open_to("seat")]

    def _again(self) -> list[Request]:
        """Ask some of the same again after a change. Streams opened in between have other IDs."""
        before = self.asks.plain([(chair, one) for chair, one in self._readable() if chair != "host"])
        return self.rng.sample(before, min(AGAIN, len(before)))

    @property
    def _ended(self) -> bool:
        return bool(self.situation.states & {"over", "void"})

    def may_say(self) -> bool:
        """Return whether nothing the seat sends moves the game on, or it moves both worlds the same way."""
        return self.case.sound or self._ended

    @property
    def answered(self) -> frozenset[int]:
        """Return turns that the seat does not answer again: if hidden events were changed, what its answer led to
        differs between the worlds."""
        return frozenset() if self.situation.played else frozenset(self.case.turns)

    # asking

    async def _follow(self) -> None:
        """Keep streams and waits open while the game gets to the moment under test."""
        path, chairs = f"{GAME}/stream".format(game=self.case.game), [each for each in self.chairs if each != "host"]
        live = [Request("live stream", chair, "GET", path, f"after={self.rng.randrange(3)}") for chair in chairs]
        if self.case.seat is not None:
            waiting = f"since={self.begun}&wait=45"
            live.append(Request("wait for turns", "seat", "GET", path.replace("/stream", "/turns"), waiting))
        # One world after the other, so that what they share in this process belongs to one at a time.
        opened: list[list[Answer]] = []
        for world in self.worlds:
            opened.append([world.open(request)[0] for request in live])
            await clock.idle()
        for other in self.rng.sample(self._bystanders(), min(2, len(self._bystanders()))):
            self.worlds[1].open(Request("another's stream", other, "GET", path))
        answers = list(zip(*opened, strict=True))
        for step in range(self.begun, max(map(len, self.steps))):
            for part in (0, 1):
                for world, steps in zip(self.worlds, self.steps, strict=True):
                    world.append(steps[step][part] if step < len(steps) else ())
                    await clock.idle()
                await asyncio.sleep(BETWEEN)
            for request, given in zip(live, answers, strict=True):
                self.compare(request, given)
        for request, given in zip(live, answers, strict=True):
            for side, answer in enumerate(given):
                self.search(side, request, answer)

    def _bystanders(self) -> list[str]:
        return [f"bystander {seat}" for seat in self.seats if seat != self.case.seat]

    async def _in_any_order(self, requests: Sequence[Request]) -> None:
        """Ask the worlds in two orders, with someone else in between in the second."""
        places = list(range(len(requests)))
        first = [await self.ask(0, request) for request in requests]
        second: dict[int, Answer] = {}
        self.rng.shuffle(places)
        for place in places:
            if self.rng.random() < NOISE:
                await self.ask(1, self._noise())
            second[place] = await self.ask(1, requests[place])
        for place, request in enumerate(requests):
            self.compare(request, (first[place], second[place]))

    def _noise(self) -> Request:
        """Let someone else ask something, about this game or the one next to it."""
        others = ["auditor", "beside auditor", "beside keeper", *(f"beside seat {seat}" for seat in self.seats)]
        chair = self.rng.choice([*others, *self._bystanders()])
        game = self.beside if chair.startswith(BESIDE) else self.case.game
        return self.asks.anything(chair, self.rng.choice(list(self.readable(chair))), {"game": game})

    async def _turn_pages(self, chair: str) -> None:
        """Read lists page by page, to the last page and beyond."""
        for one in self.readable(chair):
            named = {parameter.name: parameter for parameter in one.parameters}
            if not {"after", "limit"} <= named.keys() or one.path.endswith("/stream"):
                continue
            after: Any = None
            for _ in range(MOST_PAGES if chair in (self.main, "host") else 2):
                given = {named["limit"]: self.rng.choice((1, 2, 7, 50))}
                if after is not None:
                    given[named["after"]] = after
                self.asks.note(one, given)
                answer = await self.both(asked(one, chair, self.places, given))
                after = _next(answer)
                if after is None:
                    break

    async def _strangers(self) -> None:
        """Check that viewers without a valid link get the same answers to everything.

        For a finished game, ask everything that the first viewer may read as well.
        """
        guarded = {one.name: one for one in endpoints(self.app) if one.kinds}
        told = [one for one in guarded.values() if one.open_to(kind_of(self.main)) and one.effect == "reads"]
        dealt = [guarded[name] for name in self.decks.guarded.deal(guarded, STRANGE)]
        for one in [*told, *dealt] if self._ended else dealt:
            requests = [asked(one, chair, self.places, {}) for chair in STRANGERS]
            answers = [await self.both(request) for request in requests]
            for request, answer in zip(requests, answers, strict=True):
                same = answer.bytes() == answers[-1].bytes()
                self.note(request, None if same else "not as anybody without a link is answered")

    async def _send(self) -> None:
        """Send texts and fields for others' turns, and words that mean something only to others.

        In the second world others have sent something just before.
        """
        name = f"POST {GAME}/turns/{{turn}}"
        path = f"{GAME}/turns/{NO_TURN}".format(game=self.case.game)
        for chair in self._bystanders()[:2]:
            key = (("Idempotency-Key", SHARED_KEY),)
            for _ in range(REPLIES // 2):
                await self.worlds[1].ask(Request(name, chair, "POST", path, "", b'{"text":"yes"}', key))
        answered = {f"{GAME}/turns/{turn}".format(game=self.case.game) for turn in self.answered}
        said = [one for one in self.asks.said(self._sends(), freely=self.may_say()) if one.path not in answered]
        for number, request in enumerate(said):
            if number % (REPLIES - 1) == REPLIES - 2:
                await asyncio.sleep(MINUTE)
            await self.both(request)
        await asyncio.sleep(MINUTE)

    async def _keep(self) -> None:
        """Do what the keeper and the host do."""
        # A keeper knows who plays the seats, so fill them the same way first.
        resume = next(one for one in endpoints(self.app) if one.name == f"POST {GAME}/resume")
        filled = {"agents": dict.fromkeys(self.seats, "outside")}
        await self.both(asked(resume, "keeper", self.places, {}, filled))
        for one in endpoints(self.app):
            if one.effect not in ("keeps", "opens", "links"):
                continue
            chair = next((name for name in ("keeper", "host", "seat") if one.open_to(name)), "nobody")
            if chair not in (*self.chairs, "nobody"):
                continue
            known = OPERATIONS.get(one.name)
            plain = known.asks(self._scene())[0].body if known else None
            if not one.parameters:
                await self.both(asked(one, chair, self.places, {}))
            for request in self.asks.kept(one, chair, plain if isinstance(plain, dict) else None):
                await self.both(request)

    def _scene(self) -> Scene:
        case = self.case
        return Scene(case.game, self.ruleset.name, case.seat, tuple(self.seats), max(1, case.seq), case.turns)

    async def _end(self) -> None:
        """The link ends; who has it is a stranger then."""
        kind = LinkKind.SEAT if self.case.seat is not None else LinkKind.SPECTATOR
        for world in self.worlds:
            await world.end(kind, self.case.seat)
        readable = [one for one in self.readable(self.main) if one.kinds]
        for one in self.rng.sample(readable, min(3, len(readable))):
            request = asked(one, self.main, self.places, {})
            told, wrong = await self.both(request), await self.both(replace(request, chair="wrong"))
            self.note(request, None if told.bytes() == wrong.bytes() else "not as a wrong link is answered")


def seen_of(log: Sequence[Recorded]) -> list[frozenset[str] | None]:
    """Return who sees each event of a log; None means everyone."""
    return [item.audience.seats for item in log]


def _next(answer: Answer) -> Any:
    try:
        told = json.loads(answer.body)
    except ValueError:
        return None
    return told.get("next") if isinstance(told, dict) else None


def probed(
    ruleset: str,
    seed: int,
    coverage: Coverage,
    patch: Callable[[], AbstractContextManager[Any]] = nullcontext,
    system: System | None = None,
) -> Generator[Probed]:
    """Yield comparisons, situation after situation, endlessly.

    The `patch` is entered while worlds are asked. The games are the product's, or those that a `system` plays.
    """
    decks = Decks.of(seed, ruleset)
    for number, situation in zip(count(), situations(ruleset, seed, system), strict=False):
        coverage.states.update((ruleset, name) for name in situation.states)
        probe = Probe(situation, seed, number, decks, coverage)
        with patch(), quiet():
            clock.run(probe.run())
        yield from probe.probed
