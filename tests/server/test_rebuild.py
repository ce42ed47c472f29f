"""Whatever follows from the events is checked against them and rebuilt from them, and the game goes on."""

import asyncio
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import postgres
import pytest
from patience import PATIENCE
from playing import PLAYERS, opened, play, runner, until
from postgres import Databases
from sizes import sized

from sottovoce import eventlog
from sottovoce.domain.commands import Reply
from sottovoce.domain.draws import Seed
from sottovoce.eventlog import EventLog
from sottovoce.eventlog.envelope import to_micros
from sottovoce.eventlog.errors import DamagedLog
from sottovoce.eventlog.log import LinkChange
from sottovoce.eventlog.rebuild import findings as problems
from sottovoce.eventlog.registry import default_registry
from sottovoce.eventlog.schema import metadata
from sottovoce.server import batch_rows, batches, summaries, worker
from sottovoce.server.batches import Batch
from sottovoce.server.games import Games, now
from sottovoce.server.plan import Plan
from sottovoce.server.runner import Runner
from sottovoce.server.worker import Worker

FAR = to_micros(datetime(2100, 1, 1, tzinfo=UTC))
SEATS = (*PLAYERS, "narrator")
SHORT: dict[str, Any] = {"max_days": 1}

Tamper = Callable[..., None]
Statement = str | tuple[str, Sequence[Any]]


GAME = "inabatch"


async def begin(games: Games) -> None:
    """A game of a batch that is under way, whose turns have a limit. It has links, and another game is over."""
    over = await opened(games, seed=5, **SHORT)
    await play(games, over)
    plan = Plan("mafia", SEATS, dict.fromkeys(SEATS, "random"), Seed.of("7").numbered(0), {}, {}, GAME)
    other = Plan("mafia", SEATS, dict.fromkeys(SEATS, "random"), Seed.of("7").numbered(1), {}, {}, "notopened")
    batches.keep(games.log, Batch("trial", Seed.of("7"), "void", [plan, other]))
    rules = {**SHORT, "turn_seconds": 3600.0}
    live = await games.open("mafia", SEATS, plan.agents, plan.seed, rules, game=GAME)
    playing = asyncio.create_task(runner(games, live, dict.fromkeys(PLAYERS)).run())
    await until(lambda: any(seat in PLAYERS for seat, _ in live.state.turns))
    playing.cancel()
    await asyncio.gather(playing, return_exceptions=True)
    await games.change_links(GAME, [LinkChange("issue", "keeper", "", b"k" * 32)])
    await games.change_links(GAME, [LinkChange("issue", "keeper", "", b"l" * 32)])
    summaries.listed(games.log, summaries.Wanted())


def begun(url: str) -> None:
    with closing(eventlog.open_log(url)) as log, closing(Games(log)) as games:
        asyncio.run(begin(games))


