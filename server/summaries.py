"""The list of games, computed from events as they are announced, up to a tracked one (ADR 0026).

Each reader first takes in what was appended since, in transactions that store rows and tracking together. If the log is
read-only, a copy in memory is updated instead.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any

from sottovoce.domain.events import (
    FallbackApplied,
    GameOpened,
    GameVoided,
    HoldLifted,
    HoldPlaced,
    Recorded,
    SeatsFilled,
)
from sottovoce.domain.plugins import PluginBroken, UnknownRuleset
from sottovoce.domain.rulesets import RULESETS
from sottovoce.eventlog import EventLog
from sottovoce.eventlog.errors import AccessDenied, DamagedLog, DiskFailed, DiskFull, LogBusy, ReadOnlyLog
from sottovoce.eventlog.log import Execute
from sottovoce.eventlog.memory import plain_tables
from sottovoce.projections.exports import stamp
from sottovoce.projections.summary import Summary

AT_ONCE = 20_000
"""Notifications followed in one transaction, so that nobody who plays waits for long."""

PERSON = "human"
"""The agent of a seat whose player sits at a terminal."""

_FOLLOWER = "games"
_CORE = tuple(
    kind.stored_name for kind in (GameOpened, SeatsFilled, HoldPlaced, HoldLifted, FallbackApplied, GameVoided)
)
_ROW = ("game", "ruleset", "status", "started", "ended", "winner", "fallbacks", "opened", "finished", "person", "batch")
_SELECT = f"SELECT {', '.join(_ROW)} FROM game_summaries"
_KEEP = (
    f"INSERT INTO game_summaries ({', '.join(_ROW)}) VALUES ({', '.join('?' * len(_ROW))})"
    f" ON CONFLICT (game) DO UPDATE SET {', '.join(f'{column} = excluded.{column}' for column in _ROW[1:])}"
)
_SEAT = "INSERT INTO game_seats (seat, opened, game) VALUES (?, ?, ?) ON CONFLICT (seat, opened) DO NOTHING"
_TRACK = (
    "INSERT INTO tracking (application_name, notification_id) VALUES (?, ?)"
    " ON CONFLICT (application_name) DO UPDATE SET notification_id = excluded.notification_id"
)
# From one batch to the next, past the games of each.
_FIRST = """
    WITH RECURSIVE found (batch) AS (
        SELECT min(batch) FROM game_summaries
        UNION ALL SELECT (SELECT min(batch) FROM game_summaries WHERE batch > found.batch)
        FROM found WHERE batch IS NOT NULL
    )
    SELECT batch, (SELECT min(opened) FROM game_summaries AS one WHERE one.batch = found.batch) AS first
    FROM found WHERE batch IS NOT NULL ORDER BY first DESC
"""
_BATCHED = "SELECT name, number, game FROM batches WHERE number > 0"
_UNWRITABLE = (AccessDenied, ReadOnlyLog, DiskFull, DiskFailed, LogBusy)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which games to list: those for which all holds that is given. Games of batches only with `batch` or `every`."""

    ruleset: str | None = None
    winner: str | None = None
    seat: str | None = None
    batch: str | None = None
    finished: bool | None = None
    person: bool = False
    every: bool = False
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class BatchLine:
    """A batch in one line: its number of games, and how many of the started ones have each status."""

    name: str
    ruleset: str
    games: int
    started: datetime
    counts: dict[str, int]

    def to_json(self) -> dict[str, Any]:
        return {
            "batch": self.name,
            "ruleset": self.ruleset,
            "games": self.games,
            **self.counts,
            "started": stamp(self.started),
        }


@dataclass(frozen=True, slots=True)
class _Line:
    """A row of the list; `seats` only where they are not stored yet."""

    summary: Summary
    opened: int
    person: bool = False
    batch: str | None = None
    seats: tuple[str, ...] = ()

    def row(self) -> tuple[object, ...]:
        one = self.summary
        ended = None if one.ended is None else stamp(one.ended)
        return (
            *(one.game, one.ruleset, one.status, stamp(one.started), ended, one.winner, one.fallbacks),
            *(self.opened, int(ended is not None), int(self.person), self.batch),
        )


def listed(log: EventLog, wanted: Wanted) -> tuple[list[Summary | BatchLine], bool]:
    """The lines of the list, oldest first, and whether there are older ones beyond the limit.

    With nothing asked for in particular each batch is one line, where its first game would stand.
    """
    limit = wanted.limit
    more = wanted if limit is None else replace(wanted, limit=limit + 1)
    with _followed(log) as run:
        found: list[tuple[int, Summary | BatchLine]] = [*_games(run, more)]
        if wanted == Wanted(limit=limit):
            found = sorted([*found, *_batches(run, more.limit)], key=lambda line: line[0])
    kept = found if limit is None else found[max(0, len(found) - limit) :]
    return [line for _, line in kept], len(kept) < len(found)


class NoSuchGame(LookupError):
    """The list has no such game."""


