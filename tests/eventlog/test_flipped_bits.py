"""`verify` finds a flipped bit in a log's file wherever it hits an event, a receipt or a prompt."""

from __future__ import annotations

import asyncio
import random
import re
import sqlite3
import zlib
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from pages import pages
from sizes import NIGHTLY, sized

from sottovoce import eventlog
from sottovoce.agents.random_agent import RandomAgent
from sottovoce.domain.draws import Seed
from sottovoce.domain.errors import SottovoceError
from sottovoce.eventlog import open_log
from sottovoce.eventlog.errors import OutOfFiles
from sottovoce.eventlog.log import EventLog, StoredReceipt, StoredRow, Write
from sottovoce.eventlog.verify import Problem, verify_all
from sottovoce.server.games import Games
from sottovoce.server.runner import Runner

FLIPS = sized(140, 1000)
PAGE = 4096
OURS = ("events", "receipts", "blocks")
NAMES = ("Ada", "Bram", "Cleo", "Dirk", "Edda", "narrator")


class Prompted(RandomAgent):
    """A random player whose prompts are kept, like a model's."""

    by = "prompt"

    def blocks(self, view: object, turn: object) -> tuple[str, ...]:
        """Return two texts: a shared one, and one for the turn. Some are long enough to spill out of a page."""
        spilling = "".join(random.Random(str(turn)).choices("abcdefghijklmnop", k=9000))
        return "You are at a table.", f"{turn}" + (spilling if "speak" in str(turn) else "")


async def played(log: EventLog) -> None:
    games = Games(log)
    for seed in range(4):
        live = await games.open("mafia", NAMES, dict.fromkeys(NAMES, "random"), Seed.of(str(seed)), {"max_days": 2})
        agents = {name: Prompted() if name in ("Ada", "narrator") else RandomAgent() for name in NAMES}
        await Runner(games, live, agents).run()
    games.close()


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of several played games, at rest: nothing in its journal, and some free pages."""
    path = tmp_path_factory.mktemp("original") / "log.db"
    log = open_log(f"sqlite:///{path}")
    asyncio.run(played(log))
    log.close()
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("CREATE TABLE gone (x)")
        connection.execute("INSERT INTO gone VALUES (zeroblob(40000))")
        connection.execute("DROP TABLE gone")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path


Place = tuple[str, str, int]
"""`position` or `receipt`, the game, and the number."""

Rows = set[tuple[int, Place, StoredRow | StoredReceipt]]


def held(path: Path) -> Rows:
    """Return the events with their IDs and the receipts as stored in a file's tables, each with its place."""
    rows: Rows = set()
    with closing(sqlite3.connect(path)) as connection:
        connection.text_factory = lambda text: text.decode("utf-8", "surrogateescape")
        for row in connection.execute(f"SELECT id, {', '.join(StoredRow._fields)} FROM events NOT INDEXED ORDER BY id"):
            event = StoredRow._make(row[1:])
            rows.add((row[0], ("position", event.game, event.position), event))
        for row in connection.execute(f"SELECT {', '.join(StoredReceipt._fields)} FROM receipts"):
            receipt = StoredReceipt._make(row)
            rows.add((0, ("receipt", receipt.game, receipt.number), receipt))
    return rows


def found_in(path: Path) -> tuple[dict[str | None, tuple[Problem, ...]], str]:
    """Return the problems of each game and of the storage, or the error instead."""
    try:
        log = open_log(f"sqlite:///{path}", create=False)
        try:
            return {game: found.problems for game, found in verify_all(log) if found.problems}, ""
        finally:
            log.close()
    except SottovoceError as error:
        return {}, str(error)


def texts(path: Path) -> dict[bytes, bytes]:
    """Return the texts of prompts in a file, by name."""
    with closing(sqlite3.connect(path)) as connection:
        return {name: zlib.decompress(text) for name, text in connection.execute("SELECT digest, text FROM blocks")}


def checked(path: Path) -> str:
    """Return what `db check` finds, or the error instead."""
    try:
        return "\n".join(eventlog.check(f"sqlite:///{path}"))
    except SottovoceError as error:
        return str(error)


