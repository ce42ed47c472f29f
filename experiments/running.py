"""Play an experiment: its games are kept as a batch before the first one opens, and what is left is played.

A game has its id from the beginning, so a run that was killed finds what it started. Limits are looked at after whole
deals, in the order of the plan, so that a run that was interrupted stops where any other one does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from sottovoce.eventlog import EventLog
from sottovoce.experiments.designs import Experiment, Planned
from sottovoce.experiments.file import ExperimentUnusable
from sottovoce.experiments.statistics import wilson
from sottovoce.projections.tally import Tally
from sottovoce.server.batches import Batch, BatchUnknown, find, keep
from sottovoce.server.games import new_game_id
from sottovoce.server.live import load
from sottovoce.server.plan import Plan

Game = tuple[Planned, str]
"""A planned game and its id."""
KEY = "experiment"
"""What a batch of an experiment says of itself: the hash of its plan."""


def kept(log: EventLog, experiment: Experiment) -> list[Game] | None:
    """Return the games that were kept for the file, in the order of the plan; None where it was not run yet.

    Raises ExperimentUnusable where the name is another batch's, or the file's plan was changed since.
    """
    file = experiment.file
    try:
        batch = find(log, file.name)
    except BatchUnknown:
        return None
    if KEY not in batch.about:
        raise ExperimentUnusable(f"{file.name!r} is the name of a batch of `run`. Choose another name in the file.")
    if batch.about[KEY] != file.digest:
        raise ExperimentUnusable(
            f"Experiment {file.name!r} was run with another plan than the file has now. Undo the change, or give the "
            "file another name."
        )
    games = zip(experiment.planned(), batch.plans, strict=True)
    return [(planned, plan.game or "") for planned, plan in games]


def keep_games(log: EventLog, experiment: Experiment) -> list[Game]:
    """Return the games of the file, kept now where they were not yet."""
    found = kept(log, experiment)
    if found is not None:
        return found
    games = [(planned, new_game_id()) for planned in experiment.planned()]
    plans = [replace(planned.plan, game=game) for planned, game in games]
    file = experiment.file
    keep(log, Batch(file.name, experiment.seed, file.on_failure, plans, {KEY: file.digest}))
    return games


def chunks(experiment: Experiment, games: Sequence[Game]) -> Iterator[Sequence[Game]]:
    """Return the games between two looks at the limits: all at once if there is no limit but their number."""
    stop = experiment.file.stop
    if stop.cost is None and stop.tokens is None and stop.width is None:
        yield games
        return
    begin = 0
    for place, (planned, _) in enumerate(games):
        if planned.deal and planned.deal % stop.look == 0 and planned.deal != games[place - 1][0].deal:
            yield games[begin:place]
            begin = place
    yield games[begin:]


Why = Literal["games", "cost", "tokens", "width"]


@dataclass(slots=True)
class Progress:
    """How far an experiment is: games by status, what they used, and who won in which arrangement. `seen` are the games
    up to where it stops, or as far as it is.
    """

    planned: int
    over: int = 0
    void: int = 0
    held: int = 0
    open: int = 0
    tokens: int | None = 0
    cost: float | None = 0.0
    stopped: Why | None = None
    seen: list[Game] = field(default_factory=list)
    wins: dict[tuple[str, str], int] = field(default_factory=dict)
    played: dict[str, int] = field(default_factory=dict)

    def take(self, planned: Planned, tally: Tally) -> None:
        """Count one game."""
        self.over += tally.ended
        self.void += tally.voided
        self.held += tally.held
        self.open += tally.open
        self.tokens = None if self.tokens is None or tally.tokens is None else self.tokens + tally.tokens
        self.cost = None if self.cost is None or tally.cost is None else self.cost + tally.cost
        if tally.ended:
            self.played[planned.arrangement] = self.played.get(planned.arrangement, 0) + 1
            for winner in tally.winners:
                key = planned.arrangement, winner
                self.wins[key] = self.wins.get(key, 0) + 1

    @property
    def games(self) -> int:
        """Return how many games are finished, whether they count or not."""
        return self.over + self.void

    @property
    def widest(self) -> float:
        """Return the width of the widest interval of a share of wins, over arrangements and their winners."""
        if not self.wins:
            return 1.0
        bounds = [wilson(won, self.played[arrangement]) for (arrangement, _), won in self.wins.items()]
        return max(high - low for low, high in bounds)

    def reached(self, experiment: Experiment) -> Why | None:
        """Return which limit of the file is reached, if one is. Raises ExperimentUnusable where that cannot be told."""
        stop = experiment.file.stop
        for what, limit, used in (("cost", stop.cost, self.cost), ("tokens", stop.tokens, self.tokens)):
            if limit is not None and used is None:
                raise ExperimentUnusable(
                    f"stop.{what} is set, but a call did not say its {what}. Give prices in agents.toml, or remove it."
                )
        if stop.cost is not None and (self.cost or 0.0) >= stop.cost:
            return "cost"
        if stop.tokens is not None and (self.tokens or 0) >= stop.tokens:
            return "tokens"
        if stop.width is not None and self.widest <= stop.width:
            return "width"
        return None


def tally_of(log: EventLog, game: str) -> Tally | None:
    """Count one game; None where it was not opened."""
    if log.head(game) is None:
        return None
    live = load(log, game)
    return Tally.of(live.ruleset, live.recorded, log.receipts(game))


def progress(log: EventLog, experiment: Experiment, games: Sequence[Game]) -> Progress:
    """Return how far the experiment is, from the log."""
    found = Progress(len(games))
    for part in chunks(experiment, games):
        whole = True
        found.seen += part
        for planned, game in part:
            tally = tally_of(log, game)
            if tally is not None:
                found.take(planned, tally)
            whole = whole and tally is not None and not (tally.open or tally.held)
        if not whole:
            return found
        found.stopped = found.reached(experiment)
        if found.stopped is not None:
            return found
    found.stopped = "games"
    return found


Play = Callable[[Sequence[Plan]], None]
"""Plays the plans to their end, or raises."""


def run(
    log: EventLog, experiment: Experiment, games: Sequence[Game], play: Play, told: Callable[[Progress], None]
) -> Progress:
    """Play what is left, up to the first limit that is reached, and return how far the experiment is then.

    `told` gets the progress whenever more games were counted.
    """
    done = Progress(len(games))
    for part in chunks(experiment, games):
        found = {game: tally_of(log, game) for _, game in part}
        left = [
            replace(planned.plan, game=game)
            for planned, game in part
            if (tally := found[game]) is None or tally.open or tally.held
        ]
        if left:
            play(left)
            found |= {plan.game or "": tally_of(log, plan.game or "") for plan in left}
        for planned, game in part:
            if (tally := found[game]) is not None:
                done.take(planned, tally)
        told(done)
        done.stopped = done.reached(experiment)
        if done.stopped is not None:
            return done
    done.stopped = "games" if not (done.open or done.held) else None
    return done
