"""Play the games of an experiment or of `run`: they are kept as a batch before the first one opens, and what is left is
played.

A game has its id from the beginning, so a run that was killed finds what it started. Limits are looked at after whole
deals, in the order of the plan, so that a run that was interrupted stops where any other one does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

from sottovoce.eventlog import EventLog
from sottovoce.experiments.designs import Experiment, Planned
from sottovoce.experiments.file import ExperimentUnusable
from sottovoce.experiments.statistics import wilson
from sottovoce.projections.tally import Tally
from sottovoce.server.live import load
from sottovoce.server.plan import Plan

Game = tuple[Planned, str]
"""A planned game and its id; "" if no id was kept for it yet."""


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
NOBODY = "nobody"
"""The winner of a game that nobody won, where wins are counted."""


@dataclass(slots=True)
class Progress:
    """How far an experiment is: games by status, what they used, and who won in which arrangement.

    `stood_in` counts the finished games that contain fallback moves; `seen` are the games up to where it stops, or as
    far as it is.
    """

    planned: int
    over: int = 0
    void: int = 0
    held: int = 0
    open: int = 0
    tokens: int | None = 0
    spent: Fraction | None = Fraction()
    stood_in: int = 0
    stopped: Why | None = None
    seen: list[Game] = field(default_factory=list)
    wins: dict[tuple[str, str], int] = field(default_factory=dict)
    played: dict[str, int] = field(default_factory=dict)

    def take(self, planned: Planned, tally: Tally) -> None:
        """Count one game. What is counted does not depend on the order."""
        self.over += tally.ended
        self.void += tally.voided
        self.held += tally.held
        self.open += tally.open
        self.stood_in += tally.stood_in
        self.tokens = None if self.tokens is None or tally.tokens is None else self.tokens + tally.tokens
        self.spent = None if self.spent is None or tally.cost is None else self.spent + Fraction(tally.cost)
        if tally.ended:
            self.played[planned.arrangement] = self.played.get(planned.arrangement, 0) + 1
            for winner in tally.winners or (NOBODY,):
                key = planned.arrangement, winner
                self.wins[key] = self.wins.get(key, 0) + 1

    @property
    def cost(self) -> float | None:
        """Return what the games cost; None if it is unknown for any call."""
        return None if self.spent is None else float(self.spent)

    @property
    def finished(self) -> int:
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
    """Return what a game came to as far as it is; None where it was not opened."""
    if not game or log.head(game) is None:
        return None
    live = load(log, game)
    return Tally.of(live.ruleset, live.recorded, log.receipts(game))


Take = Callable[[Tally], None]
"""Takes what one game came to."""
Play = Callable[[Sequence[Plan], Take], None]
"""Plays the plans to their end, or raises. What each game came to is taken as it ends."""


def run(
    log: EventLog, experiment: Experiment, games: Sequence[Game], play: Play | None, take: Take = lambda tally: None
) -> Progress:
    """Play what is left, up to the first limit that is reached, and return how far the experiment is then.

    `take` gets what each game came to, also those that were finished before. Without `play`, say how far it is.
    """
    done = Progress(len(games))
    for part in chunks(experiment, games):
        done.seen += part
        left: dict[str, Planned] = {}
        for planned, game in part:
            tally = tally_of(log, game)
            if play is not None and (tally is None or tally.open or tally.held):
                left[game] = planned
            elif tally is not None:
                done.take(planned, tally)
                take(tally)

        def ended(tally: Tally, left: dict[str, Planned] = left) -> None:
            done.take(left[tally.players[0].game], tally)
            take(tally)

        if left and play is not None:
            play([replace(planned.plan, game=game) for game, planned in left.items()], ended)
        if done.finished < len(done.seen):
            return done
        done.stopped = done.reached(experiment)
        if done.stopped is not None:
            return done
    done.stopped = "games"
    return done


def progress(log: EventLog, experiment: Experiment, games: Sequence[Game]) -> Progress:
    """Return how far the experiment is, from the log."""
    return run(log, experiment, games, None)
