"""The read model behind `games`, brought up to date from the log when it is read (ADR 0005)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, delete, select
from sqlalchemy.dialects.sqlite import insert
from sqlalchemy.engine import Engine
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import NullPool

from domain.events import GameOpened
from domain.rulesets import RULESETS
from eventlog import EventLog
from eventlog.errors import DamagedLog, LogError
from eventlog.locking import WriteLock
from eventlog.schema import game_summaries
from projections.summary import Summary, summary

LOCK_SECONDS = 5.0


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
    if fresh:
        with suppress(SQLAlchemyError, LogError, OSError):
            _keep(url, fresh)
    return found


def rebuild(log: EventLog, url: str) -> int:
    """Forget the read model and make it anew; the number of games."""
    if (engine := _engine(url)) is not None:
        with WriteLock(_path(url), LOCK_SECONDS), engine.begin() as connection:
            connection.execute(delete(game_summaries))
    return len(summaries(log, url))


def _path(url: str) -> Path:
    return Path(url.removeprefix("sqlite:///")).expanduser().absolute()


def _engine(url: str) -> Engine | None:
    if not url.startswith("sqlite:///"):
        return None
    return create_engine(f"sqlite:///{_path(url)}", poolclass=NullPool)


def _kept(url: str) -> Mapping[str, tuple[Summary, int]]:
    engine = _engine(url)
    if engine is None:
        return {}
    try:
        with engine.connect() as connection:
            rows = connection.execute(select(game_summaries)).mappings().all()
    except SQLAlchemyError:
        return {}
    return {row["game"]: (_summary(row), row["position"]) for row in rows}


def _summary(row: Mapping[Any, Any]) -> Summary:
    return Summary(
        game=row["game"],
        ruleset=row["ruleset"],
        status=row["status"],
        started=datetime.fromisoformat(row["started"]),
        ended=datetime.fromisoformat(row["ended"]) if row["ended"] else None,
        winner=row["winner"],
    )


def _keep(url: str, fresh: Mapping[str, tuple[Summary, int]]) -> None:
    engine = _engine(url)
    if engine is None:
        return
    rows: Sequence[dict[str, Any]] = [
        {**item.to_json(), "position": position, "data": json.dumps({})} for item, position in fresh.values()
    ]
    statement = insert(game_summaries)
    statement = statement.on_conflict_do_update(
        index_elements=["game"],
        set_={column.name: statement.excluded[column.name] for column in game_summaries.columns},
    )
    with WriteLock(_path(url), LOCK_SECONDS), engine.begin() as connection:
        connection.execute(statement, rows)
