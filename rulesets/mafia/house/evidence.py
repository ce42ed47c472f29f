"""What the public acts of a game come to, player by player: what every belief at the table starts from.

The same acts are weighed once for all seats. Each seat then leaves its own out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from sottovoce.rulesets.mafia.house.acts import Act
from sottovoce.rulesets.mafia.house.likelihoods import ACTORS, Table

Vector = list[float]
CODES = range(len(ACTORS) - 1)
"""The roles that a Villager is compared with, by their place in `ACTORS`."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """How much likelier the acts of each player are in a role than for a Villager, as logarithms, by places.

    `gain[role][actor]` is that if nobody is Mafia, and `cross[role][actor][target]` what it changes if the target is.
    `told[actor][target]` is what a Villager's acts tell of their target: how much likelier they are towards Mafia.
    `acts` has all acts by kind, actor, and whether it was done.
    """

    gain: Sequence[Vector]
    cross: Sequence[Sequence[Vector]]
    told: Sequence[Vector]
    acts: Mapping[tuple[str, str, bool], Sequence[Act]]

    def without(self, actor: int | None) -> Evidence:
        """The same without the acts of one player."""
        if actor is None:
            return self
        nothing = [0.0] * len(self.told)
        gain = [[*row[:actor], 0.0, *row[actor + 1 :]] for row in self.gain]
        cross = [[*rows[:actor], nothing, *rows[actor + 1 :]] for rows in self.cross]
        return Evidence(gain, cross, [*self.told[:actor], nothing, *self.told[actor + 1 :]], self.acts)


@lru_cache(maxsize=16)
def evidence(players: tuple[str, ...], acts: tuple[Act, ...], table: Table) -> Evidence:
    """Add up all acts."""
    size, steps_of = len(players), table.steps
    place = {player: at for at, player in enumerate(players)}
    gain = [[0.0] * size for _ in CODES]
    cross = [[[0.0] * size for _ in players] for _ in CODES]
    told = [[0.0] * size for _ in players]
    sorted_acts: dict[tuple[str, str, bool], list[Act]] = {}
    for act in acts:
        kind, after, actor, target, done = act
        sorted_acts.setdefault((kind, actor, done), []).append(act)
        steps = steps_of.get((kind, after, done))
        if steps is None:
            continue
        at = place[actor]
        for row, step in zip(gain, steps.own, strict=True):
            row[at] += step
        if target is not None:
            whom = place[target]
            told[at][whom] += steps.told
            for rows, step in zip(cross, steps.cross, strict=True):
                rows[at][whom] += step
    return Evidence(gain, cross, told, sorted_acts)
