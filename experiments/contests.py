"""The model of strengths for a design: its columns, each game's row, and whether the design can tell them apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from sottovoce.experiments.designs import Experiment, Planned
from sottovoce.experiments.file import ExperimentUnusable
from sottovoce.experiments.matrices import dependence

LOOKED_AT = 400
"""Games of a plan whose rows are compared; a design repeats itself long before."""
REST = "rest"
"""The label of seats that are compared in other games and not in this one."""


class RankDeficient(ExperimentUnusable):
    """The design can't tell some of the model's strengths apart, however many games are played."""


@dataclass(frozen=True, slots=True)
class Model:
    """The logarithm of the odds of the first of two sides: what it has ahead, and the agents' strengths.

    `columns` are pairs of an agent's label and the side or role in which its strength counts, "" for all; `reference`
    is the agent against which strengths are counted.
    """

    experiment: Experiment
    sides: tuple[str, str]
    reference: str
    columns: tuple[tuple[str, str], ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Return each column in words, the first side's lead first."""
        told = (f"{agent} as {where}" if where else agent for agent, where in self.columns)
        return (f"lead of {self.sides[0]}", *told)

    def row(self, planned: Planned) -> tuple[Fraction, ...]:
        """Return the game's row: 1, and for each column the share of the side's or role's seats that the agent has.

        Strengths of the first side count for it, those of the second against it.
        """
        experiment, by_role = self.experiment, self.experiment.file.design.by == "role"
        counts: dict[tuple[str, str], int] = {}
        sizes: dict[str, int] = {}
        signs: dict[str, int] = {}
        for seat, part in planned.parts.items():
            side = experiment.side(part)
            where = part if by_role else side
            sizes[where] = sizes.get(where, 0) + 1
            signs[where] = -1 if side == self.sides[1] else 1
            label = planned.labels.get(seat, REST)
            counts[label, where] = counts.get((label, where), 0) + 1
        row = [Fraction(1)]
        for agent, place in self.columns:
            wheres = [place] if place else [where for where in sizes if by_role or where in self.sides]
            row.append(
                sum(
                    (
                        Fraction(signs[where] * counts.get((agent, where), 0), sizes[where])
                        for where in wheres
                        if where in sizes
                    ),
                    Fraction(0),
                )
            )
        return tuple(row)


def model_of(experiment: Experiment) -> Model | None:
    """Return the model for a design; None where there are not two sides, or nothing is compared."""
    file = experiment.file
    if len(experiment.sides) != 2 or len(file.agents) < 2 or file.design.order == "fixed":
        return None
    one, other = experiment.sides
    reference = experiment.rest or next(iter(file.agents))
    others = [label for label in file.agents if label != reference]
    estimate = file.design.estimate
    if estimate is None:
        estimate = (
            "overall" if file.design.by == "side" and file.design.order not in ("crossed", "swapped") else "by-side"
        )
    first = list(experiment.deal(0))
    wheres = dict.fromkeys(
        part if file.design.by == "role" else experiment.side(part)
        for game in first
        for seat, part in game.parts.items()
        if seat in game.labels
    )
    if file.design.order == "swapped" and experiment.rest is None and len(wheres) > 1:
        others.append(REST)
    columns = [(label, "") for label in others]
    if estimate == "by-side":
        columns = [(label, where) for where in wheres for label in others]
    return Model(experiment, (one, other), reference, tuple(columns))


def check_rank(model: Model, games: Iterable[Planned]) -> None:
    """Raise RankDeficient if some column is a sum of others in every game, with the columns and what to change."""
    rows = [row for row, _ in zip((model.row(game) for game in games), range(LOOKED_AT), strict=False)]
    weights = dependence(rows)
    if weights is None:
        return
    tied = [name for name, weight in zip(model.names, weights, strict=True) if weight]
    design = model.experiment.file.design
    advice = "Use another order"
    match design.by, design.order:
        case "seat", _:
            advice = "Every agent has the same number of seats in every game. Use share: varied, or by: side"
        case "side", "mirrored" | "rotated" | "latin":
            advice = "Each side meets one opponent only. Use order: crossed, or estimate: overall"
        case _, "swapped":
            advice = "No game has the other agents alone. Add the agent of rest to agents"
        case "role", _:
            advice = "Use order: crossed or swapped"
    raise RankDeficient(f"This design cannot tell these apart: {', '.join(tied)}. {advice}.")


def shares_of(planned: Planned) -> Mapping[str, int]:
    """Return how many seats each label has in a game."""
    found: dict[str, int] = {}
    for label in planned.labels.values():
        found[label] = found.get(label, 0) + 1
    return found
