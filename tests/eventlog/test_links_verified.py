"""The table of links is checked against the receipts: every change to it is found, and repaired from them."""

import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pages import pages
from sizes import sized

from sottovoce import eventlog
from sottovoce.eventlog import open_log
from sottovoce.eventlog.links import stated
from sottovoce.eventlog.log import EventLog, LinkChange, StoredLink, Write
from sottovoce.eventlog.registry import Registry
from sottovoce.eventlog.verify import Problem, verify, verify_all

AT = datetime(2026, 7, 1, 12, 30, tzinfo=UTC)
INSERT = (
    "INSERT INTO links (game, number, kind, seat, digest, issued, claimed, ended, ending)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


def digest(number: int) -> bytes:
    return bytes([number]) * 32


@pytest.fixture(params=["sqlite", "postgres"])
def url(request: pytest.FixtureRequest) -> str:
    if request.param == "sqlite":
        path: Path = request.getfixturevalue("path")
        return f"sqlite:///{path}"
    address: str = request.getfixturevalue("database")
    return address


@pytest.fixture
def log(url: str, registry: Registry, write: Callable[..., Write]) -> Iterator[EventLog]:
    """Games `g` and `h`.

    Of g's links, 1 (a seat's) has ended; 2 (the keeper's) and 3 (the seat's, claimed) are valid.
    """
    found = open_log(url, registry=registry)
    found.commit([write(), write("h")])
    for minute, (game, change) in enumerate(
        [
            ("g", LinkChange("issue", "seat", "Ada", digest(1))),
            ("g", LinkChange("issue", "keeper", "", digest(2))),
            ("g", LinkChange("issue", "seat", "Ada", digest(3))),
            ("g", LinkChange("claim", number=3)),
            ("h", LinkChange("issue", "keeper", "", digest(9))),
        ]
    ):
        found.commit([Write(game, 0, f"{minute}", AT + timedelta(minutes=minute), links=(change,))])
    yield found
    found.close()


def findings(url: str) -> list[str]:
    """Return the findings that are not about who is connected."""
    return [finding for finding in eventlog.check(url) if "superuser" not in finding]


DAMAGES: dict[str, tuple[str, tuple[Any, ...], str]] = {
    "added": (INSERT, ("g", 7, "auditor", "", digest(7), 1, None, None, None), "link 7 was never created"),
    "removed": ("DELETE FROM links WHERE digest = ?", (digest(2),), "link 2 is missing"),
    "removed of an ended one": ("DELETE FROM links WHERE digest = ?", (digest(1),), "link 1 is missing"),
    "un-ended": (
        "UPDATE links SET ended = NULL, ending = NULL, seat = 'Bram' WHERE digest = ?",
        (digest(1),),
        "link 1 differs from its receipts (seat, ended, ending)",
    ),
    "given another token": (
        "UPDATE links SET digest = ? WHERE digest = ?",
        (digest(8), digest(2)),
        "link 2 differs from its receipts (digest)",
    ),
    "another kind": (
        "UPDATE links SET kind = 'auditor' WHERE digest = ?",
        (digest(2),),
        "link 2 differs from its receipts (kind)",
    ),
    "another seat": (
        "UPDATE links SET seat = 'Bram' WHERE digest = ?",
        (digest(3),),
        "link 3 differs from its receipts (seat)",
    ),
    "unclaimed": (
        "UPDATE links SET claimed = NULL WHERE digest = ?",
        (digest(3),),
        "link 3 differs from its receipts (claimed)",
    ),
    "claimed by nobody": (
        "UPDATE links SET claimed = 5 WHERE digest = ?",
        (digest(2),),
        "link 2 differs from its receipts (claimed)",
    ),
    "ended by nobody": (
        "UPDATE links SET ended = 5, ending = 99 WHERE digest = ?",
        (digest(3),),
        "link 3 differs from its receipts (ended, ending)",
    ),
    "issued at another time": (
        "UPDATE links SET issued = issued - 1 WHERE digest = ?",
        (digest(2),),
        "link 2 differs from its receipts (issued)",
    ),
    "an end that nobody hears of": (
        "UPDATE links SET ending = NULL WHERE digest = ?",
        (digest(1),),
        "link 1 differs from its receipts (ending)",
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_was_done_to_the_table_is_found_and_mended(log: EventLog, url: str, damage: str) -> None:
    before = {game: log.links(game) for game in ("g", "h")}
    assert verify(log, "g").ok
    assert findings(url) == []
    assert log.rebuild(AT).links == 0
    statement, values, told = DAMAGES[damage]
    with log.tables(commit=True) as run:
        run(statement, values)
    what = f"{told}; run: sottovoce db rebuild"
    assert verify(log, "g").problems == (Problem(None, what),)
    assert findings(url) == [f"Game g: {what}"]
    assert verify(log, "h").ok
    assert log.rebuild(AT).links == 1
    after = {game: log.links(game) for game in ("g", "h")}
    assert strip(after) == strip(before)
    assert verify(log, "g").ok
    assert findings(url) == []
    assert log.link(digest(7)) is log.link(digest(8)) is log.link(digest(1)) is None
    assert [link and link.number for link in (log.link(digest(2)), log.link(digest(3)))] == [2, 3]
    assert digest(1) in log.links_ended(0)[1]


def strip(games: dict[str, list[StoredLink]]) -> Any:
    """Ignore the count of endings: a lost one is counted again, so that others notice it again."""
    return {game: [link._replace(ending=None) for link in links] for game, links in games.items()}


def test_a_link_that_was_made_to_live_again_ends_again_for_those_who_follow(log: EventLog) -> None:
    log.commit([Write("h", 0, "end", AT, links=(LinkChange("end", number=1),))])
    assert log.links_ended(0) == (2, [digest(1), digest(9)])
    with log.tables(commit=True) as run:
        run("UPDATE links SET ended = NULL, ending = NULL, seat = 'x' WHERE digest = ?", (digest(1),))
    assert log.link(digest(1)) is not None
    assert log.rebuild(AT).links == 1
    assert log.link(digest(1)) is None
    assert log.links_ended(2) == (3, [digest(1)])


def test_links_moved_between_games_are_found_in_both_and_mended_in_one_go(log: EventLog, url: str) -> None:
    with log.tables(commit=True) as run:
        run("UPDATE links SET game = 'h', number = 5, kind = 'auditor' WHERE digest = ?", (digest(2),))
        run("UPDATE links SET game = 'g', number = 2 WHERE digest = ?", (digest(9),))
    assert [problem.what.partition(";")[0] for problem in verify(log, "h").problems] == [
        "link 1 is missing",
        "link 5 was never created",
    ]
    assert not verify(log, "g").ok
    assert len(findings(url)) == 3
    assert log.rebuild(AT).links == 2
    assert findings(url) == []
    assert [link.digest for link in log.links("h")] == [digest(9)]


def test_links_of_no_game_are_a_flaw_and_taken_away(log: EventLog, url: str) -> None:
    with log.tables(commit=True) as run:
        run(INSERT, ("nowhere", 1, "keeper", "", digest(7), 1, None, None, None))
    assert log.flaws() == ["there are links of nowhere, but no such game"]
    assert [found.ok for _, found in verify_all(log)] == [True, True, False]
    assert any("link 1 was never created" in finding for finding in findings(url))
    assert log.rebuild(AT).links == 1
    assert log.flaws() == []
    assert findings(url) == []


def test_links_that_cannot_be_read_are_a_finding_and_no_failure(
    path: Path, opened: Callable[..., EventLog], write: Callable[..., Write]
) -> None:
    log = opened(path)
    log.commit([write(links=(LinkChange("issue", "keeper", "", digest(2)),))])
    with log.tables(commit=True) as run:
        run("UPDATE links SET kind = CAST(x'ff' AS TEXT)")
    assert verify(log, "g").problems == (Problem(None, "the links cannot be read"),)
    assert len(eventlog.check(f"sqlite:///{path}")) == 1


FLIPS = sized(40, 2000)


def test_a_bit_that_flips_in_a_link_is_found(
    path: Path, tmp_path: Path, registry: Registry, write: Callable[..., Write]
) -> None:
    log = open_log(f"sqlite:///{path}", registry=registry)
    for game, first in (("g", 0), ("h", 100)):
        issued = [LinkChange("issue", "seat", f"Seat {number % 20}", digest(first + number)) for number in range(60)]
        claimed = [LinkChange("claim", number=number) for number in range(41, 61, 2)]
        log.commit([write(game, links=(*issued, *claimed))])
    log.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data, flipped = path.read_bytes(), tmp_path / "flipped.db"
    places = [
        (number - 1) * 4096 + offset
        for number, page in pages(path).items()
        if page.owner == "links"
        for offset in sorted(page.used)
    ]
    assert len(places) > 4 * 4096, "the table and its indexes, each in a page or more"
    before, harmless = told(path, registry), 0
    assert before.problems == []
    for seed in range(FLIPS):
        chance = random.Random(seed)
        at, bit = chance.choice(places), chance.randrange(8)
        for beside in tmp_path.glob("flipped.db*"):
            beside.unlink()
        flipped.write_bytes(data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :])
        after = told(flipped, registry)
        harmless += not after.problems
        # SQLite can write one record in several ways: a null takes one byte or two.
        assert after.problems or after == before, f"bit {bit} of byte {at} is missed"
        if after.problems:
            assert eventlog.check(f"sqlite:///{flipped}"), f"bit {bit} of byte {at} is missed by the check"
    assert harmless <= FLIPS // 20


class Told(NamedTuple):
    """What a log says about its links, in every way to read them, and what is wrong with it."""

    links: list[StoredLink]
    opening: list[StoredLink | None]
    ended: tuple[int, list[bytes]]
    problems: list[Problem]


def told(path: Path, registry: Registry) -> Told:
    log = open_log(f"sqlite:///{path}", create=False, registry=registry)
    try:
        problems = [problem for _, found in verify_all(log) for problem in found.problems]
        if problems:
            return Told([], [], (0, []), problems)
        links = [*log.links("g"), *log.links("h")]
        return Told(links, [log.link(digest(number)) for number in range(160)], log.links_ended(0), [])
    finally:
        log.close()


def test_new_links_go_on_where_the_table_was_emptied(log: EventLog) -> None:
    with log.tables(commit=True) as run:
        run("DELETE FROM links WHERE game = 'g'")
    assert log.rebuild(AT).links == 1
    log.commit([Write("g", 0, "on", AT, links=(LinkChange("issue", "spectator", "", digest(4)),))])
    assert [link.number for link in log.links("g")] == [1, 2, 3, 4]
    assert verify(log, "g").ok


MALFORMED = [
    {"name": "core.link-issued.v1", "data": "{}"},
    {"name": "core.link-issued.v1", "data": "[]"},
    {"name": "core.link-issued.v1", "data": "no JSON"},
    {"name": "core.link-issued.v1", "data": "[" * 100_000},
    {"name": "core.link-issued.v1", "data": None},
    {"name": "core.link-issued.v1", "at": "noon"},
    {"name": "core.link-issued.v1", "seat": b"Ada"},
    {"name": "core.link-claimed.v1", "data": '{"link":[]}'},
    {"name": "core.link-claimed.v1", "data": '{"link":77}'},
    {"name": "core.link-claimed.v1", "data": '{"link":3}'},
    {"name": "core.link-ended.v1", "data": '{"link":1}'},
    {"name": "core.link-ended.v1", "data": '{"link":"1"}'},
    {"name": "core.link-ended.v1", "at": None, "data": '{"link":2}'},
    {"name": "core.link-issued.v1", "data": '{"link":1,"kind":"seat","digest":"' + "ab" * 32 + '"}'},
    {"name": "core.link-issued.v1", "data": '{"link":4,"kind":"seat","digest":"' + "03" * 32 + '"}'},
    {"name": "core.link-issued.v1", "data": '{"link":4,"kind":"seat","digest":"abcd"}'},
    {"name": "core.link-issued.v1", "data": '{"link":"4","kind":"seat","digest":"' + "ab" * 32 + '"}'},
    {"name": "core.link-issued.v1", "data": '{"link":4,"kind":null,"digest":"' + "ab" * 32 + '"}'},
]


@pytest.mark.parametrize("changes", MALFORMED)
def test_a_receipt_that_tells_what_cannot_be_is_a_problem_and_no_failure(log: EventLog, changes: Any) -> None:
    rows = list(log.receipt_rows("g"))
    said, problems = stated(rows)
    assert (len(said), problems) == (3, [])
    wrong = rows[-1]._replace(number=len(rows) + 1, **changes)
    again, problems = stated([*rows, wrong])
    assert again == said
    assert problems == [Problem(None, "has impossible values for a link", wrong.number)]
