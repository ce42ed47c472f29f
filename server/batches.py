"""Batches: many games under one name, saved so that a run or an experiment that was killed can continue.

A batch is saved with an id for each of its games before the first game opens. So a started game is found again, and no
game is played twice: an id is opened only once.
"""

from __future__ import annotations

import json
import shlex
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import msgspec

from sottovoce.domain.draws import Seed
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.typed import converted
from sottovoce.eventlog import EventLog
from sottovoce.eventlog.errors import DamagedLog
from sottovoce.server.limits import Limits
from sottovoce.server.plan import Plan

# From one name to the next, past the games of each.
_NAMES = """
    WITH RECURSIVE found (name) AS (
        SELECT min(name) FROM batches
        UNION ALL SELECT (SELECT min(name) FROM batches WHERE name > found.name) FROM found WHERE name IS NOT NULL
    )
    SELECT name FROM found WHERE name IS NOT NULL
"""


_INSERT = "INSERT INTO batches (name, number, game, plan) VALUES (?, ?, ?, ?)"


class BatchUnknown(SottovoceError):
    """There is no batch of that name."""

    exit_code = 2


class BatchTaken(SottovoceError):
    """There is a batch of that name already."""

    exit_code = 2


class BatchChanged(SottovoceError):
    """Another process has added games to the batch."""


@dataclass(frozen=True, slots=True)
class Batch:
    """A run by its name. Each plan has the id of its game; what a batch shares is the same in all of them.

    `about` says what it belongs to, such as an experiment.
    """

    name: str
    seed: Seed
    on_failure: str
    plans: Sequence[Plan]
    about: Mapping[str, str] = field(default_factory=dict)


def keep(log: EventLog, batch: Batch) -> None:
    """Write the batch down; BatchTaken where there is one of that name, even if another process wrote it just now."""
    rows: list[tuple[object, ...]] = [(batch.name, 0, None, _shared(batch))]
    rows += _rows(batch.name, 1, batch.plans)
    with log.tables(commit=True) as run:
        if not run(f"{_INSERT} ON CONFLICT DO NOTHING RETURNING number", rows[0]):
            raise BatchTaken(
                f"Batch {batch.name!r} already exists. Continue it with sottovoce run --continue "
                f"{shlex.quote(batch.name)}, or choose another name."
            )
        for row in rows[1:]:
            run(_INSERT, row)


def extend(log: EventLog, batch: Batch, plans: Sequence[Plan]) -> None:
    """Add the plans to the games of a batch, which is given as it was read, with what it says of itself from now on.

    Raises BatchChanged if another process has added games since the batch was read.
    """
    whole = replace(batch, plans=[*batch.plans, *plans])
    with log.tables(commit=True) as run:
        ((before,),) = run("SELECT plan FROM batches WHERE name = ? AND number = 0", (batch.name,))
        # The second of two waits here, and finds another text.
        change = "UPDATE batches SET plan = ? WHERE name = ? AND number = 0 AND plan = ? RETURNING number"
        known = json.loads(before)["games"] == len(batch.plans)
        if not known or not run(change, (_shared(whole), batch.name, before)):
            raise BatchChanged(f"Another process has added games to {batch.name!r}. Run the same command again.")
        for row in _rows(batch.name, len(batch.plans) + 1, plans):
            run(_INSERT, row)


def _rows(name: str, number: int, plans: Sequence[Plan]) -> list[tuple[object, ...]]:
    """The rows of games, the first with that number."""
    rows: list[tuple[object, ...]] = []
    for place, plan in enumerate(plans, number):
        own = {"seats": plan.seats, "agents": dict(plan.agents), "seed": msgspec.to_builtins(plan.seed)}
        rows.append((name, place, plan.game, json.dumps(own)))
    return rows


def _shared(batch: Batch) -> str:
    """What the games of a batch share, as its row 0 has it."""
    first = batch.plans[0]
    shared = {
        "ruleset": first.ruleset,
        "options": dict(first.options),
        "files": {path: b64encode(data).decode() for path, data in first.files.items()},
        "seed": msgspec.to_builtins(batch.seed),
        "on_failure": batch.on_failure,
        "games": len(batch.plans),
        **({"limits": asdict(first.limits)} if first.limits.any else {}),
        **({"about": dict(batch.about)} if batch.about else {}),
    }
    return json.dumps(shared)


def names(log: EventLog) -> list[str]:
    """The names of all batches, sorted."""
    with log.tables() as run:
        return [name for (name,) in run(_NAMES)]


def find(log: EventLog, name: str) -> Batch:
    """The batch of that name; BatchUnknown where there is none."""
    with log.tables() as run:
        rows = run("SELECT game, plan FROM batches WHERE name = ? ORDER BY number", (name,))
    if not rows:
        known = names(log)
        listed = f". Choose one of: {', '.join(known[-5:])}" if known else ""
        raise BatchUnknown(f"There is no batch {name!r}{listed}.")
    try:
        shared = json.loads(rows[0][1])
        return _batch(name, shared, rows[1:])
    except (LookupError, TypeError, ValueError):
        raise DamagedLog(
            f"Batch {name!r} is damaged; run: sottovoce db rebuild, and then: sottovoce db check"
        ) from None


def _batch(name: str, shared: Mapping[str, Any], rows: Sequence[tuple[Any, ...]]) -> Batch:
    files = {path: b64decode(data) for path, data in shared["files"].items()}
    plans, limits = [], Limits(**shared.get("limits", {}))
    for game, text in rows:
        own = json.loads(text)
        seats, seed = tuple(own["seats"]), converted(own["seed"], Seed)
        plans.append(Plan(shared["ruleset"], seats, own["agents"], seed, shared["options"], files, game, limits))
    return Batch(name, converted(shared["seed"], Seed), shared["on_failure"], plans, shared.get("about", {}))