@pytest.fixture(scope="session")
def begun_file(empty_log: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = Path(shutil.copy(empty_log, tmp_path_factory.mktemp("begun") / "log.db"))
    begun(f"sqlite:///{path}")
    return path


@pytest.fixture(scope="session")
def begun_database(databases: Databases) -> str:
    name = databases.new(databases.template)
    begun(postgres.database(databases.url, name))
    return name


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A log in which a game is under way."""
    if request.param == "sqlite":
        yield f"sqlite:///{shutil.copy(request.getfixturevalue('begun_file'), tmp_path / 'log.db')}"
    else:
        databases = request.getfixturevalue("databases")
        with databases.log(request.getfixturevalue("begun_database")) as found:
            yield found


@pytest.fixture
def log(url: str) -> Iterator[EventLog]:
    with closing(eventlog.open_log(url)) as found:
        yield found


@pytest.fixture
def games(log: EventLog) -> Iterator[Games]:
    made = Games(log)
    yield made
    made.close()


@pytest.fixture
def tamper(url: str) -> Tamper:
    """Runs statements as somebody who has the database to themselves, past every guard."""

    def on_file(path: str, statements: Sequence[Statement]) -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            guards = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
            for name, _ in guards:
                connection.execute(f"DROP TRIGGER {name}")
            for statement in statements:
                connection.execute(*((statement,) if isinstance(statement, str) else statement))
            for _, made in guards:
                connection.execute(made)

    def on_server(statements: Sequence[Statement]) -> None:
        import psycopg

        with psycopg.connect(url) as connection:
            for table in ("events", "receipts", "heads"):
                connection.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
            for statement in statements:
                text, values = (statement, ()) if isinstance(statement, str) else statement
                connection.execute(text.replace("?", "%s"), tuple(values))
            for name, table in connection.execute(
                "SELECT tgname, tgrelid::regclass::text FROM pg_trigger WHERE NOT tgisinternal"
            ).fetchall():
                connection.execute(f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER {name}")

    def run(*statements: Statement) -> None:
        if url.startswith("sqlite"):
            on_file(url.removeprefix("sqlite:///"), statements)
        else:
            on_server(statements)

    return run


def findings(log: EventLog) -> list[str]:
    """What `db check` finds in what follows from the events."""
    with log.tables() as run:
        found = [*problems(run, default_registry(), now())]
    return [*found, *summaries.findings(log), *batch_rows.findings(log)]


def rebuild(log: EventLog) -> None:
    """What `db rebuild` does."""
    log.rebuild(now())
    batch_rows.rebuild(log)
    summaries.rebuild(log)


def played_on(log: EventLog) -> bool:
    """Whether a process that starts now plays the game to its end."""
    games = Games(log)
    try:
        live = games.load(GAME)
        asyncio.run(play(games, live))
        return bool(live.state.over)
    finally:
        games.close()


TURN = "INSERT INTO turns (game, seat, turn, attempt, opened_at, epoch) VALUES (?, 'Ada', 77, 1, 1, 0)"
SUMMARY = (
    "INSERT INTO game_summaries (game, opened, ruleset, status, started, fallbacks, finished, person)"
    " VALUES ('ghost', 1, 'mafia', 'open', '2026-01-01T00:00:00+00:00', 0, 0, 0)"
)
LINK = (
    "INSERT INTO links (digest, game, number, kind, seat, issued) VALUES (?, 'inabatch', 9, 'auditor', '', 1)",
    [b"x" * 32],
)
LEASE = "UPDATE turns SET worker = 'elsewhere:1:2:3', leased_until = ? WHERE game = 'inabatch'"

DAMAGES: dict[str, tuple[str, list[Statement]]] = {
    "turns: lost": ("is open and has no row", ["DELETE FROM turns WHERE game = 'inabatch'"]),
    "turns: added": ("turn 77 of Ada has a row and is not open", [(TURN, ["inabatch"])]),
    "turns: added to a game that is not there": ("Game ghost: turn 77 of Ada", [(TURN, ["ghost"])]),
    "turns: another seat": ("has a row and is not open", ["UPDATE turns SET seat = seat || 'x'"]),
    "turns: another number": ("has a row and is not open", ["UPDATE turns SET turn = turn + 5"]),
    "turns: another attempt": ("differs from its events (attempt)", ["UPDATE turns SET attempt = attempt + 1"]),
    "turns: opened at another time": ("(opened_at)", ["UPDATE turns SET opened_at = opened_at - 1"]),
    "turns: a limit in 2100": ("(expires)", [("UPDATE turns SET expires = ?", [FAR])]),
    "turns: no limit": ("(expires)", ["UPDATE turns SET expires = NULL"]),
    "turns: a lease until 2100": ("lasts longer than 0:10:00", [(LEASE, [FAR])]),
    "turns: a lease without an end": ("has no end", [(LEASE, [None])]),
    "turns: an end of no lease": ("has no holder", ["UPDATE turns SET leased_until = 1, worker = NULL"]),
    "turns: a number of leases that cannot be": ("cannot be the -4th", ["UPDATE turns SET epoch = -4"]),
    "links: lost": ("link 2 is missing", [("DELETE FROM links WHERE digest = ?", [b"l" * 32])]),
    "links: added": ("link 9 was never created", [LINK]),
    "links: altered": ("link 2 differs from its receipts (kind)", ["UPDATE links SET kind = 'auditor'"]),
    "list: a game lost": ("for game inabatch", ["DELETE FROM game_summaries WHERE game = 'inabatch'"]),
    "list: a game added": ("for game ghost", [SUMMARY]),
    "list: a game altered": ("for game inabatch", ["UPDATE game_summaries SET finished = 1, status = 'over'"]),
    "list: a seat lost": ("for game inabatch", ["DELETE FROM game_seats WHERE seat = 'Ada'"]),
    "list: a seat added": ("for game ghost", ["INSERT INTO game_seats (seat, opened, game) VALUES ('Z', 1, 'ghost')"]),
    "list: a seat altered": ("for game inabatch", ["UPDATE game_seats SET seat = 'Eva' WHERE seat = 'Edda'"]),
    "tracking: lost": ("for game inabatch", ["DELETE FROM tracking"]),
    "tracking: added": (
        "a tracking of 'nobody'",
        ["INSERT INTO tracking (application_name, notification_id) VALUES ('nobody', 3)"],
    ),
    "tracking: too far": ("events that are not there", ["UPDATE tracking SET notification_id = 999999"]),
    "tracking: not far enough": ("for game inabatch", ["UPDATE tracking SET notification_id = 1"]),
    "batches: a game lost": ("the row of game 1 is lost or wrong", ["DELETE FROM batches WHERE number = 1"]),
    "batches: another game": ("the row of game 1", ["UPDATE batches SET game = 'elsewhere' WHERE number = 1"]),
    "batches: another plan": (
        "the row of game 1 differs from what inabatch was opened with",
        ["UPDATE batches SET plan = replace(plan, 'Cleo', 'Clio') WHERE number = 1"],
    ),
    "batches: no plan": ("the row of game 1", ["UPDATE batches SET plan = '[' WHERE number = 1"]),
}


SOME = ("turns: lost", "turns: added", "turns: another attempt", "turns: a lease until 2100")
DONE = [("sqlite", damage) for damage in DAMAGES] + [("postgres", damage) for damage in sized(SOME, [*DAMAGES])]


@pytest.mark.parametrize(("url", "damage"), DONE, indirect=["url"])
def test_what_was_done_to_a_table_is_named_and_rebuilt_and_the_game_goes_on(
    log: EventLog, tamper: Tamper, damage: str
) -> None:
    assert findings(log) == []
    told, statements = DAMAGES[damage]
    tamper(*statements)
    found = findings(log)
    assert any(told in line for line in found), found
    assert all("; run: sottovoce db rebuild" in line for line in found), found
    rebuild(log)
    assert findings(log) == []
    assert played_on(log)
    assert findings(log) == []


NOT_TOLD: dict[str, tuple[str, list[Statement]]] = {
    "batches: what its games share is lost": ("Batch 'trial' has lost", ["DELETE FROM batches WHERE number = 0"]),
    "batches: a game that was not opened is lost": (
        "the row of game 2 is lost or wrong; the old value",
        ["DELETE FROM batches WHERE number = 2"],
    ),
    "batches: a game too many": (
        "it has 2 games, but also a row for game 3; the old value",
        ["INSERT INTO batches (name, number, game, plan) VALUES ('trial', 3, 'x', '{}')"],
    ),
    "heads: a hash altered": (
        "events that do not match its head",
        [("UPDATE heads SET hash = ? WHERE game = 'inabatch'", [b"h" * 32])],
    ),
    "heads: receipts' hash altered": (
        "receipts that do not match its head",
        [("UPDATE heads SET receipts_hash = ? WHERE game = 'inabatch'", [b"h" * 32])],
    ),
    "heads: lost": ("has no head", ["DELETE FROM heads WHERE game = 'inabatch'"]),
    "heads: longer": ("and a head of", ["UPDATE heads SET length = length + 1 WHERE game = 'inabatch'"]),
    "heads: one without events": (
        "has a head and no events",
        [
            "INSERT INTO heads (id, game, length, hash, secret, created, receipts, receipts_hash, taken_over, origin)"
            " SELECT 99, 'ghost', 0, hash, secret, created, 0, receipts_hash, 0, origin FROM heads LIMIT 1"
        ],
    ),
}


@pytest.mark.parametrize("url", sized(["sqlite"], ["sqlite", "postgres"]), indirect=True)
@pytest.mark.parametrize("damage", NOT_TOLD)
def test_what_no_event_tells_is_named_and_left_alone(log: EventLog, tamper: Tamper, damage: str) -> None:
    told, statements = NOT_TOLD[damage]
    tamper(*statements)
    assert any(told in line for line in findings(log))
    rebuild(log)
    assert any(told in line for line in findings(log))


@pytest.mark.parametrize("damage", ["heads: a hash altered", "heads: receipts' hash altered", "heads: longer"])
def test_a_head_that_contradicts_its_rows_is_replaced_if_you_say_so(log: EventLog, tamper: Tamper, damage: str) -> None:
    before = log.head(GAME)
    tamper(*NOT_TOLD[damage][1])
    log.rebuild_head(GAME)
    assert log.head(GAME) == before
    assert findings(log) == []
    assert played_on(log)


def test_a_lost_head_is_made_again_if_you_say_so(log: EventLog, tamper: Tamper) -> None:
    before = log.head(GAME)
    assert before is not None
    tamper(*NOT_TOLD["heads: lost"][1])
    log.rebuild_head(GAME)
    head = log.head(GAME)
    assert head is not None
    assert (head.length, head.hash, head.receipts, head.receipts_hash) == (
        before.length,
        before.hash,
        before.receipts,
        before.receipts_hash,
    )
    assert head.original
    assert findings(log) == []
    assert played_on(log)


def test_no_head_is_made_for_rows_that_are_not_whole(log: EventLog, tamper: Tamper) -> None:
    tamper("UPDATE events SET at = at + 1 WHERE game = 'inabatch' AND position = 3")
    with pytest.raises(DamagedLog, match="its head can't be computed"):
        log.rebuild_head(GAME)
    tamper("DELETE FROM heads WHERE game = 'inabatch'")
    with pytest.raises(DamagedLog, match="its head can't be computed"):
        log.rebuild_head(GAME)


def test_the_check_of_the_database_looks_at_all_of_it(log: EventLog, tamper: Tamper, url: str) -> None:
    told, statements = DAMAGES["turns: lost"]
    tamper(*statements)
    assert any(told in line for line in eventlog.check(url))


def test_every_table_is_covered_by_a_test_here() -> None:
    kept = {"events", "receipts", "blocks"}
    covered = {"heads", "turns", "links", "batches", "tracking", "game_summaries", "game_seats"}
    assert {table.name for table in metadata.sorted_tables} == kept | covered
    tampered = " ".join(
        statement if isinstance(statement, str) else statement[0]
        for _, statements in [*DAMAGES.values(), *NOT_TOLD.values()]
        for statement in statements
    )
    for table in covered:
        for done in (f"DELETE FROM {table}", f"INSERT INTO {table}", f"UPDATE {table}"):
            assert done in tampered, done


def test_rebuilding_while_games_are_played_disturbs_none(log: EventLog, games: Games) -> None:
    async def story() -> None:
        lives = [await opened(games, seed=seed, max_days=2) for seed in range(6)]
        playing = asyncio.gather(*(play(games, live) for live in lives))
        count = 0
        while not playing.done():
            rebuilt = await asyncio.to_thread(log.rebuild, now())
            assert not any(rebuilt)
            count += 1
            await asyncio.sleep(0)
        await playing
        assert count
        assert all(live.state.over for live in lives)

    asyncio.run(story())
    assert findings(log) == []


# what is told before anybody rebuilds


def test_play_says_that_a_turn_has_no_row_and_does_not_hang(log: EventLog, tamper: Tamper) -> None:
    tamper(*DAMAGES["turns: lost"][1])
    with pytest.raises(DamagedLog, match=r"is open, but its row is gone or was changed; run: sottovoce db rebuild"):
        played_on(log)


@pytest.mark.parametrize("damage", ["turns: another attempt", "turns: lost"])
def test_a_turn_of_somebody_outside_whose_limit_is_not_known_is_told(
    log: EventLog, tamper: Tamper, damage: str
) -> None:
    tamper(*DAMAGES[damage][1])
    games = Games(log)
    live = games.load(GAME)
    with pytest.raises(DamagedLog, match="its row is gone or was changed"):
        asyncio.run(asyncio.wait_for(Runner(games, live, {}).run(), PATIENCE))
    games.close()


def test_a_reply_to_a_turn_without_a_row_is_told_and_taken_after_the_rebuild(
    log: EventLog, tamper: Tamper, games: Games
) -> None:
    live = games.load(GAME)
    (seat, number), turn = next(iter(live.state.turns.items()))
    command = Reply(now(), seat, number, turn.choices[0] if turn.choices else "I saw nothing.")
    tamper(*DAMAGES["turns: lost"][1])
    with pytest.raises(DamagedLog, match="run: sottovoce db rebuild"):
        asyncio.run(games.submit(live, command))
    rebuild(log)
    assert asyncio.run(games.submit(live, command))


def test_a_worker_leaves_a_damaged_game_alone_and_plays_it_once_it_is_rebuilt(
    log: EventLog, tamper: Tamper, games: Games, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "PAUSE", 0.2)
    tamper(*DAMAGES["turns: lost"][1])

    async def story() -> None:
        told: list[str] = []
        stop = asyncio.Event()
        working = asyncio.create_task(Worker(games, told.append).run(stop))
        await until(lambda: told)
        assert "this worker skips" in told[0]
        assert "run: sottovoce db rebuild" in told[0]
        await asyncio.to_thread(rebuild, log)
        await until(lambda: games.load(GAME).state.over)
        stop.set()
        await working

    asyncio.run(story())


@pytest.mark.parametrize("end", [FAR, None], ids=["until 2100", "without an end"])
def test_a_lease_that_cannot_be_holds_up_neither_play_nor_a_worker(
    log: EventLog, tamper: Tamper, games: Games, end: int | None
) -> None:
    tamper((LEASE, [end]))

    async def story() -> None:
        stop = asyncio.Event()
        working = asyncio.create_task(Worker(games, lambda line: None).run(stop))
        await until(lambda: games.load(GAME).state.over)
        stop.set()
        await working

    asyncio.run(story())


def test_a_lease_that_cannot_be_does_not_hold_up_play(log: EventLog, tamper: Tamper) -> None:
    tamper((LEASE, [FAR]))
    assert played_on(log)


def test_a_program_may_claim_for_a_day_and_a_worker_for_minutes(log: EventLog) -> None:
    (due, *_) = log.due(GAME)
    at, key = now(), [(due.seat, due.turn)]
    hours = timedelta(hours=20)
    assert log.lease(GAME, key, "inbox:one", at, at + hours)
    assert log.lease(GAME, key, "another", at, at + timedelta(minutes=1)) == []
    later = at + hours + timedelta(seconds=1)
    assert log.lease(GAME, key, "elsewhere:1:2:3", later, later + hours)
    assert log.lease(GAME, key, "another", later, later + timedelta(minutes=1))
