"""Count the records of an experiment: shares of wins, paired differences, strengths, measures, and what agents used."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple, TypeVar

from sottovoce.experiments.contests import Model
from sottovoce.experiments.designs import Experiment, Planned
from sottovoce.experiments.outcomes import GameRecord, SeatRecord
from sottovoce.experiments.running import Progress
from sottovoce.experiments.statistics import (
    Cluster,
    Estimate,
    clustered_mean,
    clustered_share,
    mcnemar,
    mean_difference,
    newcombe,
    wilson,
)
from sottovoce.experiments.strengths import Contest, Fit, fit

N = TypeVar("N", int, float)

FEWEST = 8
"""Contests without which no strengths are fitted."""


class Won(NamedTuple):
    """How often a side won in one arrangement."""

    arrangement: str
    side: str
    estimate: Estimate


class AgentWon(NamedTuple):
    """How often an agent's seats won on a side, or with a role; `alone` says that the part wins by other means."""

    agent: str
    where: str
    seats: int
    alone: bool
    estimate: Estimate


class Difference(NamedTuple):
    """How much more often one agent's seats won than another's, on the same deals. `p` is None where no test fits."""

    one: str
    other: str
    where: str
    estimate: Estimate
    p: float | None
    method: str


class Measured(NamedTuple):
    """A measure of an agent's seats on one side."""

    measure: str
    agent: str
    where: str
    estimate: Estimate


class Account(NamedTuple):
    """What an agent's seats did and used. None where it is not known; seconds of calls that left this process."""

    agent: str
    spec: str
    games: int
    seats: int
    decisions: int
    fallbacks: int
    refusals: int
    failures: int
    reasons: Mapping[str, int]
    retries: int
    calls: int
    prompt_tokens: int | None
    reply_tokens: int | None
    cached_tokens: int
    cost: float | None
    median_seconds: float | None
    p95_seconds: float | None
    other_models: int


def finished(records: Iterable[GameRecord]) -> list[GameRecord]:
    """Return the games that count."""
    return [one for one in records if one.status == "over"]


def wins(experiment: Experiment, done: Progress) -> list[Won]:
    """Return how often each side won in each arrangement. A deal is in an arrangement once, so its games are apart."""
    sides = sorted({side for _, side in done.wins}, key=lambda side: _place(experiment, side))
    found = []
    for arrangement in dict.fromkeys(planned.arrangement for planned, _ in done.seen):
        games = done.played.get(arrangement, 0)
        for side in sides if games else ():
            hits = done.wins.get((arrangement, side), 0)
            low, high = wilson(hits, games)
            found.append(Won(arrangement, side, Estimate(hits / games, low, high, games, games)))
    return found


def compared(records: Iterable[GameRecord]) -> Iterator[tuple[GameRecord, SeatRecord]]:
    """Return the seats whose agents are compared, each with its game."""
    for one in records:
        for seat in one.seats:
            if seat.label:
                yield one, seat


def agents_won(experiment: Experiment, records: Sequence[GameRecord], by: str) -> list[AgentWon]:
    """Return how often each agent's seats won, by `side` or by `role`, with the deal as the cluster.

    Where a ruleset has sides, the seats of one win together, so that a game counts once for an agent.
    """
    clusters: dict[tuple[str, str], dict[int, list[float]]] = defaultdict(lambda: defaultdict(lambda: [0.0, 0.0]))
    seats: dict[tuple[str, str], int] = defaultdict(int)
    once: set[tuple[int, str, str]] = set()
    for game, seat in compared(records):
        where = seat.side if by == "side" else seat.part
        if seat.won is None or not where:
            continue
        seats[seat.label, where] += 1
        if experiment.measures is not None:
            key = (game.number, seat.label, where)
            if key in once:
                continue
            once.add(key)
        pair = clusters[seat.label, where][game.deal]
        pair[0] += seat.won
        pair[1] += 1
    known = experiment.measures
    alone = set(known.alone) | {known.sides[part] for part in known.alone} if known is not None else set()
    found = []
    for label, where in sorted(clusters, key=lambda key: (_place(experiment, key[1]), _label(experiment, key[0]))):
        estimate = clustered_share([(hits, cases) for hits, cases in clusters[label, where].values()])
        assert estimate is not None
        found.append(AgentWon(label, where, seats[label, where], where in alone, estimate))
    return found


def _place(experiment: Experiment, where: str) -> tuple[int, str]:
    known = experiment.measures
    order = [*dict.fromkeys(known.sides.values()), *known.sides] if known is not None else []
    return (order.index(where) if where in order else len(order), where)


def _label(experiment: Experiment, label: str) -> int:
    return list(experiment.file.agents).index(label)


