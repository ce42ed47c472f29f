"""Moments of games for some seats: which states they show, and whether the game can be dealt again."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from sottovoce.domain.events import AttemptFailed, FallbackApplied, HoldPlaced, Recorded, TurnWithdrawn
from sottovoce.domain.piece import AUDITOR
from sottovoce.domain.ruleset import Fact
from sottovoce.domain.rulesets import RULESETS
from sottovoce.extras import craft_of
from sottovoce.isolation import suite
from sottovoce.isolation.cases import cut, is_whole
from sottovoce.isolation.craft import Plan, Played
from sottovoce.isolation.draws import generator
from sottovoce.isolation.games import play
from sottovoce.isolation.probes.marks import MarkedTape, WordyTape
from sottovoce.isolation.probes.states import Glance, states_at
from sottovoce.isolation.redeal import resimulate
from sottovoce.isolation.system import System
from sottovoce.isolation.variation import Item

RARE = (AttemptFailed, FallbackApplied, HoldPlaced, TurnWithdrawn)
"""Rare events. The moment after one is always considered."""
LOOKS = 8
"""Other moments of a game to consider."""
SEATS = 3
"""Seats for which a game is considered."""
DEALS = 3
"""How many deals to try. The one that makes most claims false, or true, is used."""
KEPT = 36
"""Games to keep for the next search that plays them in the same way."""


@dataclass(frozen=True)
class Redealt:
    """A game and its twin for one seat, with the number of comparable entries of its view."""

    plan: Plan
    first: Sequence[Item]
    second: Sequence[Item]
    reached: int

    def reaches(self, length: int) -> bool:
        """Return whether both games can be cut at that length of the seat's view without cutting an append."""
        sides = (self.first, self.second)
        return 0 < length <= self.reached and all(is_whole(side, cut(side, length)) for side in sides)


@dataclass(frozen=True)
class Moment:
    """A moment of a game: the length of the log, the viewer, and the viewer's states."""

    game: Game
    length: int
    seat: str | None
    states: frozenset[str]
    stops: bool
    """Return whether someone has a turn, so that the game can be stopped."""

    @property
    def seen(self) -> int:
        """Return the length of the seat's view, if its hidden cards were dealt again."""
        redealt = self.redealt
        return 0 if redealt is None else sum(item.visible for item in redealt.first[: self.length])

    @property
    def redealt(self) -> Redealt | None:
        """Return the game with hidden cards dealt again for the seat."""
        return None if self.seat is None else self.game.redealt(self.seat)

    @cached_property
    def dealt(self) -> bool:
        """Return whether the redealt game reaches this moment in whole appends."""
        redealt = self.redealt
        return redealt is not None and redealt.reaches(self.seen)


class Game:
    """A game with marks in every text."""

    def __init__(self, system: System, ruleset: str, seed: int) -> None:
        self.system = system
        self.base: Played = play(system, craft_of(ruleset), seed, tape=WordyTape if seed % 3 == 1 else MarkedTape)
        self.name = f"game {seed}"
        self.rng = generator(seed, "moments")
        self.seats = self.rng.sample(self.base.seats, min(SEATS, len(self.base.seats)))
        self._redealt: dict[str, Redealt | None] = {}

    def redealt(self, seat: str) -> Redealt | None:
        """Return the game redealt for a seat, or None if no other deal fits what the seat knows."""
        if seat not in self._redealt:
            found = [self._deal(seat, number) for number in range(DEALS if self._claimed else 1)]
            good = [one for one in found if one is not None]
            self._redealt[seat] = max(good, key=self._contested, default=None)
        return self._redealt[seat]

    def _deal(self, seat: str, number: int) -> Redealt | None:
        system, base = self.system, self.base
        rng = generator(base.seed, "probes", "redeal", seat, number)
        plan = base.craft.plan(system, base, seat, rng)
        if plan is None:
            return None
        twin = resimulate(system, base, plan, rng)
        first = suite.as_shown(system, base.log, seat)
        second = suite.timed_like(first, suite.as_shown(system, twin.log, seat), generator(base.seed, "times"))
        lengths = [plan.until, *(sum(item.visible for item in side) for side in (first, second))]
        return Redealt(plan, first, second, min(lengths if twin.comparable is None else [*lengths, twin.comparable]))

    @cached_property
    def _claimed(self) -> frozenset[Fact]:
        """Return the secrets that someone has claimed in public."""
        ruleset = self.system.ruleset
        told = [ruleset.tell(item.event, AUDITOR) for item in self.base.log if item.audience.seats is None]
        voices = [voice for piece in told if piece is not None for voice in piece.words if voice.who]
        claims = [claim for one in voices for claim in ruleset.claims(one.who, one.text, self.base.seats)]
        return frozenset(claim.fact for claim in claims)

    def _contested(self, one: Redealt) -> int:
        """Return how many of the claims are true in only one of the two games."""
        facts = [
            {fact for item in side for fact in self.system.ruleset.facts(item.recorded.event)}
            for side in (one.first, one.second)
        ]
        return len((facts[0] ^ facts[1]) & self._claimed)

    @cached_property
    def moments(self) -> list[Moment]:
        """Return the moments that may be worth a visit."""
        return list(self._moments())

    def _moments(self) -> Iterator[Moment]:
        base, rng = self.base, self.rng
        ends = [at for at, item in enumerate(base.log, 1) if at == len(base.log) or base.log[at].append != item.append]
        rare = [at for at in ends if _rare(base.log, at)]
        looked = {*_some(ends, rng), *_some(rare, rng), ends[0], ends[-1]}
        for at in sorted(looked):
            log = base.log[:at]
            for seat in dict.fromkeys((*self.seats, *_rare(log, at), None)):
                glance = Glance(self.system.ruleset, log, seat)
                if glance.view.entries:
                    states = frozenset(states_at(base.craft, glance))
                    yield Moment(self, at, seat, states, bool(glance.full.turns) and not glance.full.over)


def _some(ends: Sequence[int], rng: random.Random) -> list[int]:
    return rng.sample(ends, min(len(ends), LOOKS))


def _rare(log: Sequence[Recorded], at: int) -> list[str]:
    """Return the seats to which something rare happened in the append that ends there."""
    found = []
    for item in reversed(log[:at]):
        if item.append != log[at - 1].append:
            break
        if isinstance(item.event, RARE):
            found += [getattr(item.event, "seat", "")]
    return [seat for seat in found if seat]


@lru_cache(maxsize=KEPT)
def product_s(ruleset: str, seed: int) -> Game:
    """Return the game of that seed as the product plays it."""
    return Game(System(RULESETS[ruleset]), ruleset, seed)
