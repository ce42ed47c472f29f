"""Backup and restore on SQLite by the commands in `docs/running.md`. On PostgreSQL: `test_worker_server.py`."""

import asyncio
import shutil
from contextlib import closing
from pathlib import Path

import documented
import pytest
from commands import Cli
from playing import opened, play

from sottovoce.eventlog import open_log
from sottovoce.server.games import Games

BLOCKS = documented.blocks("running.md")


def carry_out(name: str, folder: Path, **variables: str) -> str:
    done = documented.run(BLOCKS[name], folder, None, **variables)
    assert done.returncode == 0, (done.stdout, done.stderr)
    return done.stdout


@pytest.mark.skipif(shutil.which("sqlite3") is None, reason="there is no sqlite3 command here")
def test_a_backup_on_sqlite_restores_whole_and_its_games_go_on(tmp_path: Path) -> None:
    sv = Cli(tmp_path / "games.db")
    with closing(open_log(sv.url)) as log, closing(Games(log)) as games:

        async def begin() -> tuple[str, str]:
            over = await play(games, await opened(games, max_days=1))
            return over.id, (await opened(games, seed=2, max_days=1)).id

        over, later = asyncio.run(begin())
        # Others have the log open, and append once the backup is made.
        carry_out("sqlite backup", tmp_path)
        before = log.head(later)
        asyncio.run(play(games, games.load(later)))
        after = log.head(later)
    assert before is not None
    assert before != after
    sv.path.write_bytes(b"\x00" * 4096)

    told = carry_out("sqlite restore", tmp_path)
    assert "No problems found." in told
    assert "2 games verified." in told
    assert not (sv.path.stat().st_mode & 0o077)
    assert sv("audit", "verify", later, "--head", str(before)).code == 0
    said = sv("audit", "verify", later, "--head", str(after))
    assert said.code == 1
    assert "is missing" in said.out
    carry_out("resume", tmp_path, LOG=sv.url)
    assert sv("show", later, "--json").json["status"] == "over"
    assert sv("show", over, "--json").json["status"] == "over"
    assert sv("audit", "verify").code == sv("db", "check").code == 0
