"""A finished game does not change, whatever is sent to it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import Cli, Said
from golden import path_of

GAMES = {
    "mafia-wins": ("Ada", "narrator"),
    "session-current": ("gm", "narrator"),
    "delegated-notice": ("planner", "user"),
}
"""A finished game of each ruleset, and two of its seats."""


@pytest.fixture
def sv(tmp_path: Path) -> Cli:
    return Cli(tmp_path / "games.db")


def events(sv: Cli) -> tuple[str, str]:
    """The log and the head of the only game."""
    return sv("export", "latest").out, sv("audit", "verify", "latest").out


def refused(said: Said) -> None:
    assert said.code == 1, said
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert said.err.startswith("sottovoce: ")
    assert "over" in said.err


@pytest.mark.parametrize("name", GAMES)
def test_a_finished_game_takes_nothing_and_says_so(sv: Cli, name: str) -> None:
    sv("import", path_of(name))
    before = events(sv)
    for seat in GAMES[name]:
        for turn in ((), ("--turn", "1"), ("--turn", "9999")):
            for text in ("One more word!", "pass", "x" * 70_000):
                refused(sv("send", "latest", "--as", seat, *turn, stdin=text))
        said = sv("send", "latest", "--as", seat, "--json", stdin="Hello?")
        assert said.code == 1
        assert json.loads(said.out)["accepted"] is False
        again = sv("resume", "latest", "--seat", f"{seat}=house")
        assert again.code == 0
        assert "is over" in again.out
        assert sv("inbox", "latest", "--as", seat).code == 0
    assert events(sv)[0] == before[0]
    assert sv("show", "latest", "--json").json["status"] == "over"


@pytest.mark.parametrize("name", GAMES)
def test_the_head_of_a_finished_game_stays(sv: Cli, name: str) -> None:
    sv("import", path_of(name))
    before = events(sv)
    for seat in GAMES[name]:
        sv("send", "latest", "--as", seat, stdin="One more word!")
        sv("send", "latest", "--as", seat, "--turn", "1", stdin="One more word!")
        sv("resume", "latest", "--seat", f"{seat}=house")
    assert events(sv) == before


@pytest.mark.parametrize("name", GAMES)
def test_nothing_forks_from_the_end(sv: Cli, name: str) -> None:
    sv("import", path_of(name))
    last = len(sv("export", "latest").rows)
    refused(sv("fork", "latest", "--at", str(last)))
    assert len(sv("games", "--json").rows) == 1
    assert sv("fork", "latest", "--at", str(last - 1), "--json").code == 0


def test_an_accepted_answer_that_is_sent_again_gives_the_first_result_after_the_end_too(sv: Cli) -> None:
    sv("import", path_of("mafia-wins"))
    rows = sv("export", "latest").rows
    replies = [row["data"] for row in rows if row["name"].startswith("core.reply-accepted")]
    accepted = next(reply for reply in replies if reply["text"])
    said = sv("send", "latest", "--as", accepted["seat"], "--turn", accepted["turn"], stdin=accepted["text"])
    assert said.code == 0
    assert "sent before" in said.out
