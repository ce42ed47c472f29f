"""What a seat holds for likely of everybody's roles: the exact posterior over the deals that its view allows.

Every set of Mafia that is possible is enumerated (21 at eight players, for one of them). The single roles among the
rest, the Detective, the Doctor and the Jester, are summed in closed form for each set. Acts are weighed by a table of
their likelihoods. With more than `MOST_SETS` sets, the players are weighed one by one against what is held of the
others, and only the number of Mafia is exact.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from math import comb
from operator import mul

from sottovoce.rulesets.mafia.house.acts import Act
from sottovoce.rulesets.mafia.house.evidence import Vector, evidence
from sottovoce.rulesets.mafia.house.likelihoods import ACTORS, Table

MOST_SETS = 500
DIGITS = 9
"""To how many digits a likelihood is held, so that players who are equally likely are equal on every machine."""
ROUNDS = 4
"""How often players are weighed against what is held of the others, where the sets are too many."""
MOST = 40.0
"""The largest logarithm of a rate, so that no number overflows."""
_MAFIA, _JESTER, _DETECTIVE, _DOCTOR, _VILLAGER = range(len(ACTORS))
_SINGLE = {"Jester": _JESTER, "Detective": _DETECTIVE, "Doctor": _DOCTOR}
_OTHERS = {
    _JESTER: (_DETECTIVE, _DOCTOR),
    _DETECTIVE: (_JESTER, _DOCTOR),
    _DOCTOR: (_JESTER, _DETECTIVE),
}
"""The two other single roles."""
Set = tuple[int, ...]
"""A set of Mafia, as places at the table in the order in which it was enumerated."""


class Belief:
    """How likely each player is to have each role: `mafia`, `jester`, `detective` and `doctor`, by player.

    `known` are roles that the seat is certain of, and `not_mafia` players of whom it knows no more than that. The acts
    of the player `besides` are no evidence.
    """

    def __init__(
        self,
        players: Sequence[str],
        counts: Mapping[str, int],
        acts: Iterable[Act],
        table: Table,
        known: Mapping[str, str],
        not_mafia: Collection[str] = (),
        besides: str | None = None,
    ) -> None:
        self.players = tuple(players)
        self.table = table
        self._place = {player: at for at, player in enumerate(players)}
        self.evidence = evidence(self.players, tuple(acts), table)
        found = self.evidence.without(None if besides is None else self._place[besides])
        self._gain, self._cross = found.gain, found.cross
        self._told = [sum(row[whom] for row in found.told) for whom in range(len(self.players))]
        self._single = [code for role, code in _SINGLE.items() if counts.get(role, 0)]
        self._known = {self._place[player]: role for player, role in known.items() if player in self._place}
        size = len(self.players)
        self._found: dict[int, Vector] = {_MAFIA: [0.0] * size}
        """How likely each player has a role, by the codes of the roles worked out so far."""
        self._dealt: list[tuple[float, Set]] = []
        """Each set of Mafia that was enumerated, with what it weighs before the single roles are dealt."""
        self.sets: list[tuple[float, Set]] = []
        """Each set of Mafia with how likely it is, where they were enumerated."""
        sure = [at for at, role in self._known.items() if role == "Mafia"]
        free = [at for at in range(size) if at not in self._known and self.players[at] not in not_mafia]
        more = max(0, min(len(free), counts.get("Mafia", 0) - len(sure)))
        if comb(len(free), more) <= MOST_SETS:
            self._enumerate(sure, free, more)
        else:
            self._factorize(sure, free, more)
        self.mafia = self._named(_MAFIA)

    @cached_property
    def jester(self) -> dict[str, float]:
        """How likely each player is the Jester."""
        return self._named(_JESTER)

    @cached_property
    def detective(self) -> dict[str, float]:
        """How likely each player is the Detective."""
        return self._named(_DETECTIVE)

    @cached_property
    def doctor(self) -> dict[str, float]:
        """How likely each player is the Doctor."""
        return self._named(_DOCTOR)

    def _named(self, code: int) -> dict[str, float]:
        found = self._found.get(code)
        if found is None:
            found = self._summed(code, (self._beside(code, mafia) for _, mafia in self._dealt))
        return dict(zip(self.players, (round(likely, DIGITS) for likely in found), strict=True))

    def _enumerate(self, sure: list[int], free: list[int], more: int) -> None:
        """Weigh every set of Mafia, with all deals of the single roles beside it."""
        self._open = [at for at in range(len(self.players)) if at not in self._known]
        self._rates = {code: self._rated(code) for code in _SINGLE.values()}
        sets = self._weighed(sure, free, more)
        jesters = [self._beside(_JESTER, mafia) for _, mafia in sets]
        found = [weight * sum(rates) for (weight, _), rates in zip(sets, jesters, strict=True)]
        total = sum(found)
        if total <= 0:
            self._ignorant(free, more, sure)
            return
        row = self._found[_MAFIA]
        for much, (_, mafia) in zip(found, sets, strict=True):
            if much > 0:
                likely = much / total
                self.sets.append((likely, mafia))
                for at in mafia:
                    row[at] += likely
        self._dealt = [(weight / total, mafia) for weight, mafia in sets]
        self._found[_JESTER] = self._summed(_JESTER, jesters)

    def _weighed(self, sure: list[int], free: list[int], more: int) -> list[tuple[float, Set]]:
        """Each set of Mafia with what the acts say for it, if all others are Villagers; hopeless ones are left out."""
        gain, cross, told = self._gain[_MAFIA], self._cross[_MAFIA], self._told
        alone = [gain[at] + told[at] + cross[at][at] for at in range(len(self.players))]
        sets: list[tuple[float, Set]] = []
        for added in combinations(free, more):
            mafia = (*sure, *added)
            weight = 0.0
            for at in mafia:
                weight += alone[at]
                row = cross[at]
                for other in mafia:
                    if other != at:
                        weight += row[other]
            sets.append((weight, mafia))
        best = max(weight for weight, _ in sets)
        return [(math.exp(weight - best), mafia) for weight, mafia in sets if weight > best - 25]

    def _rated(self, code: int) -> _Rates:
        """The rates of a single role. A role that was not dealt, or whose holder is certain, has a place of its own
        behind the players who are open, so that it takes nothing from the others."""
        own = len(self._open) + list(_SINGLE.values()).index(code)
        certain = [at for at, role in self._known.items() if role == ACTORS[code]]
        rates = [0.0] * (len(self._open) + len(_SINGLE))
        if code not in self._single:
            holders = {}
            rates[own] = 1.0
        else:
            holders = {own: certain[0]} if certain else dict(enumerate(self._open))
        for place, at in holders.items():
            rates[place] = math.exp(min(MOST, self._gain[code][at]))
        return _Rates(holders, rates, self._cross[code])

    def _beside(self, code: int, mafia: Set) -> Vector:
        """For each player with a single role beside a set of Mafia: its rate, times the sum over all ways to give the
        two other single roles to different players."""
        one_role, other_role = _OTHERS[code]
        own = self._rates[code].beside(mafia)
        first, second = self._rates[one_role].beside(mafia), self._rates[other_role].beside(mafia)
        all_first, all_second, both = sum(first), sum(second), sum(map(mul, first, second))
        return [
            rate * max(0.0, (all_first - one) * (all_second - two) - (both - one * two))
            for rate, one, two in zip(own, first, second, strict=True)
        ]

    def _summed(self, code: int, ways: Iterable[Vector]) -> Vector:
        """How likely each player has a single role, over all sets of Mafia; `ways` is what `_beside` gives for each."""
        holders = self._rates[code].holders
        summed = [0.0] * (len(self._open) + len(_SINGLE))
        for (weight, _), shares in zip(self._dealt, ways, strict=True):
            summed = [so_far + weight * share for so_far, share in zip(summed, shares, strict=True)]
        found = [0.0] * len(self.players)
        for place, at in holders.items():
            found[at] = summed[place]
        return found

    def _factorize(self, sure: list[int], free: list[int], more: int) -> None:
        """Weigh each player against what is held of the others, keeping the number of Mafia exact."""
        held = self._found[_MAFIA]
        self._ignorant(free, more, sure)
        for _ in range(ROUNDS):
            own = [self._towards(code, held) for code in range(_VILLAGER)]
            for code in self._single:
                self._found[code] = self._share(code, own[code], held)
            odds = [math.exp(max(-20.0, min(20.0, self._odds(at, own)))) for at in free]
            for at, likely in zip(free, _exactly(odds, more), strict=True):
                held[at] = (held[at] + likely) / 2

    def _towards(self, code: int, held: Vector) -> Vector:
        """How much each player's own acts speak for a role rather than a Villager, by what is held of the others."""
        gain, cross = self._gain[code], self._cross[code]
        return [gain[at] + sum(map(mul, cross[at], held)) for at in range(len(held))]

    def _share(self, code: int, own: Vector, held: Vector) -> Vector:
        """How likely each player has a single role."""
        certain = [at for at, role in self._known.items() if role == ACTORS[code]]
        if certain:
            return [float(at == certain[0]) for at in range(len(held))]
        weights = [
            0.0 if at in self._known else math.exp(max(-20.0, min(20.0, much))) * (1 - held[at])
            for at, much in enumerate(own)
        ]
        total = sum(weights) or 1.0
        return [weight / total for weight in weights]

    def _odds(self, at: int, own: Sequence[Vector]) -> float:
        """How much all acts speak for one player being Mafia: its own, and those of others towards it."""
        to = self._told[at]
        for code in (_MAFIA, *self._single):
            found, cross = self._found[code], self._cross[code]
            to += sum(found[other] * cross[other][at] for other in range(len(found)))
        one = 1.0 / max(1, len(self.players) - len(self._known))
        roles = [code for code in self._single if ACTORS[code] not in self._known.values()]
        innocent = max(one, 1 - one * len(roles)) + one * sum(math.exp(min(20.0, own[code][at])) for code in roles)
        return own[_MAFIA][at] + to - math.log(innocent)

    def _ignorant(self, free: list[int], more: int, sure: list[int]) -> None:
        """Hold what the numbers alone say: the facts contradict each other."""
        for at in sure:
            self._found[_MAFIA][at] = 1.0
        for at in free:
            self._found[_MAFIA][at] = more / len(free)

    def moved(self, act: Act, suspect: str) -> float:
        """By how much one act made the seat suspect somebody: the change of the logarithm of the odds, 0 if unknown.

        It is that of the belief without the act, everything else kept; whoever acted is taken for Mafia or a Villager.
        """
        logs = self.table.logs.get((act.kind, act.after, act.done))
        if logs is None or not self.sets:
            return 0.0
        actor, target, at = self._place[act.actor], self._place.get(act.target or ""), self._place[suspect]
        guilty = innocent = guilty_without = innocent_without = 1e-9
        less = [[math.exp(-towards[code]) for code in (_MAFIA, _VILLAGER)] for towards in logs]
        for weight, mafia in self.sets:
            without = weight * less[target not in mafia][actor not in mafia]
            if at in mafia:
                guilty += weight
                guilty_without += without
            else:
                innocent += weight
                innocent_without += without
        return round(math.log(guilty / innocent) - math.log(guilty_without / innocent_without), DIGITS)