def test_every_flip_that_hits_an_event_a_receipt_or_a_prompt_is_found(
    original: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, owned, data = held(original), pages(original), original.read_bytes()
    assert found_in(original) == ({}, "")
    assert checked(original) == ""
    path = tmp_path / "flipped.db"
    tally: Counter[str] = Counter()
    for seed in range(FLIPS):
        at, bit = divmod(random.Random(seed).randrange(len(data) * 8), 8)
        flipped = bytearray(data)
        flipped[at] ^= 1 << bit
        for beside in tmp_path.iterdir():
            beside.unlink()
        path.write_bytes(flipped)
        number, offset = divmod(at, PAGE)
        page = owned.get(number + 1)
        hit = "free pages" if page is None else page.owner if offset in page.used else f"{page.owner}, unused bytes"
        problems, told = found_in(path)
        tally[f"{hit}: hit"] += 1
        tally[f"{hit}: found"] += bool(problems or told)
        if hit == "blocks" and not (problems or told) and texts(path) == texts(original):
            tally["blocks, behind the last bit of a text: hit"] += 1  # a zlib stream is padded to a whole byte
        elif hit in OURS:
            assert problems or told, f"bit {bit} of byte {at}, of {hit}, is missed"
            tally[f"{hit}: found, and located to an event or a receipt"] += bool(_located(path, before, problems))
            if set(problems) <= {None}:
                assert checked(path), "what is wrong with the file itself is told by the check of the database too"
    if NIGHTLY:
        with capsys.disabled():
            print("\n" + "\n".join(f"{what}: {count}" for what, count in sorted(tally.items())))
    assert all(tally[f"{table}: hit"] for table in OURS), "every kind of ours was hit"


def _located(path: Path, before: Rows, problems: dict[str | None, tuple[Problem, ...]]) -> set[Place]:
    """Return the places that the problems name: at least each event and receipt that differs in the tables, if
    readable; otherwise the page or the row."""
    places = {
        (kind, str(game), place)
        for game, found in problems.items()
        for problem in found
        for kind, number in (("position", problem.position), ("receipt", problem.receipt))
        if number is not None
        for place in range(number, _last(problem, number) + 1)
    }
    assert places or any(re.search(r"page \d+|row \d+", problem.what) for problem in problems.get(None, ())), problems
    try:
        now = held(path)
    except (sqlite3.DatabaseError, UnicodeDecodeError):
        return places
    otherwise = {place for _, place, _ in before - now}
    assert otherwise <= places, (otherwise - places, problems)
    return places


def _last(problem: Problem, number: int) -> int:
    found = re.search(r"so is everything up to (\d+)", problem.what)
    return int(found[1]) if found else number


def test_a_digest_on_which_table_and_index_disagree_is_located(original: Path, tmp_path: Path) -> None:
    data, owned = original.read_bytes(), pages(original)
    with closing(sqlite3.connect(original)) as connection:
        (digest,) = connection.execute("SELECT digest FROM blocks LIMIT 1").fetchone()
    ours = {number for number, page in owned.items() if page.owner == "blocks"}
    places = [found.start() for found in re.finditer(re.escape(digest), data) if found.start() // PAGE + 1 in ours]
    assert len(places) == 2, "in the table and in its index"
    for at in places:
        path = tmp_path / f"{at}.db"
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        problems, _ = found_in(path)
        assert any(problem.receipt for found in problems.values() for problem in found), at


def test_a_schema_that_is_no_utf_8_is_damage(original: Path, tmp_path: Path) -> None:
    data, owned = original.read_bytes(), pages(original)
    schema = {number: page.used for number, page in owned.items() if page.owner == "sqlite_master"}
    told = set()
    for name in (b"events", b"receipts", b"heads", b"blocks", b"sqlite_autoindex_events_1", b"position"):
        for at in (found.start() for found in re.finditer(name, data)):
            if at % PAGE not in schema.get(at // PAGE + 1, ()):
                continue
            path = tmp_path / f"{name.decode()}-{at}.db"
            path.write_bytes(data[:at] + bytes([data[at] ^ 0x80]) + data[at + 1 :])
            _, said = found_in(path)
            checks = checked(path)
            assert checks or said, (name, at)
            told |= {said, checks}
            for line in (said, checks):
                assert "cannot be used" not in line, (name, at, line)
    assert any("is damaged (its schema is not UTF-8); run: sottovoce db check" in line for line in told)


EXHAUSTED = """
import json, os, resource, sys
from datetime import UTC, datetime
from sottovoce.domain.audience import EVERYONE
from sottovoce.domain.draws import Seed
from sottovoce.domain.errors import SottovoceError
from sottovoce.domain.events import Draft, HoldLifted
from sottovoce.eventlog import check, open_log
from sottovoce.eventlog.log import Write
from sottovoce.eventlog.registry import registry_of
from sottovoce.eventlog.verify import verify
import sottovoce.eventlog.sqlite.schema
from sottovoce import eventlog
import sottovoce.eventlog.sqlite.log

def leave(count):
    taken = []
    while True:
        try:
            taken.append(os.open(os.devnull, os.O_RDONLY))
        except OSError:
            break
    for file in taken[:count]:
        os.close(file)
    return taken[count:]

def use(log):
    log.read("g")
    drafts = (Draft(HoldLifted(), EVERYONE),)
    log.commit([Write("g", log.head("g").length, os.urandom(8).hex(), datetime.now(UTC), drafts)])
    return ["fine" if verify(log, "g").ok else "not fine", *check(sys.argv[1])]

registry, told = registry_of(), []
log = open_log(sys.argv[1], registry=registry)
use(log)
log.close()
resource.setrlimit(resource.RLIMIT_NOFILE, (96, 96))
for count in range(14):
    for late in (False, True):
        log = open_log(sys.argv[1], registry=registry) if late else None
        held = leave(count)
        try:
            log = log or open_log(sys.argv[1], registry=registry)
            told += use(log)
        except SottovoceError as error:
            told.append(f"{type(error).__name__}: {error}")
        for file in held:
            os.close(file)
        if log:
            log.close()
print(json.dumps(told))
"""


@pytest.mark.parametrize("elsewhere", [False, True])
def test_no_file_descriptors_left_is_told_as_that(
    path: Path,
    opened: Callable[..., EventLog],
    write: Callable[..., Write],
    run: Callable[..., list[str]],
    elsewhere: bool,
) -> None:
    log = opened(path)
    log.commit([write()])
    if not elsewhere:
        log.close()
    told = run(EXHAUSTED, f"sqlite:///{path}")
    assert told[-1] == "fine"
    rest = {line for line in told if line != "fine"}
    assert rest == {f"OutOfFiles: {OutOfFiles.__doc__}"}
