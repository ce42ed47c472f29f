"""Ask two worlds: who asks, what each viewer must never get, and what happens to an answer."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace

from fastapi import FastAPI

from sottovoce.domain.events import Recorded
from sottovoce.domain.rulesets import RULESETS
from sottovoce.isolation.observe import Difference
from sottovoce.isolation.probes.canaries import Forbidden, marks_seen, secrets_of
from sottovoce.isolation.probes.coverage import Coverage
from sottovoce.isolation.probes.inputs import Endpoint, endpoints
from sottovoce.isolation.probes.marks import marks_in
from sottovoce.isolation.probes.situations import Situation
from sottovoce.isolation.wire.answers import Answer, difference
from sottovoce.isolation.wire.operations import AGENTS, OFFERED, Request, looks, oversees
from sottovoce.isolation.wire.world import World, bearer
from sottovoce.server.extras import EXTRAS
from sottovoce.server.links import LinkKind, digest_of

STRANGERS = ("former", "wrong", "nobody")
"""Viewers without a valid link."""
BESIDE = "beside "
"""The prefix of viewers of the other game."""


class Found(Exception):
    """Something was found; the search can stop."""


@dataclass(frozen=True, slots=True)
class Probed:
    """One comparison: what was asked, and what was found, if anything."""

    name: str
    situation: Situation
    finding: Difference | None


@dataclass(frozen=True, slots=True)
class Tables:
    """The games of a world: the one under test, and another next to it, each with who can see its events."""

    own: Sequence[Recorded]
    own_seen: Sequence[frozenset[str] | None]
    beside: Sequence[Recorded]
    beside_seen: Sequence[frozenset[str] | None]


def kind_of(chair: str) -> str:
    """Return the kind of link that a viewer has."""
    chair = chair.removeprefix(BESIDE)
    return "seat" if chair.startswith(("bystander ", "seat ")) else chair


def seat_of(chair: str, own: str | None) -> str | None:
    """Return the viewer's seat, if it has one. `own` means the viewer called `seat`."""
    name = chair.removeprefix(BESIDE)
    if name == "seat":
        return own
    for before in ("bystander ", "seat "):
        if name.startswith(before):
            return name.removeprefix(before)
    return None


