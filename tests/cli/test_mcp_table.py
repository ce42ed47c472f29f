"""Whole games with MCP clients among everybody else who may sit at a table, through a real `sottovoce serve`."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import yaml
from commands import ROOT, SOTTOVOCE, Cli
from mcp_player import Player, by_http, by_stdio
from patience import PATIENCE
from served import Server
from terminals import Pty

KINDS = (
    *("role", "bid", "speech", "opening", "dawn", "introduction", "gallows", "execution", "moderate", "protect"),
    *("investigate", "night-talk", "kill", "nominate", "second", "defence", "trial-vote", "final-speech"),
    *("execution-vote",),
)
SEATS = ("Ada", "Bram", "Cleo", "Dirk", "Edda", "Finn")
CAMPAIGN = ROOT / "examples" / "campaigns" / "ten-past-four"


class Inn:
    """A server, and games opened on it by its host."""

    def __init__(self, server: Server, sv: Cli) -> None:
        self.server = server
        self.sv = sv
        self.base, _, self.host = server.first.partition("#")
        self.base = self.base.rstrip("/")

    def ask(self, method: str, path: str, token: str, body: Any = None) -> Any:
        given = b"" if body is None else json.dumps(body).encode()
        kind = {"content_type": "application/json"} if given else {}
        answer = self.server.ask(method, path, given, authorization=f"Bearer {token}", **kind)
        assert answer.status in (200, 201), answer.body
        return answer.json

    def open(self, **wanted: Any) -> tuple[str, dict[str, str]]:
        """A game's id, and the links of the seats that are filled from outside."""
        told = self.ask("POST", "/v1/games", self.host, wanted)
        return told["game"], told["links"]["seats"]


@pytest.fixture
def inn(tmp_path: Path) -> Iterator[Inn]:
    sv = Cli(tmp_path / "games.db")
    words = ("sottovoce", "serve", "--port", "0", "--quiet", "--campaign", f"evening={CAMPAIGN}")
    with Server(tmp_path, *words, SOTTOVOCE_DB=sv.url) as server:
        yield Inn(server, sv)


def sound(sv: Cli, game: str) -> list[dict[str, Any]]:
    """The game's events, once it was checked to be whole, over, and played without a stand-in."""
    assert sv("audit", "verify", game, "--json").json["ok"]
    assert sv("audit", "leaks", game).code == 0
    assert sv("show", game, "--json").json["status"] == "over"
    return sv("export", game).rows


def press_keys(program: Pty) -> int:
    """Somebody at a terminal who takes the first of everything; the exit code."""
    while program.process.poll() is None:
        program.type("1\r")
        program.read()
    return program.ended()


def test_everybody_plays_a_whole_game_of_mafia_together(inn: Inn, tmp_path: Path) -> None:
    """Three MCP clients, by HTTP in both generations of the protocol and by stdio; a person at a joined terminal; a
    scripted agent from its own process; and a house player and narrator.
    """
    outside = [name for name in SEATS if name != "Edda"]
    game, links = inn.open(
        ruleset="mafia",
        names=list(SEATS),
        agents=dict.fromkeys(outside, "outside"),
        agent="house",
        seed="11",
        options={"max_days": 3, "max_speeches": 1, "max_attempts": 10},
    )
    attempts = ["I have nothing to hide.", "yes", "spare", "pass", *SEATS]
    (tmp_path / "script.yaml").write_text(yaml.safe_dump({kind: [attempts] * 40 for kind in KINDS}))
    (tmp_path / "cleo.link").write_text(links["Cleo"])
    token = {name: link.partition("#")[2] for name, link in links.items()}

    async def at_tools() -> list[Player]:
        async with AsyncExitStack() as stack:
            clients = [
                await stack.enter_async_context(by_http(inn.base, token["Ada"])),
                await stack.enter_async_context(by_http(inn.base, token["Bram"], "legacy")),
                await stack.enter_async_context(by_stdio(str(tmp_path / "cleo.link"))),
            ]
            players = [Player(client) for client in clients]
            ends = await asyncio.wait_for(asyncio.gather(*(player.play() for player in players)), PATIENCE)
            assert all("the game is over" in end for end in ends)
        return players

    terminal = Pty([SOTTOVOCE, "join"], env={"SOTTOVOCE_LINK": links["Dirk"], "SOTTOVOCE_PACE": "0"})
    words = [SOTTOVOCE, "agent", "--as", f"scripted:{tmp_path / 'script.yaml'}", "--json"]
    scripted = subprocess.Popen(
        words, env={**os.environ, "SOTTOVOCE_LINK": links["Finn"]}, stdout=subprocess.PIPE, text=True
    )
    try:

        async def story() -> tuple[list[Player], int]:
            return await asyncio.gather(at_tools(), asyncio.to_thread(press_keys, terminal))

        players, code = asyncio.run(story())
        out, _ = scripted.communicate(timeout=PATIENCE)
    finally:
        terminal.close()
        scripted.kill()
    assert code == 0, terminal.text[-2000:]
    assert scripted.returncode == 0
    assert json.loads(out)["status"] == "over"
    events = sound(inn.sv, game)
    replied = {event["actor"] for event in events if event["name"] == "core.reply-accepted.v1"}
    assert replied >= set(SEATS)
    assert [event["data"] for event in events if event["name"] == "core.fallback-applied.v1"] == []
    assert sum(player.replies for player in players) >= 6
    assert "the game" in terminal.text.lower()


def test_an_mcp_client_plays_a_character_of_a_session(inn: Inn) -> None:
    game, links = inn.open(
        ruleset="tabletop", campaign="evening", agent="house", agents={"pim-tallow": "outside"}, seed="3"
    )

    async def story() -> Player:
        async with by_http(inn.base, links["pim-tallow"].partition("#")[2]) as client:
            player = Player(client, "I put my ear to the clock and listen.")
            end = await asyncio.wait_for(player.play(), PATIENCE)
            assert "the game is over" in end
            await player.call("documents")
            assert "party/pim-tallow.md" in player.told[-1]
            await player.call("documents", path="party/pim-tallow.md")
            assert "Ten years ago Pim was prentice" in player.told[-1]
            await player.call("documents", path="gm/secrets.md")
            assert player.told[-1].startswith("There is no such document")
        return player

    player = asyncio.run(story())
    events = sound(inn.sv, game)
    own = [event for event in events if event["name"] == "core.reply-accepted.v1" and event["actor"] == "pim-tallow"]
    assert len(own) == player.replies > 3
    assert not [event for event in events if event["name"] == "core.fallback-applied.v1"]
    spoken = [event for event in events if event["actor"] == "pim-tallow" and "ear to the clock" in str(event["data"])]
    assert len(spoken) >= len(own) // 2
