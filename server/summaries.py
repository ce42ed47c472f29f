"""The read model behind `games`, brought up to date from the log when it is read (ADR 0005)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime

from domain.events import GameOpened
from domain.rulesets import RULESETS
from eventlog import EventLog
from eventlog.errors import DamagedLog, LogError
from projections.summary import Summary, summary
from server.tables import Row, fetch, run

_COLUMNS = ("game", "ruleset", "status", "started", "ended", "winner", "position", "data")
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM game_summaries"
_KEEP = (
    f"INSERT INTO game_summaries ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"
    f" ON CONFLICT (game) DO UPDATE SET {', '.join(f'{column} = excluded.{column}' for column in _COLUMNS[1:])}"
)


def summaries(log: EventLog, url: str) -> list[Summary]:
    """Every game in one line, oldest first.

    What the read model lacks is folded from the log and kept for the next time, where the database can be written.
    """
    kept = _kept(url)
    found, fresh = [], {}
    for game in log.games():
        head = log.head(game)
        length = head.length if head else 0
        row = kept.get(game)
        if row is not None and row[1] == length:
            found.append(row[0])
            continue
        recorded = log.read(game)
        if recorded or length:
            opening = recorded[0].event if recorded else None
            if not isinstance(opening, GameOpened):
                raise DamagedLog(f"Events of game {game} are missing; to see which, run: sottovoce audit verify {game}")
            found.append(summary(RULESETS[opening.ruleset], recorded))
            fresh[game] = (found[-1], recorded[-1].position)
    if fresh and url != "memory:":
        with suppress(LogError, OSError):
            _keep(url, fresh)
    return found


def rebuild(log: EventLog, url: str) -> int:
    """Forget the read model and make it anew; the number of games."""
    if url != "memory:":
        run(url, "DELETE FROM game_summaries", [()])
    return len(summaries(log, url))


def _kept(url: str) -> Mapping[str, tuple[Summary, int]]:
    if url == "memory:":
        return {}
    try:
        rows = fetch(url, _SELECT)
    except LogError:
        return {}
    return {row[0]: (_summary(row), row[6]) for row in rows if "fallbacks" in row[7]}


def _summary(row: Row) -> Summary:
    game, ruleset, status, started, ended, winner, _, data = row
    return Summary(
        game=game,
        ruleset=ruleset,
        status=status,
        started=datetime.fromisoformat(started),
        ended=datetime.fromisoformat(ended) if ended else None,
        winner=winner,
        fallbacks=json.loads(data)["fallbacks"],
    )


def _keep(url: str, fresh: Mapping[str, tuple[Summary, int]]) -> None:
    rows = []
    for item, position in fresh.values():
        told = item.to_json()
        rows.append((*(told[column] for column in _COLUMNS[:6]), position, json.dumps({"fallbacks": item.fallbacks})))
    run(url, _KEEP, rows)
