"""The rows of batches: whether each can be read, and says of its game what the game's events say.

What a batch is to play was asked for by somebody and follows from no event. But a game that was opened says who plays
it and from which seed, and the seed of each game follows from the batch's. So a row that is lost or changed is made
again once its game was opened. Of a game that was not opened, nothing else tells.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from sottovoce.domain.draws import Seed
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.events import GameOpened, SeatsFilled
from sottovoce.domain.typed import converted
from sottovoce.eventlog import EventLog

_ROWS = "SELECT name, number, game, plan FROM batches ORDER BY name, number"
_KEEP = (
    "INSERT INTO batches (name, number, game, plan) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (name, number) DO UPDATE SET game = excluded.game, plan = excluded.plan"
)


class _Plan(NamedTuple):
    """Who plays a game, and what it is drawn from."""

    seats: tuple[str, ...]
    agents: dict[str, str]
    seed: Seed

    def says(self, other: _Plan) -> bool:
        """Whether the other is a plan of the same game."""
        return (self.seats, self.agents, self.seed.secret) == (other.seats, other.agents, other.seed.secret)

    def text(self) -> str:
        return json.dumps({"seats": self.seats, "agents": self.agents, "seed": msgspec.to_builtins(self.seed)})


@dataclass(frozen=True, slots=True)
class _Row:
    game: str | None
    plan: _Plan | None


@dataclass(frozen=True, slots=True)
class _Batch:
    """A batch by its rows. `seed` is None where what its games share cannot be read."""

    name: str
    seed: Seed | None
    games: int
    rows: Mapping[int, _Row]


class _Fault(NamedTuple):
    """What is wrong with one row of a batch, and the game and plan that belong there, if anything tells."""

    batch: str
    number: int
    what: str
    game: str | None = None
    plan: _Plan | None = None


def findings(log: EventLog) -> list[str]:
    """What is wrong with the rows of batches, each in one line."""
    batches = _batches(log)
    lost = [
        f"Batch {batch.name!r} has lost the settings its games share. The games are still there: continue "
        "each one with `sottovoce resume`"
        for batch in batches
        if batch.seed is None
    ]
    return lost + [
        f"Batch {fault.batch!r}: {fault.what}"
        + ("; run: sottovoce db rebuild" if fault.plan is not None else "; the old value can't be recovered")
        for fault in _faults(log, batches)
    ]


def rebuild(log: EventLog) -> int:
    """Make the rows again that are lost or wrong, as far as games that were opened tell; how many."""
    faults = [fault for fault in _faults(log, _batches(log)) if fault.plan is not None]
    if faults:
        with log.tables(commit=True) as run:
            for fault in faults:
                assert fault.plan is not None
                run(_KEEP, (fault.batch, fault.number, fault.game, fault.plan.text()))
    return len(faults)


def _batches(log: EventLog) -> list[_Batch]:
    rows: dict[str, dict[int, tuple[str | None, Any]]] = defaultdict(dict)
    with log.tables() as run:
        for name, number, game, text in run(_ROWS):
            rows[name][number] = game, _parsed(text)
    return [_batch(name, found) for name, found in rows.items()]


def _batch(name: str, found: dict[int, tuple[str | None, Any]]) -> _Batch:
    _, shared = found.pop(0, (None, None))
    rows = {number: _Row(game, _plan(given)) for number, (game, given) in found.items()}
    most = max(rows, default=0)
    try:
        return _Batch(name, converted(shared["seed"], Seed), int(shared.get("games", most)), rows)
    except (LookupError, TypeError, ValueError, AttributeError):
        return _Batch(name, None, most, rows)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def _plan(given: Any) -> _Plan | None:
    try:
        return converted([given[key] for key in _Plan._fields], _Plan)
    except (LookupError, TypeError, ValueError):
        return None


def _faults(log: EventLog, batches: list[_Batch]) -> Iterator[_Fault]:
    batches = [batch for batch in batches if batch.seed is not None]
    if not batches:
        return
    known = {row.game for batch in batches for row in batch.rows.values()}
    strays: dict[str, list[str]] = defaultdict(list)
    for _, item in log.notifications(0, (SeatsFilled.stored_name,)):
        if isinstance(item.event, SeatsFilled) and item.event.seed is not None and item.game not in known:
            strays[item.event.seed.secret].append(item.game)
    for batch in batches:
        for number in range(1, max(batch.games, *batch.rows, 0) + 1):
            fault = _fault(log, batch, number, strays)
            if fault is not None:
                yield fault


def _fault(log: EventLog, batch: _Batch, number: int, strays: Mapping[str, list[str]]) -> _Fault | None:
    row = batch.rows.get(number, _Row(None, None))
    if number > batch.games:
        return _Fault(batch.name, number, f"it has {batch.games} games, but also a row for game {number}")
    opened = None if row.game is None else _opened(log, row.game)
    if opened is not None:
        if row.plan is not None and row.plan.says(opened):
            return None
        what = f"the row of game {number} differs from what {row.game} was opened with"
        return _Fault(batch.name, number, what, row.game, opened)
    assert batch.seed is not None
    seed = batch.seed.numbered(number - 1) if row.plan is None else row.plan.seed
    games = strays.get(seed.secret, [])
    if not games and row.game is not None and row.plan is not None:
        return None
    what = f"the row of game {number} is lost or wrong"
    if len(games) != 1 or (opened := _opened(log, games[0])) is None:
        return _Fault(batch.name, number, what)
    return _Fault(batch.name, number, what, games[0], opened)


def _opened(log: EventLog, game: str) -> _Plan | None:
    """The plan that a game was opened by; None where it was not, or cannot be read."""
    try:
        match [item.event for item in log.read(game, 0, 2)]:
            case [GameOpened(seats=seats), SeatsFilled(agents=agents, seed=Seed() as seed)]:
                return _Plan(seats, agents, seed)
    except SottovoceError:  # `audit verify` says what is wrong with it
        pass
    return None