def newest(
    log: EventLog,
    *,
    status: str | None = None,
    ruleset: str | None = None,
    search: str | None = None,
    before: str | None = None,
    limit: int,
) -> list[Summary]:
    """Return up to `limit` games, newest first, including those of batches: with that status and ruleset, opened before
    that game.

    `search` is a game's id or a seat's name. Raises NoSuchGame if `before` does not exist.
    """
    clauses, values = ["1 = 1"], list[object]()
    with _followed(log) as run:
        if before is not None:
            opened = run("SELECT opened FROM game_summaries WHERE game = ?", (before,))
            if not opened:
                raise NoSuchGame(before)
            clauses.append("opened < ?")
            values.append(opened[0][0])
        for column, value in (("status", status), ("ruleset", ruleset)):
            if value is not None:
                clauses.append(f"{column} = ?")
                values.append(value)
        if search is not None:
            clauses.append("(game = ? OR game IN (SELECT game FROM game_seats WHERE seat = ?))")
            values += [search, search]
        rows = run(f"{_SELECT} WHERE {' AND '.join(clauses)} ORDER BY opened DESC LIMIT {limit}", values)
    return [_summary(row) for row in rows]


def unfinished(log: EventLog) -> tuple[list[str], int]:
    """The games that are not over, newest first, as of which notification."""
    with _followed(log) as run:
        found = run("SELECT game FROM game_summaries WHERE finished = 0 ORDER BY opened DESC")
        return [game for (game,) in found], _tracked(run)


def rebuild(log: EventLog) -> int:
    """Forget the list and compute it again. Returns the number of games."""
    with log.tables(commit=True) as run:
        for table in ("game_summaries", "game_seats", "tracking"):
            run(f"DELETE FROM {table}")
    with _followed(log) as run:
        count: int = run("SELECT count(*) FROM game_summaries")[0][0]
    return count


def findings(log: EventLog) -> list[str]:
    """Where the list of games says something else than the events, each in one line."""
    tracked, told = _told(log)
    upto = max((id_ for name, id_ in tracked if name == _FOLLOWER), default=0)
    found = [f"There is a tracking of {name!r}, which nothing uses" for name, _ in tracked if name != _FOLLOWER]
    if upto > log.newest():
        found.append("The list of games takes in events that are not there")
    with _copied(log, batches_alone=True) as run:
        while _follow(log, run, upto):
            pass
        meant = _lines(run)
    for game in dict.fromkeys([*meant, *told]):
        if told.get(game) != meant.get(game):
            found.append(f"The list of games is not as the events have it for game {game}")
    return [f"{line}; run: sottovoce db rebuild" for line in found]


def _told(log: EventLog) -> tuple[list[tuple[str, int]], dict[str, Any]]:
    """What is tracked, and the list as it stands up to there, read again where it was followed in between."""
    while True:
        with log.tables() as run:
            tracked, told = _tracking(run), _lines(run)
        with log.tables() as run:
            if _tracking(run) == tracked:
                return tracked, told


def _tracking(run: Execute) -> list[tuple[str, int]]:
    rows = run("SELECT application_name, notification_id FROM tracking ORDER BY application_name")
    return [(name, id_) for name, id_ in rows]


def _lines(run: Execute) -> dict[str, Any]:
    """Each game of the list with all that the list says of it: its line, and its seats with when it was opened."""
    seats: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for seat, opened, game in run("SELECT seat, opened, game FROM game_seats ORDER BY opened, seat"):
        seats[game].append((seat, opened))
    lines = {row[0]: tuple(row) for row in run(_SELECT)}
    return {game: (lines.get(game), seats.get(game)) for game in dict.fromkeys([*lines, *seats])}


@contextmanager
def _followed(log: EventLog) -> Iterator[Execute]:
    """The tables to read, with all that the log holds at this moment."""
    newest = log.newest()
    with log.tables() as run:
        behind = _tracked(run) < newest
    try:
        while behind:
            with log.tables(commit=True) as run:
                behind = _follow(log, run, newest)
    except _UNWRITABLE:
        with _copied(log) as run:
            while _follow(log, run, newest):
                pass
            yield run
    else:
        with log.tables() as run:
            yield run


@contextmanager
def _copied(log: EventLog, *, batches_alone: bool = False) -> Iterator[Execute]:
    """The tables as they are, in memory."""
    with log.tables() as run:
        copied = [("INSERT INTO batches (name, number, game, plan) VALUES (?, ?, ?, '')", run(_BATCHED))]
        if not batches_alone:
            copied.append((_KEEP, run(_SELECT)))
            copied.append((_SEAT, run("SELECT seat, opened, game FROM game_seats")))
            copied.append((_TRACK, [(_FOLLOWER, _tracked(run))]))
    with closing(plain_tables()) as memory:
        for statement, rows in copied:
            memory.executemany(statement, rows)
        yield lambda statement, values=(): memory.execute(statement, values).fetchall()