def differences(experiment: Experiment, records: Sequence[GameRecord]) -> list[Difference]:
    """Return how much more often one agent won than another on the same deals: on each side, with each role, and
    averaged over the sides on which both played.

    Where each deal has one game for each of the two, that is McNemar's exact test with Newcombe's interval, else a
    bootstrap over deals.
    """
    rates: dict[tuple[str, str], dict[int, list[float]]] = defaultdict(lambda: defaultdict(lambda: [0.0, 0.0]))
    games: dict[tuple[str, str, int], set[int]] = defaultdict(set)
    for game, seat in compared(records):
        if seat.won is None or not seat.part:
            continue
        for where in {seat.side, seat.part}:
            games[seat.label, where, game.deal].add(game.number)
            pair = rates[seat.label, where][game.deal]
            pair[0] += seat.won
            pair[1] += 1
    wheres = sorted({where for _, where in rates}, key=lambda where: _place(experiment, where))
    found = []
    for one, other in combinations(experiment.file.agents, 2):
        overall: dict[int, list[float]] = defaultdict(list)
        for where in wheres:
            mine, theirs = rates.get((one, where), {}), rates.get((other, where), {})
            pairs = {
                deal: (mine[deal][0] / mine[deal][1], theirs[deal][0] / theirs[deal][1])
                for deal in sorted(mine)
                if deal in theirs
            }
            if where in experiment.sides:
                for deal, (a, b) in pairs.items():
                    overall[deal].append(a - b)
            if pairs:
                once = all(len(games[agent, where, deal]) == 1 for agent in (one, other) for deal in pairs)
                found.append(_difference(one, other, where, list(pairs.values()), once))
        if len(experiment.sides) > 1 and overall:
            averaged = [math.fsum(each) / len(each) for _, each in sorted(overall.items())]
            estimate = mean_difference(averaged)
            assert estimate is not None
            found.append(Difference(one, other, "all sides", estimate, None, "bootstrap over deals"))
    return found


def _difference(one: str, other: str, where: str, pairs: Sequence[tuple[float, float]], once: bool) -> Difference:
    """One line. `once` says that each deal has one game for each of the two."""
    if once and all(value in (0.0, 1.0) for pair in pairs for value in pair):
        both, first = sum(a == b == 1 for a, b in pairs), sum(a > b for a, b in pairs)
        second, neither = sum(a < b for a, b in pairs), sum(a == b == 0 for a, b in pairs)
        estimate = newcombe(both, first, second, neither)
        assert estimate is not None
        return Difference(one, other, where, estimate, mcnemar(first, second), "exact McNemar, Newcombe")
    estimate = mean_difference([a - b for a, b in pairs])
    assert estimate is not None
    return Difference(one, other, where, estimate, None, "bootstrap over deals")


def strengths(model: Model, planned: Mapping[int, Planned], records: Sequence[GameRecord]) -> tuple[Fit, int] | None:
    """Fit the agents' strengths to the games that one of the two sides won, and say how many those were.

    None where there are too few, or one side won all of them in a way that leaves nothing to fit.
    """
    contests = [
        Contest(tuple(map(float, model.row(planned[one.number]))), one.winner == model.sides[0], one.deal)
        for one in records
        if one.winner in model.sides
    ]
    if len(contests) < FEWEST:
        return None
    try:
        return fit(contests), len(contests)
    except ArithmeticError:
        return None


def measured(experiment: Experiment, records: Sequence[GameRecord], kinds: Mapping[str, str]) -> list[Measured]:
    """Return each measure by agent and side, with the deal as the cluster. `kinds` says which are shares."""
    sums: dict[tuple[str, str, str], dict[int, list[float]]] = defaultdict(lambda: defaultdict(lambda: [0.0, 0.0]))
    for game, seat in compared(records):
        for name, (total, cases) in seat.measures.items():
            pair = sums[name, seat.side or "all", seat.label][game.deal]
            pair[0] += total
            pair[1] += cases
    found = []
    order = list(kinds)
    for name, side, label in sorted(
        sums, key=lambda key: (order.index(key[0]), _place(experiment, key[1]), _label(experiment, key[2]))
    ):
        clusters: list[Cluster] = [(total, cases) for total, cases in sums[name, side, label].values()]
        estimate = clustered_share(clusters) if kinds[name] == "share" else clustered_mean(clusters)
        if estimate is not None:
            found.append(Measured(name, label, side, estimate))
    return found


def accounts(experiment: Experiment, records: Sequence[GameRecord]) -> list[Account]:
    """Return what each agent did and used, seats that are not compared last. Every game counts, also one without a
    result.
    """
    specs = dict(experiment.file.agents)
    seats: dict[str, list[tuple[int, SeatRecord]]] = {label: [] for label in specs}
    for one in records:
        for seat in one.seats:
            seats.setdefault(seat.label or f"({seat.agent})", []).append((one.number, seat))
    return [_account(label, specs.get(label, label.strip("()")), given) for label, given in seats.items() if given]


def _account(label: str, spec: str, given: Sequence[tuple[int, SeatRecord]]) -> Account:
    reasons: dict[str, int] = {}
    for _, seat in given:
        for reason, number in seat.failures.items():
            reasons[reason] = reasons.get(reason, 0) + number
    calls = [seat.calls for _, seat in given]
    seconds = sorted(second for one in calls for second in one.seconds)
    return Account(
        agent=label,
        spec=spec,
        games=len({number for number, _ in given}),
        seats=len(given),
        decisions=sum(seat.decisions for _, seat in given),
        fallbacks=sum(seat.fallbacks for _, seat in given),
        refusals=sum(seat.refusals for _, seat in given),
        failures=sum(reasons.values()),
        reasons=dict(sorted(reasons.items())),
        retries=sum(seat.retries for _, seat in given),
        calls=sum(one.calls for one in calls),
        prompt_tokens=_total([one.prompt_tokens for one in calls]),
        reply_tokens=_total([one.reply_tokens for one in calls]),
        cached_tokens=sum(one.cached_tokens for one in calls),
        cost=_total([one.cost for one in calls]),
        median_seconds=_quantile(seconds, 0.5),
        p95_seconds=_quantile(seconds, 0.95),
        other_models=sum(one.other_models for one in calls),
    )


def _total(values: Sequence[N | None]) -> N | None:
    known = [value for value in values if value is not None]
    return sum(known[1:], known[0]) if len(known) == len(values) else None


def _quantile(ordered: Sequence[float], share: float) -> float | None:
    return ordered[min(len(ordered) - 1, math.floor(share * len(ordered)))] if ordered else None
