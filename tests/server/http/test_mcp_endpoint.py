"""`/mcp`: a seat by streamable HTTP, asked by the SDK's own client over real sockets."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult
from mcp_player import Player, by_http, text_of
from patience import PATIENCE
from remote import PLAYERS, Opened, RemoteServer, bounded, log_in
from working import log_at

from sottovoce.server.http.settings import Settings
from sottovoce.server.links import LinkKind, new_token

CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
TAKES = {"accept": "application/json, text/event-stream"}


@pytest.fixture
def remote(tmp_path: Path) -> Iterator[RemoteServer]:
    with RemoteServer(log_in(tmp_path)) as remote:
        yield remote


def opened(remote: RemoteServer, *seats: str, **more: Any) -> Opened:
    """A game in which these seats are filled from outside and the others by the house."""
    given: dict[str, Any] = {"names": list(PLAYERS), "agent": "house", "seed": "7", **more}
    return remote.open(agents=dict.fromkeys(seats, "outside"), **given)


def issued(remote: RemoteServer, game: Opened, kind: LinkKind, seat: str | None = None) -> str:
    """A new link's token."""
    made = remote.links.issue(remote.live_games.games.load(game.game), kind, seat)
    return asyncio.run_coroutine_threadsafe(made, remote.loop).result(PATIENCE)


def test_a_game_is_played_by_doing_what_each_answer_says(remote: RemoteServer) -> None:
    game = opened(remote, "Ada", "Bram", options={"max_days": 1, "max_speeches": 1})

    async def story() -> tuple[Player, Player]:
        async with (
            by_http(remote.base, game.seats["Ada"]) as ada,
            by_http(remote.base, game.seats["Bram"], "legacy") as bram,
        ):
            players = Player(ada), Player(bram)
            await asyncio.wait_for(asyncio.gather(*(player.play() for player in players)), PATIENCE)
        return players

    players = asyncio.run(story())
    assert sum(player.replies for player in players) >= 4
    for player in players:
        assert player.told[0].startswith("THE RULES\n\n# Mafia")
    assert remote.get(f"/v1/games/{game.game}", game.spectator)["status"] == "over"


def test_what_is_handed_over_has_a_receipt_with_the_very_text(remote: RemoteServer) -> None:
    game = opened(remote, "Ada")

    async def story() -> list[str]:
        async with by_http(remote.base, game.seats["Ada"]) as client:
            player = Player(client)
            await player.call("wait")
            await player.call("look", since=2)
            return player.told

    told = asyncio.run(story())
    with log_at(remote.url) as log:
        handed = [receipt for receipt in log.receipts(game.game) if receipt.data.get("by") == "mcp"]
        assert [[log.block(digest) for digest in one.blocks] for one in handed] == [[text] for text in told]
    assert [(one.seat, one.data["from"], one.data["turn"]) for one in handed] == [("Ada", 1, 1), ("Ada", 3, 1)]


def test_a_token_that_opens_no_seat_is_turned_away_before_anything_else(remote: RemoteServer) -> None:
    game = opened(remote, "Ada")
    paths = ("/mcp", f"/v1/games/{game.game}/turns")
    for token in (new_token(LinkKind.SEAT), "nonsense", None):
        at_door, at_api = (
            remote.ask("POST" if path == "/mcp" else "GET", path, token, CALL if path == "/mcp" else None)
            for path in paths
        )
        assert (at_door.status_code, at_door.content) == (at_api.status_code, at_api.content)
        assert at_door.status_code == 401
        assert at_door.headers["www-authenticate"] == "Bearer"
    for token in (game.keeper, game.spectator, remote.host):
        assert remote.ask("POST", "/mcp", token, CALL).status_code == 403
    refused = remote.ask("GET", "/mcp", game.seats["Ada"])
    assert (refused.status_code, refused.headers["allow"]) == (405, "POST")
    assert refused.headers["content-type"] == "application/problem+json"
    elsewhere = remote.ask("POST", "/mcp", game.seats["Ada"], CALL, {**TAKES, "host": "elsewhere.example"})
    assert elsewhere.status_code == 421