def _follow(log: EventLog, run: Execute, upto: int) -> bool:
    """Take in the notifications that come next, at most so many; whether there are more up to that one."""
    after = _tracked(run)
    found = log.notifications(after, _CORE, upto, AT_ONCE)
    last = found[-1][0] if len(found) == AT_ONCE else upto
    rulesets = {ruleset for (ruleset,) in run("SELECT DISTINCT ruleset FROM game_summaries WHERE finished = 0")}
    rulesets |= {event.event.ruleset for _, event in found if isinstance(event.event, GameOpened)}
    if closing_names := [name for ruleset in rulesets for name in _closing(ruleset)]:
        found = sorted([*found, *log.notifications(after, closing_names, last)], key=lambda one: one[0])
    known: dict[str, _Line] = {}
    for id_, recorded in found:
        known[recorded.game] = _taken(run, known.get(recorded.game), id_, recorded)
    for line in known.values():
        run(_KEEP, line.row())
        for seat in line.seats:
            run(_SEAT, (seat, line.opened, line.summary.game))
    run(_TRACK, (_FOLLOWER, last))
    return last < upto


def _taken(run: Execute, line: _Line | None, id_: int, recorded: Recorded) -> _Line:
    """The line of a game with one more event; DamagedLog where its opening is missing."""
    event = recorded.event
    if line is None:
        stored = run(f"{_SELECT} WHERE game = ?", (recorded.game,))
        if stored:
            line = _Line(_summary(stored[0]), stored[0][7], bool(stored[0][9]), stored[0][10])
    if isinstance(event, GameOpened):
        batch = run("SELECT name FROM batches WHERE game = ?", (recorded.game,))
        return _Line(Summary.of(recorded), id_, batch=batch[0][0] if batch else None, seats=event.seats)
    if line is None:
        game = recorded.game
        raise DamagedLog(f"Events of game {game} are missing; to see which, run: sottovoce audit verify {game}")
    if isinstance(event, SeatsFilled):
        return replace(line, person=line.person or PERSON in event.agents.values())
    return replace(line, summary=line.summary.after(recorded))


@cache
def _closing(ruleset: str) -> tuple[str, ...]:
    """The stored names of the events that end a game: a fold is total, so an example of each tells.

    None are known of a ruleset that no package gives here, or that cannot be loaded: its games are left as they are.
    """
    try:
        rules = RULESETS[ruleset]
    except (UnknownRuleset, PluginBroken):
        return ()
    return tuple(kind.stored_name for kind in rules.events if rules.evolve(rules.initial, kind.sample()).over)


def _tracked(run: Execute) -> int:
    found = run("SELECT notification_id FROM tracking WHERE application_name = ?", (_FOLLOWER,))
    return found[0][0] if found else 0


def _games(run: Execute, wanted: Wanted) -> list[tuple[int, Summary]]:
    """The newest games that are wanted, oldest first, each with the id of its opening."""
    table = "game_summaries AS one"
    clauses: list[str] = []
    values: list[object] = []
    if wanted.seat is not None:
        table = "game_seats AS seated JOIN game_summaries AS one ON one.game = seated.game"
        clauses, values = ["seated.seat = ?"], [wanted.seat]
    for column, value in (
        ("ruleset", wanted.ruleset),
        ("winner", wanted.winner),
        ("batch", wanted.batch),
        ("finished", None if wanted.finished is None else int(wanted.finished)),
        ("person", 1 if wanted.person else None),
    ):
        if value is not None:
            clauses.append(f"one.{column} = ?")
            values.append(value)
    if wanted.batch is None and not wanted.every:
        clauses.append("one.batch IS NULL")
    columns = ", ".join(f"one.{column}" for column in _ROW)
    where = f" WHERE {' AND '.join(clauses)}" if clauses else ""
    order = "seated.opened" if wanted.seat is not None else "one.opened"
    statement = f"SELECT {columns} FROM {table}{where} ORDER BY {order} DESC"
    if wanted.limit is not None:
        statement += f" LIMIT {wanted.limit}"
    return [(row[7], _summary(row)) for row in reversed(run(statement, values))]


def _batches(run: Execute, limit: int | None) -> list[tuple[int, BatchLine]]:
    """The newest batches, each with the id of its first game's opening."""
    found = []
    for name, first in run(_FIRST if limit is None else f"{_FIRST} LIMIT {limit}"):
        ((ruleset, started),) = run("SELECT ruleset, started FROM game_summaries WHERE opened = ?", (first,))
        ((games,),) = run("SELECT max(number) FROM batches WHERE name = ?", (name,))
        counted = "SELECT status, count(*) FROM game_summaries WHERE batch = ? GROUP BY status"
        counts = {**dict.fromkeys(("open", "held", "over", "void"), 0), **dict(run(counted, (name,)))}
        found.append((first, BatchLine(name, ruleset, games, datetime.fromisoformat(started), counts)))
    return found


def _summary(row: Sequence[Any]) -> Summary:
    game, ruleset, status, started, ended, winner, fallbacks = row[:7]
    return Summary(
        game=game,
        ruleset=ruleset,
        status=status,
        started=datetime.fromisoformat(started),
        ended=datetime.fromisoformat(ended) if ended else None,
        winner=winner,
        fallbacks=fallbacks,
    )
