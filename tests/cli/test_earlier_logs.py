"""Logs and exports of earlier versions: read, verified, replayed, resumed and forked by this one.

`tests/golden/earlier` holds a database as that version left it, and each of its games as that version exported it. They
are never written anew.
"""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest
from commands import Cli

EARLIER = Path(__file__).parent.parent / "golden" / "earlier"
GAMES = {path.name.partition(".")[0]: path for path in sorted(EARLIER.glob("*.jsonl.xz"))}
OPEN = {"ccu6x328hr": "Edda", "i6zkwmwk66": "pim-tallow"}
"""The games that wait for a seat from outside."""
SEATS = {"rr93satm6u": "Ada", "ccu6x328hr": "Edda", "hbtxasrstf": "planner", "i6zkwmwk66": "pim-tallow"}


@pytest.fixture(scope="module")
def upgraded(tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """The earlier database, brought to today's schema."""
    path = tmp_path_factory.mktemp("earlier") / "games.db"
    path.write_bytes(lzma.decompress((EARLIER / "schema-0001.db.xz").read_bytes()))
    sv = Cli(path)
    said = sv("games")
    assert said.code == 1
    assert "db upgrade" in said.err
    assert sv("db", "upgrade").code == 0
    return sv


def exported(game: str) -> str:
    return lzma.decompress(GAMES[game].read_bytes()).decode()


def ended(sv: Cli, game: str, seat: str | None) -> None:
    """Play the game on to its end, that seat by the house, and look at it again."""
    said = sv("resume", game, "--quiet", "--json", *([f"--seat={seat}=house"] if seat else []))
    assert said.json["status"] == "over", said.err
    assert sv("audit", "verify", game).code == 0
    assert sv("transcript", game).err == ""


@pytest.mark.parametrize("game", GAMES)
def test_an_earlier_log_is_read_and_verified(upgraded: Cli, game: str) -> None:
    assert upgraded("db", "check").code == 0
    assert upgraded("audit", "verify", game).code == 0
    assert upgraded("export", game).out == exported(game), "the very bytes that were exported then"
    whole = (("replay",), ("transcript",), ("transcript", "--format", "html"), ("show",))
    of_a_seat = tuple((command, "--as", SEATS[game]) for command in ("view", "replay", "transcript", "show"))
    for command, *more in (*whole, *of_a_seat):
        said = upgraded(command, game, *more)
        assert (said.code, said.err) == (0, ""), (command, more)
        assert said.out


@pytest.mark.parametrize("game", GAMES)
def test_an_earlier_export_is_imported_and_exported_again(fresh: Cli, game: str) -> None:
    lines = exported(game)
    assert fresh("import", "-", "--json", stdin=lines).json["events"] == len(lines.splitlines())
    assert fresh("export", game).out == lines
    assert fresh("audit", "verify", game).code == 0


@pytest.mark.parametrize("game", OPEN)
def test_an_earlier_game_goes_on_to_its_end(fresh: Cli, game: str) -> None:
    fresh("import", "-", stdin=exported(game))
    ended(fresh, game, OPEN[game])


@pytest.mark.parametrize("game", GAMES)
def test_an_earlier_game_is_forked_and_played_on(upgraded: Cli, game: str) -> None:
    past = [json.loads(line)["data"] for line in exported(game).splitlines()]
    fork = upgraded("fork", game, "--at", len(past) * 9 // 10, "--json").json["game"]
    copied = [json.loads(line) for line in upgraded("export", fork).out.splitlines()]
    forked = next(item for item in copied if item["name"] == "core.game-forked.v1")
    assert forked["data"] == {"parent": game, "position": forked["position"] - 1}
    assert [item["data"] for item in copied[: forked["position"] - 1]] == past[: forked["position"] - 1]
    ended(upgraded, fork, OPEN.get(game))
