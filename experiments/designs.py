"""Who sits where in each game: arrangements of agents, deal by deal, as the file's design says.

A deal is one shuffle: the same names, roles and draws. Each of its games has another arrangement of the agents.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import combinations, product
from typing import Any

from sottovoce.agents.kinds import recorded
from sottovoce.domain.commands import Open
from sottovoce.domain.draws import Seed
from sottovoce.domain.game import decide, fold
from sottovoce.domain.ruleset import Ruleset
from sottovoce.domain.rulesets import RULESETS
from sottovoce.experiments.file import Design, ExperimentFile, ExperimentUnusable
from sottovoce.projections.extras import EXTRAS
from sottovoce.projections.measures import Measures
from sottovoce.server.plan import Plan
from sottovoce.server.seating import drawn_lineup

MOST_ARRANGEMENTS = 64
"""Games on one deal."""
_NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Planned:
    """One game of an experiment: its deal and arrangement, the labels of the seats that are compared, and the plan."""

    number: int
    deal: int
    arrangement: str
    labels: Mapping[str, str]
    parts: Mapping[str, str]
    plan: Plan


@dataclass(frozen=True, slots=True)
class Experiment:
    """A file together with what its ruleset says.

    A `plain` one was not read from a file: it is of games of `run`, which compare nothing.
    """

    file: ExperimentFile
    plain: bool = False

    @property
    def ruleset(self) -> Ruleset[Any]:
        return RULESETS[self.file.ruleset]

    @property
    def seed(self) -> Seed:
        return Seed.of(self.file.seed)

    @property
    def rest(self) -> str | None:
        """Return the label of the agent that fills the other seats, where it is one of those compared."""
        return next((label for label, agent in self.file.agents.items() if agent == self.file.rest), None)

    @property
    def measures(self) -> Measures | None:
        return EXTRAS.of(self.file.ruleset).measures

    @property
    def sides(self) -> tuple[str, ...]:
        """Return the sides that can be compared, in the ruleset's order; none where it has no sides."""
        known = self.measures
        if known is None:
            return ()
        alone = {known.sides[part] for part in known.alone}
        return tuple(dict.fromkeys(side for side in known.sides.values() if side not in alone))

    def side(self, part: str) -> str:
        """Return the side of a part; the part itself where the ruleset has no sides."""
        known = self.measures
        return known.sides.get(part, part) if known is not None else part

    def planned(self) -> Iterator[Planned]:
        """Return every game of the file, deal after deal; the last deal is whole."""
        number = deal = 0
        while number < self.file.stop.games:
            for game in self.deal(deal, number):
                yield game
                number += 1
            deal += 1

    def deal(self, deal: int, number: int = 0) -> list[Planned]:
        """Return the games on one deal, the first with that number."""
        file, ruleset = self.file, self.ruleset
        seed = self.seed.numbered(deal)
        players = file.names or tuple(drawn_lineup(ruleset, file.sizes[deal % len(file.sizes)], {}, seed))
        seats = ruleset.seats_for(players)
        unknown = [seat for seat in file.seats if seat not in seats]
        if unknown:
            raise ExperimentUnusable(f"seats has {unknown[0]!r}. The seats of this deal are: {', '.join(seats)}.")
        parts = self._parts(seats, seed)
        units = self._units(seats, parts)
        draw = random.Random(f"{seed.secret} arrangements")
        games: list[Planned] = []
        every, rest = list(dict.fromkeys(units.values())), self.rest
        for name, chosen in arrangements(file.design, every, tuple(file.agents), draw, rest):
            labels = {seat: chosen[unit] for seat, unit in units.items() if unit in chosen}
            agents = {seat: recorded(file.seats.get(seat, file.rest)) for seat in seats}
            agents |= {seat: recorded(file.agents[label]) for seat, label in labels.items()}
            plan = Plan(file.ruleset, seats, agents, seed, file.options)
            games.append(Planned(number + len(games), deal, name, labels, parts, plan))
        return games

    def _parts(self, seats: tuple[str, ...], seed: Seed) -> dict[str, str]:
        """Each seat's part by the deal, which follows from the seed, not from the agents."""
        known = self.measures
        if known is None:
            if self.file.design.by != "seat":
                raise ExperimentUnusable(f"{self.file.ruleset} does not say who is on which side. Use by: seat.")
            return {}
        ruleset = self.ruleset
        opening = Open(_NOON, seats, dict.fromkeys(seats, "house"), seed, self.file.options)
        state = fold(ruleset, [draft.event for draft in decide(ruleset, ruleset.initial, opening)])
        return dict(known.parts(state))

    def _units(self, seats: Sequence[str], parts: Mapping[str, str]) -> dict[str, str]:
        """What each compared seat belongs to: its side, its role, or itself."""
        design, known = self.file.design, self.measures
        if design.by == "seat":
            offices = {seat for seat in self.ruleset.seats if isinstance(seat, str)}
            units = {seat: seat for seat in seats if seat not in offices and seat not in self.file.seats}
        else:
            assert known is not None
            units = {seat: self.side(part) if design.by == "side" else part for seat, part in parts.items()}
            kept = self.sides if design.by == "side" else [part for part in known.sides if part not in known.alone]
            units = {seat: unit for seat, unit in units.items() if unit in (design.over or kept)}
        wanted = design.over or tuple(design.assign)
        there = {*units.values(), *(known.sides.values() if known and design.by == "side" else ())}
        there |= {*known.sides} if known and design.by == "role" else set()
        unknown = [unit for unit in wanted if unit not in there]
        if unknown:
            listed = ", ".join(sorted(there))
            raise ExperimentUnusable(f"The design names the {design.by} {unknown[0]!r}. There are: {listed}.")
        order = {unit: place for place, unit in enumerate(design.over)}
        units = {seat: unit for seat, unit in units.items() if not order or unit in order}
        ranked = [*known.sides.values(), *known.sides] if known is not None else []
        position = {name: place for place, name in reversed([*enumerate(ranked)])}
        return dict(sorted(units.items(), key=lambda one: (order.get(one[1], 0), position.get(one[1], 0))))


