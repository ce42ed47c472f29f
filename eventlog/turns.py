"""Open turns: what the events say about them, and whether the table agrees.

The events are the truth. Workers read the table, and `mended` rebuilds it from the events. Only the table contains
leases; they are checked against what a lease can be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from itertools import groupby
from operator import attrgetter
from typing import Any, Final, NamedTuple

from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.events import AttemptFailed, FallbackApplied, ReplyAccepted, TurnOpened, TurnWithdrawn
from sottovoce.eventlog.decoding import TURN
from sottovoce.eventlog.envelope import from_micros, to_micros
from sottovoce.eventlog.leases import longest_lease
from sottovoce.eventlog.log import Execute, StoredTurn
from sottovoce.eventlog.registry import Registry

AT_ONCE: Final = 20_000
"""How many events to read at once."""

_KINDS = (TurnOpened, AttemptFailed, ReplyAccepted, FallbackApplied, TurnWithdrawn)
_REBUILD = "; run: sottovoce db rebuild"
_TURNS = f"SELECT {TURN} FROM turns ORDER BY game, id"
_EPOCHS = 2**53

Key = tuple[str, int]
"""A turn of a game: seat and number."""


class Open(NamedTuple):
    """A turn that is open according to the events: its current attempt, when it was opened, when that attempt began.

    Times are in microseconds since 1970 in UTC. `seconds` limits each attempt; None means no limit.
    """

    attempt: int
    opened: int
    since: int
    seconds: float | None

    def expires(self, since: int) -> int | None:
        """Return when an attempt that began then times out, or None if never or beyond the last possible date."""
        try:
            return None if self.seconds is None else to_micros(from_micros(since) + timedelta(seconds=self.seconds))
        except OverflowError:
            return None


class Game(NamedTuple):
    """A game according to its events: its open turns, its length, and its creation time from its head."""

    turns: dict[Key, Open]
    length: int
    created: int


def take(turns: dict[Key, Open], event: object, at: int) -> None:
    """Apply an event, appended at that time, to the open turns of its game."""
    if not isinstance(event, _KINDS):
        return
    key = event.seat, event.turn
    if isinstance(event, TurnOpened):
        turns[key] = Open(1, at, at, event.seconds)
    elif not isinstance(event, AttemptFailed):
        turns.pop(key, None)
    elif key in turns:
        turns[key] = turns[key]._replace(attempt=event.attempt + 1, since=at)


def contradictions(game: Game, held: Iterable[StoredTurn], now: datetime) -> Iterator[str]:
    """Return where the table's rows of a game differ from its events, and impossible leases."""
    rows = {(row.seat, row.turn): row for row in held}
    for seat, turn in sorted({*game.turns, *rows}):
        one, row, name = game.turns.get((seat, turn)), rows.get((seat, turn)), f"turn {turn} of {seat}"
        if row is None:
            yield f"{name} is open and has no row{_REBUILD}"
        elif one is None:
            yield f"{name} has a row and is not open{_REBUILD}"
        elif wrong := [column for column, fit in _allowed(one, game).items() if getattr(row, column) not in fit]:
            yield f"{name} differs from its events ({', '.join(wrong)}){_REBUILD}"
        elif fault := _fault(row, to_micros(now)):
            yield f"the lease on {name} {fault}{_REBUILD}"


def _allowed(turn: Open, game: Game) -> dict[str, set[int | None]]:
    """Return the values that a turn's row can have. Turns of an imported or forked game begin with the game."""
    return {
        "attempt": {turn.attempt},
        "opened_at": {turn.opened, game.created},
        "expires": {turn.expires(turn.since), turn.expires(game.created)},
    }


def _fault(row: StoredTurn, now: int) -> str | None:
    """Return what is wrong with a lease, or with the number of leases so far."""
    if not 0 <= row.epoch < _EPOCHS:
        return f"cannot be the {row.epoch}th"
    if (row.worker is None) != (row.leased_until is None):
        return "has no holder" if row.worker is None else "has no end"
    if row.worker is None or row.leased_until is None:
        return None
    longest = longest_lease(row.worker)
    return f"lasts longer than {longest}" if row.leased_until > now + longest // timedelta(microseconds=1) else None


