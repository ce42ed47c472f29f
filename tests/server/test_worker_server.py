"""Workers whose PostgreSQL is killed and started again, is gone for long, or is replaced by its standby."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

import documented
import psycopg
import pytest
import working
import yaml
from durability.checks import state_of
from durability.processes import REPO, sottovoce
from heads import head_of
from patience import PATIENCE
from postgres import NoPostgres, Server, Standby, as_role, database, on
from sizes import sized
from working import log_at, open_games, sound, until

from sottovoce import eventlog
from sottovoce.eventlog.errors import LogError
from sottovoce.eventlog.postgres.log import PostgresLog
from sottovoce.eventlog.postgres.sessions import Address
from sottovoce.eventlog.registry import default_registry

KILLS = sized(1, 8)
GAMES = sized(6, 40)


@pytest.fixture
def server() -> Iterator[Any]:
    try:
        found = Server({"wal_level": "replica", "max_wal_senders": "4"})
    except NoPostgres as missing:
        pytest.skip(str(missing))
    try:
        on(found.url, "CREATE DATABASE games TEMPLATE template0")
        eventlog.upgrade(database(found.url, "games"))
        yield found
    finally:
        found.stop()


def decided(url: str) -> int:
    """How many events there are, asked past the log."""
    return int(str(on(url, "SELECT count(*) FROM events")[0][0]))


def unfinished(url: str) -> int:
    return int(str(on(url, "SELECT count(DISTINCT game) FROM turns")[0][0]))


def test_workers_go_on_when_their_server_was_killed_and_started_again(server: Any, tmp_path: Path) -> None:
    url = database(server.url, "games")
    with working.working(url, tmp_path) as crew:
        workers = [crew.start(), crew.start()]
        crew.ready(workers)
        with log_at(url) as log:
            open_games(log, GAMES)
        for _ in range(KILLS):
            before = decided(url)
            until(lambda: decided(url) > before + 100 or not unfinished(url))  # noqa: B023
            server.kill()
            time.sleep(0.3)
            server.start()
        until(lambda: not unfinished(url))
        with log_at(url) as log:
            assert sound(log) == GAMES
        assert all(crew.stop(worker).startswith("Stopped. This worker finished ") for worker in workers)


def test_a_worker_whose_server_is_gone_can_be_stopped(server: Any, tmp_path: Path) -> None:
    url = database(server.url, "games")
    with working.working(url, tmp_path) as crew:
        worker = crew.start()
        crew.ready([worker])
        with log_at(url) as log:
            open_games(log, 2, {"narrator": "outside"})
        # It asks something of the log when the server goes: else it may well end without it.
        with suppress(psycopg.OperationalError), psycopg.connect(url) as connection:
            connection.execute("LOCK TABLE turns IN ACCESS EXCLUSIVE MODE")
            until(lambda: on(url, "SELECT 1 FROM pg_locks WHERE NOT granted"))
            server.kill()
        before = time.monotonic()
        worker.process.terminate()
        code, _, _ = worker.end()
        assert time.monotonic() - before < PATIENCE
        assert code == 1
        *before_the_end, last = crew.said(worker)[1:]
        assert last == "sottovoce: the database does not answer. Turns claimed here are released automatically."
        # Where the server went away under the worker's first look, it has said so before.
        assert all(line.startswith("sottovoce: postgresql:///games can't be reached (") for line in before_the_end)
        assert len(before_the_end) <= 1


def test_a_standby_takes_over_in_mid_game_and_nothing_acknowledged_is_lost(server: Any, tmp_path: Path) -> None:
    """Replication is synchronous, and the workers know both addresses: libpq finds the one that can be written."""
    standby = Standby(server, {"hot_standby": "on"})
    try:
        on(server.url, "ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
        until(lambda: on(server.url, "SELECT sync_state FROM pg_stat_replication") == [("sync",)])
        folders = ",".join(quote(str(one.folder), safe="") for one in (server, standby))
        url = f"postgresql://postgres@/games?host={folders}&target_session_attrs=read-write"
        primary, successor = (database(one.url, "games") for one in (server, standby))
        with working.working(url, tmp_path) as crew:
            workers = [crew.start(), crew.start()]
            crew.ready(workers)
            with log_at(primary) as log:
                games = open_games(log, GAMES)
            until(lambda: decided(primary) > 300)
            acknowledged = ThreadPoolExecutor(1)
            seen = acknowledged.submit(read_until_it_ends, primary)
            time.sleep(0.1)
            server.kill()
            standby.promote()
            until(lambda: not unfinished(successor))
            with log_at(url) as after:
                assert sound(after) == GAMES
                hashes = {(item.game, item.position): item.hash for game in games for item in after.read(game)}
            known = seen.result()
            acknowledged.shutdown()
            assert len(known) > 100
            assert known.items() <= hashes.items()
            assert all(crew.stop(worker).startswith("Stopped. This worker finished ") for worker in workers)
    finally:
        standby.stop()


def roles() -> Any:
    """The statements that make the roles in `compose.yaml`, with passwords."""
    script = yaml.safe_load((REPO / "compose.yaml").read_text())["configs"]["roles"]["content"]
    sql = script.partition("<<'SQL'\n")[2].partition("\nSQL")[0]
    return sql.replace(":'owner'", "'one'").replace(":'app'", "'two'").split(";")


def test_a_backup_restores_whole_and_its_games_go_on_and_a_later_head_tells_what_it_lacks(
    server: Any, tmp_path: Path
) -> None:
    """By the commands in `docs/running.md`, with the roles of `compose.yaml`: a worker plays as `app`."""
    on(server.url, "DROP DATABASE games", "CREATE DATABASE games TEMPLATE template0 ENCODING 'UTF8'")
    super_url = database(server.url, "games")
    on(super_url, *(statement for statement in roles() if statement.strip()))
    owner, app = as_role(super_url, "owner", "one"), as_role(super_url, "app", "two")
    assert sottovoce("--db", owner, "db", "upgrade", "--app-role", "app")[0] == 0
    assert sottovoce("--db", app, "db", "check")[:2] == (0, "No problems found.\n")
    variables = {"OWNER": owner, "APP": app, "ADMIN": server.url, "LOG": app}

    def carry_out(name: str) -> str:
        done = documented.run(documented.blocks("running.md")[name], tmp_path, server.programs, **variables)
        assert done.returncode == 0, (done.stdout, done.stderr)
        return done.stdout

    with working.working(app, tmp_path) as crew, log_at(app) as log:
        open_games(log, 1)
        worker = crew.start()
        until(lambda: not unfinished(super_url))
        (whole,) = log.games()
        (later,) = set(open_games(log, 1, {"Ada": "outside"}))
        until(lambda: {due.seat for due in log.due(later)} == {"Ada"})
        crew.stop(worker)
        earlier = head_of(log, later)
        (going_on,) = open_games(log, 1, max_days=1)
        carry_out("postgres backup")
        text = tmp_path / "text"
        text.write_text("I do not know.")
        turn = str(log.due(later)[0].turn)
        sottovoce("--db", app, "send", later, "--as", "Ada", "--turn", turn, str(text))
        until(lambda: head_of(log, later).length > earlier.length)
        head = head_of(log, later)
    on(server.url, "DROP DATABASE games WITH (FORCE)")
    told = carry_out("postgres restore")
    assert "No problems found." in told
    assert "3 games verified." in told
    carry_out("resume")
    with log_at(app) as log:
        assert state_of(log.read(whole)).over
        assert state_of(log.read(going_on)).over
    for known, code in ((earlier, 0), (head, 1)):
        given = f"{known.length}:{known.hash.hex()}"
        assert sottovoce("--db", app, "audit", "verify", later, "--head", given)[0] == code
    assert sottovoce("--db", app, "audit", "verify", whole)[0] == 0


def read_until_it_ends(url: str) -> Any:
    """The hashes of all events that the log gave before the server was gone.

    It gives nothing before the standby has it, so whatever was read must be there afterwards.
    """
    log, known = PostgresLog(Address(url), default_registry(), patience=0.0), {}
    try:
        while True:
            for game in log.games():
                for item in log.read(game):
                    known[game, item.position] = item.hash
    except LogError:
        return known
    finally:
        log.close()
