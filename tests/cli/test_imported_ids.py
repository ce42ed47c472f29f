"""What an imported log calls things is checked against what a log written here can hold, its hashes being right."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from typing import Any

import pytest
from commands import Cli

from sottovoce.domain.audience import Audience
from sottovoce.eventlog.envelope import audience_text, envelope, leaf_hash, to_micros
from sottovoce.projections.exports import parse_exported
from sottovoce.server.games import new_game_id
from sottovoce.server.ids import fresh_id, is_append_id, is_game_id

Event = dict[str, Any]


def resealed(event: Event) -> Event:
    """The event with the hash that fits what it says now, where an envelope can say it at all."""
    try:
        item = parse_exported(event)
        said = audience_text(Audience.from_json(event["audience"]))
        at = to_micros(item.at)
        told = (item.game, item.position, item.append, item.name, at, item.actor, said, item.cause, item.body)
        return event | {"hash": leaf_hash(item.salt, envelope(*told)).hex()}
    except (ValueError, struct.error):
        return event


def forged(lines: str, change: Callable[[Event], Event]) -> str:
    """The export with each event changed and its hash made to fit."""
    events = [resealed(change(json.loads(line))) for line in lines.splitlines()]
    return "".join(f"{json.dumps(event)}\n" for event in events)


def in_event(number: int, **fields: Any) -> Callable[[Event], Event]:
    return lambda event: event | fields if event["position"] == number else event


def everywhere(**fields: Any) -> Callable[[Event], Event]:
    return lambda event: event | fields


WRONG_GAMES = (
    *(
        "",
        " ",
        "latest",
        "--help",
        "-h",
        "../../etc/passwd",
        "a/b",
        "a\\b",
        "a\x1b[31mb",
        "a\nb",
        "a b",
        "A",
        "K3VM2Q9XHP",
    ),
    *(
        "x" * 100_000,
        "x" * 65,
        "é",
        "k3vm2q9xhp\n",
        "3abc",
        "a--b",
        "a-",
        "'; DROP TABLE events; --",
        "a\u202eb",
        "a\x00b",
        "*",
    ),
)
WRONG_APPENDS = ("", "latest", "x" * 16, "0" * 15, "0" * 17, "A" * 16, "\x1b[2J" * 4, "0" * 100_000, "0" * 16 + "\n")


def refused(fresh: Cli, lines: str, told: str) -> None:
    said = fresh("import", "-", stdin=lines)
    assert (said.code, said.out) == (1, ""), said.err[:300]
    assert told in said.err
    assert said.err.endswith("Nothing was imported.\n")
    assert said.err.count("\n") == 1
    assert said.err.rstrip("\n").isprintable()
    assert len(said.err) < 400
    assert "unexpected" not in said.err
    assert not fresh.path.exists()


def test_what_is_forged_right_is_taken(sv: Cli, fresh: Cli, over: str) -> None:
    """Otherwise a refusal in these tests would say nothing."""
    lines = sv("export", over).out
    assert forged(lines, everywhere()) == "".join(f"{json.dumps(json.loads(line))}\n" for line in lines.splitlines())
    assert fresh("import", "-", stdin=forged(lines, everywhere(game="golden-game-7"))).code == 0
    assert fresh("audit", "verify", "golden-game-7").code == 0


@pytest.mark.parametrize("game", WRONG_GAMES, ids=lambda game: ascii(game)[:24])
def test_a_game_is_not_imported_under_what_is_no_id(sv: Cli, fresh: Cli, over: str, game: str) -> None:
    refused(
        fresh, forged(sv("export", over).out, everywhere(game=game)), "Event 1 has the game id " if game else "'game'"
    )


@pytest.mark.parametrize("append", WRONG_APPENDS, ids=lambda append: ascii(append)[:24])
def test_an_append_id_that_is_none_is_refused(sv: Cli, fresh: Cli, over: str, append: str) -> None:
    refused(
        fresh,
        forged(sv("export", over).out, in_event(4, append=append)),
        "Event 4 has the append id " if append else "'append'",
    )


def test_an_append_that_has_ended_does_not_go_on(sv: Cli, fresh: Cli, over: str) -> None:
    rows = sv("export", over).rows
    later = next(row["position"] for row in rows if row["append"] not in (rows[0]["append"], rows[-1]["append"]))
    again = in_event(len(rows), append=rows[later - 1]["append"])
    assert rows[-2]["append"] != rows[later - 1]["append"]
    refused(fresh, forged(sv("export", over).out, again), "which had already ended")


@pytest.mark.parametrize("cause", [5, 6, 10**6, 10**30, 0, -1])
def test_what_comes_at_or_after_an_event_did_not_cause_it(sv: Cli, fresh: Cli, over: str, cause: int) -> None:
    refused(
        fresh,
        forged(sv("export", over).out, in_event(5, cause=cause)),
        "Event 5 names event " if cause > 0 else "'cause'",
    )


def test_the_first_event_has_no_cause(sv: Cli, fresh: Cli, over: str) -> None:
    refused(fresh, forged(sv("export", over).out, in_event(1, cause=1)), "Event 1 names event 1 as its cause")


@pytest.mark.parametrize(
    "at", ["1969-12-31T23:59:59.999999+00:00", "0001-01-02T00:00:00+00:00", "1970-01-01T00:30:00+02:00"]
)
def test_nothing_happened_before_1970(sv: Cli, fresh: Cli, over: str, at: str) -> None:
    refused(fresh, forged(sv("export", over).out, in_event(3, at=at)), ", before 1970")


@pytest.mark.parametrize("parent", ["latest", "--help", "../x", "\x1b[31m", "x" * 100_000])
def test_a_fork_comes_from_a_game_that_can_be(sv: Cli, fresh: Cli, over: str, parent: str) -> None:
    fork = sv("fork", over, "--at", "30", "--json").json["game"]

    def changed(event: Event) -> Event:
        if event["name"].startswith("core.game-forked"):
            return event | {"data": event["data"] | {"parent": parent}}
        return event

    refused(fresh, forged(sv("export", fork).out, changed), "which is not a valid game id")


def test_what_is_made_here_is_an_id() -> None:
    for _ in range(200):
        assert is_game_id(new_game_id())
        assert is_append_id(fresh_id())
