"""What a seat holds for likely of everybody's roles: the exact posterior over the deals that its view allows.

Every set of Mafia that is possible is enumerated (21 at eight players, for one of them). The single roles among the
rest, the Detective, the Doctor and the Jester, are summed in closed form for each set. Acts are weighed by a table of
their likelihoods. With more than `MOST_SETS` sets, the players are weighed one by one against what is held of the
others, and only the number of Mafia is exact.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from math import comb
from operator import mul

from sottovoce.rulesets.mafia.house.acts import Act
from sottovoce.rulesets.mafia.house.likelihoods import ACTORS, Table

MOST_SETS = 500
DIGITS = 9
"""To how many digits a likelihood is held, so that players who are equally likely are equal on every machine."""
ROUNDS = 4
"""How often players are weighed against what is held of the others, where the sets are too many."""
_MAFIA, _JESTER, _DETECTIVE, _DOCTOR, _VILLAGER = range(len(ACTORS))
_SINGLE = {"Jester": _JESTER, "Detective": _DETECTIVE, "Doctor": _DOCTOR}
Vector = list[float]


class Belief:
    """How likely each player is to have each role. `of` gives that by role and player.

    `known` are roles that the seat is certain of, and `not_mafia` players of whom it knows no more than that.
    """

    def __init__(
        self,
        players: Sequence[str],
        counts: Mapping[str, int],
        acts: Iterable[Act],
        table: Table,
        known: Mapping[str, str],
        not_mafia: Collection[str] = (),
    ) -> None:
        self.players = tuple(players)
        self.table = table
        self._place = {player: at for at, player in enumerate(players)}
        self._weigh(acts)
        self._single = [code for role, code in _SINGLE.items() if counts.get(role, 0)]
        self._known = {self._place[player]: role for player, role in known.items() if player in self._place}
        size = len(self.players)
        self._found = [[0.0] * size for _ in ACTORS]
        self.sets: list[tuple[float, frozenset[int]]] = []
        """Each set of Mafia with how likely it is, where they were enumerated."""
        sure = [at for at, role in self._known.items() if role == "Mafia"]
        free = [at for at in range(size) if at not in self._known and self.players[at] not in not_mafia]
        more = max(0, min(len(free), counts.get("Mafia", 0) - len(sure)))
        if comb(len(free), more) <= MOST_SETS:
            self._enumerate(sure, free, more)
        else:
            self._factorize(sure, free, more)
        self.mafia = self._named(_MAFIA)
        self.jester = self._named(_JESTER)
        self.detective = self._named(_DETECTIVE)
        self.doctor = self._named(_DOCTOR)

    def _named(self, code: int) -> dict[str, float]:
        return dict(zip(self.players, (round(likely, DIGITS) for likely in self._found[code]), strict=True))

    def _weigh(self, acts: Iterable[Act]) -> None:
        """Add up the acts: what each player did to nobody Mafia, and what it adds if the target is Mafia."""
        size, logs, place = len(self.players), self.table.logs, self._place
        base = [[0.0] * size for _ in ACTORS]
        to_mafia = [[[0.0] * size for _ in range(size)] for _ in ACTORS]
        for kind, after, actor, target, done in acts:
            found = logs.get((kind, after, done))
            if found is None:
                continue
            mafia, other = found
            at = place[actor]
            if target is None:
                for code, value in enumerate(other):
                    base[code][at] += value
            else:
                whom = place[target]
                for code, value in enumerate(other):
                    base[code][at] += value
                    to_mafia[code][at][whom] += mafia[code] - value
        plain_base, plain_to = base[_VILLAGER], to_mafia[_VILLAGER]
        seats = range(size)
        self._gain = [[base[code][at] - plain_base[at] for at in seats] for code in range(_VILLAGER)]
        self._cross = [
            [[one - plain for one, plain in zip(to_mafia[code][at], plain_to[at], strict=True)] for at in seats]
            for code in range(_VILLAGER)
        ]
        self._told = [sum(plain_to[at][whom] for at in seats) for whom in seats]

    def _enumerate(self, sure: list[int], free: list[int], more: int) -> None:
        gain, cross, told = self._gain[_MAFIA], self._cross[_MAFIA], self._told
        alone = [gain[at] + told[at] + cross[at][at] for at in range(len(self.players))]
        sets: list[tuple[float, tuple[int, ...]]] = []
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
        total = 0.0
        for weight, mafia in sets:
            if weight > best - 25:
                total += self._deal(math.exp(weight - best), mafia)
        if total <= 0:
            self._ignorant(free, more, sure)
            return
        self._found = [[value / total for value in row] for row in self._found]
        self.sets = [(weight / total, mafia) for weight, mafia in self.sets]

    def _deal(self, weight: float, mafia: Sequence[int]) -> float:
        """Add every deal of the single roles beside one set of Mafia; return how much that was."""
        inside = set(mafia)
        open_to = [at for at in range(len(self.players)) if at not in inside and at not in self._known]
        rates = {code: self._rates(code, mafia, open_to) for code in self._single}
        total, shares = _distinct(rates)
        total *= weight
        if total <= 0:
            return 0.0
        self.sets.append((total, frozenset(mafia)))
        for at in mafia:
            self._found[_MAFIA][at] += total
        for code, share in shares.items():
            row = self._found[code]
            for at, value in share.items():
                row[at] += weight * value
        return total

    def _rates(self, code: int, mafia: Sequence[int], open_to: Sequence[int]) -> dict[int, float]:
        """How much more likely each player's acts are from that single role than from a Villager."""
        role = ACTORS[code]
        certain = [at for at, known in self._known.items() if known == role]
        gain, cross = self._gain[code], self._cross[code]
        rates = {}
        for at in certain[:1] or open_to:
            more = gain[at]
            row = cross[at]
            for whom in mafia:
                more += row[whom]
            rates[at] = math.exp(min(40.0, more))
        return rates

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
        for weight, mafia in self.sets:
            likely = logs[0 if target in mafia else 1][_MAFIA if actor in mafia else _VILLAGER]
            without = weight * math.exp(-likely)
            if at in mafia:
                guilty += weight
                guilty_without += without
            else:
                innocent += weight
                innocent_without += without
        return round(math.log(guilty / innocent) - math.log(guilty_without / innocent_without), DIGITS)


def _distinct(rates: Mapping[int, Mapping[int, float]]) -> tuple[float, dict[int, dict[int, float]]]:
    """Sum the products of the rates of up to three roles over all ways to give them to different players.

    Return that, and for each role and player the part of it where the player has the role.
    """
    codes = list(rates)
    if not codes:
        return 1.0, {}
    if len(codes) == 1:
        only = rates[codes[0]]
        return sum(only.values()), {codes[0]: dict(only)}
    total, shares = 0.0, {}
    for code in codes:
        others = [rates[other] for other in codes if other != code]
        share = _beside(rates[code], *others)
        shares[code] = share
        total = sum(share.values())
    return total, shares


def _beside(
    own: Mapping[int, float], first: Mapping[int, float], second: Mapping[int, float] | None = None
) -> dict[int, float]:
    """For each player with a role: its rate, times the sum over all others that can have the other roles."""
    total = sum(first.values())
    if second is None:
        return {at: rate * (total - first.get(at, 0.0)) for at, rate in own.items()}
    also = sum(second.values())
    both = sum(rate * second.get(at, 0.0) for at, rate in first.items())
    share = {}
    for at, rate in own.items():
        one, two = first.get(at, 0.0), second.get(at, 0.0)
        share[at] = rate * max(0.0, (total - one) * (also - two) - (both - one * two))
    return share


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