def findings(run: Execute, registry: Registry, now: datetime) -> list[str]:
    """Return the contradictions of all games, one line each. `run` reads one state of the database."""
    return [
        f"Game {game}: {what}"
        for game, (said, held) in _all(run, registry).items()
        for what in contradictions(said, held, now)
    ]


def mended(run: Execute, registry: Registry, now: datetime) -> int:
    """Rebuild the rows of all games from the events, in the caller's transaction. Return how many games differed.

    The caller must keep others from appending and leasing meanwhile.
    """
    count = 0
    for game, (said, held) in _all(run, registry).items():
        if not any(contradictions(said, held, now)):
            continue
        count += 1
        rows = {(row.seat, row.turn): row for row in held}
        for key, row in rows.items():
            if key not in said.turns:
                run("DELETE FROM turns WHERE game = ? AND seat = ? AND turn = ?", row[:3])
        for (seat, number), turn in said.turns.items():
            _mend(run, game, seat, number, turn, said, rows.get((seat, number)), to_micros(now))
    return count


def _mend(
    run: Execute, game: str, seat: str, number: int, turn: Open, said: Game, row: StoredTurn | None, now: int
) -> None:
    # The leases of a lost row are unknown. Its next one gets a number above any that a worker may still use.
    fresh = StoredTurn(game, seat, number, turn.attempt, turn.opened, turn.expires(turn.since), None, said.length, None)
    if row is None:
        run(f"INSERT INTO turns ({TURN}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", fresh)
        return
    allowed = _allowed(turn, said)
    kept = {column: getattr(row, column) for column in allowed if getattr(row, column) in allowed[column]}
    if not _fault(row, now):
        kept |= {"worker": row.worker, "epoch": row.epoch, "leased_until": row.leased_until}
    fresh = fresh._replace(**kept)
    if fresh != row:
        run(
            "UPDATE turns SET attempt = ?, opened_at = ?, expires = ?, worker = ?, epoch = ?, leased_until = ?"
            " WHERE game = ? AND seat = ? AND turn = ?",
            (*fresh[3:], *row[:3]),
        )


def _all(run: Execute, registry: Registry) -> dict[str, tuple[Game, list[StoredTurn]]]:
    """Yield each game that has open turns, in its events or in the table, with those rows. Skip unreadable games."""
    heads = {game: (length, created) for game, length, created in run("SELECT game, length, created FROM heads")}
    said = _said(run, registry)
    rows = [StoredTurn._make(row) for row in run(_TURNS)]
    held = {game: list(found) for game, found in groupby(rows, attrgetter("game"))}
    games = sorted({*(game for game, turns in said.items() if turns), *held})
    return {
        game: (Game(turns, *heads.get(game, (0, 0))), held.get(game, []))
        for game in games
        if (turns := said.get(game, {})) is not None
    }


def _said(run: Execute, registry: Registry) -> dict[str, dict[Key, Open] | None]:
    """Return the open turns of each game that had any, according to its events, or None if they are unreadable."""
    names = registry.stored_names(*_KINDS)
    among = f"name IN ({', '.join('?' * len(names))})"
    statement = f"SELECT id, game, name, at, body FROM events WHERE id > ? AND {among} ORDER BY id LIMIT {AT_ONCE}"
    found: dict[str, dict[Key, Open] | None] = {}
    last: Any = 0
    while rows := run(statement, (last, *names)):
        for id_, game, name, at, body in rows:
            last = id_
            turns = found.setdefault(game, {})
            try:
                if turns is not None:
                    take(turns, registry.decode(name, body), at)
            except (SottovoceError, TypeError):  # `audit verify` reports what is wrong with it
                found[game] = None
    return found


__all__ = ["Game", "Key", "Open", "contradictions", "findings", "mended", "take"]
