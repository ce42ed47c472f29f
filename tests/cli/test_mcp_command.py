"""`sottovoce mcp` in a process of its own, asked by the SDK's client over standard input and output."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from commands import ROOT, SOTTOVOCE
from mcp_player import Player, by_stdio, text_of
from patience import PATIENCE
from remote import PLAYERS, Opened, RemoteServer, log_in

from sottovoce.server.links import LinkKind, new_token


@pytest.fixture
def remote(tmp_path: Path) -> Iterator[RemoteServer]:
    with RemoteServer(log_in(tmp_path)) as remote:
        yield remote


def opened(remote: RemoteServer, *seats: str, **more: Any) -> Opened:
    return remote.open(names=list(PLAYERS), agents=dict.fromkeys(seats, "outside"), **{"agent": "house", **more})


def link(remote: RemoteServer, game: Opened, token: str) -> str:
    return f"{remote.base}/games/{game.game}#{token}"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_seat_is_held_with_the_link_from_the_environment_or_a_file(
    remote: RemoteServer, tmp_path: Path, mode: str
) -> None:
    game = opened(remote, "Ada", seed="7", options={"max_days": 1, "max_speeches": 1})
    file = tmp_path / "link"
    file.write_text(link(remote, game, game.seats["Ada"]) + "\n")
    words, variables = ((), {"SOTTOVOCE_LINK": file.read_text().strip()}) if mode == "auto" else ((str(file),), {})

    async def story() -> Player:
        async with by_stdio(*words, mode=mode, **variables) as client:
            told = await client.list_tools()
            assert [tool.name for tool in told.tools] == ["look", "wait", "reply", "say", "documents"]
            assert all(tool.description for tool in told.tools)
            player = Player(client)
            text = await asyncio.wait_for(player.play(), PATIENCE)
            assert "the game is over" in text
            assert "Refused" in text_of(await player.call("reply", turn=1, text="Once more."))
        return player

    player = asyncio.run(story())
    assert player.replies
    assert remote.get(f"/v1/games/{game.game}", game.spectator)["status"] == "over"


def test_refusals_and_waits_are_those_of_the_other_door(remote: RemoteServer) -> None:
    game = opened(remote, agent="outside")

    async def story() -> None:
        async with by_stdio(SOTTOVOCE_LINK=link(remote, game, game.seats["narrator"])) as client:
            player = Player(client)
            assert (await player.call("reply", turn=1, text="x" * 70_000)).is_error
            assert "Attempts left: " in player.told[-1]
            assert text_of(await player.call("reply", turn=1, text="Night falls.")).startswith(
                "Accepted. NEXT: call wait"
            )
            assert "NEXT: nothing is asked" in text_of(await player.call("wait", seconds=0.1))
            assert "keeps no documents" in text_of(await player.call("documents"))
            assert (await player.call("say", text="Hear me!")).is_error

    asyncio.run(story())


@pytest.mark.parametrize(
    ("given", "code", "told"),
    [
        ("spectator", 2, "This is a spectator link"),
        ("none", 2, "No link given"),
        ("text", 2, "not a link and not a file"),
    ],
)
def test_a_link_that_opens_no_seat_is_one_line_and_an_exit_code(
    remote: RemoteServer, given: str, code: int, told: str
) -> None:
    game = opened(remote, "Ada")
    links = {
        "spectator": link(remote, game, game.spectator),
        "none": "",
        "text": "no-such-file",
    }
    words = [SOTTOVOCE, "mcp", *([links[given]] if links[given] else [])]
    environment = {name: value for name, value in os.environ.items() if name != "SOTTOVOCE_LINK"}
    ended = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (ended.returncode, ended.stdout) == (code, "")
    assert told in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_the_tools_are_listed_before_the_server_is_asked_anything(remote: RemoteServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        where = f"http://127.0.0.1:{listening.getsockname()[1]}/games/m5x8kq2w7h#{new_token(LinkKind.SEAT)}"

        async def story() -> None:
            async with by_stdio(SOTTOVOCE_LINK=where) as client:
                assert len((await client.list_tools()).tools) == 5
                with pytest.raises(BlockingIOError):
                    listening.accept()
                asking = asyncio.create_task(Player(client).call("look"))
                listening.settimeout(PATIENCE)
                connection, _ = await asyncio.to_thread(listening.accept)
                connection.close()
                listening.close()
                told = await asking
                assert told.is_error
                assert "Nothing answers at" in text_of(told)

        asyncio.run(story())


def test_a_link_that_has_ended_is_told_by_the_tools(remote: RemoteServer) -> None:
    game = opened(remote, "Ada")

    async def story() -> None:
        async with by_stdio(SOTTOVOCE_LINK=link(remote, game, new_token(LinkKind.SEAT))) as client:
            for tool, given in (("look", {}), ("say", {"text": "Hear me!"}), ("reply", {"turn": 1, "text": "Ada"})):
                told = await Player(client).call(tool, **given)
                assert told.is_error
                assert "valid link" in text_of(told)

    asyncio.run(story())


@pytest.mark.parametrize("end", ["stdin", "SIGTERM", "SIGINT"])
def test_it_ends_with_its_client_and_when_it_is_told_to(remote: RemoteServer, end: str) -> None:
    game = opened(remote, "Ada", agent="outside")
    environment = os.environ | {"SOTTOVOCE_LINK": link(remote, game, game.seats["Ada"])}
    with subprocess.Popen(
        [sys.executable, "-m", "sottovoce", "mcp"],
        env=environment,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
            process.stdin.flush()
            process.stdout.readline()
            if end == "stdin":
                process.stdin.close()
            else:
                process.send_signal(getattr(signal, end))
            assert process.wait(PATIENCE) in ((0,) if end == "stdin" else (130,))
        finally:
            process.kill()