Arrangement = tuple[str, dict[str, str]]
"""A name, and the agent's label for each side, role or seat that is compared."""


def arrangements(
    design: Design, units: Sequence[str], agents: Sequence[str], draw: random.Random, rest: str | None = None
) -> list[Arrangement]:
    """Return who plays what in the games of one deal. `draw` is what a Latin square and varied shares come from; `rest`
    is the label of the agent that has what is not swapped.
    """
    if not units:
        raise ExperimentUnusable("The design compares nothing. Name sides, roles or seats in design.over.")
    by_seat = design.by == "seat"
    found: list[Arrangement] = []

    def add(chosen: Mapping[str, str], name: str | None = None) -> None:
        told = name or " ".join(f"{unit}={agent}" for unit, agent in chosen.items())
        if all(chosen != other for _, other in found):
            found.append((told, dict(chosen)))

    match design.order:
        case "fixed":
            add({unit: design.assign[unit] for unit in units if unit in design.assign}, "fixed")
        case "swapped":
            for unit in units:
                for agent in agents:
                    others = {} if rest is None else dict.fromkeys(units, rest)
                    add({**others, unit: agent}, rest if agent == rest else f"{unit}={agent}")
        case "crossed":
            if len(agents) ** len(units) > MOST_ARRANGEMENTS:
                many = len(agents) ** len(units)
                raise ExperimentUnusable(
                    f"order: crossed makes {many} games a deal, and {MOST_ARRANGEMENTS} is the most."
                )
            for chosen in product(agents, repeat=len(units)):
                add(dict(zip(units, chosen, strict=True)))
        case "mirrored":
            for one, other in combinations(agents, 2):
                pattern = _pattern(design, units, (one, other), draw)
                for way, (first, second) in enumerate(((one, other), (other, one)), 1):
                    swap = {one: first, other: second}
                    name = f"{one}-{other} {way}" if by_seat else None
                    add({unit: swap[agent] for unit, agent in pattern.items()}, name)
        case "rotated" | "latin":
            pattern = _pattern(design, units, agents, draw)
            start = draw.randrange(len(agents)) if design.order == "latin" else 0
            for turn in range(len(agents)):
                move = dict(zip(agents, (*agents[(turn + start) % len(agents) :], *agents), strict=False))
                name = f"rotation {turn + 1}" if by_seat or design.order == "latin" else None
                add({unit: move[agent] for unit, agent in pattern.items()}, name)
    return found


def _pattern(design: Design, units: Sequence[str], agents: Sequence[str], draw: random.Random) -> dict[str, str]:
    """The first arrangement of a deal: the agents in turn, in a drawn order where seats are compared."""
    places = list(units)
    if design.by == "seat" or design.order == "latin":
        draw.shuffle(places)
    if design.share == "varied":
        # Every agent has a seat; how many seats the first ones have beyond that is drawn.
        cuts = sorted(draw.sample(range(1, len(places)), len(agents) - 1))
        edges = [0, *cuts, len(places)]
        return {
            unit: agents[number] for number in range(len(agents)) for unit in places[edges[number] : edges[number + 1]]
        }
    return {unit: agents[place % len(agents)] for place, unit in enumerate(places)}