class _Rates:
    """How much more likely each player's acts are from one single role than from a Villager, for each set of Mafia.

    `holders` are the players that can have the role, by their place among the rates; `rates` are those if nobody is
    Mafia, and `cross` is what each other being Mafia adds to their logarithms. No Mafia has the role. Sets of Mafia
    that begin alike share the work.
    """

    def __init__(self, holders: Mapping[int, int], rates: Vector, cross: Sequence[Vector]) -> None:
        self.holders = holders
        self._rates = rates
        self._shared: dict[Set, Vector] = {}
        self._factors: dict[int, Vector] = {}
        self._cross = cross

    def beside(self, mafia: Set) -> Vector:
        """The rates beside a set of Mafia."""
        if not mafia:
            return self._rates
        before, last = mafia[:-1], mafia[-1]
        rates = self._shared.get(before)
        if rates is None:
            rates = self._shared[before] = self.beside(before)
        return list(map(mul, rates, self._factors.get(last) or self._factor(last)))

    def _factor(self, whom: int) -> Vector:
        """By how much each rate changes if that player is Mafia."""
        found = self._factors[whom] = [1.0] * len(self._rates)
        for place, at in self.holders.items():
            found[place] = 0.0 if at == whom else math.exp(min(MOST, self._cross[at][whom]))
        return found


def _exactly(odds: Sequence[float], number: int) -> Vector:
    """How likely each is among exactly that many, each of them being in at its odds and independent otherwise."""
    size = len(odds)
    before = [[1.0] + [0.0] * number]
    for one in odds:
        last = before[-1]
        before.append([1.0] + [last[k] + one * last[k - 1] for k in range(1, number + 1)])
    total = before[-1][number]
    if total <= 0:
        return [number / size] * size
    behind = [1.0] + [0.0] * number
    likely = [0.0] * size
    for at in range(size - 1, -1, -1):
        without = sum(before[at][k] * behind[number - 1 - k] for k in range(number)) if number else 0.0
        likely[at] = odds[at] * without / total
        behind = [1.0] + [behind[k] + odds[at] * behind[k - 1] for k in range(1, number + 1)]
    return likely
