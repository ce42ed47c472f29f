"""Workers whose PostgreSQL is killed and started again, is gone for long, or is replaced by its standby."""

import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import psycopg
import pytest
import working
from postgres import NoPostgres, Server, Standby, database, on
from sizes import sized
from working import log_at, open_games, sound, until

import eventlog

KILLS = sized(1, 8)
GAMES = sized(6, 40)


@pytest.fixture
def server():
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


def decided(url):
    """How many events there are, asked past the log."""
    return int(on(url, "SELECT count(*) FROM events")[0][0])


def unfinished(url):
    return int(on(url, "SELECT count(DISTINCT game) FROM turns")[0][0])


def test_workers_go_on_when_their_server_was_killed_and_started_again(server, tmp_path):
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
        assert all(crew.stop(worker).startswith("Stopped after ") for worker in workers)


def test_a_worker_whose_server_is_gone_can_be_stopped(server, tmp_path):
    url = database(server.url, "games")
    with working.working(url, tmp_path) as crew:
        worker = crew.start()
        crew.ready([worker])
        with log_at(url) as log:
            open_games(log, 2, {"narrator": "outside"})
        server.kill()
        time.sleep(2)
        before = time.monotonic()
        worker.process.terminate()
        code, _, _ = worker.end()
        assert time.monotonic() - before < 15
        assert code == 1
        assert crew.said(worker)[1:] == ["sottovoce: the log does not answer; what was leased here lapses by itself."]


def test_a_standby_takes_over_in_mid_game_and_nothing_acknowledged_is_lost(server, tmp_path):
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
            assert all(crew.stop(worker).startswith("Stopped after ") for worker in workers)
    finally:
        standby.stop()


def read_until_it_ends(url):
    """The hashes of all events that could be read before the server was gone.

    What a commit wrote can be read only once the standby has it, so whatever was read must be there afterwards.
    """
    known = {}
    try:
        with psycopg.connect(url, autocommit=True) as connection:
            while True:
                for game, position, leaf in connection.execute("SELECT game, position, hash FROM events"):
                    known[game, position] = leaf
    except psycopg.Error:
        return known