def test_refusals_say_what_to_do_and_change_nothing(remote: RemoteServer) -> None:
    game = opened(remote, "Ada", agent="outside")

    async def story() -> None:
        async with by_http(remote.base, game.seats["narrator"]) as client:
            player = Player(client)

            async def failing(tool: str, **given: Any) -> str:
                result = await player.call(tool, **given)
                assert result.is_error
                return text_of(result)

            assert "NEXT: call reply with turn=1" in text_of(await player.call("look"))
            told = await failing("reply", turn=1, text='{"text": 3}')
            assert told.startswith("Not sent, and no attempt was used: ")
            told = await failing("reply", turn=1, text="")
            assert "no attempt was used" in told
            told = await failing("reply", turn=1, text="x" * 70_000)
            assert told.startswith("Refused: ")
            assert "Attempts left: " in told
            assert told.endswith("NEXT: call reply with turn=1 again, and fix that.")
            assert text_of(await player.call("reply", turn=1, text="Night falls.", choice=None)).startswith(
                "Accepted. NEXT: call wait"
            )
            told = await failing("reply", turn=1, text="Once more.")
            assert "NEXT: call wait" in told
            told = await failing("reply", turn=99, text="What?")
            assert told.startswith("Refused: ")
            told = await failing("say", text="Hear me!")
            assert told.startswith("Refused: ")
            assert text_of(await player.call("documents", path=None)).startswith("This game keeps no documents.")
            for wrong in ({"turn": "one"}, {}, {"turn": 0}):
                assert (await client.call_tool("reply", wrong)).is_error

    asyncio.run(story())
    with log_at(remote.url) as log:
        names = [item.name for item in log.read(game.game)]
    assert names.count("core.attempt-failed.v1") == 1


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits that say often that they go on."""
    monkeypatch.setattr("sottovoce.server.http.mcp_endpoint.BEAT", 0.1)


def test_a_wait_tells_that_it_goes_on_and_ends_by_itself(remote: RemoteServer, quick: None) -> None:
    game = opened(remote, "Ada", agent="outside")
    beats: list[tuple[float, float | None]] = []

    async def noted(progress: float, total: float | None, message: str | None) -> None:
        beats.append((progress, total))

    async def story() -> None:
        async with by_http(remote.base, game.seats["Ada"]) as client:
            waited = await client.call_tool("wait", {"seconds": 0.5}, progress_callback=noted)
            assert isinstance(waited, CallToolResult)
            assert "NEXT: nothing is asked of you; call wait with since=" in text_of(waited)

    asyncio.run(story())
    assert [beat for beat, _ in beats] == pytest.approx([0.1, 0.2, 0.3, 0.4])
    assert {total for _, total in beats} == {0.5}


async def begun(client: Client, seconds: float = 300.0) -> asyncio.Task[CallToolResult]:
    """A wait that the server is surely in: it has said that it goes on."""
    beat = asyncio.Event()

    async def noted(progress: float, total: float | None, message: str | None) -> None:
        beat.set()

    async def wait() -> CallToolResult:
        result = await client.call_tool("wait", {"seconds": seconds}, PATIENCE, noted)
        assert isinstance(result, CallToolResult)
        return result

    waiting = asyncio.create_task(wait())
    await asyncio.wait_for(beat.wait(), PATIENCE)
    return waiting


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_wait_that_is_given_up_leaves_the_seat_as_it_was(remote: RemoteServer, quick: None, mode: str) -> None:
    game = opened(remote, "Ada", agent="outside")

    async def story() -> None:
        async with by_http(remote.base, game.seats["Ada"], mode) as client:
            waiting = await begun(client)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            with pytest.raises(MCPError, match=r"(?i)time"):
                await client.call_tool("wait", {"seconds": 300}, read_timeout_seconds=0.3)
            assert "NEXT: nothing is asked" in text_of(await Player(client).call("wait", seconds=0))

    asyncio.run(story())
    assert remote.get(f"/v1/games/{game.game}", game.spectator)["status"] == "open"


def test_a_link_that_is_ended_ends_the_wait_for_it(remote: RemoteServer, quick: None) -> None:
    game = opened(remote, "Ada", agent="outside")

    async def story() -> None:
        async with by_http(remote.base, game.seats["Ada"]) as client:
            waiting = await begun(client)
            again = await asyncio.to_thread(issued, remote, game, LinkKind.SEAT, "Ada")
            result = await waiting
            assert result.is_error
            assert "valid link" in text_of(result)
        assert remote.ask("POST", "/mcp", game.seats["Ada"], CALL, TAKES).status_code == 401
        async with by_http(remote.base, again) as client:
            assert not (await Player(client).call("look")).is_error

    asyncio.run(story())


def test_a_server_that_stops_lets_waits_end_with_what_there_is(tmp_path: Path, quick: None) -> None:
    with RemoteServer(log_in(tmp_path)) as remote:
        game = opened(remote, "Ada", agent="outside")

        async def story() -> str:
            async with by_http(remote.base, game.seats["Ada"]) as client:
                await client.list_tools()  # else the client asks for them once it has the answer
                waiting = await begun(client)
                remote.loop.call_soon_threadsafe(remote.live_games.closing.set)
                return text_of(await waiting)

        assert "NEXT: nothing is asked of you; call wait" in asyncio.run(story())


def test_replies_are_bounded(tmp_path: Path) -> None:
    settings = Settings(bounds=bounded(replies_per_minute=1), log_requests=False)
    with RemoteServer(log_in(tmp_path), settings) as remote:
        game = opened(remote, "Ada", agent="outside")

        async def story() -> CallToolResult:
            async with by_http(remote.base, game.seats["narrator"]) as client:
                assert not (await Player(client).call("reply", turn=1, text="Night falls.")).is_error
                return await Player(client).call("reply", turn=1, text="Night falls.")

        refused = asyncio.run(story())
        assert refused.is_error
        assert "More than 1 replies and messages per minute" in text_of(refused)


def test_calls_at_once_are_bounded(tmp_path: Path, quick: None) -> None:
    settings = Settings(bounds=bounded(streams_per_token=1), log_requests=False)
    with RemoteServer(log_in(tmp_path), settings) as remote:
        game = opened(remote, "Ada", agent="outside")

        async def story() -> None:
            async with by_http(remote.base, game.seats["Ada"]) as client:
                waiting = await begun(client)
                refused = await asyncio.to_thread(remote.ask, "POST", "/mcp", game.seats["Ada"], CALL, TAKES)
                assert refused.status_code == 429
                assert "already has 1 open streams and calls" in refused.json()["detail"]
                waiting.cancel()
                await asyncio.gather(waiting, return_exceptions=True)

        asyncio.run(story())
