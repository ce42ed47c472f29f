"""Experiments as they stand in the log: batches that say which plan they are of, and batches of `run`, which compare
nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sottovoce.eventlog import EventLog
from sottovoce.experiments.designs import MOST_ARRANGEMENTS, Experiment, Planned
from sottovoce.experiments.file import Design, ExperimentFile, ExperimentUnusable, Stop, digest
from sottovoce.experiments.running import Game
from sottovoce.server.batches import Batch, BatchChanged, BatchTaken, BatchUnknown, extend, find, keep
from sottovoce.server.games import new_game_id

DIGEST, PLAN, SIZES = "experiment", "plan", "sizes"
"""What the batch of an experiment says of itself: a hash of its plan, the plan, and how many games it had each time."""
HARMLESS = ("games", "design.estimate")
"""Fields of a plan whose change changes no game that was kept."""
PLAIN = "all games"
"""The arrangement of the games of `run`."""


@dataclass(frozen=True, slots=True)
class Kept:
    """The games of an experiment, in the order of its plan. `sizes` are the numbers of games that its file asked for,
    one after the other, as far as they were kept.
    """

    experiment: Experiment
    games: Sequence[Game]
    sizes: tuple[int, ...] = ()


def kept(log: EventLog, experiment: Experiment) -> Kept | None:
    """Return the games that were kept for the file; None where it was not run yet.

    Raises ExperimentUnusable where the name is another batch's, or the file would change games that were kept.
    """
    planned = list(experiment.planned())
    batch = _found(log, experiment, planned)
    return None if batch is None else _games(experiment, planned, batch)


def keep_games(log: EventLog, experiment: Experiment) -> Kept:
    """Return the games of the file. Those that were not kept yet are kept now, after those that were.

    Another process that does the same at this moment keeps the same games.
    """
    planned, games = list(experiment.planned()), experiment.file.stop.games
    while True:
        try:
            batch = _found(log, experiment, planned)
            if batch is None:
                about = _about(experiment, [games])
                plans = _with_ids(planned)
                keep(log, Batch(experiment.file.name, experiment.seed, experiment.file.on_failure, plans, about))
                continue
            found = _games(experiment, planned, batch)
            added = _with_ids(planned[len(batch.plans) :])
            if not added:
                return found
            extend(log, replace(batch, about=_about(experiment, [*found.sizes, games])), added)
        except (BatchTaken, BatchChanged):
            continue


def plain(batch: Batch) -> Kept:
    """Return the games of a batch of `run` as an experiment that compares nothing: one deal for each game."""
    first = batch.plans[0]
    agents = list(dict.fromkeys(agent for plan in batch.plans for agent in plan.agents.values()))
    file = ExperimentFile.model_construct(
        name=batch.name,
        ruleset=first.ruleset,
        options=dict(first.options),
        agents=dict(zip(agents, agents, strict=True)),
        design=Design.model_construct(order="fixed"),
        seed=batch.seed.text or "",
        stop=Stop.model_construct(games=len(batch.plans)),
        on_failure=batch.on_failure,
    )
    experiment = Experiment(file, plain=True)
    games = [
        (Planned(number, number, PLAIN, dict(plan.agents), {}, plan), plan.game or "")
        for number, plan in enumerate(batch.plans)
    ]
    return Kept(experiment, games)


def of_run(log: EventLog, name: str) -> Kept:
    """Return the games of a batch of `run` by its name.

    Raises BatchUnknown, and ExperimentUnusable where it is an experiment.
    """
    batch = find(log, name)
    if DIGEST in batch.about:
        raise ExperimentUnusable(f"{name!r} is an experiment. Give its file.")
    return plain(batch)


def _found(log: EventLog, experiment: Experiment, planned: Sequence[Planned]) -> Batch | None:
    """The batch of the file's name, if there is one and it is of the file's plan."""
    file = experiment.file
    try:
        batch = find(log, file.name)
    except BatchUnknown:
        return None
    if DIGEST not in batch.about:
        raise ExperimentUnusable(f"{file.name!r} is the name of a batch of `run`. Choose another name in the file.")
    changed = _changed(experiment, planned, batch)
    if changed is not None:
        raise ExperimentUnusable(
            f"{changed}, but the games of experiment {file.name!r} follow the earlier plan. Undo the change, or give "
            "the file another name. Only about, the limits, and a higher stop.games can change."
        )
    return batch


def _changed(experiment: Experiment, planned: Sequence[Planned], batch: Batch) -> str | None:
    """What in the file would change games that were kept, in words; None where it only adds games."""
    file, plan = experiment.file, experiment.file.plan
    before = json.loads(batch.about[PLAN]) if PLAN in batch.about else None
    if before is not None:
        for path, old, new in _differences(before, plan):
            if path not in HARMLESS:
                return f"{path} was {_told(old)} and is now {_told(new)}"
    elif not _is_of(batch, file):
        return "Something was changed"
    if len(planned) < len(batch.plans):
        return f"stop.games is {file.stop.games} and was {_sizes(batch)[-1]}"
    for one, own in zip(planned, batch.plans, strict=False):
        if (one.plan.seats, dict(one.plan.agents), one.plan.seed) != (own.seats, dict(own.agents), own.seed):
            return "This version of the rules deals otherwise"
    return None


def _differences(before: Mapping[str, Any], now: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """What two plans say differently: where, and what each says. A field that one of them has not is None there."""
    for key in dict.fromkeys([*before, *now]):
        old, new = before.get(key), now.get(key)
        if isinstance(old, dict) and isinstance(new, dict):
            yield from _differences(old, new, f"{path}{key}.")
        elif old != new:
            yield f"{path}{key}", old, new


def _told(value: Any) -> str:
    text = "left out" if value is None else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _is_of(batch: Batch, file: ExperimentFile) -> bool:
    """Whether a batch from before plans were kept is of the file, whose number of games may be another now."""
    most = len(batch.plans)
    return any(
        digest({**file.plan, "games": games}) == batch.about[DIGEST]
        for games in (file.stop.games, *range(max(1, most - MOST_ARRANGEMENTS), most + 1))
    )


def _sizes(batch: Batch) -> list[int]:
    return json.loads(batch.about[SIZES]) if SIZES in batch.about else [len(batch.plans)]


def _games(experiment: Experiment, planned: Sequence[Planned], batch: Batch) -> Kept:
    ids = [plan.game or "" for plan in batch.plans]
    games = [(one, ids[number] if number < len(ids) else "") for number, one in enumerate(planned)]
    return Kept(experiment, games, tuple(_sizes(batch)))


def _about(experiment: Experiment, sizes: list[int]) -> dict[str, str]:
    plan = experiment.file.plan
    return {DIGEST: digest(plan), PLAN: json.dumps(plan), SIZES: json.dumps(sizes)}


def _with_ids(planned: Iterable[Planned]) -> list[Any]:
    return [replace(one.plan, game=new_game_id()) for one in planned]