class Inquiry:
    """Asks two worlds, compares their answers, and searches each for what its viewer must not have.

    `evened` removes from an answer what differs between the two worlds for a good reason.
    """

    def __init__(self, situation: Situation, coverage: Coverage, rng: random.Random) -> None:
        self.situation, self.coverage, self.rng = situation, coverage, rng
        self.ruleset = RULESETS[situation.base.craft.name]
        self.probed: list[Probed] = []
        self.worlds: list[World] = []
        self.evened: Callable[[int, list[bytes]], list[bytes]] = lambda side, told: told
        self._forbidden: dict[tuple[int, str], Forbidden] = {}
        self._said: set[str] = set()
        """What was sent: it may come back, and others may hear it."""
        self._tables: list[Tables] = []
        self._secrets: list[str] = []

    @property
    def app(self) -> FastAPI:
        """Return the application of the first world."""
        return self.worlds[0].app

    @property
    def places(self) -> dict[str, str]:
        """Return the default values in a path."""
        return {
            "game": self.situation.case.game,
            "ruleset": self.ruleset.name,
            "seat": self.seats[0],
            "place": "nowhere" if EXTRAS.of(self.ruleset.name).setup is None else OFFERED,
            "path": "x.md",
        }

    @property
    def seats(self) -> Sequence[str]:
        """Return the seats of the game."""
        seats: Sequence[str] = self.worlds[0].live.state.seats
        return seats

    def readable(self, chair: str) -> Iterator[Endpoint]:
        """Return what a viewer can ask without changing anything, except what depends on others' requests."""
        for one in endpoints(self.app):
            counts = one.path == "/metrics" and chair == "host"
            if AGENTS.endswith(one.path) and self._watches_over(chair):
                continue
            if one.effect == "reads" and one.open_to(kind_of(chair)) and not counts:
                yield one

    def _watches_over(self, chair: str) -> bool:
        """Return whether the viewer is told what agents do, so that it sees more than its own."""
        kind, seat = kind_of(chair), seat_of(chair, self.situation.case.seat)
        return not chair.startswith(BESIDE) and oversees(self.worlds[0].live, kind, seat if kind == "seat" else None)

    async def enter(self, stack: AsyncExitStack, worlds: Sequence[World], tables: Sequence[Tables]) -> None:
        """Enter the worlds. From now on they can be asked."""
        self.worlds = [await stack.enter_async_context(world) for world in worlds]
        self.coverage.app = self.app
        self._tables = list(tables)
        logs = [log for one in tables for log in (one.own, one.beside)]
        self._secrets = list(dict.fromkeys(secret for log in logs for secret in secrets_of(log)))
        for log in (world.log for world in self.worlds):
            self._secrets += [str(log.head(game)).rpartition(":")[2] for game in log.games()]

    async def ask(self, side: int, request: Request) -> Answer:
        """Return a world's answer, searched for canaries. Raises Found.

        A seat that could look from chairs that its game has opened asks for its own instead: `wire/opened.py` compares
        the others.
        """
        if kind_of(request.chair) == "seat" and looks(request.query) and self.situation.case.opened:
            request = replace(request, query="")
        answer = await self.worlds[side].ask(request)
        self.coverage.requests[request.name] += 1
        self.coverage.chairs[kind_of(request.chair)] += 1
        self.search(side, request, answer)
        return answer

    async def both(self, request: Request) -> Answer:
        """Return both worlds' answers at this moment, compared. Raises Found."""
        answers = [await self.ask(side, request) for side in (0, 1)]
        self.compare(request, answers)
        return answers[0]

    def compare(self, request: Request, answers: Sequence[Answer]) -> None:
        """Check that two worlds' answers are the same. Raises Found."""
        told = [self.evened(side, answer.told()) for side, answer in enumerate(answers)]
        self.note(request, self._crash(answers) or difference(*told))

    def note(self, request: Request, what: str | None) -> None:
        """Count one more comparison. Raises Found."""
        self.coverage.comparisons["answers"] += 1
        where = f"{request}, game {self.situation.case.game}, seat {self.situation.case.seat} ({self.situation})"
        self.probed.append(Probed(request.name, self.situation, Difference(where, what) if what else None))
        if what:
            raise Found

    def _crash(self, answers: Sequence[Answer]) -> str | None:
        """Check that no request makes the server fail."""
        failures = [*self.worlds[0].failures, *self.worlds[1].failures]
        return f"crashed: {failures[0]}" if failures else next((one.error for one in answers if one.error), None)

    def search(self, side: int, request: Request, answer: Answer) -> None:
        """Search for what the viewer must never get. Raises Found."""
        forbidden = self._forbidden.get((side, request.chair))
        if forbidden is None:
            forbidden = self._forbidden[side, request.chair] = self._for(side, request.chair)
        if forbidden is NOTHING:
            return
        words = (
            request.path,
            request.query,
            request.body.decode(errors="replace"),
            *(text for _, text in request.headers),
        )
        if request.method != "GET":
            self._said.update(words)
        heard = [*self._said, *words]
        for told in (b"\n".join(name + b": " + value for name, value in answer.headers), answer.body):
            found = forbidden.found(told, heard)
            if found is not None:
                self.note(request, f"canary {found}")

    def _for(self, side: int, chair: str) -> Forbidden:
        # If hidden events were changed, other players can see things that are not real for anyone.
        unreal = side == 1 and chair.startswith("bystander ") and not self.situation.played
        if kind_of(chair) == "auditor" or unreal:
            return NOTHING
        known = set() if chair in STRANGERS else self._known(chair, self._tables[side])
        setting = self.worlds[side].setting
        others = [f"{before}{name}" for before in ("bystander ", f"{BESIDE}seat ") for name in self.seats]
        tokens = {name: bearer(Request("", name, "", ""), setting) for name in (*CHAIRS, *others)}
        own = tokens.get(chair)
        foreign = [text for text in tokens.values() if text is not None and text != own]
        return Forbidden(known, [*self._secrets, *foreign, *(digest_of(text).hex() for text in foreign)])

    def _known(self, chair: str, tables: Tables) -> set[str]:
        """Return the marks that a viewer can have of a world. The IDs of its games are marks too."""
        seat = seat_of(chair, self.situation.case.seat)
        beside = marks_in(tables.beside[0].game)
        if chair.startswith(BESIDE):
            return marks_seen(tables.beside, tables.beside_seen, seat) | beside
        found = marks_seen(tables.own, tables.own_seen, seat) | marks_in(tables.own[0].game)
        return found | beside if kind_of(chair) == LinkKind.HOST.value else found


CHAIRS = (
    "seat",
    "spectator",
    "keeper",
    "auditor",
    "host",
    "former",
    "beside keeper",
    "beside spectator",
    "beside auditor",
)
NOTHING = Forbidden((), ())
"""What an auditor must not have."""
