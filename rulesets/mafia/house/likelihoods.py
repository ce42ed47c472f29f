"""How likely each kind of public act is, by the role of who acts and of whom it is done to: `likelihoods.txt`.

The table is counted from games (`make house-table`), separately for acts before and after the first claim to be the
Detective. An act counts by its weight: acts echo each other, so that each tells less than it would alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

from sottovoce.rulesets.mafia.house.acts import KINDS, ONCE, Act

ACTORS = ("Mafia", "Jester", "Detective", "Doctor", "Villager")
TARGETS = ("Mafia", "other")
Cell = tuple[str, str]
"""The role of who acts, and `Mafia` or `other` for whom it is done to; `other` for acts done to nobody."""

CELLS: tuple[Cell, ...] = tuple((actor, target) for actor in ACTORS for target in TARGETS)
SMOOTH = 12.0
"""Acts at the rate of everybody that are added to each cell, so that few acts do not make a likelihood extreme."""
SURE = {"damns": 0.5, "claims": 2.0, "contradicts": 2.0, "doctor": 2.0}
"""The same for kinds where a role plays a certain way by its nature."""


@dataclass(slots=True)
class Row:
    """One kind of act, before or after the first claim: its weight, and for each cell how often it was done, of how
    many chances."""

    weight: float = 0.5
    cells: dict[Cell, list[int]] = field(default_factory=lambda: {cell: [0, 0] for cell in CELLS})

    def rate(self, kind: str, cell: Cell) -> float:
        """The smoothed likelihood of the act in a cell."""
        hits = sum(done for done, _ in self.cells.values())
        of = sum(chances for _, chances in self.cells.values())
        strength = SURE.get(kind, SMOOTH)
        done, chances = self.cells[cell]
        everybody = (hits + 0.5) / (of + 1)
        return min(0.999, max(0.001, (done + strength * everybody) / (chances + strength)))


Logs = tuple[tuple[float, ...], tuple[float, ...]]
"""By actor, in the order of `ACTORS`: the weighted logarithm of the likelihood towards Mafia, and towards others."""


class Steps(NamedTuple):
    """What one act adds, compared with a Villager's: for each actor but the Villager, what it tells if the target is
    not Mafia (`own`) and what changes if it is (`cross`); and what a Villager's act tells of its target (`told`)."""

    own: tuple[float, ...]
    cross: tuple[float, ...]
    told: float


class Table:
    """The likelihoods of acts. `logs` gives them ready for adding, by kind, side of the claim, and done or not; `steps`
    gives them next to a Villager's, without the acts that tell nothing."""

    def __init__(self, rows: Mapping[tuple[str, bool], Row]) -> None:
        self.rows = dict(rows)
        self.logs: dict[tuple[str, bool, bool], Logs] = {}
        self.steps: dict[tuple[str, bool, bool], Steps] = {}
        for (kind, after), row in self.rows.items():
            for done in (True, False):
                logs = self.logs[kind, after, done] = self._logs(kind, row, done)
                if any(any(logs_of) for logs_of in logs):
                    self.steps[kind, after, done] = _steps(*logs)

    @staticmethod
    def _logs(kind: str, row: Row, done: bool) -> Logs:
        if kind in ONCE and not done:
            return (0.0,) * len(ACTORS), (0.0,) * len(ACTORS)
        by_target = []
        for target in TARGETS:
            rates = [row.rate(kind, (actor, target)) for actor in ACTORS]
            by_target.append(tuple(row.weight * math.log(rate if done else 1 - rate) for rate in rates))
        return by_target[0], by_target[1]

    def text(self) -> str:
        """The table as its file holds it."""
        heads = [f"{actor}>{target}" for actor, target in CELLS]
        lines = [
            "# How often players do what they can do, by role of actor and target: done/chances.",
            "# Written by `make house-table`; `weight` is how much an act counts.",
            _line("act", "claim", "weight", heads),
        ]
        for (kind, after), row in sorted(self.rows.items(), key=lambda item: (list(KINDS).index(item[0][0]), item[0])):
            cells = [f"{done}/{chances}" for done, chances in row.cells.values()]
            lines.append(_line(kind, "after" if after else "before", f"{row.weight:.2f}", cells))
        return "\n".join(lines) + "\n"

    @classmethod
    def parse(cls, text: str) -> Table:
        """Read a table from its text."""
        rows: dict[tuple[str, bool], Row] = {}
        lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
        for line in lines[1:]:
            kind, when, weight, *cells = line.split()
            counted = [[int(part) for part in cell.split("/")] for cell in cells]
            rows[kind, when == "after"] = Row(float(weight), dict(zip(CELLS, counted, strict=True)))
        return cls(rows)


def _steps(mafia: tuple[float, ...], other: tuple[float, ...]) -> Steps:
    more = [towards - away for towards, away in zip(mafia, other, strict=True)]
    own = tuple(one - other[-1] for one in other[:-1])
    return Steps(own, tuple(one - more[-1] for one in more[:-1]), more[-1])


def _line(kind: str, when: str, weight: str, cells: Iterable[str]) -> str:
    return f"{kind:<12}{when:<8}{weight:<8}" + "".join(f"{cell:<18}" for cell in cells).rstrip()


def counted(games: Iterable[tuple[list[Act], Mapping[str, str]]], weights: Mapping[tuple[str, bool], float]) -> Table:
    """Count a table from the acts of whole games, each with the role of every player.

    A kind done at most once in a game has every player of the game as its chances.
    """
    rows = {(kind, after): Row(weights.get((kind, after), 0.5)) for kind in KINDS for after in (False, True)}
    for acts, roles in games:
        done_once = {(act.kind, act.actor) for act in acts if act.kind in ONCE}
        for kind in ONCE:
            for player, role in roles.items():
                cell = rows[kind, False].cells[role, "other"]
                cell[0] += (kind, player) in done_once
                cell[1] += 1
        for act in acts:
            if act.kind not in ONCE:
                target = "Mafia" if act.target and roles[act.target] == "Mafia" else "other"
                cell = rows[act.kind, act.after].cells[roles[act.actor], target]
                cell[0] += act.done
                cell[1] += 1
    return Table({key: row for key, row in rows.items() if any(of for _, of in row.cells.values())})


@lru_cache(maxsize=1)
def table() -> Table:
    """The table that the house plays by."""
    return Table.parse(files("sottovoce.rulesets.mafia.house").joinpath("likelihoods.txt").read_text(encoding="utf-8"))
